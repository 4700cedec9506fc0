// Links to a moment: #t=1.25&body=ball is read at the start and when it changes, and written when the clock stops or a body is picked.
// A link that is copied also says where the camera is (eye) and where it looks (at).
//
// SPDX-License-Identifier: MIT

export class Link {
  constructor(app) {
    this.app = app;
    app.on('play', () => { if (!app.clock.playing) this.later(); });
    app.on('pick', () => this.later());
    app.on('time', () => { if (!app.clock.playing) this.later(); });
    addEventListener('hashchange', () => this.read());
  }

  /** Goes where the address says. */
  read() {
    const wanted = new URLSearchParams(location.hash.slice(1)), time = wanted.get('t');
    if (wanted.get('body') !== null && wanted.get('body') !== this.app.picked) this.app.pick(wanted.get('body'));
    const place = (name) => (wanted.get(name) ?? '').split(',').filter((text) => text.trim() !== '').map(Number), eye = place('eye'), at = place('at');
    const sound = [eye, at].every((list) => list.length === 3 && list.every(Number.isFinite)) && eye.some((x, k) => x !== at[k]);
    if (sound) this.stage?.look(eye, at);
    if (time !== null && time !== '' && Number.isFinite(Number(time))) { this.app.clock.pause(); this.app.clock.seek(Number(time)); }
  }

  hash() {
    const { clock, picked } = this.app, parts = new URLSearchParams({ t: String(Number(clock.time.toPrecision(12))) });
    if (picked !== null && picked.length <= 1000) parts.set('body', picked);
    return `#${parts}`;
  }

  camera() {
    if (!this.stage) return '';
    const figures = ({ x, y, z }) => [x, y, z].map((value) => Number(value.toPrecision(5))).join();
    return `&eye=${figures(this.stage.camera.position)}&at=${figures(this.stage.controls.target)}`;
  }

  /** Writes the address soon: not more often than a browser bears. */
  later() {
    clearTimeout(this.timer);
    this.timer = setTimeout(() => {
      if (this.app.clock.playing || location.hash === this.hash()) return;
      try { history.replaceState(null, '', this.hash()); } catch { /* an address that cannot be changed is left as it is */ }
    }, 400);
  }

  /** Copies the address; says whether that went well. */
  async copy() {
    const text = location.href.split('#')[0] + this.hash() + this.camera();
    try { await navigator.clipboard.writeText(text); return true; } catch { return false; }
  }
}
