// The tab of the run: how it ended, its certificate, warnings, what was left out of the page, materials, joints and the scene.
//
// SPDX-License-Identifier: MIT
import { el, facts, table } from './dom.js';
import { brief, number } from './units.js';

const states = { complete: 'The run reached its end', interrupted: 'The run was interrupted', stopped: 'The run stopped early', violated: 'The run broke a rule' };

function section(title, ...content) {
  return el('section', {}, el('h4', { text: title }), ...content);
}

const sentences = (list, kind) => el('ul', { class: kind }, ...list.map((text) => el('li', { text: brief(text, 1000) })));

function certificate(run) {
  if (!run.certificate.length) return null;
  return section('Certificate: worst of all steps', table(['', 'value', 'unit', ''], run.certificate.map((row) => [brief(row.name, 80), number(row.value, 4), brief(row.unit ?? '', 30), brief(row.about ?? '', 200)]), 'Certificate'));
}

function materials(run) {
  if (!run.pairs.length) return null;
  const name = (i) => brief(run.materials[i] ?? '', 40);
  return section('Materials', table(['pair', 'static', 'dynamic', 'restitution', 'law'], run.pairs.map((pair) => [`${name(pair.a)} on ${name(pair.b)}${pair.listed ? '' : ' *'}`, number(pair.friction_static, 4), number(pair.friction_dynamic, 4), number(pair.restitution, 4), brief(pair.law ?? '', 30)]), 'Materials'),
    run.pairs.some((pair) => !pair.listed) ? el('p', { class: 'soft', text: '* not listed in the scene: mixed from its materials' }) : null);
}

function joints(run) {
  if (!run.joints.length) return null;
  const name = (i) => brief(run.bodies[i]?.name ?? '', 40);
  return section('Joints', table(['name', 'kind', 'parent', 'child'], run.joints.slice(0, 200).map((joint) => [brief(joint.name ?? '', 60), brief(joint.kind ?? '', 30), name(joint.parent), name(joint.child)]), 'Joints'));
}

/** All about one run. */
export function summaryOf(run, page) {
  const { scene, counts } = run, long = (text) => brief(text ?? '', 600), count = (n) => (Number.isFinite(n) ? n.toLocaleString('en') : null);
  const gravity = run.gravity.map((x) => number(x, 4)).join(', ');
  return el('div', { class: 'summary' },
    el('h3', { class: 'long', text: long(scene.name || page.title) }), scene.about ? el('p', { class: 'long', text: long(scene.about) }) : null,
    el('p', { class: `status ${states[run.status] ? run.status : ''}` }, el('b', { text: states[run.status] ?? long(run.status) }), run.reason ? `: ${long(run.reason)}` : '.'),
    run.warnings.length ? section('Warnings', sentences(run.warnings, 'warnings')) : null,
    certificate(run),
    section('Run', facts([['method', long(run.method)], ['step', run.dt ? `${number(run.dt)} s` : null], ['end', `${number(run.end)} s`], ['seed', count(run.seed)], ['band', run.band ? `${number(run.band)} m` : null, 'contact level of the model'],
      ['gravity', `${gravity} m/s\u00b2`], ['steps', count(counts.steps)], ['events', count(counts.events)], ['contacts', count(counts.contacts)], ['samples', count(counts.samples)], ['frames here', count(run.frames)],
      ['bodies', count(run.bodies.length - 1)], ['hash', run.hash], ['source', long(scene.source)], ['program', brief(page.program, 80)]])),
    run.thinned.length ? section('Left out of this page', sentences(run.thinned, 'thinned')) : null,
    materials(run), joints(run),
    section('Scene', scene.text ? el('pre', { tabindex: 0, 'aria-label': 'Scene', text: scene.text }) : el('p', { class: 'soft', text: 'The scene is too long to be shown here.' })));
}

export function summary(app) {
  if (app.runs.length === 1) return summaryOf(app.runs[0], app.page);
  const holder = el('div', {}), select = el('select', { 'aria-label': 'Run', onchange: () => holder.replaceChildren(summaryOf(app.runs[Number(select.value)], app.page)) },
    ...app.runs.map((run) => el('option', { value: run.index, text: brief(run.label, 60) })));
  holder.append(summaryOf(app.runs[0], app.page));
  return el('div', {}, comparison(app), select, holder);
}

/** The certificates and counts of all runs beside each other. */
function comparison(app) {
  const names = [...new Set(app.runs.flatMap((run) => run.certificate.map((row) => row.name)))];
  const rows = [['status', ...app.runs.map((run) => brief(run.status ?? '', 30))], ['events', ...app.runs.map((run) => number(run.counts.events ?? null))], ['hash', ...app.runs.map((run) => brief(run.hash ?? '', 16))],
    ...names.map((name) => [brief(name, 60), ...app.runs.map((run) => number(run.certificate.find((row) => row.name === name)?.value, 4))])];
  return section('Side by side', table(['', ...app.runs.map((run) => brief(run.label, 30))], rows, 'Side by side'));
}
