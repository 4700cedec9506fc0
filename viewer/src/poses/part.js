// The part: its surface, the lines along its edges, and the faces of its hull on which it rests, painted in the colours of its poses.
//
// SPDX-License-Identifier: MIT
import * as THREE from 'three';
import { creased, edgeLines } from '../polyhedron.js';

const mostEdges = 40000; // triangles: beyond, a part is drawn without lines
export const tone = '#a9b8c8';

/** Corners that lie in one place become one, so that edges are found. */
function joined({ point, corner }) {
  const numbers = new Map(), points = [], of = new Uint32Array(point.length / 3);
  for (let i = 0; i < of.length; i++) {
    const p = [point[3 * i], point[3 * i + 1], point[3 * i + 2]], key = p.join();
    if (!numbers.has(key)) { numbers.set(key, points.length); points.push(p); }
    of[i] = numbers.get(key);
  }
  const faces = [];
  for (let t = 0; t < corner.length; t += 3) {
    const face = [of[corner[t]], of[corner[t + 1]], of[corner[t + 2]]];
    if (face[0] !== face[1] && face[1] !== face[2] && face[2] !== face[0]) faces.push(face);
  }
  return { points, faces };
}

/** The surface as it was given; one of flat facets, as meshes are, is smoothed where they meet at a small angle. */
function surfaceOf(mesh, points, faces) {
  const flat = faces.length > 0 && oneNormalEach(mesh);
  if (flat) return creased(points, faces, 30);
  const geometry = new THREE.BufferGeometry();
  geometry.setAttribute('position', new THREE.BufferAttribute(mesh.point, 3));
  geometry.setAttribute('normal', new THREE.BufferAttribute(mesh.normal, 3));
  geometry.setIndex(new THREE.BufferAttribute(mesh.corner, 1));
  return geometry;
}

/** Whether all three corners of every triangle have the same normal. */
function oneNormalEach({ corner, normal }) {
  for (let t = 0; t < corner.length; t += 3)
    for (let k = 0; k < 3; k++)
      if (Math.abs(normal[3 * corner[t] + k] - normal[3 * corner[t + 1] + k]) + Math.abs(normal[3 * corner[t] + k] - normal[3 * corner[t + 2] + k]) > 1e-6) return false;
  return true;
}

export class Part {
  constructor(data, colours) {
    this.data = data;
    this.colours = colours;
    const { mesh, hull, part } = data;
    this.center = new THREE.Vector3(...part.center);
    const { points, faces } = mesh.corner.length <= 3 * mostEdges ? joined(mesh) : { points: [], faces: [] };
    this.geometry = surfaceOf(mesh, points, faces);
    this.lines = edgeLines(points, faces, 30);
    this.edges = new THREE.BufferGeometry().setAttribute('position', new THREE.Float32BufferAttribute(this.lines, 3));
    this.corners = [];
    for (let i = 0; i < hull.point.length; i += 3) this.corners.push(new THREE.Vector3(hull.point[i], hull.point[i + 1], hull.point[i + 2]));
    this.reach = Math.max(1e-9, ...this.corners.map((p) => p.distanceTo(this.center)));
  }

  /** A face of the hull as a fan and as a rim, a little outside of it; null where there is none. */
  face(pose, out) {
    const face = this.data.hull.faces[pose.face];
    if (!face) return null;
    const at = face.map((i) => this.corners[i].clone().add(out)), fan = [];
    for (let i = 1; i + 1 < at.length; i++) fan.push(at[0], at[i], at[i + 1]);
    return { fan, rim: at, level: this.corners[face[0]].dot(new THREE.Vector3(...pose.normal)) };
  }

  /** Triangles of the surface that lie in such a face: what touches the floor. */
  touching(pose, level, out) {
    const { point, corner } = this.data.mesh, [nx, ny, nz] = pose.normal, near = level - 2e-3 * this.reach, found = [];
    const reaches = (i) => nx * point[3 * i] + ny * point[3 * i + 1] + nz * point[3 * i + 2] > near;
    for (let t = 0; t < corner.length; t += 3)
      if (reaches(corner[t]) && reaches(corner[t + 1]) && reaches(corner[t + 2]))
        for (let k = 0; k < 3; k++) { const i = corner[t + k]; found.push(new THREE.Vector3(point[3 * i], point[3 * i + 1], point[3 * i + 2]).add(out)); }
    return found;
  }

  /** The faces of the most probable poses in their colours, in the frame of the body: full where the part touches the floor, faint where only its hull does. */
  paint(most = 24) {
    const group = new THREE.Group();
    const skin = (points, normal, colour, opacity) => {
      const geometry = new THREE.BufferGeometry().setFromPoints(points);
      geometry.setAttribute('normal', new THREE.Float32BufferAttribute(points.flatMap(() => normal), 3));
      return new THREE.Mesh(geometry, new THREE.MeshLambertMaterial({ color: colour, transparent: true, opacity, side: THREE.DoubleSide, depthWrite: false }));
    };
    for (const pose of this.data.order.slice(0, most)) {
      const out = new THREE.Vector3(...pose.normal).multiplyScalar(0.003 * this.reach), face = this.face(pose, out), colour = this.colours.of(pose.index);
      if (!face) continue;
      const touching = this.touching(pose, face.level, out);
      if (touching.length) group.add(skin(touching, pose.normal, colour, 0.72));
      group.add(skin(face.fan, pose.normal, colour, touching.length ? 0.14 : 0.5));
      group.add(new THREE.LineLoop(new THREE.BufferGeometry().setFromPoints(face.rim), new THREE.LineBasicMaterial({ color: colour, transparent: true, opacity: 0.8, toneMapped: false })));
    }
    return group;
  }

  /** The part itself, in the frame of the body. */
  body(theme) {
    const group = new THREE.Group();
    const solid = new THREE.Mesh(this.geometry, new THREE.MeshStandardMaterial({ color: tone, roughness: 0.5, metalness: 0.05, side: THREE.DoubleSide, polygonOffset: true, polygonOffsetFactor: 1, polygonOffsetUnits: 1 }));
    solid.castShadow = solid.receiveShadow = true;
    group.add(solid);
    if (this.lines.length) group.add(new THREE.LineSegments(this.edges, new THREE.LineBasicMaterial({ color: theme.edge, transparent: true, opacity: Number(theme.edgeStrength) || 0.5 })));
    return group;
  }

  /** Extent, along world axes, of the hull turned so, about the centre of mass. */
  box(turn) {
    const box = new THREE.Box3();
    for (const p of this.corners) box.expandByPoint(p.clone().sub(this.center).applyQuaternion(turn));
    return box;
  }

  /** A turn about the vertical that lays the longer side of the hull across the picture. */
  across(turn, azimuth) {
    let xx = 0, xy = 0, yy = 0;
    for (const p of this.corners) {
      const q = p.clone().sub(this.center).applyQuaternion(turn);
      xx += q.x * q.x; xy += q.x * q.y; yy += q.y * q.y;
    }
    const round = Math.hypot((xx - yy) / 2, xy) < 0.02 * (xx + yy);
    const major = round ? 0 : Math.atan2(2 * xy, xx - yy) / 2;
    return new THREE.Quaternion().setFromAxisAngle(new THREE.Vector3(0, 0, 1), azimuth - major);
  }
}

/** As three.js has it. */
export const quaternion = ([w, x, y, z]) => new THREE.Quaternion(x, y, z, w);

/** A turn that brings a direction of the body straight down. */
export const downwards = (v) => new THREE.Quaternion().setFromUnitVectors(new THREE.Vector3(...v).normalize(), new THREE.Vector3(0, 0, -1));
