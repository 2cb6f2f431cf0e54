// ⌘K: finds pages, agents, spaces, banks, keys and endpoints that the caller may see.
import { dialog, el } from '../dom.js';
import { call, may } from './api.js';
import { avatar, enc } from './ui.js';

const SOURCES = [
  ['Agents', 'AP_List', (q) => ({ target: { agent: q }, page: { limit: 8 } }), (body) => body.profile.map((agent) => ({ title: agent.name, sub: agent.description, path: `/console/agents/${enc(agent.name)}`, agent: true }))],
  ['Spaces', 'DM_List', (q) => ({ target: { domain: q }, page: { limit: 6 } }), (body) => body.profile.map((domain) => ({ title: domain.name, sub: domain.description, path: `/console/spaces/${enc(domain.name)}` }))],
  ['Banks', 'MB_List', (q) => ({ target: { bank: q }, page: { limit: 6 } }), (body) => body.profile.map((bank) => ({ title: bank.name, sub: bank.description, path: `/console/memory/${enc(bank.name)}` }))],
  ['Memories', 'MB_Search', (q) => ({ content: q, page: { limit: 5 } }), (body) => body.content.map((hit) => ({ title: hit.name ?? (hit.snippet ?? hit.text ?? '').slice(0, 60), sub: hit.bank, path: `/console/memory/${enc(hit.bank)}/${enc(hit.name ?? hit.id)}` }))],
  ['Keys', 'AK_List', () => ({ page: { limit: 200 } }), (body, q) => body.keys.filter((key) => key.name.toLowerCase().includes(q.toLowerCase())).slice(0, 5).map((key) => ({ title: key.name, sub: `${key.id} · ${key.state}`, path: `/console/keys/${enc(key.id)}` }))],
];

export function open(go, pages) {
  const results = el('div', { class: 'found', role: 'listbox', id: 'found-list', 'aria-label': 'Found' });
  const input = el('input', { type: 'search', placeholder: 'Find an agent, a space, a bank, a key…', 'aria-label': 'Search', role: 'combobox', 'aria-expanded': 'true', 'aria-controls': 'found-list', autocomplete: 'off', spellcheck: 'false' });
  const box = dialog('Search', input, results, el('p', { class: 'hint' }, 'Arrows to choose, Enter to open, Escape to close.'));
  box.classList.add('search');
  let chosen = 0;
  let turn = 0;
  let waiting;

  const options = () => [...results.querySelectorAll('[role="option"]')];

  function choose(index) {
    const all = options();
    chosen = all.length ? (index + all.length) % all.length : 0;
    all.forEach((one, i) => one.setAttribute('aria-selected', String(i === chosen)));
    if (all[chosen]) {
      input.setAttribute('aria-activedescendant', all[chosen].id);
      all[chosen].scrollIntoView({ block: 'nearest' });
    }
  }

  let ids = 0;
  function group(title, entries) {
    if (!entries.length) return null;
    return el('div', { role: 'group', 'aria-label': title }, el('p', { class: 'found-title', 'aria-hidden': 'true' }, title), ...entries.map((entry) => el('div', {
      role: 'option', id: `found-${++ids}`, class: 'found-entry', 'aria-selected': 'false', 'data-path': entry.path, click: () => pick(entry.path),
    }, entry.agent ? avatar(entry.title) : null, el('b', {}, entry.title), entry.sub ? el('span', { class: 'soft' }, entry.sub) : null)));
  }

  function pick(path) {
    box.close();
    go(path);
  }

  async function look() {
    const mine = ++turn;
    const q = input.value.trim();
    const first = group('Pages', pages.filter((page) => page.title.toLowerCase().includes(q.toLowerCase())));
    if (!q) {
      results.replaceChildren(...[first].filter(Boolean));
      return choose(0);
    }
    const groups = await Promise.all(SOURCES.filter(([, tool]) => may(tool)).map(async ([title, tool, args, read]) => {
      try {
        return group(title, read(await call(tool, args(q)), q));
      } catch {
        return null;
      }
    }));
    if (mine !== turn) return;
    const all = [...groups, first].filter(Boolean);
    results.replaceChildren(...(all.length ? all : [el('p', { class: 'soft' }, 'Nothing that you may see is called so.')]));
    choose(0);
  }

  input.addEventListener('input', () => {
    clearTimeout(waiting);
    waiting = setTimeout(look, 120);
  });
  input.addEventListener('keydown', (event) => {
    if (event.key === 'ArrowDown' || event.key === 'ArrowUp') {
      event.preventDefault();
      choose(chosen + (event.key === 'ArrowDown' ? 1 : -1));
    } else if (event.key === 'Enter') {
      event.preventDefault();
      const entry = options()[chosen];
      if (entry) pick(entry.dataset.path);
    }
  });
  input.focus();
  look();
}
