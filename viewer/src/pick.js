// Picking a body with the pointer, and the outline around the picked one.
//
// SPDX-License-Identifier: MIT
import * as THREE from 'three';
import { mergeVertices } from 'three/examples/jsm/utils/BufferGeometryUtils.js';
import { writeMatrix } from './maths.js';

/** A shell a little larger than the body, of which only the far side is drawn. */
function shellMaterial() {
  const material = new THREE.MeshBasicMaterial({ side: THREE.BackSide, toneMapped: false });
  material.onBeforeCompile = (shader) => {
    shader.vertexShader = shader.vertexShader.replace('#include <project_vertex>', `#include <project_vertex>
      vec3 away = normalize(normalMatrix * normal);
      mvPosition.xyz += away * (-mvPosition.z) * 0.0026;
      gl_Position = projectionMatrix * mvPosition;`);
  };
  return material;
}

export class Outline {
  constructor(bodies) {
    this.bodies = bodies;
    this.group = new THREE.Group();
    this.material = shellMaterial();
    this.shells = new Map();
  }

  setTheme(theme) { this.material.color.set(theme.accent); }

  /** Surface with one normal at each corner, so that the shell has no gaps. */
  shell(look) {
    if (!this.shells.has(look)) {
      const geometry = look.surface('fine').clone();
      for (const name of Object.keys(geometry.attributes)) if (name !== 'position') geometry.deleteAttribute(name);
      const joined = mergeVertices(geometry, 1e-6);
      joined.computeVertexNormals();
      this.shells.set(look, joined);
    }
    return this.shells.get(look);
  }

  choose(body) {
    this.group.clear();
    this.body = body;
    if (!body) return;
    for (const mesh of this.bodies.meshes)
      for (const use of mesh.userData.list) {
        if (use.body !== body) continue;
        const shell = new THREE.Mesh(this.shell(mesh.userData.look), this.material);
        shell.matrixAutoUpdate = false;
        shell.userData.use = use;
        shell.renderOrder = -0.5;
        this.group.add(shell);
      }
    this.update();
  }

  update() {
    for (const shell of this.group.children) {
      writeMatrix(shell.matrix.elements, 0, this.bodies.poses, 7 * this.body.index, shell.userData.use.pose);
      shell.matrixWorldNeedsUpdate = true;
    }
  }
}

/** Makes a click or a tap on the canvas pick; hit(body or null, point on it). */
export function pickWithPointer(canvas, stage, panes, hit) {
  let down = null;
  canvas.addEventListener('pointerdown', (event) => { down = event.isPrimary && event.button === 0 ? { x: event.clientX, y: event.clientY, at: event.timeStamp } : null; });
  canvas.addEventListener('pointerup', (event) => {
    if (!down || Math.hypot(event.clientX - down.x, event.clientY - down.y) > 5 || event.timeStamp - down.at > 600) return;
    const pane = panes.at(event.clientX, event.clientY);
    if (!pane) return;
    const found = pane.bodies.hit(rayAt(event, pane, stage.camera));
    hit(found, pane, event);
  });
}

function rayAt(event, pane, camera) {
  const r = pane.element.getBoundingClientRect(), ray = new THREE.Raycaster();
  ray.setFromCamera(new THREE.Vector2(2 * (event.clientX - r.left) / r.width - 1, 1 - 2 * (event.clientY - r.top) / r.height), camera);
  return ray;
}
