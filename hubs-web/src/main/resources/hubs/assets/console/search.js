// ⌘K: finds pages, agents, spaces, zones, banks, memories, documents, skills, rules, keys, webhooks, upstreams, users and recent messages that the caller
// may see.
import { dialog, el } from '../dom.js';
import { ask, may } from './api.js';
import { avatar, enc } from './ui.js';

const has = (text, q) => text.toLowerCase().includes(q.toLowerCase());

const SOURCES = [
  ['Agents', 'AP_List', (q) => ({ target: { agent: q }, page: { limit: 8 } }), (body) => body.profile.map((agent) => ({ title: agent.name, sub: agent.description, path: `/console/agents/${enc(agent.name)}`, agent: true }))],
  ['Spaces', 'DM_List', (q) => ({ target: { domain: q }, page: { limit: 6 } }), (body) => body.profile.map((domain) => ({ title: domain.name, sub: domain.description, path: `/console/spaces/${enc(domain.name)}` }))],
  ['Banks', 'MB_List', (q) => ({ target: { bank: q }, page: { limit: 6 } }), (body) => body.profile.map((bank) => ({ title: bank.name, sub: bank.description, path: `/console/memory/${enc(bank.name)}` }))],
  ['Memories', 'MB_Search', (q) => ({ content: q, page: { limit: 5 } }), (body) => body.content.map((hit) => ({ title: hit.name ?? (hit.snippet ?? hit.text ?? '').slice(0, 60), sub: hit.bank, path: `/console/memory/${enc(hit.bank)}/${enc(hit.name ?? hit.id)}` }))],
  ['Documents', 'DC_List', (q) => ({ prefix: q, newest: true, page: { limit: 5 } }), (body) => body.documents.map((document) => ({ title: document.name, sub: document.state, path: `/console/documents/${enc(document.name)}` }))],
  ['Rules', 'RL_List', () => ({ page: { limit: 200 } }), (body, q) => body.rules.filter((rule) => has(`${rule.name} ${rule.description ?? ''}`, q)).slice(0, 5).map((rule) => ({ title: rule.name, sub: rule.effect, path: `/console/rules/${enc(rule.id)}` }))],
  ['Keys', 'AK_List', () => ({ page: { limit: 200 } }), (body, q) => body.keys.filter((key) => has(key.name, q)).slice(0, 5).map((key) => ({ title: key.name, sub: `${key.id} · ${key.state}`, path: `/console/keys/${enc(key.id)}` }))],
  ['Webhooks', 'WH_List', () => ({ page: { limit: 200 } }), (body, q) => body.endpoints.filter((one) => has(`${one.url} ${one.description ?? ''}`, q)).slice(0, 5).map((one) => ({ title: one.url, sub: one.description, path: `/console/webhooks/${enc(one.id)}` }))],
  ['Upstreams', 'UP_List', () => ({}), (body, q) => body.upstreams.filter((one) => has(`${one.name} ${one.url}`, q)).slice(0, 5).map((one) => ({ title: one.name, sub: one.url, path: `/console/upstreams/${enc(one.name)}` }))],
  ['Users', 'US_List', () => ({ page: { limit: 200 } }), (body, q) => body.profile.filter((user) => has(user.name, q)).slice(0, 5).map((user) => ({ title: user.name, sub: user.role, path: '/console/settings' }))],
  ['Skills', 'SK_List', () => ({ page: { limit: 200 } }), (body, q) => body.skills.filter((skill) => has(`${skill.name} ${skill.description ?? ''}`, q)).slice(0, 5).map((skill) => ({ title: skill.name, sub: skill.description, path: `/skills-hub/${enc(skill.name)}` }))],
];

const SPACES = 12;

// The zones of the spaces that the caller may see, and their latest messages. They are read once for each search.
async function inside() {
  const { profile } = await ask('DM_List', { page: { limit: SPACES } });
  const read = await Promise.all(profile.map((domain) => ask('DM_Read', { target: { domain: domain.name } }).catch(() => ({ zones: [] }))));
  return {
    zones: read.flatMap((body, i) => body.zones.map((zone) => ({ domain: profile[i].name, zone: zone.name }))),
    messages: read.flatMap((body) => body.messages ?? []).sort((a, b) => b.created_at.localeCompare(a.created_at)),
  };
}

export function open(go, pages) {
  const results = el('div', { class: 'found', role: 'listbox', id: 'found-list', 'aria-label': 'Found' });
  const input = el('input', { type: 'search', placeholder: 'Find an agent, a space, a memory, a document, a message…', 'aria-label': 'Search', role: 'combobox', 'aria-expanded': 'true', 'aria-controls': 'found-list', autocomplete: 'off', spellcheck: 'false' });
  const box = dialog('Search', input, results, el('p', { class: 'hint' }, 'Arrows to choose, Enter to open, Escape to close.'));
  box.classList.add('search');
  let chosen = 0;
  let turn = 0;
  let waiting;
  let spaces;
  const inSpaces = () => (spaces ??= inside());
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
    return el('div', { role: 'group', 'aria-label': title }, el('p', { class: 'found-title', 'aria-hidden': 'true' }, title), ...entries.map((entry) => el('div', {
      role: 'option', id: `found-${++ids}`, class: 'found-entry', 'aria-selected': 'false', 'data-path': entry.path, click: () => pick(entry.path),
    }, entry.agent ? avatar(entry.title) : null, el('b', {}, entry.title), entry.sub ? el('span', { class: 'soft' }, entry.sub) : null)));
  }

  function pick(path) {
    box.close();
    if (path.startsWith('/console/')) go(path);
    else location.assign(path);
  }

  const sources = [...SOURCES.map(([title, tool, args, read]) => ({ title, tools: [tool], find: async (q) => read(await ask(tool, args(q)), q) })),
    { title: 'Zones', tools: ['DM_List', 'DM_Read'], find: async (q) => (await inSpaces()).zones.map(({ domain, zone }) => ({ title: `${domain}/${zone}`, path: `/console/spaces/${enc(domain)}/${enc(zone)}` })).filter((zone) => has(zone.title, q)).slice(0, 6) },
    { title: 'Recent messages', tools: ['DM_List', 'DM_Read'], find: async (q) => (await inSpaces()).messages.filter((message) => has(message.content, q)).slice(0, 5).map((message) => ({ title: around(message.content, q), sub: `${message.from} in ${message.domain}/${message.zone}`, path: `/console/spaces/${enc(message.domain)}/${enc(message.zone)}` })) }];
  sources.push(...sources.splice(sources.findIndex((source) => source.title === 'Memories'), 1)); // The slowest.

  // The part of a text that the words are in.
  function around(text, q) {
    const before = text.slice(0, text.toLowerCase().indexOf(q.toLowerCase())).split(/\s+/).slice(-4).join(' ');
    const from = text.toLowerCase().indexOf(q.toLowerCase()) - before.length;
    return `${from > 0 ? '… ' : ''}${text.slice(Math.max(0, from), from + 80)}`;
  }

  async function look() {
    const mine = ++turn;
    const q = input.value.trim();
    const first = group('Pages', pages.filter((page) => page.title.toLowerCase().includes(q.toLowerCase())));
    if (!q) {
      results.replaceChildren(...[first].filter(Boolean));
      return choose(0);
    }
    // Each group is shown as soon as it and those above it are there: what is quick does not wait for what is slow.
    const asked = sources.filter((source) => source.tools.every(may)).map((source) => source.find(q).then((entries) => group(source.title, entries)).catch(() => null));
    const found = [];
    for (const one of [...asked, first]) {
      found.push(await one);
      if (mine !== turn) return;
      const shown = found.filter(Boolean);
      if (shown.length) results.replaceChildren(...shown);
      choose(moved ? Math.max(0, options().findIndex((option) => option.dataset.path === at)) : 0);
    }
    if (!found.some(Boolean)) results.replaceChildren(el('p', { class: 'soft' }, 'No match.'));
  }

  input.addEventListener('input', () => {
    clearTimeout(waiting);
    moved = false;
    waiting = setTimeout(look, 120);
  });
  input.addEventListener('keydown', (event) => {
    if (event.key === 'ArrowDown' || event.key === 'ArrowUp') {
      event.preventDefault();
      choose(chosen + (event.key === 'ArrowDown' ? 1 : -1));
      moved = true;
      at = options()[chosen]?.dataset.path;
    } else if (event.key === 'Enter') {
      event.preventDefault();
      const entry = options()[chosen];
      if (entry) pick(entry.dataset.path);
    } else if (event.key === 'Escape') {
      event.preventDefault(); // The browser would only clear the field.
      box.close();
    }
  });
  input.focus();
  look();
}
