// Keeps the picture fluent: while it moves and frames take too long, quality goes down step by step, shadows first; when it
// stands still it is drawn in full again.
//
// SPDX-License-Identifier: MIT

export const levels = [
  { name: 'full', shadows: true, ratio: 1, smooth: true, round: 'fine', simple: false, edges: true },
  { name: 'no shadows', shadows: false, ratio: 1, smooth: true, round: 'fine', simple: false, edges: true },
  { name: 'coarse', shadows: false, ratio: 1, smooth: false, round: 'coarse', simple: false, edges: true },
  { name: 'plain', shadows: false, ratio: 0.8, smooth: false, round: 'coarse', simple: true, edges: true },
  { name: 'plain and small', shadows: false, ratio: 0.6, smooth: false, round: 'least', simple: true, edges: false },
  { name: 'plain and smaller', shadows: false, ratio: 0.4, smooth: false, round: 'least', simple: true, edges: false },
];

const slow = 27; // ms: 37 frames per second
const enough = 5; // frames to judge by

export class Quality {
  constructor(apply, moving = 0) {
    this.apply = apply;
    this.level = 0;
    this.moving = moving; // the level at which movement was fluent
    this.times = [];
    this.recent = [];
  }

  median(list = this.recent) {
    return list.length ? [...list].sort((a, b) => a - b)[list.length >> 1] : 0;
  }

  set(level) {
    if (level === this.level) return;
    this.level = level;
    this.times = [];
    this.apply(levels[level]);
  }

  /** A frame of a movement took so long, in ms. */
  note(time) {
    if (time > 400) return; // the page was asleep
    this.recent.push(time);
    if (this.recent.length > 60) this.recent.shift();
    this.times.push(time);
    if (this.times.length < (this.median(this.times) > 55 ? 2 : enough)) return;
    const typical = this.median(this.times.slice(-enough));
    this.times = this.times.slice(-enough);
    if (typical > slow && this.level < levels.length - 1) this.set(this.moving = this.level + 1);
  }

  /** A movement begins. */
  start() { this.times = []; this.recent = []; this.set(this.moving); }

  /** Nothing moves any more. */
  rest() { this.set(0); }
}
