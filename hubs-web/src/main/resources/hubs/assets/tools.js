// The list of tools: search as you type, filters, and all of it in the address.
import { signedIn } from './account.js';
import { holdsKey } from './dom.js';

const search = document.getElementById('q');
const mine = document.getElementById('mine');
const found = document.getElementById('found');
const nothing = document.getElementById('nothing');
const chips = [...document.querySelectorAll('[data-toolset]')];
const effects = [...document.querySelectorAll('[name=effect]')];
const families = [...document.querySelectorAll('.family')].map((section) => ({
  section,
  here: section.querySelector('.here'),
  word: section.dataset.family,
  entries: [...section.querySelectorAll('.entry')].map((item) => ({
    item,
    link: item.firstElementChild,
    effect: item.dataset.effect,
    may: !item.classList.contains('barred'),
    words: plain(`${item.querySelector('.name').textContent} ${item.querySelector('.summary').textContent} ${item.dataset.words}`),
  })),
}));
const state = { q: '', effect: '', toolset: '', mine: '' };

function plain(text) {
  return text.toLowerCase().replaceAll('_', ' ');
}

function read() {
  const query = new URLSearchParams(location.search);
  for (const name of Object.keys(state)) state[name] = query.get(name) ?? '';
  if (!effects.some((effect) => effect.value === state.effect)) state.effect = '';
  if (!chips.some((chip) => chip.dataset.toolset === state.toolset)) state.toolset = '';
  if (!signedIn()) state.mine = '';
}

function write() {
  const query = new URLSearchParams(Object.entries(state).filter(([, value]) => value && !holdsKey(value)));
  history.replaceState(null, '', query.size ? `?${query}` : location.pathname);
}

function show() {
  const wanted = plain(state.q).split(/\s+/).filter(Boolean);
  let count = 0;
  for (const family of families) {
    let here = 0;
    for (const entry of family.entries) {
      const fits = (!state.toolset || family.word === state.toolset) && (!state.effect || entry.effect === state.effect)
        && (!state.mine || entry.may) && wanted.every((word) => entry.words.includes(word));
      entry.item.hidden = !fits;
      if (fits) here++;
    }
    family.section.hidden = here === 0;
    const of = family.entries.length;
    family.here.textContent = here < of ? `${here} of ${of}` : of;
    count += here;
  }
  found.textContent = count === 1 ? '1 tool' : `${count} tools`;
  nothing.hidden = count > 0;
  nothing.querySelector('q').textContent = [state.q, state.effect, state.toolset].filter(Boolean).join(', ');
  if (search.value !== state.q) search.value = state.q;
  for (const effect of effects) effect.checked = effect.value === state.effect;
  for (const chip of chips) {
    if (chip.dataset.toolset === state.toolset) reveal(chip);
    else chip.removeAttribute('aria-current');
  }
  if (mine) mine.checked = Boolean(state.mine);
}

// Marks a chip as chosen; the row that it is in may move sideways, and is moved only when another is chosen.
function reveal(chip) {
  if (chip.hasAttribute('aria-current')) return;
  chip.setAttribute('aria-current', 'true');
  const row = chip.closest('ul');
  row.scrollLeft = chip.offsetLeft - row.offsetLeft - (row.clientWidth - chip.offsetWidth) / 2;
}

function change(what) {
  Object.assign(state, what);
  write();
  show();
}

function clear() {
  change({ q: '', effect: '', toolset: '', mine: '' });
  search.focus();
}

const links = () => families.flatMap((family) => family.entries).filter((entry) => !entry.item.hidden).map((entry) => entry.link);

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
    change({ toolset: chip.dataset.toolset });
  });
}
mine?.addEventListener('change', () => change({ mine: mine.checked ? '1' : '' }));
nothing.querySelector('button').addEventListener('click', clear);

document.addEventListener('keydown', (event) => {
  const at = document.activeElement;
  const among = at === search || at.closest('.entry');
  const typing = at.matches('input:not([type=radio], [type=checkbox]), textarea, select');
  if (document.querySelector('dialog[open]') || event.ctrlKey || event.metaKey || event.altKey) return;
  if (event.key === '/' && !typing) search.focus();
  else if (event.key === 'Escape' && among) clear();
  else if (event.key === 'ArrowDown' && among) step(1);
  else if (event.key === 'ArrowUp' && among && at !== search) step(-1);
  else if (event.key === 'Enter' && at === search) links()[0]?.click();
  else return;
  event.preventDefault();
});

read();
show();
