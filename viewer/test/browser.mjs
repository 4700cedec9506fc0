// One browser for all tests: opens pages from disk with the network shut, and collects what they complain about. And what tests of
// all pages do with them.
//
// SPDX-License-Identifier: MIT
import assert from 'node:assert/strict';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { chromium } from 'playwright-core';
import { output } from './fixture.mjs';

const flags = ['--no-sandbox', '--use-angle=gl-egl', '--ignore-gpu-blocklist', '--disable-quic', '--no-first-run', '--disable-background-networking', '--disable-component-update', '--disable-sync'];
const program = [process.env.IMPEL_CHROMIUM, '/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'].find((path) => path && existsSync(path));
export const pagesFolder = join(output, 'pages'), shots = join(output, 'shots');

/** A browser with a profile of its own. */
export async function openBrowser(more = []) {
  const profile = mkdtempSync(join(tmpdir(), 'impel-page-'));
  const browser = await chromium.launch({ executablePath: program, headless: true, args: [...flags, ...more, `--crash-dumps-dir=${profile}`] });
  return { browser, close: async () => { await browser.close(); rmSync(profile, { recursive: true, force: true }); } };
}

/** A page with the network shut; page.complaints are its console errors, page.requests what it asked for beyond itself. */
export async function openPage(browser, file, { width = 800, height = 600, theme = 'light', hash = '', reducedMotion = 'no-preference', touch = false, before } = {}) {
  const context = await browser.newContext({ viewport: { width, height }, colorScheme: theme, reducedMotion, hasTouch: touch, acceptDownloads: true });
  const page = await context.newPage();
  page.complaints = [];
  page.requests = [];
  const ofDriver = (text) => /GL Driver Message \(OpenGL, Performance/.test(text); // how fast pictures are read back is no business of the page
  page.on('console', (message) => { if (['error', 'warning'].includes(message.type()) && !ofDriver(message.text())) page.complaints.push(message.text()); });
  page.on('pageerror', (error) => page.complaints.push(String(error)));
  const address = pathToFileURL(file.includes('/') ? file : join(pagesFolder, `${file}.html`)).href;
  await context.route('**/*', (route) => {
    const url = route.request().url();
    if (url.split('#')[0] === address || url.startsWith('blob:') || url.startsWith('data:')) return route.continue();
    page.requests.push(url);
    return route.abort();
  });
  await context.setOffline(true);
  if (before) await context.addInitScript(before);
  await page.goto(address + hash);
  await page.evaluate(() => window.impel.ready);
  await settle(page);
  return page;
}

/** Waits until what was asked for has been drawn. */
export const settle = (page) => page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => requestAnimationFrame(done)))));

/** Waits for a condition in the page, without eval, which the page's policy forbids. */
export async function until(page, condition, argument, limit = 8000) {
  for (const start = Date.now(); ;) {
    if (await page.evaluate(condition, argument)) return;
    if (Date.now() - start > limit) throw new Error(`not within ${limit} ms: ${condition}`);
    await new Promise((done) => setTimeout(done, 30));
  }
}

let shared = null;
/** The browser of all tests in a file. */
export const startBrowser = async () => { shared = await openBrowser(); };
export const stopBrowser = () => shared?.close();

/** Runs a test on a page and checks that it was quiet and asked for nothing. */
export async function look(file, options, check) {
  const page = await openPage(shared.browser, file, options);
  try {
    await check(page);
    assert.deepEqual(page.complaints, [], 'nothing on the console');
    assert.deepEqual(page.requests, [], 'nothing asked for');
  } finally { await page.context().close(); }
}

/** A function of window.impel. */
export const call = (page, name, ...values) => page.evaluate(([n, v]) => window.impel[n](...v), [name, values]);
export const near = (a, b, tolerance, what) => assert.ok(Math.abs(a - b) <= tolerance, `${what}: ${a} instead of ${b}`);

/** A picture of an element once it no longer changes: a busy machine may still be drawing. */
export async function still(page, selector) {
  await page.locator(selector).scrollIntoViewIfNeeded();
  await settle(page);
  for (let last = null, tries = 0; ; tries++) {
    const now = await page.locator(selector).screenshot();
    if ((last && now.equals(last)) || tries > 8) return now;
    last = now;
    await page.waitForTimeout(30);
  }
}

/** Run before the page, takes WebGL away. */
export const withoutWebGL = () => {
  HTMLCanvasElement.prototype.getContext = ((get) => function (kind, ...rest) { return kind.startsWith('webgl') ? null : get.call(this, kind, ...rest); })(HTMLCanvasElement.prototype.getContext);
};

/** Checks a template: its gap, its policy, the same bytes in C. Returns its text. */
export function checkTemplate(name) {
  const html = readFileSync(join(output, `${name}.html`)), c = readFileSync(join(output, `${name}_template.c`), 'utf8'), text = html.toString();
  assert.equal(text.split('\n').filter((line) => line === '<!-- runs -->').length, 1);
  assert.equal(text.split('</script>').length, 2, 'one script, not ended early');
  assert.match(text, /default-src 'none'.*connect-src 'none'/);
  const bytes = c.match(/\{([\s\S]*)\}/)[1].split(',').map((one) => one.trim()).filter(Boolean).map(Number);
  assert.ok(Buffer.from(bytes).equals(html));
  assert.match(c, new RegExp(`${name}_template_size = ${html.length};`));
  return text;
}

export async function shoot(page, name) {
  mkdirSync(shots, { recursive: true });
  return page.screenshot({ path: join(shots, `${name}.png`) });
}
