// The tab of contacts: all that are to be seen now, strongest first.
//
// SPDX-License-Identifier: MIT
import { contactTable } from './bodypanel.js';
import { contactOf, contactsAt } from './contacts.js';
import { el } from './dom.js';
import { brief } from './units.js';

const most = 60;

export class ContactPanel {
  constructor(app) {
    this.app = app;
    this.element = el('div', { class: 'contacts' });
    app.on('tick pick', () => this.show());
  }

  show() {
    if (this.element.offsetParent === null) return;
    this.element.replaceChildren(...this.app.runs.flatMap((run) => this.ofRun(run)));
  }

  ofRun(run) {
    const picked = this.app.body(run), rows = contactsAt(run, this.app.clock.time, this.app.clock).map((c) => contactOf(run, c, picked));
    const strength = (c) => Math.abs(c.pressing) + c.along;
    rows.sort((a, b) => a.kind - b.kind || strength(b) - strength(a));
    const hits = rows.filter((c) => c.kind === 0).length, head = this.app.runs.length > 1 ? [el('h3', { text: brief(run.label, 60) })] : [];
    if (run.contact.count + run.load.count === 0) return [...head, el('p', { class: 'soft', text: 'No contacts were recorded in this run.' })];
    const parts = [...head, el('p', { class: 'soft', text: `${hits} ${hits === 1 ? 'collision' : 'collisions'} and ${rows.length - hits} ${rows.length - hits === 1 ? 'force' : 'forces'} now. Normal and friction act on the first body.` })];
    if (rows.length) parts.push(contactTable(rows.slice(0, most), this.app));
    if (rows.length > most) parts.push(el('p', { class: 'soft', text: `and ${rows.length - most} weaker ones` }));
    return parts;
  }
}
