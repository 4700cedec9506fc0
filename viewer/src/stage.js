// The stage: one canvas, one camera, light and shadows, and a scene for each pane. Draws only when something has changed.
//
// SPDX-License-Identifier: MIT
import * as THREE from 'three';
import { OrbitControls } from 'three/examples/jsm/controls/OrbitControls.js';

const fov = 32;

/** The corners of the box as vectors. */
function corners(box) {
  return Array.from({ length: 8 }, (_, i) => new THREE.Vector3(...[0, 1, 2].map((k) => (i >> k & 1 ? box.high[k] : box.low[k]))));
}

export class Stage {
  /** Throws where there is no WebGL. */
  constructor(canvas, box, up, drawn) {
    this.canvas = canvas;
    this.box = box;
    this.drawn = drawn;
    this.software = drawnBySoftware();
    this.renderer = new THREE.WebGLRenderer({ canvas, antialias: !this.software, alpha: true, powerPreference: 'high-performance' });
    this.renderer.shadowMap.enabled = true;
    this.renderer.shadowMap.type = THREE.PCFShadowMap;
    this.renderer.toneMapping = THREE.NoToneMapping;
    this.renderer.setScissorTest(true);
    this.renderer.autoClear = false;
    this.panes = [];
    this.ratio = this.samples = 1;
    this.shadows = true;
    this.dirty = true;
    this.shadowsDirty = true;
    this.setUpCamera(up);
  }

  setUpCamera(up) {
    this.center = new THREE.Vector3().addVectors(new THREE.Vector3(...this.box.low), new THREE.Vector3(...this.box.high)).multiplyScalar(0.5);
    this.radius = Math.max(new THREE.Vector3(...this.box.high).distanceTo(new THREE.Vector3(...this.box.low)) / 2, 1e-3);
    this.camera = new THREE.PerspectiveCamera(fov, 1, 0.01, 100);
    this.camera.up.copy(up);
    this.up = up;
    this.east = Math.abs(up.z) > 0.9 ? new THREE.Vector3(1, 0, 0) : Math.abs(up.y) > 0.9 ? new THREE.Vector3(1, 0, 0) : new THREE.Vector3(0, 1, 0);
    this.east.addScaledVector(up, -this.east.dot(up)).normalize();
    this.north = new THREE.Vector3().crossVectors(up, this.east);
    this.camera.position.copy(this.center).add(this.direction('corner'));
    this.controls = new OrbitControls(this.camera, this.canvas);
    this.controls.enableDamping = !matchMedia('(prefers-reduced-motion: reduce)').matches;
    this.controls.dampingFactor = 0.18;
    this.controls.zoomToCursor = true;
    this.controls.minDistance = this.radius * 1e-4;
    this.controls.maxDistance = this.radius * 200;
    this.controls.addEventListener('change', () => { this.dirty = true; });
    this.controls.addEventListener('start', () => { this.handling = true; });
    this.controls.addEventListener('end', () => { this.handling = false; });
  }

  /** From where the camera looks: a unit vector. */
  direction(view) {
    const mix = { corner: [0.42, -0.78, 0.58], front: [0, -1, 0.0005], side: [1, 0, 0.0005], top: [0, -0.0008, 1] }[view];
    return new THREE.Vector3().addScaledVector(this.east, mix[0]).addScaledVector(this.north, mix[1]).addScaledVector(this.up, mix[2]).normalize();
  }

  /** Looks at the whole run, or at a smaller box, from one side. */
  fit(view = 'corner', box = this.box) {
    this.measure();
    const from = this.direction(view), center = corners(box).reduce((sum, c) => sum.add(c), new THREE.Vector3()).multiplyScalar(1 / 8);
    const aspect = this.camera.aspect || 1, tall = Math.tan(fov * Math.PI / 360), wide = tall * aspect;
    this.camera.position.copy(center).add(from);
    this.camera.lookAt(center);
    this.camera.updateMatrixWorld();
    let away = 1e-3;
    for (const corner of corners(box)) {
      const p = corner.sub(center).applyQuaternion(this.camera.quaternion.clone().invert());
      away = Math.max(away, p.z + Math.max(Math.abs(p.x) / wide, Math.abs(p.y) / tall));
    }
    this.camera.position.copy(center).addScaledVector(from, away * 1.1);
    this.controls.target.copy(center);
    this.controls.update();
    this.fitted = { view, box };
    this.dirty = true;
  }

  /** Looks from one place at another. */
  look(eye, at) {
    this.camera.position.set(...eye);
    this.controls.target.set(...at);
    this.controls.update();
    this.fitted = null;
    this.dirty = true;
  }

  /** A scene of its own, with light. */
  addPane(element) {
    const scene = new THREE.Scene(), sky = new THREE.HemisphereLight(), sun = new THREE.DirectionalLight(), fill = new THREE.DirectionalLight();
    sky.position.copy(this.up);
    const toSun = this.direction('corner').applyAxisAngle(this.up, 1.15).addScaledVector(this.up, 1.1).normalize();
    sun.position.copy(this.center).addScaledVector(toSun, 4 * this.radius);
    sun.target.position.copy(this.center);
    fill.position.copy(this.direction('corner').applyAxisAngle(this.up, -1.2));
    this.setUpShadow(sun);
    scene.add(sky, sun, sun.target, fill);
    const pane = { element, scene, sky, sun, fill };
    this.panes.push(pane);
    return pane;
  }

  setUpShadow(sun) {
    sun.castShadow = true;
    sun.shadow.mapSize.set(2048, 2048);
    const r = 1.25 * this.radius, c = sun.shadow.camera;
    c.left = c.bottom = -r; c.right = c.top = r; c.near = 2 * this.radius; c.far = 8 * this.radius;
    sun.shadow.bias = -0.0004;
    sun.shadow.normalBias = 0.004 * this.radius;
    sun.shadow.radius = 5;
    sun.shadow.autoUpdate = false;
  }

  setTheme(theme, dark) {
    for (const { sky, sun, fill } of this.panes) {
      sky.color.set(theme.light); sky.groundColor.set(theme.fill); sky.intensity = dark ? 1.4 : 1.95;
      sun.intensity = dark ? 2.0 : 1.75;
      fill.intensity = dark ? 0.5 : 0.45;
    }
    this.dirty = true;
  }

  setShadows(on) {
    if (on === this.shadows) return;
    this.shadows = on;
    for (const pane of this.panes) pane.sun.castShadow = on;
    this.shadowsDirty = this.dirty = true;
  }

  /** Share of the screen's pixels, and smooth edges or not: where software draws, these are had by drawing at twice the size. */
  setRatio(ratio, smooth) {
    const samples = this.software && smooth ? 2 : 1;
    if (ratio === this.ratio && samples === this.samples && this.sized) return;
    this.ratio = ratio;
    this.samples = samples;
    this.resize();
  }

  pixelRatio() { return Math.min(Math.min(devicePixelRatio || 1, 2) * this.samples, 2.5) * this.ratio; }

  /** Takes on the canvas's size; says whether it has changed. */
  resize() {
    const wide = this.canvas.clientWidth, tall = this.canvas.clientHeight, ratio = this.pixelRatio(), size = wide && tall ? `${wide} ${tall} ${ratio}` : '';
    if (size === this.sized) return false;
    this.sized = size;
    if (!size) return false;
    this.renderer.setPixelRatio(ratio);
    this.renderer.setSize(wide, tall, false);
    this.placePanes();
    this.dirty = true;
    return true;
  }

  /** Where the panes are on the canvas: asked for once, since to ask in each frame costs a layout in each. */
  placePanes() {
    const frame = this.canvas.getBoundingClientRect();
    for (const pane of this.panes) {
      const rect = pane.element.getBoundingClientRect();
      pane.place = { x: Math.floor(rect.left - frame.left), y: Math.floor(frame.bottom - rect.bottom), width: Math.ceil(rect.width), height: Math.ceil(rect.height) };
    }
  }

  /** Marks the picture as out of date; moved says whether bodies moved, too. */
  touch(moved = true) {
    this.dirty = true;
    if (moved) this.shadowsDirty = true;
  }

  /** Moves the camera along with a body. */
  carry(x, y, z) {
    this.camera.position.x += x; this.camera.position.y += y; this.camera.position.z += z;
    this.controls.target.x += x; this.controls.target.y += y; this.controls.target.z += z;
  }

  orbit(sideways, upwards) {
    const offset = this.camera.position.clone().sub(this.controls.target);
    offset.applyAxisAngle(this.up, sideways);
    const axis = new THREE.Vector3().crossVectors(this.up, offset).normalize(), angle = offset.angleTo(this.up);
    if (angle + upwards > 0.02 && angle + upwards < Math.PI - 0.02) offset.applyAxisAngle(axis, upwards);
    this.camera.position.copy(this.controls.target).add(offset);
    this.controls.update();
    this.dirty = true;
  }

  pan(x, y) {
    const step = 0.1 * this.camera.position.distanceTo(this.controls.target), move = new THREE.Vector3(x * step, y * step, 0).applyQuaternion(this.camera.quaternion);
    this.carry(move.x, move.y, move.z);
    this.controls.update();
    this.dirty = true;
  }

  zoom(factor) {
    this.camera.position.sub(this.controls.target).multiplyScalar(factor).add(this.controls.target);
    this.controls.update();
    this.dirty = true;
  }

  /** What one pixel spans at distance 1. */
  spanOfPixel(tall) { return 2 * Math.tan(fov * Math.PI / 360) / tall; }

  /** Metres that one pixel of a pane spans at the camera's target. */
  metresPerPixel() {
    const tall = this.panes[0]?.place?.height || this.canvas.clientHeight || 1;
    return this.spanOfPixel(tall) * this.camera.position.distanceTo(this.controls.target);
  }

  /** Metres from the lower to the upper end of the picture, at the camera's target. */
  metresSeen() { return this.spanOfPixel(1) * this.camera.position.distanceTo(this.controls.target); }

  /** Draws if there is something new; says whether it did. */
  draw() {
    this.controls.update();
    if (!this.dirty || !this.sized) return false;
    this.dirty = false;
    const distance = this.camera.position.distanceTo(this.controls.target), away = this.camera.position.distanceTo(this.center);
    this.camera.near = Math.max(distance * 0.01, (away - 12 * this.radius) * 0.5);
    this.camera.far = away + 20 * this.radius;
    const { x: wide, y: tall } = this.renderer.getSize(new THREE.Vector2());
    this.renderer.setScissor(0, 0, wide + 1, tall + 1);
    this.renderer.setClearColor(0, 0); // shadows leave another one behind
    this.renderer.clear();
    for (const pane of this.panes) this.drawPane(pane);
    this.shadowsDirty = false;
    this.drawn();
    return true;
  }

  drawPane(pane) {
    const { x, y, width, height } = pane.place;
    if (width < 1 || height < 1) return;
    if (this.shadows && this.shadowsDirty) pane.sun.shadow.needsUpdate = true;
    this.camera.aspect = width / height;
    this.camera.updateProjectionMatrix();
    this.renderer.setViewport(x, y, width, height);
    this.renderer.setScissor(x, y, width, height);
    pane.prepare?.(width, height);
    this.renderer.render(pane.scene, this.camera);
  }

  /** The aspect the camera will have, before the first picture. */
  measure() {
    const rect = this.panes[0]?.element.getBoundingClientRect();
    if (rect?.width && rect.height) this.camera.aspect = Math.ceil(rect.width) / Math.ceil(rect.height);
  }
}

/** Whether there is no graphics card, so that every pixel costs. */
function drawnBySoftware() {
  const gl = document.createElement('canvas').getContext('webgl2');
  const about = gl?.getExtension('WEBGL_debug_renderer_info');
  const name = about ? String(gl.getParameter(about.UNMASKED_RENDERER_WEBGL)) : '';
  gl?.getExtension('WEBGL_lose_context')?.loseContext();
  return /llvmpipe|softpipe|swiftshader|software|basic render/i.test(name);
}
