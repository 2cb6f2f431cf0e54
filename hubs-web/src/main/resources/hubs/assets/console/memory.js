// Memory: banks, what is in them, who may do what with them.
import { all, call, may, mayChange, whyNot } from './api.js';
import {
  action,
  ago,
  announce,
  asCode,
  ask,
  DANGER,
  el,
  empty,
  enc,
  given,
  head,
  link,
  memoryCount,
  number,
  problem,
  subnav,
  tag,
  toast,
} from './ui.js';
import { evaluating } from './evaluate.js';
import { importing } from './memory-import.js';
import { find, showMemory } from './memory-one.js';
import { bankTrash, censor, loading, trash } from './memory-parts.js';
import { showList, virtualList } from './virtual.js';

const PERMISSIONS = ['none', 'read', 'append', 'write', 'manage'];
const ACCESS = ['private', 'bank', 'agent', 'domain', 'public'];

const newBank = (go) =>
  ask({
    title: 'New memory bank',
    text: 'A named, searchable, shared collection of memories.',
    verb: 'Create',
    tool: 'MB_Create',
    fields: [
      { name: 'name', label: 'Name', required: true, max: 64 },
      { name: 'description', label: 'Description', max: 2000 },
      { name: 'access', label: 'Who may read it', options: ACCESS, value: 'private' },
      { name: 'agent', label: 'Its manager', hint: 'One of your agents. Optional.' },
    ],
    args: ({ agent, ...vx }) => given({ target: given({ agent }), vx: given(vx) }),
    done: (answer) => go(`/console/memory/${enc(answer.bank.name)}`),
  });

const memories = (bank) => `${memoryCount(bank.memories)} ${bank.memories === 1 ? 'memory' : 'memories'}`;

const PARTS = [
  ['banks', 'Banks', '/console/memory'],
  ['permissions', 'Permissions', '/console/memory?view=permissions'],
  ['trash', 'Trash', '/console/memory?view=trash'],
];

export async function show({ at, view, on, go, isHere }) {
  const banks = await all('MB_List', {}, (body) => body.profile.map((bank, i) => ({ ...bank, ...body.content[i] })));
  view.append(
    head('Memory', {
      sub: 'What agents remember, in shared banks.',
      actions: [action('MB_Create', 'New bank', () => newBank(go), '')],
    }),
  );
  if (!at.parts[0] && at.query.get('view') === 'permissions') {
    view.append(subnav('Parts', PARTS, 'permissions'));
    await matrix(view, banks);
    return;
  }
  if (!at.parts[0] && at.query.get('view') === 'trash') {
    view.append(subnav('Parts', PARTS, 'trash'));
    await trash(view, go);
    return;
  }
  if (!banks.length && !at.parts[0]) {
    view.append(
      subnav('Parts', PARTS, 'banks'),
      empty(
        'No memory banks yet',
        'A bank holds memories, and defines who may read, append, write or manage them. Create one, then let an agent store a memory in it.',
        action('MB_Create', 'Create a bank', () => newBank(go), ''),
      ),
    );
    return;
  }
  view.append(subnav('Parts', PARTS, 'banks'));
  const side = el('nav', { class: 'side channels', 'aria-label': 'Banks' });
  side.append(
    ...banks.map((bank) => {
      const entry = link(
        `/console/memory/${enc(bank.name)}`,
        el('b', {}, bank.name),
        el('span', { class: 'soft', 'data-bank': bank.name }, memoryCount(bank.memories)),
      );
      if (bank.name === at.parts[0]) entry.setAttribute('aria-current', 'page');
      return entry;
    }),
  );
  const detail = el('div', { class: 'detail' });
  view.append(el('div', { class: `split${at.parts[0] ? ' chosen' : ''}` }, side, detail));
  on('memories', (memory) => {
    const bank = banks.find((one) => one.name === memory.bank);
    if (!bank || memory.change !== 'stored') return;
    bank.memories += memory.count ?? 1;
    side.querySelector(`[data-bank="${CSS.escape(bank.name)}"]`).textContent = memoryCount(bank.memories);
  });
  const wanted = at.parts[0] ?? banks[0]?.name;
  if (wanted)
    await bankDetail(wanted, at.parts.slice(1).join('/'), detail, {
      on,
      go,
      isHere,
      part: at.query.get('view'),
      query: at.query.get('q'),
    });
}

async function bankDetail(name, memory, place, { on, go, isHere, part, query }) {
  let first;
  try {
    first = await call('MB_Read', { target: { bank: name }, page: { limit: 50 } });
  } catch (error) {
    place.append(problem(error));
    return;
  }
  const bank = first.profile[0];
  const again = () => go(location.pathname, true);
  if (part === 'load') {
    await loading(bank, place, go);
    return;
  }
  if (part === 'import') {
    importing(bank, place);
    return;
  }
  if (part === 'trash') {
    await bankTrash(bank, place);
    return;
  }
  if (part === 'evaluate') {
    evaluating(bank, place);
    return;
  }
  if (memory) {
    try {
      showMemory(await find(bank.name, memory), bank, place, { go, isHere });
      return;
    } catch (error) {
      place.append(problem(error)); // It has no such memory any more: the list stands.
    }
  }
  place.append(
    el(
      'header',
      { class: 'detail-head' },
      el('div', {}, el('h2', {}, bank.name), el('p', { class: 'soft' }, bank.description ?? '')),
      el(
        'div',
        { class: 'head-actions' },
        action(
          'MB_Store',
          'Store a memory',
          () =>
            ask({
              title: `Store in ${bank.name}`,
              verb: 'Store',
              tool: 'MB_Store',
              fields: [
                { name: 'content', label: 'Text', long: 4, required: true, max: 64000 },
                { name: 'name', label: 'Name', max: 64, hint: 'The same name again creates a new revision.' },
                { name: 'tags', label: 'Tags', hint: 'Comma-separated.' },
                { name: 'agent', label: 'As the agent', hint: 'One of yours. Optional: default is you.' },
              ],
              args: (values) =>
                given({
                  target: given({ bank: bank.name, agent: values.agent }),
                  content: values.content,
                  vx: given({
                    name: values.name,
                    tags: values.tags
                      ? values.tags
                          .split(',')
                          .map((one) => one.trim())
                          .filter(Boolean)
                      : undefined,
                  }),
                }),
              done: () => toast('Stored.'),
            }),
          '',
        ),
        el('a', { class: 'button quiet', href: `/console/memory/${enc(bank.name)}?view=load` }, 'Preview loading'),
        may('MB_Export')
          ? el(
              'a',
              {
                class: 'button quiet',
                href: `/api/banks/${enc(bank.name)}/export?revisions=true`,
                download: `${bank.name}.jsonl`,
                title: 'The whole bank with its history, as JSON lines',
              },
              'Export',
            )
          : null,
        mayChange('MB_Import')
          ? el('a', { class: 'button quiet', href: `/console/memory/${enc(bank.name)}?view=import` }, 'Import')
          : null,
        may('MB_Evaluate')
          ? el('a', { class: 'button quiet', href: `/console/memory/${enc(bank.name)}?view=evaluate` }, 'Evaluate')
          : null,
        may('MB_Trash')
          ? el('a', { class: 'button quiet', href: `/console/memory/${enc(bank.name)}?view=trash` }, 'Trash')
          : null,
        action('MB_Censor', 'Censor…', () => censor(bank, again), DANGER),
        action(
          'MB_Delete',
          'Delete',
          () =>
            ask({
              title: `Delete ${bank.name}?`,
              text: `${memories(bank)} can be restored for 30 days.`,
              verb: 'Move to trash',
              danger: true,
              tool: 'MB_Delete',
              args: () => ({ target: { bank: bank.name } }),
              done: () => {
                toast('Moved to the trash for 30 days.');
                go('/console/memory?view=trash');
              },
            }),
          DANGER,
        ),
      ),
    ),
    el(
      'p',
      { class: 'tagline' },
      tag(`access ${bank.access}`),
      tag(`owned by ${bank.owner}`),
      bank.state !== 'active' ? tag(bank.state, 'destroys') : null,
      tag(memories(bank)),
    ),
  );

  const authors = el('input', { type: 'search', placeholder: 'Author', 'aria-label': 'Only by this agent' });
  const tags = el('input', {
    type: 'search',
    placeholder: 'Tags',
    'aria-label': 'Only with these tags, with commas between them',
  });
  const words = may('MB_Search')
    ? el('input', { type: 'search', placeholder: 'Search memories', 'aria-label': 'Search this bank' })
    : null;
  const found = el('div', { class: 'memories' });
  place.append(el('div', { class: 'filters' }, words, authors, tags), found);
  const args = () => ({
    target: given({ bank: bank.name, agent: authors.value.trim() }),
    ...(tags.value.trim() && {
      vx: {
        tags: tags.value
          .split(',')
          .map((one) => one.trim())
          .filter(Boolean),
      },
    }),
  });
  let list;
  let newest = 0; // A slow search must not replace what was asked for later.
  function listing() {
    newest++;
    let cursor;
    list = virtualList({
      height: 76,
      row: entry,
      label: `Memories in ${bank.name}`,
      empty: () => 'No memories here.',
      more: async () => {
        const body = await call('MB_Read', { ...args(), page: { limit: 100, ...(cursor && { cursor }) } });
        cursor = body.next_cursor;
        return { items: body.content, more: Boolean(cursor) };
      },
    });
    showList(found, list);
  }
  function entry(one) {
    const entry_ = link(
      `/console/memory/${enc(bank.name)}/${enc(one.name ?? one.id)}`,
      el(
        'span',
        { class: 'memory-head' },
        one.name ? el('b', {}, one.name) : el('span', { class: 'soft' }, 'unnamed'),
        el('span', { class: 'soft' }, ...(one.updated_at ? [one.author, ' · ', ago(one.updated_at)] : [])),
        ...(one.tags ?? []).slice(0, 3).map((text) => tag(text)),
      ),
      el('span', { class: 'clip2' }, ...marked(one.text, one.why?.highlights)),
    );
    entry_.className = 'memory';
    return entry_;
  }
  async function search() {
    const q = words.value.trim();
    if (!q) return listing();
    const mine = ++newest;
    try {
      const body = await call('MB_Search', {
        content: q,
        target: given({ bank: bank.name, agent: authors.value.trim() }),
        page: { limit: 20 },
      });
      if (mine !== newest) return;
      const result = body.abstain
        ? 'No good match. These are the nearest.'
        : `${body.content.length} found in ${number(body.searched?.memories)} memories.`;
      if (found.isConnected) announce(result);
      found.replaceChildren(
        el('p', { class: body.abstain ? 'note' : 'soft' }, result),
        el(
          'div',
          { class: 'hits' },
          ...(body.abstain ? (body.near ?? []) : body.content).map((hit) =>
            el(
              'div',
              { class: 'hit' },
              entry({ ...hit, text: hit.text ?? hit.snippet }),
              el(
                'p',
                { class: 'soft' },
                `Score ${hit.score?.toFixed?.(2) ?? hit.score}`,
                hit.why?.text_rank ? ` · word rank ${hit.why.text_rank}` : '',
                hit.why?.vector_rank ? ` · meaning rank ${hit.why.vector_rank}` : '',
                hit.why?.terms?.length ? ` · found ${hit.why.terms.join(', ')}` : '',
              ),
            ),
          ),
        ),
      );
    } catch (error) {
      if (mine === newest) found.replaceChildren(problem(error));
    }
  }
  let waiting;
  for (const input of [words, authors, tags].filter(Boolean)) {
    input.addEventListener('input', () => {
      clearTimeout(waiting);
      waiting = setTimeout(words?.value.trim() ? search : listing, 200);
    });
  }
  if (words && query) {
    words.value = query;
    await search();
  } else {
    listing();
  }
  on('memories', (change) => {
    if (
      change.bank !== bank.name ||
      !isHere() ||
      words?.value ||
      authors.value ||
      tags.value ||
      !list ||
      change.change !== 'stored' ||
      !change.text
    )
      return;
    if (list.items.every((one) => one.id !== change.id))
      list.unshift({ ...change, tags: change.tags ?? [], updated_at: change.at });
  });
}

// The text with what was searched for marked; places count characters, not UTF-16 units.
function marked(text, places = []) {
  const signs = [...(text ?? '')];
  const pieces = [];
  let at = 0;
  for (const [from, to] of places) {
    if (from < at) continue;
    pieces.push(signs.slice(at, from).join(''), el('mark', {}, signs.slice(from, to).join('')));
    at = to;
  }
  return [...pieces, signs.slice(at).join('')];
}

// Agents by banks: a click on a permission shows the others, a click on one of them sets it.
async function matrix(view, banks) {
  const agents = await all('AP_List', {}, (body) => body.profile, 2);
  const shown = banks.slice(0, 30);
  const held = new Map();
  await Promise.all(
    shown.map(async (bank) => {
      const body = await call('MB_Permissions', { target: { bank: bank.name }, page: { limit: 200 } }).catch(() => ({
        permissions: [],
      }));
      for (const one of body.permissions) held.set(`${bank.name}\n${one.agent}`, one);
    }),
  );
  if (!agents.length || !shown.length) {
    view.append(
      empty(
        'Nothing to share yet',
        'Create agents and banks first. This table then shows the permission of each agent on each bank.',
        link('/console/agents', 'Agents'),
      ),
    );
    return;
  }
  const choices = el('div', { class: 'choices', popover: 'auto', role: 'group' });
  const cell = (bank, agent) => {
    const one = held.get(`${bank.name}\n${agent.name}`) ?? { permission: 'none' };
    const button = el(
      'button',
      {
        type: 'button',
        class: `cell p-${one.permission}`,
        disabled: !mayChange('MB_Permissions'),
        title: [one.why ?? 'No permission.', whyNot('MB_Permissions')].filter(Boolean).join(' '),
        'aria-haspopup': 'true',
        'aria-label': `${agent.name} on ${bank.name}: ${one.permission}`,
        click: () => choose(button, bank, agent, one),
      },
      one.permission === 'none' ? '–' : one.permission,
    );
    return button;
  };
  function choose(button, bank, agent, one) {
    choices.setAttribute('aria-label', `${agent.name} on ${bank.name}`);
    choices.replaceChildren(
      ...PERMISSIONS.map((access) =>
        el(
          'button',
          {
            type: 'button',
            class: `cell p-${access}`,
            'aria-pressed': String(access === one.permission),
            click: () => set(button, bank, agent, access),
          },
          access,
        ),
      ),
      asCode('The permission', () => [
        {
          tool: 'MB_Permissions',
          args: { target: { bank: bank.name, agent: agent.name }, vx: { access: one.permission } },
        },
      ]),
    );
    choices.showPopover();
    const place = button.getBoundingClientRect();
    choices.style.left = `${Math.max(8, Math.min(place.left, innerWidth - choices.offsetWidth - 8))}px`;
    choices.style.top = `${place.bottom + choices.offsetHeight + 12 > innerHeight ? place.top - choices.offsetHeight - 4 : place.bottom + 4}px`;
    choices.querySelector('[aria-pressed="true"]').focus();
  }
  async function set(button, bank, agent, access) {
    choices.hidePopover();
    try {
      const { permissions } = await call('MB_Permissions', {
        target: { bank: bank.name, agent: agent.name },
        vx: { access },
      });
      const now = permissions.find((each) => each.agent === agent.name);
      if (now) held.set(`${bank.name}\n${agent.name}`, now);
      const next = cell(bank, agent);
      button.replaceWith(next);
      next.focus();
      toast(`${agent.name} on ${bank.name}: ${now?.permission ?? access}.`);
    } catch (error) {
      toast(error.message);
    }
  }
  view.append(
    el(
      'p',
      { class: 'soft' },
      mayChange('MB_Permissions')
        ? 'Select a permission to change it. It applies at once.'
        : `What each agent may do with each bank. ${whyNot('MB_Permissions')}.`,
    ),
    choices,
    el(
      'div',
      { class: 'scroll', tabindex: '0', role: 'region', 'aria-label': 'Permissions' },
      el(
        'table',
        { class: 'matrix' },
        el(
          'thead',
          {},
          el(
            'tr',
            {},
            el('th', { scope: 'col' }, 'Agent'),
            ...shown.map((bank) => el('th', { scope: 'col' }, link(`/console/memory/${enc(bank.name)}`, bank.name))),
          ),
        ),
        el(
          'tbody',
          {},
          ...agents
            .slice(0, 200)
            .map((agent) =>
              el(
                'tr',
                {},
                el('th', { scope: 'row' }, agent.name),
                ...shown.map((bank) => el('td', {}, cell(bank, agent))),
              ),
            ),
        ),
      ),
    ),
  );
}
