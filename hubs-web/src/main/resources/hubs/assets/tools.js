// The list of tools: search by the index of find_tools, filters, and all of it in the address.
import { holdsKey, isEnter } from './dom.js';

const search = document.getElementById('q');
const found = document.getElementById('found');
const nothing = document.getElementById('nothing');
const ranked = document.getElementById('ranked');
const chips = [...document.querySelectorAll('[data-task]:is(a)')];
const effects = [...document.querySelectorAll('[name=effect]')];
const sections = [...document.querySelectorAll('.family[data-of]')].map((section) => ({
  section,
  list: section.querySelector('.entries'),
  count: section.querySelector('.count'),
  items: [...section.querySelectorAll('.entry')],
}));
const entries = new Map(
  sections.flatMap(({ items }) => items).map((item) => [item.querySelector('.name').textContent, item]),
);
const state = { q: '', effect: '', task: '' };
let best = null; // The names that fit the search, best first; null without a search.
let turn = 0;
let waiting;

function read() {
  const query = new URLSearchParams(location.search);
  for (const name of Object.keys(state)) state[name] = query.get(name) ?? '';
  if (!effects.some((effect) => effect.value === state.effect)) state.effect = '';
  if (!chips.some((chip) => chip.dataset.task === state.task)) state.task = '';
}

function write() {
  const query = new URLSearchParams(Object.entries(state).filter(([, value]) => value && !holdsKey(value)));
  history.replaceState(null, '', query.size ? `?${query}` : location.pathname);
}

const fits = (item) =>
  (!state.task || item.dataset.task === state.task) && (!state.effect || item.dataset.effect === state.effect);

function show() {
  ranked.hidden = best === null;
  const places = new Map((best ?? []).map((name, place) => [name, place]));
  for (const { list, items } of sections) list.append(...items);
  if (best) ranked.querySelector('.entries').append(...best.map((name) => entries.get(name)).filter(Boolean));
  for (const [name, item] of entries) item.hidden = !fits(item) || (best !== null && !places.has(name));
  for (const { section, items, count } of sections) {
    const here = items.filter((item) => !item.hidden).length;
    section.hidden = best !== null || here === 0;
    count.textContent = here < items.length ? `${here} of ${items.length}` : items.length;
  }
  const count = [...entries.values()].filter((item) => !item.hidden).length;
  ranked.hidden ||= count === 0;
  found.textContent = count === 1 ? '1 tool' : `${count} tools`;
  found.dataset.q = best === null ? '' : state.q;
  nothing.hidden = count > 0;
  const effectWord = effects.find((one) => one.value === state.effect)?.nextElementSibling.textContent;
  const taskWord = chips.find((chip) => chip.dataset.task === state.task)?.querySelector('b').textContent;
  nothing.querySelector('q').textContent = [state.q, state.effect && effectWord, state.task && taskWord]
    .filter(Boolean)
    .join(', ');
  if (search.value !== state.q) search.value = state.q;
  for (const effect of effects) effect.checked = effect.value === state.effect;
  for (const chip of chips) {
    if (chip.dataset.task === state.task) reveal(chip);
    else chip.removeAttribute('aria-current');
  }
}

// Marks a chip as chosen; the row that it is in may move sideways, and is moved only when another is chosen.
function reveal(chip) {
  if (chip.hasAttribute('aria-current')) return;
  chip.setAttribute('aria-current', 'true');
  const row = chip.closest('ul');
  row.scrollLeft = chip.offsetLeft - row.offsetLeft - (row.clientWidth - chip.offsetWidth) / 2;
}

// Asks the service for what fits; an answer that is late is dropped.
async function rank() {
  const mine = ++turn;
  const q = state.q.trim();
  if (!q || holdsKey(q)) {
    best = q ? [] : null;
    return show();
  }
  const response = await fetch(`/search.json?of=tools&q=${encodeURIComponent(q)}`).catch(() => null);
  if (mine !== turn) return;
  best = response?.ok ? (await response.json()).tools.map((tool) => tool.name) : [];
  if (mine === turn) show();
}

function change(what) {
  Object.assign(state, what);
  write();
  if (!('q' in what)) return show();
  clearTimeout(waiting);
  if (state.q) waiting = setTimeout(rank, 90);
  else rank();
}

function clear() {
  change({ q: '', effect: '', task: '' });
  search.focus();
}

const links = () => [...document.querySelectorAll('.entry > a')].filter((link) => link.checkVisibility());

function step(by) {
  const visible = links();
  const next = visible.indexOf(document.activeElement) + by;
  if (next < 0) search.focus();
  else visible[Math.min(next, visible.length - 1)]?.focus();
}

search.addEventListener('input', () => change({ q: search.value }));
for (const effect of effects) effect.addEventListener('change', () => change({ effect: effect.value }));
for (const chip of chips) {
  chip.addEventListener('click', (event) => {
    event.preventDefault();
    change({ task: chip.dataset.task });
  });
}
nothing.querySelector('button').addEventListener('click', clear);

document.addEventListener('keydown', (event) => {
  const at = document.activeElement;
  const among = at === search || at.closest('.entry');
  if (document.querySelector('dialog[open]') || event.ctrlKey || event.metaKey || event.altKey) return;
  if (event.key === 'Escape' && among) clear();
  else if (event.key === 'ArrowDown' && among) step(1);
  else if (event.key === 'ArrowUp' && among && at !== search) step(-1);
  else if (isEnter(event) && at === search) open();
  else return;
  event.preventDefault();
});

// What was typed last may not have been looked for yet.
async function open() {
  clearTimeout(waiting);
  await rank();
  links()[0]?.click();
}

read();
show();
if (state.q) rank();
