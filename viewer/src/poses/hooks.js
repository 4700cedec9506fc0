// window.impel on the page of a drop test: a few functions for tests and for the console, as the README of viewer/ says.
//
// SPDX-License-Identifier: MIT

let parts = null, failure = null, whenReady;
const player = () => parts?.replays.player;
const cardOf = (id) => parts?.data.cards.find((card) => card.id === id)?.index; // cards are called by their ids

window.impel = {
  ready: new Promise((resolve) => { whenReady = resolve; }),
  error: () => failure ?? parts?.replays.error ?? null,
  poses: () => parts?.data.order.map((card) => card.id) ?? [],
  chosen: () => parts?.data.cards[parts.chosen]?.id ?? null,
  choose: (id) => { const index = cardOf(id); if (index !== undefined) parts.choose(index); },
  colour: (id) => parts?.colours.of(id < 0 ? id : cardOf(id)),
  samples: () => parts?.data.samples.count ?? 0,
  sample: () => parts?.starts.shown ?? -1,
  keep: (sample) => parts?.keep(sample),
  face: (v) => parts?.globe?.face(v),
  example: () => parts?.replays.chosen?.trial ?? null,
  show: (trial) => { const one = parts?.data.examples.find((example) => example.trial === trial); return one ? parts.replays.show(one) : null; },
  time: () => player()?.app.clock.time,
  seek: (time) => { player()?.app.clock.pause(); player()?.app.clock.seek(time); },
  play: () => player()?.app.clock.play(),
  pause: () => player()?.app.clock.pause(),
  playing: () => Boolean(player()?.app.clock.playing),
  pose: () => player()?.pose() ?? null,
  arrows: () => { player()?.loop.refresh(); return player()?.panes.list[0].contacts.count ?? 0; },
  command: () => parts?.replays.command.text ?? null,
};

export const hooks = {
  attach: (all) => { parts = all; },
  failed: (sentence) => { failure = sentence; },
  ready: (promise) => promise.then(whenReady),
};
