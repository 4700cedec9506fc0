// Numbers as text: lengths, times and quantities with units, short and of one width where they change.
//
// SPDX-License-Identifier: MIT

const minus = (text) => text.replaceAll('-', '\u2212');

/** 1, 2 or 5 times a power of ten, at most about the value. */
export function niceStep(value) {
  if (!(value > 0)) return 1;
  const power = 10 ** Math.floor(Math.log10(value)), lead = value / power;
  return power * (lead >= 5 ? 5 : lead >= 2 ? 2 : 1);
}

const prefixes = [[1e3, 'k'], [1, ''], [1e-2, 'c'], [1e-3, 'm'], [1e-6, '\u00b5'], [1e-9, 'n']];

/** A length in m, cm, mm... whichever gives a short figure for the step. */
export function lengthText(value, step = value) {
  const size = Math.abs(step) || Math.abs(value);
  if (Math.abs(value) < 1e-9 * size) return '0';
  const [unit, prefix] = size >= 1e3 ? prefixes[0] : size >= 0.1 ? prefixes[1] : prefixes.slice(2).find(([one]) => size >= one) ?? prefixes[5];
  return `${minus(String(Number((value / unit).toPrecision(6))))} ${prefix}m`;
}

/** A number with so many figures; very large and small ones with powers of ten. */
export function number(value, figures = 5) {
  if (value === null || value === undefined) return 'not known';
  if (!Number.isFinite(value)) return String(value);
  if (value === 0) return '0';
  const size = Math.abs(value);
  if (size >= 1e6 || size < 1e-4) {
    const [lead, power] = value.toExponential(Math.min(figures - 1, 3)).split('e');
    return minus(`${String(Number(lead))}e${Number(power)}`);
  }
  return minus(String(Number(value.toPrecision(figures))));
}

/** A number that always takes the same room: sign, figures after the point by the size given. */
export function steady(value, size) {
  if (!Number.isFinite(value)) return '\u2013';
  if (size >= 1e5 || (size > 0 && size < 1e-4)) return minus(value.toExponential(3));
  const digits = Math.min(8, Math.max(0, 4 - Math.floor(Math.log10(Math.max(size, 1e-4)))));
  const text = Math.abs(value).toFixed(digits);
  return (value < 0 && Number(text) !== 0 ? '\u2212' : '') + text;
}

/** A time with as many digits as the run needs. */
export function timeText(time, span, frame) {
  const step = frame > 0 ? frame : span / 1000;
  const digits = step > 0 ? Math.min(9, Math.max(2, 1 - Math.floor(Math.log10(step)))) : 2;
  return minus(time.toFixed(digits));
}

/** A name cut to a length that can be read. */
export function brief(text, limit = 60) {
  const list = Array.from(String(text).slice(0, 4 * limit));
  return list.length > limit ? list.slice(0, limit - 1).join('') + '\u2026' : list.join('');
}
