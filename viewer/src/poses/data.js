// Reads what the program put into the page of a drop test: the JSON, the blob of part and samples, and runs when they are asked
// for. The README of viewer/ says how they look. Whatever is wrong with them becomes one sentence, a PageError.
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

/** The poses, each with its probability; count of drops may be 0. */
function readPoses(page, fail) {
  const drops = page.drops.count;
  return list(page.poses).map((pose, index) => {
    if (!vector(pose?.normal, 3) || !vector(pose.turn, 4) || !(pose.count >= 0)) fail(`pose ${index} is not whole`);
    const same = Number.isInteger(pose.same_as) && pose.same_as >= 0 && pose.same_as < index ? pose.same_as : index;
    return { index, normal: pose.normal, turn: pose.turn, count: pose.count, same, face: pose.face ?? -1,
      probability: drops > 0 ? pose.count / drops : null, low: real(pose.low), high: real(pose.high), quasiStatic: real(pose.quasi_static),
      height: real(pose.height), margin: real(pose.margin), barrier: real(pose.barrier) };
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
  if (down.length !== 3 * rest.length) fail('the samples do not fit their poses');
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

/** Trials that can be seen, each with a promise of its run when it is asked for. */
function readExamples(page, root) {
  return list(page.examples).map((one, i) => {
    let made = null;
    const run = () => {
      const element = root.getElementById(`run${i}`), info = list(page.runs)[i];
      if (!element || !info) throw new PageError(`The data of trial ${one.trial} are missing from this page.`);
      return readRun({ ...page.model, ...info }, element.textContent, i + 1);
    };
    return { index: i, trial: Number(one.trial), rest: Number(one.rest), certified: Number(one.certified), impacts: real(one.impacts),
      run: () => (made ??= Promise.resolve().then(run)) };
  });
}

/** Everything but the runs. */
export async function readPage(root) {
  const page = readHeader(root.getElementById('page'));
  const fail = (what) => { throw new PageError(`The data of the drop test in this page are damaged: ${what}.`); };
  if (!page.drops || !(page.drops.count >= 0)) fail('the number of drops is missing');
  const element = root.getElementById('data');
  if (!element) fail('the part and the samples are missing');
  const bytes = await unpack(element.textContent).catch(() => fail('they cannot be unpacked'));
  const poses = readPoses(page, fail), part = page.part ?? {};
  return {
    title: String(page.title ?? 'Impel'), program: String(page.program ?? ''), drops: page.drops, part: { ...part, center: vector(part.center, 3) ?? [0, 0, 0] },
    poses, order: [...poses].sort((a, b) => b.count - a.count || (b.quasiStatic ?? 0) - (a.quasiStatic ?? 0) || a.index - b.index),
    warnings: list(page.warnings).map(String), thinned: list(page.thinned).map(String), command: page.command ? String(page.command) : null, tried: real(page.tried), agreed: real(page.agreed),
    examples: readExamples(page, root), ...readArrays(page, bytes, fail),
  };
}
