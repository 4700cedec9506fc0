// The section of examples: which there are, the player of the chosen one, what became of it, and the command for any other trial.
//
// SPDX-License-Identifier: MIT
import { PageError } from '../decode.js';
import { el } from '../dom.js';
import { lookKey, timeKey, typing } from '../keys.js';
import { CommandLine } from './command.js';
import { Player } from './player.js';
import { agreement, cardTitle, count, outcome } from './words.js';

export class Replays {
  constructor(data, part, colours, theme) {
    Object.assign(this, { data, part, colours, theme });
    this.chosen = null;
    this.command = new CommandLine(data);
    this.holder = el('div', { class: 'player-holder' });
    this.said = el('p', { class: 'outcome', role: 'status' });
    this.buttons = data.examples.map((one) => this.button(one));
    const empty = data.examples.length === 0;
    if (empty) this.holder.append(el('p', { class: 'empty-note', text: data.command ? 'There are no examples in this page. The command below makes one of any trial.' : 'There are no examples: the general engine, which would make them, knows no drag.' }));
    this.element = el('section', { id: 'replays', 'aria-labelledby': 'replays-title' },
      el('div', { class: 'head' }, el('h2', { id: 'replays-title', text: 'Examples' }),
        el('p', { class: 'soft', text: `Drops made again from their numbers by the general engine, until the part lies still.${agreement(data)}` })),
      el('div', { class: `replays card${empty ? ' none' : ''}` }, empty ? null : this.list(), el('div', { class: 'screen' }, this.holder, this.said)), this.command.element);
    this.element.addEventListener('keydown', (event) => this.key(event));
  }

  button(example) {
    const { verdict } = outcome(example, this.data), flag = { differs: 'differs', open: 'open' }[verdict];
    return el('button', { type: 'button', class: `example ${verdict}`, 'aria-pressed': 'false', 'data-trial': example.trial, onclick: () => this.show(example, true) },
      el('span', { text: `trial ${count(example.trial)}` }), flag ? el('span', { class: `flag ${verdict}`, text: flag }) : null);
  }

  /** The buttons, by what the drop test says. */
  list() {
    const groups = new Map();
    this.data.examples.forEach((one, i) => { if (!groups.has(one.certified)) groups.set(one.certified, []); groups.get(one.certified).push(this.buttons[i]); });
    return el('div', { class: 'examples', role: 'group', 'aria-label': 'Examples' }, ...[...groups].map(([end, buttons]) => {
      const swatch = el('span', { class: 'swatch' });
      swatch.style.background = this.colours.of(end);
      return el('div', { class: 'example-group' }, el('h4', {}, swatch, cardTitle(this.data, end)), el('div', { class: 'example-row' }, ...buttons));
    }));
  }

  /** The first example of a card, if there is one. */
  async showCard(index) {
    const one = this.data.examples.find((example) => example.certified === index);
    if (one && this.chosen?.certified !== index) await this.show(one);
  }

  async show(example, focus = false) {
    this.chosen = example;
    this.buttons.forEach((button, i) => button.setAttribute('aria-pressed', this.data.examples[i] === example));
    this.command.set(example.trial);
    const { verdict, text } = outcome(example, this.data), head = { agrees: 'Both agree. ', differs: 'The two disagree. ', open: 'Not compared. ' }[verdict];
    this.said.className = `outcome ${verdict}`;
    this.said.replaceChildren(this.data.drops.settled ? '' : el('b', { text: head }), text);
    try {
      const run = await example.run();
      if (this.chosen !== example) return;
      this.player?.free();
      this.player = null;
      this.open(run);
      if (focus) this.player?.canvas.focus({ preventScroll: true });
    } catch (error) {
      this.say(error instanceof PageError ? error.message : `This example could not be shown: ${error?.message ?? error}.`);
    }
  }

  open(run) {
    try { this.player = new Player(run, this.part, this.theme); } catch { this.say('This browser cannot draw the example, since it has no WebGL.'); return; }
    this.holder.replaceChildren(this.player.element);
    this.player.begin();
  }

  say(sentence) {
    this.player?.free();
    this.player = null;
    this.error = sentence;
    this.holder.replaceChildren(el('p', { class: 'empty-note', role: 'alert', text: sentence }));
  }

  key(event) {
    if (!this.player || event.ctrlKey || event.metaKey || typing(event.target)) return;
    const parts = { app: this.player.app, stage: this.player.stage }, act = event.altKey ? lookKey(event, parts) : timeKey(event, parts);
    if (!act) return;
    event.preventDefault();
    act();
    this.player.loop.wake();
  }

  setTheme() { this.player?.setTheme(this.theme); }
}
