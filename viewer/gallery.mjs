// The gallery: runs the scenes of gallery.json, drops the dice of scenes/dice, takes a picture of each page, and writes an
// index of them.
//
//   node viewer/gallery.mjs PROGRAM FOLDER [SCENE...]      the scene `dice` is the page of the dice
//
// SPDX-License-Identifier: MIT
import { spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { makeDice } from './dice.mjs';
import { openBrowser, openPage, settle } from './test/browser.mjs';

const here = dirname(fileURLToPath(import.meta.url)), scenes = join(here, '..', 'scenes');
const [program, folder, ...only] = process.argv.slice(2);
const list = JSON.parse(readFileSync(join(here, 'gallery.json'), 'utf8')).filter(({ scene }) => !only.length || only.includes(basename(scene)));
const escape = (text) => text.replace(/[&<>"]/g, (c) => ({ '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' })[c]);

/** Runs a scene into a page; what went wrong, or null. */
function run(scene, page) {
  const made = spawnSync(program, ['run', join(scenes, `${scene}.json`), '-q', '-f', '-o', page], { encoding: 'utf8' });
  if (made.error) return made.error.message;                  // it could not even be started
  return made.status === 0 ? null : made.stderr.trim().split('\n')[0];
}

/** Only the stage, without what is laid over it. */
const bare = '#stage { position: fixed !important; inset: 0; z-index: 100; } .legend, .stage-tools, .corner, .pane-name, .note { display: none !important; }';

async function picture(browser, page, link, file) {
  const open = await openPage(browser, page, { width: 960, height: 600, theme: 'light', hash: `#${link}` });
  await open.addStyleTag({ content: bare });
  await settle(open);
  await new Promise((done) => setTimeout(done, 400));        // shadows and edges of the paused picture
  await open.screenshot({ path: file });
  const words = await open.evaluate(() => JSON.parse(document.getElementById('page').textContent).runs[0].scene);
  const complaint = open.complaints[0] ?? await open.evaluate(() => window.impel.error());
  await open.context().close();
  return { words, complaint };
}

/** Drops the dice and takes a picture of their page; adds its card. Returns what went wrong, or null. */
async function dice(browser, cards) {
  const { made, wrong } = makeDice(program, folder), page = resolve(folder, 'dice.html');
  if (!made) return wrong[0] ?? 'scenes/dice is empty';
  const open = await browser.newPage({ viewport: { width: 960, height: 600 }, colorScheme: 'light' });
  await open.goto(pathToFileURL(page).href);
  await open.locator('.all').evaluate((all) => all.scrollIntoView());
  await open.screenshot({ path: join(folder, 'dice.png') });
  await open.close();
  const words = { about: 'Eleven dice that are fair by solid angle, with 5 to 15 faces, and how they land when they are dropped.' };
  cards.push({ name: 'dice', link: '', words, size: (statSync(page).size / 1e6).toFixed(1) });
  return wrong[0] ?? null;
}

const card = ({ name, link, words, size }) => `<a class="card" href="${name}.html${link && `#${escape(link)}`}">
<img src="${name}.png" width="480" height="300" alt="" loading="lazy">
<b>${escape(name.replaceAll('_', ' '))}</b><span>${escape(words.about ?? '')}</span><small>${escape(words.source ?? '')}</small><small>${size} MB</small></a>`;

const index = (cards) => `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1"><title>Impel: gallery</title>
<style>
:root { color-scheme: light dark; --page: #f7f8fa; --card: #fff; --ink: #1c2530; --soft: #5c6672; --line: #dfe4ea; }
@media (prefers-color-scheme: dark) { :root { --page: #12161b; --card: #1b2128; --ink: #e8edf2; --soft: #98a3ae; --line: #2c343d; } }
body { margin: 0; padding: 32px clamp(16px, 4vw, 56px); background: var(--page); color: var(--ink); font: 15px/1.45 system-ui, sans-serif; }
h1 { font-size: 24px; margin: 0 0 4px; } p { color: var(--soft); margin: 0 0 24px; max-width: 70ch; }
.all { display: grid; grid-template-columns: repeat(auto-fill, minmax(300px, 1fr)); gap: 20px; }
.card { display: grid; align-content: start; gap: 2px; background: var(--card); border: 1px solid var(--line); border-radius: 12px; overflow: hidden; text-decoration: none; color: inherit; padding-bottom: 12px; }
.card:hover, .card:focus-visible { border-color: #1769c9; } .card img { width: 100%; height: auto; display: block; border-bottom: 1px solid var(--line); margin-bottom: 8px; }
.card b, .card span, .card small { padding: 0 14px; } .card b::first-letter { text-transform: uppercase; } .card span { font-size: 14px; } .card small { color: var(--soft); font-size: 12.5px; }
</style></head><body>
<h1>Impel</h1><p>Every picture opens a page of its own: turn it, play it, look at forces, energies and certificates. Made by <code>./dev gallery</code>.</p>
<div class="all">
${cards.map(card).join('\n')}
</div></body></html>
`;

mkdirSync(folder, { recursive: true });
const { browser, close } = await openBrowser(), cards = [];
let bad = 0;
for (const [i, { scene, link }] of list.entries()) {
  const name = basename(scene), page = resolve(folder, `${name}.html`);
  process.stdout.write(`[${String(i + 1).padStart(2)}/${list.length}] ${scene.padEnd(24)} `);
  const began = Date.now(), trouble = run(scene, page);
  if (trouble) { console.log(trouble); bad++; continue; }
  const { words, complaint } = await picture(browser, page, link, join(folder, `${name}.png`));
  if (complaint) bad++;
  const size = (statSync(page).size / 1e6).toFixed(1);
  console.log(`${size.padStart(5)} MB  ${((Date.now() - began) / 1000).toFixed(1).padStart(5)} s  ${complaint ?? ''}`);
  cards.push({ name, link, words, size });
}
if (!only.length || only.includes('dice')) {
  const began = Date.now(), trouble = await dice(browser, cards);
  if (trouble) bad++;
  console.log(`dice: ${((Date.now() - began) / 1000).toFixed(1)} s  ${trouble ?? ''}`);
}
await close();
writeFileSync(join(folder, 'index.html'), index(cards));
console.log(`${join(folder, 'index.html')}: ${cards.length} cards`);
process.exitCode = bad ? 1 : 0;
