// Surfaces of bodies with flat faces: hulls, boxes and meshes, with crisp or rounded edges, and the lines along their edges.
//
// SPDX-License-Identifier: MIT
import * as THREE from 'three';
import { cross, dot, length } from './maths.js';

const sub = (a, b) => [a[0] - b[0], a[1] - b[1], a[2] - b[2]];
const along = (a, s, b) => [a[0] + s * b[0], a[1] + s * b[1], a[2] + s * b[2]];
const unit = (a) => { const l = length(a); return l > 0 ? [a[0] / l, a[1] / l, a[2] / l] : [0, 0, 1]; };

/** Faces as lists of indices, from the flat list: number of corners, then as many indices. */
export function facesOf(flat) {
  const faces = [];
  for (let i = 0; i < flat.length; i += flat[i] + 1) {
    if (!(flat[i] >= 1)) break;
    faces.push(flat.slice(i + 1, i + 1 + flat[i]));
  }
  return faces;
}

export function pointsOf(flat) {
  const points = [];
  for (let i = 0; i + 2 < flat.length; i += 3) points.push([flat[i], flat[i + 1], flat[i + 2]]);
  return points;
}

/** Points and faces of a box of the given lengths. */
export function boxFaces(x, y, z) {
  const points = [];
  for (let i = 0; i < 8; i++) points.push([(i & 1 ? x : -x) / 2, (i & 2 ? y : -y) / 2, (i & 4 ? z : -z) / 2]);
  return { points, faces: [[0, 2, 3, 1], [4, 5, 7, 6], [0, 1, 5, 4], [2, 6, 7, 3], [0, 4, 6, 2], [1, 3, 7, 5]] };
}

/** Normal of a polygon, by its area vector. */
function normalOf(points, face) {
  let sum = [0, 0, 0];
  const origin = points[face[0]];
  for (let i = 1; i + 1 < face.length; i++) sum = along(sum, 1, cross(sub(points[face[i]], origin), sub(points[face[i + 1]], origin)));
  return unit(sum);
}

/** Collects triangles with a normal at each corner. */
class Surface {
  constructor() { this.position = []; this.normal = []; }

  triangle(a, b, c, na, nb = na, nc = na) {
    this.position.push(...a, ...b, ...c);
    this.normal.push(...na, ...nb, ...nc);
  }

  geometry() {
    const geometry = new THREE.BufferGeometry();
    geometry.setAttribute('position', new THREE.Float32BufferAttribute(this.position, 3));
    geometry.setAttribute('normal', new THREE.Float32BufferAttribute(this.normal, 3));
    return geometry;
  }
}

/** Which faces lie at each directed edge: "i,j" to the face that has it. */
function edgeMap(faces) {
  const map = new Map();
  faces.forEach((face, f) => face.forEach((i, n) => map.set(`${i},${face[(n + 1) % face.length]}`, f)));
  return map;
}

/** A polyhedron, its edges rounded by a ball of the given radius rolled around it. */
export function polyhedron(points, faces, radius, steps) {
  const surface = new Surface(), normals = faces.map((face) => normalOf(points, face));
  faces.forEach((face, f) => {
    const corner = face.map((i) => along(points[i], radius, normals[f]));
    for (let i = 1; i + 1 < corner.length; i++) surface.triangle(corner[0], corner[i], corner[i + 1], normals[f]);
  });
  if (radius > 0) {
    const map = edgeMap(faces);
    roundEdges(surface, points, normals, map, radius, steps);
    roundCorners(surface, points, faces, normals, map, radius, steps);
  }
  return surface.geometry();
}

function roundEdges(surface, points, normals, map, radius, steps) {
  for (const [key, f] of map) {
    const [i, j] = key.split(',').map(Number), other = map.get(`${j},${i}`);
    if (i > j || other === undefined) continue;
    for (let s = 0; s < steps; s++) {
      const n0 = unit(along(normals[f], s / steps, sub(normals[other], normals[f])));
      const n1 = unit(along(normals[f], (s + 1) / steps, sub(normals[other], normals[f])));
      const a = along(points[i], radius, n0), b = along(points[j], radius, n0), c = along(points[j], radius, n1), d = along(points[i], radius, n1);
      surface.triangle(b, a, d, n0, n0, n1);
      surface.triangle(b, d, c, n0, n1, n1);
    }
  }
}

/** The normals of the faces around a corner, in order. */
function ring(corner, faces, map, start) {
  const around = [];
  for (let f = start; f !== undefined && around.length < 1000;) {
    around.push(f);
    const face = faces[f], before = face[(face.indexOf(corner) + face.length - 1) % face.length];
    f = map.get(`${corner},${before}`);
    if (f === start) break;
  }
  return around;
}

function roundCorners(surface, points, faces, normals, map, radius, steps) {
  const done = new Set();
  faces.forEach((face, f) => face.forEach((corner) => {
    if (done.has(corner)) return;
    done.add(corner);
    const around = ring(corner, faces, map, f).map((one) => normals[one]);
    if (around.length < 3) return;
    const middle = unit(around.reduce((sum, n) => along(sum, 1, n), [0, 0, 0]));
    around.forEach((n, i) => patch(surface, points[corner], radius, middle, n, around[(i + 1) % around.length], steps));
  }));
}

/** A triangle of a sphere, between three directions. */
function patch(surface, center, radius, na, nb, nc, steps) {
  const at = (i, j) => unit(along(along(na, i / steps, sub(nb, na)), j / steps, sub(nc, nb)));
  const put = (p, q, r) => {
    const place = (n) => along(center, radius, n);
    const right = dot(cross(sub(q, p), sub(r, p)), p) >= 0;
    if (right) surface.triangle(place(p), place(q), place(r), p, q, r); else surface.triangle(place(p), place(r), place(q), p, r, q);
  };
  for (let i = 0; i < steps; i++)
    for (let j = 0; j <= i; j++) {
      put(at(i, j), at(i + 1, j), at(i + 1, j + 1));
      if (j < i) put(at(i, j), at(i + 1, j + 1), at(i, j + 1));
    }
}

/** Lines along edges where the faces meet at more than the given angle, and along open ones. */
export function edgeLines(points, faces, degrees) {
  const map = edgeMap(faces), normals = faces.map((face) => normalOf(points, face)), limit = Math.cos(degrees * Math.PI / 180), lines = [];
  for (const [key, f] of map) {
    const [i, j] = key.split(',').map(Number), other = map.get(`${j},${i}`);
    if (other !== undefined && (i > j || dot(normals[f], normals[other]) > limit)) continue;
    lines.push(...points[i], ...points[j]);
  }
  return lines;
}

/** A mesh: flat where its faces meet at more than the given angle, smooth where at less. */
export function creased(points, faces, degrees) {
  const surface = new Surface(), normals = faces.map((face) => normalOf(points, face)), limit = Math.cos(degrees * Math.PI / 180);
  const at = points.map(() => []);
  faces.forEach((face, f) => face.forEach((i) => at[i].push(f)));
  const smooth = (i, f) => unit(at[i].reduce((sum, one) => (dot(normals[one], normals[f]) >= limit ? along(sum, 1, normals[one]) : sum), [0, 0, 0]));
  faces.forEach((face, f) => {
    const n = face.map((i) => smooth(i, f));
    for (let i = 1; i + 1 < face.length; i++)
      surface.triangle(points[face[0]], points[face[i]], points[face[i + 1]], n[0], n[i], n[i + 1]);
  });
  return surface.geometry();
}
