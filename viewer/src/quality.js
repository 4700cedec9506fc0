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
];

const slow = 24; // ms: 41 frames per second
const enough = 12; // frames to judge by

export class Quality {
  constructor(apply, moving = 0) {
    this.apply = apply;
    this.level = 0;
    this.moving = moving; // the level at which movement was fluent
    this.judgeAnew();
    this.recent = [];
  }

  judgeAnew() {
    this.times = [];
    this.warming = 2; // frames, in which shaders are made
  }

  median() {
    const list = [...this.recent].sort((a, b) => a - b);
    return list.length ? list[list.length >> 1] : 0;
  }

  /** Mean of the last frames but the two slowest: a display shows each for one or two of its own, so there is no middle. */
  typical() {
    const list = [...this.times].sort((a, b) => a - b).slice(0, Math.max(1, this.times.length - 2));
    return list.reduce((sum, time) => sum + time, 0) / list.length;
  }

  set(level) {
    if (level === this.level) return;
    this.level = level;
    this.judgeAnew();
    this.apply(levels[level]);
  }

  /** A frame of a movement took so long, in ms. */
  note(time) {
    if (time > 400) return; // the page was asleep
    this.recent.push(time);
    if (this.recent.length > 60) this.recent.shift();
    if (this.warming-- > 0) return;
    this.times.push(time);
    if (this.times.length > enough) this.times.shift();
    const typical = this.typical();
    if (this.times.length < (typical > 2 * slow ? 3 : enough)) return;
    if (typical > slow && this.level < levels.length - 1) this.set(this.moving = this.level + 1);
  }

  /** A movement begins. */
  start() { this.judgeAnew(); this.recent = []; this.set(this.moving); }

  /** Nothing moves any more. */
  rest() { this.set(0); }
}
