// The page: reads the runs, puts stage, panels and transport together, and keeps them going.
//
// SPDX-License-Identifier: MIT
import * as THREE from 'three';
import { App } from './app.js';
import { BodyPanel } from './bodypanel.js';
import { ContactPanel } from './contactpanel.js';
import { Controls } from './controls.js';
import { PageError, readPage } from './decode.js';
import { el, iconButton } from './dom.js';
import { hooks } from './hooks.js';
import { Axes, Legend, ScaleBar, ShowMenu } from './hud.js';
import { helpSheet, listen } from './keys.js';
import { Link } from './link.js';
import { Loop } from './loop.js';
import { Panel } from './panel.js';
import { Panes } from './panes.js';
import { pickWithPointer } from './pick.js';
import { Plots } from './plots.js';
import { Stage } from './stage.js';
import { summary } from './summary.js';
import { Theme } from './theme.js';
import { brief } from './units.js';

const root = document.getElementById('app');

/** A sentence in the place of the page. */
function say(sentence) {
  root.replaceChildren(el('div', { class: 'sorry', role: 'alert' }, el('h1', { text: 'Impel' }), el('p', { text: sentence })));
}

/** The camera's up: against gravity. */
function upOf(runs) {
  const up = new THREE.Vector3(...runs[0].gravity).negate();
  return up.length() > 1e-9 ? up.normalize() : new THREE.Vector3(0, 0, 1);
}

function topBar(app, actions) {
  const { status } = app.runs[0], title = app.page.title;
  return el('header', { id: 'top' }, el('h1', { text: brief(title, 200), title: brief(title, 400) }),
    el('span', { class: `chip status ${['complete', 'interrupted', 'stopped', 'violated'].includes(status) ? status : ''}`, text: app.runs.length > 1 ? `${app.runs.length} runs` : brief(status ?? '', 20) }),
    el('span', { class: 'soft method', text: app.runs.length > 1 ? '' : brief(app.runs[0].method ?? '', 40) }), el('span', { class: 'gap' }),
    actions.linkButton, iconButton('theme', 'Light or dark (X)', actions.theme), iconButton('help', 'Keys (?)', actions.help), iconButton('panel', 'Panel (P)', actions.panel, { class: 'icon panel-button' }));
}

/** WebGL or a sentence. */
function openStage(canvas, app, drawn) {
  try { return new Stage(canvas, app.box(), upOf(app.runs), drawn); } catch { return null; }
}

function build(page) {
  const app = new App(page), theme = new Theme(app);
  document.title = `${brief(page.title, 100)} \u2013 Impel`;
  const canvas = el('canvas', { id: 'canvas', tabindex: 0, role: 'img', 'aria-label': 'The run. Alt and arrows turn the view.' }), holder = el('div', { class: 'panes' });
  const note = el('div', { class: 'note', role: 'status', 'aria-live': 'polite' });
  const stageElement = el('main', { id: 'stage' }, canvas, holder);
  const parts = { app, theme, canvas, holder, note, stageElement, help: helpSheet(), link: new Link(app) };
  parts.stage = openStage(canvas, app, () => parts.drawn?.());
  parts.link.stage = parts.stage;
  addPanels(parts);
  if (parts.stage) addStage(parts); else stageElement.append(el('div', { class: 'sorry', role: 'alert' }, el('p', { text: 'This browser cannot draw the scene, since it has no WebGL. The plots and tables are complete.' })));
  listen({ ...parts, stage: parts.stage ?? { zoom() {}, pan() {}, orbit() {} }, menu: parts.menu ?? { toggle() {}, menu: { hidden: true } } });
  return parts;
}

function addPanels(parts) {
  const { app, theme, link, help, stageElement, note } = parts;
  const tell = (text) => { note.textContent = text; note.classList.add('on'); clearTimeout(parts.timer); parts.timer = setTimeout(() => note.classList.remove('on'), 2500); };
  const actions = parts.actions = {
    theme: () => theme.toggle(), help: () => help.showModal(), panel: () => parts.panel.open(!parts.panel.isOpen),
    home: () => { parts.stage?.fit('corner', app.box()); parts.loop?.wake(); },
    link: async () => tell(await link.copy() ? 'The link to this moment is copied.' : 'The link could not be copied; it is in the address bar.'),
  };
  actions.linkButton = iconButton('link', 'Copy a link to this moment (Y)', actions.link);
  parts.plots = new Plots(app);
  parts.bodyPanel = new BodyPanel(app);
  parts.panel = new Panel(app, [['Plots', parts.plots.element], ['Body', parts.bodyPanel.element], ['Contacts', new ContactPanel(app).element], ['Run', summary(app)]]);
  parts.controls = new Controls(app);
  root.replaceChildren(topBar(app, actions), stageElement, parts.panel.element, parts.controls.element, help, note);
}

function addStage(parts) {
  const { app, stage, canvas, holder, stageElement } = parts;
  const panes = parts.panes = new Panes(app, stage, holder), axes = new Axes(stage), bar = new ScaleBar(stage), legend = new Legend(app, panes), menu = parts.menu = new ShowMenu(app, stage);
  stageElement.append(legend.element, el('div', { class: 'corner' }, bar.element, axes.element), menu.element);
  if (app.runs.every((run) => run.bodies.every((body) => body.pieces.length === 0))) stageElement.append(el('p', { class: 'empty', text: 'There is no body to be seen in this run.' }));
  const loop = parts.loop = new Loop(app, stage, panes);
  parts.drawn = () => { axes.show(); bar.show(); };
  stage.setTheme(app.theme, parts.theme.dark);
  stage.setRatio(1, true);
  stage.fit();
  connect(parts, loop, legend);
  pickWithPointer(canvas, stage, panes, (found) => {
    app.pickedPoint = found ? localPoint(panes, found) : null;
    app.pick(found ? found.body.name : null);
  });
  canvas.addEventListener('webglcontextlost', (event) => { event.preventDefault(); stageElement.append(el('div', { class: 'sorry', role: 'alert' }, el('p', { text: 'The graphics were lost. Open the page anew to see the scene.' }))); });
}

/** The clicked point in the frame of its body. */
function localPoint(panes, { body, point }) {
  const pane = panes.list.find((one) => one.run.bodies.includes(body)), p = pane.bodies.poses.subarray(7 * body.index, 7 * body.index + 7);
  const local = point.clone().sub(new THREE.Vector3(p[0], p[1], p[2])).applyQuaternion(new THREE.Quaternion(p[4], p[5], p[6], p[3]).invert());
  return [local.x, local.y, local.z];
}

/** Who draws anew after what. */
function connect(parts, loop, legend) {
  const { app, stage, panes, theme, stageElement } = parts;
  app.on('time', () => loop.moved());
  app.on('play', () => loop.moved());
  app.on('pick', () => { panes.setPicked(); panes.last = panes.followPlace(); loop.moved(); });
  app.on('trails', () => { panes.setTrails(); loop.moved(); });
  app.on('theme', () => { stage.setTheme(app.theme, theme.dark); panes.setTheme(app.theme); loop.quality.apply(); loop.moved(); });
  app.on('view layout', () => loop.wake());
  app.on('options', (option) => {
    if (option === 'ghosts') panes.setGhosts(app.options.ghosts);
    if (option === 'follow' && app.options.follow) panes.startFollow();
    loop.quality.apply();
    loop.moved();
    panes.motionScale();
    legend.show();
  });
  let fitted = true;
  stage.controls.addEventListener('start', () => { fitted = false; });
  new ResizeObserver(() => { if (!stage.resize()) return; if (fitted && stage.fitted && !app.options.follow) stage.fit(stage.fitted.view, stage.fitted.box); loop.now(); }).observe(stageElement);
}

async function start() {
  try {
    const page = await readPage(document), parts = build(page);
    hooks.attach(parts);
    parts.link.read();
    parts.panes?.update();
    parts.loop?.now();
    parts.app.emit('tick');
  } catch (error) {
    const sentence = error instanceof PageError ? error.message : `This page could not be shown: ${error?.message ?? error}.`;
    hooks.failed(sentence);
    say(sentence);
  }
}

hooks.ready(start());
