// Who is signed in. The key that somebody signs in with goes to the service once and is kept nowhere.
import { dialog, el, holdsKey, said } from './dom.js';

const button = document.getElementById('account-button');
let token;

export const signedIn = () => 'user' in button.dataset;

// What a request that changes something carries beside the cookie.
export async function csrf() {
  if (!token) await session();
  return token;
}

// Whether somebody is signed in, and who.
export async function session() {
  const response = await fetch('/api/auth/session');
  if (!response.ok) throw new Error(await said(response));
  const state = await response.json();
  token = state.csrf_token;
  return state;
}

function show(user) {
  token = undefined;
  button.classList.toggle('quiet', Boolean(user));
  if (user) button.dataset.user = user;
  else delete button.dataset.user;
  button.replaceChildren(user ? el('span', { class: 'who' }, user) : 'Sign in');
}

// The session has ended. What this tab keeps of it is nobody else's.
export function forget() {
  sessionStorage.clear();
  show(null);
}

// What the service takes for a way back after signing in elsewhere: the address without what it would refuse in it.
function wayBack() {
  if (!isPage()) return '/mcp-hub';
  if (['/oauth/authorize', '/authorize'].includes(location.pathname)) return location.pathname; // That page keeps what it was opened for.
  const path =
    location.pathname.length < 300 && /^(\/[\w.~-]+)*\/?$/.test(location.pathname)
      ? location.pathname
      : `/${location.pathname.split('/')[1]}`;
  const plain = [...new URLSearchParams(location.search)].filter(
    ([name, value]) => /^\w{1,20}$/.test(name) && /^[\w .,~-]{1,200}$/.test(value) && !holdsKey(value),
  );
  return plain.length ? `${path}?${new URLSearchParams(plain)}` : path;
}

// Where one is while signing in may also be a route of the service, which refused something.
function isPage() {
  return !location.pathname.startsWith('/api/');
}

// Asks for a key, and does what follows once somebody is signed in.
export async function signIn(then = () => (isPage() ? location.reload() : location.assign('/mcp-hub'))) {
  const problem = el('p', { class: 'problem', role: 'alert' });
  const key = el('input', {
    id: 'api-key',
    type: 'password',
    autocomplete: 'off',
    spellcheck: 'false',
    autocapitalize: 'off',
    required: true,
    placeholder: 'ek_…',
    'aria-describedby': 'api-key-hint',
  });
  const submit = el('button', { type: 'submit' }, 'Sign in');
  const form = el(
    'form',
    { novalidate: true },
    el('label', { for: 'api-key' }, 'API key'),
    key,
    el(
      'p',
      { class: 'hint', id: 'api-key-hint' },
      'It is sent once, to begin a session of this browser, and is not stored. At its first start the engine printed one; with its embedded database it is also in ',
      el('code', {}, 'first-api-key'),
      ' in its data directory.',
    ),
    problem,
    el(
      'div',
      { class: 'row' },
      submit,
      el('button', { type: 'button', class: 'quiet', click: () => box.close() }, 'Cancel'),
    ),
  );
  const providers = el('div', { class: 'providers' });
  const box = dialog('Sign in', form, providers);
  form.addEventListener('submit', async (event) => {
    event.preventDefault();
    submit.disabled = true;
    problem.textContent = '';
    const failure = await exchange(key.value.trim());
    submit.disabled = false;
    if (failure) {
      problem.textContent = failure;
      key.focus();
      return;
    }
    key.value = '';
    box.close();
    then();
  });
  await offer(providers);
}

// Some notes of the service are no whole sentences.
const sentence = (text) => `${text.charAt(0).toUpperCase()}${text.slice(1)}${/[.!?]$/.test(text) ? '' : '.'}`;

// What was wrong, or nothing.
async function exchange(key) {
  if (!key) return 'Paste your key first.';
  if (!/^[\x21-\x7e]+$/.test(key)) return 'This is not a key: it has characters that no key has.';
  try {
    const response = await fetch('/api/auth/session', { method: 'POST', headers: { 'X-Api-Key': key } });
    if (!response.ok) return sentence(await said(response));
    const answer = await response.json();
    show(answer.user);
    token = answer.csrf_token;
    return '';
  } catch {
    return 'The service cannot be reached.';
  }
}

// The identity providers, where there are any.
async function offer(place) {
  const response = await fetch('/api/config').catch(() => null);
  if (!response?.ok) return;
  const { sign_in: names } = await response.json();
  const back = encodeURIComponent(wayBack());
  if (names.length) place.append(el('p', { class: 'hint' }, 'Or with'));
  for (const name of names) {
    const start = `/api/auth/oauth/${encodeURIComponent(name)}/start?surface=hub&return_to=${back}`;
    place.append(el('a', { class: 'button quiet', href: start }, name));
  }
}

async function account() {
  const rows = el('dl', { class: 'facts' });
  const problem = el('p', { class: 'problem', role: 'alert' });
  const leave = el('button', { type: 'button', click: () => signOut(problem) }, 'Sign out');
  const box = dialog(
    'Signed in',
    rows,
    problem,
    el(
      'div',
      { class: 'row' },
      leave,
      el('button', { type: 'button', class: 'quiet', click: () => box.close() }, 'Close'),
    ),
  );
  try {
    const [state, listed] = await Promise.all([session(), fetch('/api/mcp/tools').then((response) => response.json())]);
    if (!state.signed_in) {
      box.close();
      forget();
      return signIn();
    }
    const ends = new Date(state.expires_at).toLocaleTimeString([], {
      hour: '2-digit',
      minute: '2-digit',
      hourCycle: 'h23',
    });
    const facts = {
      User: state.user,
      Tenant: state.tenant,
      Role: state.role,
      'Session ends': ends,
      'May call': `${listed.tools.filter((tool) => tool.family).length} tools`,
    };
    for (const [name, value] of Object.entries(facts)) rows.append(el('dt', {}, name), el('dd', {}, value));
  } catch (error) {
    problem.textContent = error.message;
  }
}

async function signOut(problem) {
  const response = await fetch('/api/auth/session', { method: 'DELETE', headers: { 'X-CSRF-Token': await csrf() } });
  if (response.ok || response.status === 401) {
    sessionStorage.clear();
    location.reload();
  } else problem.textContent = await said(response);
}

button.addEventListener('click', () => (signedIn() ? account() : signIn()));
for (const other of document.querySelectorAll('[data-sign-in]')) other.addEventListener('click', () => signIn());
