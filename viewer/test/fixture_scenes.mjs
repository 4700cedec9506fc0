// Invented runs: enough of each kind of body, contact and trouble to exercise the page. No physics is solved here; the paths
// are written down.
//
// SPDX-License-Identifier: MIT

export const nasty = `</script><b>"'& \u{1F3B3} <!-- runs --> ${'long '.repeat(2000)}`.slice(0, 10000);
const g = 9.81;

/** A run with everything that is not said left at what is usual. */
function base(run) {
  const bodies = run.bodies.map((body) => ({ role: 'dynamic', mass: 1, center: [0, 0, 0], inertia: [0.01, 0, 0, 0, 0.02, 0, 0, 0, 0.03],
    material: 0, size: 0.1, pieces: [], moves: -1, pose: [0, 0, 0, 1, 0, 0, 0], ...body }));
  return {
    label: 'impulse', method: 'impulse', dt: 0.01, seed: 1, end: run.times.at(-1), band: 1e-5, gravity: [0, 0, -g],
    status: 'complete', reason: '', hash: '70657d08350c5429', warnings: [], thinned: [], joints: [],
    scene: { name: 'fixture', about: 'an invented run', source: 'fixture.json', text: '{ "bodies": [] }' },
    certificate: [
      { name: 'penetration', unit: 'm', about: 'deepest overlap', value: 1.2e-9 },
      { name: 'energy', unit: 'J', about: 'largest gain without a cause', value: 3.1e-15 },
      { name: 'complementarity', unit: 'N m', about: 'worst residual of gap times force', value: 0 }],
    materials: ['steel'], pairs: [{ a: 0, b: 0, friction_static: 0.3, friction_dynamic: 0.25, restitution: 0.8, law: 'poisson', listed: true }],
    ...run, bodies,
  };
}

const world = { name: 'world', role: 'fixed', mass: 0, size: 0 };
const still = (x, y, z) => [x, y, z, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0];

/** A ball that drops from 1 m and drifts along x, spinning; every bounce is a key and a collision. */
export function bounce({ restitution = 0.8, label = 'impulse', name = 'ball' }) {
  const R = 0.1, drift = 0.25, end = 4, dt = 0.02;
  const flights = [{ t: 0, z: 1, v: 0, w: 0 }], keys = [], contacts = [];
  for (;;) {
    const last = flights.at(-1), drop = last.v + Math.sqrt(last.v ** 2 + 2 * g * (last.z - R)), t = last.t + drop / g;
    if (t > end) break;
    if (flights.length > 14) { flights.push({ t, z: R, v: 0, w: last.w, rest: true }); break; }
    const speed = g * (t - last.t) - last.v;
    flights.push({ t, z: R, v: restitution * speed, w: last.w + 2 / flights.length });
    contacts.push({ time: t, a: 2, b: 1, point: [drift * t, 0, 0], normal: [0, 0, 1], impulse: [-0.12 * speed, 0, (1 + restitution) * speed],
      before: [drift, 0, -speed], after: [drift, 0, restitution * speed], friction: 0.25, mode: flights.length % 3 ? 2 : 1, kind: 0 });
  }
  const state = (t) => {
    const f = flights.findLast((one) => one.t <= t), s = t - f.t;
    const turned = flights.reduce((sum, one, i) => sum + one.w * (Math.min(flights[i + 1]?.t ?? Infinity, Math.max(t, one.t)) - one.t), 0);
    const z = f.rest ? R : f.z + f.v * s - g * s * s / 2, speed = f.rest ? 0 : f.v - g * s;
    return [drift * t, 0, z, Math.cos(turned / 2), 0, Math.sin(turned / 2), 0, drift, 0, speed, 0, f.w, 0];
  };
  for (const f of flights.slice(1)) keys.push({ row: 0, time: f.t, state: state(f.t) });
  const times = Array.from({ length: end / dt + 1 }, (_, i) => i * dt);
  const states = times.map((t) => [state(t)]);
  const kinetic = states.map(([s]) => 0.5 * (s[7] ** 2 + s[9] ** 2)), potential = states.map(([s]) => g * s[2]);
  const lost = states.map((_, i) => kinetic[0] + potential[0] - kinetic[i] - potential[i]);
  return base({
    label, times, states, keys, contacts, low: [-0.1, -0.1, 0], high: [1.1, 0.1, 1.1],
    shapes: [{ kind: 'plane', size: [] }, { kind: 'sphere', size: [R] }],
    bodies: [world, { name: 'floor', role: 'fixed', pieces: [{ shape: 0, material: 0, pose: [0, 0, 0, 1, 0, 0, 0] }] },
      { name, moves: 0, size: 2 * R, pieces: [{ shape: 1, material: 0, pose: [0, 0, 0, 1, 0, 0, 0] }] }],
    series: [
      { name: 'kinetic', unit: 'J', about: 'energy of motion', group: 'energy', values: kinetic },
      { name: 'potential', unit: 'J', about: 'energy of height', group: 'energy', values: potential },
      { name: 'lost in collisions', unit: 'J', about: 'by restitution', group: 'energy', values: lost },
      { name: 'p_x', unit: 'N s', about: 'momentum', group: 'momentum', values: states.map(([s]) => s[7]) },
      { name: 'p_z', unit: 'N s', about: 'momentum', group: 'momentum', values: states.map(([s]) => s[9]) },
      { name: 'smallest gap', unit: 'm', about: 'distance of the nearest bodies', group: 'gap', values: states.map(([s]) => s[2] - R) },
      { name: 'events', unit: '1/s', about: 'collisions per second', group: 'events', values: times.map((t, i) => (i ? contacts.filter((c) => c.time > t - dt && c.time <= t).length / dt : NaN)) }],
    warnings: restitution < 0.8 ? ['The restitution of this pair is lower than the scene asks for.'] : [],
    thinned: ['Every second frame was left out.', 'Positions are rounded to 1.5e-5 m.'],
  });
}

const octahedron = { kind: 'hull', size: [], rounding: 0, points: [0.1, 0, 0, -0.1, 0, 0, 0, 0.1, 0, 0, -0.1, 0, 0, 0, 0.1, 0, 0, -0.1],
  faces: [[0, 2, 4], [2, 1, 4], [1, 3, 4], [3, 0, 4], [2, 0, 5], [1, 2, 5], [3, 1, 5], [0, 3, 5]].flatMap((f) => [3, ...f]) };

/** A bowl as a mesh of quads, seen from inside. */
function bowl(n = 20, rings = 6, R = 0.25) {
  const points = [], faces = [];
  for (let i = 0; i <= rings; i++)
    for (let j = 0; j < n; j++) {
      const a = (0.1 + 0.9 * i / rings) * Math.PI / 2, p = 2 * Math.PI * j / n;
      points.push(R * Math.sin(a) * Math.cos(p), R * Math.sin(a) * Math.sin(p), R - R * Math.cos(a));
    }
  for (let i = 0; i < rings; i++)
    for (let j = 0; j < n; j++) faces.push(4, i * n + j, i * n + (j + 1) % n, (i + 1) * n + (j + 1) % n, (i + 1) * n + j);
  return { kind: 'mesh', size: [], rounding: 0, points, faces };
}

/** One of each shape, turning, on a floor; a platter turns below some; resting and sliding contacts in every frame. */
export function zoo() {
  const shapes = [{ kind: 'plane', size: [] }, { kind: 'sphere', size: [0.1] }, { kind: 'box', size: [0.2, 0.16, 0.12], rounding: 0 },
    { kind: 'box', size: [0.2, 0.2, 0.14], rounding: 0.03 }, { kind: 'capsule', size: [0.06, 0.16] }, { kind: 'cylinder', size: [0.09, 0.16] },
    { kind: 'cone', size: [0.1, 0.2] }, { kind: 'ellipsoid', size: [0.14, 0.09, 0.06] }, octahedron, { ...octahedron, rounding: 0.025 },
    bowl(), { kind: 'cylinder', size: [0.5, 0.03] }];
  const names = ['sphere', 'box', 'rounded box', 'capsule', 'cylinder', 'cone', 'ellipsoid', 'hull', 'rounded hull'];
  const bodies = [world, { name: 'floor', role: 'fixed', pieces: [{ shape: 0, material: 0, pose: [0, 0, 0, 1, 0, 0, 0] }] }];
  names.forEach((name, i) => bodies.push({ name, moves: i, material: i % 3, size: 0.25, mass: 1 + i, pieces: [{ shape: i + 1, material: i % 3, pose: [0, 0, 0, 1, 0, 0, 0] }] }));
  bodies.push({ name: 'dumbbell', moves: 9, material: 1, size: 0.4, pieces: [{ shape: 1, material: 1, pose: [0.16, 0, 0, 1, 0, 0, 0] }, { shape: 1, material: 1, pose: [-0.16, 0, 0, 1, 0, 0, 0] },
    { shape: 4, material: 0, pose: [0, 0, 0, Math.SQRT1_2, 0, Math.SQRT1_2, 0] }] });
  bodies.push({ name: 'platter', role: 'kinematic', moves: 10, size: 1, pieces: [{ shape: 11, material: 0, pose: [0, 0, 0, 1, 0, 0, 0] }] });
  bodies.push({ name: 'bowl', role: 'fixed', size: 0.5, pieces: [{ shape: 10, material: 0, pose: [0, 0, 0, 1, 0, 0, 0] }], pose: [-0.75, 0.75, 0, 1, 0, 0, 0] });
  const times = Array.from({ length: 121 }, (_, i) => i / 30);
  const place = (i) => [0.45 * (i % 4) - 0.6, 0.45 * Math.floor(i / 4) - 0.5];
  const states = times.map((t) => names.concat('dumbbell').map((_, i) => {
    const [x, y] = place(i), w = 0.5 + 0.3 * i, a = w * t;
    return [x, y, 0.22, Math.cos(a / 2), Math.sin(a / 2) * 0.6, 0, Math.sin(a / 2) * 0.8, 0, 0, 0, 0.6 * w, 0, 0.8 * w];
  }).concat([[0.9, 0.75, 0.015, Math.cos(1.5 * t), 0, 0, Math.sin(1.5 * t), 0, 0, 0, 0, 0, 3]]));
  const contacts = [];
  times.forEach((t, f) => {
    if (!f) return;
    for (let i = 0; i < 10; i++) {
      const [x, y] = place(i);
      contacts.push({ time: t, a: i + 2, b: 1, point: [x, y, 0.001], normal: [0, 0, 1], impulse: [0.02 * Math.sin(i), 0.1 * Math.sin(t + i) / 3, 0.12 + 0.05 * Math.sin(t + i)],
        before: [0, 0, 0], after: [0, 0, 0], friction: 0.3, mode: i % 4, kind: 1 });
    }
    if (f % 20 === 0) for (let i = 0; i < 4; i++)
      contacts.push({ time: t - 0.01 * (4 - i), a: 1, b: i + 2, point: [...place(i), 0.1], normal: [0, -0.6, -0.8], impulse: [0, -1.4, -1.1 - i],
        before: [0, 0, 1], after: [0, 0, -1], friction: 0.4, mode: i, kind: 0 });
  });
  contacts.sort((p, q) => p.time - q.time);
  return base({ times, states, contacts, shapes, bodies, low: [-1, -0.7, 0], high: [1.4, 1.25, 0.5], materials: ['steel', 'oak', 'rubber'],
    pairs: [[0, 0], [0, 1], [0, 2], [1, 1], [1, 2], [2, 2]].map(([a, b]) => ({ a, b, friction_static: 0.1 + 0.2 * b, friction_dynamic: 0.1 + 0.15 * b, restitution: 0.9 - 0.2 * b, law: 'poisson', listed: b < 2 })),
    joints: [{ name: 'axle', kind: 'hinge', parent: 0, child: 12 }] });
}

/** A thousand cubes that fall on a heap, with a contact force for each in every frame and a collision now and then. */
export function thousand({ bodies: n = 1000, frames = 600, noise = 0 } = {}) {
  const bodies = [world, { name: 'floor', role: 'fixed', pieces: [{ shape: 0, material: 0, pose: [0, 0, 0, 1, 0, 0, 0] }] }];
  for (let i = 0; i < n; i++) bodies.push({ name: `cube ${i}`, moves: i, size: 0.17, pieces: [{ shape: 1, material: 0, pose: [0, 0, 0, 1, 0, 0, 0] }] });
  const times = Array.from({ length: frames }, (_, i) => i / 60), contacts = [], side = Math.ceil(Math.cbrt(n));
  const start = (i) => [(i % side - side / 2) * 0.16, (Math.floor(i / side) % side - side / 2) * 0.16, 0.06 + Math.floor(i / side / side) * 0.16];
  const states = times.map((t, f) => bodies.slice(2).map((_, i) => {
    const [x, y, z] = start(i), spread = 1 + 0.8 * (1 - Math.exp(-t / 3)), w = Math.sin(i * 12.9898) * 2, s = Math.sin(w * t / 2);
    const height = 0.06 + (z - 0.06) * Math.exp(-t / 4) * (1 + 0.15 * Math.abs(Math.sin(3 * t + i)));
    if (f && i % 10 === f % 10) contacts.push({ time: t, a: i + 2, b: 1, point: [x * spread, y * spread, height - 0.05], normal: [0, 0, 1], impulse: [0.003, 0, 0.02],
      before: [0, 0, 0], after: [0, 0, 0], friction: 0.3, mode: i % 7 === 0 ? 2 : i % 13 === 0 ? 0 : 3, kind: f % 30 ? 1 : 0 });
    const jitter = noise ? (Math.random() - 0.5) * noise : 0;
    return [x * spread + jitter, y * spread + jitter * 0.7, height - jitter, Math.cos(w * t / 2), s * 0.577, s * 0.577, s * 0.577, x * Math.exp(-t / 3) * 0.27 + jitter, y * Math.exp(-t / 3) * 0.27 - jitter, jitter, 0.577 * w + jitter, 0.577 * w - 3 * jitter, 0.577 * w + 5 * jitter];
  }));
  return base({ times, states, contacts, bodies, shapes: [{ kind: 'plane', size: [] }, { kind: 'box', size: [0.1, 0.1, 0.1], rounding: 0 }], low: [-1.5, -1.5, 0], high: [1.5, 1.5, 1.8],
    series: [{ name: 'kinetic', unit: 'J', about: 'energy of motion', group: 'energy', values: times.map((t) => 10 * Math.exp(-t)) }] });
}

/** The bouncing ball with names that try to get out of their place. */
export function hostile() {
  const run = bounce({ name: nasty, label: nasty });
  run.scene = { name: nasty, about: nasty, source: nasty, text: nasty };
  run.warnings = [nasty];
  run.materials = [nasty];
  run.series[0].name = run.series[0].group = run.series[0].unit = nasty;
  run.certificate[0] = { name: nasty, unit: nasty, about: nasty, value: null };
  run.bodies.push({ ...run.bodies[1], name: '__proto__', pieces: [] });
  run.reason = nasty;
  run.status = 'violated';
  return run;
}

/** Hardly anything. */
export function empty({ bodies, frames }) {
  const times = Array.from({ length: frames }, (_, i) => i * 0.1);
  return base({ times, states: times.map(() => (bodies ? [still(0, 0, 0.1)] : [])), low: [0, 0, 0], high: [0, 0, 0], shapes: [{ kind: 'sphere', size: [0.1] }],
    bodies: bodies ? [world, { name: 'ball', moves: 0, pieces: [{ shape: 0, material: 0, pose: [0, 0, 0, 1, 0, 0, 0] }] }] : [world], materials: [], pairs: [], certificate: [], scene: {} });
}

/** A run in which numbers are missing where they may be, and one body's path is not a number. */
export function notANumber() {
  const run = bounce({});
  run.contacts.forEach((c, i) => { if (i % 2) c.impulse = [NaN, NaN, NaN]; });
  run.low = [null, null, null];
  run.certificate[0].value = null;
  run.bodies[1].mass = null;
  return run;
}
