// The page on which a user gives a program access: what the address asks for is checked by the service, which is asked again at each step.
import { csrf, signIn, signedIn } from './account.js';
import { el, said } from './dom.js';

const KEPT = 'authorize';
const problem = document.getElementById('authorize-problem');
const form = document.getElementById('consent');

// Who gets the access, by the kind of address that the browser is sent to.
const receivers = {
  app: ', an app on this machine that opens such addresses',
  program: ', a program on this machine',
  site: '',
};

// Signing in at a provider leads back here without the query, which its way back cannot carry.
if (!location.search && sessionStorage.getItem(KEPT)) {
  const kept = sessionStorage.getItem(KEPT);
  sessionStorage.removeItem(KEPT);
  location.replace(location.pathname + kept);
} else if (!location.search) {
  problem.textContent =
    'A program that wants to connect opens this page. Start there: add the MCP address of this service.';
} else if (signedIn()) {
  sessionStorage.removeItem(KEPT);
  await show();
} else {
  sessionStorage.setItem(KEPT, location.search);
  document.getElementById('authorize-sign-in').addEventListener('click', () => signIn(() => location.reload()));
}

async function show() {
  const [answer, agents] = await Promise.all([
    fetch(`/oauth/question${location.search}`),
    fetch('/demo/v1/Engine/tps/agent/list', {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: '{"page":{"limit":200}}',
    }),
  ]);
  if (!answer.ok) {
    const body = await answer
      .clone()
      .json()
      .catch(() => null);
    problem.textContent = body?.error_description ?? (await said(answer));
    return;
  }
  const names = agents.ok ? (await agents.json()).profile.map((one) => one.name) : [];
  draw(await answer.json(), names);
}

function draw(question, names) {
  const agent = el('input', {
    id: 'agent',
    list: 'agents',
    required: true,
    maxlength: '64',
    autocomplete: 'off',
    spellcheck: 'false',
    value: question.bound ? '' : suggestion(question.client),
  });
  const boxes = question.capabilities.map(({ name, requested }) => {
    const box = el('input', { type: 'checkbox', value: name, id: `may-${name}` });
    box.checked = requested;
    return el('label', { class: 'may', for: `may-${name}` }, box, el('code', {}, name));
  });
  const chosen = boxes.filter((_, i) => question.capabilities[i].requested);
  const others = boxes.filter((_, i) => !question.capabilities[i].requested);
  const allow = el('button', { type: 'submit' }, 'Allow');
  const deny = el(
    'button',
    { type: 'button', class: 'quiet', click: () => decide({ allow: false }, allow, deny) },
    'Decline',
  );
  form.append(
    el(
      'p',
      {},
      ...(question.verified
        ? [el('b', {}, question.client), ' asks']
        : ['A program that calls itself “', el('b', {}, question.client), '” asks']),
      ' for access to the workspace ',
      el('b', {}, question.tenant),
      '. You are signed in as ',
      el('b', {}, question.user),
      '.',
    ),
    el(
      'dl',
      { class: 'facts' },
      el('dt', {}, 'It is sent to'),
      el('dd', {}, el('code', {}, question.returns_to), receivers[question.receiver]),
      ...(question.resource
        ? [el('dt', {}, 'It works at'), el('dd', {}, el('code', {}, question.resource), ' and nowhere else')]
        : []),
      el('dt', {}, 'Its id'),
      el('dd', {}, el('code', {}, question.client_id)),
    ),
    el(
      'p',
      { class: 'hint' },
      question.verified
        ? 'The id is the address of the program’s own description.'
        : 'Nobody has checked this name: the program chose it itself. Allow it only if you started this just now, and know where it is sent to.',
    ),
    ...(question.bound
      ? []
      : [
          el('label', { for: 'agent' }, 'It becomes the agent'),
          agent,
          el('datalist', { id: 'agents' }, ...names.map((name) => el('option', { value: name }))),
          el('p', { class: 'hint' }, 'One of your agents, or a new name. The program acts only as this agent.'),
        ]),
    el(
      'fieldset',
      {},
      el('legend', {}, 'It may'),
      ...(chosen.length ? chosen : [el('p', { class: 'hint' }, 'It asked for nothing that you can give.')]),
    ),
    ...(others.length ? [el('details', {}, el('summary', {}, 'More that you could give'), ...others)] : []),
    el('p', { class: 'hint' }, 'You can end this at any time: revoke its key, which is listed among your API keys.'),
    el('div', { class: 'row' }, allow, deny),
  );
  form.addEventListener('submit', (event) => {
    event.preventDefault();
    const capabilities = [...form.querySelectorAll('input[type=checkbox]:checked')].map((box) => box.value);
    const name = question.bound ? 'self' : agent.value.trim();
    if (!name) {
      problem.textContent = 'Name the agent that the program becomes.';
      agent.focus();
    } else if (!capabilities.length) problem.textContent = 'Choose at least one thing that it may do.';
    else decide({ allow: true, agent: name, capabilities }, allow, deny);
  });
  form.hidden = false;
}

// A name that the service accepts for an agent.
function suggestion(client) {
  return client
    .replace(/ \([^)]*\)$/, '')
    .replace(/[^\p{L}\p{N} _.-]/gu, '')
    .trim()
    .slice(0, 64);
}

async function decide(decision, ...buttons) {
  problem.textContent = '';
  for (const button of buttons) button.disabled = true;
  try {
    const response = await fetch(`/oauth/authorize${location.search}`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', 'X-CSRF-Token': await csrf() },
      body: JSON.stringify(decision),
    });
    if (response.ok) {
      location.assign((await response.json()).location);
      return;
    }
    problem.textContent = await said(response);
  } catch {
    problem.textContent = 'The service cannot be reached.';
  }
  for (const button of buttons) button.disabled = false;
}
