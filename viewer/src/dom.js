// Small helpers to build the page: elements, icons, buttons, downloads. Text is only ever set as text.
//
// SPDX-License-Identifier: MIT

/** An element; properties beginning with "on" are listeners, "text" is its text, the rest attributes. */
export function el(tag, properties = {}, ...children) {
  const element = document.createElement(tag);
  for (const [key, value] of Object.entries(properties)) {
    if (value === undefined || value === null || value === false) continue;
    if (key === 'text') element.textContent = value;
    else if (key.startsWith('on')) element.addEventListener(key.slice(2), value);
    else element.setAttribute(key, value === true ? '' : value);
  }
  element.append(...children.filter((child) => child !== null && child !== undefined));
  return element;
}

const paths = {
  play: 'M7 4.5v15l12-7.5z', pause: 'M7 5h3.5v14H7zM13.5 5H17v14h-3.5z',
  back: 'M17 5.5v13L8 12zM5 5.5h2v13H5z', forward: 'M7 5.5v13l9-6.5zM17 5.5h2v13h-2z',
  start: 'M18.5 5.5v13L11 12zM12 5.5v13L4.5 12z', end: 'M5.5 5.5v13L13 12zM12 5.5v13l7.5-6.5z',
  impactBack: 'M13 6v12l-8-6zM18 6l1.3 3.7L23 11l-3.7 1.3L18 16l-1.3-3.7L13 11l3.7-1.3z', impactForward: 'M11 6v12l8-6zM6 6l1.3 3.7L11 11l-3.7 1.3L6 16l-1.3-3.7L1 11l3.7-1.3z',
  loop: 'M7 7.5h9a4 4 0 0 1 4 4v.5M17 16.5H8a4 4 0 0 1-4-4V12M9.5 4.5l-3 3 3 3M14.5 13.5l3 3-3 3',
  link: 'M10 14a4 4 0 0 0 5.7 0l3.1-3.1a4 4 0 0 0-5.7-5.7L11.8 6.5M14 10a4 4 0 0 0-5.7 0l-3.1 3.1a4 4 0 0 0 5.7 5.7l1.3-1.3',
  theme: 'M12 4a8 8 0 1 0 0 16 8 8 0 0 0 0-16zm0 2v12a6 6 0 0 1 0-12z',
  help: 'M12 3.5a8.5 8.5 0 1 0 0 17 8.5 8.5 0 0 0 0-17zm0 2a6.5 6.5 0 1 1 0 13 6.5 6.5 0 0 1 0-13zm-1 9.5h2v2h-2zm1-8c-1.9 0-3.2 1.2-3.3 3h1.9c.1-.8.6-1.3 1.4-1.3s1.3.5 1.3 1.2c0 1.4-2.3 1.5-2.3 3.6h1.9c0-1.4 2.4-1.6 2.4-3.7C15.3 8.1 14 7 12 7z',
  panel: 'M4 5h16v14H4zm2 2v10h7V7zm9 0v10h3V7z', eye: 'M12 6c-4.5 0-8 3.6-9 6 1 2.4 4.5 6 9 6s8-3.6 9-6c-1-2.4-4.5-6-9-6zm0 2c3.2 0 5.7 2.3 6.8 4-1.1 1.7-3.6 4-6.8 4s-5.7-2.3-6.8-4C6.3 10.3 8.8 8 12 8zm0 1.5a2.5 2.5 0 1 0 0 5 2.5 2.5 0 0 0 0-5z',
  home: 'M4 9V4h5v2H6v3zM15 4h5v5h-2V6h-3zM4 15h2v3h3v2H4zM18 15h2v5h-5v-2h3zM10 10h4v4h-4z',
  close: 'M6.4 5 12 10.6 17.6 5 19 6.4 13.4 12l5.6 5.6-1.4 1.4-5.6-5.6L6.4 19 5 17.6l5.6-5.6L5 6.4z',
  follow: 'M11 3h2v3.1a6 6 0 0 1 4.9 4.9H21v2h-3.1a6 6 0 0 1-4.9 4.9V21h-2v-3.1A6 6 0 0 1 6.1 13H3v-2h3.1A6 6 0 0 1 11 6.1zm1 5a4 4 0 1 0 0 8 4 4 0 0 0 0-8zm0 2.5a1.5 1.5 0 1 1 0 3 1.5 1.5 0 0 1 0-3z',
  trail: 'M4 18c3-1 4-3 5-6s3-6 7-6v2c-3 0-4 2-5 4.7S8.5 18.5 5 20zM18 4.5a2.5 2.5 0 1 1 0 5 2.5 2.5 0 0 1 0-5z',
};

const drawn = new Set(['link', 'loop']); // as lines, not as areas

export function icon(name) {
  const svg = document.createElementNS('http://www.w3.org/2000/svg', 'svg');
  svg.setAttribute('viewBox', '0 0 24 24');
  svg.setAttribute('aria-hidden', 'true');
  const path = document.createElementNS('http://www.w3.org/2000/svg', 'path');
  path.setAttribute('d', paths[name]);
  if (drawn.has(name)) svg.classList.add('drawn');
  svg.append(path);
  return svg;
}

/** A button with an icon, its label as tooltip and for screen readers. */
export function iconButton(name, label, onclick, more = {}) {
  return el('button', { type: 'button', class: 'icon', title: label, 'aria-label': label, onclick, ...more }, icon(name));
}

export function setIcon(button, name, label) {
  button.replaceChildren(icon(name));
  button.title = label;
  button.setAttribute('aria-label', label);
}

/** Table rows of names and values. */
export function facts(rows) {
  const list = el('dl', { class: 'facts' });
  for (const [name, value, hint] of rows) if (value !== undefined && value !== null && value !== '') list.append(el('dt', { text: name, title: hint }), el('dd', { text: value }));
  return list;
}

export function table(heads, rows, label) {
  return el('div', { class: 'scroll', tabindex: 0, role: 'group', 'aria-label': label },
    el('table', {}, heads.some(Boolean) ? el('thead', {}, el('tr', {}, ...heads.map((text) => el('th', { scope: 'col', text })))) : '',
      el('tbody', {}, ...rows.map((row) => el('tr', {}, ...row.map((cell) => (cell instanceof Node ? el('td', {}, cell) : el('td', { text: cell }))))))));
}

/** Hands a file to the reader. */
export function download(name, blob) {
  const address = URL.createObjectURL(blob), link = el('a', { href: address, download: name });
  document.body.append(link);
  link.click();
  link.remove();
  setTimeout(() => URL.revokeObjectURL(address), 10000);
}

/** A name that can be a file's. */
export const fileName = (text) => text.toLowerCase().replace(/[^a-z0-9]+/g, '_').replace(/^_+|_+$/g, '').slice(0, 40) || 'plot';
