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

/** The rotation vector of the unit quaternion q, at most half a turn. */
export function rotationVector(q) {
  const sign = q[0] < 0 ? -1 : 1;
  const sin = Math.hypot(q[1], q[2], q[3]);
  const share = sin > 1e-12 ? sign * 2 * Math.atan2(sin, sign * q[0]) / sin : 2 * sign;
  return [share * q[1], share * q[2], share * q[3]];
}

const between = new Float64Array(4);

/** out = the constant rate that turns a into b in T; of all those, whole turns more or less, the one nearest to (x, y, z). */
export function rateBetween(out, [a, b], T, x, y, z) {
  multiply(between, 0, b[0], b[1], b[2], b[3], a[0], -a[1], -a[2], -a[3]);
  const v = rotationVector(between), angle = Math.hypot(v[0], v[1], v[2]), full = 2 * Math.PI;
  const size = Math.hypot(x, y, z), axis = angle > 1e-9 ? v.map((c) => c / angle) : size > 0 ? [x / size, y / size, z / size] : [0, 0, 1];
  const turns = Math.round((T * (x * axis[0] + y * axis[1] + z * axis[2]) - angle) / full);
  for (let i = 0; i < 3; i++) out[i] = (angle + turns * full) * axis[i] / T;
}

/** Scales a quaternion to length 1; nothing becomes no turn. */
export function unit(q) {
  const length = Math.hypot(q[0], q[1], q[2], q[3]);
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
export const length = (a) => Math.hypot(a[0], a[1], a[2]);
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
  const here = pose.subarray(p, p + 7), [x, y, z] = rotated(here, piece[0], piece[1], piece[2]), [w, i, j, k] = q;
  array[at] = 1 - 2 * (j * j + k * k); array[at + 1] = 2 * (i * j + w * k); array[at + 2] = 2 * (i * k - w * j); array[at + 3] = 0;
  array[at + 4] = 2 * (i * j - w * k); array[at + 5] = 1 - 2 * (i * i + k * k); array[at + 6] = 2 * (j * k + w * i); array[at + 7] = 0;
  array[at + 8] = 2 * (i * k + w * j); array[at + 9] = 2 * (j * k - w * i); array[at + 10] = 1 - 2 * (i * i + j * j); array[at + 11] = 0;
  array[at + 12] = pose[p] + x; array[at + 13] = pose[p + 1] + y; array[at + 14] = pose[p + 2] + z; array[at + 15] = 1;
}
