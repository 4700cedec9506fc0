// What lies over the stage: legend of the arrows, scale bar, axes, and the menu of what is shown.
//
// SPDX-License-Identifier: MIT
import * as THREE from 'three';
import { el, iconButton } from './dom.js';
import { modes } from './materials.js';
import { lengthText, niceStep, number } from './units.js';

const svg = (tag, attributes) => {
  const element = document.createElementNS('http://www.w3.org/2000/svg', tag);
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
  return element;
};

/** Axes of the world as the camera sees them. */
export class Axes {
  constructor(stage) {
    this.stage = stage;
    this.element = svg('svg', { class: 'axes', viewBox: '-34 -34 68 68', role: 'img', 'aria-label': 'Axes' });
    this.parts = ['x', 'y', 'z'].map((name) => {
      const line = svg('line', { class: `axis ${name}`, x1: 0, y1: 0 }), label = svg('text', { class: `axis ${name}` });
      label.textContent = name;
      this.element.append(line, label);
      return { line, label };
    });
  }

  show() {
    const { quaternion } = this.stage.camera;
    if (this.shown?.angleTo(quaternion) < 1e-4) return; // to set the same costs a layout and a painting, too
    this.shown = quaternion.clone();
    const back = quaternion.clone().invert();
    const ends = [[1, 0, 0], [0, 1, 0], [0, 0, 1]].map((v) => new THREE.Vector3(...v).applyQuaternion(back));
    ends.forEach((v, i) => {
      const { line, label } = this.parts[i];
      const put = (element, name, value) => element.setAttribute(name, Math.round(100 * value) / 100 + 0);
      put(line, 'x2', 20 * v.x); put(line, 'y2', -20 * v.y);
      put(label, 'x', 27 * v.x); put(label, 'y', -27 * v.y);
      line.style.opacity = label.style.opacity = v.z < -0.3 ? 0.55 : 1;
    });
  }
}

/** A bar of a round length at the distance the camera looks at. */
export class ScaleBar {
  constructor(stage) {
    this.stage = stage;
    this.text = el('span', {});
    this.bar = el('div', { class: 'bar' });
    this.element = el('div', { class: 'scale', title: 'Length at the point the camera turns about' }, this.text, this.bar);
  }

  show() {
    const metres = this.stage.metresPerPixel(), long = niceStep(110 * metres);
    if (Math.abs(metres - this.shown) < 1e-4 * metres) return;
    this.shown = metres;
    this.text.textContent = lengthText(long);
    this.bar.style.width = `${long / metres}px`;
  }
}

/** What the arrows mean and how long they are. */
export class Legend {
  constructor(app, panes) {
    this.app = app;
    this.panes = panes;
    this.element = el('details', { class: 'legend', open: innerWidth > 700 && innerHeight > 500 });
    this.body = el('div', { class: 'legend-body' });
    this.element.append(el('summary', { text: 'Contacts' }), this.body);
    app.on('options', () => this.show());
    this.show();
  }

  show() {
    const { options } = this.app, [impulse, force] = this.panes.top, any = impulse > 0 || force > 0, lines = [];
    if (options.contacts && any) {
      lines.push(el('ul', { class: 'modes' }, ...modes.map(({ name, key }) => el('li', {}, el('span', { class: `dot ${key}` }), name))));
      if (impulse > 0) lines.push(el('p', {}, 'collision: longest arrow = ', el('b', { text: `${number(impulse, 3)} N\u202fs` })));
      if (force > 0) lines.push(el('p', {}, 'mean force: longest arrow = ', el('b', { text: `${number(force, 3)} N` })));
      lines.push(el('p', { class: 'soft', text: 'thick: normal, thin: friction' + (options.cones ? ', cone: friction limit' : '') }));
    }
    const top = this.panes.motionTop;
    if (options.velocity && top) lines.push(el('p', {}, el('span', { class: 'dot velocity' }), 'velocity: longest = ', el('b', { text: `${number(top.speed, 3)} m/s` })));
    if (options.spin && top) lines.push(el('p', {}, el('span', { class: 'dot spin' }), 'turning: longest = ', el('b', { text: `${number(top.turning, 3)} rad/s` })));
    this.body.replaceChildren(...lines);
    this.element.querySelector('summary').textContent = options.velocity || options.spin ? 'Arrows' : 'Contacts';
    this.element.hidden = lines.length === 0;
  }
}

const toggles = [['contacts', 'Contacts and impulses', 'C'], ['cones', 'Friction cones', 'K'], ['onlyPicked', 'Only those of the picked body', ''], ['velocity', 'Velocities', 'V'], ['spin', 'Angular velocities', 'W'],
  ['ghosts', 'Ghosts of the other runs', 'G'], ['edges', 'Edges', 'E'], ['figures', 'Metres on planes', 'M'], ['shadows', 'Shadows', 'S']];
export const optionKeys = Object.fromEntries(toggles.filter(([, , key]) => key).map(([option, , key]) => [key.toLowerCase(), option]));

/** The menu of what is shown, and from where. */
export class ShowMenu {
  constructor(app, stage) {
    this.app = app;
    this.boxes = {};
    const rows = toggles.filter(([option]) => option !== 'ghosts' || app.runs.length > 1).map(([option, label, key]) => {
      const box = this.boxes[option] = el('input', { type: 'checkbox', onchange: () => app.set(option, box.checked) });
      return el('label', {}, box, el('span', { text: label }), key ? el('kbd', { text: key }) : null);
    });
    const size = el('input', { type: 'range', min: -1, max: 1, step: 0.05, value: 0, 'aria-label': 'Length of arrows', oninput: () => app.set('arrowSize', 10 ** Number(size.value)) });
    const views = [['corner', 'Corner'], ['front', 'Front'], ['side', 'Side'], ['top', 'Top']].map(([view, text]) => el('button', { type: 'button', text, onclick: () => { stage.fit(view, app.box()); app.emit('view'); } }));
    this.menu = el('div', { class: 'menu card', hidden: true, role: 'group', 'aria-label': 'What is shown' }, ...rows, el('label', { class: 'slider' }, el('span', { text: 'Arrow length' }), size), el('div', { class: 'views', role: 'group', 'aria-label': 'Look from' }, ...views));
    this.button = iconButton('eye', 'What is shown (D)', () => this.toggle(), { 'aria-expanded': 'false' });
    this.home = iconButton('home', app.stays ? 'What stays near (R)' : 'Whole run (R)', () => { stage.fit('corner', app.box()); app.emit('view'); });
    this.element = el('div', { class: 'stage-tools' }, this.home, this.button, this.menu);
    const away = (event) => { if (!this.element.isConnected) document.removeEventListener('pointerdown', away); else if (!this.element.contains(event.target)) this.toggle(false); };
    document.addEventListener('pointerdown', away);
    this.element.addEventListener('keydown', (event) => { if (event.key === 'Escape' && !this.menu.hidden) { this.toggle(false); this.button.focus(); event.stopPropagation(); } });
    app.on('options', () => this.show());
    this.show();
  }

  toggle(open = this.menu.hidden) {
    this.menu.hidden = !open;
    this.button.setAttribute('aria-expanded', open);
  }

  show() { for (const [option, box] of Object.entries(this.boxes)) box.checked = this.app.options[option]; }
}
