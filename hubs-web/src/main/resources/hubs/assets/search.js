// The one search of the hubs, over tools, skills and documents: "/" and ⌘K or Ctrl+K open it on every page.
import { dialog, el, holdsKey, isEnter, searchFoot } from './dom.js';

const opener = document.getElementById('search-open');
let ids = 0;

function option(address, title, name, text, barred) {
  return el(
    'a',
    {
      role: 'option',
      id: `hit-${++ids}`,
      class: barred ? 'hit barred' : 'hit',
      href: address,
      tabindex: '-1',
      'aria-selected': 'false',
    },
    el('b', {}, title),
    name ? el('span', { class: 'name' }, name) : null,
    text ? el('span', { class: 'hint' }, text) : null,
  );
}

function group(title, options) {
  if (!options.length) return null;
  return el(
    'div',
    { role: 'group', 'aria-label': title },
    el('p', { class: 'hits-title', 'aria-hidden': 'true' }, title),
    ...options,
  );
}

const excerpt = (parts) =>
  parts
    .map((part) => part.text)
    .join('')
    .slice(0, 110);

function groups({ tools, skills, docs }) {
  return [
    group(
      'Tools',
      tools.map((tool) =>
        option(
          tool.address,
          tool.title,
          tool.name,
          tool.obstacle ? `Not with your key: ${tool.obstacle}` : tool.summary,
          Boolean(tool.obstacle),
        ),
      ),
    ),
    group(
      'Skills',
      skills.map((skill) => option(skill.address, skill.title, skill.name)),
    ),
    group(
      'Documents',
      docs.map((hit) =>
        option(hit.address, hit.title, null, [hit.page, excerpt(hit.excerpt)].filter(Boolean).join(': ')),
      ),
    ),
  ].filter(Boolean);
}

function open() {
  const results = el('div', { class: 'hits-box', role: 'listbox', id: 'hits', 'aria-label': 'Results' });
  const input = el('input', {
    type: 'search',
    'aria-label': 'Search tools, skills and documents',
    placeholder: 'Search tools, skills and documents',
    role: 'combobox',
    'aria-expanded': 'true',
    'aria-controls': 'hits',
    autocomplete: 'off',
    spellcheck: 'false',
    maxlength: '100',
  });
  const said = el('p', { class: 'hint', role: 'status' });
  const box = dialog('Search', input, results, searchFoot(said));
  box.classList.add('search');
  let chosen = 0;
  let turn = 0;
  let waiting;

  const options = () => [...results.querySelectorAll('[role="option"]')];

  function choose(index) {
    const all = options();
    chosen = all.length ? (index + all.length) % all.length : 0;
    all.forEach((one, place) => one.setAttribute('aria-selected', String(place === chosen)));
    if (all[chosen]) input.setAttribute('aria-activedescendant', all[chosen].id);
    else input.removeAttribute('aria-activedescendant');
    all[chosen]?.scrollIntoView({ block: 'nearest' });
  }

  async function look() {
    clearTimeout(waiting);
    const mine = ++turn;
    const q = input.value.trim();
    const response =
      q && !holdsKey(q) ? await fetch(`/search.json?q=${encodeURIComponent(q)}`).catch(() => null) : null;
    if (mine !== turn) return;
    const found = response?.ok ? groups(await response.json()) : [];
    if (mine !== turn) return;
    results.replaceChildren(...found);
    said.textContent = found.length || !q ? '' : `Nothing fits “${q}”.`;
    results.dataset.q = q;
    choose(0);
  }

  input.addEventListener('input', () => {
    clearTimeout(waiting);
    waiting = setTimeout(look, 90);
  });
  input.addEventListener('keydown', async (event) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (!step && !isEnter(event)) return;
    event.preventDefault();
    if (step) return choose(chosen + step);
    if (results.dataset.q !== input.value.trim()) await look();
    options()[chosen]?.click();
  });
  results.addEventListener('click', () => box.close());
  input.focus();
}

opener?.addEventListener('click', (event) => {
  if (event.ctrlKey || event.metaKey) return;
  event.preventDefault();
  open();
});

if (opener) {
  if (!/Mac|iPhone|iPad/.test(navigator.platform)) opener.querySelector('kbd').textContent = 'Ctrl K';
  document.addEventListener('keydown', (event) => {
    if (document.querySelector('dialog[open]')) return;
    const writes = event.target.closest?.(
      'input:not([type=radio], [type=checkbox]), textarea, select, [contenteditable]',
    );
    const slash = event.key === '/' && !writes && !event.ctrlKey && !event.metaKey && !event.altKey;
    if (!slash && !(event.key.toLowerCase() === 'k' && (event.ctrlKey || event.metaKey))) return;
    event.preventDefault();
    open();
  });
}
