// Surfaces and colours: materials in full and simple quality, marks that make turning visible, and the colour of each body.
//
// SPDX-License-Identifier: MIT
import * as THREE from 'three';
import { drawDiscs } from './discs.js';

const hues = ['#4a7fc1', '#dd8347', '#4f9d69', '#c2566a', '#8873c4', '#c6a13a', '#3f9aa3', '#b06a97', '#7f8f45', '#98745a'];
export const runColours = ['#3f7fd0', '#e07b39', '#3b9a68', '#a262b8'];

/** Colour of a body: by its material where there are several, else by the body; what does not move freely is neutral. */
export function bodyColour(run, body, theme) {
  if (body.colour) return body.colour;
  if (body.role === 'fixed') return theme.fixed;
  if (body.role === 'kinematic') return theme.kinematic;
  const loose = run.loose ??= run.bodies.filter((one) => one.role === 'dynamic'); // once: this is asked for every body
  const materials = run.paint ??= new Set(loose.map((one) => one.material)).size;
  if (materials > 1) return hues[(body.material ?? 0) % hues.length];
  return loose.length > 40 ? shade(hues[0], body.index) : hues[body.moves >= 0 ? body.moves % hues.length : 0];
}

/** Slightly different tones, so that equal bodies can be told apart. */
function shade(colour, index) {
  const hsl = new THREE.Color(colour).getHSL({});
  const noise = (k) => ((Math.sin(index * 12.9898 + k * 78.233) * 43758.5453) % 1 + 1) % 1 - 0.5;
  return new THREE.Color().setHSL(hsl.h + 0.07 * noise(1), hsl.s * (1 + 0.3 * noise(2)), hsl.l + 0.14 * noise(3));
}

const patterns = { none: '0.0', octants: 'marked(vPlace.x) * marked(vPlace.y) * marked(vPlace.z)', quadrants: 'marked(vPlace.x) * marked(vPlace.y)' };

/** Gives the shader vPlace, where on the body it is. */
function tellPlace(shader) {
  shader.vertexShader = 'varying vec3 vPlace;\n' + shader.vertexShader.replace('#include <begin_vertex>', '#include <begin_vertex>\nvPlace = position;');
  shader.fragmentShader = 'varying vec3 vPlace;\n' + shader.fragmentShader;
}

/** Darkens every second octant or quadrant of a round body. */
function addMark(material, mark, disc) {
  if (mark === 'none') return material;
  material.onBeforeCompile = (shader) => {
    (disc ? drawDiscs : tellPlace)(shader);
    shader.fragmentShader = 'float marked(float x) { float w = fwidth(x) + 1e-9; return clamp(x / w, -1.0, 1.0); }\n' +
      shader.fragmentShader.replace('#include <color_fragment>', `#include <color_fragment>\ndiffuseColor.rgb *= 0.88 + 0.12 * (${patterns[mark]});`);
  };
  material.customProgramCacheKey = () => mark + disc;
  return material;
}

const cache = new Map();

/** The surface of a shape. */
export function surface({ mark = 'none', simple = false, ghost = false, open = false, disc = false, colour = null }) {
  const key = [mark, simple, ghost, open, disc, colour].join();
  if (cache.has(key)) return cache.get(key);
  const common = { side: open ? THREE.DoubleSide : THREE.FrontSide, transparent: ghost, opacity: ghost ? 0.28 : 1, depthWrite: !ghost,
    polygonOffset: true, polygonOffsetFactor: 1, polygonOffsetUnits: 1 };
  if (colour) common.color = colour;
  const material = simple ? new THREE.MeshLambertMaterial(common) : new THREE.MeshStandardMaterial({ ...common, roughness: 0.52, metalness: 0.02 });
  cache.set(key, addMark(material, mark, disc));
  return material;
}

/** Colours that the drawing takes from the style sheet. */
export function readTheme() {
  const style = getComputedStyle(document.documentElement), get = (name) => style.getPropertyValue(`--${name}`).trim();
  const names = ['stage-top', 'stage-bottom', 'fixed', 'kinematic', 'edge', 'edge-strength', 'floor', 'grid', 'ink', 'soft', 'line', 'card', 'accent', 'velocity', 'spin',
    'opens', 'sticks', 'slides', 'rests', 'light', 'fill', 'shadow'];
  return Object.fromEntries(names.map((name) => [name.replace(/-(.)/g, (_, c) => c.toUpperCase()), get(name)]));
}

export const modes = [
  { name: 'separating', key: 'opens' }, { name: 'sticking', key: 'sticks' }, { name: 'sliding', key: 'slides' }, { name: 'resting', key: 'rests' }];
