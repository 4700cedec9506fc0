// Which contacts are to be seen at a time, and their impulses as arrows.
//
// A collision is shown for a short while of the viewer's time after it has happened; when the clock stands still, those of the
// frame it stands in, or only those that happen right then. What acted between two frames is shown between these two, what carries
// sleeping bodies as long as it holds.
//
// SPDX-License-Identifier: MIT
import * as THREE from 'three';
import { Arrows, Cones, Dots } from './arrows.js';
import { lastAtMost, length } from './maths.js';
import { modes } from './materials.js';
import { frameAt } from './track.js';

const flash = 0.2; // s of the viewer's time
const most = 3000; // contacts drawn at once
const underDot = 3; // pixels: a shorter arrow is hidden by the dot at its foot
const at = new THREE.Vector3();

/** The frame whose interval (before, at] holds t. */
export function intervalAt(run, t) {
  const frame = frameAt(run, t);
  return run.time[frame] < t || frame === 0 ? Math.min(frame + 1, run.frames - 1) : frame;
}

const three = (list, c, times = 1) => [times * list[3 * c], times * list[3 * c + 1], times * list[3 * c + 2]];

/** A force and its normal, seen from the body that moves, or that is picked. */
function seenFrom(run, list, c, force, picked) {
  const a = run.bodies[list.a[c]], b = run.bodies[list.b[c]], turned = picked && (a === picked || b === picked) ? b === picked : a.role !== 'dynamic' && b.role === 'dynamic';
  const sign = turned ? -1 : 1, [x, y, z] = force, n = three(list.normal, c, sign), pressing = sign * (x * n[0] + y * n[1] + z * n[2]);
  const friction = [sign * x - pressing * n[0], sign * y - pressing * n[1], sign * z - pressing * n[2]];
  return { a: turned ? b : a, b: turned ? a : b, point: three(list.point, c), normal: n, pressing, friction, along: length(friction), coefficient: list.friction[c] };
}

/** What carries a sleeping body: rows of loads are counted on from those of contacts. */
function loadOf(run, row, picked) {
  const { load } = run, c = row - run.contact.count;
  return { index: row, time: run.time[load.first[c]], kind: 1, mode: 3, ...seenFrom(run, load, c, three(load.force, c), picked) };
}

/** Whether a row, of contacts or of loads, is of this body. */
export function isOf(run, row, index) {
  const rows = row < run.contact.count ? run.contact : run.load, c = row < run.contact.count ? row : row - run.contact.count;
  return rows.a[c] === index || rows.b[c] === index;
}

/** One contact as an object; seen from the body that moves, or that is picked. */
export function contactOf(run, c, picked = null) {
  if (c >= run.contact.count) return loadOf(run, c, picked);
  const { contact } = run, frame = contact.frame[c], kind = contact.kind[c];
  const span = kind === 1 && frame > 0 && frame < run.frames ? run.time[frame] - run.time[frame - 1] : 1;
  return { index: c, time: contact.time[c], kind, mode: contact.mode[c] & 3,
    ...seenFrom(run, contact, c, three(contact.impulse, c, 1 / span), picked) };
}

/** Rows of the contacts to be seen at t. */
export function contactsAt(run, t, { playing, speed, tolerance }) {
  const { contact, load, time } = run, rows = [];
  const here = intervalAt(run, t);
  for (let l = 0; l < load.count && rows.length < most; l++)
    if (load.first[l] <= here && here <= load.last[l]) rows.push(contact.count + l);
  if (contact.count === 0) return rows;
  const from = here > 0 ? time[here - 1] : -Infinity;
  const since = playing ? Math.min(from, t - flash * speed) : from;
  const first = lastAtMost(contact.time, since) + 1, last = lastAtMost(contact.time, Math.max(time[here], t));
  let exact = false;
  for (let c = first; c <= last; c++)
    if (contact.kind[c] === 0 && Math.abs(contact.time[c] - t) <= tolerance) exact = true;
  for (let c = first; c <= last && rows.length < most; c++) {
    if (contact.kind[c] === 1) { if (contact.frame[c] === here) rows.push(c); continue; }
    const age = t - contact.time[c];
    if (playing ? age >= 0 && age <= Math.max(flash * speed, 0) : exact ? Math.abs(age) <= tolerance : contact.time[c] > from) rows.push(c);
  }
  return rows;
}

/** Largest impulse of the collisions and largest force of the runs, for one scale in all panes. */
export function largest(runs) {
  const top = [0, 0];
  for (const { contact, load, time, frames } of runs) {
    for (let l = 0; l < load.count; l++) top[1] = Math.max(top[1], Math.hypot(load.force[3 * l], load.force[3 * l + 1], load.force[3 * l + 2]) || 0);
    for (let c = 0, i = 0; c < contact.count; c++, i += 3) {
      const kind = contact.kind[c] & 1, f = contact.frame[c], [J, n] = [contact.impulse, contact.normal];
      const span = kind && f > 0 && f < frames ? time[f] - time[f - 1] : 1;
      const pressing = J[i] * n[i] + J[i + 1] * n[i + 1] + J[i + 2] * n[i + 2];
      const along = Math.hypot(J[i] - pressing * n[i], J[i + 1] - pressing * n[i + 1], J[i + 2] - pressing * n[i + 2]);
      const size = Math.max(Math.abs(pressing), along) / span;
      if (Number.isFinite(size) && size > top[kind]) top[kind] = size;
    }
  }
  return top;
}

export class ContactArrows {
  constructor(run) {
    this.run = run;
    this.arrows = new Arrows();
    this.dots = new Dots();
    this.cones = new Cones(400);
    this.seen = new Map(); // what was drawn last: most of it stays for some frames
    this.group = new THREE.Group();
    this.group.add(this.cones.group, this.arrows.group, this.dots.group);
  }

  setTheme(theme) {
    this.colours = modes.map(({ key }) => new THREE.Color(theme[key]));
    this.raw = this.colours.map((colour) => colour.clone().convertLinearToSRGB());
    for (const part of [this.arrows, this.dots]) part.rim.value.set(theme.card).convertLinearToSRGB();
  }

  /** Draws the rows; scale has metres per N s and per N. */
  show(rows, scale, { cones, picked, t, playing, speed, ratio, plain, eye, span }) {
    if (rows.length > this.dots.capacity) { this.dots.reserve(2 * rows.length); this.arrows.reserve(4 * rows.length); }
    for (const part of [this.arrows, this.dots, this.cones]) part.clear();
    const crowd = rows.length > 80, pen = crowd ? 0.65 : 1;
    this.arrows.setCrowd(crowd, plain);
    this.dots.setCrowd(crowd, plain);
    const last = picked === this.picked ? this.seen : new Map();
    this.picked = picked;
    this.seen = new Map();
    let arrows = 0;
    for (const row of rows) {
      const c = last.get(row) ?? contactOf(this.run, row, picked);
      this.seen.set(row, c);
      if (!c.point.every(Number.isFinite)) continue;
      const fade = playing && c.kind === 0 ? 1 - 0.8 * ((t - c.time) / (flash * speed)) ** 2 : 1;
      this.dots.add(c.point, this.raw[c.mode], fade);
      if (!Number.isFinite(c.pressing)) continue;
      const metres = scale[c.kind], high = c.pressing * metres, least = plain && playing ? underDot * span * eye.distanceTo(at.fromArray(c.point)) : 0;
      const arrow = (reach, times, size, thick) => {
        arrows++;
        if (size >= least) this.arrows.add(c.point, reach, times, this.raw[c.mode], fade, thick * pen);
      };
      if (Math.abs(c.pressing) > 0) arrow(c.normal, high, Math.abs(high), 3.4);
      if (c.along > 1e-9 * Math.abs(c.pressing)) arrow(c.friction, metres, c.along * metres, 2.2);
      if (cones && (!crowd || c.a === picked)) this.cones.add(c.point, c.normal, Math.abs(high), c.coefficient, this.colours[c.mode]);
    }
    for (const part of [this.arrows, this.cones]) part.finish();
    this.dots.finish(ratio);
    this.count = arrows;
  }
}
