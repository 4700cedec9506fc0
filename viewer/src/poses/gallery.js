// The gallery: the most probable cards, each with its picture, its probability, what is known of it and which poses are on it.
//
// SPDX-License-Identifier: MIT
import { el } from '../dom.js';
import { niceStep } from '../units.js';
import { cardName, cardTitle, count, direction, membership, millimetres, percent, poseCount, sharing } from './words.js';

export const most = 24; // cards
const mostMembers = 500; // poses in the list of a card
const width = 280, height = 180; // of a picture

/** A bar for the probability, a whisker for its interval, a tick for the quasi-static value; all over one scale. */
export function bar(card, top, colour) {
  const at = (p) => `${100 * Math.min(1, Math.max(0, p / top))}%`, box = el('div', { class: 'bar', role: 'img' });
  const said = [`${percent(card.probability)} of the drops`];
  box.append(el('div', { class: 'bar-fill' }));
  box.firstChild.style.width = at(card.probability ?? 0);
  box.firstChild.style.background = colour;
  if (card.low !== null && card.high !== null) {
    const whisker = el('div', { class: 'whisker' });
    whisker.style.left = at(card.low);
    whisker.style.width = `${100 * Math.max(0, (Math.min(card.high, top) - card.low) / top)}%`;
    box.append(whisker);
    said.push(`95 % interval ${percent(card.low, false)} to ${percent(card.high)}`);
  }
  if (card.quasiStatic !== null) {
    const tick = el('div', { class: 'tick' });
    tick.style.left = at(card.quasiStatic);
    box.append(tick);
    said.push(`quasi-static ${percent(card.quasiStatic)}`);
  }
  box.setAttribute('aria-label', said.join('; '));
  box.title = said.join('\n');
  return box;
}

/** Which poses are on a card, made when it is opened. */
function members(card) {
  if (card.members.length === 1) return null;
  const box = el('details', { class: 'members' }, el('summary', { text: membership(card) }));
  box.addEventListener('toggle', () => {
    if (box.childElementCount > 1) return;
    const rows = card.members.slice(0, mostMembers).map((one) => el('li', {}, el('span', { text: String(one.row) }), el('span', { text: one.normal ? direction(one.normal) : '' })));
    rows.unshift(el('li', { class: 'names' }, el('span', { text: 'Pose' }), el('span', { text: 'Normal' })));
    const left = card.members.length - rows.length;
    if (left > 0) rows.push(el('li', { class: 'soft' }, el('span', { text: `and ${count(left)} more, in the CSV file` })));
    box.append(el('ul', { tabindex: 0, 'aria-label': 'Poses and their normals' }, ...rows));
  });
  return box;
}

export class Gallery {
  constructor(data, colours, choose) {
    this.data = data;
    this.colours = colours;
    const shown = data.order.slice(0, most), highest = Math.max(1e-4, ...shown.map((card) => Math.max(card.high ?? 0, card.probability ?? 0, card.quasiStatic ?? 0))), step = niceStep(highest / 2);
    this.top = Math.min(1, Math.ceil(highest / step - 1e-9) * step);
    this.shown = shown.map((card) => this.show(card, choose));
    this.grid = el('div', { class: 'gallery' }, ...this.shown.map((one) => one.element));
    const rule = sharing(data);
    this.element = el('section', { id: 'poses', 'aria-labelledby': 'poses-title' },
      el('div', { class: 'head' }, el('h2', { id: 'poses-title', text: 'Poses' }), el('p', { class: 'soft', text: this.about() })), rule ? el('p', { class: 'soft rule', text: rule }) : null, this.grid, this.more());
    this.paint();
  }

  about() {
    const { cards } = this.data, n = poseCount(cards), poses = `${count(n)} stable ${n === 1 ? 'pose' : 'poses'}`;
    const on = n === cards.length ? '' : ` on ${count(cards.length)} ${cards.length === 1 ? 'card' : 'cards'}`;
    return `${poses}${on}${cards.length > 1 ? ', most probable first' : ''}; all pictures and bars to one scale, which ends at ${percent(this.top)}.`;
  }

  more() {
    const left = this.data.order.slice(most), n = poseCount(left), one = n === 1;
    if (n === 0) return null;
    const drops = left.reduce((sum, card) => sum + card.count, 0), share = this.data.drops.count > 0 ? drops / this.data.drops.count : 0;
    return el('p', { class: 'soft more', text: `${count(n)} more ${one ? 'pose' : 'poses'}, which took ${percent(share)} of the drops together, ${one ? 'is' : 'are'} in the table below.` });
  }

  show(card, choose) {
    const several = card.members.length > 1, family = card.members.length > card.families;
    const picture = el('canvas', { class: 'picture', role: 'img', 'aria-label': `The part at rest in pose ${card.id}`, width: 2, height: 2 });
    const chip = el('span', { class: 'pose-chip', text: String(card.id) }), slot = el('div', { class: 'bar-slot' });
    const fact = (name, value, hint) => el('div', { title: hint }, el('dt', { text: name }), el('dd', { text: value }));
    const button = el('button', { type: 'button', class: 'pose-card', 'aria-pressed': 'false', 'data-pose': card.id, onclick: () => choose(card.index) },
      el('span', { class: 'frame' }, picture, chip), el('span', { class: 'figures' }, el('b', { text: percent(card.probability) }),
        el('span', { class: 'soft', text: card.low === null ? '' : `${percent(card.low, false)} \u2013 ${percent(card.high)}` })), slot);
    const element = el('article', { class: 'card', 'aria-label': cardTitle(this.data, card.index) }, button, el('dl', {},
      fact('Quasi-static', percent(card.quasiStatic), 'If it came down infinitely slowly'),
      fact('Height', millimetres(card.height), `Of the centre of mass above the floor${family ? ', in the lowest pose' : ''}`),
      fact('Barrier', card.barrier === null ? 'cannot leave' : millimetres(card.barrier), `How far the centre of mass must be lifted to leave ${family ? 'the family from its lowest pose' : cardName(card)}`),
      fact(several ? `Normal of pose ${card.id}` : 'Normal', direction(card.normal), 'What points down at rest, in the axes of the body')), members(card));
    return { card, element, button, picture, chip, slot };
  }

  paint() {
    for (const { card, chip, slot } of this.shown) {
      this.colours.fill(chip, card.index);
      slot.replaceChildren(bar(card, this.top, this.colours.of(card.index)));
    }
  }

  /** Draws all pictures, where somebody can. */
  draw(pictures) {
    const ratio = Math.min(2, Math.max(1.5, devicePixelRatio || 1));
    pictures?.poses(this.shown.map(({ card, picture }) => ({ pose: card, canvas: picture })), width, height, ratio);
  }

  choose(index) {
    for (const { card, button, element } of this.shown) {
      button.setAttribute('aria-pressed', card.index === index);
      element.classList.toggle('dim', index !== null && card.index !== index);
    }
  }
}
