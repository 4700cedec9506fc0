// wasi.mjs -- runs a WebAssembly program of wasm32-wasi with its arguments, in the present folder: node wasi.mjs x.wasm ...
//
// SPDX-License-Identifier: MIT
import { readFile } from "node:fs/promises";
import { WASI } from "node:wasi";

const [program, ...rest] = process.argv.slice(2);
const wasi = new WASI({
  version: "preview1",
  args: [program, ...rest],
  env: {},
  preopens: { "/": process.cwd() },   // relative paths start at the root
  returnOnExit: true,
});
// Each import goes through a function of its own: Node 20's direct calls into its WASI (nodejs/node issue 53087) spoil its
// heap, and one run in ten or so ends with a segmentation fault after the last line.
const imports = Object.fromEntries(Object.entries(wasi.wasiImport).map(([name, call]) => [name, (...rest) => call(...rest)]));
const { instance } = await WebAssembly.instantiate(await readFile(program), {
  wasi_snapshot_preview1: imports,
});
process.exitCode = wasi.start(instance);
