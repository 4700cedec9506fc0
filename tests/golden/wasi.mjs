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
const { instance } = await WebAssembly.instantiate(await readFile(program), {
  wasi_snapshot_preview1: wasi.wasiImport,
});
process.exitCode = wasi.start(instance);
