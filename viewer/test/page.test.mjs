// The page in a real browser: opened from disk with the network shut, looked at, clicked and typed into.
//
//   node --test viewer/test/           pages are made by fixture.mjs from build/viewer/page.html
//                                      pages of real runs: runs.test.mjs
//
// SPDX-License-Identifier: MIT
import assert from 'node:assert/strict';
import { mkdirSync, readFileSync } from 'node:fs';
import { after, before, test } from 'node:test';
import { call, checkTemplate, look, near, pagesFolder, settle, shoot, shots, startBrowser, still, stopBrowser, until, withoutWebGL } from './browser.mjs';
import { whatStays, whoLeaves } from '../src/near.js';
import { writePages } from './fixture.mjs';

const g = 9.81, bounceAt = Math.sqrt(2 * 0.9 / g); // the ball's first impact: it falls by 0.9 m

before(async () => {
  mkdirSync(shots, { recursive: true });
  writePages(pagesFolder);
  await startBrowser();
});
after(stopBrowser);

const canvas = (page) => still(page, '#stage');
/** The canvas in 64 by 48 pixels, red, green, blue and opacity of each. */
const pixels = (page) => page.evaluate(() => new Promise((done) => requestAnimationFrame(() => {
  if (!window.impel.playing()) window.impel.seek(window.impel.time()); // draws anew in the next frame
  requestAnimationFrame(() => {
    const to = document.createElement('canvas'), pen = to.getContext('2d');
    to.width = 64; to.height = 48;
    pen.drawImage(document.getElementById('canvas'), 0, 0, 64, 48);
    done([...pen.getImageData(0, 0, 64, 48).data]);
  });
})));

test('the template: its gap, its licences, its policy, the same bytes in C', () => {
  assert.match(checkTemplate('page'), /three 0\.[\s\S]*MIT[\s\S]*uplot 1\./);
});

test('opens, plays and stops at the end', () => look('bounce', {}, async (page) => {
  assert.equal(await call(page, 'error'), null);
  assert.equal(await call(page, 'time'), 0);
  await call(page, 'play');
  await until(page, () => window.impel.time() > 0.2);
  assert.equal(await call(page, 'playing'), true);
  await page.keyboard.press(' ');
  assert.equal(await call(page, 'playing'), false);
  const stopped = await call(page, 'time');
  await settle(page);
  assert.equal(await call(page, 'time'), stopped, 'time stands still');
  await call(page, 'seek', 3.9);
  await call(page, 'play');
  await until(page, () => !window.impel.playing());
  assert.equal(await call(page, 'time'), 4);
}));

test('between frames a body is on its parabola, before and after an impact', () => look('bounce', {}, async (page) => {
  for (const t of [0.005, 0.19, 0.311, bounceAt - 0.003]) {
    await call(page, 'seek', t);
    near((await call(page, 'pose', 'ball'))[2], 1 - g * t * t / 2, 3e-5, `height at ${t}`);
  }
  const v = 0.8 * g * bounceAt;
  for (const s of [0, 0.0007, 0.004, 0.013, 0.3]) {
    await call(page, 'seek', bounceAt + s);
    const pose = await call(page, 'pose', 'ball');
    near(pose[2], 0.1 + v * s - g * s * s / 2, 3e-5, `height ${s} s after the impact`);
    near(pose[0], 0.25 * (bounceAt + s), 3e-5, 'drift');
    near(2 * Math.atan2(pose[5], pose[3]), 2 * s, 1e-4, 'angle'); // 2 rad/s after the first impact
  }
}));

test('the scrubber seeks, and steps go there and back to the same picture', () => look('bounce', {}, async (page) => {
  const rail = await page.locator('.scrubber').boundingBox();
  await page.mouse.click(rail.x + 8 + (rail.width - 16) * 0.25, rail.y + rail.height / 2);
  near(await call(page, 'time'), 1, 0.02, 'a quarter of 4 s');
  await call(page, 'seek', 1);
  const before = await canvas(page);
  await page.keyboard.press('ArrowRight');
  near(await call(page, 'time'), 1.02, 1e-9, 'next frame');
  assert.ok(!before.equals(await canvas(page)), 'a step changes the picture');
  await page.keyboard.press('ArrowLeft');
  near(await call(page, 'time'), 1, 1e-9, 'back');
  assert.ok(before.equals(await canvas(page)), 'the same picture again');
}));

test('arrows stay in the picture, however near one looks', () => look('bounce', { width: 800, height: 600 }, async (page) => {
  const far = await call(page, 'arrowPart');
  assert.ok(far > 0.02 && far <= 0.35, `${far} of the picture`);
  for (const eye of ['0.5,-0.5,0.3', '0.05,-0.05,0.03', '0.005,-0.005,0.003']) {
    await page.evaluate((hash) => { location.hash = hash; }, `#t=1&eye=${eye}&at=0,0,0`);
    await settle(page);
    const part = await call(page, 'arrowPart');
    assert.ok(part > 0.1 && part <= 0.35, `${part} of the picture from ${eye}`);
  }
}));

test('arrows appear at an impact and not in flight', () => look('bounce', { width: 800, height: 600 }, async (page) => {
  assert.equal(await call(page, 'arrows'), 0);
  await page.keyboard.press('Shift+ArrowRight');
  near(await call(page, 'time'), bounceAt, 1e-9, 'first impact');
  assert.equal(await call(page, 'arrows'), 2, 'normal and friction');
  const lit = await canvas(page);
  await shoot(page, 'impact');
  await page.keyboard.press('c');
  assert.equal(await call(page, 'arrows'), 0, 'switched off');
  assert.ok(!lit.equals(await canvas(page)));
  await page.keyboard.press('c');
  await call(page, 'seek', bounceAt + 0.3);
  assert.equal(await call(page, 'arrows'), 0);
  await call(page, 'seek', bounceAt - 0.1);
  await call(page, 'play');
  const flashed = await page.evaluate((hit) => new Promise((done) => {
    let most = 0;
    const watch = () => { most = Math.max(most, window.impel.arrows()); if (window.impel.time() > hit + 0.15) done(most); else requestAnimationFrame(watch); };
    watch();
  }), bounceAt);
  assert.equal(flashed, 2, 'flashes while playing');
}));

test('forces are shown in their frame, and the legend says units and scale', () => look('zoo', {}, async (page) => {
  await call(page, 'seek', 1);
  assert.ok(await call(page, 'arrows') >= 18);
  const legend = await page.locator('.legend').innerText();
  for (const word of ['sticking', 'sliding', 'separating', 'resting', 'N\u202fs', ' N', 'longest arrow']) assert.ok(legend.includes(word), word);
}));

test('the line in the plots follows the clock, and a click in a plot seeks', () => look('bounce', {}, async (page) => {
  for (const t of [0.5, 1.25, 3]) {
    await call(page, 'seek', t);
    near(await call(page, 'plotCursor', 'energy'), t, 1e-6, 'energy');
    near(await call(page, 'plotCursor', 'momentum'), t, 1e-6, 'momentum');
  }
  const plot = await page.locator('.plot .u-over').first().boundingBox();
  await page.mouse.click(plot.x + plot.width / 2, plot.y + plot.height / 2);
  near(await call(page, 'time'), 2, 0.02, 'the middle');
  await page.mouse.move(plot.x + plot.width * 0.25, plot.y + 20);
  await page.mouse.down();
  await page.mouse.move(plot.x + plot.width * 0.75, plot.y + 20, { steps: 5 });
  await page.mouse.up();
  await settle(page);
  const zoomed = await page.locator('.plot .u-over').nth(1).boundingBox();
  await page.mouse.click(zoomed.x + 2, zoomed.y + 20);
  near(await call(page, 'time'), 1, 0.03, 'the left edge of a zoomed plot, of all plots');
  await page.mouse.dblclick(plot.x + plot.width / 2 + 30, plot.y + 20);
  await settle(page);
  await page.mouse.click(plot.x + 1, plot.y + 20);
  near(await call(page, 'time'), 0, 0.03, 'all again');
}));

test('plots are saved as CSV and PNG', () => look('bounce', {}, async (page) => {
  const save = async (text) => {
    const [file] = await Promise.all([page.waitForEvent('download'), page.locator('.plot-card').first().getByText(text, { exact: true }).click()]);
    return { name: file.suggestedFilename(), bytes: readFileSync(await file.path()) };
  };
  const csv = await save('CSV'), lines = csv.bytes.toString().trim().split('\n');
  assert.equal(csv.name, 'energy.csv');
  assert.equal(lines[0], '"time [s]","kinetic [J]","potential [J]","lost in collisions [J]"');
  assert.equal(lines.length, 202);
  near(Number(lines[1].split(',')[2]), g, 1e-12, 'first potential');
  const png = await save('PNG');
  assert.equal(png.bytes.subarray(1, 4).toString(), 'PNG');
}));

test('a body is picked by a click and by its name, and its coordinates are plotted', () => look('bounce', {}, async (page) => {
  await call(page, 'seek', 0.4);
  await page.click('#tab1');
  await page.fill('.search', 'bal');
  await page.keyboard.press('Enter');
  assert.equal(await call(page, 'picked'), 'ball');
  assert.match(await page.locator('.details').innerText(), /mass\s+1 kg/);
  assert.match(await page.locator('.motion').innerText(), /3\.9/); // speed of the fall at 0.4 s
  await page.click('#tab0');
  await settle(page);
  near(await call(page, 'plotCursor', 'body'), 0.4, 1e-6, 'the plot of the body');
  await page.keyboard.press('Escape');
  assert.equal(await call(page, 'picked'), null);
  await page.keyboard.press('f');
  await page.evaluate(() => window.impel.pick('ball'));
  await page.keyboard.press('f'); // follow: the ball is in the middle of the stage
  await settle(page);
  await page.evaluate(() => window.impel.pick(null));
  const stage = await page.locator('#stage').boundingBox();
  await page.mouse.click(stage.x + stage.width / 2, stage.y + stage.height / 2);
  assert.equal(await call(page, 'picked'), 'ball', 'by a click');
}));

test('a ball and the floor look the same where quality is lowered, and the ball can be picked', () => look('bounce', { hash: '#t=3.7&body=ball' }, async (page) => {
  for (const key of ['s', 'c', 'f', '[', '[', '[', '[', '[', '[']) await page.keyboard.press(key); // no shadows, no contacts, following, a hundred times slower
  await settle(page);
  const rest = await pixels(page);
  await call(page, 'play');
  await settle(page);
  const moving = await pixels(page), off = rest.map((value, i) => Math.abs(value - moving[i])), mean = (list) => list.reduce((sum, x) => sum + x, 0) / list.length;
  const middle = off.filter((_, i) => Math.abs((i >> 2) % 64 - 31.5) < 3 && Math.abs((i >> 8) - 23.5) < 2);
  assert.ok(mean(off) < 5, `all of it is off by ${mean(off)} of 255`);
  assert.ok(mean(middle) < 8, `the ball is off by ${mean(middle)}`);
  await page.evaluate(() => window.impel.pick(null));
  const stage = await page.locator('#stage').boundingBox();
  await page.mouse.click(stage.x + stage.width / 2, stage.y + stage.height / 2);
  assert.equal(await call(page, 'picked'), 'ball');
}));

test('a trail and velocities change the picture, and go again', () => look('bounce', { hash: '#t=1.2&body=ball' }, async (page) => {
  const bare = await canvas(page);
  for (const key of ['t', 'v']) {
    await page.keyboard.press(key);
    assert.ok(!bare.equals(await canvas(page)), `key ${key}`);
    await page.keyboard.press(key);
    assert.ok(bare.equals(await canvas(page)), `key ${key} again`);
  }
}));

test('following and the options change the picture', () => look('zoo', { width: 800, height: 600 }, async (page) => {
  await page.evaluate(() => window.impel.pick('cylinder'));
  let before = await canvas(page);
  for (const key of ['r', 'c', 'e', 'm', 's', 'w', 'f']) {
    await page.keyboard.press(key);
    const now = await canvas(page);
    assert.equal(!before.equals(now), key !== 'r', `key ${key}`);
    before = now;
  }
}));

test('links: read at the start, written when the clock stops, read again when changed', () => look('bounce', { hash: '#t=1.25&body=ball' }, async (page) => {
  assert.equal(await call(page, 'time'), 1.25);
  assert.equal(await call(page, 'picked'), 'ball');
  await page.keyboard.press('ArrowRight');
  await until(page, () => location.hash === '#t=1.26&body=ball');
  await page.evaluate(() => { location.hash = '#t=2&body=floor'; });
  await until(page, () => window.impel.time() === 2 && window.impel.picked() === 'floor');
  await page.evaluate(() => { location.hash = '#t=nonsense&body=nobody'; });
  await until(page, () => window.impel.picked() === null);
  assert.equal(await call(page, 'time'), 2);
}));

test('a link may say where the camera is; one that makes no sense is passed over', () => look('bounce', { hash: '#t=1' }, async (page) => {
  const plain = await canvas(page);
  await page.evaluate(() => { location.hash = '#t=1&eye=1.5,-1.5,1&at=0,0,x'; });
  assert.ok(plain.equals(await canvas(page)));
  await page.evaluate(() => { location.hash = '#t=1&eye=1.5,-1.5,1&at=0,0,0.5'; });
  await settle(page);
  assert.ok(!plain.equals(await canvas(page)));
}));

test('two runs in step, with ghosts and the difference of their paths', () => look('compare', {}, async (page) => {
  assert.equal(await call(page, 'panes'), 2);
  await call(page, 'seek', 1.2);
  const [a, b] = [await call(page, 'pose', 'ball', 0), await call(page, 'pose', 'ball', 1)];
  near(a[0], b[0], 1e-4, 'the same drift at the same time');
  assert.ok(Math.abs(a[2] - b[2]) > 0.01, 'different bounces');
  const plain = await canvas(page);
  await page.keyboard.press('g');
  assert.ok(!plain.equals(await canvas(page)), 'ghosts');
  await shoot(page, 'compare');
  await page.evaluate(() => window.impel.pick('ball'));
  await page.selectOption('.plot-card select', 'difference');
  const frame = 1.2; // a frame: the figure beside the name is the plot's value there
  await call(page, 'seek', frame);
  await settle(page);
  const size = Number((await page.locator('.plot-card .value').first().innerText()).replace('\u2212', '-'));
  near(size, Math.hypot(...[0, 1, 2].map((k) => a[k] - b[k])), 2e-4, 'the distance of the two paths');
}));

test('four runs', () => look('four', {}, async (page) => { assert.equal(await call(page, 'panes'), 4); await shoot(page, 'four'); }));

test('both themes; the choice outlives a reload', () => look('zoo', { theme: 'dark' }, async (page) => {
  const ground = () => page.evaluate(() => getComputedStyle(document.getElementById('top')).backgroundColor);
  assert.equal(await ground(), 'rgb(26, 32, 39)');
  await shoot(page, 'dark');
  await page.keyboard.press('x');
  assert.equal(await ground(), 'rgb(255, 255, 255)');
  await settle(page);
  await shoot(page, 'light');
  await page.reload();
  await page.evaluate(() => window.impel.ready);
  assert.equal(await ground(), 'rgb(255, 255, 255)');
}));

test('no storage is no trouble', () => look('bounce', { before: () => { Object.defineProperty(window, 'localStorage', { get() { throw new Error('shut'); } }); } }, async (page) => {
  await page.keyboard.press('x');
  assert.equal(await page.evaluate(() => document.documentElement.dataset.theme), 'dark');
}));

/** Boxes of visible parts of the page that overlap though they should not. */
const overlaps = (page) => page.evaluate(() => {
  const list = ['#top', '#stage', '#transport', '#panel', '.steps', '.clock', '.pace', '.scrubber', '.legend', '.corner', '.stage-tools'].map((one) => [one, document.querySelector(one)]).filter(([, e]) => e && !e.hidden && e.getBoundingClientRect().width > 0), bad = [];
  for (const [n, e] of list) for (const [m, f] of list) {
    if (n >= m || e.contains(f) || f.contains(e)) continue;
    const p = e.getBoundingClientRect(), q = f.getBoundingClientRect();
    if (Math.min(p.right, q.right) - Math.max(p.left, q.left) > 1 && Math.min(p.bottom, q.bottom) - Math.max(p.top, q.top) > 1) bad.push(`${n} and ${m}`);
  }
  for (const [n, e] of list) { const p = e.getBoundingClientRect(); if (p.right > innerWidth + 1 || p.bottom > innerHeight + 1 || p.left < -1) bad.push(`${n} off the window`); }
  return bad;
});

for (const [width, height] of [[390, 844], [800, 600], [844, 390], [1280, 800]])
  test(`nothing overlaps at ${width} x ${height}`, () => look('bounce', { width, height, touch: width < 500 }, async (page) => {
    assert.deepEqual(await overlaps(page), []);
    assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth), 'no sideways scrolling');
    await shoot(page, `size_${width}x${height}`);
    if (width > 500) return;
    await page.tap('#tab0');
    await settle(page);
    assert.deepEqual(await overlaps(page), []);
    assert.ok((await page.locator('#sheet0').boundingBox()).height > 200, 'the sheet opens');
    await shoot(page, 'phone_sheet');
    const before = await canvas(page), stage = await page.locator('#stage').boundingBox();
    const touch = await page.context().newCDPSession(page), y = stage.y + stage.height / 2;
    await touch.send('Input.dispatchTouchEvent', { type: 'touchStart', touchPoints: [{ x: 100, y }] });
    for (const x of [130, 170, 220]) await touch.send('Input.dispatchTouchEvent', { type: 'touchMove', touchPoints: [{ x, y }] });
    await touch.send('Input.dispatchTouchEvent', { type: 'touchEnd', touchPoints: [] });
    await settle(page);
    assert.ok(!before.equals(await canvas(page)), 'a finger turns the view');
  }));

test('keyboard only: every control is reached, is named, and shows its focus', () => look('bounce', {}, async (page) => {
  const names = new Set();
  for (let i = 0; i < 70; i++) {
    await page.keyboard.press('Tab');
    const at = await page.evaluate(() => {
      const e = document.activeElement;
      if (e === document.body) return null;
      return { name: e.getAttribute('aria-label') || e.textContent || e.title || e.closest('label')?.textContent, ring: getComputedStyle(e).outlineStyle !== 'none' };
    });
    if (!at) break;
    assert.ok(at.name, 'a name for screen readers');
    assert.ok(at.ring, `focus is seen on ${at.name}`);
    names.add(at.name);
  }
  for (const want of ['Play (space)', 'Time', 'Speed', 'One frame on (\u2192)', 'Next impact (shift \u2192)', 'Plots', 'Save as CSV', 'What is shown (D)', 'Keys (?)', 'Repeat (L)'])
    assert.ok(names.has(want), `${want} is reached`);
  await page.evaluate(() => document.activeElement.blur());
  await page.keyboard.press('?');
  assert.ok(await page.locator('dialog.help').isVisible());
  await shoot(page, 'help');
  await page.keyboard.press('Escape');
  assert.ok(!await page.locator('dialog.help').isVisible());
  await page.keyboard.press('End');
  assert.equal(await call(page, 'time'), 4);
  await page.keyboard.press('Home');
  assert.equal(await call(page, 'time'), 0);
  await page.keyboard.press('[');
  assert.equal(await page.locator('.speed').inputValue(), '0.5');
  await page.keyboard.press('4');
  assert.ok(await page.locator('#sheet3').isVisible());
  assert.match(await page.locator('#sheet3').innerText(), /Certificate[\s\S]*penetration[\s\S]*1\.2e.9[\s\S]*Every second frame was left out/);
  const before = await canvas(page);
  await page.keyboard.press('Alt+ArrowLeft');
  assert.ok(!before.equals(await canvas(page)), 'the view is turned');
}));

test('names that try to get out stay text, and long ones are cut', () => look('hostile', {}, async (page) => {
  assert.equal(await page.locator('#app b:not(.legend b):not(p.status b)').count(), 0);
  assert.ok((await page.title()).startsWith('</script><b>'));
  assert.ok((await page.title()).length < 200);
  await page.keyboard.press('2');
  await page.locator('.name-row').first().click();
  assert.equal((await call(page, 'picked')).length, 10000);
  await page.evaluate(() => window.impel.pick('__proto__'));
  assert.equal(await call(page, 'picked'), '__proto__');
  for (const key of ['1', '3', '4']) await page.keyboard.press(key);
  assert.deepEqual(await overlaps(page), []);
  assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth));
  await shoot(page, 'hostile');
}));

for (const [file, sentence] of [['version', /version 2/], ['format', /not of an Impel run/], ['corrupt', /damaged/], ['cut', /damaged/], ['template', /no run/]])
  test(`a page that is wrong says so: ${file}`, () => look(file, {}, async (page) => {
    assert.match(await page.locator('[role=alert]').innerText(), sentence);
    assert.match(await call(page, 'error'), sentence);
  }));

for (const file of ['nothing', 'still', 'notnumber'])
  test(`hardly anything to show: ${file}`, () => look(file, {}, async (page) => {
    assert.equal(await call(page, 'error'), null);
    for (const key of [' ', 'ArrowRight', 'Shift+ArrowRight', '1', '2', '3', '4', 'v', 'End']) await page.keyboard.press(key);
    await settle(page);
    assert.ok(Number.isFinite(await call(page, 'time')));
  }));

/** A run of bodies of 0.1 m that start at x = 0, 1, 2, ... and of which each one goes so far down. */
const runDown = (...falls) => ({
  frames: 2,
  bodies: falls.map((fall, i) => ({ name: `b${i}`, moves: i, size: 0.1 })),
  range: falls.flatMap((fall, i) => [i, 0, 0, 0, -fall, fall / 65535, ...Array(20).fill(0)]),
  track: falls.flatMap(() => [0, 0, 65535, ...Array(10).fill(0), 0, 0, 0, ...Array(10).fill(0)]),
});

test('the camera shows what stays near', () => {
  const names = ({ gone }) => gone.map(({ body }) => body.name).sort();
  assert.equal(whatStays([runDown(120)]), null, 'a path that is alone is shown whole');
  assert.equal(whatStays([runDown(1), runDown(9)]), null, 'and so is one nine times as far');
  assert.equal(whatStays([runDown(120), runDown(120)]), null, 'and two that leave together');
  assert.equal(whatStays([runDown()]), null, 'and nothing');

  // a start of 0.17 m across and a path of 1 m: what falls farther than 10 m is gone
  const two = whatStays([runDown(1), runDown(120)]);
  assert.deepEqual(names(two), ['b0']);
  near(two.box.low[2], -1.05, 1e-9, 'below the path that stays');
  near(two.box.high[2], 0.05, 1e-9, 'above the start');
  assert.equal(whoLeaves(two.gone, two.gone[0].run), 'b0 leaves');

  // of a row of four two spill over, one later than the other
  const four = whatStays([runDown(0.5, 90, 0.2, 50)]);
  assert.deepEqual(names(four), ['b1', 'b3']);
  near(four.box.high[0], 3.05, 1e-9, 'the start of what leaves is in the picture');
  near(four.box.low[2], -0.55, 1e-9, 'and not its end');
  assert.equal(whoLeaves(four.gone, four.gone[0].run), 'b3 and 1 more leave');
});

test('without WebGL the rest of the page works', () => look('bounce', { before: withoutWebGL }, async (page) => {
  page.complaints = page.complaints.filter((text) => !/WebGL/.test(text));
  assert.match(await page.locator('#stage [role=alert]').innerText(), /no WebGL/);
  await call(page, 'seek', 1);
  near(await call(page, 'plotCursor', 'energy'), 1, 1e-6, 'the plot');
  await page.keyboard.press('4');
  assert.ok(await page.locator('#sheet3').isVisible());
}));

test('a thousand bodies open fast and play with lowered quality, full again at rest; at rest nothing is drawn', () => look('thousand', { width: 800, height: 600 }, async (page) => {
  assert.ok(await page.evaluate(() => performance.now()) < 8000, 'opens');
  assert.equal(await call(page, 'quality'), 'full');
  await call(page, 'play');
  await until(page, () => window.impel.quality() !== 'full' || window.impel.frameTime() > 0 && window.impel.frameTime() < 27, null, 10000);
  await page.waitForTimeout(1500);
  assert.ok(await call(page, 'frameTime') < 120, `frames take ${await call(page, 'frameTime')} ms`); // a gross guard: the machine may be busy
  await call(page, 'pause');
  await until(page, () => window.impel.quality() === 'full');
  await settle(page);
  const calls = await page.evaluate(() => new Promise((done) => {
    const gl = document.getElementById('canvas').getContext('webgl2'), draw = gl.drawElementsInstanced;
    let count = 0;
    gl.drawElementsInstanced = function (...all) { count++; return draw.apply(this, all); };
    setTimeout(() => done(count), 500);
  }));
  assert.equal(calls, 0, 'nothing is drawn while nothing changes');
}));
