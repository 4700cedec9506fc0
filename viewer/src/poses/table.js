// The table of all poses with their numbers, and the same as a file of comma-separated values in SI units.
//
// SPDX-License-Identifier: MIT
import { download, el, fileName } from '../dom.js';
import { count, direction, millimetres, percent, poseLabel } from './words.js';

const mostRows = 400;
const columns = ['pose', 'count', 'probability', 'low', 'high', 'quasi_static', 'height_m', 'margin_m', 'barrier_m', 'normal_x', 'normal_y', 'normal_z', 'qw', 'qx', 'qy', 'qz', 'same_as'];

/** All poses, as numbers; what is not known is empty. */
export function csv(data) {
  const cell = (value) => (value === null || value === undefined || !Number.isFinite(value) ? '' : String(value));
  const rows = data.order.map((pose) => [poseLabel(pose.index), ...[pose.count, pose.probability, pose.low, pose.high, pose.quasiStatic, pose.height, pose.margin, pose.barrier, ...pose.normal, ...pose.turn].map(cell), poseLabel(pose.same)].join());
  return `${[columns.join(), ...rows].join('\n')}\n`;
}

export class PoseTable {
  constructor(data, colours) {
    this.colours = colours;
    const heads = [['Pose', ''], ['Probability', ''], ['95 % interval', ''], ['Drops', ''], ['Quasi-static', 'If it came down infinitely slowly'], ['Height', 'Of the centre of mass above the floor'],
      ['Margin', 'From the foot of the centre of mass to the nearest edge of the face'], ['Barrier', 'How far the centre of mass must be lifted to leave'], ['Normal', 'What points down, in the axes of the body'], ['Same as', 'The first pose that is this one for a rotation of the part']];
    this.chips = [];
    const rows = data.order.slice(0, mostRows).map((pose) => {
      const chip = el('span', { class: 'pose-chip', text: poseLabel(pose.index) });
      this.chips.push([chip, pose.index]);
      const texts = [percent(pose.probability), pose.low === null ? '\u2013' : `${percent(pose.low, false)} \u2013 ${percent(pose.high)}`, count(pose.count), percent(pose.quasiStatic), millimetres(pose.height),
        millimetres(pose.margin), pose.barrier === null ? 'cannot leave' : millimetres(pose.barrier), direction(pose.normal), pose.same === pose.index ? '' : `pose ${poseLabel(pose.same)}`];
      return el('tr', {}, el('th', { scope: 'row' }, chip), ...texts.map((text) => el('td', { text })));
    });
    const left = data.order.length - rows.length, extra = data.drops.unresolved + data.drops.failed;
    const foot = extra > 0 ? el('tfoot', {}, el('tr', {}, el('th', { scope: 'row', text: 'none' }), el('td', { text: percent(extra / data.drops.count) }), el('td', {}), el('td', { text: count(extra) }), el('td', { colspan: 6, text: 'no certain pose within the bound on work' }))) : null;
    this.element = el('section', { id: 'table', 'aria-labelledby': 'table-title' },
      el('div', { class: 'head' }, el('h2', { id: 'table-title', text: 'All poses' }),
        el('button', { type: 'button', class: 'tool', text: 'Download as CSV', onclick: () => download(`${fileName(data.title)}_poses.csv`, new Blob([csv(data)], { type: 'text/csv' })) })),
      el('div', { class: 'card scroll', tabindex: 0, role: 'group', 'aria-label': 'All poses' },
        el('table', {}, el('thead', {}, el('tr', {}, ...heads.map(([text, title]) => el('th', { scope: 'col', text, title: title || undefined })))), el('tbody', {}, ...rows), foot)),
      left > 0 ? el('p', { class: 'soft more', text: `${count(left)} more poses are in the CSV file.` }) : null);
    this.paint();
  }

  paint() { for (const [chip, row] of this.chips) this.colours.fill(chip, row); }
}
