// The head of the page: the part's name, the answer in words, and under what conditions and with what doubts it was found.
//
// SPDX-License-Identifier: MIT
import { el, iconButton } from '../dom.js';
import { brief, number } from '../units.js';
import { conditions, count, headline, millimetres, poseCount, remarks } from './words.js';

const links = [['#poses', 'Poses'], ['#starts', 'Starts'], ['#replays', 'Examples'], ['#table', 'Table']];

export function topBar(data, theme) {
  return el('header', { id: 'top' }, el('span', { class: 'brand', text: 'Impel' }), el('span', { class: 'soft kind', text: 'drop test' }), el('span', { class: 'gap' }),
    el('nav', { 'aria-label': 'Parts of the page' }, ...links.map(([href, text]) => el('a', { href, text }))),
    iconButton('theme', 'Light or dark (X)', () => theme.toggle()));
}

const tile = (value, name, hint) => el('div', { class: 'tile', title: hint }, el('b', { text: value }), el('span', { text: name }));

function tiles({ drops, order }) {
  const top = order[0], poses = poseCount(order), unsure = drops.unresolved + drops.failed + drops.left, rate = drops.wall > 0 ? drops.count / drops.wall : null;
  return el('div', { class: 'tiles' }, tile(count(drops.count), drops.count === 1 ? 'drop' : 'drops'), tile(count(poses), poses === 1 ? 'stable pose' : 'stable poses'),
    top && top.low !== null ? tile(`\u00b1${number(50 * (top.high - top.low), 2)}\u202f%`, 'on the first, 95 %', 'Half the 95 % interval of the most probable card (Wilson)') : null,
    tile(count(unsure), 'without a certain pose', `${count(drops.unresolved)} unresolved, ${count(drops.failed)} failed, ${count(drops.left)} left the surface`),
    rate === null ? null : tile(rate >= 1e6 ? `${number(rate / 1e6, 3)} M` : rate >= 1e4 ? `${number(rate / 1e3, 3)} k` : count(Math.round(rate)), 'drops per second', `${number(drops.wall, 3)} s in all`));
}

/** The sizes of the part. */
function ofPart({ part }) {
  const rows = [];
  if (Number.isFinite(part.mass)) rows.push(['Mass', part.mass < 1 ? `${number(1000 * part.mass, 4)} g` : `${number(part.mass, 4)} kg`]);
  if (Array.isArray(part.low) && Array.isArray(part.high)) rows.push(['Size', part.high.map((x, k) => millimetres(x - part.low[k]).replace(/\s?mm$/, '')).join(' \u00d7 ') + '\u202fmm']);
  if (part.corners) rows.push(['Hull', `${count(part.corners)} corners, ${count(part.faces)} faces`]);
  return rows;
}

export function hero(data) {
  const rows = [...ofPart(data), ...conditions(data)], { doubts, notes } = remarks(data), warnings = [...doubts, ...data.warnings];
  return el('section', { class: 'hero', 'aria-label': 'Result' }, el('h1', { text: brief(data.title, 200), title: data.title.length > 200 ? brief(data.title, 400) : undefined }),
    el('p', { class: 'headline', text: headline(data) }), ...notes.map((text) => el('p', { class: 'soft note-line', text })), tiles(data),
    el('dl', { class: 'conditions' }, ...rows.map(([name, value]) => el('div', {}, el('dt', { text: name }), el('dd', { text: brief(value, 80) })))),
    warnings.length ? el('ul', { class: 'doubts', 'aria-label': 'Warnings' }, ...warnings.map((text) => el('li', { text: brief(text, 400) }))) : null);
}

export function foot(data) {
  return el('footer', { class: 'foot' }, ...data.thinned.map((text) => el('p', { text: brief(text, 400) })),
    el('p', { text: [data.program, data.drops.hash ? `hash of the outcomes ${brief(data.drops.hash, 32)}` : ''].filter(Boolean).join(' \u00b7 ') }));
}
