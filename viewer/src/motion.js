// Velocity and angular velocity of bodies as arrows, at their centres of mass.
//
// SPDX-License-Identifier: MIT
import * as THREE from 'three';
import { Arrows } from './arrows.js';
import { cross, length, rotated } from './maths.js';
import { bodyState, frameAt } from './track.js';

const state = new Float64Array(13);

/** Centre of mass, its velocity and the angular velocity of a body. */
export function motionAt(run, body, t, frame = frameAt(run, t)) {
  bodyState(state, run, body, t, frame);
  const arm = rotated(state, ...body.center), spin = Array.from(state.subarray(10, 13)), carry = cross(spin, arm);
  return { state, center: arm.map((x, i) => x + state[i]), velocity: carry.map((x, i) => x + state[7 + i]), spin };
}

/** Largest speed and turning rate in the frames of some runs: only a share of them is looked at where there are many. */
export function fastest(runs) {
  let speed = 0, turning = 0;
  for (const run of runs) {
    const stride = Math.max(1, Math.floor(run.frames * run.rows / 20000));
    for (const body of run.bodies) {
      if (body.moves < 0) continue;
      for (let f = 0; f < run.frames; f += stride) {
        const { velocity, spin } = motionAt(run, body, run.time[f], f);
        speed = Math.max(speed, length(velocity));
        turning = Math.max(turning, length(spin));
      }
    }
  }
  return { speed, turning };
}

export class MotionArrows {
  constructor(run) {
    this.run = run;
    this.arrows = new Arrows(2 * Math.max(1, run.rows));
    this.group = this.arrows.group;
  }

  setTheme(theme) {
    this.velocity = new THREE.Color(theme.velocity).convertLinearToSRGB();
    this.spin = new THREE.Color(theme.spin).convertLinearToSRGB();
    this.arrows.rim.value.set(theme.card).convertLinearToSRGB();
  }

  /** scale: metres per m/s and per rad/s; 0 leaves the arrows out. */
  show(t, scale) {
    this.arrows.clear();
    if (scale.velocity || scale.spin) {
      const frame = frameAt(this.run, t);
      for (const body of this.run.bodies) {
        if (body.moves < 0) continue;
        const { center, velocity, spin } = motionAt(this.run, body, t, frame);
        if (scale.velocity && length(velocity) > 0) this.arrows.add(center, velocity, scale.velocity, this.velocity, 1, 2.6);
        if (scale.spin && length(spin) > 0) this.arrows.add(center, spin, scale.spin, this.spin, 1, 2.6);
      }
    }
    this.arrows.finish();
  }
}
