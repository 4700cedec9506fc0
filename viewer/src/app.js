// What all parts of the page share: the runs, the clock, what is picked, what is shown, and who wants to know of changes.
//
// SPDX-License-Identifier: MIT
import { Clock, impactTimes } from './clock.js';
import { finite } from './maths.js';
import { runColours } from './materials.js';
import { whatStays, whoLeaves } from './near.js';

const defaults = { contacts: true, cones: true, onlyPicked: false, velocity: false, spin: false, edges: true, figures: true, shadows: true, ghosts: false, follow: false, arrowSize: 1 };

export class App {
  constructor(page) {
    this.page = page;
    this.runs = page.runs;
    this.listeners = {};
    for (const run of this.runs) run.box = boxOf(run);
    this.look();
    this.clock = new Clock(this.runs, (what) => this.emit(what));
    this.options = { ...defaults };
    this.picked = null; // a name: the same body in every run
    this.trails = []; // { name, point, colour }
  }

  /** Decides what the camera shows; a run's `shown` is its box, less what leaves the picture. */
  look() {
    this.stays = whatStays(this.runs);
    for (const run of this.runs) {
      run.shown = this.stays?.box ?? run.box;
      run.leaves = this.stays ? whoLeaves(this.stays.gone, run) : '';
      if (run.leaves) run.thinned.push(`${run.leaves} the picture, which shows what stays near.`);
    }
  }

  on(what, listener) { for (const one of what.split(' ')) (this.listeners[one] ??= []).push(listener); }
  emit(what, value) { for (const listener of this.listeners[what] ?? []) listener(value); }

  set(option, value) {
    this.options[option] = value;
    this.emit('options', option);
  }

  /** The picked body in a run, or null. */
  body(run = this.runs[0]) { return this.picked === null ? null : run.byName.get(this.picked) ?? null; }

  pick(name) {
    const known = name !== null && this.runs.some((run) => run.byName.has(name));
    this.picked = known ? name : null;
    const own = known ? this.runs.flatMap((run) => { const body = run.byName.get(name); return body ? Array.from(impactTimes(run, body)) : []; }) : [];
    this.clock.chosenImpacts = own.length ? Float64Array.from(own).sort() : null;
    if (!known) this.options.follow = false;
    this.emit('pick');
  }

  /** Adds the trail of a point of a body, or takes the body's trails away. */
  toggleTrail(name, point = null) {
    if (!point && this.trails.some((trail) => trail.name === name)) this.trails = this.trails.filter((trail) => trail.name !== name);
    else this.trails = [...this.trails, { name, point, colour: runColours[this.trails.length % runColours.length] }];
    this.emit('trails');
  }

  /** A box around all runs, but for what leaves the picture. */
  box() {
    const of = (pick, corner) => [0, 1, 2].map((k) => pick(...this.runs.map((run) => run.shown[corner][k])));
    return { low: of(Math.min, 'low'), high: of(Math.max, 'high') };
  }
}

/** The run's box, never empty. */
function boxOf(run) {
  const given = [run.low, run.high].every((corner) => Array.isArray(corner) && corner.length === 3 && finite(corner));
  const low = given ? [...run.low] : [0, 0, 0], high = given ? [...run.high] : [0, 0, 0];
  if (!given) widen(run, low, high);
  const size = Math.max(...high.map((x, k) => x - low[k]));
  if (!(size > 0)) for (let k = 0; k < 3; k++) { low[k] -= 0.5; high[k] += 0.5; }
  return { low, high };
}

/** Spans the positions in the track, and the bodies' sizes around them. */
function widen(run, low, high) {
  for (const body of run.bodies) {
    if (body.moves < 0) continue;
    for (let k = 0; k < 3; k++) {
      const start = run.range[26 * body.moves + 2 * k], step = run.range[26 * body.moves + 2 * k + 1], r = (body.size || 0) / 2;
      low[k] = Math.min(low[k], start - r);
      high[k] = Math.max(high[k], start + 65535 * step + r);
    }
  }
}
