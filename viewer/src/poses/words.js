// What the page of a drop test says in words and figures.
//
// SPDX-License-Identifier: MIT
import { number } from '../units.js';

export const thin = '\u202f', minus = (text) => String(text).replaceAll('-', '\u2212');

const outcomes = { '-1': 'unresolved', '-2': 'failed', '-3': 'left the surface' };
const capital = (text) => text[0].toUpperCase() + text.slice(1);

/** How the end of a drop is called: a card by its number, or why there is none. */
export function endName(data, index) {
  const card = data.cards[index];
  return card ? cardName(card) : outcomes[index];
}

/** One pose of a card. */
export const cardName = (card) => (card.members.length === 1 ? `pose ${card.id}` : `a pose like ${card.id}`);

/** All of a card, as a heading; also of drops that ended in no pose. */
export function cardTitle(data, index) {
  const card = data.cards[index];
  if (!card) return capital(outcomes[index]);
  return card.members.length === 1 ? `Pose ${card.id}` : `Poses like ${card.id}`;
}

/** What is on a card, in full. */
export function membership({ members, families }) {
  const n = count(members.length);
  if (members.length === 1) return 'one pose';
  if (families === 1) return `${n} poses, one family`;
  return families === members.length ? `${n} poses, same by rotation` : `${n} poses in ${count(families)} families, same by rotation`;
}

/** The same for a cell of the table. */
export function membershipCell({ members, families }) {
  const n = count(members.length);
  if (members.length === 1) return n;
  if (families === 1) return `${n}, one family`;
  return families === members.length ? `${n} by rotation` : `${n} in ${count(families)} families`;
}

export const poseCount = (cards) => cards.reduce((sum, card) => sum + card.members.length, 0);

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

/** Things in a row: "1, 2 or 5". */
const row = (all, last) => (all.length < 2 ? all.join('') : `${all.slice(0, -1).join(', ')} ${last} ${all.at(-1)}`);

/** Drops that ended in no pose: { code, count, text }, those there are. */
export function without({ drops }) {
  const unresolved = drops.settled ? 'did not come to rest in time' : `${drops.unresolved === 1 ? 'is' : 'are'} unresolved`;
  return [[-1, drops.unresolved, unresolved], [-2, drops.failed, 'failed'], [-3, drops.left, 'left the surface']]
    .filter(([, n]) => n > 0).map(([code, n, text]) => ({ code, count: n, text }));
}

/** In which of its poses a card says that the part rests. */
function where({ id, members, families }) {
  if (members.length === 1) return `pose ${id}`;
  if (members.length > 4) return `one of ${count(members.length)} poses like pose ${id}`;
  return `pose ${row(members.map((one) => one.row), 'or')}, ${families === 1 ? 'one family' : 'the same by rotation'},`;
}

/** The answer, in one sentence. */
export function headline(data) {
  const { drops, order } = data, top = order[0], n = poseCount(order);
  if (!top) return 'This part has no pose in which it stays.';
  if (!(drops.count > 0)) return `There were no drops. The part has ${count(n)} stable ${n === 1 ? 'pose' : 'poses'}.`;
  const others = without(data).map((one) => `${count(one.count)} ${one.text}`), end = `${others.length ? `; ${row(others, 'and')}` : ''}.`;
  if (top.count === 0) return `None of ${count(drops.count)} drops ended in a certain pose${end}`;
  return `Comes to rest in ${where(top)} in ${percent(top.probability)} of ${count(drops.count)} drops${end}`;
}

/** What is to be known of the drops besides: { doubts, notes }. */
export function remarks({ cards, drops }) {
  const doubts = [], notes = [], all = count(drops.count);
  if (drops.interrupted) doubts.push(drops.count > 0 ? `The run was interrupted: the figures are of the ${all} drops that it had made.` : 'The run was interrupted before any drop was made.');
  if (drops.rolled > 0) {
    const [were, their, they] = drops.rolled === 1 ? ['drop was', 'its', 'it'] : ['drops were', 'their', 'they'], families = cards.some((card) => card.members.length > card.families);
    const moving = families ? `still rolling within ${their} family when it was certain that ${they} would not leave it` : `still moving when it was certain that ${they} would not leave ${their} pose`;
    notes.push(`${count(drops.rolled)} ${were} ${moving}: ${percent(drops.rolled / drops.count)} of all.`);
  }
  return { doubts, notes };
}

/** Why poses share a card, or null where each has its own. */
export function sharing({ cards, drops }) {
  const joined = cards.some((card) => card.members.length > card.families), same = cards.some((card) => card.families > 1), said = [];
  if (joined) said.push(`Poses are one family where no pass between them is higher above the lowest of them than ${drops.join === null ? 'a part' : `${number(100 * drops.join, 3)}${thin}%`} of its height: the part rolls from one to the next.`);
  if (joined && same) said.push('A card has a family, or families that are the same by rotation.');
  else if (same) said.push('Poses that are the same by rotation share a card.');
  return said.length ? said.join(' ') : null;
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

/** What became of an example: { verdict, text }; the verdict is "agrees", "differs", or "open" where one of the two ends in no pose. Two poses of one card are the same end. */
export function outcome(example, data) {
  const { certified, rest, impacts } = example, trial = `Trial ${count(example.trial)}`;
  const engine = { '-1': 'is not at rest when its run ends', '-2': 'fails', '-3': 'sees it leave the surface' }[rest] ?? `ends in ${endName(data, rest)}`;
  if (data.drops.settled) return { verdict: 'agrees', text: `${trial}: the general engine ${engine}.` };
  const after = impacts === null ? '' : ` after ${count(impacts)} ${impacts === 1 ? 'impact' : 'impacts'}`;
  const sure = { '-1': `the drop test left it unresolved${after}`, '-2': `the drop test failed${after}`, '-3': `the part left the surface${after}` }[certified] ?? `the drop test is certain of ${endName(data, certified)}${after}`;
  const verdict = certified < 0 || rest < 0 ? 'open' : certified === rest ? 'agrees' : 'differs';
  return { verdict, text: `${trial}: ${sure}; the general engine ${engine}${verdict === 'agrees' ? ', too' : ''}.` };
}

/** How often the two agreed in what was made again for the page. */
export function agreement({ tried, agreed, drops }) {
  if (drops.settled || !(tried > 0)) return '';
  return ` Single drops are chaotic, so the two may disagree; of ${count(tried)} made again for this page ${agreed === tried ? 'all' : agreed === 0 ? 'none' : count(agreed)} ended as the drop test said.`;
}
