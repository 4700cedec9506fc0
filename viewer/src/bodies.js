// The bodies of one run in the scene: equal shapes share one instanced mesh, so that a thousand bodies are a few draw calls.
//
// SPDX-License-Identifier: MIT
import * as THREE from 'three';
import { bodyColour, surface } from './materials.js';
import { writeMatrix } from './maths.js';
import { Plane } from './plane.js';
import { shapeLook } from './shapes.js';
import { bodyState, frameAt } from './track.js';

/** Line segments drawn once per matrix, as an instanced mesh is. */
class InstancedLines extends THREE.LineSegments {
  constructor(geometry, material, matrices, count) {
    super(geometry, material);
    this.isInstancedMesh = true;
    this.instanceMatrix = matrices;
    this.instanceColor = null;
    this.morphTexture = null;
    this.count = count;
    this.frustumCulled = false;
    this.raycast = () => {};
  }
}

const state = new Float64Array(13);

export class Bodies {
  /** ghost: a colour, for a translucent copy over another run. */
  constructor(run, theme, ghost = null) {
    this.run = run;
    this.ghost = ghost;
    this.group = new THREE.Group();
    this.poses = new Float64Array(7 * run.bodies.length);
    this.lines = new THREE.LineBasicMaterial({ transparent: true });
    this.meshes = [];
    this.planes = [];
    this.build();
    this.setTheme(theme);
    this.update(run.time[0], true);
  }

  build() {
    const uses = new Map();
    for (const body of this.run.bodies)
      for (const piece of body.pieces) {
        if (!uses.has(piece.shape)) uses.set(piece.shape, []);
        uses.get(piece.shape).push({ body, pose: piece.pose });
      }
    for (const [index, list] of uses) {
      const shape = this.run.shapes[index];
      if (shape.kind === 'plane') { if (!this.ghost) for (const use of list) this.addPlane(use); continue; }
      const look = shapeLook(shape, list.length);
      if (look) this.addMesh(look, list);
    }
  }

  addPlane(use) {
    const plane = new Plane(this.run, use.body);
    plane.use = use;
    this.planes.push(plane);
    this.group.add(plane.group);
  }

  addMesh(look, list) {
    const mesh = new THREE.InstancedMesh(look.surface('fine'), null, list.length);
    mesh.frustumCulled = false;
    mesh.castShadow = mesh.receiveShadow = !this.ghost;
    mesh.instanceMatrix.setUsage(THREE.DynamicDrawUsage);
    mesh.userData = { look, list };
    mesh.renderOrder = this.ghost ? 5 : 0;
    this.meshes.push(mesh);
    this.group.add(mesh);
    if (look.disc && !this.ghost) this.addDiscs(mesh);
    if (look.edges && !this.ghost) {
      mesh.userData.edges = new InstancedLines(look.edges, this.lines, mesh.instanceMatrix, list.length);
      this.group.add(mesh.userData.edges);
    }
  }

  /** What is drawn in the mesh's place where quality is lowered; the mesh is still what is picked. */
  addDiscs(mesh) {
    const discs = mesh.userData.discs = new THREE.InstancedMesh(mesh.userData.look.disc, null, 0);
    discs.instanceMatrix = mesh.instanceMatrix;
    discs.count = mesh.count;
    discs.frustumCulled = false;
    this.group.add(discs);
  }

  setTheme(theme) {
    this.theme = theme;
    this.lines.color.set(theme.edge);
    this.lines.opacity = Number(theme.edgeStrength) || 0.5;
    for (const plane of this.planes) plane.setTheme(theme);
    if (this.ghost) return this.setQuality({ simple: false, round: 'fine', edges: true, shadows: true });
    const colour = new THREE.Color();
    for (const mesh of this.meshes) {
      mesh.userData.list.forEach((use, i) => mesh.setColorAt(i, colour.set(bodyColour(this.run, use.body, theme))));
      mesh.instanceColor.needsUpdate = true;
      if (mesh.userData.discs) mesh.userData.discs.instanceColor = mesh.instanceColor;
    }
    this.setQuality({ simple: false, round: 'fine', edges: true, shadows: true });
  }

  setQuality({ simple, round, edges, shadows }) {
    for (const plane of this.planes) plane.setQuality({ shadows });
    for (const mesh of this.meshes) {
      const { look, discs } = mesh.userData;
      mesh.geometry = look.surface(round);
      mesh.material = surface({ mark: look.mark, open: look.open, simple, ghost: Boolean(this.ghost), colour: this.ghost });
      mesh.visible = shadows || !discs; // discs cast none
      if (discs) { discs.visible = !shadows; discs.material = surface({ mark: look.mark, simple, disc: true }); }
      if (mesh.userData.edges) mesh.userData.edges.visible = edges;
    }
  }

  /** Puts every body where it is at time t; those that never move only the first time. */
  update(t, all = false) {
    const { run, poses } = this, frame = frameAt(run, t);
    for (const body of run.bodies) {
      if (body.moves < 0 && !all) continue;
      bodyState(state, run, body, t, frame);
      for (let i = 0; i < 7; i++) poses[7 * body.index + i] = state[i];
    }
    for (const mesh of this.meshes) {
      const { list } = mesh.userData, array = mesh.instanceMatrix.array;
      let changed = false;
      for (let i = 0; i < list.length; i++) {
        if (list[i].body.moves < 0 && !all) continue;
        writeMatrix(array, 16 * i, poses, 7 * list[i].body.index, list[i].pose);
        changed = true;
      }
      if (changed) { mesh.instanceMatrix.needsUpdate = true; mesh.boundingSphere = null; mesh.boundingBox = null; }
    }
    for (const plane of this.planes) if (all || plane.use.body.moves >= 0) plane.place(poses, 7 * plane.use.body.index, plane.use.pose);
  }

  /** The body and the point on it, in its own frame, that a ray meets first. */
  hit(ray) {
    const found = ray.intersectObjects(this.meshes.concat(this.planes.map((plane) => plane.mesh)), false);
    for (const one of found) {
      const body = one.object.userData.plane ? one.object.userData.plane.use.body : one.object.userData.list[one.instanceId].body;
      if (one.object.userData.plane && !one.object.userData.plane.covers(one.point)) continue;
      return { body, point: one.point, distance: one.distance };
    }
    return null;
  }
}
