// What each kind of shape looks like: its surface, coarse or fine, the lines along its crisp edges, and how round ones are marked.
//
// SPDX-License-Identifier: MIT
import * as THREE from 'three';
import { disc } from './discs.js';
import { boxFaces, creased, edgeLines, facesOf, pointsOf, polyhedron } from './polyhedron.js';

/** Corners around a circle, for as many copies of the shape as there are. */
function roundness(copies, level) {
  const crowd = copies > 300 ? 0 : copies > 40 ? 1 : 2;
  return { fine: [24, 40, 80], coarse: [12, 20, 32], least: [8, 12, 24] }[level][crowd];
}

/** Points on a circle of radius r at height z, as line segments. */
function circle(r, z, n = 72) {
  const lines = [];
  for (let i = 0; i < n; i++)
    for (const j of [i, i + 1]) lines.push(r * Math.cos(2 * Math.PI * j / n), r * Math.sin(2 * Math.PI * j / n), z);
  return lines;
}

const upright = (geometry) => geometry.rotateX(Math.PI / 2);

/** For each kind: surface(size, n, shape) with n corners around, lines(size, shape), and mark, how turning is made visible. */
const kinds = {
  sphere: { surface: ([r], n) => upright(new THREE.SphereGeometry(r, n, n / 2)), mark: 'octants', disc: ([r]) => disc(r) },
  ellipsoid: { surface: ([a, b, c], n) => upright(new THREE.SphereGeometry(1, n, n / 2)).scale(a, b, c), mark: 'octants' },
  capsule: { surface: ([r, l], n) => upright(new THREE.CapsuleGeometry(r, l, n / 4, n)), mark: 'quadrants' },
  cylinder: {
    surface: ([r, l], n) => upright(new THREE.CylinderGeometry(r, r, l, n)), mark: 'quadrants',
    lines: ([r, l]) => circle(r, l / 2).concat(circle(r, -l / 2)),
  },
  cone: {
    surface: ([r, l], n) => upright(new THREE.ConeGeometry(r, l, n, 8)).translate(0, 0, l / 2), mark: 'quadrants',
    lines: ([r]) => circle(r, 0),
  },
  box: {
    surface: (size, n, shape) => {
      const r = shape.rounding || 0, { points, faces } = boxFaces(...size.map((l) => Math.max(l - 2 * r, 0)));
      return polyhedron(points, faces, r, Math.max(2, Math.round(n / 12)));
    },
    lines: (size, shape) => { const { points, faces } = boxFaces(...size); return shape.rounding ? [] : edgeLines(points, faces, 10); },
  },
  hull: {
    surface: (size, n, shape) => polyhedron(pointsOf(shape.points), facesOf(shape.faces), shape.rounding || 0, Math.max(2, Math.round(n / 12))),
    lines: (size, shape) => (shape.rounding ? [] : edgeLines(pointsOf(shape.points), facesOf(shape.faces), 12)),
  },
  solid: { surface: (size, n, shape) => shape.geometry, lines: (size, shape) => shape.lines }, // of the page of poses, ready made
  mesh: {
    surface: (size, n, shape) => creased(pointsOf(shape.points), facesOf(shape.faces), 30),
    lines: (size, shape) => edgeLines(pointsOf(shape.points), facesOf(shape.faces), 30),
  },
};

/** How a shape is drawn; null for a plane, which is drawn as a grid, and for what is not known. */
export function shapeLook(shape, copies) {
  const kind = kinds[shape.kind];
  if (!kind) return null;
  const size = Array.isArray(shape.size) ? shape.size : [shape.size];
  const made = {};
  const surface = (level) => (made[level] ??= kind.surface(size, roundness(copies, level), shape));
  const lines = kind.lines?.(size, shape) ?? [];
  const edges = lines.length && lines.length / 6 * copies < 60000 ? new THREE.BufferGeometry().setAttribute('position', new THREE.Float32BufferAttribute(lines, 3)) : null;
  return { mark: kind.mark ?? 'none', surface, disc: kind.disc?.(size), edges, open: shape.kind === 'mesh' || shape.kind === 'solid' };
}
