// One plot with its legend: follows the clock, seeks when clicked, zooms when dragged, and can be saved as CSV or PNG.
//
// SPDX-License-Identifier: MIT
import uPlot from 'uplot';
import { download, el, fileName } from './dom.js';
import { lastAtMost } from './maths.js';
import { brief, number } from './units.js';

const hues = ['#4a7fc1', '#dd8347', '#4f9d69', '#c2566a', '#8873c4', '#c6a13a', '#3f9aa3', '#b06a97', '#7f8f45', '#98745a'];
const dashes = [[], [6, 4], [2, 3], [8, 3, 2, 3], [14, 4], [6, 3, 2, 3, 2, 3]];

/** data: { title, x, lines: [{ name, unit, about, values, run }] }, values as long as x, NaN or null where there is nothing. */
export class PlotCard {
  constructor(app, plots, data, tools = []) {
    this.app = app;
    this.plots = plots;
    this.hidden = new Set();
    this.title = el('h3', {});
    this.legend = el('div', { class: 'plot-legend' });
    this.holder = el('div', { class: 'plot', tabindex: 0, role: 'img', onkeydown: (event) => this.key(event) });
    const save = (text, label, act) => el('button', { type: 'button', class: 'small', text, title: label, 'aria-label': label, onclick: act });
    this.element = el('section', { class: 'plot-card' }, el('header', {}, this.title, ...tools, el('span', { class: 'gap' }),
      save('CSV', 'Save as CSV', () => this.saveCsv()), save('PNG', 'Save as PNG', () => this.savePng())), this.holder, this.legend);
    this.line = el('div', { class: 'now' });
    this.setData(data);
  }

  setData(data) {
    this.data = data;
    this.title.textContent = brief(data.title, 80);
    this.title.title = brief(data.title, 400);
    this.holder.setAttribute('aria-label', `Plot: ${brief(data.title, 80)}`);
    this.units = [...new Set(data.lines.map((line) => line.unit ?? ''))];
    this.columns = [data.x, ...data.lines.map((line) => Array.from(line.values, (v) => (v === undefined ? undefined : Number.isFinite(v) ? v : null)))];
    this.makeLegend();
    this.make();
  }

  scaleOf(unit) { const at = this.units.indexOf(unit ?? ''); return at <= 0 ? 'y' : 'y2'; }

  make() {
    const wide = this.holder.clientWidth;
    this.chart?.destroy();
    this.chart = null;
    if (wide < 60) return; // not on the screen yet
    this.chart = new uPlot(this.settings(wide), this.columns, this.holder);
    this.chart.over.append(this.line);
    this.bind(this.chart.over);
    this.show();
  }

  settings(wide) {
    const { theme } = this.app, two = this.units.length > 1, many = this.app.runs.length > 1;
    const axis = (more) => ({ stroke: theme.soft, grid: { stroke: theme.line, width: 1 }, ticks: { stroke: theme.line, width: 1, size: 4 }, font: '11px system-ui, sans-serif', labelFont: '11px system-ui, sans-serif', ...more });
    const figures = (u, list) => list.map((v) => (v === null ? '' : number(v, 4)));
    const units = (list) => brief(list.filter(Boolean).join(', '), 24);
    return {
      width: wide, height: this.plots.height, legend: { show: false }, padding: [8, two ? 0 : 10, 0, 0],
      cursor: { y: false, x: false, points: { show: false }, drag: { x: true, y: false, dist: 6 } },
      scales: { x: { time: false, ...this.plots.range() }, y: { range: padded }, y2: { range: padded } },
      axes: [axis({ size: 30, values: figures, space: 60 }), axis({ scale: 'y', size: axisWidth, values: figures, label: units([this.units[0]]), labelSize: 16, labelGap: 0, space: 28 }),
        ...(two ? [axis({ scale: 'y2', side: 1, size: axisWidth, values: figures, label: units(this.units.slice(1)), labelSize: 16, labelGap: 0, grid: { show: false }, space: 28 })] : [])],
      series: [{}, ...this.data.lines.map((line, i) => ({ label: brief(line.name, 80), scale: this.scaleOf(line.unit), stroke: this.colour(i), width: 1.6, pxAlign: 0, dash: dashes[(line.run ?? 0) % dashes.length],
        spanGaps: many, points: { show: false }, show: !this.hidden.has(i) }))],
      hooks: { setScale: [(u, key) => { if (key === 'x') this.plots.zoomed(this, u.scales.x.min, u.scales.x.max); }] },
    };
  }

  colour(i) { const line = this.data.lines[i]; return hues[(line.hue ?? i) % hues.length]; }

  /** One chip for each name: it shows and hides the line of that name in every run. */
  makeLegend() {
    const names = new Map();
    this.data.lines.forEach((line, i) => { if (!names.has(line.name)) names.set(line.name, []); names.get(line.name).push(i); });
    this.values = [];
    this.legend.replaceChildren(...[...names].map(([name, rows]) => this.chip(name, rows)));
  }

  chip(name, rows) {
    const line = this.data.lines[rows[0]], swatch = el('span', { class: 'swatch' }), shown = () => !this.hidden.has(rows[0]);
    swatch.style.background = this.colour(rows[0]);
    const values = rows.map((i) => (this.values[i] = el('span', { class: 'value', title: this.data.lines[i].label })));
    const press = () => {
      for (const i of rows) this.hidden[this.hidden.has(i) ? 'delete' : 'add'](i);
      for (const i of rows) this.chart?.setSeries(i + 1, { show: shown() });
      button.setAttribute('aria-pressed', shown());
    };
    const button = el('button', { type: 'button', class: 'chip', 'aria-pressed': shown(), title: brief([name, line.about].filter(Boolean).join(': '), 300), onclick: press }, swatch, el('span', { class: 'name', text: brief(name, 60) }), ...values);
    return button;
  }

  /** Click seeks, the line of the clock can be dragged, a finger always drags it. */
  bind(over) {
    let held = false, from = 0;
    const timeAt = (event) => this.chart.posToVal(event.clientX - over.getBoundingClientRect().left, 'x');
    const near = (event) => event.pointerType === 'touch' || Math.abs(event.clientX - over.getBoundingClientRect().left - this.position) < 8;
    over.addEventListener('pointerdown', (event) => {
      from = event.clientX;
      held = near(event);
      if (held) { over.setPointerCapture(event.pointerId); this.app.clock.pause(); }
    }, true);
    over.addEventListener('mousedown', (event) => { if (held) event.stopImmediatePropagation(); }, true);
    over.addEventListener('pointermove', (event) => { if (held) this.app.clock.seek(timeAt(event)); over.style.cursor = held || near(event) ? 'ew-resize' : 'crosshair'; });
    over.addEventListener('pointerup', (event) => {
      if (held || Math.abs(event.clientX - from) < 4) { this.app.clock.pause(); this.app.clock.seek(timeAt(event)); }
      held = false;
    });
    over.addEventListener('dblclick', (event) => { event.stopImmediatePropagation(); this.plots.reset(); }, true);
  }

  key(event) {
    const zoom = { '+': 0.5, '=': 0.5, '-': 2 }[event.key];
    if (!zoom) return;
    this.plots.zoomAround(this.app.clock.time, zoom);
    event.preventDefault();
    event.stopPropagation();
  }

  /** Moves the line of the clock, and the values beside the names. */
  show() {
    if (!this.chart) return;
    const t = this.app.clock.time, wide = this.chart.bbox.width / uPlot.pxRatio;
    this.position = this.chart.valToPos(t, 'x');
    this.line.style.transform = `translateX(${this.position}px)`;
    this.line.style.visibility = this.position < -1 || this.position > wide + 1 ? 'hidden' : 'visible';
  }

  showValues() {
    const at = Math.max(0, lastAtMost(this.data.x, this.app.clock.time));
    this.data.lines.forEach((line, i) => {
      let k = at;
      while (k > 0 && this.columns[i + 1][k] === undefined) k--;
      const value = this.columns[i + 1][k];
      this.values[i].textContent = value === null || value === undefined ? '\u2013' : number(value, 4);
    });
  }

  /** The time at the clock's line, read off the plot. */
  shownTime() { return this.chart ? this.chart.posToVal(this.position, 'x') : NaN; }

  saveCsv() {
    const quote = (text) => `"${String(text).replaceAll('"', '""')}"`, full = (line) => `${line.name}${line.label ? `, ${line.label}` : ''} [${line.unit ?? ''}]`;
    const lines = [['time [s]', ...this.data.lines.map(full)].map(quote).join(',')];
    for (let i = 0; i < this.data.x.length; i++) lines.push(this.columns.map((column) => column[i] ?? '').join(','));
    download(`${fileName(this.data.title)}.csv`, new Blob([lines.join('\n') + '\n'], { type: 'text/csv' }));
  }

  savePng() {
    if (!this.chart) return;
    const plot = this.chart.ctx.canvas, ratio = devicePixelRatio || 1, canvas = el('canvas', {}), pen = canvas.getContext('2d'), { theme } = this.app;
    const line = 18 * ratio, rows = Math.ceil(this.data.lines.length / 3);
    canvas.width = plot.width;
    canvas.height = plot.height + line * (rows + 1.6);
    pen.fillStyle = theme.card;
    pen.fillRect(0, 0, canvas.width, canvas.height);
    pen.fillStyle = theme.ink;
    pen.font = `600 ${13 * ratio}px system-ui, sans-serif`;
    pen.fillText(brief(this.data.title, 60), 10 * ratio, line);
    pen.drawImage(plot, 0, line * 1.4);
    pen.font = `${11 * ratio}px system-ui, sans-serif`;
    this.data.lines.forEach((one, i) => {
      const x = 10 * ratio + (i % 3) * canvas.width / 3, y = plot.height + line * (2.2 + Math.floor(i / 3));
      pen.fillStyle = this.colour(i);
      pen.fillRect(x, y - 5 * ratio, 12 * ratio, 3 * ratio);
      pen.fillStyle = theme.ink;
      pen.fillText(brief(`${one.name} [${one.unit ?? ''}]${one.label ? ` ${one.label}` : ''}`, 34), x + 18 * ratio, y);
    });
    canvas.toBlob((blob) => download(`${fileName(this.data.title)}.png`, blob), 'image/png');
  }
}

/** A little room above and below, also where all values are one. */
function padded(u, low, high) {
  if (low === null || high === null) return [0, 1];
  const room = high > low ? 0.08 * (high - low) : Math.abs(high) * 0.1 || 1;
  return [low - room, high + room];
}

/** Room for the figures of an axis. */
function axisWidth(u, values) {
  const longest = (values ?? []).reduce((most, text) => Math.max(most, text.length), 0);
  return Math.max(30, 12 + 6.4 * longest);
}
