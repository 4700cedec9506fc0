// Pages of real runs, as the program makes them: IMPEL_PAGES names their folder (./dev test page makes them).
//
// SPDX-License-Identifier: MIT
import assert from 'node:assert/strict';
import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { gunzipSync } from 'node:zlib';
import { call, look as lookAt, settle, shoot, startBrowser, stopBrowser, until } from './browser.mjs';

const folder = process.env.IMPEL_PAGES, skip = folder ? false : 'IMPEL_PAGES names no folder';
const file = (name) => join(folder, `${name}.html`);
before(async () => { if (folder) await startBrowser(); });
after(stopBrowser);

/** A test on the page of a run. */
const look = (name, options, check) => lookAt(file(name), options, async (page) => {
  assert.equal(await call(page, 'error'), null);
  await check(page);
});

/** Rows of a trace, by body: [t, x, y, z, qw, ...]. */
function trace(name, body) {
  return readFileSync(join(folder, `${name}.csv`), 'utf8').trim().split('\n').map((line) => line.split(','))
    .filter((row) => row[1] === body).map((row) => [Number(row[0]), ...row.slice(2).map(Number)]);
}

const turn = (q, p) => 2 * Math.acos(Math.min(1, Math.abs(q[0] * p[0] + q[1] * p[1] + q[2] * p[2] + q[3] * p[3])));

test('the ball is where the trace says, at frames and between them, within a thousandth of its size', { skip }, () => look('bouncing_ball', {}, async (page) => {
  const size = 2 * 0.05 * Math.sqrt(3), rows = trace('bouncing_ball', 'ball');
  assert.ok(rows.length > 400);
  for (const row of rows) {
    await call(page, 'seek', row[0]);
    const pose = await call(page, 'pose', 'ball');
    const off = Math.hypot(pose[0] - row[1], pose[1] - row[2], pose[2] - row[3]);
    assert.ok(off <= 1e-3 * size, `t = ${row[0]}: off by ${off} m`);
  }
}));

test('a body that spins fast is turned as the trace says', { skip }, () => look('tumbling_brick', {}, async (page) => {
  for (const row of trace('tumbling_brick', 'brick').filter((_, i) => i % 7 === 0)) {
    await call(page, 'seek', row[0]);
    const pose = await call(page, 'pose', 'brick');
    assert.ok(turn(pose.slice(3), row.slice(4, 8)) < 2e-3, `t = ${row[0]}: turned wrong by ${turn(pose.slice(3), row.slice(4, 8))}`);
  }
}));

test('arrows stand at the impact and not in flight', { skip }, () => look('bouncing_ball', {}, async (page) => {
  await call(page, 'seek', 0.2);
  assert.equal(await call(page, 'arrows'), 0);
  await call(page, 'seek', Math.sqrt(2 * 1 / 9.81));
  assert.ok(await call(page, 'arrows') > 0);
}));

test('sleeping bodies show what carries them', { skip }, () => look('sliding_block', {}, async (page) => {
  await call(page, 'seek', 2.9);
  assert.ok(await call(page, 'arrows') > 0);
}));

test('two methods side by side: together until the first impact, apart after it', { skip }, () => look('compare', {}, async (page) => {
  assert.equal(await call(page, 'panes'), 2);
  await call(page, 'seek', 0.3);
  const [a, b] = [await call(page, 'pose', 'ball', 0), await call(page, 'pose', 'ball', 1)];
  assert.ok(Math.abs(a[2] - b[2]) < 2e-3, 'the same fall, to the 16 bits of one that falls 120 m');
  await call(page, 'seek', 0.8);
  assert.ok((await call(page, 'pose', 'ball', 0))[2] - (await call(page, 'pose', 'ball', 1))[2] > 0.5, 'one of them went through the floor');
  await shoot(page, 'run-compare');
  const tall = await call(page, 'metresSeen');
  assert.ok(tall > 1 && tall < 5, `the ball that bounces 1 m high is framed, not the one that falls 120 m: ${tall} m`);
  assert.deepEqual(await page.locator('.pane-name').allInnerTexts(), ['impulse', 'flight\nball leaves the picture']);
  await page.keyboard.press('4');
  await page.locator('#sheet3 select').selectOption('flight');
  assert.match(await page.locator('#sheet3').innerText(), /ball leaves the picture, which shows what stays near/);
}));

test('four runs side by side', { skip }, () => look('compare4', {}, async (page) => {
  assert.equal(await call(page, 'panes'), 4);
  await shoot(page, 'run-compare4');
}));

test('a scene full of markup is shown as text', { skip }, () => look('hostile', {}, async (page) => {
  assert.notEqual(await page.title(), 'taken');
  assert.equal(await page.locator('#app h1', { hasText: 'floor' }).count(), 0);
  assert.equal(await page.locator('#app i').count(), 0);
  assert.equal(await page.locator('#app img').count(), 0);
  await call(page, 'pick', 'ball "\\\' & \u{1F3B1} &lt;b&gt;');
  assert.equal(await call(page, 'picked'), 'ball "\\\' & \u{1F3B1} &lt;b&gt;');
  await shoot(page, 'run-hostile');
}));

test('a run that was stopped says so', { skip }, () => look('press', {}, async (page) => {
  assert.ok(await page.getByText('stopped', { exact: true }).first().isVisible());
}));

for (const [name, hash] of [['bowling', '#t=2.6'], ['coins', '#t=0.5'], ['dominos', '#t=0.6'], ['ball_on_platter', '#t=4'], ['part_feeding', '#t=1.5'], ['shape_zoo', '#t=0.3']])
  test(`${name} opens and plays`, { skip }, () => look(name, { width: 1280, height: 800, hash }, async (page) => {
    const start = await call(page, 'time');
    await shoot(page, `run-${name}`);
    await call(page, 'play');
    await until(page, (t) => window.impel.time() > t + 0.03, start);
    await call(page, 'pause');
    for (const key of ['Shift+ArrowRight', 'ArrowRight', 'ArrowLeft', '2', '3', '4', '1']) await page.keyboard.press(key);
    await settle(page);
  }));

test('a thousand bodies for ten seconds: below 20 MB, open within 3 s, 30 frames a second without a graphics card', { skip }, async () => {
  assert.ok(statSync(file('thousand')).size < 20e6);
  let opened = Infinity;
  for (let i = 0; i < 5 && opened >= 3000; i++) {    // the machine may be busy
    const began = Date.now();
    await look('thousand', { width: 800, height: 600 }, () => { opened = Math.min(opened, Date.now() - began); });
  }
  await look('thousand', { width: 800, height: 600 }, async (page) => {
    let best = 0;
    for (let i = 0; i < 10 && best < 30; i++) {      // in the first quality is lowered; in others the machine may be busy
      if (!(await call(page, 'playing')) || (await call(page, 'time')) > 7) await call(page, 'seek', 0);
      await call(page, 'play');
      const frames = await page.evaluate(() => new Promise((done) => {
        let count = 0;
        const start = performance.now(), tick = () => { count++; const s = (performance.now() - start) / 1000; if (s > 1.2) done(count / s); else requestAnimationFrame(tick); };
        requestAnimationFrame(tick);
      }));
      if (await call(page, 'playing')) best = Math.max(best, frames);   // at the end nothing is drawn, and that is fast
    }
    console.log(`# thousand: open after ${opened} ms, ${best.toFixed(0)} frames a second at quality ${await call(page, 'quality')}`);
    await shoot(page, 'run-thousand');
    await call(page, 'pause');
    await settle(page);
    assert.ok(opened < 3000, `open after ${opened} ms`);
    assert.ok(best >= 30, `${best} frames a second`);
  });
});

test('a run that ended earlier than the others says so', { skip }, () => look('compare_press', {}, async (page) => {
  const note = page.locator('.over', { hasText: 'stopped at 0.21 s' });
  await call(page, 'seek', 0.1);
  assert.equal(await note.isVisible(), false);
  await call(page, 'seek', 0.9);
  await settle(page);
  assert.equal(await note.isVisible(), true);
}));

/** The words of a page's first run, and its sections of whole numbers and doubles. */
function decoded(name) {
  const text = readFileSync(file(name), 'utf8'), between = (id) => text.split(`id="${id}">`)[1].split('</script>')[0];
  const [run] = JSON.parse(between('page')).runs, bytes = gunzipSync(Buffer.from(between('run0'), 'base64')), found = {};
  const blob = bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.length), widths = { f64: 8, f32: 4, u32: 4, u16: 2, u8: 1, planes: 2 };
  let at = 0;
  for (const { name: section, type, count } of run.sections) {
    if (type === 'f64') found[section] = new Float64Array(blob, at, count);
    at += Math.ceil(count * widths[type] / 8) * 8;
  }
  assert.equal(at, blob.byteLength, 'nothing is left over');
  return { run, found };
}

test('more than a page holds: evenly thinned, the largest kept, every count right, and all of it said', { skip }, () => {
  const { run, found: { time, series, contact_time: contacts, key_time: keys } } = decoded('crowd'), said = run.thinned.join('; ');
  const column = (name) => { const i = run.series.findIndex((one) => one.name === name); return series.subarray(i * time.length, (i + 1) * time.length); };
  assert.ok(time.length * 2000 < 1.3e6 && time[0] === 0 && time.at(-1) === 26, 'frames from start to end');
  const steps = [...time].slice(1).map((t, i) => t - time[i]), typical = steps[0];
  assert.ok(steps.slice(0, -1).every((step) => Math.abs(step - typical) < 1e-9), 'evenly');
  const total = column('events').reduce((sum, rate, f) => (f ? sum + rate * (time[f] - time[f - 1]) : 0), 0);
  assert.ok(Math.abs(total - run.counts.events) < 1e-6 * run.counts.events, `events: ${total} of ${run.counts.events}`);
  assert.equal(contacts.length, 200000, 'as many contacts as fit, though all are equal');
  assert.match(said, new RegExp(`${run.counts.contacts - 200000} contacts are left out: the 200000 largest are here`));
  assert.equal(keys.length, 200000);
  assert.match(said, /later impacts have none, since a page holds no more/);
});
