// window.impel: a few functions for tests and for the console, as the README of this folder says.
//
// SPDX-License-Identifier: MIT
import { levels } from './quality.js';

let parts = null, failure = null, whenReady;
const app = () => parts?.app;

const impel = {
  ready: new Promise((resolve) => { whenReady = resolve; }),
  time: () => app()?.clock.time,
  seek: (time) => { app()?.clock.pause(); app()?.clock.seek(time); },
  play: () => app()?.clock.play(),
  pause: () => app()?.clock.pause(),
  playing: () => Boolean(app()?.clock.playing),
  pose: (name, run = 0) => {
    parts?.loop?.refresh();
    const bodies = parts?.panes?.list[run]?.bodies, body = bodies?.run.byName.get(name);
    return body ? Array.from(bodies.poses.subarray(7 * body.index, 7 * body.index + 7)) : null;
  },
  /** The longest arrow, as a part of the picture's height. */
  arrowPart: () => { parts?.loop?.refresh(); return parts?.panes ? parts.panes.reached / parts.stage.metresSeen() : 0; },
  arrows: (run = 0) => { parts?.loop?.refresh(); return parts?.panes?.list[run]?.contacts.count ?? 0; },
  picked: () => app()?.picked ?? null,
  pick: (name) => app()?.pick(name),
  /** Metres from the lower to the upper end of the picture, where the camera looks. */
  metresSeen: () => parts?.stage?.metresSeen() ?? 0,
  frameTime: () => parts?.loop?.quality.median() ?? 0,
  quality: () => levels[parts?.loop?.quality.level ?? 0].name,
  panes: () => parts?.panes?.list.length ?? 0,
  plotCursor: (group) => parts?.plots.cursor(group),
  error: () => failure,
};
window.impel = impel;

export const hooks = {
  attach: (all) => { parts = all; },
  failed: (sentence) => { failure = sentence; },
  ready: (promise) => promise.then(whenReady),
};
