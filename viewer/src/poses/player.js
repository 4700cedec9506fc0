// The player of one example: stage, bodies, arrows and transport of the page of a run, with the part drawn as it is.
//
// SPDX-License-Identifier: MIT
import * as THREE from 'three';
import { App } from '../app.js';
import { Controls } from '../controls.js';
import { el } from '../dom.js';
import { Axes, Legend, ScaleBar, ShowMenu } from '../hud.js';
import { Loop } from '../loop.js';
import { Panes } from '../panes.js';
import { Stage } from '../stage.js';
import { tone } from './part.js';

/** The body that was dropped: the one that moves freely. */
const dropped = (run) => run.bodies.find((body) => body.role === 'dynamic' && body.moves >= 0);

/** The run with the true surface of the part in the place of what touches. */
function drawnAs(run, part) {
  const body = dropped(run);
  if (!body) return run;
  const shapes = [...run.shapes, { kind: 'solid', size: [], geometry: part.geometry, lines: part.lines }];
  const pieces = [{ shape: shapes.length - 1, material: body.material, pose: [0, 0, 0, 1, 0, 0, 0] }];
  const bodies = run.bodies.map((one) => (one === body ? { ...one, pieces, colour: tone } : one));
  return { ...run, shapes, bodies, byName: new Map(bodies.map((one) => [one.name, one])) };
}

/** The painted faces, going with the part. */
class Faces {
  constructor(bodies, body, part) {
    Object.assign(this, { bodies, body, group: part.paint() });
    this.group.matrixAutoUpdate = false;
    this.update();
  }

  update() {
    const p = this.bodies.poses.subarray(7 * this.body.index, 7 * this.body.index + 7);
    this.group.matrix.compose(new THREE.Vector3(p[0], p[1], p[2]), new THREE.Quaternion(p[4], p[5], p[6], p[3]), new THREE.Vector3(1, 1, 1));
    this.group.matrixWorldNeedsUpdate = true;
  }
}

export class Player {
  /** Throws where there is no WebGL. */
  constructor(run, part, theme) {
    const app = this.app = new App({ runs: [drawnAs(run, part)] });
    this.part = part;
    app.theme = theme.theme;
    app.options.figures = innerWidth > 700;
    app.options.cones = false;
    this.canvas = el('canvas', { id: 'canvas', tabindex: 0, role: 'img', 'aria-label': 'The example. Space plays, arrows step, alt and arrows turn the view.' });
    const holder = el('div', { class: 'panes' });
    this.stageElement = el('div', { id: 'stage' }, this.canvas, holder);
    const stage = this.stage = new Stage(this.canvas, app.box(), new THREE.Vector3(0, 0, 1), () => this.drawn());
    this.panes = new Panes(app, stage, holder);
    this.axes = new Axes(stage);
    this.bar = new ScaleBar(stage);
    this.legend = new Legend(app, this.panes);
    this.legend.element.open = false;
    this.menu = new ShowMenu(app, stage);
    this.stageElement.append(this.legend.element, el('div', { class: 'corner' }, this.bar.element, this.axes.element), this.menu.element);
    this.controls = new Controls(app);
    this.element = el('div', { class: 'player' }, this.stageElement, this.controls.element);
    this.addFaces();
    this.connect();
    this.setTheme(theme);
  }

  addFaces() {
    const pane = this.panes.list[0], body = dropped(pane.run);
    if (!body) return;
    if (this.faces) pane.view.scene.remove(this.faces.group);
    this.faces = new Faces(pane.bodies, body, this.part);
    pane.extras = [this.faces];
    pane.view.scene.add(this.faces.group);
  }

  drawn() { this.axes?.show(); this.bar?.show(); }

  connect() {
    const { app, stage, panes } = this, loop = this.loop = new Loop(app, stage, panes);
    app.on('time play', () => loop.moved());
    app.on('view', () => loop.wake());
    app.on('options', () => { loop.quality.apply(); loop.moved(); panes.motionScale(); this.legend.show(); });
    let fitted = true;
    stage.controls.addEventListener('start', () => { fitted = false; });
    stage.controls.enableZoom = false; // the wheel moves the page until the picture is touched
    this.canvas.addEventListener('pointerdown', () => { stage.controls.enableZoom = true; });
    this.canvas.addEventListener('pointerleave', () => { stage.controls.enableZoom = false; });
    this.watcher = new ResizeObserver(() => { if (!stage.resize()) return; if (fitted && stage.fitted) stage.fit(stage.fitted.view, stage.fitted.box); loop.now(); });
    this.watcher.observe(this.stageElement);
    this.canvas.addEventListener('webglcontextlost', (event) => event.preventDefault());
  }

  /** Once the element stands in the page. */
  begin() {
    this.stage.setRatio(1, true);
    this.stage.fit();
    this.panes.update();
    this.loop.now();
    this.app.emit('tick');
  }

  setTheme(theme) {
    this.app.theme = theme.theme;
    this.stage.setTheme(theme.theme, theme.dark);
    this.panes.setTheme(theme.theme);
    this.app.emit('theme');
    this.loop.quality.apply();
    this.loop.moved();
  }

  /** Position and turn of the part as drawn. */
  pose() {
    this.loop.refresh();
    const { poses, run } = this.panes.list[0].bodies, body = dropped(run);
    return body ? Array.from(poses.subarray(7 * body.index, 7 * body.index + 7)) : null;
  }

  free() {
    this.app.clock.pause();
    this.watcher.disconnect();
    this.stage.controls.dispose();
    this.stage.draw = () => false; // a frame may be under way
    this.stage.renderer.dispose();
    this.stage.renderer.forceContextLoss();
  }
}
