// The pages of skills: search, copying digests, installing, adding and removing.
import './prose.js';
import { csrf, forget, signIn, signedIn } from './account.js';
import { dialog, el, holdsKey, isEnter, refusal } from './dom.js';

const skill = document.querySelector('[data-skill]')?.dataset.skill;
const address = (name) => `/api/skills/${encodeURIComponent(name)}`;

// A request that changes something; what was wrong as an error, whose status tells its kind.
async function ask(method, path, body, type) {
  const headers = { 'X-CSRF-Token': await csrf() };
  if (type) headers['Content-Type'] = type;
  const response = await fetch(path, { method, headers, body });
  if (response.ok) return response.json();
  const { note, ended } = await refusal(response);
  if (ended) {
    forget();
    signIn();
  }
  const error = new Error(note);
  error.status = response.status;
  throw error;
}

// ---------------------------------------------------------------- the list

const list = document.querySelector('.skills');
if (list) {
  const search = document.getElementById('q');
  const found = document.getElementById('found');
  const nothing = document.getElementById('nothing');
  const origins = [...document.querySelectorAll('[name=origin]')];
  const entries = [...list.children];
  const plain = (text) => text.toLowerCase().replaceAll(/[_-]/g, ' ');

  const show = () => {
    const terms = plain(search.value).split(/\s+/).filter(Boolean);
    const origin = origins.find((one) => one.checked)?.value ?? '';
    let count = 0;
    for (const entry of entries) {
      const words = plain(entry.dataset.words);
      entry.hidden = !(terms.every((word) => words.includes(word)) && (!origin || entry.dataset.origin === origin));
      if (!entry.hidden) count++;
    }
    found.textContent = count === 1 ? '1 skill' : `${count} skills`;
    nothing.hidden = count > 0;
    nothing.querySelector('q').textContent = search.value;
    const query = new URLSearchParams(search.value && !holdsKey(search.value) ? { q: search.value } : {});
    history.replaceState(null, '', (query.size ? `?${query}` : location.pathname) + location.hash);
  };

  search.value = new URLSearchParams(location.search).get('q') ?? '';
  search.addEventListener('input', show);
  for (const origin of origins) origin.addEventListener('change', show);
  nothing.querySelector('button').addEventListener('click', () => {
    search.value = '';
    show();
    search.focus();
  });
  search.addEventListener('keydown', (event) => {
    const first = entries.find((entry) => !entry.hidden)?.querySelector('a');
    if (event.key === 'Escape') search.value = '';
    if (event.key === 'Escape') show();
    if (isEnter(event)) first?.click();
    if (event.key === 'ArrowDown') first?.focus();
  });
  if (search.value) show();
}

// ---------------------------------------------------------------- adding

const add = document.getElementById('add');
if (add) {
  const file = document.getElementById('zip');
  const problem = document.getElementById('add-problem');
  const chosen = document.getElementById('add-chosen');
  const drop = add.querySelector('.drop');
  const name = () => {
    problem.textContent = '';
    const [zip] = file.files;
    chosen.textContent = zip ? `${zip.name}, ${zip.size.toLocaleString()} bytes` : 'No file is chosen.';
  };

  const send = async (zip, replace) => {
    const added = await ask('POST', `/api/skills${replace ? '?replace=true' : ''}`, zip, 'application/zip');
    location.assign(`/skills-hub/${encodeURIComponent(added.skill.name)}`);
  };

  file.addEventListener('change', name);
  for (const type of ['dragenter', 'dragover']) {
    drop.addEventListener(type, (event) => {
      event.preventDefault();
      drop.classList.add('over');
    });
  }
  for (const type of ['dragleave', 'drop']) drop.addEventListener(type, () => drop.classList.remove('over'));
  drop.addEventListener('drop', (event) => {
    event.preventDefault();
    if (event.dataTransfer.files.length === 0) return;
    file.files = event.dataTransfer.files;
    name();
  });
  add.addEventListener('submit', async (event) => {
    event.preventDefault();
    const [zip] = file.files;
    problem.textContent = zip ? '' : 'Choose a zip first.';
    if (!zip) return;
    try {
      await send(zip, false);
    } catch (error) {
      if (error.status === 409 && error.message.includes('replace')) replaces(zip, error.message.split("'")[1]);
      else problem.textContent = error.message;
    }
  });

  const replaces = (zip, skill) => {
    const refused = el('p', { class: 'problem', role: 'alert' });
    const box = dialog(
      'Replace the skill?',
      el(
        'p',
        {},
        `Your tenant already has the skill ${skill}. Replace its files with those of the zip, or cancel and choose another name.`,
      ),
      refused,
      el(
        'div',
        { class: 'row' },
        el(
          'button',
          {
            type: 'button',
            class: 'danger',
            click: async () => {
              try {
                await send(zip, true);
              } catch (error) {
                refused.textContent = error.message;
              }
            },
          },
          'Replace it',
        ),
        el('button', { type: 'button', class: 'quiet', click: () => box.close() }, 'Cancel'),
      ),
    );
  };
}

// ---------------------------------------------------------------- one skill

for (const button of document.querySelectorAll('[data-digest]')) {
  button.addEventListener('click', async () => {
    try {
      await navigator.clipboard.writeText(button.dataset.digest);
      button.textContent = 'Copied';
    } catch {
      getSelection().selectAllChildren(button.previousElementSibling);
      button.textContent = 'Selected';
    }
    setTimeout(() => {
      button.textContent = 'Copy';
    }, 2000);
  });
}

const remove = document.getElementById('remove');
remove?.addEventListener('click', () => {
  const refused = el('p', { class: 'problem', role: 'alert' });
  const box = dialog(
    `Remove ${skill}?`,
    el('p', {}, 'It is gone for good, and is taken off every agent that has it.'),
    refused,
    el(
      'div',
      { class: 'row' },
      el(
        'button',
        {
          type: 'button',
          class: 'danger',
          click: async () => {
            try {
              await ask('DELETE', address(skill));
              location.assign('/skills-hub');
            } catch (error) {
              refused.textContent = error.message;
            }
          },
        },
        'Remove it',
      ),
      el('button', { type: 'button', class: 'quiet', click: () => box.close() }, 'Cancel'),
    ),
  );
});

const install = document.getElementById('install');
if (install) {
  const agents = document.getElementById('agents');
  const none = document.getElementById('no-agents');
  const problem = document.getElementById('install-problem');
  const done = document.getElementById('install-done');
  const field = document.getElementById('agent');
  const names = () => [...agents.querySelectorAll('[data-agent]')].map((button) => button.dataset.agent);

  const change = async (method, agent) => {
    problem.textContent = '';
    done.textContent = '';
    try {
      const body = method === 'POST' ? JSON.stringify({ agent }) : undefined;
      const path = `${address(skill)}/install${method === 'DELETE' ? `?agent=${encodeURIComponent(agent)}` : ''}`;
      return await ask(method, path, body, body && 'application/json');
    } catch (error) {
      problem.textContent = error.message;
      return null;
    }
  };

  const take = async (button) => {
    if (!(await change('DELETE', button.dataset.agent))) return;
    done.textContent = `Taken off ${button.dataset.agent}.`;
    button.parentElement.remove();
    none.hidden = names().length > 0;
    field.focus();
  };

  for (const button of agents.querySelectorAll('[data-agent]')) button.addEventListener('click', () => take(button));
  install.addEventListener('submit', async (event) => {
    event.preventDefault();
    const installed = await change('POST', field.value.trim());
    if (!installed) return;
    const { name } = installed.agent;
    done.textContent = installed.changed ? `Installed on ${name}.` : `${name} had it already.`;
    field.value = '';
    if (names().includes(name)) return;
    const button = el(
      'button',
      { type: 'button', class: 'quiet', 'data-agent': name, click: () => take(button) },
      'Uninstall',
    );
    agents.append(el('li', {}, el('span', {}, name), ' ', button));
    none.hidden = true;
  });

  // The agents that one works with are offered once somebody begins to write, where the key may list them; a name can be written anyway.
  field.addEventListener(
    'focus',
    async () => {
      if (!signedIn()) return;
      const listed = await roster().catch(() => null);
      if (listed)
        document
          .getElementById('roster')
          .replaceChildren(...listed.map((agent) => el('option', { value: agent.name })));
      else field.removeAttribute('list');
    },
    { once: true },
  );

  const roster = async () => {
    const headers = { 'X-CSRF-Token': await csrf(), 'Content-Type': 'application/json' };
    const response = await fetch('/demo/v1/Engine/tps/agent/list', {
      method: 'POST',
      headers,
      body: '{"page":{"limit":200}}',
    });
    return response.ok ? (await response.json()).profile : null;
  };
}
