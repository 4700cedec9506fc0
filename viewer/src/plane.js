// A plane: a floor that fades out around the run, ruled in metres, with figures at its lines.
//
// SPDX-License-Identifier: MIT
import * as THREE from 'three';
import { writeMatrix } from './maths.js';
import { lengthText, niceStep } from './units.js';

const vertexPart = 'varying vec2 vSpot;\n';
const fragmentPart = `varying vec2 vSpot;
uniform vec2 middle; uniform float reach; uniform float cell; uniform float pixel;
float ruled(vec2 p, float size, float half_width) {
  vec2 q = p / size, w = fwidth(q) + 1e-9, away = abs(fract(q - 0.5) - 0.5) / w;
  vec2 line = clamp(half_width + 0.5 - away, 0.0, 1.0) * clamp(1.5 - 4.0 * w, 0.0, 1.0);
  return max(line.x, line.y);
}
float seen() { return 1.0 - smoothstep(0.35, 1.0, distance(vSpot, middle) / reach); }
float grid() { return max(0.4 * ruled(vSpot, cell / 5.0, 0.35 * pixel), ruled(vSpot, cell, 0.65 * pixel)); }
`;
const lines = `
float far = seen();
diffuseColor.rgb = mix(diffuseColor.rgb, gridColour, 0.75 * grid() * far);
diffuseColor.a *= far;
`;

/** Where there are no shadows, light is the same all over a plane: found at its corners, that saves most of the work. */
const plainVertex = `#include <common>
#include <lights_pars_begin>
uniform vec3 floorColour; uniform vec3 gridColour;
varying vec2 vSpot; varying vec3 vFloor; varying vec3 vGrid;
vec3 shown(vec3 c) { return mix(1.055 * pow(c, vec3(1.0 / 2.4)) - 0.055, 12.92 * c, vec3(lessThanEqual(c, vec3(0.0031308)))); }
void main() {
  vec3 light = vec3(0.0), up = normalize(normalMatrix * normal);
  for (int i = 0; i < NUM_HEMI_LIGHTS; i++) light += getHemisphereLightIrradiance(hemisphereLights[i], up);
  for (int i = 0; i < NUM_DIR_LIGHTS; i++) light += max(0.0, dot(up, directionalLights[i].direction)) * directionalLights[i].color;
  vFloor = shown(RECIPROCAL_PI * light * floorColour);
  vGrid = shown(RECIPROCAL_PI * light * mix(floorColour, gridColour, 0.75));
  vSpot = position.xy;
  gl_Position = projectionMatrix * modelViewMatrix * vec4(position, 1.0);
}`;
const plainFragment = `varying vec3 vFloor; varying vec3 vGrid;
void main() { float far = seen(); gl_FragColor = vec4(mix(vFloor, vGrid, grid() * far), far); }`;

/** Text on a small transparent picture. */
function figure(text, colour) {
  const canvas = document.createElement('canvas'), pen = canvas.getContext('2d'), high = 48;
  pen.font = `500 ${high * 0.72}px system-ui, sans-serif`;
  canvas.width = Math.ceil(pen.measureText(text).width) + 8;
  canvas.height = high;
  pen.font = `500 ${high * 0.72}px system-ui, sans-serif`;
  pen.fillStyle = colour;
  pen.textBaseline = 'middle';
  pen.fillText(text, 4, high / 2);
  const texture = new THREE.CanvasTexture(canvas);
  texture.colorSpace = THREE.SRGBColorSpace;
  return { texture, aspect: canvas.width / canvas.height };
}

export class Plane {
  constructor(run, body) {
    this.run = run;
    this.group = new THREE.Group();
    this.group.matrixAutoUpdate = false;
    this.figures = new THREE.Group();
    this.measure(run, body);
    this.mesh = new THREE.Mesh(new THREE.PlaneGeometry(2 * this.reach, 2 * this.reach).translate(this.middle[0], this.middle[1], 0));
    this.makeMaterials();
    this.mesh.receiveShadow = true;
    this.mesh.userData.plane = this;
    this.mesh.renderOrder = -1;
    this.group.add(this.mesh, this.figures);
  }

  /** Where in its own frame the run takes place, and how fine the grid should be. */
  measure(run, body) {
    const piece = body.pieces.find((one) => run.shapes[one.shape].kind === 'plane').pose;
    const pose = new Float64Array(7).fill(0), place = new Float32Array(16);
    body.pose.forEach((value, i) => { pose[i] = value; });
    writeMatrix(place, 0, pose, 0, piece);
    const toWorld = new THREE.Matrix4().fromArray(place), toPlane = toWorld.clone().invert();
    const box = new THREE.Box3();
    for (let i = 0; i < 8; i++)
      box.expandByPoint(new THREE.Vector3(...[0, 1, 2].map((k) => (i >> k & 1 ? run.shown.high[k] : run.shown.low[k]))).applyMatrix4(toPlane));
    const center = box.getCenter(new THREE.Vector3()), size = box.getSize(new THREE.Vector3());
    this.low = [box.min.x, box.min.y];
    this.high = [box.max.x, box.max.y];
    this.middle = [center.x, center.y];
    this.radius = Math.max(Math.hypot(size.x, size.y) / 2, 0.6 * size.z, 1e-3);
    this.reach = 5 * this.radius;
    this.cell = niceStep(this.radius / 2.2);
  }

  makeMaterials() {
    const material = this.lit = new THREE.MeshLambertMaterial({ transparent: true });
    this.uniforms = { middle: { value: new THREE.Vector2(...this.middle) }, reach: { value: this.reach }, cell: { value: this.cell }, pixel: { value: 1 },
      gridColour: { value: new THREE.Color() }, floorColour: { value: material.color } };
    this.plain = new THREE.ShaderMaterial({ vertexShader: plainVertex, fragmentShader: fragmentPart + plainFragment, lights: true, transparent: true,
      uniforms: { ...THREE.UniformsUtils.clone(THREE.UniformsLib.lights), ...this.uniforms } });
    material.onBeforeCompile = (shader) => {
      Object.assign(shader.uniforms, this.uniforms);
      shader.vertexShader = vertexPart + shader.vertexShader.replace('#include <begin_vertex>', '#include <begin_vertex>\nvSpot = position.xy;');
      shader.fragmentShader = `uniform vec3 gridColour;\n${fragmentPart}` + shader.fragmentShader.replace('#include <color_fragment>', '#include <color_fragment>' + lines);
    };
    material.customProgramCacheKey = () => 'plane';
    this.setQuality({ shadows: true });
  }

  setQuality({ shadows }) { this.mesh.material = shadows ? this.lit : this.plain; }

  setTheme(theme) {
    this.lit.color.set(theme.floor);
    this.uniforms.gridColour.value.set(theme.grid);
    for (const one of this.figures.children) { one.material.map.dispose(); one.material.dispose(); }
    this.figures.clear();
    const snap = (v, way) => (way < 0 ? Math.floor(v / this.cell + 1e-6) : Math.ceil(v / this.cell - 1e-6)) * this.cell;
    const x0 = snap(this.low[0], -1), x1 = snap(this.high[0], 1), y0 = snap(this.low[1], -1), y1 = snap(this.high[1], 1);
    for (let x = x0, n = 0; x <= x1 + 0.5 * this.cell && n < 40; x += this.cell, n++) this.addFigure(x, y0, 'x', theme);
    for (let y = y0 + this.cell, n = 0; y <= y1 + 0.5 * this.cell && n < 40; y += this.cell, n++) this.addFigure(x1, y, 'y', theme);
  }

  addFigure(x, y, axis, theme) {
    const { texture, aspect } = figure(lengthText(axis === 'x' ? x : y, this.cell), theme.soft);
    const sign = new THREE.Sprite(new THREE.SpriteMaterial({ map: texture, transparent: true, depthWrite: false, toneMapped: false, sizeAttenuation: false }));
    sign.center.set(axis === 'x' ? 0.5 : 0, 0);
    sign.position.set(x, y, 0);
    sign.userData.aspect = aspect;
    this.figures.add(sign);
  }

  /** Keeps the figures at one height on the screen; hides them where they would run into each other. */
  sizeFigures(perPixel, metresPerPixel, shown, ratio) {
    this.uniforms.pixel.value = ratio;
    this.figures.visible = shown && this.cell / metresPerPixel > 34;
    for (const sign of this.figures.children) sign.scale.set(16 * perPixel * sign.userData.aspect, 16 * perPixel, 1);
  }

  place(poses, at, piece) {
    writeMatrix(this.group.matrix.elements, 0, poses, at, piece);
    this.group.matrixWorldNeedsUpdate = true;
  }

  /** Whether a point of the world is where the plane can still be seen. */
  covers(point) {
    const local = point.clone().applyMatrix4(this.group.matrix.clone().invert());
    return Math.hypot(local.x - this.middle[0], local.y - this.middle[1]) < 0.6 * this.reach;
  }
}
