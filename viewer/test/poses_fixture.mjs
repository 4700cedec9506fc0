// Makes pages of drop tests by the contract in viewer/README.md from invented drops, to look at and to test with.
//
//   node viewer/test/poses_fixture.mjs [FOLDER]      writes them all, by default below build/viewer/pages/
//
// No physics is solved here: a drop ends in the pose that a rule of thumb gives, and an example falls and turns there.
//
// SPDX-License-Identifier: MIT
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import { encodeRun, output } from './fixture.mjs';
import { nasty } from './fixture_scenes.mjs';

const g = 9.81;
const sub = (a, b) => a.map((x, k) => x - b[k]), dot = (a, b) => a.reduce((sum, x, k) => sum + x * b[k], 0), scale = (a, s) => a.map((x) => s * x);
const cross = (a, b) => [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]];
const unit = (a) => scale(a, 1 / Math.hypot(...a));

/** Numbers between 0 and 1, the same every time. */
function random(seed) {
  return () => { seed = (seed + 0x6d2b79f5) | 0; let t = Math.imul(seed ^ (seed >>> 15), 1 | seed); t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t; return ((t ^ (t >>> 14)) >>> 0) / 4294967296; };
}

/** A direction, all alike. */
function anyDirection(next) {
  const z = 2 * next() - 1, a = 2 * Math.PI * next(), r = Math.sqrt(1 - z * z);
  return [r * Math.cos(a), r * Math.sin(a), z];
}

/** A prism over a profile in x and z, as triangles with flat normals. */
function prism(profile, y0, y1, ears) {
  const mesh = { point: [], normal: [], corner: [] };
  const put = (corners, n) => { corners.forEach((p) => { mesh.corner.push(mesh.point.length / 3); mesh.point.push(...p); mesh.normal.push(...n); }); };
  profile.forEach(([x, z], i) => {
    const [u, w] = profile[(i + 1) % profile.length], n = unit([w - z, 0, x - u]);
    put([[x, y0, z], [u, y1, w], [u, y0, w]], n);
    put([[x, y0, z], [x, y1, z], [u, y1, w]], n);
  });
  for (const ear of ears) {
    put(ear.map((i) => [profile[i][0], y0, profile[i][1]]), [0, -1, 0]);
    put([...ear].reverse().map((i) => [profile[i][0], y1, profile[i][1]]), [0, 1, 0]);
  }
  return mesh;
}

/** The hull of a prism over a convex profile. */
function prismHull(profile, y0, y1) {
  const n = profile.length, points = [...profile.map(([x, z]) => [x, y0, z]), ...profile.map(([x, z]) => [x, y1, z])];
  const faces = [[...Array(n).keys()], [...Array(n).keys()].map((i) => 2 * n - 1 - i)];
  profile.forEach((_, i) => { const j = (i + 1) % n; faces.push([j, i, n + i, n + j]); });
  return { points, faces };
}

/** The turn (w first) that brings a direction straight down. */
function downTurn(v) {
  const w = 1 - v[2], q = w > 1e-9 ? [w, -v[1], v[0], 0] : [0, 1, 0, 0];
  return unit(q);
}

/** Faces of a hull on which it stays, lowest first. */
function rests({ points, faces }, center) {
  const found = [];
  faces.forEach((face, f) => {
    const at = face.map((i) => points[i]), normal = unit(cross(sub(at[1], at[0]), sub(at[2], at[0]))), height = dot(normal, sub(at[0], center));
    const margin = Math.min(...at.map((p, i) => dot(cross(normal, unit(sub(at[(i + 1) % at.length], p))), sub(center, p))));
    if (margin > 0) found.push({ normal, height, margin, barrier: Math.hypot(height, margin) - height, face: f, turn: downTurn(normal) });
  });
  return found.sort((a, b) => a.height - b.height);
}

/** Cards of so many poses: families are lists of rows, and a card is a list of families; what is in none has a card of its own. */
function cardsOf(poses, shared) {
  const taken = new Set(shared.flat(2)), alone = poses.map((_, row) => [[row]]).filter(([[row]]) => !taken.has(row));
  return [...shared, ...alone].map((families) => {
    const rows = families.flat().sort((a, b) => a - b), { normal, height, margin, barrier, face, turn } = poses[rows[0]];
    return { id: rows[0], normal, height, margin, barrier, face, turn, families: families.length, poses: rows, faces: rows.map((row) => poses[row].face) };
  }).sort((a, b) => a.id - b.id);
}

/** The L of a bracket, 60 x 30 x 40 mm. */
function bracket() {
  const profile = [[0, 0], [0.06, 0], [0.06, 0.008], [0.008, 0.008], [0.008, 0.04], [0, 0.04]], convex = [[0, 0], [0.06, 0], [0.06, 0.008], [0.008, 0.04], [0, 0.04]];
  const mesh = prism(profile, 0, 0.03, [[0, 1, 2], [0, 2, 3], [0, 3, 4], [0, 4, 5]]), hull = prismHull(convex, 0, 0.03);
  return { mesh, hull, center: [0.0225, 0.015, 0.0105], low: [0, 0, 0], high: [0.06, 0.03, 0.04] };
}

/** A drum of 24 facets, 40 x 30 mm: its ends are the same by rotation, its side is one family. */
function drum() {
  const n = 24, r = 0.02, profile = Array.from({ length: n }, (_, i) => [r * Math.cos(2 * Math.PI * i / n), r * Math.sin(2 * Math.PI * i / n)]);
  const ears = Array.from({ length: n - 2 }, (_, i) => [0, i + 1, i + 2]);
  return { mesh: prism(profile, 0, 0.03, ears), hull: prismHull(profile, 0, 0.03), center: [0, 0.015, 0], low: [-r, 0, -r], high: [r, 0.03, r] };
}

/** A ball of so many facets, nearly: points all around, and the plates of a sphere cut in rows. */
function ball(rows) {
  const points = [], faces = [], across = 2 * rows, r = 0.02;
  for (let i = 0; i <= rows; i++) for (let j = 0; j < across; j++) {
    const a = Math.PI * i / rows, b = 2 * Math.PI * j / across;
    points.push([r * Math.sin(a) * Math.cos(b), r * Math.sin(a) * Math.sin(b), r * Math.cos(a)]);
  }
  for (let i = 0; i < rows; i++) for (let j = 0; j < across; j++) {
    const p = i * across + j, q = i * across + (j + 1) % across;
    faces.push(i === 0 ? [p, p + across, q + across] : i === rows - 1 ? [p, p + across, q] : [p, p + across, q + across, q]);
  }
  const mesh = { point: points.flat(), normal: points.map(unit).flat(), corner: faces.flatMap((f) => f.slice(2).flatMap((_, k) => [f[0], f[k + 1], f[k + 2]])) };
  return { mesh, hull: { points, faces }, center: [0, 0, 0], low: [-r, -r, -r], high: [r, r, r] };
}

/** Where a drop ends: the face that is down most, lower ones sooner. */
function settle(poses, down, reach) {
  let best = 0, most = -Infinity;
  poses.forEach((pose, i) => { const s = dot(pose.normal, down) - 1.1 * pose.height / reach + 0.35 * Math.sin(9 * down[0] + 5 * down[1] * i); if (s > most) { most = s; best = i; } });
  return best;
}

const slerp = (a, b, s) => {
  let d = dot(a, b);
  if (d < 0) { b = scale(b, -1); d = -d; }
  const angle = Math.acos(Math.min(1, d)), k = Math.sin(angle);
  return unit(k < 1e-6 ? b : a.map((x, i) => (Math.sin((1 - s) * angle) * x + Math.sin(s * angle) * b[i]) / k));
};
const rotated = ([w, x, y, z], v) => { const u = [x, y, z], t = scale(cross(u, v), 2); return v.map((c, i) => c + w * t[i] + cross(u, t)[i]); };

export const fallTime = Math.sqrt(2 * 0.25 / g);
/** Height of the centre of mass of an example at time t: free fall from 0.3 m by 0.25 m, then down to its pose within 0.4 s. */
export const heightAt = (t, rest) => (t < fallTime ? 0.3 - g * t * t / 2 : 0.05 + (rest - 0.05) * Math.min(1, (t - fallTime) / 0.4));

/** An example: falls, then turns into its pose. */
function exampleRun(part, pose, down, name) {
  const times = Array.from({ length: 61 }, (_, i) => i / 50), first = downTurn(down);
  const states = times.map((t) => {
    const q = slerp(first, pose.turn, Math.max(0, Math.min(1, (t - fallTime) / 0.4))), c = rotated(q, part.center);
    return [[0.05 * t - c[0], -c[1], heightAt(t, pose.height) - c[2], ...q, 0, 0, t < fallTime ? -g * t : 0, 0, 0, 0]];
  });
  const contacts = [{ time: fallTime, a: 2, b: 1, point: [0.01, 0, 0], normal: [0, 0, 1], impulse: [0.01, 0, 0.09], before: [0, 0, -2.2], after: [0.1, 0, 0.8], friction: 0.3, mode: 2, kind: 0 }];
  return {
    times, states, keys: [], contacts, series: [], label: 'impulse', method: 'impulse', dt: 0.005, seed: 1, end: 1.2, band: 1e-5, gravity: [0, 0, -g], status: 'complete', reason: '', hash: '00', warnings: [], thinned: [], certificate: [],
    scene: { name, about: '', source: '', text: null }, low: [-0.06, -0.06, 0], high: [0.1, 0.06, 0.34],
  };
}

/** A drum: two cards, of which the second is not called 1; and drops of each kind that end in no pose. */
export function drumTest() {
  const made = dropTest({ title: 'drum.stl', make: drum, samples: 3000, drops: 10000, shared: (all) => {
    const ends = [], side = [];
    all.forEach((pose, row) => (Math.abs(pose.normal[1]) > 0.5 ? ends : side).push(row));
    return [ends.map((row) => [row]), [side]];
  } }), { json, arrays } = made, top = json.poses.reduce((best, card) => (card.count > best.count ? card : best));
  const lost = 3 + 2 + 1 - json.drops.unresolved;
  top.count -= lost;
  Object.assign(json.drops, { unresolved: 3, failed: 2, left: 1, rolled: 250, interrupted: true });
  [-1, -2, -3].forEach((code, i) => { arrays.rest[i] = code; });
  return made;
}

const page = (title, data) => ({ format: 'impel-poses', version: 1, program: 'impel 0.1.0', title, ...data });

/** JSON, blob and runs of a drop test. */
export function dropTest({ title = 'bracket.stl', make = bracket, samples = 6000, drops = 100000, change = () => {}, examples = true, seed = 1, shared = () => [] }) {
  const part = make(), next = random(seed), reach = Math.max(...part.hull.points.map((p) => Math.hypot(...sub(p, part.center))));
  const all = rests(part.hull, part.center), poses = cardsOf(all, shared(all)), cardOf = new Map(poses.flatMap((card, i) => card.poses.map((row) => [row, i])));
  const down = [], rest = [];
  for (let i = 0; i < samples; i++) { const d = anyDirection(next); down.push(...d.map((x) => Math.round(32767 * x))); rest.push(next() < 0.0005 ? -1 : cardOf.get(settle(all, d, reach))); }
  const share = (row) => rest.filter((one) => one === row).length / Math.max(1, samples);
  poses.forEach((pose, i) => {
    pose.count = Math.round(drops * share(i));
    const p = pose.count / drops, half = 1.96 * Math.sqrt(p * (1 - p) / drops + 1e-9);
    Object.assign(pose, { low: Math.max(0, p - half), high: Math.min(1, p + half), quasi_static: Math.max(0, p * (1.1 - 0.25 * i)) });
  });
  const unresolved = drops - poses.reduce((sum, pose) => sum + pose.count, 0);
  const json = page(title, {
    part: { name: title, mass: 0.061, center: part.center, low: part.low, high: part.high, reach, inside: 0.004, corners: part.hull.points.length, faces: part.hull.faces.length, chord: 0, noise: 1e-8, hash: '0123456789abcdef' },
    drops: { count: drops, law: 'stronge', friction_static: 0.3, friction_dynamic: 0.3, restitution: 0.4, height: 0.3, gravity: g, seed: '1', velocity: [0, 0, 0], spin: [0, 0, 0], velocity_random: 0, spin_random: 0, drag: 0, turns: 0,
      fine: false, settled: false, unresolved, failed: 0, left: 0, rolled: 0, interrupted: false, join: 0.01, wall: 0.41, cpu: 1.6, hash: 'fedcba9876543210' },
    warnings: [], thinned: [`the sphere has the first ${samples} of ${drops} drops`], command: 'impel poses replay bracket.stl --seed 1', tried: 14, agreed: 13, poses, examples: [], runs: [],
    model: { bodies: [{ name: 'world', role: 'fixed', mass: 0, size: 0, pieces: [], moves: -1, pose: [0, 0, 0, 1, 0, 0, 0] },
      { name: 'floor', role: 'fixed', mass: 0, size: 0, pieces: [{ shape: 0, material: 0, pose: [0, 0, 0, 1, 0, 0, 0] }], moves: -1, pose: [0, 0, 0, 1, 0, 0, 0] },
      { name: title, role: 'dynamic', mass: 0.061, center: part.center, inertia: [1, 0, 0, 0, 1, 0, 0, 0, 1], material: 0, size: 2 * reach, pieces: [{ shape: 1, material: 0, pose: [0, 0, 0, 1, 0, 0, 0] }], moves: 0 }],
    shapes: [{ kind: 'plane', size: [] }, { kind: 'hull', size: [], rounding: 0, points: part.hull.points.flat(), faces: part.hull.faces.flatMap((f) => [f.length, ...f]) }],
    materials: ['steel'], pairs: [], joints: [] } });
  const runs = [];
  if (examples) {
    const best = poses.map((_, i) => i).sort((a, b) => poses[b].count - poses[a].count).slice(0, 8);
    for (const row of best) rest.flatMap((one, i) => (one === row ? [i] : [])).slice(0, 2).forEach((trial, k) => {
      const end = row === best[2] && k === 1 ? best[0] : row; // one that disagrees
      json.examples.push({ trial, rest: end, certified: row, impacts: 5 + (trial % 9) });
      runs.push(exampleRun(part, poses[end], [0, 1, 2].map((c) => down[3 * trial + c] / 32767), title));
    });
  }
  change(json);
  return { json, arrays: { part, down, rest }, runs };
}

/** A whole page. */
export function makePosesPage({ json, arrays: { part, down, rest }, runs }, change = (text) => text) {
  const sections = [], chunks = [];
  let at = 0;
  const put = (name, type, kind, values) => {
    const data = new Uint8Array(kind.from(values).buffer), gap = (8 - (at % 8)) % 8;
    chunks.push(new Uint8Array(gap), data);
    at += gap + data.length;
    sections.push({ name, type, count: values.length });
  };
  put('mesh_point', 'f32', Float32Array, part.mesh.point);
  put('mesh_normal', 'f32', Float32Array, part.mesh.normal);
  put('mesh_corner', 'u32', Uint32Array, part.mesh.corner);
  put('hull_point', 'f32', Float32Array, part.hull.points.flat());
  put('hull_face', 'u32', Uint32Array, part.hull.faces.flatMap((f) => [f.length, ...f]));
  put('down', 'i16', Int16Array, down);
  put('rest', 'i32', Int32Array, rest);
  const coded = runs.map(encodeRun), text = JSON.stringify({ ...json, runs: coded.map((run) => run.json), sections });
  const data = `<script type="application/json" id="page">${text.replaceAll('<', '\\u003c')}</script>\n<script type="text/plain" id="data">${gzipSync(Buffer.concat(chunks)).toString('base64')}</script>\n` +
    coded.map((run, i) => `<script type="text/plain" id="run${i}">${run.blob}</script>`).join('\n');
  return readFileSync(join(output, 'poses.html'), 'utf8').replace('<!-- runs -->', () => change(data));
}

/** What each fixture page is made of. */
export const pages = {
  poses: () => makePosesPage(dropTest({})),
  poses_ball: () => makePosesPage(dropTest({ title: 'ball.obj', make: () => ball(50), samples: 20000, examples: false })),
  poses_spin: () => makePosesPage(dropTest({ samples: 500, change: (json) => { json.drops.spin_random = 5; json.warnings.push('the part is not closed: its mass is that of its hull'); }, shared: () => [[[0], [1]]] })),
  poses_drum: () => makePosesPage(drumTest()),
  poses_cards: () => makePosesPage(dropTest({ samples: 30, change: (json) => { json.poses[1].poses = json.poses[0].poses; json.poses[1].id = json.poses[0].id; } })),
  poses_hostile: () => makePosesPage(dropTest({ title: nasty, samples: 300, change: (json) => { json.command = `impel poses replay ${nasty}`; json.warnings.push(nasty); } })),
  poses_none: () => makePosesPage(dropTest({ samples: 0, drops: 0, examples: false, change: (json) => { json.drops.unresolved = 0; for (const pose of json.poses) pose.low = pose.high = pose.barrier = null; } })),
  poses_cut: () => makePosesPage(dropTest({ samples: 300 }), (data) => data.replace(/(id="data">.{400})[^<]*/s, '$1')),
  poses_run_cut: () => makePosesPage(dropTest({ samples: 300 }), (data) => data.replace(/(id="run0">.{200})[^<]*/s, '$1')),
  poses_version: () => makePosesPage(dropTest({ samples: 30, change: (json) => { json.version = 2; } })),
  poses_template: () => readFileSync(join(output, 'poses.html'), 'utf8'),
};

export function writePosesPages(folder, names = Object.keys(pages)) {
  mkdirSync(folder, { recursive: true });
  for (const name of names) writeFileSync(join(folder, `${name}.html`), pages[name]());
}

if (process.argv[1] === fileURLToPath(import.meta.url) && !process.env.NODE_TEST_CONTEXT) {
  const folder = process.argv[2] ?? join(output, 'pages');
  writePosesPages(folder);
  console.log(`${Object.keys(pages).length} pages in ${folder}`);
}
