// The one clock of the page: time, speed, playing or not, and the times at which it can stop: frames and impacts.
//
// SPDX-License-Identifier: MIT
import { lastAtMost } from './maths.js';

export const speeds = [0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 4];

/** All values of some ascending lists, ascending, each once. */
function merged(lists, tolerance) {
  const size = lists.reduce((sum, one) => sum + one.length, 0), all = new Float64Array(size);
  let n = 0;
  for (const one of lists) { all.set(one, n); n += one.length; }
  if (lists.length > 1) all.sort();
  n = 0;
  for (const value of all) if (n === 0 || value - all[n - 1] > tolerance) all[n++] = value;
  return all.slice(0, n);
}

/** Times of the collisions of a run, or of one of its bodies. */
export function impactTimes(run, body = null) {
  const times = [], { contact } = run;
  for (let c = 0; c < contact.count; c++)
    if (contact.kind[c] === 0 && Number.isFinite(contact.time[c]) && (!body || contact.a[c] === body.index || contact.b[c] === body.index))
      times.push(contact.time[c]);
  return Float64Array.from(times);
}

export class Clock {
  constructor(runs, changed) {
    this.runs = runs;
    this.changed = changed;
    this.start = Math.min(...runs.map((run) => run.time[0]));
    this.end = Math.max(...runs.map((run) => run.time[run.frames - 1]));
    this.time = this.start;
    this.speed = 1;
    this.loop = false;
    this.playing = false;
    this.tolerance = 1e-9 * Math.max(1e-3, this.end - this.start);
    this.frames = merged(runs.map((run) => run.time), this.tolerance);
    this.impacts = merged(runs.map((run) => impactTimes(run)), this.tolerance);
    this.chosenImpacts = null; // those of the picked body
  }

  seek(time) {
    if (!Number.isFinite(time)) return;
    this.time = Math.min(Math.max(time, this.start), this.end);
    this.changed('time');
  }

  play() {
    if (this.playing || this.end <= this.start) return;
    if (this.time >= this.end) this.time = this.start;
    this.playing = true;
    this.changed('play');
  }

  pause() {
    if (!this.playing) return;
    this.playing = false;
    this.changed('play');
  }

  toggle() { if (this.playing) this.pause(); else this.play(); }

  /** Lets the given time of the wall pass, in seconds. */
  pass(seconds) {
    let time = this.time + Math.min(seconds, 0.25) * this.speed;
    if (time >= this.end) {
      if (this.loop) time = this.start + ((time - this.start) % (this.end - this.start));
      else { this.time = this.end; this.changed('time'); this.pause(); return; }
    }
    this.time = time;
    this.changed('time');
  }

  setSpeed(speed) {
    this.speed = Math.min(Math.max(speed, speeds[0]), speeds.at(-1));
    this.changed('speed');
  }

  /** One notch faster (1) or slower (-1). */
  shift(way) {
    const now = lastAtMost(speeds, this.speed * (1 + 1e-9));
    this.setSpeed(speeds[Math.min(Math.max(now + way, 0), speeds.length - 1)]);
  }

  setLoop(loop) { this.loop = loop; this.changed('speed'); }

  /** To the next (1) or last (-1) of some times. */
  step(times, way) {
    this.pause();
    const at = way > 0 ? lastAtMost(times, this.time + this.tolerance) + 1 : lastAtMost(times, this.time - this.tolerance);
    if (at >= 0 && at < times.length) this.seek(times[at]);
  }

  stepFrame(way) { this.step(this.frames, way); }
  stepImpact(way) { this.step(this.chosenImpacts ?? this.impacts, way); }
}
