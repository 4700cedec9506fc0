// Reads what the program put into the page of a drop test: the JSON, the blob of part and samples, and runs when they are asked
// for. A card is a pose, or poses that are one family or the same by rotation. The README of viewer/ says how all of it looks. Whatever is wrong with them becomes one sentence, a PageError.
//
// SPDX-License-Identifier: MIT
import { PageError, readRun, sections, unpack } from '../decode.js';
import { finite } from '../maths.js';

const list = (value) => (Array.isArray(value) ? value : []);
const vector = (value, size) => (list(value).length === size && finite(value) ? value : null);
const real = (value) => (Number.isFinite(value) ? value : null);

/** The JSON of the page. */
function readHeader(element) {
  if (!element) throw new PageError('This page is a template: no drop test has been put into it yet.');
  let page;
  try { page = JSON.parse(element.textContent); } catch { throw new PageError('The description of the drop test in this page is damaged.'); }
  if (page?.format !== 'impel-poses') throw new PageError('The data in this page are not of an Impel drop test.');
  if (page.version !== 1)
    throw new PageError(`The data in this page have version ${String(page.version).slice(0, 20)}, and this viewer reads version 1.`);
  return page;
}

const whole = (value) => Number.isInteger(value) && value >= 0;

/** How many drops there were, and what became of those that ended in no pose. */
function readDrops(page, fail) {
  const drops = page.drops ?? {};
  if (!whole(drops.count)) fail('the number of drops is missing');
  for (const key of ['unresolved', 'failed', 'left', 'rolled']) if (!whole(drops[key])) fail(`the number of drops under "${key}" is missing`);
  return { ...drops, interrupted: drops.interrupted === true, join: real(drops.join) };
}

/** Outward normal of a face of the hull (Newell's sum over its edges), or null. */
function normalOf(hull, face) {
  const n = [0, 0, 0], at = (i, k) => hull.point[3 * i + k % 3];
  face.forEach((a, i) => {
    const b = face[(i + 1) % face.length];
    for (let k = 0; k < 3; k++) n[k] += (at(a, k + 1) - at(b, k + 1)) * (at(a, k + 2) + at(b, k + 2));
  });
  const length = Math.hypot(...n);
  return length > 0 ? n.map((x) => x / length) : null;
}

/** The cards, each with its probability and the poses that are members; count of drops may be 0. */
function readCards(page, drops, hull, fail) {
  const taken = new Set();
  return list(page.poses).map((card, index) => {
    const rows = list(card?.poses), faces = list(card?.faces);
    if (!vector(card?.normal, 3) || !vector(card.turn, 4) || !whole(card.count)) fail(`card ${index} is not whole`);
    if (!rows.length || !rows.every(whole) || !rows.includes(card.id) || faces.length !== rows.length) fail(`the poses of card ${index} do not fit`);
    if (!whole(card.families) || card.families < 1 || card.families > rows.length) fail(`the families of card ${index} do not fit its poses`);
    for (const row of rows) {
      if (taken.has(row)) fail(`pose ${row} is listed twice`);
      taken.add(row);
    }
    if (!faces.every((face) => whole(face) && face < hull.faces.length)) fail(`the faces of card ${index} are not faces of the hull`);
    const members = rows.map((row, i) => ({ row, face: faces[i], normal: row === card.id ? card.normal : normalOf(hull, hull.faces[faces[i]]) }));
    return { index, id: card.id, normal: card.normal, turn: card.turn, count: card.count, members, families: card.families,
      probability: drops.count > 0 ? card.count / drops.count : null, low: real(card.low), high: real(card.high), quasiStatic: real(card.quasi_static),
      height: real(card.height), margin: real(card.margin), barrier: real(card.barrier) };
  });
}

/** Triangles of the part, corners and faces of its hull, and the samples. */
function readArrays(page, bytes, fail) {
  const s = sections(page, bytes, fail);
  const want = (name, multiple) => {
    if (!s[name] || s[name].length % multiple) fail(`the section ${name} is missing or not whole`);
    return s[name];
  };
  const mesh = { point: want('mesh_point', 3), normal: want('mesh_normal', 3), corner: want('mesh_corner', 3) };
  const hull = { point: want('hull_point', 3), faces: facesOf(want('hull_face', 1), fail) };
  const down = want('down', 3), rest = want('rest', 1);
  if (mesh.normal.length !== mesh.point.length || mesh.corner.some((i) => 3 * i >= mesh.point.length)) fail('the triangles of the part do not fit its points');
  if (!finite(mesh.point) || !finite(hull.point)) fail('a point of the part is not a number');
  if (hull.faces.some((face) => face.some((i) => 3 * i >= hull.point.length))) fail('the faces of the hull do not fit its corners');
  if (down.length !== 3 * rest.length) fail('the samples do not fit their outcomes');
  return { mesh, hull, samples: { count: rest.length, down: Float32Array.from(down, (x) => x / 32767), rest } };
}

/** Faces as lists: number of corners, then as many indices. */
function facesOf(flat, fail) {
  const faces = [];
  for (let i = 0; i < flat.length; i += flat[i] + 1) {
    if (flat[i] < 3 || i + flat[i] >= flat.length) fail('a face of the hull is not whole');
    faces.push(Array.from(flat.subarray(i + 1, i + 1 + flat[i])));
  }
  return faces;
}

/** Whether it is the number of a card, or one of -1 unresolved, -2 failed, -3 left the surface. */
const isOutcome = (value, cards) => Number.isInteger(value) && value >= -3 && value < cards.length;

/** Trials that can be seen, each with a promise of its run when it is asked for. */
function readExamples(page, cards, root, fail) {
  return list(page.examples).map((one, i) => {
    if (!whole(one?.trial) || !isOutcome(one.rest, cards) || !isOutcome(one.certified, cards)) fail(`example ${i} does not fit the cards`);
    let made = null;
    const run = () => {
      const element = root.getElementById(`run${i}`), info = list(page.runs)[i];
      if (!element || !info) throw new PageError(`The data of trial ${one.trial} are missing from this page.`);
      return readRun({ ...page.model, ...info }, element.textContent, i + 1);
    };
    return { index: i, trial: one.trial, rest: one.rest, certified: one.certified, impacts: real(one.impacts),
      run: () => (made ??= Promise.resolve().then(run)) };
  });
}

/** Everything but the runs. */
export async function readPage(root) {
  const page = readHeader(root.getElementById('page'));
  const fail = (what) => { throw new PageError(`The data of the drop test in this page are damaged: ${what}.`); };
  const drops = readDrops(page, fail), element = root.getElementById('data');
  if (!element) fail('the part and the samples are missing');
  const bytes = await unpack(element.textContent).catch(() => fail('they cannot be unpacked'));
  const arrays = readArrays(page, bytes, fail), cards = readCards(page, drops, arrays.hull, fail), part = page.part ?? {};
  if (!arrays.samples.rest.every((row) => isOutcome(row, cards))) fail('the samples do not fit the cards');
  return {
    title: String(page.title ?? 'Impel'), program: String(page.program ?? ''), drops, part: { ...part, center: vector(part.center, 3) ?? [0, 0, 0] },
    cards, order: [...cards].sort((a, b) => b.count - a.count || (b.quasiStatic ?? 0) - (a.quasiStatic ?? 0) || a.index - b.index),
    warnings: list(page.warnings).map(String), thinned: list(page.thinned).map(String), command: page.command ? String(page.command) : null, tried: real(page.tried), agreed: real(page.agreed),
    examples: readExamples(page, cards, root, fail), ...arrays,
  };
}
