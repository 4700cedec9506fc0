// Where a body is at any time: between frames its path is a cubic, up to an impact a parabola, as the README of this folder says.
//
// SPDX-License-Identifier: MIT
import { channels } from './decode.js';
import { lastAtMost, rateBetween, turn, unit } from './maths.js';

const knot0 = new Float64Array(channels), knot1 = new Float64Array(channels);
const q0 = new Float64Array(4), q1 = new Float64Array(4), on = new Float64Array(4), turned = new Float64Array(4), rate = new Float64Array(3), small = new Float64Array(3);

/** The frame at or before t; the first where t is before all. */
export function frameAt(run, t) {
  return Math.max(0, lastAtMost(run.time, t));
}

function read(out, run, row, values, at) {
  for (let c = 0, r = 26 * row; c < channels; c++, r += 2) out[c] = run.range[r] + run.range[r + 1] * values[at + c];
  const length = Math.sqrt(out[3] * out[3] + out[4] * out[4] + out[5] * out[5] + out[6] * out[6]);
  if (length > 1e-12) for (let c = 3; c < 7; c++) out[c] /= length;
  else { out[3] = 1; out[4] = out[5] = out[6] = 0; }
}

const readFrame = (out, run, row, frame) => read(out, run, row, run.track, (row * run.frames + frame) * channels);
const readKey = (out, run, row, key) => read(out, run, row, run.keyTrack, key * channels);

/**
 * Position, quaternion, velocity of the frame's origin and angular velocity of a row of the track at time t.
 * frame is frameAt(run, t), handed in since it is the same for all bodies.
 */
export function stateAt(out, run, row, t, frame) {
  t = Math.min(Math.max(t, run.time[0]), run.time[run.frames - 1]);
  const first = run.keyStart[row], end = run.keyStart[row + 1];
  let start = run.time[frame], finish, toKey = false;
  const key = first < end ? lastAtMost(run.keyTime, t, first, end) : first - 1;
  if (key >= first && run.keyTime[key] >= start) { start = run.keyTime[key]; readKey(knot0, run, row, key); }
  else readFrame(knot0, run, row, frame);
  if (frame + 1 >= run.frames) return out.set(knot0);
  finish = run.time[frame + 1];
  if (key + 1 < end && run.keyTime[key + 1] <= finish) { finish = run.keyTime[key + 1]; toKey = true; readKey(knot1, run, row, key + 1); }
  else readFrame(knot1, run, row, frame + 1);
  const T = finish - start, s = t - start;
  if (!(T > 0) || s <= 0) return out.set(knot0);
  if (toKey) alongParabola(out, s, T); else alongCubic(out, s, T);
}

function alongCubic(out, s, T) {
  const r = s / T, r2 = r * r, r3 = r2 * r, h = 3 * r2 - 2 * r3;
  for (let i = 0; i < 3; i++) {
    const x0 = knot0[i], x1 = knot1[i], v0 = knot0[7 + i], v1 = knot1[7 + i];
    out[i] = x0 + h * (x1 - x0) + T * ((r3 - 2 * r2 + r) * v0 + (r3 - r2) * v1);
    out[7 + i] = 6 * (r - r2) * (x1 - x0) / T + (3 * r2 - 4 * r + 1) * v0 + (3 * r2 - 2 * r) * v1;
    out[10 + i] = knot0[10 + i] + r * (knot1[10 + i] - knot0[10 + i]);
  }
  turnAlong(out, s, T, 0.5, T * (r3 - 2 * r2 + r), T * (r3 - r2));
}

/**
 * The first knot turned on at the mean rate, and by a small turn that gives the path the right rates at its ends: a times what
 * the first knot's rate differs from the mean, b times what the second's does. share is how much the second has a say in the turns.
 */
function turnAlong(out, s, T, share, a, b) {
  for (let i = 0; i < 4; i++) { q0[i] = knot0[3 + i]; q1[i] = knot1[3 + i]; }
  for (let i = 0; i < 3; i++) small[i] = (1 - share) * knot0[10 + i] + share * knot1[10 + i];
  rateBetween(rate, q0, q1, T, small[0], small[1], small[2]);
  for (let i = 0; i < 3; i++) small[i] = a * (knot0[10 + i] - rate[i]) + b * (knot1[10 + i] - rate[i]);
  turn(on, q0, rate[0] * s, rate[1] * s, rate[2] * s);
  turn(turned, on, small[0], small[1], small[2]);
  unit(turned);
  for (let i = 0; i < 4; i++) out[3 + i] = turned[i];
}

function alongParabola(out, s, T) {
  for (let i = 0; i < 3; i++) {
    const v0 = knot0[7 + i], bend = (knot1[i] - knot0[i] - v0 * T) / (T * T);
    out[i] = knot0[i] + v0 * s + bend * s * s;
    out[7 + i] = v0 + 2 * bend * s;
    out[10 + i] = knot0[10 + i];
  }
  turnAlong(out, s, T, 0, s * (1 - s / T), 0);
}

/** State of any body, one that does not move included. */
export function bodyState(out, run, body, t, frame = frameAt(run, t)) {
  if (body.moves >= 0) return stateAt(out, run, body.moves, t, frame);
  out.fill(0);
  for (let i = 0; i < 7; i++) out[i] = body.pose[i];
}

/** Times of a body's frames and impacts, an impact twice: just before it and at it. */
export function knotTimes(run, body) {
  if (body.moves < 0) return Float64Array.of(run.time[0], run.time[run.frames - 1]);
  const first = run.keyStart[body.moves], end = run.keyStart[body.moves + 1];
  const times = new Float64Array(run.frames + 2 * (end - first));
  let n = 0, key = first;
  for (let f = 0; f < run.frames; f++) {
    for (; key < end && run.keyTime[key] <= run.time[f]; key++) {
      const since = n ? times[n - 1] : run.time[0];
      times[n++] = run.keyTime[key] - 1e-6 * (run.keyTime[key] - since);
      times[n++] = run.keyTime[key];
    }
    times[n++] = run.time[f];
  }
  return times.subarray(0, n);
}
