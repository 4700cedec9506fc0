// The command that makes any trial of the drop test again, with a field for its number and a button that copies it.
//
// SPDX-License-Identifier: MIT
import { el } from '../dom.js';

export class CommandLine {
  constructor(data) {
    this.data = data;
    this.field = el('input', { type: 'number', class: 'trial', min: 0, step: 1, value: data.examples[0]?.trial ?? 0, 'aria-label': 'Number of the trial', oninput: () => this.show() });
    this.line = el('code', { class: 'line' });
    this.button = el('button', { type: 'button', class: 'tool', text: 'Copy', onclick: () => this.copy() });
    this.element = el('div', { class: 'command card' }, el('label', {}, el('span', { text: 'Any other trial' }), this.field), this.line, this.button);
    this.element.hidden = data.command === null;
    this.show();
  }

  get text() {
    const trial = Number(this.field.value);
    return `${this.data.command} --trial ${Number.isSafeInteger(trial) && trial >= 0 ? trial : 0} -o run.html`;
  }

  show() { this.line.textContent = this.text; }

  set(trial) { this.field.value = String(trial); this.show(); }

  async copy() {
    let done = true;
    try { await navigator.clipboard.writeText(this.text); } catch { done = this.copyOldWay(); }
    this.button.textContent = done ? 'Copied' : 'Select it by hand';
    clearTimeout(this.timer);
    this.timer = setTimeout(() => { this.button.textContent = 'Copy'; }, 2500);
  }

  /** Where the clipboard may not be asked: a selection, copied. */
  copyOldWay() {
    getSelection()?.selectAllChildren(this.line);
    try { return document.execCommand('copy'); } catch { return false; }
  }
}
