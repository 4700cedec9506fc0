// The side panel: tabs, of which one is open, or none where there is little room.
//
// SPDX-License-Identifier: MIT
import { el } from './dom.js';

export class Panel {
  /** pages: list of [name, element]. */
  constructor(app, pages) {
    this.app = app;
    this.tabs = pages.map(([name], i) => el('button', { type: 'button', role: 'tab', id: `tab${i}`, 'aria-controls': `sheet${i}`, text: name, onclick: () => this.press(i), onkeydown: (event) => this.key(event, i) }));
    this.sheets = pages.map(([, content], i) => el('div', { role: 'tabpanel', id: `sheet${i}`, 'aria-labelledby': `tab${i}`, class: 'sheet' }, content));
    this.element = el('aside', { id: 'panel', 'aria-label': 'Data' }, el('div', { class: 'tabs', role: 'tablist' }, ...this.tabs), ...this.sheets);
    this.selected = 0;
    this.open(innerWidth > 760);
  }

  select(i) {
    this.selected = i;
    this.tabs.forEach((tab, k) => {
      tab.setAttribute('aria-selected', k === i && this.isOpen);
      tab.tabIndex = k === i ? 0 : -1;
      this.sheets[k].hidden = k !== i || !this.isOpen;
    });
    this.app.emit('tick');
  }

  press(i) {
    if (this.isOpen && i === this.selected && innerWidth <= 760) return this.open(false);
    this.open(true);
    this.select(i);
  }

  open(on) {
    this.isOpen = on;
    document.documentElement.dataset.panel = on ? 'open' : 'closed';
    this.select(this.selected);
    this.app.emit('layout');
  }

  key(event, i) {
    const next = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 }[event.key];
    if (!next) return;
    const to = (i + next + this.tabs.length) % this.tabs.length;
    this.open(true);
    this.select(to);
    this.tabs[to].focus();
    event.preventDefault();
    event.stopPropagation();
  }
}
