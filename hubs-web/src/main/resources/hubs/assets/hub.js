// What every page does: the theme's button, signing in, buttons that copy, tabs.
import './account.js';
import { copied } from './dom.js';
import './search.js';
import { tabs } from './tabs.js';

const themes = { system: 'Auto', light: 'Light', dark: 'Dark' };
const themeButton = document.getElementById('theme');

function theme() {
  return document.documentElement.dataset.theme ?? 'system';
}

function choose(next) {
  if (next === 'system') delete document.documentElement.dataset.theme;
  else document.documentElement.dataset.theme = next;
  try {
    if (next === 'system') localStorage.removeItem('theme');
    else localStorage.setItem('theme', next);
  } catch {
    // Only for this page, then.
  }
  label();
}

function label() {
  themeButton.textContent = themes[theme()];
  themeButton.setAttribute('aria-label', `Theme: ${themes[theme()]}`);
}

themeButton.addEventListener('click', () => {
  const names = Object.keys(themes);
  choose(names[(names.indexOf(theme()) + 1) % names.length]);
});
label();

for (const pre of document.querySelectorAll('pre[data-copy]')) copied(pre);
for (const group of document.querySelectorAll('.tabs')) tabs(group);
