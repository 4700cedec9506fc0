// The page of a drop test: reads the data and puts gallery, sphere, examples and table together.
//
// SPDX-License-Identifier: MIT
import { PageError } from '../decode.js';
import { el } from '../dom.js';
import { typing } from '../keys.js';
import { Theme } from '../theme.js';
import { brief } from '../units.js';
import { Colours } from './colours.js';
import { readPage } from './data.js';
import { Gallery } from './gallery.js';
import { Globe } from './globe.js';
import { hooks } from './hooks.js';
import { Part } from './part.js';
import { Pictures } from './pictures.js';
import { Replays } from './replays.js';
import { Starts } from './starts.js';
import { foot, hero, topBar } from './summary.js';
import { PoseTable } from './table.js';

const root = document.getElementById('app');

/** Made, or null where there is no WebGL. */
function attempt(make) { try { return make(); } catch { return null; } }

class Page {
  constructor(data) {
    this.data = data;
    this.chosen = null; // a card, by its number
    this.colours = new Colours(data);
    this.part = new Part(data, this.colours);
    const look = { theme: null, dark: false, emit: () => this.themed() }; // what Theme expects of an app
    this.themeOf = look;
    this.themeSwitch = new Theme(look);
    this.pictures = attempt(() => new Pictures(this.part));
    this.globe = attempt(() => new Globe(data, this.part, this.colours, { pointed: (sample) => this.starts.point(sample), chosen: (sample) => this.keep(sample) }));
    this.gallery = new Gallery(data, this.colours, (index) => this.choose(index));
    this.starts = new Starts(data, this.colours, this.globe, { choose: (index) => this.choose(index), take: (trial) => this.take(trial) });
    this.starts.pictures = this.pictures;
    this.globe?.setThrough(false);
    this.replays = new Replays(data, this.part, this.colours, look);
    this.table = new PoseTable(data, this.colours);
    if (!this.pictures) this.gallery.grid.before(el('p', { class: 'doubt', text: 'This browser cannot draw the part, since it has no WebGL. The figures are complete.' }));
  }

  themed() {
    this.themeOf.dark = this.themeSwitch?.dark ?? document.documentElement.dataset.theme === 'dark';
    if (!this.table) return; // not built yet
    const { theme, dark } = this.themeOf;
    this.pictures?.setTheme(theme, dark);
    this.gallery.draw(this.pictures);
    this.starts.draw();
    this.globe?.setTheme(theme, dark);
    this.replays.setTheme();
  }

  /** Lights one card everywhere; again: none. */
  choose(index) {
    this.chosen = this.chosen === index ? null : index;
    this.gallery.choose(this.chosen);
    this.starts.choose(this.chosen);
    this.globe?.choose(this.chosen);
    if (this.chosen === null) return;
    this.globe?.face(this.data.cards[this.chosen].normal);
    this.replays.showCard(this.chosen);
  }

  /** A point of the sphere was clicked. */
  keep(sample) {
    this.starts.keep(sample);
    if (sample >= 0) this.take(sample, false);
  }

  /** A trial for the command, and its example where there is one. */
  take(trial, go = true) {
    this.replays.command.set(trial);
    const one = this.data.examples.find((example) => example.trial === trial);
    if (one) this.replays.show(one);
    if (go) this.replays.command.element.scrollIntoView({ block: 'center' });
  }

  async open() {
    const { data } = this;
    document.title = `${brief(data.title, 100)} \u2013 Impel`;
    root.replaceChildren(topBar(data, this.themeSwitch), el('main', {}, hero(data), this.gallery.element, this.starts.element, this.replays.element, this.table.element, foot(data)));
    this.themed();
    if (data.samples.count) this.starts.keep(Math.max(0, this.globe?.middle() ?? 0));
    document.addEventListener('keydown', (event) => {
      if (event.ctrlKey || event.metaKey || event.altKey || typing(event.target)) return;
      if (event.key.toLowerCase() === 'x') this.themeSwitch.toggle();
      else if (event.key === 'Escape' && this.chosen !== null) this.choose(this.chosen);
    });
    if (data.examples.length) await this.replays.show(data.examples[0]);
  }
}

async function start() {
  try {
    const page = new Page(await readPage(document));
    hooks.attach(page);
    await page.open();
  } catch (error) {
    const sentence = error instanceof PageError ? error.message : `This page could not be shown: ${error?.message ?? error}.`;
    hooks.failed(sentence);
    root.replaceChildren(el('div', { class: 'sorry', role: 'alert' }, el('h1', { text: 'Impel' }), el('p', { text: sentence })));
  }
}

hooks.ready(start());
