// The tab of bodies: a list that can be searched, and all about the picked one.
//
// SPDX-License-Identifier: MIT
import { contactsAt, contactOf, isOf } from './contacts.js';
import { el, facts, icon, table } from './dom.js';
import { bodyColour, modes } from './materials.js';
import { length } from './maths.js';
import { motionAt } from './motion.js';
import { brief, number, steady } from './units.js';

const most = 200;

export class BodyPanel {
  constructor(app) {
    this.app = app;
    this.search = el('input', { type: 'search', class: 'search', placeholder: 'Find a body (/)', 'aria-label': 'Find a body', oninput: () => this.list(), onkeydown: (event) => this.key(event) });
    this.names = el('ul', { class: 'names', 'aria-label': 'Bodies' });
    this.names.addEventListener('keydown', (event) => this.walk(event));
    this.more = el('p', { class: 'soft' });
    this.details = el('div', { class: 'details' });
    this.element = el('div', { class: 'bodies' }, this.search, this.names, this.more, this.details);
    this.bodies = this.unique();
    app.on('pick', () => { this.list(); this.describe(); this.show(); });
    app.on('options trails', () => this.showTools());
    app.on('tick', () => this.show());
    app.on('theme', () => this.list());
    this.list();
    this.describe();
  }

  /** Bodies of all runs, each name once, those that move first. */
  unique() {
    const all = new Map();
    for (const run of this.app.runs) for (const body of run.bodies) if (body.pieces.length || body.index > 0) if (!all.has(body.name)) all.set(body.name, { run, body });
    const rank = { dynamic: 0, kinematic: 1, fixed: 2 };
    return [...all.values()].sort((a, b) => (rank[a.body.role] ?? 3) - (rank[b.body.role] ?? 3));
  }

  found() {
    const text = this.search.value.trim().toLowerCase();
    return this.bodies.filter(({ body }) => !text || body.name.toLowerCase().includes(text) || body.role === text);
  }

  list() {
    const found = this.found();
    this.names.replaceChildren(...found.slice(0, most).map(({ run, body }) => {
      const swatch = el('span', { class: 'swatch' }), colour = bodyColour(run, body, this.app.theme);
      swatch.style.background = typeof colour === 'string' ? colour : `#${colour.getHexString()}`;
      return el('li', {}, el('button', { type: 'button', class: 'name-row', 'aria-pressed': body.name === this.app.picked, title: brief(body.name, 300), onclick: () => this.app.pick(body.name === this.app.picked ? null : body.name) },
        swatch, el('span', { class: 'name', text: brief(body.name, 120) }), el('span', { class: 'soft', text: body.role === 'dynamic' ? '' : String(body.role) })));
    }));
    this.more.textContent = found.length === 0 ? (this.bodies.length ? 'No body has such a name.' : 'There are no bodies in this run.') : found.length > most ? `and ${found.length - most} more: type to find them` : '';
  }

  key(event) {
    if (event.key === 'Enter') { const first = this.found()[0]; if (first) this.app.pick(first.body.name); }
    if (event.key === 'ArrowDown') { this.names.querySelector('button')?.focus(); event.preventDefault(); }
    if (event.key === 'Escape') { this.search.value = ''; this.list(); this.search.blur(); }
    event.stopPropagation();
  }

  walk(event) {
    const way = { ArrowDown: 'nextElementSibling', ArrowUp: 'previousElementSibling' }[event.key];
    if (!way) return;
    const to = document.activeElement.closest('li')?.[way]?.querySelector('button') ?? (event.key === 'ArrowUp' ? this.search : null);
    to?.focus();
    event.preventDefault();
    event.stopPropagation();
  }

  /** The run that the details are of: the first that has the body. */
  run() { return this.app.runs.find((run) => run.byName.has(this.app.picked)); }

  describe() {
    const run = this.run(), body = run?.byName.get(this.app.picked);
    this.live = null;
    this.element.dataset.picked = Boolean(body);
    if (!body) { this.details.replaceChildren(el('p', { class: 'soft', text: 'Click a body, or choose one here, to see its motion, mass and contacts.' })); return; }
    this.follow = el('button', { type: 'button', class: 'tool', onclick: () => this.app.set('follow', !this.app.options.follow) }, icon('follow'), 'Follow');
    this.trail = el('button', { type: 'button', class: 'tool', onclick: () => this.app.toggleTrail(body.name) }, icon('trail'), 'Trail');
    this.point = this.app.pickedPoint ? el('button', { type: 'button', class: 'tool', title: 'Trail of the point that was clicked', onclick: () => this.app.toggleTrail(body.name, this.app.pickedPoint) }, icon('trail'), 'Trail of this point') : null;
    this.live = this.app.runs.filter((one) => one.byName.has(body.name)).map((one) => ({ run: one, body: one.byName.get(body.name), box: el('div', { class: 'live' }) }));
    this.contacts = el('div', {});
    this.details.replaceChildren(el('h3', { class: 'long', text: brief(body.name, 400) }), el('div', { class: 'tools' }, this.follow, this.trail, this.point, el('button', { type: 'button', class: 'tool', onclick: () => this.app.pick(null) }, icon('close'), 'Let go')),
      ...this.live.map((one) => one.box), el('h4', { text: 'Contacts now' }), this.contacts, el('h4', { text: 'Body' }), this.constants(run, body));
    this.showTools();
  }

  constants(run, body) {
    const kinds = [...new Set(body.pieces.map((piece) => `${run.shapes[piece.shape].kind}`))].join(', ');
    const inertia = Array.isArray(body.inertia) && body.inertia.length === 9 && body.role === 'dynamic' ? [0, 3, 6].map((k) => body.inertia.slice(k, k + 3).map((x) => number(x, 4))) : null;
    const free = body.role === 'dynamic';
    return el('div', {}, facts([['role', body.role], ['mass', free ? `${number(body.mass)} kg` : null], ['centre of mass', free ? `${body.center.map((x) => number(x, 4)).join(', ')} m` : null, 'in the body\u2019s frame'],
      ['material', brief(run.materials[body.material] ?? '', 200)], ['shape', kinds], ['pieces', body.pieces.length > 1 ? String(body.pieces.length) : null], ['size', body.size ? `${number(body.size, 4)} m` : null, 'diagonal of its box']]),
    inertia ? el('h4', { text: 'Inertia about the centre of mass, kg m\u00b2' }) : null, inertia ? table(['', '', ''], inertia, 'Inertia') : null);
  }

  showTools() {
    if (!this.live) return;
    this.follow.setAttribute('aria-pressed', this.app.options.follow);
    this.trail.setAttribute('aria-pressed', this.app.trails.some((trail) => trail.name === this.app.picked));
  }

  show() {
    if (!this.live || this.element.offsetParent === null) return;
    for (const { run, body, box } of this.live) box.replaceChildren(this.app.runs.length > 1 ? el('h4', { text: brief(run.label, 60) }) : '', this.motion(run, body));
    this.showContacts();
  }

  motion(run, body) {
    const { state, velocity, spin } = motionAt(run, body, this.app.clock.time);
    const row = (name, unit, values, size, total) => [name, ...values.map((x) => steady(x, size)), total === undefined ? '' : steady(total, size), unit];
    const size = Math.max(...run.box.high.map((x, k) => Math.max(Math.abs(x), Math.abs(run.box.low[k]))));
    const rows = [row('r', 'm', [...state.subarray(0, 3)], size), row('v', 'm/s', velocity, 1, length(velocity)), row('\u03c9', 'rad/s', spin, 1, length(spin))];
    const q = [...state.subarray(3, 7)].map((x) => steady(x, 1));
    const grid = table(['', 'x', 'y', 'z', 'size', ''], rows, 'Motion');
    grid.classList.add('motion');
    return el('div', {}, grid, facts([['quaternion', q.join('  '), 'w, x, y, z'], ...(body.role === 'dynamic' && body.mass > 0 ? [['kinetic energy', `${number(0.5 * body.mass * length(velocity) ** 2, 4)} J of translation`]] : [])]));
  }

  showContacts() {
    const { run, body } = this.live[0];
    const rows = contactsAt(run, this.app.clock.time, this.app.clock).filter((row) => isOf(run, row, body.index)).slice(0, 40).map((row) => contactOf(run, row, body));
    this.contacts.replaceChildren(rows.length ? contactTable(rows, this.app) : el('p', { class: 'soft', text: 'none' }));
  }
}

/** Contacts as a table; the first body is the one the impulse acts on. */
export function contactTable(rows, app) {
  const cell = (c) => {
    const unit = c.kind ? 'N' : 'N\u202fs', share = c.coefficient > 0 && Math.abs(c.pressing) > 0 ? c.along / (c.coefficient * Math.abs(c.pressing)) : NaN;
    const jump = el('button', { type: 'button', class: 'link', text: `${c.time.toPrecision(6)} s`, title: 'Go there', onclick: () => { app.clock.pause(); app.clock.seek(c.time); } });
    const pair = el('button', { type: 'button', class: 'link pair', text: `${brief(c.a.name, 24)} on ${brief(c.b.name, 24)}`, title: 'Pick the first', onclick: () => app.pick(c.a.name) });
    const mode = el('span', { class: 'mode' }, el('span', { class: `dot ${modes[c.mode].key}` }), modes[c.mode].name);
    return [pair, mode, `${number(c.pressing, 3)} ${unit}`, `${number(c.along, 3)} ${unit}`, Number.isFinite(share) ? `${(100 * share).toFixed(0)}\u202f%` : '\u2013', c.kind ? 'mean' : jump];
  };
  return table(['bodies', 'mode', 'normal', 'friction', 'of limit', 'when'], rows.map(cell), 'Contacts');
}
