// Bundles the pages: of each its script, its styles and the libraries it uses in one file with a gap for the data.
//
// Writes build/viewer/NAME.html, and the same bytes as a C array, build/viewer/NAME_template.c.
//
// SPDX-License-Identifier: MIT
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

const here = dirname(fileURLToPath(import.meta.url));
const target = join(here, '..', 'build', 'viewer');
const gap = '<!-- runs -->';
const pages = [
  { name: 'page', script: 'main.js', style: 'page.css', libraries: ['three', 'uplot'], shows: 'a simulation' },
  { name: 'poses', script: 'poses/main.js', style: 'poses/poses.css', libraries: ['three'], shows: 'a drop test' },
];

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

function page({ libraries, shows }, script, style) {
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

${libraries.map(licence).join('\n\n')}
-->
<style>${style}</style>
</head>
<body>
<noscript><p>This page draws ${shows} with JavaScript, which is switched off here.</p></noscript>
<div id="app"></div>
${gap}
<script type="module">${script}</script>
</body>
</html>
`;
}

/** The same bytes as C. */
function asC(name, bytes) {
  const lines = [];
  for (let i = 0; i < bytes.length; i += 32) lines.push(Array.from(bytes.subarray(i, i + 32)).join(',') + ',');
  return `/* The page without its data; made by viewer/build.mjs. */\nconst unsigned char ${name}_template[] = {\n${lines.join('\n')}\n};\n` +
    `const unsigned long ${name}_template_size = ${bytes.length};\n`;
}

/** Writes a file where it is not so already: what is compiled from it stays. */
function put(name, bytes) {
  const path = join(target, name);
  if (!existsSync(path) || !readFileSync(path).equals(bytes)) writeFileSync(path, bytes);
}

mkdirSync(target, { recursive: true });
for (const one of pages) {
  const [script, style] = await Promise.all([bundle(one.script), bundle(one.style)]);
  refuse(script, `the script of ${one.name}.html`);
  refuse(style, `the style of ${one.name}.html`);
  const html = page(one, script, style);
  if (html.split('\n').filter((line) => line.trim() === gap).length !== 1) throw new Error(`${one.name}.html: the gap for the data is not there once`);
  const bytes = Buffer.from(html, 'utf8');
  put(`${one.name}.html`, bytes);
  put(`${one.name}_template.c`, Buffer.from(asC(one.name, bytes)));
  console.log(`build/viewer/${one.name}.html: ${bytes.length} bytes`);
}
