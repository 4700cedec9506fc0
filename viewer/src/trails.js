// Trails: the path of a point of a body, what is past bright, what is to come faint.
//
// SPDX-License-Identifier: MIT
import * as THREE from 'three';
import { Line2 } from 'three/examples/jsm/lines/Line2.js';
import { LineGeometry } from 'three/examples/jsm/lines/LineGeometry.js';
import { LineMaterial } from 'three/examples/jsm/lines/LineMaterial.js';
import { carried, lastAtMost } from './maths.js';
import { bodyState, knotTimes } from './track.js';

const state = new Float64Array(13);

/** Times along a body's path, close enough to be drawn as a smooth line. */
function pathTimes(run, body) {
  const knots = knotTimes(run, body), parts = Math.max(1, Math.min(8, Math.round(4000 / knots.length)));
  const times = [];
  for (let i = 0; i + 1 < knots.length; i++)
    for (let p = 0; p < parts; p++) times.push(knots[i] + (knots[i + 1] - knots[i]) * p / parts);
  times.push(knots[knots.length - 1]);
  return times;
}

/** The path of one point of a body in one run. */
class Trail {
  constructor(run, body, point, colour) {
    this.times = pathTimes(run, body);
    const places = [];
    for (const t of this.times) { bodyState(state, run, body, t); places.push(...carried(state, ...point)); }
    const line = (opacity, width) => new Line2(new LineGeometry().setPositions(places),
      new LineMaterial({ color: colour, linewidth: width, transparent: true, opacity, depthWrite: false, toneMapped: false }));
    this.future = line(0.22, 1.6);
    this.past = line(0.95, 2.6);
    this.group = new THREE.Group();
    this.group.add(this.future, this.past);
    for (const one of [this.future, this.past]) { one.renderOrder = 10; one.frustumCulled = false; one.raycast = () => {}; }
  }

  show(t) {
    this.past.geometry.instanceCount = Math.max(0, lastAtMost(this.times, t));
  }

  dispose() { for (const one of [this.future, this.past]) { one.geometry.dispose(); one.material.dispose(); } }
}

/** All trails of a run. */
export class Trails {
  constructor(run) {
    this.run = run;
    this.group = new THREE.Group();
    this.trails = [];
  }

  /** Chosen: list of { name, point, colour }. */
  choose(chosen) {
    for (const trail of this.trails) { this.group.remove(trail.group); trail.dispose(); }
    this.trails = [];
    for (const { name, point, colour } of chosen) {
      const body = this.run.byName.get(name);
      if (!body || body.moves < 0) continue;
      const trail = new Trail(this.run, body, point ?? body.center, colour);
      this.trails.push(trail);
      this.group.add(trail.group);
    }
  }

  show(t) { for (const trail of this.trails) trail.show(t); }
}
