// The table of all cards with their numbers, and the same as a file of comma-separated values in SI units.
//
// SPDX-License-Identifier: MIT
import { download, el, fileName } from '../dom.js';
import { count, direction, membership, membershipCell, millimetres, percent, without } from './words.js';

const mostRows = 400;
const columns = ['pose', 'count', 'probability', 'low', 'high', 'quasi_static', 'height_m', 'margin_m', 'barrier_m', 'normal_x', 'normal_y', 'normal_z', 'qw', 'qx', 'qy', 'qz', 'poses', 'families', 'members'];

/** A line for each card, as numbers; what is not known is empty; members are parted by spaces. */
export function csv(data) {
  const cell = (value) => (value === null || value === undefined || !Number.isFinite(value) ? '' : String(value));
  const rows = data.order.map((card) => [...[card.id, card.count, card.probability, card.low, card.high, card.quasiStatic, card.height, card.margin, card.barrier,
    ...card.normal, ...card.turn, card.members.length, card.families].map(cell), card.members.map((one) => one.row).join(' ')].join());
  return `${[columns.join(), ...rows].join('\n')}\n`;
}

const heads = [['Pose', 'The lowest of its poses'], ['Poses', 'How many poses are of one family or the same by rotation'], ['Probability', ''], ['95 % interval', ''], ['Drops', ''], ['Quasi-static', 'If it came down infinitely slowly'],
  ['Height', 'Of the centre of mass above the floor'], ['Margin', 'From the foot of the centre of mass to the nearest edge of the face'], ['Barrier', 'How far the centre of mass must be lifted to leave'],
  ['Normal', 'What points down, in the axes of the body']];
const reasons = { '-1': ['Unresolved', 'no certain pose within the bound on work'], '-2': ['Failed', 'a number overflowed'], '-3': ['Left', 'left the surface'] };

/** A line for each kind of drop that ended in no pose, or null. */
function foot(data) {
  const line = ({ code, count: drops }) => {
    const [name, why] = reasons[code], text = code === -1 && data.drops.settled ? 'did not come to rest in time' : why;
    return el('tr', {}, el('th', { scope: 'row', colspan: 2, text: name }), el('td', { text: percent(drops / data.drops.count) }), el('td', {}), el('td', { text: count(drops) }), el('td', { colspan: 5, text }));
  };
  const lines = without(data).map(line);
  return lines.length ? el('tfoot', {}, ...lines) : null;
}

export class PoseTable {
  constructor(data, colours) {
    this.colours = colours;
    this.chips = [];
    const rows = data.order.slice(0, mostRows).map((card) => {
      const chip = el('span', { class: 'pose-chip', text: String(card.id) });
      this.chips.push([chip, card.index]);
      const texts = [percent(card.probability), card.low === null ? '\u2013' : `${percent(card.low, false)} \u2013 ${percent(card.high)}`, count(card.count), percent(card.quasiStatic), millimetres(card.height),
        millimetres(card.margin), card.barrier === null ? 'cannot leave' : millimetres(card.barrier), direction(card.normal)];
      return el('tr', {}, el('th', { scope: 'row' }, chip), el('td', { text: membershipCell(card), title: membership(card) }), ...texts.map((text) => el('td', { text })));
    });
    const left = data.order.length - rows.length;
    this.element = el('section', { id: 'table', 'aria-labelledby': 'table-title' },
      el('div', { class: 'head' }, el('h2', { id: 'table-title', text: 'All poses' }),
        el('button', { type: 'button', class: 'tool', text: 'Download as CSV', onclick: () => download(`${fileName(data.title)}_poses.csv`, new Blob([csv(data)], { type: 'text/csv' })) })),
      el('div', { class: 'card scroll', tabindex: 0, role: 'group', 'aria-label': 'All poses' },
        el('table', {}, el('thead', {}, el('tr', {}, ...heads.map(([text, title]) => el('th', { scope: 'col', text, title: title || undefined })))), el('tbody', {}, ...rows), foot(data))),
      left > 0 ? el('p', { class: 'soft more', text: `${count(left)} more lines are in the CSV file.` }) : null);
    this.paint();
  }

  paint() { for (const [chip, index] of this.chips) this.colours.fill(chip, index); }
}
