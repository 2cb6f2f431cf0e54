// Connecting a client: a narrow key, its configuration with the key in this browser only, and the client's handshake.
import { csrf, forget, signIn } from './account.js';
import { code, el, refusal } from './dom.js';

const EVERY = 2000;
const PLACEHOLDER = '<YOUR_API_KEY>';
const form = document.getElementById('make-form');
const name = document.getElementById('key-name');
const problem = document.getElementById('make-problem');
const waiting = document.getElementById('waiting');
const ownKey = document.getElementById('wait-own');
const panels = [...document.querySelectorAll('.client')];
let watch = 0;

const client = () => panels.find((panel) => !panel.hidden)?.dataset.tab ?? 'client';

// The name follows the chosen client until somebody writes another.
function suggest() {
  if (name && !name.dataset.written) name.value = client();
}

async function make(event) {
  event.preventDefault();
  problem.textContent = '';
  const submit = form.querySelector('button');
  submit.disabled = true;
  const capabilities = document.getElementById('make').dataset.capabilities.split(' ');
  try {
    const response = await fetch('/api/keys', {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', 'X-CSRF-Token': await csrf() },
      body: JSON.stringify({ name: name.value.trim(), capabilities }),
    });
    if (response.ok) return made(await response.json());
    const { note, ended } = await refusal(response);
    problem.textContent = note;
    if (ended) {
      forget();
      signIn();
    }
  } catch (error) {
    problem.textContent = `The engine could not be reached: ${error.message}`;
  }
  submit.disabled = false;
}

function made({ api_key: secret, key }) {
  form.hidden = true;
  document.getElementById('made').replaceChildren(
    el('p', { class: 'note' }, el('b', {}, `The key ${key.name} is made. `), 'The configuration below contains it. It is shown only now: reloading the page hides it for good.'));
  const what = document.getElementById('what');
  what.replaceChildren(what.querySelector('h2'), document.getElementById('chosen'),
    el('p', { class: 'hint' }, 'The key is made for this choice. ', el('a', { href: location.pathname }, 'Start again'), ' to choose something else.'));
  for (const panel of panels) put(secret, panel);
  watchFor(key.id, key.name);
}

// Where the configuration has a place for the key it is put there; other clients read it from the environment, or ask for it.
function put(secret, panel) {
  const blocks = [...panel.querySelectorAll('pre code')];
  const text = blocks.map((block) => block.textContent).join('');
  for (const block of blocks) block.textContent = block.textContent.replaceAll(PLACEHOLDER, secret);
  if (text.includes(PLACEHOLDER)) return;
  const asks = text.includes('${input:');
  panel.querySelector('.key-here').replaceChildren(
    el('p', { class: 'hint' }, asks ? 'When it asks for the API key, paste this:' : 'Set the variable in the shell that starts the client:'),
    code(asks ? secret : `export ENGINE_KEY='${secret}'`, 'The key'));
}

async function handshakes(id) {
  const response = await fetch(`/api/mcp/handshakes${id ? `?key_id=${encodeURIComponent(id)}` : ''}`);
  if (!response.ok) throw new Error((await refusal(response)).note);
  return (await response.json()).handshakes;
}

const like = (met) => JSON.stringify([met.at, met.times, met.outcome]);

// Looks for the client's handshake until it has succeeded. What a key met before is not looked at.
async function watchFor(id, called) {
  const mine = ++watch;
  const earlier = new Set();
  ownKey.hidden = true;
  show('pending', el('b', {}, `Waiting for a client with ${called}…`), el('span', { class: 'hint' }, ' Start the client now. This page looks every two seconds.'));
  for (let first = !id; mine === watch; first = false) {
    try {
      const all = await handshakes(id);
      if (first) all.forEach((met) => earlier.add(like(met)));
      const newest = all.filter((met) => !earlier.has(like(met))).toSorted((one, other) => Date.parse(one.at) - Date.parse(other.at)).at(-1);
      if (newest && told(newest)) return;
    } catch (error) {
      show('bad', error.message);
    }
    await new Promise((resolve) => setTimeout(resolve, EVERY));
  }
}

let last = '';

// Shows a handshake; true once it has succeeded.
function told(met) {
  const known = like(met);
  if (known === last) return met.outcome === 'ok';
  last = known;
  const who = met.client ? [met.client.name, met.client.version].filter(Boolean).join(' ') : met.user_agent ?? 'A client without a name';
  if (met.outcome === 'ok') {
    show('good', el('b', {}, `${who} is connected.`), ` It speaks ${met.protocol_version ?? 'plain JSON-RPC'}. `, el('a', { href: '/mcp-hub/tools/US_Read' }, 'Try a call'), ' or ', el('a', { href: '/console' }, 'watch it in the console'), '.');
    return true;
  }
  show('bad', el('b', {}, `${who} was refused. `), [met.wrong, met.advice].filter(Boolean).join(' '), ' ', el('a', { href: '/mcp-hub/doctor' }, 'Details'), '. Still waiting…');
  return false;
}

function show(kind, ...words) {
  waiting.replaceChildren(el('p', { class: `note ${kind}` }, ...words));
}

form?.addEventListener('submit', make);
name?.addEventListener('input', () => (name.dataset.written = 'yes'));
ownKey?.addEventListener('click', () => watchFor(null, 'your key'));
document.getElementById('client-list').addEventListener('click', suggest);
document.getElementById('client-list').addEventListener('keyup', suggest);
suggest();
