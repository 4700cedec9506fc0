// Reads what the program put into the page: the JSON and, for each run, the packed blob. The README of this folder says how
// they look. Whatever is wrong with them becomes one sentence, a PageError.
//
// SPDX-License-Identifier: MIT
import { finite } from './maths.js';

export class PageError extends Error {}

const kinds = { f64: Float64Array, f32: Float32Array, u32: Uint32Array, i32: Int32Array, u16: Uint16Array, i16: Int16Array, planes: Uint16Array, u8: Uint8Array };
const width = (type) => kinds[type].BYTES_PER_ELEMENT;
export const channels = 13;

/** The page's data, all runs decoded. */
export async function readPage(root) {
  const page = readHeader(root.getElementById('page'));
  const runs = [];
  for (let i = 0; i < page.runs.length; i++) {
    const element = root.getElementById(`run${i}`);
    if (!element) throw new PageError(`The data of run ${i + 1} are missing from this page.`);
    runs.push(await readRun(page.runs[i], element.textContent, i + 1));
  }
  return { title: String(page.title ?? 'Impel'), program: String(page.program ?? ''), runs };
}

function readHeader(element) {
  if (!element) throw new PageError('This page is a template: no run has been put into it yet.');
  let page;
  try { page = JSON.parse(element.textContent); } catch { throw new PageError('The description of the runs in this page is damaged.'); }
  if (page?.format !== 'impel-page') throw new PageError('The data in this page are not of an Impel run.');
  if (page.version !== 1)
    throw new PageError(`The data in this page have version ${String(page.version).slice(0, 20)}, and this viewer reads version 1.`);
  if (!Array.isArray(page.runs) || page.runs.length === 0) throw new PageError('There is no run in this page.');
  return page;
}

/** One run: its JSON, the base64 of its blob, and its number for people. */
export async function readRun(info, text, number) {
  const fail = (what) => { throw new PageError(`The data of run ${number} are damaged: ${what}.`); };
  const bytes = await unpack(text).catch(() => fail('they cannot be unpacked'));
  const arrays = cut(info, bytes, fail);
  const run = { ...describe(info), index: number - 1, ...arrays };
  check(run, fail);
  return run;
}

/** Bytes of base64 of gzip. */
export async function unpack(text) {
  const packed = fromBase64(text.trim());
  const stream = new Blob([packed]).stream().pipeThrough(new DecompressionStream('gzip'));
  return new Response(stream).arrayBuffer();
}

function fromBase64(text) {
  if (Uint8Array.fromBase64) return Uint8Array.fromBase64(text);
  const binary = atob(text), bytes = new Uint8Array(binary.length);
  for (let i = 0; i < bytes.length; i++) bytes[i] = binary.charCodeAt(i);
  return bytes;
}

/** The sections of the blob by name. */
export function sections(info, buffer, fail) {
  const found = {};
  let at = 0;
  for (const { name, type, count } of info.sections ?? fail('their sections are not listed')) {
    if (!kinds[type] || !Number.isInteger(count) || count < 0) fail(`the section ${String(name).slice(0, 40)} is of an unknown type`);
    at = Math.ceil(at / 8) * 8;
    if (at + count * width(type) > buffer.byteLength) fail(`the section ${String(name).slice(0, 40)} is cut off`);
    found[name] = type === 'planes' ? new Uint8Array(buffer, at, 2 * count) : new kinds[type](buffer, at, count);
    at += count * width(type);
  }
  return found;
}

function cut(info, buffer, fail) {
  const s = sections(info, buffer, fail);
  const want = (name, count, kind) => {
    const list = s[name] ?? (count ? fail(`the section ${name} is missing`) : new kind(0));
    if (count !== undefined && list.length !== count) fail(`the section ${name} has ${list.length} values instead of ${count}`);
    return list;
  };
  const time = want('time', undefined, Float64Array);
  const range = want('range', undefined, Float64Array);
  const rows = range.length / 26, frames = time.length;
  const keyTime = want('key_time', undefined, Float64Array), keys = keyTime.length;
  const table = (prefix, first, columns) => {
    const count = (s[prefix + first] ?? []).length, rowsOf = { count };
    for (const [name, [size, kind]] of Object.entries(columns)) rowsOf[name] = want(prefix + name, size * count, kind);
    return rowsOf;
  };
  const contact = table('contact_', 'time', { time: [1, Float64Array], frame: [1, Uint32Array], a: [1, Uint32Array], b: [1, Uint32Array], point: [3, Float32Array],
    normal: [3, Float32Array], impulse: [3, Float32Array], before: [3, Float32Array], after: [3, Float32Array],
    friction: [1, Float32Array], mode: [1, Uint8Array], kind: [1, Uint8Array] });
  const load = table('load_', 'first', { first: [1, Uint32Array], last: [1, Uint32Array], a: [1, Uint32Array], b: [1, Uint32Array],
    point: [3, Float32Array], normal: [3, Float32Array], force: [3, Float32Array], friction: [1, Float32Array] });
  return {
    time, frames, rows, range, keyTime, contact, load,
    track: untangle(want('track', 2 * channels * rows * frames, Uint8Array), rows, frames),
    keyTrack: want('key_track', channels * keys, Uint16Array),
    keyStart: starts(want('key_body', keys, Uint32Array), rows, fail),
    columns: want('series', (info.series ?? []).length * frames, Float64Array),
  };
}

/** Sums the differences up and sorts the track as [body][frame][channel], so that a pose lies in one place. */
function untangle(bytes, rows, frames) {
  const size = channels * rows * frames, track = new Uint16Array(size);
  for (let row = 0; row < rows; row++)
    for (let channel = 0; channel < channels; channel++) {
      let value = 0, from = (channel * rows + row) * frames, to = row * frames * channels + channel;
      for (let f = 0; f < frames; f++, from++, to += channels)
        track[to] = value = (value + bytes[from] + 256 * bytes[size + from]) & 0xffff;
    }
  return track;
}

/** Where the keys of each row begin. */
function starts(bodies, rows, fail) {
  const start = new Uint32Array(rows + 1);
  for (let i = 0; i < bodies.length; i++) {
    if (bodies[i] >= rows || (i && bodies[i] < bodies[i - 1])) fail('their impacts are out of order');
    start[bodies[i] + 1]++;
  }
  for (let row = 0; row < rows; row++) start[row + 1] += start[row];
  return start;
}

const list = (value) => (Array.isArray(value) ? value : []);

/** The JSON of a run with every list that the page walks through in place. */
function describe(info) {
  const run = { ...info };
  for (const key of ['warnings', 'certificate', 'thinned', 'materials', 'pairs', 'shapes', 'bodies', 'joints', 'series']) run[key] = list(info[key]);
  run.label = String(info.label ?? info.method ?? 'run');
  run.scene = info.scene ?? {};
  run.counts = info.counts ?? {};
  run.gravity = list(info.gravity).length === 3 && finite(info.gravity) ? info.gravity : [0, 0, 0];
  run.bodies = run.bodies.map((body, index) => ({ ...body, index, name: String(body.name ?? ''), pieces: list(body.pieces),
    center: list(body.center).length === 3 && finite(body.center) ? body.center : [0, 0, 0],
    pose: list(body.pose).length === 7 && finite(body.pose) ? body.pose : [0, 0, 0, 1, 0, 0, 0], moves: body.moves ?? -1 }));
  run.byName = new Map();
  for (const body of run.bodies) if (!run.byName.has(body.name)) run.byName.set(body.name, body);
  return run;
}

function check(run, fail) {
  if (!Number.isInteger(run.rows)) fail('the ranges of the track do not fit its bodies');
  if (run.frames === 0) fail('they have no frame');
  for (let f = 0; f < run.frames; f++)
    if (!Number.isFinite(run.time[f]) || (f && run.time[f] <= run.time[f - 1])) fail(`the time of frame ${f} is not after the one before`);
  if (!finite(run.range)) fail('a range of the track is not a number');
  if (!finite(run.keyTime)) fail('the time of an impact is not a number');
  for (const body of run.bodies) {
    if (body.moves >= run.rows) fail('a body has no row in the track');
    for (const piece of body.pieces) if (!run.shapes[piece.shape]) fail('a body has a shape that is not listed');
  }
  for (const rows of [run.contact, run.load])
    for (let c = 0; c < rows.count; c++)
      if (rows.a[c] >= run.bodies.length || rows.b[c] >= run.bodies.length) fail('a contact is of a body that is not listed');
  for (let l = 0; l < run.load.count; l++) if (run.load.first[l] >= run.frames) fail('a load is of a frame that is not there');
}
