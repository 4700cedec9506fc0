// The transport bar: play, steps, time, speed, loop.
//
// SPDX-License-Identifier: MIT
import { speeds } from './clock.js';
import { el, iconButton, setIcon } from './dom.js';
import { Scrubber } from './scrubber.js';
import { timeText } from './units.js';

export class Controls {
  constructor(app) {
    this.app = app;
    const { clock } = app;
    this.play = iconButton('play', 'Play (space)', () => clock.toggle(), { class: 'icon play' });
    this.loop = iconButton('loop', 'Repeat (L)', () => clock.setLoop(!clock.loop), { 'aria-pressed': 'false' });
    this.speed = el('select', { class: 'speed', 'aria-label': 'Speed', title: 'Speed ([ and ])', onchange: () => clock.setSpeed(Number(this.speed.value)) },
      ...speeds.map((value) => el('option', { value, text: `${value}\u00d7` })));
    this.time = el('input', { class: 'time', type: 'text', inputmode: 'decimal', 'aria-label': 'Time in seconds', title: 'Type a time in seconds', spellcheck: 'false',
      onchange: () => this.typed(), onkeydown: (event) => { if (event.key === 'Escape') { this.time.blur(); this.show(); } }, onfocus: () => { clock.pause(); this.time.select(); } });
    this.end = el('span', { class: 'end', text: `/ ${this.text(clock.end)} s` });
    this.scrubber = new Scrubber(app);
    const steps = [
      iconButton('impactBack', 'Last impact (shift \u2190)', () => clock.stepImpact(-1), { class: 'icon impact' }),
      iconButton('back', 'One frame back (\u2190)', () => clock.stepFrame(-1)), this.play,
      iconButton('forward', 'One frame on (\u2192)', () => clock.stepFrame(1)),
      iconButton('impactForward', 'Next impact (shift \u2192)', () => clock.stepImpact(1), { class: 'icon impact' })];
    this.element = el('footer', { id: 'transport', role: 'group', 'aria-label': 'Time' },
      el('div', { class: 'steps' }, ...steps), el('div', { class: 'clock' }, this.time, this.end), this.scrubber.element, el('div', { class: 'pace' }, this.speed, this.loop));
    const none = clock.impacts.length === 0;
    for (const step of steps) if (step.classList.contains('impact')) step.disabled = none;
    this.time.style.width = `${Math.max(5, this.text(clock.end).length + 1)}ch`;
    this.play.disabled = clock.end <= clock.start;
    app.on('time', () => { this.scrubber.show(); if (!clock.playing) this.show(); });
    app.on('tick play', () => this.show());
    app.on('play speed', () => this.showState());
    this.show();
    this.showState();
  }

  text(time) { const { clock } = this.app; return timeText(time, clock.end - clock.start, clock.frames.length > 1 ? (clock.end - clock.start) / (clock.frames.length - 1) : 0); }

  typed() {
    const value = Number(this.time.value.replace(',', '.').replace('\u2212', '-'));
    if (this.time.value.trim() !== '' && Number.isFinite(value)) this.app.clock.seek(value);
    this.show(true);
  }

  show(always = false) {
    if (always || document.activeElement !== this.time || this.app.clock.playing) this.time.value = this.text(this.app.clock.time);
    this.scrubber.tell();
  }

  showState() {
    const { clock } = this.app;
    setIcon(this.play, clock.playing ? 'pause' : 'play', clock.playing ? 'Pause (space)' : 'Play (space)');
    this.loop.setAttribute('aria-pressed', clock.loop);
    this.speed.value = String(clock.speed);
  }
}
