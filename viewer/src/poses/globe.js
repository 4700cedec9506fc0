// The sphere of starting orientations: a point for each drop, where "down" was in the axes of the body, in the colour of the card
// on which it ended. Orbits by drag and by keys; the nearest point to the pointer is the one meant.
//
// SPDX-License-Identifier: MIT
import * as THREE from 'three';
import { OrbitControls } from 'three/examples/jsm/controls/OrbitControls.js';
import { el } from '../dom.js';
import { cardTitle } from './words.js';

const fov = 30, distance = 4.95;

const vertexShader = `
attribute vec3 tint; attribute float lit;
uniform float size; uniform float through;
varying vec3 vTint; varying float vAlpha;
void main() {
  vec4 place = modelViewMatrix * vec4(position, 1.0);
  float facing = dot(normalize(normalMatrix * position), normalize(-place.xyz));
  vTint = tint;
  float front = smoothstep(0.0, 0.25, facing);
  vAlpha = mix(0.55 + 0.45 * front, mix(0.5, 0.1, front), through) * mix(0.28, 1.0, lit);
  gl_Position = projectionMatrix * place;
  gl_PointSize = size * mix(0.8, 1.0, lit) * (3.95 / -place.z);
}`;
const fragmentShader = `
varying vec3 vTint; varying float vAlpha;
void main() {
  float r = length(gl_PointCoord - 0.5);
  float inside = 1.0 - smoothstep(0.38, 0.5, r);
  if (inside < 0.02) discard;
  gl_FragColor = vec4(vTint, vAlpha * inside);
}`;

export class Globe {
  /** Throws where there is no WebGL. pointed(sample or -1) and chosen(sample or -1) are told. */
  constructor(data, part, colours, { pointed, chosen }) {
    Object.assign(this, { data, part, colours, pointed, chosen });
    this.lit = null; // a card
    this.sample = -1;
    this.canvas = el('canvas', { class: 'globe', tabindex: 0, role: 'img', 'aria-label': 'Sphere of starting orientations. Arrows turn it, enter picks the point in the middle.' });
    this.labels = el('div', { class: 'globe-labels', 'aria-hidden': 'true' });
    this.element = el('div', { class: 'globe-frame' }, this.canvas, this.labels);
    this.renderer = new THREE.WebGLRenderer({ canvas: this.canvas, antialias: true, alpha: true });
    this.scene = new THREE.Scene();
    this.camera = new THREE.PerspectiveCamera(fov, 1, 0.1, 20);
    this.camera.up.set(0, 0, 1);
    this.camera.position.copy(this.firstView()).multiplyScalar(distance);
    this.build();
    this.makeLabels();
    this.listen();
  }

  /** From where the most probable card is seen, a little from the side, since markers lie over their points. */
  firstView() {
    const top = this.data.order[0], view = new THREE.Vector3(0.75, -1, 0.5);
    if (top) view.addScaledVector(new THREE.Vector3(...top.normal), 0.9);
    if (Math.hypot(view.x, view.y) < 0.3) view.y -= 0.6;
    return view.normalize();
  }

  build() {
    const { samples } = this.data, n = samples.count;
    const geometry = this.geometry = new THREE.BufferGeometry();
    geometry.setAttribute('position', new THREE.BufferAttribute(samples.down, 3));
    geometry.setAttribute('tint', new THREE.BufferAttribute(new Float32Array(3 * n), 3));
    geometry.setAttribute('lit', new THREE.BufferAttribute(new Float32Array(n).fill(1), 1));
    this.look = new THREE.ShaderMaterial({ vertexShader, fragmentShader, transparent: true, depthWrite: false, uniforms: { size: { value: 4 }, through: { value: 0 } } });
    this.points = new THREE.Points(geometry, this.look);
    this.points.frustumCulled = false;
    this.core = new THREE.Mesh(new THREE.SphereGeometry(0.985, 64, 32), new THREE.MeshBasicMaterial({ toneMapped: false }));
    this.mark = new THREE.Mesh(new THREE.RingGeometry(0.028, 0.04, 40), new THREE.MeshBasicMaterial({ toneMapped: false, side: THREE.DoubleSide }));
    this.mark.renderOrder = 5;
    this.mark.visible = false;
    this.inside = new THREE.Group();
    this.light = new THREE.DirectionalLight();
    this.sky = new THREE.HemisphereLight();
    this.scene.add(this.core, this.points, this.mark, this.inside, this.light, this.sky);
    this.addAxes();
  }

  /** Axes of the body, as far as they stand out of the sphere. */
  addAxes() {
    this.axes = new THREE.LineSegments(new THREE.BufferGeometry().setFromPoints([0, 1, 2].flatMap((k) => [1, 1.12].map((r) => new THREE.Vector3().setComponent(k, r)))), new THREE.LineBasicMaterial({ toneMapped: false }));
    this.scene.add(this.axes);
  }

  makeLabels() {
    const marker = (card, at) => ({ at, card: card.index, element: el('span', { class: 'marker', text: String(card.id), title: cardTitle(this.data, card.index) }) });
    this.markers = this.data.order.slice(0, 24).flatMap((card) => this.spread(card).map((at) => marker(card, at)));
    this.axisNames = ['x', 'y', 'z'].map((name, k) => ({ at: new THREE.Vector3().setComponent(k, 1.17), element: el('span', { class: `axis-name ${name}`, text: name }) }));
    this.labels.append(...[...this.markers, ...this.axisNames].map((one) => one.element));
  }

  /** Normals of a card far from each other, that of its lowest pose first: where its number stands. */
  spread(card) {
    const apart = Math.cos(Math.PI / 3), found = [new THREE.Vector3(...card.normal).normalize()];
    for (const { normal } of card.members) {
      const at = normal && new THREE.Vector3(...normal).normalize();
      if (at && found.every((one) => one.dot(at) < apart)) found.push(at);
    }
    return found;
  }

  listen() {
    const { canvas } = this, controls = this.controls = new OrbitControls(this.camera, canvas);
    controls.enablePan = controls.enableZoom = false;
    controls.enableDamping = false;
    controls.rotateSpeed = 0.75;
    canvas.style.touchAction = 'pan-y';
    controls.addEventListener('change', () => this.wake());
    let down = null;
    canvas.addEventListener('pointerdown', (event) => { down = { x: event.clientX, y: event.clientY }; });
    canvas.addEventListener('pointermove', (event) => { if (event.buttons === 0) this.pointed(this.nearest(event)); });
    canvas.addEventListener('pointerleave', () => this.pointed(-1));
    canvas.addEventListener('pointerup', (event) => { if (down && Math.hypot(event.clientX - down.x, event.clientY - down.y) < 5) this.chosen(this.nearest(event)); });
    canvas.addEventListener('keydown', (event) => this.key(event));
    canvas.addEventListener('webglcontextlost', (event) => event.preventDefault());
    new ResizeObserver(() => { this.resize(); this.draw(); }).observe(this.element);
  }

  key(event) {
    const way = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] }[event.key];
    if (way) this.orbit(0.12 * way[0], 0.12 * way[1]);
    else if (event.key === 'Enter' || event.key === ' ') this.chosen(this.middle());
    else return;
    event.preventDefault();
  }

  orbit(sideways, upwards) {
    const at = new THREE.Spherical().setFromVector3(this.camera.position.clone().applyAxisAngle(new THREE.Vector3(1, 0, 0), -Math.PI / 2));
    at.theta += sideways;
    at.phi = Math.min(Math.PI - 0.05, Math.max(0.05, at.phi + upwards));
    this.camera.position.setFromSpherical(at).applyAxisAngle(new THREE.Vector3(1, 0, 0), Math.PI / 2);
    this.controls.update();
    this.wake();
  }

  /** Turns the sphere so that a direction comes to the middle, not quite from above. */
  face(direction) {
    const v = new THREE.Vector3(...direction).normalize();
    if (Math.abs(v.z) > 0.94) v.add(new THREE.Vector3(0.18, -0.28, 0)).normalize();
    this.camera.position.copy(v).multiplyScalar(distance);
    this.controls.update();
    this.wake();
  }

  /** The sample under the pointer, or -1. */
  nearest(event) {
    const r = this.canvas.getBoundingClientRect(), ray = new THREE.Raycaster();
    ray.setFromCamera(new THREE.Vector2(2 * (event.clientX - r.left) / r.width - 1, 1 - 2 * (event.clientY - r.top) / r.height), this.camera);
    const hit = ray.ray.intersectSphere(new THREE.Sphere(new THREE.Vector3(), 1), new THREE.Vector3());
    return hit ? this.nearestTo(hit) : -1;
  }

  /** The sample in the middle of the picture. */
  middle() { return this.nearestTo(this.camera.position.clone().normalize()); }

  /** The sample next to a direction, of the lit card where there is one; -1 where none is near. */
  nearestTo({ x, y, z }) {
    const { down, rest, count } = this.data.samples, near = Math.cos(Math.max(0.06, 3 / Math.sqrt(count + 1)));
    let best = -1, most = near;
    for (let i = 0; i < count; i++) {
      const along = x * down[3 * i] + y * down[3 * i + 1] + z * down[3 * i + 2];
      if (along > most && (this.lit === null || rest[i] === this.lit)) { most = along; best = i; }
    }
    return best;
  }

  setTheme(theme, dark) {
    this.core.material.color.set(dark ? '#171d24' : '#f3f6f9');
    this.mark.material.color.set(theme.ink);
    this.axes.material.color.set(theme.soft);
    this.sky.color.set(theme.light);
    this.sky.groundColor.set(theme.fill);
    this.sky.intensity = 2.2;
    this.light.intensity = 1.8;
    this.inside.clear();
    const body = this.part.body(theme), faces = this.part.paint();
    const inner = new THREE.Group();
    inner.scale.setScalar(0.62 / this.part.reach);
    inner.position.copy(this.part.center).multiplyScalar(-0.62 / this.part.reach);
    inner.add(body, faces);
    this.inside.add(inner);
    this.paint();
  }

  /** Colours the points and the markers. */
  paint() {
    const { samples } = this.data, tint = this.geometry.attributes.tint, lit = this.geometry.attributes.lit, colour = new THREE.Color(), made = new Map();
    for (let i = 0; i < samples.count; i++) {
      const end = samples.rest[i];
      if (!made.has(end)) { colour.set(this.colours.of(end)); made.set(end, colour.clone().convertLinearToSRGB().toArray()); }
      tint.array.set(made.get(end), 3 * i);
      lit.array[i] = this.lit === null || end === this.lit ? 1 : 0;
    }
    tint.needsUpdate = lit.needsUpdate = true;
    for (const { element, card } of this.markers) {
      this.colours.fill(element, card);
      element.classList.toggle('dim', this.lit !== null && card !== this.lit);
    }
    this.wake();
  }

  choose(card) { this.lit = card; this.paint(); }

  setThrough(on) {
    this.look.uniforms.through.value = on ? 1 : 0;
    this.core.visible = !on;
    this.inside.visible = on;
    this.wake();
  }

  show(sample) {
    this.sample = sample;
    this.mark.visible = sample >= 0;
    if (sample >= 0) {
      const at = new THREE.Vector3().fromArray(this.data.samples.down, 3 * sample).normalize();
      this.mark.position.copy(at).multiplyScalar(1.003);
      this.mark.lookAt(at.multiplyScalar(2));
    }
    this.wake();
  }

  resize() {
    const wide = this.element.clientWidth, tall = this.element.clientHeight;
    if (!wide || !tall) return;
    this.renderer.setPixelRatio(Math.min(2, devicePixelRatio || 1));
    this.renderer.setSize(wide, tall, false);
    this.camera.aspect = wide / tall;
    const least = Math.min(wide, tall);
    this.camera.fov = wide < tall ? 2 * Math.atan(Math.tan(fov * Math.PI / 360) * tall / wide) * 180 / Math.PI : fov;
    this.camera.updateProjectionMatrix();
    const crowd = Math.sqrt(4 * Math.PI / Math.max(200, this.data.samples.count)); // mean distance of points on the unit sphere
    this.look.uniforms.size.value = Math.min(11, Math.max(2.4, 0.37 * least * crowd)) * this.renderer.getPixelRatio();
    this.sized = true;
  }

  wake() {
    if (this.waking) return;
    this.waking = true;
    requestAnimationFrame(() => { this.waking = false; this.draw(); });
  }

  draw() {
    if (!this.sized) this.resize();
    if (!this.sized) return;
    this.light.position.copy(this.camera.position).add(new THREE.Vector3(-1, 0.4, 2));
    this.renderer.render(this.scene, this.camera);
    this.placeLabels();
  }

  /** Labels where they are to be seen; of two in one place the more probable card has it. */
  placeLabels() {
    const wide = this.element.clientWidth, tall = this.element.clientHeight, taken = [], eye = this.camera.position, through = this.inside.visible;
    for (const { at, element, card } of [...this.markers, ...this.axisNames]) {
      const place = at.clone().project(this.camera), x = (place.x + 1) / 2 * wide, y = (1 - place.y) / 2 * tall;
      const front = card === undefined || eye.clone().sub(at).dot(at) > 0.02;
      const room = taken.every(([u, v]) => Math.hypot(u - x, v - y) > 24);
      const hidden = card === undefined ? eye.clone().normalize().dot(at) < -0.2 && Math.hypot(x - wide / 2, y - tall / 2) < 0.4 * Math.min(wide, tall) : !front && !through;
      element.hidden = hidden || !room;
      element.classList.toggle('behind', !front);
      if (element.hidden) continue;
      if (card !== undefined) taken.push([x, y]);
      element.style.transform = `translate(${x.toFixed(1)}px, ${y.toFixed(1)}px) translate(-50%, -50%)`;
    }
  }
}
