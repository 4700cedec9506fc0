// What the page of a drop test says in words and figures.
//
// SPDX-License-Identifier: MIT
import { number } from '../units.js';

export const thin = '\u202f', minus = (text) => String(text).replaceAll('-', '\u2212');

/** How a pose, by its row, is called. */
export const poseName = (row) => (row === -1 ? 'no certain pose' : row < 0 ? 'no pose, a number overflowed' : `pose ${row}`);
export const poseLabel = (row) => (row < 0 ? '\u2013' : String(row));

export const count = (n) => (Number.isFinite(n) ? n.toLocaleString('en-US') : '\u2013');

/** A share in percent: one digit after the point, more where it is small. */
export function percent(p, unit = true) {
  if (p === null || !Number.isFinite(p)) return '\u2013';
  if (p >= 0.9995) return p === 1 ? `100${unit ? `${thin}%` : ''}` : `${(100 * p).toFixed(2)}${unit ? `${thin}%` : ''}`;
  const x = 100 * p, text = x === 0 || x >= 1 ? x.toFixed(x > 0 && x < 9.95 ? 2 : 1) : x >= 0.01 ? x.toFixed(3) : Number(x.toPrecision(2)).toString();
  return (x === 0 ? '0' : text) + (unit ? `${thin}%` : '');
}

export function millimetres(metres) {
  if (metres === null) return '\u2013';
  const x = 1000 * metres, size = Math.abs(x);
  return `${minus(x === 0 ? '0' : size >= 100 ? x.toFixed(0) : size >= 10 ? x.toFixed(1) : size >= 0.1 ? x.toFixed(2) : Number(x.toPrecision(2)))}${thin}mm`;
}

export const direction = (v) => `(${v.map((x) => minus((Math.abs(x) < 5e-4 ? 0 : x).toFixed(3))).join(', ')})`;

/** Numbers in a row: "1, 2 or 5". */
function names(rows, last) {
  const all = rows.map(poseLabel);
  return all.length < 2 ? all.join('') : `${all.slice(0, -1).join(', ')} ${last} ${all.at(-1)}`;
}

/** Poses that are one for a rotation of the part, most probable first: { rows, count }. */
function classes(data) {
  const found = new Map();
  for (const pose of data.poses) {
    if (!found.has(pose.same)) found.set(pose.same, { rows: [], count: 0 });
    const one = found.get(pose.same);
    one.rows.push(pose.index);
    one.count += pose.count;
  }
  return [...found.values()].sort((a, b) => b.count - a.count);
}

/** The answer, in one sentence. */
export function headline(data) {
  const { drops, order } = data, top = order[0];
  if (!top) return 'This part has no pose in which it stays.';
  if (!(drops.count > 0)) return `There were no drops. The part has ${order.length} stable ${order.length === 1 ? 'pose' : 'poses'}.`;
  const best = classes(data)[0];
  if (best.rows.length === 1 || best.count === top.count) return `Comes to rest in ${poseName(top.index)} in ${percent(top.probability)} of ${count(drops.count)} drops.`;
  const which = best.rows.length <= 4 ? `pose ${names(best.rows, 'or')}` : `one of ${best.rows.length} poses`;
  return `Comes to rest in ${which}, the same by rotation, in ${percent(best.count / drops.count)} of ${count(drops.count)} drops.`;
}

const some = (v) => Array.isArray(v) && v.some((x) => x !== 0);

/** How the part was let go, and on what. */
export function conditions({ drops }) {
  const mu = drops.friction_static && drops.friction_static !== drops.friction_dynamic ? `${number(drops.friction_static, 4)} static, ${number(drops.friction_dynamic, 4)} dynamic` : number(drops.friction_dynamic, 4);
  const rows = [['Law', { poisson: 'Poisson', stronge: 'Stronge', newton: 'Newton' }[drops.law] ?? drops.law], ['Friction', mu], ['Restitution', number(drops.restitution, 4)],
    ['Height', millimetres(drops.height)], ['Gravity', `${number(drops.gravity, 4)} m/s\u00b2`], ['Seed', String(drops.seed)]];
  if (some(drops.velocity)) rows.push(['Velocity', `(${drops.velocity.map((x) => number(x, 3)).join(', ')}) m/s`]);
  if (drops.velocity_random > 0) rows.push(['Random velocity', `up to ${number(drops.velocity_random, 3)} m/s`]);
  if (some(drops.spin)) rows.push(['Spin', `(${drops.spin.map((x) => number(x, 3)).join(', ')}) rad/s`]);
  if (drops.spin_random > 0) rows.push(['Random spin', `up to ${number(drops.spin_random, 3)} rad/s`]);
  if (drops.drag > 0) rows.push(['Drag', `${number(drops.drag, 3)} /s`]);
  rows.push(['Start', drops.turns > 0 ? `${count(drops.turns)} given orientations` : 'any orientation alike'], ['Engine', drops.settled ? 'general, to rest' : drops.fine ? 'drops, fine' : 'drops']);
  return rows;
}

/** Why the sphere of starts does not tell all, or null. */
export function doubt({ drops }) {
  const random = drops.velocity_random > 0 || drops.spin_random > 0, moving = some(drops.velocity) || some(drops.spin);
  if (random) return 'These drops begin with a random velocity or spin as well: drops that begin at one point of the sphere can end in different poses.';
  if (moving) return 'These drops begin with a velocity or spin: the direction of the part about the vertical matters too, and is not seen here.';
  return null;
}

/** What became of an example: { agrees, text }. */
export function outcome(example, data) {
  const { certified, rest, impacts } = example, trial = `Trial ${count(example.trial)}`, engine = rest >= 0 ? `ends in ${poseName(rest)}` : 'comes to no certain rest';
  if (data.drops.settled) return { agrees: true, text: `${trial} ${engine}.` };
  const after = impacts === null ? '' : ` after ${count(impacts)} ${impacts === 1 ? 'impact' : 'impacts'}`;
  const sure = certified >= 0 ? `the drop test is certain of ${poseName(certified)}${after}` : `the drop test found ${poseName(certified)}${after}`;
  const twins = certified !== rest && certified >= 0 && rest >= 0 && data.poses[certified]?.same === data.poses[rest]?.same;
  return { agrees: certified === rest, text: `${trial}: ${sure}; the general engine ${engine}${certified === rest ? ', too' : twins ? ', which is the same by rotation' : ''}.` };
}

/** How often the two agreed in what was made again for the page. */
export function agreement({ tried, agreed, drops }) {
  if (drops.settled || !(tried > 0)) return '';
  return ` Single drops are chaotic, so the two may disagree; of ${count(tried)} made again for this page ${agreed === tried ? 'all' : count(agreed)} ended as the drop test said.`;
}
