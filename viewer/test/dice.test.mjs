// The page of dice: figures and charts from an invented drop test, and the page in a browser, narrow and wide.
//
// SPDX-License-Identifier: MIT
import assert from 'node:assert/strict';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { test } from 'node:test';
import { chart, chiSquareLimit, dicePage, figures, readObj } from '../dice.mjs';
import { near, openBrowser, pagesFolder, shots } from './browser.mjs';

const normals = [[1, 0, 0], [-1, 0, 0], [0, 1, 0], [0, -1, 0], [0, 0, 1], [0, 0, -1]];
const obj = `# a cube
v -1 -1 -1\nv 1 -1 -1\nv 1 1 -1\nv -1 1 -1\nv -1 -1 1\nv 1 -1 1\nv 1 1 1\nv -1 1 1
f 2 3 7 6\nf 1 5 8 4\nf 3 4 8 7\nf 1 2 6 5\nf 5 6 7 8\nf 1 4 3 2\n`;

function cube(counts) {
  const drops = counts.reduce((a, b) => a + b), share = counts.map((count) => count / drops), sixth = 1 / 6;
  const families = counts.map((count, id) => ({ id, count, members: 1, probability: share[id], low: share[id] - 0.01, high: share[id] + 0.01, quasi_static: sixth }));
  const poses = normals.map((normal, id) => ({ id, normal, probability: share[id] }));
  return { drops, height: 0.3, mu_dynamic: 0.3, e: 0.3, unresolved: 0, failed: 0, families, poses, check: { bound: 0.02 } };
}

const dice = [
  { name: 'die "6" <b>', ...readObj(obj), result: cube([200, 100, 150, 150, 160, 140]) },
  { name: 'die_fair', ...readObj(obj), result: cube([150, 150, 150, 150, 150, 150]) },
];

test('figures: order, extremes, chi-square', () => {
  const found = figures(dice[0].result);
  assert.deepEqual(found.bars.map(({ id }) => id), [0, 4, 2, 3, 5, 1]);
  assert.deepEqual([found.most.id, found.least.id, found.freedom], [0, 1, 5]);
  near(found.chiSquare, (2500 + 2500 + 100 + 100) / 150, 1e-12, 'chi-square');
  near(Math.abs(found.deviation), 1 / 3, 1e-12, 'deviation');
  assert.equal(figures(dice[1].result).chiSquare, 0);
});

test('the limits of chi-square are those of the tables', () => {
  for (const [freedom, limit] of [[1, 3.841], [4, 9.488], [5, 11.070], [14, 23.685]]) near(chiSquareLimit(freedom), limit, 6e-4, `${freedom} degrees`);
});

test('a chart has a bar, a whisker and a tick for each face, and units', () => {
  const text = chart(figures(dice[0].result));
  for (const kind of ['bar', 'whisker', 'slow']) assert.equal(text.split(`class="${kind}"`).length - 1, 6, kind);
  assert.equal(text.split('class="fair"').length - 1, 1);
  assert.match(text, /share of drops, %/);
  assert.match(text, /face 0: 22\.22 %, 95 % interval 21\.22 to 23\.22 %; quasi-static 16\.67 %/);
});

test('the page: one card for each die, no markup from names, nothing wider than the window', async () => {
  const text = dicePage(dice);
  assert.equal(text.split('<section').length - 1, 2);
  assert.ok(!text.includes('NaN') && !text.includes('undefined') && !text.includes('<b>'));
  mkdirSync(pagesFolder, { recursive: true });
  mkdirSync(shots, { recursive: true });
  const file = join(pagesFolder, 'dice.html');
  writeFileSync(file, text);
  const { browser, close } = await openBrowser();
  try {
    for (const width of [390, 1280]) {
      const page = await browser.newPage({ viewport: { width, height: 900 }, colorScheme: width < 800 ? 'dark' : 'light' }), complaints = [];
      page.on('console', (message) => complaints.push(message.text()));
      await page.goto(pathToFileURL(file).href);
      assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth), `${width} px`);
      assert.equal(await page.locator('section .chart').count(), 2);
      await page.screenshot({ path: join(shots, `dice-${width}.png`) });
      assert.deepEqual(complaints, []);
    }
  } finally { await close(); }
});
