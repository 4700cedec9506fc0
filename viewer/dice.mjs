// The gallery's page of dice: shares of the faces of scenes/dice/*.obj, which have equal solid angles, when they are dropped.
//
//   makeDice(program, folder)    drops them all; writes dice.html and a page of the drop test of each die
//   dicePage(dice)               the text of dice.html, from { name, points, faces, result } of each die
//
// SPDX-License-Identifier: MIT
import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

const shapes = fileURLToPath(new URL('../scenes/dice', import.meta.url));
const DROPS = 100000;
const escape = (text) => String(text).replace(/[&<>"]/g, (c) => ({ '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' })[c]);
const percent = (share) => (100 * share).toFixed(2);
const grouped = (count) => count.toLocaleString('en-US');

/** Corners and faces of an OBJ file. */
export function readObj(text) {
  const rows = text.split('\n').map((line) => line.trim().split(/\s+/));
  return {
    points: rows.filter(([word]) => word === 'v').map((row) => row.slice(1).map(Number)),
    faces: rows.filter(([word]) => word === 'f').map((row) => row.slice(1).map((one) => parseInt(one, 10) - 1)),
  };
}

/** Probability that chi-square with so many degrees of freedom is at most x: series of the incomplete gamma function. */
function chiSquareBelow(x, freedom) {
  const a = freedom / 2;
  let logGamma = a % 1 ? Math.log(Math.PI) / 2 : 0;
  for (let k = a % 1 || 1; k < a; k++) logGamma += Math.log(k);
  let term = 1 / a, sum = term;
  for (let k = 1; k < 1000 && term > 1e-16 * sum; k++) sum += term *= x / 2 / (a + k);
  return sum * Math.exp(a * Math.log(x / 2) - x / 2 - logGamma);
}

/** The value that chi-square exceeds in 5 % of all cases. */
export function chiSquareLimit(freedom) {
  let [low, high] = [0, 10 * freedom + 20];
  while (high - low > 1e-9) {
    const middle = (low + high) / 2;
    if (chiSquareBelow(middle, freedom) < 0.95) low = middle;
    else high = middle;
  }
  return low;
}

/** Figures of a die: families by share, fair share of a face, extremes, chi-square against equal faces. */
export function figures({ families, poses }) {
  const fair = 1 / poses.length;
  const bars = [...families].sort((a, b) => b.probability - a.probability || a.id - b.id);
  const ended = bars.reduce((sum, one) => sum + one.count, 0);
  const chiSquare = bars.reduce((sum, { count, members }) => {
    const expected = ended * fair * members;
    return sum + (count - expected) ** 2 / expected;
  }, 0);
  const deviation = (one) => one.probability / (fair * one.members) - 1;
  const worst = bars.reduce((a, b) => (Math.abs(deviation(b)) > Math.abs(deviation(a)) ? b : a));
  return { fair, bars, most: bars[0], least: bars.at(-1), chiSquare, freedom: bars.length - 1, worst, deviation: deviation(worst) };
}

/** One bar for each family, its interval as a whisker, the quasi-static share as a tick, a line at the fair share; in percent. */
export function chart({ fair, bars }) {
  const width = 380, height = 240, left = 48, right = 6, top = 10, bottom = 44;
  const most = 100 * Math.max(...bars.map((bar) => Math.max(bar.high ?? bar.probability, bar.quasi_static)));
  const step = [1, 2, 5, 10, 20, 50].find((one) => most / one <= 6), end = Math.ceil(most / step) * step;
  const y = (share) => (height - bottom - (100 * share / end) * (height - top - bottom)).toFixed(1);
  const pitch = (width - left - right) / bars.length, thick = Math.min(0.66 * pitch, 40);
  const axis = Array.from({ length: Math.round(end / step) + 1 }, (_, i) => i * step).map((value) => `<path class="grid" d="M${left} ${y(value / 100)}H${width - right}"/><text x="${left - 6}" y="${y(value / 100)}" dy=".35em" text-anchor="end">${value}</text>`);
  const drawn = bars.map(({ id, probability, low, high, quasi_static: slow }, i) => {
    const x = left + pitch * (i + 0.5), at = (dx) => (x + dx).toFixed(1), base = y(0);
    const interval = low === null ? '' : `, 95 % interval ${percent(low)} to ${percent(high)} %`;
    const whisker = low === null ? '' : `<path class="whisker" d="M${at(-4)} ${y(low)}h8M${at(-4)} ${y(high)}h8M${at(0)} ${y(low)}V${y(high)}"/>`;
    return `<g><title>face ${id}: ${percent(probability)} %${interval}; quasi-static ${percent(slow)} %</title>
<rect class="bar" x="${at(-thick / 2)}" y="${y(probability)}" width="${thick.toFixed(1)}" height="${(base - y(probability)).toFixed(1)}"/>
<path class="slow" d="M${at(-thick / 2 - 2)} ${y(slow)}h${(thick + 4).toFixed(1)}"/>${whisker}<text x="${at(0)}" y="${height - bottom + 15}" text-anchor="middle">${id}</text></g>`;
  });
  return `<svg class="chart" viewBox="0 0 ${width} ${height}" role="img" aria-label="Share of each face in percent, largest first">
${axis.join('')}
${drawn.join('\n')}
<path class="fair" d="M${left} ${y(fair)}H${width - right}"/>
<text class="axis" transform="translate(13 ${(height - bottom + top) / 2}) rotate(-90)" text-anchor="middle">share of drops, %</text>
<text class="axis" x="${(left + width - right) / 2}" y="${height - 8}" text-anchor="middle">face down (its number on the die's page)</text></svg>`;
}

const dot = (a, b) => a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
const cross = (a, b) => [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]];
const minus = (a, b) => a.map((x, k) => x - b[k]);
const unit = (a) => a.map((x) => x / Math.hypot(...a));

/** The die from two opposite sides, in parallel projection; a face is darker the more often it is down. */
export function drawing({ points, faces, result }) {
  const reach = Math.max(...points.map((p) => Math.hypot(...p))), size = 100, largest = Math.max(...result.poses.map((pose) => pose.probability));
  const views = [[0.55, -0.65, 0.53], [-0.55, 0.65, -0.53]].map((eye, side) => {
    const back = unit(eye), across = unit(cross([0, 0, 1], back)), up = cross(back, across);
    const flat = (p) => [size * (side + 0.5) + 0.47 * size * dot(p, across) / reach, size / 2 - 0.47 * size * dot(p, up) / reach];
    return faces.map((face) => {
      const corners = face.map((i) => points[i]), normal = unit(cross(minus(corners[1], corners[0]), minus(corners[2], corners[1]))), facing = dot(normal, back);
      if (facing <= 0) return '';
      const pose = result.poses.reduce((a, b) => (dot(b.normal, normal) > dot(a.normal, normal) ? b : a));
      const seen = corners.map(flat), [x, y] = [0, 1].map((k) => (seen.reduce((sum, p) => sum + p[k], 0) / seen.length).toFixed(1));
      const number = facing > 0.4 ? `<text x="${x}" y="${y}" dy=".35em" text-anchor="middle">${pose.id}</text>` : '';
      return `<polygon points="${seen.map((p) => p.map((c) => c.toFixed(1)).join(',')).join(' ')}" style="fill-opacity:${(0.75 * pose.probability / largest).toFixed(2)}"/>${number}`;
    }).join('');
  });
  return `<svg class="die" viewBox="0 0 ${2 * size} ${size}" role="img" aria-label="The die from two opposite sides, faces numbered">${views.join('\n')}</svg>`;
}

function card(die) {
  const { name, result } = die, found = figures(result), { fair, most, least, chiSquare, freedom, worst, deviation } = found;
  const face = (one) => `face ${one.id}: ${percent(one.probability)}&nbsp;% <small>(${percent(one.low)} to ${percent(one.high)}&nbsp;%)</small>`;
  const lost = result.unresolved + result.failed ? `<dt>Without a result</dt><dd>${grouped(result.unresolved + result.failed)} drops</dd>` : '';
  const check = result.check ? `<dt>Bound on the bias</dt><dd>${percent(result.check.bound)} percentage points <small>(95&nbsp;%, drops made again more finely)</small></dd>` : '';
  return `<section id="${escape(name)}"><h2>${result.poses.length} faces</h2>
${drawing(die)}
${chart(found)}
<dl><dt>Fair share</dt><dd>${percent(fair)}&nbsp;%</dd>
<dt>Most likely</dt><dd>${face(most)}</dd><dt>Least likely</dt><dd>${face(least)}</dd>
<dt>Ratio of these</dt><dd>${(most.probability / least.probability).toFixed(2)}</dd>
<dt>Largest deviation</dt><dd>${deviation < 0 ? '−' : '+'}${Math.abs(100 * deviation).toFixed(1)}&nbsp;% of the fair share, face&nbsp;${worst.id}</dd>
<dt>Chi-square against fair</dt><dd>${grouped(Number(chiSquare.toFixed(chiSquare < 100 ? 1 : 0)))}, ${freedom} degrees of freedom <small>(fair: below ${chiSquareLimit(freedom).toFixed(1)} in 95&nbsp;%)</small></dd>
${check}${lost}</dl>
<a href="${escape(name)}.html">Drop test of this die</a></section>`;
}

const style = `
:root { color-scheme: light dark; --page: #f7f8fa; --card: #fff; --ink: #1c2530; --soft: #5c6672; --line: #dfe4ea; --bar: #5b9bd9; --fair: #b3361b; --slow: #8a5a00; --link: #1258ab; }
@media (prefers-color-scheme: dark) { :root { --page: #12161b; --card: #1b2128; --ink: #e8edf2; --soft: #98a3ae; --line: #2c343d; --bar: #3f7fc0; --fair: #ff8a6b; --slow: #ffd166; --link: #7db8f5; } }
body { margin: 0; padding: 32px clamp(16px, 4vw, 56px); background: var(--page); color: var(--ink); font: 15px/1.45 system-ui, sans-serif; }
h1 { font-size: 24px; margin: 0 0 4px; } h2 { font-size: 18px; margin: 0; } p { color: var(--soft); margin: 0 0 12px; max-width: 80ch; } a { color: var(--link); }
.key { display: flex; flex-wrap: wrap; gap: 4px 20px; margin: 0 0 24px; padding: 0; list-style: none; color: var(--soft); font-size: 13.5px; } .key svg { width: 26px; height: 16px; vertical-align: -3px; margin-right: 6px; }
.all { display: grid; grid-template-columns: repeat(auto-fill, minmax(min(340px, 100%), 1fr)); gap: 20px; }
section { display: grid; align-content: start; gap: 10px; background: var(--card); border: 1px solid var(--line); border-radius: 12px; padding: 14px 16px; min-width: 0; }
section svg { display: block; width: 100%; height: auto; } .die { max-width: 300px; justify-self: center; }
svg text { fill: var(--soft); font-size: 12.5px; } .die text { fill: var(--ink); font-size: 7px; } .die polygon { fill: var(--bar); stroke: var(--soft); stroke-width: .6; stroke-linejoin: round; }
.grid { stroke: var(--line); } .bar { fill: var(--bar); } .whisker { stroke: var(--ink); stroke-width: 1.3; fill: none; } .slow { stroke: var(--slow); stroke-width: 3; } .fair { stroke: var(--fair); stroke-width: 1.3; stroke-dasharray: 5 3; }
dl { display: grid; grid-template-columns: max-content 1fr; gap: 2px 12px; margin: 0; font-size: 14px; } dt { color: var(--soft); } dd { margin: 0; font-variant-numeric: tabular-nums; } small { color: var(--soft); font-size: 12.5px; }
@media (max-width: 480px) { dl { grid-template-columns: 1fr; } dd { margin-bottom: 4px; } }
`;

export function dicePage(dice) {
  const { drops, height, mu_dynamic: mu, e } = dice[0].result, mark = (inside) => `<svg viewBox="0 0 26 16" aria-hidden="true">${inside}</svg>`;
  return `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'"><title>Impel: dice</title>
<style>${style}</style></head><body>
<h1>Dice that are fair by solid angle</h1>
<p>Seen from its centre of mass all faces of a die have the same solid angle, so that it is fair if it comes down infinitely slowly onto a face and does not roll on.
Dropped from ${height} m in any orientation (friction ${mu}, restitution ${e}, ${grouped(drops)} drops of each) it bounces and rolls before it comes to rest, and the shares differ.</p>
<p>Whiskers hold the scatter of the drops only. The bias of the method is bounded by the check of each drop test, given below each chart; a deviation from fair within that bound is not established. Volume of each die: that of a 16 mm cube.</p>
<ul class="key"><li>${mark('<rect class="bar" x="5" y="3" width="16" height="13"/>')}share of drops</li><li>${mark('<path class="whisker" d="M9 2h8M9 14h8M13 2V14"/>')}95 % interval (Wilson)</li>
<li>${mark('<path class="fair" d="M0 8H26"/>')}fair: 1/n</li><li>${mark('<path class="slow" d="M3 8H23"/>')}quasi-static share, 1/n by construction</li></ul>
<div class="all">
${dice.map(card).join('\n')}
</div></body></html>
`;
}

/** Drops all dice; writes their pages and dice.html. Returns how many could be made, and a list of what went wrong. */
export function makeDice(program, folder) {
  const dice = [], wrong = [];
  for (const file of readdirSync(shapes).filter((name) => name.endsWith('.obj')).sort()) {
    const name = file.slice(0, -4), path = join(shapes, file), page = resolve(folder, `${name}.html`);
    const made = spawnSync(program, ['poses', path, '-n', String(DROPS), '--check', 'full', '--json', '-q', '-f', '-o', page], { encoding: 'utf8', maxBuffer: 1 << 28 });
    if (made.error || made.status !== 0) wrong.push(`${name}: ${made.error?.message ?? made.stderr.trim().split('\n')[0]}`);
    else dice.push({ name, ...readObj(readFileSync(path, 'utf8')), result: JSON.parse(made.stdout) });
  }
  if (dice.length) writeFileSync(join(folder, 'dice.html'), dicePage(dice));
  return { made: dice.length, wrong };
}
