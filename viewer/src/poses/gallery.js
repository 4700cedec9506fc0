// The gallery: a card for each of the most probable poses, with its picture, its probability and what is known of it.
//
// SPDX-License-Identifier: MIT
import { el } from '../dom.js';
import { niceStep } from '../units.js';
import { count, direction, millimetres, percent, poseLabel, poseName } from './words.js';

export const most = 24; // cards
const width = 280, height = 180; // of a picture

/** A bar for the probability, a whisker for its interval, a tick for the quasi-static value; all over one scale. */
export function bar(pose, top, colour) {
  const at = (p) => `${100 * Math.min(1, Math.max(0, p / top))}%`, box = el('div', { class: 'bar', role: 'img' });
  const said = [`${percent(pose.probability)} of the drops`];
  box.append(el('div', { class: 'bar-fill' }));
  box.firstChild.style.width = at(pose.probability ?? 0);
  box.firstChild.style.background = colour;
  if (pose.low !== null && pose.high !== null) {
    const whisker = el('div', { class: 'whisker' });
    whisker.style.left = at(pose.low);
    whisker.style.width = `${100 * Math.max(0, (Math.min(pose.high, top) - pose.low) / top)}%`;
    box.append(whisker);
    said.push(`95 % interval ${percent(pose.low, false)} to ${percent(pose.high)}`);
  }
  if (pose.quasiStatic !== null) {
    const tick = el('div', { class: 'tick' });
    tick.style.left = at(pose.quasiStatic);
    box.append(tick);
    said.push(`quasi-static ${percent(pose.quasiStatic)}`);
  }
  box.setAttribute('aria-label', said.join('; '));
  box.title = said.join('\n');
  return box;
}

export class Gallery {
  constructor(data, colours, choose) {
    this.data = data;
    this.colours = colours;
    this.shown = data.order.slice(0, most);
    const highest = Math.max(1e-4, ...this.shown.map((pose) => Math.max(pose.high ?? 0, pose.probability ?? 0, pose.quasiStatic ?? 0))), step = niceStep(highest / 2);
    this.top = Math.min(1, Math.ceil(highest / step - 1e-9) * step);
    this.cards = this.shown.map((pose) => this.card(pose, choose));
    this.grid = el('div', { class: 'gallery' }, ...this.cards.map((card) => card.element));
    this.element = el('section', { id: 'poses', 'aria-labelledby': 'poses-title' },
      el('div', { class: 'head' }, el('h2', { id: 'poses-title', text: 'Poses' }), el('p', { class: 'soft', text: this.about() })), this.grid, this.more());
    this.paint();
  }

  about() {
    const { data } = this, n = data.poses.length;
    return `${count(n)} stable ${n === 1 ? 'pose' : 'poses'}, most probable first; all pictures and bars to one scale, which ends at ${percent(this.top)}.`;
  }

  more() {
    const left = this.data.order.length - this.shown.length;
    if (left <= 0) return null;
    const drops = this.data.order.slice(most).reduce((sum, pose) => sum + pose.count, 0), share = this.data.drops.count > 0 ? drops / this.data.drops.count : 0;
    return el('p', { class: 'soft more', text: `${count(left)} more ${left === 1 ? 'pose' : 'poses'}, which took ${percent(share)} of the drops together, ${left === 1 ? 'is' : 'are'} in the table below.` });
  }

  card(pose, choose) {
    const picture = el('canvas', { class: 'picture', role: 'img', 'aria-label': `The part at rest in ${poseName(pose.index)}`, width: 2, height: 2 });
    const chip = el('span', { class: 'pose-chip', text: poseLabel(pose.index) }), slot = el('div', { class: 'bar-slot' });
    const fact = (name, value, hint) => el('div', { title: hint }, el('dt', { text: name }), el('dd', { text: value }));
    const button = el('button', { type: 'button', class: 'pose-card', 'aria-pressed': 'false', 'data-pose': pose.index, onclick: () => choose(pose.index) },
      el('span', { class: 'frame' }, picture, chip), el('span', { class: 'figures' }, el('b', { text: percent(pose.probability) }),
        el('span', { class: 'soft', text: pose.low === null ? '' : `${percent(pose.low, false)} \u2013 ${percent(pose.high)}` })), slot);
    const twin = pose.same !== pose.index ? el('p', { class: 'twin', text: `Same as ${poseName(pose.same)} by rotation` }) : null;
    const element = el('article', { class: 'card', 'aria-label': poseName(pose.index) }, button, el('dl', {},
      fact('Quasi-static', percent(pose.quasiStatic), 'If it came down infinitely slowly'),
      fact('Height', millimetres(pose.height), 'Of the centre of mass above the floor'),
      fact('Barrier', pose.barrier === null ? 'cannot leave' : millimetres(pose.barrier), 'How far the centre of mass must be lifted to leave this pose'),
      fact('Normal', direction(pose.normal), 'What points down at rest, in the axes of the body')), twin);
    return { pose, element, button, picture, chip, slot };
  }

  paint() {
    for (const { pose, chip, slot } of this.cards) {
      this.colours.fill(chip, pose.index);
      slot.replaceChildren(bar(pose, this.top, this.colours.of(pose.index)));
    }
  }

  /** Draws all pictures, where somebody can. */
  draw(pictures) {
    const ratio = Math.min(2, Math.max(1.5, devicePixelRatio || 1));
    pictures?.poses(this.cards.map(({ pose, picture }) => ({ pose, canvas: picture })), width, height, ratio);
  }

  choose(row) {
    for (const { pose, button, element } of this.cards) {
      button.setAttribute('aria-pressed', pose.index === row);
      element.classList.toggle('dim', row !== null && pose.index !== row);
    }
  }
}
