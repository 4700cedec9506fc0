// Makes pages by the contract in viewer/README.md from invented runs, to look at and to test with.
//
//   node viewer/test/fixture.mjs [FOLDER]      writes them all, by default below build/viewer/pages/
//
// SPDX-License-Identifier: MIT
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import * as scenes from './fixture_scenes.mjs';

const here = dirname(fileURLToPath(import.meta.url));
export const output = join(here, '..', '..', 'build', 'viewer');
const bytesOf = { f64: Float64Array, f32: Float32Array, u32: Uint32Array, u16: Uint16Array, u8: Uint8Array };

/** Low and step for each body and channel, and the track as u16 in [channel][body][frame] and keys in [key][channel]. */
function quantise(states, keys, B, F) {
  const range = [], track = new Uint16Array(13 * B * F), keyTrack = new Uint16Array(13 * keys.length);
  for (let b = 0; b < B; b++)
    for (let c = 0; c < 13; c++) {
      let low = Infinity, high = -Infinity;
      const see = (value) => { low = Math.min(low, value); high = Math.max(high, value); };
      for (let f = 0; f < F; f++) see(states[f][b][c]);
      for (const key of keys) if (key.row === b) see(key.state[c]);
      const step = (high - low) / 65535;
      const code = (value) => (step > 0 ? Math.round((value - low) / step) : 0);
      range.push(low, step);
      for (let f = 0; f < F; f++) track[(c * B + b) * F + f] = code(states[f][b][c]);
      keys.forEach((key, k) => { if (key.row === b) keyTrack[13 * k + c] = code(key.state[c]); });
    }
  return { range, track, keyTrack };
}

/** Differences from frame to frame, low bytes first, then high bytes. */
function planes(track, F) {
  const bytes = new Uint8Array(2 * track.length);
  for (let i = 0; i < track.length; i++) {
    const change = (track[i] - (i % F ? track[i - 1] : 0)) & 0xffff;
    bytes[i] = change & 255;
    bytes[track.length + i] = change >> 8;
  }
  return bytes;
}

/** JSON and base64 of one run. */
export function encodeRun(run) {
  const { times, states, keys = [], contacts = [], series = [], ...info } = run;
  const F = times.length, B = states[0]?.length ?? 0;
  keys.sort((p, q) => p.row - q.row || p.time - q.time);
  const { range, track, keyTrack } = quantise(states, keys, B, F);
  const column = (name) => contacts.flatMap((c) => c[name]);
  const frame = contacts.map((c) => Math.max(1, times.findIndex((t) => t >= c.time)));
  const parts = [['time', 'f64', times], ['range', 'f64', range], ['track', 'planes', planes(track, F)],
    ['key_body', 'u32', keys.map((k) => k.row)], ['key_time', 'f64', keys.map((k) => k.time)], ['key_track', 'u16', keyTrack],
    ['series', 'f64', series.flatMap((s) => s.values)],
    ['contact_time', 'f64', column('time')], ['contact_frame', 'u32', frame], ['contact_a', 'u32', column('a')], ['contact_b', 'u32', column('b')],
    ...['point', 'normal', 'impulse', 'before', 'after', 'friction'].map((name) => [`contact_${name}`, 'f32', column(name)]),
    ['contact_mode', 'u8', column('mode')], ['contact_kind', 'u8', column('kind')]];
  const chunks = [], sections = [];
  let at = 0;
  for (const [name, type, values] of parts) {
    const data = type === 'planes' ? values : new Uint8Array(bytesOf[type].from(values).buffer);
    const gap = (8 - (at % 8)) % 8;
    chunks.push(new Uint8Array(gap), data);
    at += gap + data.length;
    sections.push({ name, type, count: type === 'planes' ? data.length / 2 : values.length });
  }
  const json = { ...info, series: series.map(({ values, ...rest }) => rest), sections };
  json.counts ??= { steps: F - 1, events: contacts.filter((c) => c.kind === 0).length, contacts: contacts.length, samples: F };
  return { json, blob: gzipSync(Buffer.concat(chunks), { level: 1 }).toString('base64') };
}

/** A whole page. */
export function makePage(title, runs, change = (text) => text) {
  const template = readFileSync(join(output, 'page.html'), 'utf8');
  const coded = runs.map(encodeRun);
  const json = JSON.stringify({ format: 'impel-page', version: 1, program: 'impel 0.1.0', title, runs: coded.map((run) => run.json) });
  const data = `<script type="application/json" id="page">${json.replaceAll('<', '\\u003c')}</script>\n` +
    coded.map((run, i) => `<script type="text/plain" id="run${i}">${run.blob}</script>`).join('\n');
  return template.replace('<!-- runs -->', () => change(data));
}

/** What each fixture page is made of. */
export const pages = {
  bounce: () => makePage('bouncing_ball.json', [scenes.bounce({})]),
  zoo: () => makePage('shape_zoo.json', [scenes.zoo()]),
  compare: () => makePage('impulse against stewart-trinkle', [scenes.bounce({ label: 'impulse' }), scenes.bounce({ label: 'stewart-trinkle, dt 10 ms', restitution: 0.72 })]),
  four: () => makePage('four methods', [0.8, 0.75, 0.7, 0.6].map((restitution) => scenes.bounce({ label: `e ${restitution}`, restitution }))),
  thousand: () => makePage('thousand_cubes.json', [scenes.thousand()]),
  hostile: () => makePage(scenes.nasty, [scenes.hostile()]),
  nothing: () => makePage('no bodies', [scenes.empty({ bodies: 0, frames: 3 })]),
  still: () => makePage('one frame', [scenes.empty({ bodies: 1, frames: 1 })]),
  version: () => makePage('version', [scenes.empty({ bodies: 1, frames: 2 })], (data) => data.replace('"version":1', '"version":2')),
  format: () => makePage('format', [scenes.empty({ bodies: 1, frames: 2 })], (data) => data.replace('impel-page', 'other-page')),
  corrupt: () => makePage('corrupt', [scenes.bounce({})], (data) => data.replace(/(id="run0">.{40}).{60}/s, `$1${'A'.repeat(60)}`)),
  cut: () => makePage('cut', [scenes.bounce({})], (data) => data.replace(/(id="run0">.{400})[^<]*/s, '$1')),
  notnumber: () => makePage('nan', [scenes.notANumber()]),
  template: () => readFileSync(join(output, 'page.html'), 'utf8'),
};

export function writePages(folder, names = Object.keys(pages)) {
  mkdirSync(folder, { recursive: true });
  for (const name of names) writeFileSync(join(folder, `${name}.html`), pages[name]());
}

if (process.argv[1] === fileURLToPath(import.meta.url) && !process.env.NODE_TEST_CONTEXT) {
  const folder = process.argv[2] ?? join(output, 'pages');
  writePages(folder);
  console.log(`${Object.keys(pages).length} pages in ${folder}`);
}
