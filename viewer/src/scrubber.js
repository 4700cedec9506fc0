// The scrubber: a slider over the time of the run, with a mark at each impact.
//
// SPDX-License-Identifier: MIT
import { el } from './dom.js';

export class Scrubber {
  constructor(app) {
    this.app = app;
    this.wide = 0;
    this.marks = el('canvas', { class: 'marks', 'aria-hidden': 'true' });
    this.done = el('div', { class: 'done' });
    this.knob = el('div', { class: 'knob' });
    this.element = el('div', { class: 'scrubber', role: 'slider', tabindex: 0, 'aria-label': 'Time', 'aria-valuemin': app.clock.start, 'aria-valuemax': app.clock.end,
      onpointerdown: (event) => this.grab(event), onpointermove: (event) => this.drag(event), onpointerup: () => { this.held = false; }, onpointercancel: () => { this.held = false; } },
    el('div', { class: 'rail' }, this.done), this.marks, this.knob);
    new ResizeObserver(() => { this.paint(); this.show(); }).observe(this.element);
    app.on('pick theme', () => this.paint());
  }

  grab(event) {
    this.held = true;
    this.element.setPointerCapture(event.pointerId);
    this.app.clock.pause();
    this.drag(event);
  }

  drag(event) {
    if (!this.held) return;
    const rect = this.element.getBoundingClientRect(), { clock } = this.app;
    const share = Math.min(1, Math.max(0, (event.clientX - rect.left - 8) / (rect.width - 16)));
    clock.seek(clock.start + share * (clock.end - clock.start));
  }

  share(time) { const { start, end } = this.app.clock; return end > start ? (time - start) / (end - start) : 0; }

  show() {
    const share = this.share(this.app.clock.time);
    this.knob.style.transform = `translateX(${share * this.wide}px)`;
    this.done.style.transform = `scaleX(${share})`;
  }

  /** The time in words, for those who hear the page. */
  tell() {
    const { clock } = this.app;
    this.element.setAttribute('aria-valuenow', clock.time.toPrecision(6));
    this.element.setAttribute('aria-valuetext', `${clock.time.toPrecision(6)} seconds`);
  }

  /** Draws the impacts: where there are many, their number per pixel. */
  paint() {
    const wide = this.wide = this.element.clientWidth - 16, tall = 10, ratio = Math.min(devicePixelRatio || 1, 2);
    if (wide < 2) return;
    this.marks.width = wide * ratio;
    this.marks.height = tall * ratio;
    this.marks.style.width = `${wide}px`;
    const pen = this.marks.getContext('2d'), theme = this.app.theme, { clock } = this.app;
    this.column(pen, clock.impacts, theme.soft, 0.55, ratio);
    if (clock.chosenImpacts) this.column(pen, clock.chosenImpacts, theme.accent, 1, ratio);
  }

  column(pen, times, colour, strength, ratio) {
    const count = new Uint32Array(this.marks.width + 1);
    for (const time of times) count[Math.round(this.share(time) * (this.marks.width - 1))]++;
    let top = 1;
    for (const n of count) top = Math.max(top, n);
    pen.fillStyle = colour;
    for (let x = 0; x < count.length; x++) {
      if (!count[x]) continue;
      const high = this.marks.height * (0.5 + 0.5 * Math.log1p(count[x]) / Math.log1p(top));
      pen.globalAlpha = strength;
      pen.fillRect(x - ratio / 2, this.marks.height - high, Math.max(1, 1.5 * ratio), high);
    }
    pen.globalAlpha = 1;
  }
}
