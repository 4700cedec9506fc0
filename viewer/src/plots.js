// All plots: the series of the runs by group, the coordinates of the picked body, and how far its paths in two runs differ.
//
// SPDX-License-Identifier: MIT
import uPlot from 'uplot';
import { el } from './dom.js';
import { PlotCard } from './plotcard.js';
import { bodyState, frameAt, knotTimes } from './track.js';
import { brief } from './units.js';

const quantities = {
  position: { unit: 'm', names: ['x', 'y', 'z'], at: 0 },
  velocity: { unit: 'm/s', names: ['v_x', 'v_y', 'v_z'], at: 7 },
  'angular velocity': { unit: 'rad/s', names: ['\u03c9_x', '\u03c9_y', '\u03c9_z'], at: 10 },
  orientation: { unit: '', names: ['q_w', 'q_x', 'q_y', 'q_z'], at: 3 },
};
const state = new Float64Array(13), other = new Float64Array(13);
const capital = (text) => text.charAt(0).toUpperCase() + text.slice(1);

/** Tables of the same lines in several runs, on one axis of time. */
function joined(tables, title) {
  const lines = tables.flatMap((one) => one.lines);
  if (tables.length === 1) return { title, x: tables[0].x, lines };
  const all = uPlot.join(tables.map((one) => [one.x, ...one.lines.map((line) => Array.from(line.values))]));
  return { title, x: all[0], lines: lines.map((line, i) => ({ ...line, values: all[i + 1] })) };
}

export class Plots {
  constructor(app) {
    this.app = app;
    this.height = 168;
    this.cards = [];
    this.zoom = null;
    this.element = el('div', { class: 'plots' });
    if (app.runs.length > 1) this.element.append(this.key());
    this.makeGroups();
    this.body = this.makeBody();
    const none = app.runs.every((run) => run.series.length === 0);
    if (none) this.element.append(el('p', { class: 'soft hint', text: 'No series were recorded in this run. Pick a body to see its coordinates over time.' }));
    this.hint = el('p', { class: 'soft hint', text: 'Click to go to a time, drag to zoom, double click to see all. Drag the line of the clock to move it.' });
    this.element.append(this.hint);
    new ResizeObserver(() => { this.shown = this.visible(); this.fill(); }).observe(this.element);
    app.on('time', () => { if (this.shown) for (const card of this.cards) card.show(); });
    app.on('tick', () => { if (this.visible()) for (const card of this.cards) card.showValues(); });
    app.on('pick', () => this.showBody());
    app.on('theme', () => this.fill(true));
    this.showBody();
  }

  label(run) { return this.app.runs.length > 1 ? brief(run.label, 30) : null; }

  /** Which dash is which run. */
  key() {
    return el('div', { class: 'run-key' }, ...this.app.runs.map((run) => el('span', {}, el('span', { class: 'stroke', 'data-run': run.index }), el('span', { class: 'name', text: brief(run.label, 40) }))));
  }

  visible() { return this.element.offsetParent !== null; }

  /** One card for each group of series, in the order in which they come. */
  makeGroups() {
    const groups = new Map();
    for (const run of this.app.runs)
      run.series.forEach((series, column) => {
        const group = String(series.group ?? 'other');
        if (!groups.has(group)) groups.set(group, new Map());
        const tables = groups.get(group);
        if (!tables.has(run)) tables.set(run, { x: run.time, lines: [] });
        const { lines } = tables.get(run), name = String(series.name ?? ''), first = [...tables.values()][0].lines.findIndex((line) => line.name === name);
        lines.push({ name, label: this.label(run), unit: series.unit, about: series.about, run: run.index,
          hue: first >= 0 ? first : lines.length, values: run.columns.subarray(column * run.frames, (column + 1) * run.frames) });
      });
    for (const [group, tables] of groups) this.add(group, joined([...tables.values()], capital(group)));
  }

  add(group, data, tools) {
    const card = new PlotCard(this.app, this, data, tools);
    card.group = group;
    this.cards.push(card);
    this.element.append(card.element);
    return card;
  }

  makeBody() {
    const select = el('select', { 'aria-label': 'Quantity', onchange: () => this.showBody() }, ...Object.keys(quantities).map((name) => el('option', { value: name, text: name })));
    if (this.app.runs.length > 1) select.append(el('option', { value: 'difference', text: 'difference of paths' }));
    const pair = this.app.runs.length > 2 ? el('select', { 'aria-label': 'Runs to compare', onchange: () => this.showBody() },
      ...this.app.runs.slice(1).map((run) => el('option', { value: run.index, text: brief(`${this.app.runs[0].label} and ${run.label}`, 40) }))) : null;
    return { select, pair, card: null };
  }

  /** The picked body's quantity over time. */
  showBody() {
    const { select, pair } = this.body, name = this.app.picked;
    if (name === null) { if (this.body.card) this.body.card.element.hidden = true; return; }
    if (pair) pair.hidden = select.value !== 'difference';
    const data = select.value === 'difference' ? this.difference(name, Number(pair?.value ?? 1)) : this.coordinates(name, select.value);
    if (!data) { if (this.body.card) this.body.card.element.hidden = true; return; }
    if (!this.body.card) {
      this.body.card = this.add('body', data, [select, ...(pair ? [pair] : [])]);
      (this.element.querySelector('.run-key') ?? this.element).insertAdjacentElement(this.app.runs.length > 1 ? 'afterend' : 'afterbegin', this.body.card.element);
    } else this.body.card.setData(data);
    this.body.card.element.hidden = false;
    this.body.card.make();
    this.body.card.showValues();
  }

  coordinates(name, what) {
    const { unit, names, at } = quantities[what], tables = [];
    for (const run of this.app.runs) {
      const body = run.byName.get(name);
      if (!body) continue;
      const x = knotTimes(run, body), values = names.map(() => new Float64Array(x.length));
      x.forEach((t, i) => { bodyState(state, run, body, t); names.forEach((_, k) => { values[k][i] = state[at + k]; }); });
      tables.push({ x, lines: names.map((one, k) => ({ name: one, label: this.label(run), unit, run: run.index, hue: k, values: values[k] })) });
    }
    return tables.length ? joined(tables, brief(name, 40)) : null;
  }

  /** How far the body is from itself in another run. */
  difference(name, index) {
    const [a, b] = [this.app.runs[0], this.app.runs[index]], one = a.byName.get(name), two = b.byName.get(name);
    if (!one || !two) return null;
    const end = Math.min(a.time[a.frames - 1], b.time[b.frames - 1]), x = knotTimes(a, one).filter((t) => t <= end);
    const values = [0, 1, 2, 3].map(() => new Float64Array(x.length));
    x.forEach((t, i) => {
      bodyState(state, a, one, t, frameAt(a, t));
      bodyState(other, b, two, t, frameAt(b, t));
      const d = [0, 1, 2].map((k) => state[k] - other[k]);
      values[0][i] = Math.hypot(...d);
      d.forEach((value, k) => { values[k + 1][i] = value; });
    });
    const about = `${brief(a.label, 40)} minus ${brief(b.label, 40)}`;
    return { title: brief(name, 40), x, lines: ['|\u0394|', '\u0394x', '\u0394y', '\u0394z'].map((label, k) => ({ name: label, unit: 'm', about, values: values[k], hue: k })) };
  }

  /** Makes the plots anew, when the room or the colours have changed. */
  fill(always = false) {
    if (!this.visible()) return;
    for (const card of this.cards) {
      const wide = card.holder.clientWidth;
      if (!card.chart || always) card.make();
      else if (Math.abs(card.chart.width - wide) > 1 && wide > 60) card.chart.setSize({ width: wide, height: this.height });
      card.show();
      card.showValues();
    }
  }

  range() { const { start, end } = this.app.clock; return this.zoom ?? { min: start, max: end > start ? end : start + 1 }; }

  /** One plot was zoomed: the others follow. */
  zoomed(from, min, max) {
    if (this.zooming || min === null || min === undefined) return;
    this.zooming = true;
    const all = this.range.call({ app: this.app, zoom: null });
    this.zoom = min > all.min || max < all.max ? { min, max } : null;
    for (const card of this.cards) {
      if (card !== from) card.chart?.setScale('x', { min, max });
      requestAnimationFrame(() => card.show());
    }
    this.zooming = false;
  }

  zoomAround(time, factor) {
    const { min, max } = this.range(), all = this.range.call({ app: this.app, zoom: null });
    const low = Math.max(all.min, time - (time - min) * factor), high = Math.min(all.max, time + (max - time) * factor);
    if (high > low) this.setRange(low, high);
  }

  setRange(min, max) { for (const card of this.cards) if (card.chart) { card.chart.setScale('x', { min, max }); return; } }
  reset() { this.zoom = null; const { min, max } = this.range(); this.setRange(min, max); }

  /** Time at the line of the clock in the plot of a group. */
  cursor(group) { return (group === undefined ? this.cards[0] : this.cards.find((card) => card.group === group))?.shownTime(); }
}
