// Light or dark: as the system wants it, or as chosen here, which is remembered where that is possible.
//
// SPDX-License-Identifier: MIT
import { readTheme } from './materials.js';

const wish = matchMedia('(prefers-color-scheme: dark)');
const key = 'impel-theme';

function remembered() { try { return localStorage.getItem(key); } catch { return null; } }
function remember(value) { try { localStorage.setItem(key, value); } catch { /* nothing is kept then */ } }

export class Theme {
  constructor(app) {
    this.app = app;
    const kept = remembered();
    this.chosen = kept === 'light' || kept === 'dark' ? kept : null;
    wish.addEventListener('change', () => this.apply());
    this.apply();
  }

  get dark() { return this.chosen ? this.chosen === 'dark' : wish.matches; }

  apply() {
    document.documentElement.dataset.theme = this.dark ? 'dark' : 'light';
    this.app.theme = readTheme();
    this.app.emit('theme');
  }

  toggle() {
    this.chosen = this.dark ? 'light' : 'dark';
    remember(this.chosen);
    this.apply();
  }
}
