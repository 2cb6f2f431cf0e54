// The latest handshakes of a key, looked for every two seconds while the page is open and visible.
import { forget } from './account.js';
import { code, el, refusal } from './dom.js';

const EVERY = 2000;
const list = document.getElementById('handshakes');
const seen = document.getElementById('seen');
const watch = document.getElementById('watch');
const of = document.getElementById('key');
const rows = new Map();
let keys = [];
let offered = false;

async function look() {
  const keyId = of.value;
  const response = await fetch(`/api/mcp/handshakes${keyId ? `?key_id=${encodeURIComponent(keyId)}` : ''}`).catch(
    () => null,
  );
  if (keyId !== of.value) return;
  if (!response?.ok) {
    const { note, ended } = response ? await refusal(response) : { note: 'The service cannot be reached.' };
    say(note);
    if (ended) {
      watch.checked = false;
      forget();
    }
    return;
  }
  const { key, handshakes } = await response.json();
  if (!offered) await offer(key);
  if (keyId !== of.value) return;
  say(
    ...(handshakes.length === 0
      ? nobody(key)
      : [`${handshakes.length} ${handshakes.length === 1 ? 'handshake' : 'handshakes'}, the newest first.`]),
  );
  show(handshakes);
}

function nobody(key) {
  if (key) return ['No client has used this key yet. Start your client now: it will show up here.'];
  return keys.length
    ? ['You signed in without a key: choose the key that your client uses.']
    : [
        'You signed in without a key, and have none yet that a client could use: ',
        el('a', { href: '/mcp-hub/connect' }, 'invite an agent'),
        ', which gets one.',
      ];
}

// The keys to choose from, where one may see them; what one signed in with comes first. While there are none, or the service
// cannot answer now, the next look asks again.
async function offer(own) {
  const response = await fetch('/api/keys?limit=200').catch(() => null);
  keys = response?.ok ? (await response.json()).keys : [];
  offered = keys.length > 0 || [401, 403].includes(response?.status);
  const mine = keys.find((key) => key.id === own);
  const { user: me } = document.getElementById('account-button').dataset;
  const named = ({ name, user, id, state }) =>
    `${name}${user === me ? '' : `, of ${user}`}, ek_${id}_…${state === 'active' ? '' : `, ${state}`}`;
  const first = own ? `Signed in with: ${mine ? named(mine) : `ek_${own}_…`}` : 'Signed in without a key';
  of.replaceChildren(
    el('option', { value: '' }, first),
    ...keys.filter((key) => key.id !== own).map((key) => el('option', { value: key.id }, named(key))),
  );
  document.getElementById('of').hidden = of.options.length === 1;
}

function say(...words) {
  const said = el('p', {}, ...words);
  if (seen.textContent !== said.textContent) seen.replaceChildren(...said.childNodes);
}

// What is there already stays the same element, so that what somebody opened, selected or stands on stays so.
function show(handshakes) {
  const focused = document.activeElement;
  const items = new Map();
  for (const met of handshakes.toReversed()) {
    const key = same(met, items);
    const row = rows.get(key) ?? item(met);
    row.querySelector('.when').textContent = when(met);
    items.set(key, row);
  }
  for (const [key, gone] of rows) if (!items.has(key)) gone.remove();
  rows.clear();
  [...items].toReversed().forEach(([key, one], place) => {
    rows.set(key, one);
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

// The minute of today, else the day too.
function when(met) {
  const at = new Date(met.at);
  const two = (number) => String(number).padStart(2, '0');
  const day = `${at.getFullYear()}-${two(at.getMonth() + 1)}-${two(at.getDate())} `;
  const today = at.toDateString() === new Date().toDateString();
  return `${today ? '' : day}${two(at.getHours())}:${two(at.getMinutes())}${met.times > 1 ? `, ${met.times} times` : ''}`;
}

// One that went well is a line; of one that did not all is shown.
function item(met) {
  const fine = met.outcome === 'ok';
  const client = met.client
    ? [met.client.name, met.client.version].filter(Boolean).join(' ')
    : (met.user_agent ?? 'a client without a name');
  const head = [
    el(
      'h2',
      {},
      el('span', { class: fine ? 'tag reads' : 'tag destroys' }, fine ? 'Connected' : 'Refused'),
      ' ',
      client,
    ),
    el(
      'span',
      { class: 'hint' },
      ` · ${[met.era, met.protocol_version].filter(Boolean).join(' ')} · `,
      el('span', { class: 'when' }),
    ),
  ];
  const facts = {
    'Began with': met.method,
    Toolset: met.toolset,
    Answer: `HTTP ${met.status}${met.error ? `, ${met.error.code}: ${met.error.note}` : ''}`,
  };
  const body = [
    met.authenticated
      ? null
      : el('p', { class: 'hint' }, 'It named the key without its secret: anybody may have sent this.'),
    met.wrong ? el('p', { class: 'note bad' }, met.wrong) : null,
    el('p', {}, met.advice),
    el(
      'dl',
      { class: 'facts' },
      ...Object.entries(facts)
        .filter(([, value]) => value)
        .flatMap(([name, value]) => [el('dt', {}, name), el('dd', {}, value)]),
    ),
    met.configuration
      ? el(
          'details',
          {},
          el('summary', {}, `What is right for ${met.configuration.title}`),
          el('p', { class: 'hint' }, met.configuration.file),
          code(
            JSON.stringify(met.configuration.configuration, null, 2),
            `Configuration for ${met.configuration.title}`,
          ),
        )
      : null,
  ];
  return el(
    'li',
    { class: 'card' },
    ...(fine ? [el('details', {}, el('summary', {}, ...head), ...body)] : [...head, ...body]),
  );
}

if (list) {
  document.getElementById('look').addEventListener('click', look);
  of.addEventListener('change', look);
  setInterval(() => {
    if (watch.checked && !document.hidden) look();
  }, EVERY);
  look();
}
