// Vectors and quaternions (w first) in plain arrays, for the track and what is drawn of it.
//
// SPDX-License-Identifier: MIT

/** out[o..o+3] = a b, of quaternions; out may not be a or b. */
export function multiply(out, o, aw, ax, ay, az, bw, bx, by, bz) {
  out[o] = aw * bw - ax * bx - ay * by - az * bz;
  out[o + 1] = aw * bx + ax * bw + ay * bz - az * by;
  out[o + 2] = aw * by - ax * bz + ay * bw + az * bx;
  out[o + 3] = aw * bz + ax * by - ay * bx + az * bw;
}

/** out = q turned on by the rotation vector (x, y, z), world axes; q and out are arrays of 4. */
export function turn(out, q, x, y, z) {
  const angle = Math.sqrt(x * x + y * y + z * z);
  const share = angle > 1e-9 ? Math.sin(angle / 2) / angle : 0.5;
  multiply(out, 0, Math.cos(angle / 2), share * x, share * y, share * z, q[0], q[1], q[2], q[3]);
}

const between = new Float64Array(4);

/** out = the constant rate that turns a into b in T; of all those, whole turns more or less, the one nearest to (x, y, z). */
export function rateBetween(out, a, b, T, x, y, z) {
  multiply(between, 0, b[0], b[1], b[2], b[3], a[0], -a[1], -a[2], -a[3]);
  const sine = size3(between[1], between[2], between[3]), angle = 2 * Math.atan2(sine, Math.abs(between[0])), full = 2 * Math.PI;
  if (angle > 1e-9) for (let i = 0; i < 3; i++) out[i] = (between[0] < 0 ? -1 : 1) * between[i + 1] / sine;
  else { out[0] = x; out[1] = y; out[2] = z; along(out); }
  const turns = Math.round((T * (x * out[0] + y * out[1] + z * out[2]) - angle) / full);
  for (let i = 0; i < 3; i++) out[i] *= (angle + turns * full) / T;
}

/** v scaled to length 1; nothing becomes +z. */
function along(v) {
  const size = size3(v[0], v[1], v[2]);
  if (!(size > 0)) { v[0] = v[1] = 0; v[2] = 1; return; }
  for (let i = 0; i < 3; i++) v[i] /= size;
}

const size3 = (x, y, z) => Math.sqrt(x * x + y * y + z * z); // many times as fast as Math.hypot

/** Scales a quaternion to length 1; nothing becomes no turn. */
export function unit(q) {
  const length = Math.sqrt(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3]);
  if (!(length > 1e-12)) { q[0] = 1; q[1] = q[2] = q[3] = 0; return; }
  for (let i = 0; i < 4; i++) q[i] /= length;
}

/** The vector v (x, y, z) turned by the quaternion at pose[3..6]. */
export function rotated(pose, x, y, z) {
  const w = pose[3], i = pose[4], j = pose[5], k = pose[6];
  const tx = 2 * (j * z - k * y), ty = 2 * (k * x - i * z), tz = 2 * (i * y - j * x);
  return [x + w * tx + j * tz - k * ty, y + w * ty + k * tx - i * tz, z + w * tz + i * ty - j * tx];
}

/** The point (x, y, z) of a body's frame in the world. */
export function carried(pose, x, y, z) {
  const p = rotated(pose, x, y, z);
  return [pose[0] + p[0], pose[1] + p[1], pose[2] + p[2]];
}

export const dot = (a, b) => a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
export const cross = (a, b) => [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]];
export const length = (a) => size3(a[0], a[1], a[2]);
export const finite = (list) => Array.prototype.every.call(list, Number.isFinite);

/** The largest index i of the ascending list in low..high-1 with list[i] <= value, or low - 1. */
export function lastAtMost(list, value, low = 0, high = list.length) {
  while (low < high) {
    const middle = (low + high) >> 1;
    if (list[middle] <= value) low = middle + 1; else high = middle;
  }
  return low - 1;
}

const q = new Float64Array(4);

/** Writes the matrix of pose times piece's pose. */
export function writeMatrix(array, at, pose, p, piece) {
  multiply(q, 0, pose[p + 3], pose[p + 4], pose[p + 5], pose[p + 6], piece[3], piece[4], piece[5], piece[6]);
  const w = q[0], i = q[1], j = q[2], k = q[3];
  array[at] = 1 - 2 * (j * j + k * k); array[at + 1] = 2 * (i * j + w * k); array[at + 2] = 2 * (i * k - w * j); array[at + 3] = 0;
  array[at + 4] = 2 * (i * j - w * k); array[at + 5] = 1 - 2 * (i * i + k * k); array[at + 6] = 2 * (j * k + w * i); array[at + 7] = 0;
  array[at + 8] = 2 * (i * k + w * j); array[at + 9] = 2 * (j * k - w * i); array[at + 10] = 1 - 2 * (i * i + j * j); array[at + 11] = 0;
  array[at + 12] = pose[p]; array[at + 13] = pose[p + 1]; array[at + 14] = pose[p + 2]; array[at + 15] = 1;
  if (piece[0] === 0 && piece[1] === 0 && piece[2] === 0) return;
  const arm = rotated(pose.subarray(p, p + 7), piece[0], piece[1], piece[2]);
  for (let c = 0; c < 3; c++) array[at + 12 + c] += arm[c];
}
