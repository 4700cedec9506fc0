// Keyboard: what each key does, and the sheet that says so.
//
// SPDX-License-Identifier: MIT
import { el, iconButton } from './dom.js';
import { optionKeys } from './hud.js';

const groups = [
  ['Time', [['space', 'play or pause'], ['\u2190 \u2192', 'one frame back or on'], ['shift \u2190 \u2192', 'to the last or next impact, of the picked body where there is one'], ['home end', 'to the start or the end'], ['[ ]', 'slower or faster'], ['L', 'repeat']]],
  ['Look', [['drag', 'turn; with shift or the right button, shift'], ['wheel', 'nearer or farther'], ['alt \u2190 \u2192 \u2191 \u2193', 'turn'], ['alt shift \u2190 \u2192 \u2191 \u2193', 'shift'], ['+ \u2212', 'nearer or farther'], ['R', 'see the whole run'], ['F', 'follow the picked body']]],
  ['Show', [['C', 'contacts and impulses'], ['K', 'friction cones'], ['V', 'velocities'], ['W', 'angular velocities'], ['T', 'trail of the picked body'], ['G', 'ghosts of the other runs'], ['E', 'edges'], ['M', 'metres on planes'], ['S', 'shadows'], ['D', 'menu of all this']]],
  ['Page', [['1 2 3 4', 'plots, body, contacts, run'], ['P', 'panel'], ['/', 'find a body'], ['escape', 'let the body go, close'], ['X', 'light or dark'], ['Y', 'copy a link to this moment'], ['?', 'this sheet']]],
];

/** The sheet of keys. */
export function helpSheet() {
  const dialog = el('dialog', { class: 'help card', 'aria-label': 'Keys' });
  dialog.append(el('header', {}, el('h2', { text: 'Keys' }), iconButton('close', 'Close', () => dialog.close())),
    el('div', { class: 'columns' }, ...groups.map(([title, rows]) => el('section', {}, el('h3', { text: title }), el('dl', {},
      ...rows.flatMap(([keys, text]) => [el('dt', {}, ...keys.split(' ').map((key) => el('kbd', { text: key }))), el('dd', { text })]))))));
  dialog.addEventListener('click', (event) => { if (event.target === dialog) dialog.close(); });
  return dialog;
}

export const typing = (target) => target instanceof HTMLElement && (target.matches('input:not([type=checkbox]):not([type=range]), textarea, select') || target.isContentEditable);

/** Listens for keys; parts: app, stage, panel, help, menu, bodyPanel, actions. */
export function listen(parts) {
  document.addEventListener('keydown', (event) => {
    if (event.ctrlKey || event.metaKey || parts.help.open || typing(event.target)) return;
    const act = event.altKey ? lookKey(event, parts) : timeKey(event, parts) ?? pageKey(event, parts);
    if (!act) return;
    event.preventDefault();
    act();
  });
}

export function lookKey(event, { stage }) {
  const way = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, 1], ArrowDown: [0, -1] }[event.key];
  if (!way) return null;
  return () => (event.shiftKey ? stage.pan(...way) : stage.orbit(-0.12 * way[0], -0.12 * way[1]));
}

export function timeKey(event, { app: { clock } }) {
  const onButton = event.target instanceof HTMLElement && event.target.matches('button, summary, input, a');
  switch (event.key) {
    case ' ': return onButton ? null : () => clock.toggle();
    case 'ArrowLeft': case 'ArrowRight': {
      const way = event.key === 'ArrowLeft' ? -1 : 1;
      return event.target.matches?.('input[type=range]') ? null : () => (event.shiftKey ? clock.stepImpact(way) : clock.stepFrame(way));
    }
    case 'Home': return () => { clock.pause(); clock.seek(clock.start); };
    case 'End': return () => { clock.pause(); clock.seek(clock.end); };
    case '[': return () => clock.shift(-1);
    case ']': return () => clock.shift(1);
    default: return null;
  }
}

function pageKey(event, { app, stage, panel, help, menu, bodyPanel, actions }) {
  const key = event.key.toLowerCase();
  if (optionKeys[key] && !(key === 'g' && app.runs.length < 2)) return () => app.set(optionKeys[key], !app.options[optionKeys[key]]);
  if (key >= '1' && key <= '4' && key.length === 1) return () => { panel.open(true); panel.select(Number(key) - 1); };
  const table = {
    l: () => app.clock.setLoop(!app.clock.loop), f: () => { if (app.picked !== null) app.set('follow', !app.options.follow); }, t: () => { if (app.picked !== null) app.toggleTrail(app.picked); },
    r: actions.home, d: () => menu.toggle(), p: () => panel.open(!panel.isOpen), x: actions.theme, y: actions.link, '+': () => stage.zoom(0.85), '=': () => stage.zoom(0.85), '-': () => stage.zoom(1 / 0.85),
    '?': () => help.showModal(), '/': () => { panel.open(true); panel.select(1); bodyPanel.search.focus(); }, escape: () => { if (!menu.menu.hidden) menu.toggle(false); else app.pick(null); },
  };
  return Object.hasOwn(table, key) ? table[key] : null;
}
