// The page of a drop test in a real browser: opened from disk with the network shut, looked at, clicked and typed into.
//
//   node --test viewer/test/poses.test.mjs     pages are made by poses_fixture.mjs from build/viewer/poses.html
//                                              those the program made: IMPEL_PAGES names a folder with poses*.html
//
// SPDX-License-Identifier: MIT
import assert from 'node:assert/strict';
import { existsSync, mkdirSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { headline, outcome, remarks } from '../src/poses/words.js';
import { call, checkTemplate, look, near, pagesFolder, settle, shoot, shots, startBrowser, still, stopBrowser, until, withoutWebGL } from './browser.mjs';
import { nasty } from './fixture_scenes.mjs';
import { drumTest, dropTest, fallTime, heightAt, writePosesPages } from './poses_fixture.mjs';

const made = dropTest({}), ranked = made.json.poses.map((card) => ({ ...card, row: card.id })).sort((a, b) => b.count - a.count); // each card has one pose, and is called by its place

before(async () => {
  mkdirSync(shots, { recursive: true });
  writePosesPages(pagesFolder);
  await startBrowser();
});
after(stopBrowser);

/** How many different colours each canvas of a kind has, on a coarse grid. */
const colours = (page, selector) => page.evaluate((where) => [...document.querySelectorAll(where)].map((canvas) => {
  const to = document.createElement('canvas'), pen = to.getContext('2d');
  to.width = 70; to.height = 45;
  pen.drawImage(canvas, 0, 0, 70, 45);
  const data = pen.getImageData(0, 0, 70, 45).data, seen = new Set();
  for (let i = 0; i < data.length; i += 4) if (data[i + 3] > 200) seen.add((data[i] >> 4) * 256 + (data[i + 1] >> 4) * 16 + (data[i + 2] >> 4));
  return seen.size;
}), selector);

test('the template: its gap, its licence, its policy, the same bytes in C', () => {
  const text = checkTemplate('poses');
  assert.match(text, /three 0\.[\s\S]*MIT/);
  assert.ok(!/uplot/i.test(text), 'nothing of what it does not use');
});

test('sentences for few poses, for none, and for what was not compared', () => {
  const card = (index, id, rows, families, count) => ({ index, id, families, count, probability: count / 100, members: rows.map((row) => ({ row })) });
  const said = (cards, drops) => headline({ cards, order: cards, drops: { count: 100, unresolved: 0, failed: 0, left: 0, ...drops } }).replaceAll('\u202f', ' ');
  assert.equal(said([card(0, 3, [3, 4, 6], 1, 40)], {}), 'Comes to rest in pose 3, 4 or 6, one family, in 40.0 % of 100 drops.');
  assert.equal(said([card(0, 3, [3], 1, 99)], { left: 1 }), 'Comes to rest in pose 3 in 99.0 % of 100 drops; 1 left the surface.');
  assert.equal(said([card(0, 3, [3], 1, 0)], { unresolved: 98, failed: 2 }), 'None of 100 drops ended in a certain pose; 98 are unresolved and 2 failed.');
  assert.equal(said([], {}), 'This part has no pose in which it stays.');
  const drops = { count: 0, interrupted: true, rolled: 0 }, cards = [card(0, 0, [0], 1, 9), card(1, 1, [1, 2], 2, 5)];
  assert.deepEqual(remarks({ cards, drops }), { doubts: ['The run was interrupted before any drop was made.'], notes: [] });
  assert.deepEqual(outcome({ trial: 7, certified: 1, rest: -1, impacts: 1 }, { cards, drops }), { verdict: 'open', text: 'Trial 7: the drop test is certain of a pose like 1 after 1 impact; the general engine is not at rest when its run ends.' });
  assert.equal(outcome({ trial: 7, certified: -1, rest: 0, impacts: null }, { cards, drops }).text, 'Trial 7: the drop test left it unresolved; the general engine ends in pose 0.');
  assert.equal(outcome({ trial: 7, certified: 1, rest: 0, impacts: 2 }, { cards, drops }).verdict, 'differs');
});

test('the answer in words, and the conditions', () => look('poses', { width: 1280, height: 900 }, async (page) => {
  assert.equal(await call(page, 'error'), null);
  assert.equal(await page.locator('h1').innerText(), 'bracket.stl');
  const top = ranked[0];
  assert.equal((await page.locator('.headline').innerText()).replaceAll('\u202f', ' '), `Comes to rest in pose ${top.row} in ${(top.count / 1000).toFixed(1)} % of 100,000 drops; ${made.json.drops.unresolved} are unresolved.`);
  const said = await page.locator('.hero').innerText();
  for (const text of ['Stronge', 'Friction', '0.3', 'Restitution', '0.4', '300', 'Seed', '61 g', String(made.json.drops.unresolved), '244 k']) assert.ok(said.includes(text), text);
  await shoot(page, 'poses');
}));

test('cards: most probable first, with their figures and a picture each', () => look('poses', { width: 1280, height: 900 }, async (page) => {
  assert.deepEqual(await call(page, 'poses'), ranked.map((pose) => pose.row));
  assert.deepEqual(await page.locator('.pose-card').evaluateAll((all) => all.map((card) => Number(card.dataset.pose))), ranked.map((pose) => pose.row));
  const figures = (await page.locator('.pose-card b').allInnerTexts()).map((text) => parseFloat(text));
  ranked.forEach((pose, i) => near(figures[i], pose.count / 1000, 0.051, `pose ${pose.row}`));
  const bars = await page.locator('.gallery .bar').evaluateAll((all) => all.map((bar) => bar.getAttribute('aria-label').replaceAll('\u202f', ' ')));
  assert.match(bars[0], /of the drops; 95 % interval .* to .*; quasi-static/);
  const drawn = await colours(page, '.gallery canvas');
  assert.equal(drawn.length, ranked.length);
  for (const n of drawn) assert.ok(n > 6, `${n} colours in a picture`);
}));

test('a card lights its points and shows its first example; escape lets go', () => look('poses', { width: 1280, height: 900 }, async (page) => {
  const third = ranked[2].row, before = await still(page, '.globe-frame');
  await page.locator(`.pose-card[data-pose="${third}"]`).click();
  assert.equal(await call(page, 'chosen'), third);
  assert.equal(await page.locator(`.pose-card[data-pose="${third}"]`).getAttribute('aria-pressed'), 'true');
  await until(page, (trial) => window.impel.example() === trial, made.json.examples.find((one) => one.certified === third).trial);
  assert.ok(!before.equals(await still(page, '.globe-frame')), 'the sphere has changed');
  await page.keyboard.press('Escape');
  assert.equal(await call(page, 'chosen'), null);
  await page.locator(`.legend-row[data-pose="${third}"]`).click();
  assert.equal(await call(page, 'chosen'), third, 'the legend does the same');
}));

test('the sphere: pointing at a sample tells its trial and pose, a click keeps it', () => look('poses', { width: 1280, height: 900 }, async (page) => {
  await page.locator('.globe-frame').scrollIntoViewIfNeeded();
  const { down, rest } = made.arrays, wanted = rest.findIndex((row) => row === ranked[1].row), v = [0, 1, 2].map((k) => down[3 * wanted + k]);
  if (Math.abs(v[2]) > 30000) throw new Error('choose another sample: the sphere is not turned quite to one near its pole');
  await call(page, 'face', v);
  await settle(page);
  const box = await page.locator('.globe').boundingBox();
  await page.mouse.move(box.x + box.width / 2, box.y + box.height / 2);
  await until(page, (i) => window.impel.sample() === i, wanted);
  assert.equal(await page.locator('.side h3').innerText(), `Trial ${wanted}`);
  assert.match(await page.locator('.side').innerText(), new RegExp(`ends in pose ${ranked[1].row}`));
  await settle(page);
  for (const n of await colours(page, '.side canvas')) assert.ok(n > 6, 'both pictures are drawn');
  await page.mouse.click(box.x + box.width / 2, box.y + box.height / 2);
  assert.match(await call(page, 'command'), new RegExp(`--trial ${wanted} -o run.html`));
  await page.mouse.move(box.x + 4, box.y + 4);
  await settle(page);
  assert.equal(await call(page, 'sample'), wanted, 'kept');
  await shoot(page, 'poses-sphere');
  const seen = await still(page, '.globe-frame');
  await page.getByLabel('See the part inside').check();
  assert.ok(!seen.equals(await still(page, '.globe-frame')), 'the part is seen inside');
  await shoot(page, 'poses-inside');
}));

test('the sphere turns by drag and by keys', () => look('poses', { width: 1280, height: 900 }, async (page) => {
  const first = await still(page, '.globe-frame'), box = await page.locator('.globe').boundingBox();
  await page.mouse.move(box.x + 200, box.y + 200);
  await page.mouse.down();
  await page.mouse.move(box.x + 300, box.y + 220, { steps: 4 });
  await page.mouse.up();
  const second = await still(page, '.globe-frame');
  assert.ok(!first.equals(second));
  await page.locator('.globe').focus();
  await page.keyboard.press('ArrowRight');
  assert.ok(!second.equals(await still(page, '.globe-frame')));
  await page.keyboard.press('Enter');
  assert.ok(await call(page, 'sample') >= 0);
}));

test('an example plays, scrubs, and the part is where the data say', () => look('poses', { width: 1280, height: 900 }, async (page) => {
  const one = made.json.examples[0], pose = made.json.poses[one.rest], { center } = made.arrays.part;
  assert.equal(await call(page, 'example'), one.trial);
  await page.locator('#stage').scrollIntoViewIfNeeded();
  const height = async () => {
    const [, , z, w, i, j, k] = await call(page, 'pose'), [cx, cy, cz] = center;
    return z + 2 * (i * k - w * j) * cx + 2 * (j * k + w * i) * cy + (1 - 2 * (i * i + j * j)) * cz;
  };
  for (const t of [0, 0.1, 0.2, 1.2]) {
    await call(page, 'seek', t);
    near(await height(), heightAt(t, pose.height), 1e-4, `height at ${t} s`);
  }
  await shoot(page, 'poses-example');
  await call(page, 'seek', 0);
  await page.locator('#canvas').click({ position: { x: 200, y: 100 } });
  await page.keyboard.press(' ');
  await until(page, () => window.impel.time() > 0.1);
  assert.equal(await call(page, 'playing'), true);
  await page.keyboard.press(' ');
  assert.equal(await call(page, 'playing'), false);
  const rail = await page.locator('.scrubber').boundingBox();
  await page.mouse.click(rail.x + 8 + (rail.width - 16) * 0.5, rail.y + rail.height / 2);
  near(await call(page, 'time'), 0.6, 0.01, 'half of 1.2 s');
  await call(page, 'seek', fallTime);
  assert.ok(await call(page, 'arrows') > 0, 'arrows at the impact');
}));

test('what became of an example is said, also where the two disagree', () => look('poses', { width: 1280, height: 900 }, async (page) => {
  const { examples } = made.json, good = examples[0], bad = examples.find((one) => one.rest !== one.certified);
  assert.equal(await page.locator('.outcome').innerText(), `Both agree. Trial ${good.trial}: the drop test is certain of pose ${good.certified} after ${good.impacts} impacts; the general engine ends in pose ${good.rest}, too.`);
  await page.locator(`.example[data-trial="${bad.trial}"]`).click();
  await until(page, (trial) => window.impel.example() === trial && window.impel.pose() !== null, bad.trial);
  assert.equal(await page.locator('.outcome').innerText(), `The two disagree. Trial ${bad.trial}: the drop test is certain of pose ${bad.certified} after ${bad.impacts} impacts; the general engine ends in pose ${bad.rest}.`);
  assert.match(await page.locator(`.example[data-trial="${bad.trial}"]`).innerText(), /differs/);
  assert.equal(await call(page, 'command'), `impel poses replay bracket.stl --seed 1 --trial ${bad.trial} -o run.html`);
  await shoot(page, 'poses-differs');
  for (const { trial } of examples) await call(page, 'show', trial); // one after the other, without running out of contexts
  assert.equal(await call(page, 'error'), null);
  assert.notEqual(await call(page, 'pose'), null);
}));

test('the command follows the field, and refuses what is no number of a trial', () => look('poses', {}, async (page) => {
  await page.getByLabel('Number of the trial').fill('4711');
  assert.equal(await page.locator('.line').innerText(), 'impel poses replay bracket.stl --seed 1 --trial 4711 -o run.html');
  await page.getByLabel('Number of the trial').fill('-3');
  assert.match(await page.locator('.line').innerText(), /--trial 0 -o/);
  await page.getByRole('button', { name: 'Copy' }).click();
  await until(page, () => /Copied|by hand/.test(document.querySelector('.command button').textContent));
}));

test('the table has all poses, and the file has their numbers', () => look('poses', { width: 1280, height: 900 }, async (page) => {
  assert.equal(await page.locator('#table tbody tr').count(), ranked.length);
  const [file] = await Promise.all([page.waitForEvent('download'), page.getByRole('button', { name: 'Download as CSV' }).click()]);
  assert.equal(file.suggestedFilename(), 'bracket_stl_poses.csv');
  const rows = readFileSync(await file.path(), 'utf8').trim().split('\n').map((line) => line.split(','));
  assert.equal(rows.length, 1 + ranked.length);
  assert.deepEqual(rows[0].slice(0, 4), ['pose', 'count', 'probability', 'low']);
  assert.equal(Number(rows[1][0]), ranked[0].row);
  assert.equal(Number(rows[1][1]), ranked[0].count);
  near(Number(rows[1][6]), ranked[0].height, 1e-12, 'height');
  assert.deepEqual(rows[0].slice(-3), ['poses', 'families', 'members']);
  assert.deepEqual(rows[1].slice(-3), ['1', '1', String(ranked[0].row)]);
  assert.match(await page.locator('#table tfoot').innerText(), /Unresolved/);
}));

test('many poses: the first 24 as cards, and how many more', () => look('poses_ball', { width: 1280, height: 900 }, async (page) => {
  assert.equal(await page.locator('.pose-card').count(), 24);
  assert.match(await page.locator('#poses .more').innerText(), /^4,976 more poses/);
  assert.equal(await page.locator('#table tbody tr').count(), 400);
  assert.match(await page.locator('#table .more').innerText(), /^4,600 more lines/);
  assert.match(await page.locator('#replays').innerText(), /no examples/);
  await page.locator('.globe-frame').scrollIntoViewIfNeeded();
  await shoot(page, 'poses-ball');
}));

test('random spin is said, and poses that are the same by rotation share a card', () => look('poses_spin', { width: 1100, height: 900 }, async (page) => {
  assert.match(await page.locator('.doubt').innerText(), /random velocity or spin/);
  assert.match(await page.locator('.doubts').innerText(), /not closed/);
  assert.match(await page.locator('.gallery').innerText(), /2 poses, same by rotation/);
  assert.match(await page.locator('#poses .rule').innerText(), /^Poses that are the same by rotation share a card/);
  assert.ok(!(await call(page, 'poses')).includes(1), 'pose 1 has no card of its own');
}));

test('a drum: the side is one family, the ends are the same by rotation', () => look('poses_drum', { width: 1280, height: 900 }, async (page) => {
  const plain = async (where) => (await page.locator(where).innerText()).replaceAll('\u202f', ' ');
  const { json: { poses: [ends, side], drops }, arrays: { rest } } = drumTest();
  assert.deepEqual([ends.poses.length, side.poses.length], [2, 24]);
  assert.deepEqual(await call(page, 'poses'), side.count > ends.count ? [side.id, ends.id] : [ends.id, side.id]);
  const top = side.count > ends.count ? `one of 24 poses like pose ${side.id}` : `pose ${ends.poses.join(' or ')}, the same by rotation,`;
  assert.equal(await plain('.headline'), `Comes to rest in ${top} in ${(Math.max(side.count, ends.count) / 100).toFixed(1)} % of 10,000 drops; 3 are unresolved, 2 failed and 1 left the surface.`);
  assert.match(await plain('.note-line'), /^250 drops were still rolling within their family .*: 2.50 % of all/);
  assert.match(await plain('.doubts'), /interrupted: the figures are of the 10,000 drops/);
  assert.match(await plain('#poses .rule'), /higher above the lowest of them than 1 % of its height/);
  assert.match(await plain('#poses .head'), /26 stable poses on 2 cards/);
  const box = page.locator(`article:has([data-pose="${side.id}"]) .members`);
  assert.equal(await box.locator('summary').innerText(), '24 poses, one family');
  assert.equal(await box.locator('li').count(), 0, 'made when it is opened');
  await box.locator('summary').click();
  assert.deepEqual(await box.locator('li:not(.names) span:first-child').allInnerTexts(), side.poses.map(String));
  const normals = (await box.locator('li:not(.names) span:last-child').allInnerTexts()).map((text) => text.replaceAll('\u2212', '-').match(/-?[\d.]+/g).map(Number));
  for (const v of normals) { near(Math.hypot(...v), 1, 2e-3, 'length of a normal'); near(v[1], 0, 1e-9, 'across the axis'); }
  assert.equal(new Set(normals.map(String)).size, 24);
  await shoot(page, 'poses-drum');
  await page.locator(`.pose-card[data-pose="${side.id}"]`).click();
  assert.equal(await call(page, 'chosen'), side.id);
  assert.equal(await call(page, 'colour', side.id), await page.locator(`.legend-row[data-pose="${side.id}"] .swatch`).evaluate((one) => `#${getComputedStyle(one).backgroundColor.match(/\d+/g).map((x) => Number(x).toString(16).padStart(2, '0')).join('')}`));
  for (const [i, text] of [[0, 'unresolved'], [1, 'failed'], [2, 'left the surface']]) {
    assert.equal(rest[i], -1 - i);
    await page.evaluate((sample) => window.impel.keep(sample), i);
    assert.equal(await page.locator('.side figcaption').last().innerText(), text);
  }
  const foot = (await page.locator('#table tfoot tr').allInnerTexts()).map((text) => text.split('\t')[0]);
  assert.deepEqual(foot, ['Unresolved', 'Failed', 'Left']);
  const [file] = await Promise.all([page.waitForEvent('download'), page.getByRole('button', { name: 'Download as CSV' }).click()]);
  const line = readFileSync(await file.path(), 'utf8').split('\n').map((one) => one.split(',')).find(([id]) => Number(id) === side.id);
  assert.deepEqual(line.slice(-3), ['24', '1', side.poses.join(' ')]);
  assert.equal(side.count + ends.count + drops.unresolved + drops.failed + drops.left, drops.count);
}));

test('light and dark', () => look('poses', { width: 1280, height: 900, theme: 'dark' }, async (page) => {
  const theme = () => page.evaluate(() => document.documentElement.dataset.theme);
  assert.equal(await theme(), 'dark');
  await shoot(page, 'poses-dark');
  const dark = await still(page, '.gallery');
  await page.keyboard.press('x');
  assert.equal(await theme(), 'light');
  assert.ok(!dark.equals(await still(page, '.gallery')));
  for (const n of await colours(page, '.gallery canvas')) assert.ok(n > 6);
}));

test('on a phone nothing is wider than the window', () => look('poses', { width: 390, height: 780, touch: true }, async (page) => {
  assert.equal(await page.evaluate(() => document.documentElement.scrollWidth), 390);
  await shoot(page, 'poses-phone');
  for (const [selector, name] of [['.globe-frame', 'sphere'], ['#stage', 'example'], ['.command', 'command']]) {
    await page.locator(selector).scrollIntoViewIfNeeded();
    const box = await page.locator(selector).boundingBox();
    assert.ok(box.x >= 0 && box.x + box.width <= 390, `${name} fits`);
    await settle(page);
    await shoot(page, `poses-phone-${name}`);
  }
  const parts = await page.locator('#transport .icon, #transport .time, #transport select, #transport .scrubber').locator('visible=true').evaluateAll((all) => all.map((one) => { const r = one.getBoundingClientRect(); return [r.left, r.top, r.right, r.bottom]; }));
  parts.forEach((a, i) => parts.slice(i + 1).forEach((b) => assert.ok(a[2] <= b[0] + 1 || b[2] <= a[0] + 1 || a[3] <= b[1] + 1 || b[3] <= a[1] + 1, 'the transport does not overlap itself')));
}));

test('the whole page by keyboard', () => look('poses', { width: 1280, height: 900 }, async (page) => {
  const reached = new Set();
  for (let i = 0; i < 80; i++) {
    await page.keyboard.press('Tab');
    reached.add(await page.evaluate(() => { const one = document.activeElement; return one.id || one.className || one.tagName; }));
  }
  for (const one of ['pose-card', 'globe', 'legend-row', 'canvas', 'trial']) assert.ok([...reached].some((name) => name.includes(one)), `${one} is reached: ${[...reached].join('; ')}`);
  await page.locator('.pose-card').nth(1).focus();
  await page.keyboard.press('Enter');
  assert.equal(await call(page, 'chosen'), ranked[1].row);
}));

test('names are shown as text', () => look('poses_hostile', { width: 1280, height: 900 }, async (page) => {
  assert.equal(await call(page, 'error'), null);
  assert.ok((await page.locator('h1').innerText()).startsWith('</script><b>"\'&'));
  assert.ok((await page.locator('.line').textContent()).includes(nasty.slice(0, 40)));
  assert.equal(await page.locator('h1 b, .doubts b').count(), 0);
  assert.equal(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth), true);
}));

test('no drops at all: poses without probabilities', () => look('poses_none', {}, async (page) => {
  assert.equal(await call(page, 'error'), null);
  assert.match(await page.locator('.headline').innerText(), /no drops/);
  assert.match(await page.locator('.gallery').innerText(), /cannot leave/);
}));

for (const [name, words] of [['poses_cut', /damaged: they cannot be unpacked/], ['poses_version', /version 2, and this viewer reads version 1/], ['poses_cards', /pose 0 is listed twice/], ['poses_template', /template: no drop test/]])
  test(`a sentence instead of the page: ${name}`, () => look(name, {}, async (page) => {
    assert.match(await call(page, 'error'), words);
    assert.match(await page.locator('.sorry').innerText(), words);
  }));

test('a damaged example costs only itself', () => look('poses_run_cut', {}, async (page) => {
  assert.match(await page.locator('.player-holder').innerText(), /The data of run 1 are damaged/);
  assert.ok(await page.locator('.pose-card').count() > 0);
  await call(page, 'show', await page.evaluate(() => Number(document.querySelectorAll('.example')[1].dataset.trial)));
  assert.notEqual(await call(page, 'pose'), null);
}));

test('without WebGL the figures are complete', () => look('poses', { before: withoutWebGL }, async (page) => {
  assert.equal(await page.locator('.pose-card').count(), ranked.length);
  assert.match(await page.locator('#starts').innerText(), /no WebGL/);
  assert.match(await page.locator('#replays').innerText(), /no WebGL/);
  page.complaints = page.complaints.filter((text) => !/WebGL/.test(text)); // three.js says it, too
}));

// Pages of real drop tests.
const folder = process.env.IMPEL_PAGES, real = folder && existsSync(folder) ? readdirSync(folder).filter((name) => /^poses.*\.html$/.test(name)) : [];
for (const name of real)
  test(`as the program made it: ${name}`, () => look(join(folder, name), { width: 1280, height: 900 }, async (page) => {
    assert.equal(await call(page, 'error'), null);
    const total = await page.evaluate(() => { const data = JSON.parse(document.getElementById('page').textContent); return [data.poses.reduce((sum, pose) => sum + pose.count, data.drops.unresolved + data.drops.failed + data.drops.left), data.drops.count]; });
    assert.equal(total[0], total[1], 'every drop is counted once');
    for (const n of await colours(page, '.gallery canvas')) assert.ok(n > 4);
    if (await page.locator('.example').count()) {
      const end = await page.evaluate(() => { window.impel.seek(1e9); return window.impel.pose(); });
      assert.ok(end.every(Number.isFinite));
    }
    await shoot(page, name.replace('.html', ''));
  }));
