// The section of the sphere: sphere, legend, and the drop that is pointed at, as it begins and as it ends.
//
// SPDX-License-Identifier: MIT
import { el } from '../dom.js';
import { most } from './gallery.js';
import { cardTitle, count, doubt, endName, percent, without } from './words.js';

const width = 280, height = 190; // of a picture

export class Starts {
  /** choose(card) and take(trial) are the page's; globe is null without WebGL. */
  constructor(data, colours, globe, { choose, take }) {
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
    this.rows = data.order.slice(0, most).map((card) => {
      const swatch = el('span', { class: 'swatch' }), button = el('button', { type: 'button', class: 'legend-row', 'aria-pressed': 'false', 'data-pose': card.id, onclick: () => choose(card.index) },
        swatch, el('span', { text: cardTitle(data, card.index) }), el('span', { class: 'soft', text: percent(card.probability) }));
      this.legend.append(el('li', {}, button));
      return { card, button, swatch };
    });
    for (const { code, count: drops } of without(data)) {
      const swatch = el('span', { class: 'swatch' });
      swatch.style.background = colours.of(code);
      this.legend.append(el('li', { class: 'legend-row plain' }, swatch, el('span', { text: cardTitle(data, code) }), el('span', { class: 'soft', text: percent(drops / data.drops.count) })));
    }
    this.element = el('section', { id: 'starts', 'aria-labelledby': 'starts-title' },
      el('div', { class: 'head' }, el('h2', { id: 'starts-title', text: 'Starting orientations' }), el('p', { class: 'soft', text: this.about() })),
      doubt(data) ? el('p', { class: 'doubt', text: doubt(data) }) : null,
      el('div', { class: 'starts' }, globe ? el('div', { class: 'globe-card card' }, globe.element, this.options()) : el('div', { class: 'globe-card card' }, el('p', { class: 'empty-note', text: 'This browser cannot draw the sphere, since it has no WebGL.' })),
        el('div', { class: 'card side' }, this.title, this.inspector, el('h4', { text: 'Ended in' }), this.legend)));
    this.paint();
  }

  about() {
    const { samples, drops } = this.data;
    if (samples.count === 0) return 'No starting orientations were kept.';
    const which = samples.count < drops.count ? `the first ${count(samples.count)} of ${count(drops.count)} drops` : `all ${count(samples.count)} drops`;
    return `Where \u201cdown\u201d was in the axes of the part when it was let go, coloured by the card on which it ended: ${which}. A number stands where a pose of that card has its face.`;
  }

  options() {
    const check = (text, change) => { const box = el('input', { type: 'checkbox', onchange: () => change(box.checked) }); return el('label', {}, box, el('span', { text })); };
    return el('div', { class: 'globe-options' }, check('See the part inside', (on) => this.globe.setThrough(on)),
      el('span', { class: 'soft hint', text: 'Drag or arrows turn the sphere; a click keeps a drop.' }));
  }

  paint() { for (const { card, swatch } of this.rows) swatch.style.background = this.colours.of(card.index); }

  choose(index) { for (const { card, button } of this.rows) button.setAttribute('aria-pressed', card.index === index); }

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
    const end = this.data.samples.rest[sample];
    this.ends.textContent = `${end >= 0 ? 'ends in ' : ''}${endName(this.data, end)}`;
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
    const card = this.data.cards[rest[i]];
    if (card) this.pictures.end(card, this.to, width, height, ratio);
    else this.to.getContext('2d').clearRect(0, 0, this.to.width, this.to.height);
  }
}
