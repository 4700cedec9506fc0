// Bundles the page: src/main.js, its styles, three.js and uPlot into one file with a gap for the runs.
//
// Writes build/viewer/page.html, and the same bytes as a C array, build/viewer/page_template.c.
//
// SPDX-License-Identifier: MIT
import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

const here = dirname(fileURLToPath(import.meta.url));
const target = join(here, '..', 'build', 'viewer');
const gap = '<!-- runs -->';

/** Bundled text of an entry point. */
async function bundle(entry) {
  const made = await build({
    entryPoints: [join(here, 'src', entry)], bundle: true, write: false, minify: true, format: 'esm', target: 'es2022',
    legalComments: 'none', charset: 'ascii', logLevel: 'warning', nodePaths: [join(here, 'node_modules')],
  });
  return made.outputFiles[0].text.trim();
}

/** The licence of a package whose code is in the page. */
function licence(name) {
  const text = readFileSync(join(here, 'node_modules', name, 'LICENSE'), 'utf8').trim();
  const version = JSON.parse(readFileSync(join(here, 'node_modules', name, 'package.json'), 'utf8')).version;
  if (text.includes('--')) throw new Error(`the licence of ${name} cannot stand in a comment`);
  return `${name} ${version}\n\n${text}`;
}

/** What may not stand in an inline element without changing what the page means. */
function refuse(text, what) {
  for (const bad of ['</script', '</style', '<!--', '<script', '\r', gap])
    if (text.toLowerCase().includes(bad)) throw new Error(`${what} contains ${JSON.stringify(bad)}`);
}

function page(script, style) {
  const hash = createHash('sha256').update(script).digest('base64');
  const policy = `default-src 'none'; script-src 'sha256-${hash}'; style-src 'unsafe-inline'; img-src data: blob:; ` +
    `connect-src 'none'; font-src 'none'; object-src 'none'; base-uri 'none'; form-action 'none'`;
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${policy}">
<meta name="viewport" content="width=device-width, initial-scale=1, viewport-fit=cover">
<meta name="color-scheme" content="light dark">
<meta name="referrer" content="no-referrer">
<title>Impel</title>
<link rel="icon" href="data:,">
<!--
This page contains parts of the following works, under the terms given.

${licence('three')}

${licence('uplot')}
-->
<style>${style}</style>
</head>
<body>
<noscript><p>This page draws a simulation with JavaScript, which is switched off here.</p></noscript>
<div id="app"></div>
${gap}
<script type="module">${script}</script>
</body>
</html>
`;
}

/** The same bytes as C. */
function asC(bytes) {
  const lines = [];
  for (let i = 0; i < bytes.length; i += 32) lines.push(Array.from(bytes.subarray(i, i + 32)).join(',') + ',');
  return `/* The page without its runs; made by viewer/build.mjs. */\nconst unsigned char page_template[] = {\n${lines.join('\n')}\n};\n` +
    `const unsigned long page_template_size = ${bytes.length};\n`;
}

const [script, style] = await Promise.all([bundle('main.js'), bundle('theme.css')]);
refuse(script, 'the script');
refuse(style, 'the style');
const html = page(script, style);
if (html.split('\n').filter((line) => line.trim() === gap).length !== 1) throw new Error('the gap for the runs is not there once');
const bytes = Buffer.from(html, 'utf8');
mkdirSync(target, { recursive: true });
writeFileSync(join(target, 'page.html'), bytes);
writeFileSync(join(target, 'page_template.c'), asC(bytes));
console.log(`build/viewer/page.html: ${bytes.length} bytes`);
