// The section of the sphere: sphere, legend, and the drop that is pointed at, as it begins and as it ends.
//
// SPDX-License-Identifier: MIT
import { el } from '../dom.js';
import { most } from './gallery.js';
import { count, doubt, percent, poseLabel, poseName } from './words.js';

const width = 280, height = 190; // of a picture

export class Starts {
  /** choose(pose), take(trial) and recolour() are the page's; globe is null without WebGL. */
  constructor(data, colours, globe, { choose, take, recolour }) {
    Object.assign(this, { data, colours, globe });
    this.fixed = -1; // the sample that was clicked
    this.from = el('canvas', { class: 'picture', role: 'img', 'aria-label': 'The part as this drop begins', width: 2, height: 2 });
    this.to = el('canvas', { class: 'picture', role: 'img', 'aria-label': 'The part as this drop ends', width: 2, height: 2 });
    this.title = el('h3', { text: 'Point at the sphere' });
    this.ends = el('figcaption', { text: 'ends' });
    this.use = el('button', { type: 'button', class: 'tool', hidden: true, onclick: () => take(this.fixed >= 0 ? this.fixed : this.shown) , text: 'Use this trial below' });
    this.inspector = el('div', { class: 'inspector', hidden: true },
      el('div', { class: 'pair' }, el('figure', {}, this.from, el('figcaption', { text: 'is let go' })), el('figure', {}, this.to, this.ends)), this.use);
    this.legend = el('ul', { class: 'pose-legend' });
    this.rows = data.order.slice(0, most).map((pose) => {
      const swatch = el('span', { class: 'swatch' }), button = el('button', { type: 'button', class: 'legend-row', 'aria-pressed': 'false', 'data-pose': pose.index, onclick: () => choose(pose.index) },
        swatch, el('span', { text: `Pose ${poseLabel(pose.index)}` }), el('span', { class: 'soft', text: percent(pose.probability) }));
      this.legend.append(el('li', {}, button));
      return { pose, button, swatch };
    });
    if (data.samples.rest.some((row) => row < 0)) this.legend.append(el('li', { class: 'legend-row plain' }, el('span', { class: 'swatch none' }), el('span', { text: 'No certain pose' })));
    this.element = el('section', { id: 'starts', 'aria-labelledby': 'starts-title' },
      el('div', { class: 'head' }, el('h2', { id: 'starts-title', text: 'Starting orientations' }), el('p', { class: 'soft', text: this.about() })),
      doubt(data) ? el('p', { class: 'doubt', text: doubt(data) }) : null,
      el('div', { class: 'starts' }, globe ? el('div', { class: 'globe-card card' }, globe.element, this.options(recolour)) : el('div', { class: 'globe-card card' }, el('p', { class: 'empty-note', text: 'This browser cannot draw the sphere, since it has no WebGL.' })),
        el('div', { class: 'card side' }, this.title, this.inspector, el('h4', { text: 'Ended in' }), this.legend)));
    this.paint();
  }

  about() {
    const { samples, drops } = this.data;
    if (samples.count === 0) return 'No starting orientations were kept.';
    const which = samples.count < drops.count ? `the first ${count(samples.count)} of ${count(drops.count)} drops` : `all ${count(samples.count)} drops`;
    return `Where \u201cdown\u201d was in the axes of the part when it was let go, coloured by the pose in which it ended: ${which}. A number stands where that pose has its face.`;
  }

  options(recolour) {
    const check = (text, change) => { const box = el('input', { type: 'checkbox', onchange: () => change(box.checked) }); return el('label', {}, box, el('span', { text })); };
    const twins = this.data.poses.some((pose) => pose.same !== pose.index);
    return el('div', { class: 'globe-options' }, check('See the part inside', (on) => this.globe.setThrough(on)),
      twins ? check('One colour for poses that are the same by rotation', recolour) : null, el('span', { class: 'soft hint', text: 'Drag or arrows turn the sphere; a click keeps a drop.' }));
  }

  paint() { for (const { pose, swatch } of this.rows) swatch.style.background = this.colours.of(pose.index); }

  choose(row) { for (const { pose, button } of this.rows) button.setAttribute('aria-pressed', pose.index === row); }

  /** Pointed at; -1: back to the one that was clicked, if any. */
  point(sample) { this.show(sample >= 0 ? sample : this.fixed); }

  keep(sample) { this.fixed = sample; this.show(sample); }

  show(sample) {
    if (sample === this.shown && sample >= 0) return;
    this.shown = sample;
    this.globe?.show(sample);
    this.inspector.hidden = sample < 0;
    this.use.hidden = sample < 0 || this.data.command === null;
    this.title.textContent = sample < 0 ? 'Point at the sphere' : `Trial ${count(sample)}`;
    if (sample < 0) return;
    const row = this.data.samples.rest[sample];
    this.ends.textContent = row >= 0 ? `ends in ${poseName(row)}` : poseName(row);
    this.wake();
  }

  /** Pictures of the drop, at most one pair a frame. */
  wake() {
    if (this.waking) return;
    this.waking = true;
    requestAnimationFrame(() => { this.waking = false; this.draw(); });
  }

  draw() {
    if (!this.pictures || !(this.shown >= 0)) return;
    const { down, rest } = this.data.samples, i = this.shown, ratio = Math.min(2, Math.max(1.5, devicePixelRatio || 1));
    this.pictures.start(Array.from(down.subarray(3 * i, 3 * i + 3)), this.from, width, height, ratio);
    const pose = this.data.poses[rest[i]];
    if (pose) this.pictures.end(pose, this.to, width, height, ratio);
    else this.to.getContext('2d').clearRect(0, 0, this.to.width, this.to.height);
  }
}
