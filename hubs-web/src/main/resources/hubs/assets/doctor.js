// The latest handshakes of the key, looked for every two seconds while the page is open and visible.
import { forget } from './account.js';
import { code, el, refusal } from './dom.js';

const EVERY = 2000;
const list = document.getElementById('handshakes');
const seen = document.getElementById('seen');
const watch = document.getElementById('watch');
const shown = new Map();

async function look() {
  const response = await fetch('/api/mcp/handshakes').catch(() => null);
  if (!response?.ok) {
    const { note, ended } = response ? await refusal(response) : { note: 'The service cannot be reached.' };
    say(note);
    if (ended) {
      watch.checked = false;
      forget();
    }
    return;
  }
  const { handshakes } = await response.json();
  say(handshakes.length === 0
    ? 'Nobody has come with this key yet. Start your client now: it will show up here.'
    : `${handshakes.length} ${handshakes.length === 1 ? 'handshake' : 'handshakes'}, the newest first.`);
  show(handshakes);
}

function say(text) {
  if (seen.textContent !== text) seen.textContent = text;
}

// What is there already stays the same element, so that what somebody opened, selected or stands on stays so.
function show(handshakes) {
  const focused = document.activeElement;
  const items = new Map();
  for (const met of handshakes.toReversed()) {
    const key = same(met, items);
    const known = shown.get(key) ?? item(met);
    known.querySelector('dd').textContent = when(met);
    items.set(key, known);
  }
  for (const [key, gone] of shown) if (!items.has(key)) gone.remove();
  shown.clear();
  [...items].toReversed().forEach(([key, one], place) => {
    shown.set(key, one);
    if (list.children[place] !== one) list.insertBefore(one, list.children[place] ?? null);
  });
  if (focused.isConnected && focused !== document.activeElement) focused.focus({ preventScroll: true });
}

// By what one is known again: all but when and how often it came, and how many older ones are like it.
function same(met, items) {
  const like = JSON.stringify({ ...met, at: null, times: null });
  let older = 0;
  while (items.has(`${older} ${like}`)) older++;
  return `${older} ${like}`;
}

function when(met) {
  return new Date(met.at).toLocaleString() + (met.times > 1 ? `, ${met.times} times` : '');
}

function item(met) {
  const fine = met.outcome === 'ok';
  const client = met.client ? [met.client.name, met.client.version].filter(Boolean).join(' ') : met.user_agent ?? 'a client without a name';
  const facts = {
    When: when(met),
    Speaks: [met.era, met.protocol_version].filter(Boolean).join(', '),
    'Began with': met.method,
    Toolset: met.toolset,
    Answer: `HTTP ${met.status}${met.error ? `, ${met.error.code}: ${met.error.note}` : ''}`,
  };
  return el('li', { class: 'card' },
    el('h2', {}, el('span', { class: fine ? 'tag reads' : 'tag destroys' }, fine ? 'Connected' : 'Refused'), ' ', client),
    met.authenticated ? null : el('p', { class: 'hint' }, 'It only named the key, and did not prove that it has it: anybody may have sent this.'),
    met.wrong ? el('p', { class: 'note bad' }, met.wrong) : null,
    el('p', {}, met.advice),
    el('dl', { class: 'facts' }, ...Object.entries(facts).filter(([, value]) => value)
      .flatMap(([name, value]) => [el('dt', {}, name), el('dd', {}, value)])),
    met.configuration
      ? el('details', {}, el('summary', {}, `What is right for ${met.configuration.title}`),
        el('p', { class: 'hint' }, met.configuration.file),
        code(JSON.stringify(met.configuration.configuration, null, 2), `Configuration for ${met.configuration.title}`))
      : null);
}

if (list) {
  document.getElementById('look').addEventListener('click', look);
  setInterval(() => {
    if (watch.checked && !document.hidden) look();
  }, EVERY);
  look();
}
