// The latest handshakes of the key, looked for every two seconds while the page is open and visible.
import { forget } from './account.js';
import { code, el, said } from './dom.js';

const EVERY = 2000;
const list = document.getElementById('handshakes');
const seen = document.getElementById('seen');
const watch = document.getElementById('watch');
let shown = '';

async function look() {
  const response = await fetch('/api/mcp/handshakes').catch(() => null);
  if (!response?.ok) {
    seen.textContent = response ? await said(response) : 'The service cannot be reached.';
    if (response?.status === 401) forget();
    return;
  }
  const { handshakes } = await response.json();
  const what = JSON.stringify(handshakes);
  if (what === shown) return;
  shown = what;
  seen.textContent = handshakes.length === 0
    ? 'Nobody has come with this key yet. Start your client now: it will show up here.'
    : `${handshakes.length} ${handshakes.length === 1 ? 'handshake' : 'handshakes'}, the newest first.`;
  list.replaceChildren(...handshakes.map(item));
}

function item(met) {
  const fine = met.outcome === 'ok';
  const client = met.client ? [met.client.name, met.client.version].filter(Boolean).join(' ') : met.user_agent ?? 'a client without a name';
  const facts = {
    When: new Date(met.at).toLocaleString() + (met.times > 1 ? `, ${met.times} times` : ''),
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
