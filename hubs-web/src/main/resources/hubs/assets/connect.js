// Connecting a client: an invitation, the line that joins with it or the configuration with the agent's key, and the handshake.
import { csrf, forget, signIn } from './account.js';
import { code, el, inPowershell, refusal } from './dom.js';

const EVERY = 2000;
const PLACEHOLDER = '<YOUR_API_KEY>';
const form = document.getElementById('make-form');
const name = document.getElementById('agent-name');
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

// The toolset that also lists the tools of servers. Beside words that only narrow, their names would be a limit.
const listing = (words, servers) =>
  words.every((word) => ['readonly', 'discovery'].includes(word)) ? words : [...words, ...servers];

async function make(event) {
  event.preventDefault();
  problem.textContent = '';
  const submit = form.querySelector('button');
  submit.disabled = true;
  const { capabilities, toolset } = document.getElementById('make').dataset;
  const servers = [...form.querySelectorAll('[name="server"]:checked')].map((box) => box.value);
  const invitation = {
    agent: name.value.trim(),
    capabilities: [...capabilities.split(' '), ...servers.map((server) => `upstream:${server}`)],
  };
  try {
    const response = await fetch('/api/invitations', {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', 'X-CSRF-Token': await csrf() },
      body: JSON.stringify(toolset ? { ...invitation, toolset: listing(toolset.split(' '), servers) } : invitation),
    });
    if (response.ok) return invited((await response.json()).invitation);
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

// One line joins the coding agents that the script knows. For any other client this page joins, and shows the key.
function invited({ agent, new_agent: isNew, code: invitation, command }) {
  form.hidden = true;
  const show = el(
    'button',
    { type: 'button', class: 'quiet', click: () => join(invitation, show) },
    'Show the key in this page instead',
  );
  document
    .getElementById('made')
    .replaceChildren(
      el(
        'p',
        { class: 'note' },
        el('b', {}, `${agent} is invited. `),
        isNew ? '' : 'The program becomes your existing agent of this name. ',
        'For Claude Code, Codex, Cursor or another coding agent, type this where it runs. The code is good for one use and shown only now.',
      ),
      code(command, 'The line that joins'),
      ...inPowershell(command),
      el('p', { class: 'hint' }, 'For another client, take the key and paste the configuration below. ', show),
    );
  const what = document.getElementById('what');
  what.replaceChildren(
    what.querySelector('h2'),
    document.getElementById('chosen'),
    el(
      'p',
      { class: 'hint' },
      'The invitation is made for this choice. ',
      el('a', { href: location.pathname }, 'Start again'),
      ' to choose something else.',
    ),
  );
}

async function join(invitation, button) {
  button.disabled = true;
  try {
    const chosen = panels.find((panel) => !panel.hidden)?.id.replace('client-', '') ?? 'generic';
    const response = await fetch('/api/join', {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', 'X-CSRF-Token': await csrf() },
      body: JSON.stringify({ code: invitation, client: chosen }),
    });
    if (!response.ok) throw new Error((await refusal(response)).note);
    made(await response.json());
  } catch (error) {
    problem.textContent = error.message;
    button.disabled = false;
  }
}

function made({ api_key: secret, agent }) {
  document
    .getElementById('made')
    .replaceChildren(
      el(
        'p',
        { class: 'note' },
        el('b', {}, `The key of ${agent} is made. `),
        'The configuration below contains it. It is shown only now: reloading the page hides it for good.',
      ),
    );
  for (const panel of panels) put(secret, panel);
  watchFor(secret.split('_')[1], agent);
}

// Where the configuration has a place for the key it is put there; other clients read it from the environment, or ask for it.
function put(secret, panel) {
  const blocks = [...panel.querySelectorAll('pre code')];
  const text = blocks.map((block) => block.textContent).join('');
  for (const block of blocks) block.textContent = block.textContent.replaceAll(PLACEHOLDER, secret);
  if (text.includes(PLACEHOLDER)) return;
  const asks = text.includes('${input:');
  panel
    .querySelector('.key-here')
    .replaceChildren(
      el(
        'p',
        { class: 'hint' },
        asks ? 'When it asks for the API key, paste this:' : 'Set the variable in the shell that starts the client:',
      ),
      code(asks ? secret : `export ENGINE_KEY='${secret}'`, 'The key'),
    );
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
  show(
    'pending',
    el('b', {}, `Waiting for a client with ${called}…`),
    el('span', { class: 'hint' }, ' Start the client now. This page looks every two seconds.'),
  );
  for (let first = !id; mine === watch; first = false) {
    try {
      const all = await handshakes(id);
      if (first) all.forEach((met) => earlier.add(like(met)));
      const newest = all
        .filter((met) => !earlier.has(like(met)))
        .toSorted((one, other) => Date.parse(one.at) - Date.parse(other.at))
        .at(-1);
      if (newest && report(newest)) return;
    } catch (error) {
      show('bad', error.message);
    }
    await new Promise((resolve) => setTimeout(resolve, EVERY));
  }
}

let last = '';

// Shows a handshake; true once it has succeeded.
function report(met) {
  const text = like(met);
  if (text === last) return met.outcome === 'ok';
  last = text;
  const who = met.client
    ? [met.client.name, met.client.version].filter(Boolean).join(' ')
    : (met.user_agent ?? 'A client without a name');
  if (met.outcome === 'ok') {
    show(
      'good',
      el('b', {}, `${who} is connected.`),
      ` It speaks ${met.protocol_version ?? 'plain JSON-RPC'}. `,
      el('a', { href: '/mcp-hub/tools/US_Read' }, 'Try a call'),
      ' or ',
      el('a', { href: '/console' }, 'watch it in the console'),
      '.',
    );
    return true;
  }
  show(
    'bad',
    el('b', {}, `${who} was refused. `),
    [met.wrong, met.advice].filter(Boolean).join(' '),
    ' ',
    el('a', { href: '/mcp-hub/doctor' }, 'Details'),
    '. Still waiting…',
  );
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
