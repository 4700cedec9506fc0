// What stays near: the box that the camera shows, without bodies that leave all others far behind.
//
// A body that falls for five seconds is 120 m away, and in a picture of its whole path nothing else
// can be seen. So paths are sorted by how far they lead out of the box in which all bodies start. From
// the first that leads more than ten times as far as the one before it, and as that box is large,
// paths are left out, and only their starts are kept. A path that is alone is never left out.
//
// SPDX-License-Identifier: MIT
import { channels } from './decode.js';

const farther = 10; // times as far as the path before it

const empty = () => ({ low: Array(3).fill(Infinity), high: Array(3).fill(-Infinity) });

function grow(box, { low, high }) {
  for (let k = 0; k < 3; k++) {
    box.low[k] = Math.min(box.low[k], low[k]);
    box.high[k] = Math.max(box.high[k], high[k]);
  }
}

/** The boxes of a body's whole path and of its start. */
function pathOf(run, body) {
  const whole = empty(), start = empty(), r = (body.size || 0) / 2;
  for (let k = 0; k < 3; k++) {
    const from = run.range[2 * (channels * body.moves + k)];
    const step = run.range[2 * (channels * body.moves + k) + 1];
    const first = from + step * run.track[channels * run.frames * body.moves + k];
    whole.low[k] = from - r;
    whole.high[k] = from + 65535 * step + r;
    start.low[k] = first - r;
    start.high[k] = first + r;
  }
  return { run, body, whole, start, reach: 0 };
}

/** How far one box leads out of another. */
const reachOut = (from, box) => Math.hypot(...[0, 1, 2].map(
  (k) => Math.max(0, from.low[k] - box.low[k], box.high[k] - from.high[k])));

/** The paths of all runs from the nearest to the farthest, and the box of their starts. */
function pathsOf(runs) {
  const starts = empty();
  const paths = runs.flatMap((run) => run.bodies.filter((body) => body.moves >= 0)
    .map((body) => pathOf(run, body)));
  for (const path of paths) grow(starts, path.start);
  for (const path of paths) path.reach = reachOut(starts, path.whole);
  return { paths: paths.sort((a, b) => a.reach - b.reach), starts };
}

/** The box of what stays near and the { run, body } that leave it; null where all stay. */
export function whatStays(runs) {
  const { paths, starts } = pathsOf(runs);
  const size = Math.hypot(...[0, 1, 2].map((k) => starts.high[k] - starts.low[k]));
  const leaves = ({ reach }, i) => i > 0 && reach > farther * Math.max(paths[i - 1].reach, size);
  const cut = paths.findIndex(leaves);
  if (cut < 0) return null;
  for (const path of paths.slice(0, cut)) grow(starts, path.whole);
  return { box: starts, gone: paths.slice(cut) };
}

/** Which bodies of a run leave the picture: 'ball leaves', 'ball and 3 more leave'; '' for none. */
export function whoLeaves(gone, run) {
  const names = gone.filter((path) => path.run === run).map((path) => path.body.name);
  if (!names.length) return '';
  if (names.length === 1) return `${names[0]} leaves`;
  return `${names[0]} and ${names.length - 1} more leave`;
}
