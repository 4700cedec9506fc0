// glb_check.mjs -- .glb files, judged by Khronos' validator and against what a run says.
//
//   node viewer/test/glb_check.mjs FILE.glb...                         any error or warning of the validator: exit 1
//   node viewer/test/glb_check.mjs FILE.glb --trace RUN.csv            and every body is where the trace has it
//   node viewer/test/glb_check.mjs FILE.glb --at BODY T X Y Z          and one body is there at that time
//   node viewer/test/glb_check.mjs FILE.glb --name BODY                and there is a node of that name
//   node viewer/test/glb_check.mjs FILE.glb --still                    and there is no animation
//
// A position may be off by 1e-6 of the body's size, and by what single precision makes of it and of its time. Exit 77: the
// validator is not installed (npm install in viewer/).
//
// SPDX-License-Identifier: MIT
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';

const SINGLE = 2 ** -23;
const near = 1e-6;                            // of the size, and rad

let validator;
try {
  validator = createRequire(import.meta.url)('gltf-validator');
} catch {
  console.log('skipped: gltf-validator is not in viewer/node_modules');
  process.exit(77);
}

let bad = 0;
const complain = (file, text) => { bad++; console.log(`${file}: ${text}`); };

// --- the file --------------------------------------------------------------------------------------------------------
function read(bytes) {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const jsonLength = view.getUint32(12, true);
  const json = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes.subarray(20, 20 + jsonLength)));
  const start = 28 + jsonLength;
  const values = (index) => {
    const a = json.accessors[index];
    const width = { SCALAR: 1, VEC3: 3, VEC4: 4 }[a.type];
    const at = start + (json.bufferViews[a.bufferView].byteOffset ?? 0) + (a.byteOffset ?? 0);
    const out = [];
    for (let i = 0; i < a.count; i++)
      out.push(Array.from({ length: width }, (_, k) => view.getFloat32(at + 4 * (width * i + k), true)));
    return out;
  };
  return { json, values };
}

const find = (gltf, name) => gltf.json.nodes.findIndex((n, i) => i > 0 && n.name === name);

function sizeOf(json, node) {                 // of its meshes, roughly: pieces may stand apart, which allows less than it could
  const spans = [node, ...(node.children ?? []).map((c) => json.nodes[c])].filter((n) => n.mesh !== undefined).map((n) => {
    const { min, max } = json.accessors[json.meshes[n.mesh].primitives[0].attributes.POSITION];
    return Math.hypot(...max.map((x, k) => x - min[k]));
  });
  return spans.length ? Math.max(...spans) : 1;
}

// --- playing it ------------------------------------------------------------------------------------------------------
function slerp(a, b, s) {
  let c = a.reduce((sum, x, k) => sum + x * b[k], 0);
  const sign = c < 0 ? -1 : 1;
  c = Math.min(1, Math.abs(c));
  const angle = Math.acos(c);
  if (angle < 1e-4) return a.map((x, k) => x + s * (sign * b[k] - x));
  return a.map((x, k) => (Math.sin((1 - s) * angle) * x + sign * Math.sin(s * angle) * b[k]) / Math.sin(angle));
}

function player(gltf, node, path, still) {    // of time, as glTF says
  const animation = gltf.json.animations?.[0];
  const channel = animation?.channels.find((c) => c.target.node === node && c.target.path === path);
  if (!channel) return () => gltf.json.nodes[node][path] ?? still;
  const sampler = animation.samplers[channel.sampler];
  const times = gltf.values(sampler.input).map((t) => t[0]);
  const keys = gltf.values(sampler.output);
  return (t) => {
    let low = 0, high = times.length - 1;
    if (t <= times[0]) return keys[0];
    if (t >= times[high]) return keys[high];
    while (high - low > 1) {
      const middle = (low + high) >> 1;
      if (times[middle] <= t) low = middle; else high = middle;
    }
    const s = (t - times[low]) / (times[high] - times[low]);
    if (path === 'rotation') return slerp(keys[low], keys[high], s);
    return keys[low].map((x, k) => x + s * (keys[high][k] - x));
  };
}

function actor(gltf, name) {
  const node = find(gltf, name);
  if (node < 0) return null;
  return { at: player(gltf, node, 'translation', [0, 0, 0]), turn: player(gltf, node, 'rotation', [0, 0, 0, 1]),
           size: sizeOf(gltf.json, gltf.json.nodes[node]) };
}

// --- against the run -------------------------------------------------------------------------------------------------
function checkAt(file, who, name, t, want, speed) {
  const got = who.at(Math.fround(t));
  const off = Math.hypot(...got.map((x, k) => x - want[k]));
  const allowed = near * who.size + SINGLE * (Math.hypot(...want) + speed * t);
  if (!(off <= allowed)) complain(file, `${name} at ${t} s: at ${got}, not ${want}; off by ${off} m, allowed ${allowed}`);
  return off / who.size;
}

function checkTurn(file, who, name, t, want, spin) {
  const got = who.turn(Math.fround(t));
  const sign = got.reduce((sum, x, k) => sum + x * want[k], 0) < 0 ? -1 : 1;
  const off = 2 * Math.hypot(...got.map((x, k) => sign * x - want[k]));
  const allowed = near + SINGLE * (4 + spin * t);
  if (!(off <= allowed)) complain(file, `${name} at ${t} s: turned to ${got}, not ${want}; off by ${off}, allowed ${allowed}`);
  return off;
}

function rows(text) {                         // of CSV as RFC 4180 has it
  const out = [[]];
  for (const [, quoted, plain, end] of text.matchAll(/(?:"((?:[^"]|"")*)"|([^",\r\n]*))(,|\r?\n|$)/g)) {
    out.at(-1).push(quoted !== undefined ? quoted.replaceAll('""', '"') : plain);
    if (end !== ',') out.push([]);
  }
  return out.filter((r) => r.length > 1);
}

function checkTrace(file, gltf, path) {
  const actors = new Map();
  let worst = 0, turned = 0, count = 0;
  for (const row of rows(readFileSync(path, 'utf8')).slice(1)) {
    const name = row[1], [t, , x, y, z, qw, qx, qy, qz, vx, vy, vz, wx, wy, wz] = row.map(Number);
    if (!actors.has(name)) actors.set(name, actor(gltf, name));
    const who = actors.get(name);
    if (!who) { complain(file, `no node is called ${name}`); return; }
    worst = Math.max(worst, checkAt(file, who, name, t, [x, y, z], Math.hypot(vx, vy, vz)));
    turned = Math.max(turned, checkTurn(file, who, name, t, [qx, qy, qz, qw], Math.hypot(wx, wy, wz)));
    count++;
    if (bad > 20) return;
  }
  if (count === 0) complain(file, `${path} holds nothing to compare with`);
  const off = [worst, turned].map((x) => x.toExponential(1));
  console.log(`${file}: ${count} poses as in ${path}, to ${off[0]} of the size and ${off[1]} rad`);
}

// --- all of it -------------------------------------------------------------------------------------------------------
const files = [], checks = [];
const args = process.argv.slice(2);
while (args.length) {
  const word = args.shift();
  if (word === '--trace') { const path = args.shift(); checks.push((file, gltf) => checkTrace(file, gltf, path)); }
  else if (word === '--at') {
    const [name, ...numbers] = args.splice(0, 5), [t, ...want] = numbers.map(Number);
    checks.push((file, gltf) => {
      const who = actor(gltf, name);
      if (who) checkAt(file, who, name, t, want, 10); else complain(file, `no node is called ${name}`);
    });
  } else if (word === '--name') {
    const name = args.shift();
    checks.push((file, gltf) => { if (find(gltf, name) < 0) complain(file, `no node is called ${name}`); });
  } else if (word === '--still') {
    checks.push((file, gltf) => { if (gltf.json.animations) complain(file, 'has an animation'); });
  } else files.push(word);
}
if (!files.length) {
  console.log('usage: node glb_check.mjs FILE.glb... [--trace CSV] [--at BODY T X Y Z] [--name BODY] [--still]');
  process.exit(2);
}

for (const file of files) {
  const bytes = new Uint8Array(readFileSync(file));
  const report = await validator.validateBytes(bytes, { uri: file, format: 'glb', maxIssues: 20 });
  for (const m of report.issues.messages)     // 0: error, 1: warning; the rest is for information
    if (m.severity <= 1) complain(file, `${['error', 'warning'][m.severity]} ${m.code}: ${m.message} ${m.pointer ?? ''}`);
    else if (process.env.VERBOSE) console.log(`${file}: ${m.code}: ${m.message} ${m.pointer ?? ''}`);
  const { totalTriangleCount, animationCount, materialCount } = report.info ?? {};
  console.log(`${file}: ${report.issues.numErrors} errors, ${report.issues.numWarnings} warnings, ` +
              `${totalTriangleCount} triangles, ${materialCount} materials, ${animationCount} animations`);
  if (report.issues.numErrors + report.issues.numWarnings > 0 && bad === 0) bad++;
  if (checks.length) { const gltf = read(bytes); for (const check of checks) check(file, gltf); }
}
process.exit(bad ? 1 : 0);
