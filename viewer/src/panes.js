// The panes: each run in a scene of its own, with one clock and one camera, and the other runs as ghosts on wish.
//
// SPDX-License-Identifier: MIT
import { Bodies } from './bodies.js';
import { ContactArrows, contactsAt, largest, isOf } from './contacts.js';
import { el } from './dom.js';
import { runColours } from './materials.js';
import { fastest, motionAt, MotionArrows } from './motion.js';
import { Outline } from './pick.js';
import { Trails } from './trails.js';
import { brief, number } from './units.js';

/** Everything of one run that is drawn. */
class Pane {
  constructor(app, run, holder) {
    this.app = app;
    this.run = run;
    this.element = el('div', { class: 'pane' });
    if (app.runs.length > 1) this.element.append(el('div', { class: 'pane-name', title: brief(run.label, 300) },
      el('span', { class: 'swatch', 'data-run': run.index }), el('span', { text: brief(run.label, 120) }),
      run.leaves ? el('span', { class: 'soft', text: `${brief(run.leaves, 60)} the picture` }) : null));
    this.over = el('div', { class: 'over', hidden: true, text: `${run.status === 'complete' ? 'ends' : brief(run.status ?? 'ends', 20)} at ${number(run.time[run.frames - 1], 4)} s` });
    this.element.append(this.over);
    holder.append(this.element);
    this.bodies = new Bodies(run, app.theme);
    this.contacts = new ContactArrows(run);
    this.motion = new MotionArrows(run);
    this.trails = new Trails(run);
    this.outline = new Outline(this.bodies);
    this.ghosts = [];
    this.extras = []; // what else moves along: { group, update() }
  }

  join(stage) {
    this.view = stage.addPane(this.element);
    this.view.scene.add(this.bodies.group, this.trails.group, this.outline.group, this.motion.group, this.contacts.group);
    this.view.prepare = (width, height) => {
      this.contacts.arrows.setSize(width, height);
      this.motion.arrows.setSize(width, height);
      for (const plane of this.bodies.planes) plane.sizeFigures(stage.spanOfPixel(height), stage.metresPerPixel(), this.app.options.figures, stage.pixelRatio());
    };
  }

  setTheme(theme) { for (const part of [this.bodies, this.contacts, this.motion, this.outline]) part.setTheme(theme); }

  setGhosts(on) {
    for (const ghost of this.ghosts) { this.view.scene.remove(ghost.group); }
    this.ghosts = on ? this.app.runs.filter((run) => run !== this.run).map((run) => new Bodies(run, this.app.theme, runColours[run.index % runColours.length])) : [];
    for (const ghost of this.ghosts) this.view.scene.add(ghost.group);
  }
}

export class Panes {
  constructor(app, stage, holder) {
    this.app = app;
    this.stage = stage;
    holder.dataset.count = app.runs.length;
    this.list = app.runs.map((run) => new Pane(app, run, holder));
    for (const pane of this.list) { pane.join(stage); pane.setTheme(app.theme); }
    this.measure();
    stage.controls.addEventListener('change', () => { if (this.reach() !== this.reached) this.updateArrows(); });
  }

  /** How long arrows are: the longest a good part of the picture, but not of many bodies' sizes. */
  measure() {
    const { low, high } = this.app.box(), size = Math.hypot(...high.map((x, k) => x - low[k]));
    const sizes = this.app.runs.flatMap((run) => run.bodies.filter((body) => body.moves >= 0 && body.size > 0).map((body) => body.size)).sort((a, b) => a - b);
    const typical = sizes.length ? sizes[(sizes.length - 1) >> 1] : size / 10; // of two the smaller: a ball on a platter
    this.longest = Math.min(Math.max(2 * typical, 0.07 * size), 0.3 * size);
    this.top = largest(this.app.runs);
    this.motionTop = null;
  }

  /** The longest arrow, m: less where the camera is so near that it would leave the picture, by halves, so that it stays while one looks around. */
  reach() {
    const room = 0.35 * this.stage.metresSeen();
    return room < this.longest ? this.longest * 2 ** Math.floor(Math.log2(room / this.longest)) : this.longest;
  }

  /** Metres per unit. */
  scale() {
    const long = this.reached * this.app.options.arrowSize;
    return this.top.map((top) => (top > 0 ? long / top : 0));
  }

  motionScale() {
    const { velocity, spin, arrowSize } = this.app.options;
    if (velocity || spin) this.motionTop ??= fastest(this.app.runs);
    const long = this.reached * arrowSize, per = (on, top) => (on && top > 0 ? long / top : 0);
    return { velocity: per(velocity, this.motionTop?.speed), spin: per(spin, this.motionTop?.turning) };
  }

  /** Puts everything where it is at the clock's time. */
  update() {
    const { clock } = this.app, t = clock.time;
    for (const pane of this.list) {
      pane.bodies.update(t);
      pane.over.hidden = t <= pane.run.time[pane.run.frames - 1] + clock.tolerance; // what is seen then is its last moment
      for (const ghost of pane.ghosts) ghost.update(t);
      pane.outline.update();
      for (const extra of pane.extras) extra.update();
      pane.trails.show(t);
    }
    this.updateArrows();
    this.followBody();
    this.stage.touch();
  }

  updateArrows() {
    this.reached = this.reach();
    const { clock, options } = this.app, t = clock.time, moving = this.motionScale();
    for (const pane of this.list) {
      const picked = this.app.body(pane.run);
      let rows = options.contacts ? contactsAt(pane.run, t, clock) : [];
      if (options.onlyPicked && picked) rows = rows.filter((row) => isOf(pane.run, row, picked.index));
      pane.contacts.show(rows, this.scale(), { cones: options.cones, picked, t, playing: clock.playing, speed: clock.speed, ratio: this.stage.renderer.getPixelRatio(), plain: this.plain,
        eye: this.stage.camera.position, span: this.stage.spanOfPixel(pane.view.place?.height || 1) });
      pane.motion.show(t, moving);
    }
    this.stage.touch(false);
  }

  /** Where the followed body is: its centre of mass in the first run that has it. */
  followPlace() {
    const run = this.app.runs.find((one) => one.byName.has(this.app.picked));
    return this.app.options.follow && run ? motionAt(run, run.byName.get(this.app.picked), this.app.clock.time).center : null;
  }

  followBody() {
    const place = this.followPlace();
    if (place && this.last) this.stage.carry(...place.map((x, k) => x - this.last[k]));
    this.last = place;
  }

  /** Begins to follow: the body comes to the middle. */
  startFollow() {
    this.last = this.followPlace();
    if (!this.last) return;
    const { target } = this.stage.controls;
    this.stage.carry(this.last[0] - target.x, this.last[1] - target.y, this.last[2] - target.z);
    this.stage.touch(false);
  }

  setTheme(theme) { for (const pane of this.list) pane.setTheme(theme); }

  setQuality(level) {
    const { options } = this.app;
    this.plain = !level.shadows;
    for (const pane of this.list) for (const bodies of [pane.bodies, ...pane.ghosts]) bodies.setQuality({ ...level, edges: level.edges && options.edges });
  }

  setGhosts(on) { for (const pane of this.list) pane.setGhosts(on); }
  setTrails() { for (const pane of this.list) pane.trails.choose(this.app.trails); }
  setPicked() { for (const pane of this.list) pane.outline.choose(this.app.body(pane.run)); }

  /** The pane under a point of the window. */
  at(x, y) {
    return this.list.find(({ element }) => { const r = element.getBoundingClientRect(); return x >= r.left && x < r.right && y >= r.top && y < r.bottom; });
  }
}
