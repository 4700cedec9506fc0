// The loop: runs only while something moves, passes time to the clock, draws, and watches how long frames take.
//
// SPDX-License-Identifier: MIT
import { levels, Quality } from './quality.js';

const tick = [100, 250]; // ms between changes of figures while playing, and where quality is lowered

export class Loop {
  constructor(app, stage, panes) {
    this.app = app;
    this.stage = stage;
    this.panes = panes;
    this.running = false;
    this.lastTick = 0;
    this.quality = new Quality(() => this.applyQuality(), stage.software ? 1 : 0);
    stage.controls.addEventListener('change', () => this.wake());
    stage.controls.addEventListener('start', () => this.wake());
  }

  applyQuality() {
    const level = levels[this.quality.level];
    this.stage.setShadows(level.shadows && this.app.options.shadows);
    this.stage.setRatio(level.ratio, level.smooth);
    this.panes.setQuality(level);
    this.stage.touch();
    this.stale = true; // arrows and dots are made for a quality
  }

  /** Bodies or arrows have changed. */
  moved() { this.stale = true; this.wake(); }

  wake() {
    if (this.running) return;
    this.running = true;
    this.before = null;
    requestAnimationFrame((now) => this.step(now));
  }

  /** Draws at once, so that a change of size shows no empty canvas. */
  now() {
    this.refresh();
    this.stage.draw();
  }

  refresh() {
    if (!this.stale) return;
    this.stale = false;
    this.panes.update();
  }

  step(now) {
    const { clock } = this.app, moving = clock.playing || this.stage.handling;
    if (moving && !this.moving) this.quality.start();
    this.moving = moving;
    const passed = this.before === null ? 0 : now - this.before;
    this.before = now;
    if (clock.playing) clock.pass(passed / 1000);
    this.refresh();
    const drawn = this.stage.draw();
    if (moving && drawn && passed > 0) this.quality.note(passed);
    if (!clock.playing || now - this.lastTick > tick[Math.min(this.quality.level, 1)]) { this.lastTick = now; this.app.emit('tick'); }
    if (clock.playing || this.stage.handling || drawn || this.stage.dirty) { requestAnimationFrame((next) => this.step(next)); return; }
    if (this.quality.level > 0) { this.quality.rest(); requestAnimationFrame((next) => this.step(next)); return; }
    this.running = false;
  }
}
