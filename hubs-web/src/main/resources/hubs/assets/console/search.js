// ⌘K: finds pages, agents, spaces, zones, banks, memories, documents, skills, rules, keys, webhooks, upstreams, users and
// messages that the caller may see, pages of the documentation, and actions.
import { dialog, el, holdsKey, isEnter, searchFoot } from '../dom.js';
import { ask, may, mayChange } from './api.js';
import { pathOf, placeOf } from './messages.js';
import { avatar, clockWords, enc, encAgent, nodes } from './parts.js';

const has = (text, q) => text.toLowerCase().includes(q.toLowerCase());

// While a word is being written, what begins with it is meant.
const prefixQuery = (q) => (/[\p{L}\p{N}]$/u.test(q) && !q.includes('"') ? `${q}*` : q);

const time = (hit) => clockWords(hit.created_at);

// The part of a hit's text that one line shows.
function best(hit) {
  const text = hit.snippet ?? hit.text ?? '';
  const from = Math.max(0, (hit.why?.highlights?.[0]?.[0] ?? 0) - 30);
  return `${from ? '… ' : ''}${[...text].slice(from, from + 120).join('')}`;
}

const SOURCES = [
  [
    'Agents',
    'AP_List',
    (q) => ({ target: { agent: q }, page: { limit: 8 } }),
    (body) =>
      body.profile.map((agent) => ({
        title: agent.name,
        sub: agent.description,
        path: `/console/agents/${encAgent(agent.name)}`,
        agent: true,
      })),
  ],
  [
    'Spaces',
    'DM_List',
    (q) => ({ target: { domain: q }, page: { limit: 6 } }),
    (body) =>
      body.profile.map((domain) => ({
        title: domain.name,
        sub: domain.description,
        path: `/console/spaces/${enc(domain.name)}`,
      })),
  ],
  [
    'Banks',
    'MB_List',
    (q) => ({ target: { bank: q }, page: { limit: 6 } }),
    (body) =>
      body.profile.map((bank) => ({
        title: bank.name,
        sub: bank.description,
        path: `/console/memory/${enc(bank.name)}`,
      })),
  ],
  [
    'Messages',
    'AP_Search',
    (q) => ({ content: prefixQuery(q), max_tokens: 400, page: { limit: 5 } }),
    (body) =>
      body.content.map((hit) => ({
        title: best(hit),
        sub: [hit.from, placeOf(hit), '·', time(hit)].join(' '),
        path: pathOf(hit),
        isLong: true,
      })),
  ],
  // Where nothing answers, the nearest memories are no answers either.
  [
    'Memories',
    'MB_Search',
    (q) => ({ content: q, page: { limit: 5 } }),
    (body) =>
      (body.abstain ? [] : body.content).map((hit) => ({
        title: hit.name ? `${hit.name}: ${best(hit)}` : best(hit),
        sub: [hit.author, 'in', hit.bank, '·', time(hit)].join(' '),
        path: `/console/memory/${enc(hit.bank)}/${enc(hit.name ?? hit.id)}`,
        isLong: true,
      })),
  ],
  [
    'Documents',
    'DC_List',
    (q) => ({ prefix: q, newest: true, page: { limit: 5 } }),
    (body) =>
      body.documents.map((document) => ({
        title: document.name,
        sub: document.state,
        path: `/console/documents/${enc(document.name)}`,
      })),
  ],
  [
    'Rules',
    'RL_List',
    () => ({ page: { limit: 200 } }),
    (body, q) =>
      body.rules
        .filter((rule) => has(`${rule.name} ${rule.description ?? ''}`, q))
        .slice(0, 5)
        .map((rule) => ({ title: rule.name, sub: rule.effect, path: `/console/rules/${enc(rule.id)}` })),
  ],
  [
    'Keys',
    'AK_List',
    () => ({ page: { limit: 200 } }),
    (body, q) =>
      body.keys
        .filter((key) => has(key.name, q))
        .slice(0, 5)
        .map((key) => ({ title: key.name, sub: `${key.id} · ${key.state}`, path: `/console/keys/${enc(key.id)}` })),
  ],
  [
    'Webhooks',
    'WH_List',
    () => ({ page: { limit: 200 } }),
    (body, q) =>
      body.endpoints
        .filter((one) => has(`${one.url} ${one.description ?? ''}`, q))
        .slice(0, 5)
        .map((one) => ({ title: one.url, sub: one.description, path: `/console/webhooks/${enc(one.id)}` })),
  ],
  [
    'Upstreams',
    'UP_List',
    () => ({}),
    (body, q) =>
      body.upstreams
        .filter((one) => has(`${one.name} ${one.url}`, q))
        .slice(0, 5)
        .map((one) => ({ title: one.name, sub: one.url, path: `/console/upstreams/${enc(one.name)}` })),
  ],
  [
    'Users',
    'US_List',
    () => ({ page: { limit: 200 } }),
    (body, q) =>
      body.profile
        .filter((user) => has(user.name, q))
        .slice(0, 5)
        .map((user) => ({ title: user.name, sub: user.role, path: '/console/settings' })),
  ],
  [
    'Skills',
    'SK_List',
    () => ({ page: { limit: 200 } }),
    (body, q) =>
      body.skills
        .filter((skill) => has(`${skill.name} ${skill.description ?? ''}`, q))
        .slice(0, 5)
        .map((skill) => ({ title: skill.name, sub: skill.description, path: `/skills-hub/${enc(skill.name)}` })),
  ],
];

const SPACES = 12;

// The zones of the spaces that the caller may see. They are read once for each search.
async function zones() {
  const { profile } = await ask('DM_List', { page: { limit: SPACES } });
  const read = await Promise.all(
    profile.map((domain) => ask('DM_Read', { target: { domain: domain.name } }).catch(() => ({ zones: [] }))),
  );
  return read.flatMap((body, i) =>
    body.zones.map((zone) => ({
      title: `${profile[i].name}/${zone.name}`,
      path: `/console/spaces/${enc(profile[i].name)}/${enc(zone.name)}`,
    })),
  );
}

// Pages of the documentation.
async function docs(q) {
  if (holdsKey(q)) return [];
  const response = await fetch(`/search.json?q=${enc(q.slice(0, 100))}`);
  return response.ok
    ? (await response.json()).docs.slice(0, 5).map((hit) => ({ title: hit.title, sub: hit.page, path: hit.address }))
    : [];
}

const ACTIONS = [
  { title: 'New agent', tool: 'AP_Create', path: '/console/agents?new' },
  { title: 'Invite an agent', tool: 'AK_Invite', path: '/console/keys?invite' },
  { title: 'Rotate key', tool: 'AK_Rotate', path: '/console/keys?rotate' },
];

export function open(go, pages) {
  const results = el('div', { class: 'found', role: 'listbox', id: 'found-list', 'aria-label': 'Found' });
  const input = el('input', {
    type: 'search',
    placeholder: 'Find an agent, a space, a message, a document, an action…',
    'aria-label': 'Search',
    role: 'combobox',
    'aria-expanded': 'true',
    'aria-controls': 'found-list',
    autocomplete: 'off',
    spellcheck: 'false',
  });
  const state = el('p', { class: 'hint', role: 'status' });
  const box = dialog('Search', input, results, searchFoot(state));
  box.classList.add('search');
  let chosen = 0;
  let turn = 0;
  let waiting;
  let rooms;
  let isStale = false; // Whether what is shown is of an earlier query.
  let isEntered = false; // Whether the first answer is to be opened.
  let moved = false; // Whether the person has chosen with the arrows.
  let at = null;

  const options = () => [...results.querySelectorAll('[role="option"]')];

  function choose(index) {
    const all = options();
    chosen = all.length ? (index + all.length) % all.length : 0;
    all.forEach((one, i) => one.setAttribute('aria-selected', String(i === chosen)));
    if (all[chosen]) {
      input.setAttribute('aria-activedescendant', all[chosen].id);
      all[chosen].scrollIntoView({ block: 'nearest' });
    }
  }

  let ids = 0;
  function group(title, entries) {
    if (!entries.length) return null;
    return el(
      'div',
      { role: 'group', 'aria-label': title },
      el('p', { class: 'found-title', 'aria-hidden': 'true' }, title),
      ...entries.map((entry) =>
        el(
          'div',
          {
            role: 'option',
            id: `found-${++ids}`,
            class: `found-entry${entry.isLong ? ' long' : ''}`,
            'aria-selected': 'false',
            'data-path': entry.path,
            click: () => pick(entry.path),
          },
          entry.agent ? nodes(avatar(entry.title)) : null,
          el('b', {}, entry.title),
          entry.sub ? el('span', { class: 'soft' }, entry.sub) : null,
        ),
      ),
    );
  }

  function pick(path) {
    turn += 1;
    box.close();
    if (path.startsWith('/console/')) go(path);
    else location.assign(path);
  }

  const sources = [
    ...SOURCES.map(([title, tool, args, read]) => ({
      title,
      tools: [tool],
      find: async (q) => read(await ask(tool, args(q)), q),
    })),
    {
      title: 'Rooms',
      tools: ['DM_List', 'DM_Read'],
      find: async (q) => (await (rooms ??= zones())).filter((zone) => has(zone.title, q)).slice(0, 6),
    },
    { title: 'Documentation', tools: [], find: docs },
  ];
  for (const last of ['Messages', 'Memories', 'Documentation'])
    sources.push(
      ...sources.splice(
        sources.findIndex((source) => source.title === last),
        1,
      ),
    );

  async function look() {
    const mine = ++turn;
    const q = input.value.trim();
    const fitting = (title, entries) =>
      group(
        title,
        entries.filter((entry) => has(entry.title, q)),
      );
    const own = [
      fitting(
        'Actions',
        ACTIONS.filter((one) => mayChange(one.tool)),
      ),
      fitting('Pages', pages),
    ];
    if (!q) {
      show(own);
      return end('');
    }
    // Each group is shown as soon as it and those above it are there: what is quick does not wait for what is slow.
    const reads = sources
      .filter((source) => source.tools.every(may))
      .map((source) =>
        source
          .find(q)
          .then((entries) => group(source.title, entries))
          .catch(() => null),
      );
    const found = [];
    for (const one of reads) {
      found.push(await one);
      if (mine !== turn) return undefined;
      show([...found, ...own], found.some(Boolean));
    }
    show([...found, ...own]);
    return end(options().length ? '' : 'No match.');
  }

  function show(groups, isAnswer = true) {
    const there = groups.filter(Boolean);
    if (!there.length) return;
    results.replaceChildren(...there);
    isStale = false;
    results.removeAttribute('aria-busy');
    choose(
      moved
        ? Math.max(
            0,
            options().findIndex((option) => option.dataset.path === at),
          )
        : 0,
    );
    if (isEntered && isAnswer) pick(options()[chosen].dataset.path);
  }

  function end(words) {
    if (isStale) results.replaceChildren();
    isStale = false;
    isEntered = false;
    results.removeAttribute('aria-busy');
    state.textContent = words;
  }

  input.addEventListener('input', () => {
    clearTimeout(waiting);
    turn += 1; // Whatever was asked before is not shown any more.
    moved = false;
    isStale = true;
    isEntered = false;
    results.setAttribute('aria-busy', 'true');
    state.textContent = 'Searching…';
    waiting = setTimeout(look, 120);
  });
  input.addEventListener('keydown', (event) => {
    if (event.key === 'ArrowDown' || event.key === 'ArrowUp') {
      event.preventDefault();
      choose(chosen + (event.key === 'ArrowDown' ? 1 : -1));
      moved = true;
      at = options()[chosen]?.dataset.path;
    } else if (isEnter(event)) {
      event.preventDefault();
      const entry = options()[chosen];
      if (isStale) isEntered = true;
      else if (entry) pick(entry.dataset.path);
    } else if (event.key === 'Escape') {
      event.preventDefault(); // The browser would only clear the field.
      box.close();
    }
  });
  input.focus();
  look();
}
