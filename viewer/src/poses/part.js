// The part: its surface, the lines along its edges, and the faces of its hull on which it rests, painted in the colours of their cards.
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

/** Triangles of the surface by where they face, so that those of one direction are found without asking all. */
class Facing {
  constructor({ point, corner }) {
    this.cells = new Map();
    const v = (i) => new THREE.Vector3().fromArray(point, 3 * i);
    for (let t = 0; t < corner.length; t += 3) {
      const a = v(corner[t]), n = v(corner[t + 1]).sub(a).cross(v(corner[t + 2]).sub(a)).normalize(), key = this.cell(n.x, n.y, n.z);
      if (!this.cells.has(key)) this.cells.set(key, []);
      this.cells.get(key).push(t);
    }
  }

  cell(x, y, z) { return [x, y, z].map((c) => Math.round(10 * c)).join(); }

  /** First corners of the triangles that face about there, within some degrees. */
  near([x, y, z]) {
    const keys = new Set(), step = [-0.05, 0.05];
    for (const u of step) for (const v of step) for (const w of step) keys.add(this.cell(x + u, y + v, z + w));
    return [...keys].flatMap((key) => this.cells.get(key) ?? []);
  }
}

/** Triangles with a normal each, gathered into one geometry. */
class Skin {
  constructor() { Object.assign(this, { points: [], normals: [] }); }

  add(points, normal) {
    for (const x of points) this.points.push(x);
    for (let i = 0; i < points.length; i += 3) this.normals.push(...normal);
  }

  /** Null without triangles. */
  made() {
    if (!this.points.length) return null;
    return new THREE.BufferGeometry().setAttribute('position', new THREE.Float32BufferAttribute(this.points, 3)).setAttribute('normal', new THREE.Float32BufferAttribute(this.normals, 3));
  }
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

  /** Corners of a face of the hull, and its level along its normal; null where there is none. */
  face({ face, normal }) {
    const at = this.data.hull.faces[face];
    return at && normal ? { at, normal, level: this.corners[at[0]].dot(new THREE.Vector3(...normal)) } : null;
  }

  /** Triangles of the surface that lie in such a face, as flat coordinates a little outside of it: what touches the floor. */
  touching({ normal, level }) {
    const { point, corner } = this.data.mesh, [nx, ny, nz] = normal, near = level - 2e-3 * this.reach, found = [];
    const reaches = (i) => nx * point[3 * i] + ny * point[3 * i + 1] + nz * point[3 * i + 2] > near;
    for (const t of this.facing.near(normal))
      if (reaches(corner[t]) && reaches(corner[t + 1]) && reaches(corner[t + 2]))
        for (let k = 0; k < 3; k++) found.push(...this.outside(point.subarray(3 * corner[t + k], 3 * corner[t + k] + 3), normal));
    return found;
  }

  /** A point, moved a little along a normal. */
  outside([x, y, z], [nx, ny, nz]) {
    const step = 0.003 * this.reach;
    return [x + step * nx, y + step * ny, z + step * nz];
  }

  /** What is painted of a card: its faces where the part touches the floor, where only its hull does, and the outline of all of them. */
  painted(card) {
    const skins = { touching: new Skin(), over: new Skin(), alone: new Skin() }, rim = [], edges = new Set();
    const faces = card.members.map((member) => this.face(member)).filter(Boolean), at = (i, normal) => this.outside(this.corners[i].toArray(), normal);
    for (const face of faces) face.at.forEach((i, k) => edges.add(`${i} ${face.at[(k + 1) % face.at.length]}`));
    for (const face of faces) {
      const touching = this.touching(face), fan = touching.length ? skins.over : skins.alone, corners = face.at.map((i) => at(i, face.normal));
      skins.touching.add(touching, face.normal);
      for (let k = 1; k + 1 < corners.length; k++) fan.add([...corners[0], ...corners[k], ...corners[k + 1]], face.normal);
      face.at.forEach((i, k) => {
        const next = (k + 1) % corners.length;
        if (!edges.has(`${face.at[next]} ${i}`)) rim.push(...corners[k], ...corners[next]); // no line between two faces of one card
      });
    }
    return { touching: skins.touching.made(), over: skins.over.made(), alone: skins.alone.made(), rim: new THREE.BufferGeometry().setAttribute('position', new THREE.Float32BufferAttribute(rim, 3)) };
  }

  /** The faces of the most probable cards in their colours, in the frame of the body: full where the part touches the floor, faint where only its hull does. */
  paint(most = 24) {
    const group = new THREE.Group();
    this.facing ??= new Facing(this.data.mesh);
    this.paints ??= this.data.order.slice(0, most).map((card) => ({ card, ...this.painted(card) }));
    for (const { card, rim, ...skins } of this.paints) {
      const color = this.colours.of(card.index);
      for (const [name, opacity] of [['touching', 0.72], ['over', 0.14], ['alone', 0.5]])
        if (skins[name]) group.add(new THREE.Mesh(skins[name], new THREE.MeshLambertMaterial({ color, transparent: true, opacity, side: THREE.DoubleSide, depthWrite: false })));
      group.add(new THREE.LineSegments(rim, new THREE.LineBasicMaterial({ color, transparent: true, opacity: 0.8, toneMapped: false })));
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
