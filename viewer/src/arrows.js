// Arrows, dots and friction cones over the scene: as wide as a pen on the screen at any distance, faint where a body hides them.
//
// SPDX-License-Identifier: MIT
import * as THREE from 'three';

const vertexShader = `
attribute vec3 start; attribute vec3 reach; attribute vec4 tint; attribute float thick;
uniform vec2 pixels; uniform float halo;
varying vec4 vTint;
void main() {
  vec4 a = projectionMatrix * viewMatrix * vec4(start, 1.0), b = projectionMatrix * viewMatrix * vec4(start + reach, 1.0);
  float near = 1e-5;
  if (a.w < near || b.w < near) { gl_Position = vec4(2.0, 2.0, 2.0, 1.0); vTint = vec4(0.0); return; }
  vec2 from = a.xy / a.w * pixels * 0.5, to = b.xy / b.w * pixels * 0.5, along = to - from;
  float size = length(along);
  along = size > 1e-3 ? along / size : vec2(1.0, 0.0);
  vec2 across = vec2(-along.y, along.x);
  float head = min(3.6 * thick + 4.0, 0.6 * size), share = size > 0.0 ? 1.0 - head / size : 0.0;
  float wide = position.z > 0.5 ? (0.42 * head + 0.5) : 0.5 * thick;
  float at = position.x < 0.5 ? 0.0 : position.x < 1.5 ? share : 1.0;
  vec4 spot = mix(a, b, at);
  vec2 place = mix(from, to, at);
  float screenShare = size > 0.0 ? clamp(at, 0.0, 1.0) : 0.0;
  vec2 grow = across * position.y * (wide + halo) + along * halo * (position.x < 0.5 ? -1.0 : position.x < 1.5 ? (position.z > 0.5 ? -0.6 : 0.0) : 1.6);
  place = from + (to - from) * screenShare + grow;
  gl_Position = vec4(place / (pixels * 0.5) * spot.w, spot.z - 0.0004 * spot.w, spot.w);
  vTint = tint;
}`;
const fragmentShader = `
varying vec4 vTint; uniform float strength; uniform vec3 rim; uniform float halo;
void main() {
  if (vTint.a * strength < 0.01) discard;
  gl_FragColor = vec4(halo > 0.0 ? rim : vTint.rgb, vTint.a * strength * (halo > 0.0 ? 0.75 : 1.0));
}`;

/** Hands on the rows that are used, not all the room there is. */
function send(attribute, rows) {
  attribute.clearUpdateRanges();
  attribute.addUpdateRange(0, rows * attribute.itemSize);
  attribute.needsUpdate = true;
}

function paint(tints, i, { r, g, b }, alpha) {
  tints[4 * i] = r; tints[4 * i + 1] = g; tints[4 * i + 2] = b; tints[4 * i + 3] = alpha;
}

/** x: 0 start, 1 foot of the head, 2 tip; y: side; z: 1 for the head. */
const outline = [[0, -1, 0], [0, 1, 0], [1, 1, 0], [1, -1, 0], [1, -1, 1], [1, 1, 1], [2, 0, 1]];

/** A list of arrows, dots at their feet being a list of their own. */
export class Arrows {
  constructor(capacity = 64) {
    this.group = new THREE.Group();
    this.pixels = { value: new THREE.Vector2(1, 1) };
    this.rim = { value: new THREE.Color() };
    this.passes = [[1, 1.4, false], [1, 0, false], [0.4, 0, true]].map(([strength, halo, hidden]) => new THREE.ShaderMaterial({
      vertexShader, fragmentShader, transparent: true, depthWrite: false, side: THREE.DoubleSide,
      depthFunc: hidden ? THREE.GreaterDepth : THREE.LessEqualDepth,
      uniforms: { pixels: this.pixels, strength: { value: strength }, halo: { value: halo }, rim: this.rim } }));
    this.reserve(capacity);
  }

  reserve(capacity) {
    this.geometry?.dispose();
    this.capacity = capacity;
    const geometry = this.geometry = new THREE.InstancedBufferGeometry();
    geometry.setAttribute('position', new THREE.Float32BufferAttribute(outline.flat(), 3));
    geometry.setIndex([0, 1, 2, 0, 2, 3, 4, 5, 6]);
    const add = (name, size) => {
      const attribute = new THREE.InstancedBufferAttribute(new Float32Array(size * capacity), size).setUsage(THREE.DynamicDrawUsage);
      geometry.setAttribute(name, attribute);
      return attribute;
    };
    this.start = add('start', 3); this.reach = add('reach', 3); this.tint = add('tint', 4); this.thick = add('thick', 1);
    this.group.clear();
    this.passes.forEach((material, i) => {
      const mesh = new THREE.Mesh(geometry, material);
      mesh.frustumCulled = false;
      mesh.renderOrder = 20 + i;
      this.group.add(mesh);
    });
    this.clear();
  }

  clear() { this.count = 0; this.geometry.instanceCount = 0; }

  /** From start on by so many times reach. */
  add(start, reach, times, colour, alpha = 1, thick = 3) {
    if (this.count >= this.capacity) return;
    const i = this.count++;
    for (let k = 0; k < 3; k++) { this.start.array[3 * i + k] = start[k]; this.reach.array[3 * i + k] = times * reach[k]; }
    paint(this.tint.array, i, colour, alpha);
    this.thick.array[i] = thick;
  }

  finish() {
    this.geometry.instanceCount = this.count;
    this.group.visible = this.count > 0;
    for (const attribute of [this.start, this.reach, this.tint, this.thick]) send(attribute, this.count);
  }

  /** Fainter where hidden, and thinner, when there are many; if plain, those hidden are not drawn. */
  setCrowd(many, plain) { this.passes[2].uniforms.strength.value = many ? 0.12 : 0.4; this.passes[2].visible = !many || !plain; this.passes[0].visible = !many; }

  setSize(width, height) { this.pixels.value.set(width, height); }
}

const dotVertex = `attribute vec4 tint; uniform float size; varying vec4 vTint;
void main() { gl_Position = projectionMatrix * modelViewMatrix * vec4(position, 1.0); gl_Position.z -= 0.0006 * gl_Position.w; gl_PointSize = size; vTint = tint; }`;
const dotFragment = `varying vec4 vTint; uniform float strength; uniform float size; uniform float ratio; uniform vec3 rim;
void main() { float d = length(gl_PointCoord - 0.5) * size / ratio, edge = size / ratio * 0.5;
  float inner = 1.0 - smoothstep(edge - 1.5, edge - 1.0, d), outer = 1.0 - smoothstep(edge - 0.6, edge - 0.1, d);
  float a = outer * vTint.a * strength; if (a < 0.01) discard; gl_FragColor = vec4(mix(rim, vTint.rgb, inner), a); }`;

/** Round dots of one size on the screen. */
export class Dots {
  constructor(capacity = 64) {
    this.group = new THREE.Group();
    this.rim = { value: new THREE.Color() };
    this.size = { value: 9 };
    this.ratio = { value: 1 };
    this.passes = [[1, false], [0.45, true]].map(([strength, hidden]) => new THREE.ShaderMaterial({
      vertexShader: dotVertex, fragmentShader: dotFragment, transparent: true, depthWrite: false,
      depthFunc: hidden ? THREE.GreaterDepth : THREE.LessEqualDepth, uniforms: { strength: { value: strength }, size: this.size, ratio: this.ratio, rim: this.rim } }));
    this.reserve(capacity);
  }

  reserve(capacity) {
    this.geometry?.dispose();
    this.capacity = capacity;
    this.geometry = new THREE.BufferGeometry();
    this.place = new THREE.BufferAttribute(new Float32Array(3 * capacity), 3).setUsage(THREE.DynamicDrawUsage);
    this.tint = new THREE.BufferAttribute(new Float32Array(4 * capacity), 4).setUsage(THREE.DynamicDrawUsage);
    this.geometry.setAttribute('position', this.place).setAttribute('tint', this.tint);
    this.group.clear();
    this.passes.forEach((material, i) => {
      const points = new THREE.Points(this.geometry, material);
      points.frustumCulled = false;
      points.renderOrder = 25 + i;
      this.group.add(points);
    });
    this.count = 0;
  }

  clear() { this.count = 0; }

  setCrowd(many, plain) { this.passes[1].uniforms.strength.value = many ? 0.1 : 0.45; this.passes[1].visible = !many || !plain; this.small = many; }

  add(at, colour, alpha = 1) {
    if (this.count >= this.capacity) return;
    for (let k = 0; k < 3; k++) this.place.array[3 * this.count + k] = at[k];
    paint(this.tint.array, this.count++, colour, alpha);
  }

  finish(ratio = 1) {
    this.geometry.setDrawRange(0, this.count);
    this.group.visible = this.count > 0;
    this.size.value = (this.small ? 6 : 9) * ratio;
    this.ratio.value = ratio;
    for (const attribute of [this.place, this.tint]) send(attribute, this.count);
  }
}

const ringPoints = (n) => Array.from({ length: n + 1 }, (_, i) => [Math.cos(2 * Math.PI * i / n), Math.sin(2 * Math.PI * i / n), 1]).flat();

/** Friction cones: translucent, apex at the contact, as high as the normal arrow is long. */
export class Cones {
  constructor(capacity = 64) {
    this.group = new THREE.Group();
    this.skin = new THREE.MeshBasicMaterial({ transparent: true, opacity: 0.13, side: THREE.DoubleSide, depthWrite: false, toneMapped: false });
    this.capacity = capacity;
    const n = 40, rim = ringPoints(n), position = [], index = [];
    position.push(0, 0, 0, ...rim);
    for (let i = 0; i < n; i++) index.push(0, i + 1, i + 2);
    const cone = new THREE.BufferGeometry().setAttribute('position', new THREE.Float32BufferAttribute(position, 3));
    cone.setIndex(index);
    this.mesh = new THREE.InstancedMesh(cone, this.skin, capacity);
    this.mesh.setColorAt(0, new THREE.Color());
    this.mesh.frustumCulled = false;
    this.mesh.renderOrder = 15;
    this.mesh.raycast = () => {};
    this.group.add(this.mesh);
    this.clear();
  }

  clear() { this.count = 0; }

  add(at, axis, height, friction, colour) {
    if (this.count >= this.capacity || !(height > 0) || !(friction > 0)) return;
    const matrix = new THREE.Matrix4().compose(new THREE.Vector3(...at),
      new THREE.Quaternion().setFromUnitVectors(new THREE.Vector3(0, 0, 1), new THREE.Vector3(...axis).normalize()), new THREE.Vector3(friction * height, friction * height, height));
    this.mesh.setMatrixAt(this.count, matrix);
    this.mesh.setColorAt(this.count++, colour);
  }

  finish() {
    this.mesh.count = this.count;
    this.group.visible = this.count > 0;
    for (const attribute of [this.mesh.instanceMatrix, this.mesh.instanceColor]) send(attribute, this.count);
  }
}
