// The first page: who is there, what is said in which room, what is remembered, as it happens.
import { call, glance, isAdmin, may, me, whyNot } from './api.js';
import { ago, avatar, client, clock, el, empty, enc, head, link, memoryCount, number, redrawn } from './ui.js';
import { atWork } from './at-work.js';
import { list, total } from './needs.js';
import { demoBar, startButton } from './demo.js';

const NEEDS = 3;
const ROOMS = 12;
const KEPT = 6;
const FEED = 60;
const FEW = 2;
const EARLIER = 12;
const TALKERS = 8;

// Between words, with a sign that there is more.
const cut = (text, most) => (text.length <= most ? text : `${text.slice(0, most).replace(/\s+\S*$/, '')} …`);

const either = (work, otherwise) => work.catch(() => otherwise);

export async function show({ view, on, isHere }) {
  const state = { agents: new Map(), rooms: new Map(), banks: new Map() };
  // Where there are few rooms, more of each is shown.
  const shown = () => (state.rooms.size <= FEW ? KEPT : 4);
  const people = el('ul', { class: 'people' });
  const rooms = el('div', { class: 'rooms' });
  const banks = el('div', { class: 'bank-row' });
  const feed = el('ol', { class: 'feed', 'aria-label': 'Latest events' });
  const demo = el('div', { class: 'demo-place', tabindex: '-1' });
  const body = el('div', { class: 'world-grid', tabindex: '-1' });
  const count = el('span', { class: 'count' });
  const needsMore = link('/console/inbox', '');
  needsMore.hidden = true;
  const needs = el(
    'section',
    { class: 'world-needs panel', 'aria-labelledby': 'w-needs', hidden: true },
    el('h2', { id: 'w-needs' }, 'Needs you '),
  );
  const needsList = list(NEEDS, on, isHere, () => {
    needs.hidden = !total();
    needsMore.hidden = total() <= NEEDS;
    needsMore.textContent = total() > NEEDS ? `All ${number(total())}` : '';
  });
  needs.append(needsList, needsMore);
  const work = el('section', { class: 'world-work', 'aria-labelledby': 'w-work', tabindex: '-1' });
  const readWork = atWork(work, on, isHere, () => [...state.rooms.values()].filter(takesPart).map((one) => one.name));
  const seen = new Set();

  async function load() {
    const [agents, domains, held] = await Promise.all([
      may('AP_List')
        ? either(call('AP_List', { page: { limit: 200 } }), { profile: [], content: [] })
        : { profile: [], content: [] },
      may('DM_List')
        ? either(call('DM_List', { page: { limit: ROOMS } }), { profile: [], content: [] })
        : { profile: [], content: [] },
      may('MB_List')
        ? either(call('MB_List', { page: { limit: 24 } }), { profile: [], content: [] })
        : { profile: [], content: [] },
    ]);
    state.hasMore = Boolean(agents.next_cursor);
    state.agents = new Map(
      agents.profile.map((agent, i) => [
        agent.name,
        { ...agent, ...agents.content[i], last: state.agents.get(agent.name)?.last },
      ]),
    );
    state.banks = new Map(held.profile.map((bank) => [bank.name, bank]));
    const read = await Promise.all(
      domains.profile.map((domain) =>
        either(call('DM_Read', { target: { domain: domain.name } }), {
          profile: [domain],
          content: [],
          zones: [],
          messages: [],
        }),
      ),
    );
    state.rooms = new Map(
      read.map((domain) => [
        domain.profile[0].name,
        {
          ...domain.profile[0],
          members: domain.content,
          zones: domain.zones ?? [],
          messages: (domain.messages ?? []).slice(-KEPT),
        },
      ]),
    );
    for (const room of state.rooms.values()) for (const message of room.messages) note(message);
  }

  const takesPart = (domain) =>
    may('TK_List') &&
    (isAdmin() ||
      domain.owner === me.user ||
      domain.members.some((member) => member.state === 'member' && state.agents.get(member.agent)?.owner === me.user));

  function note(message) {
    const agent = state.agents.get(message.from);
    if (agent && message.from_kind === 'agent') agent.last = message;
  }

  function person(agent) {
    return el(
      'li',
      { 'data-agent': agent.name },
      link(
        `/console/agents/${enc(agent.name)}`,
        avatar(agent.name, { online: agent.online }),
        el(
          'span',
          { class: 'person-words' },
          el('b', {}, agent.name),
          el('span', { class: 'soft clip' }, agent.last?.content ?? agent.description),
        ),
        el('span', { class: 'unseen' }, agent.online ? 'online' : 'offline'),
      ),
    );
  }

  // Shows what changed of somebody.
  function again(agent) {
    const find = () => people.querySelector(`[data-agent="${CSS.escape(agent.name)}"]`);
    redrawn(people, () => find()?.replaceWith(person(agent)));
    return find();
  }

  function said(message, fresh, { messages }) {
    const answered = message.reply_to && messages.find((one) => one.id === message.reply_to);
    return el(
      'li',
      { class: `bubble${fresh ? ' fresh' : ''}`, 'data-id': message.id },
      avatar(message.from, { kind: message.from_kind }),
      el(
        'div',
        {},
        el(
          'p',
          { class: 'bubble-head' },
          el('b', {}, message.from),
          ' ',
          el(
            'span',
            { class: 'soft' },
            message.by_key ? `by the key ${message.by_key} · ` : '',
            answered ? `answers ${answered.from} · ` : '',
            message.zone && message.zone !== 'main' ? `${message.zone} · ` : '',
            clock(message.created_at),
          ),
        ),
        el('p', { class: 'clip3' }, message.content),
      ),
    );
  }

  function room(domain) {
    const members = domain.members.filter((member) => member.state === 'member' || member.role);
    return el(
      'section',
      { class: 'room', 'data-domain': domain.name, 'aria-label': domain.name },
      el(
        'header',
        {},
        el('h3', {}, link(`/console/spaces/${enc(domain.name)}`, domain.name)),
        el(
          'span',
          { class: 'faces' },
          ...members.slice(0, 5).map((member) => avatar(member.agent, { online: member.online })),
        ),
        el('span', { class: 'soft zones' }, domain.zones.map((zone) => zone.name).join(', ')),
      ),
      el(
        'ol',
        { class: 'bubbles' },
        ...(domain.messages.length
          ? domain.messages.slice(-shown()).map((message) => said(message, false, domain))
          : [el('li', { class: 'soft quiet-room' }, 'No messages yet.')]),
      ),
    );
  }

  function bank(one) {
    return link(
      `/console/memory/${enc(one.name)}`,
      el(
        'span',
        { class: 'bank', 'data-bank': one.name },
        el('b', {}, one.name),
        el('span', { class: 'soft' }, `${memoryCount(one.memories)} ${one.memories === 1 ? 'memory' : 'memories'}`),
        el('span', { class: 'bank-last soft clip' }, one.last ?? one.description ?? ''),
      ),
    );
  }

  const draw = () => redrawn(body, drawn);

  function drawn() {
    if (!state.agents.size && !state.rooms.size && !state.banks.size && demo.hasChildNodes()) {
      body.replaceChildren(el('p', { class: 'soft pick' }, 'The agents of the demo appear here.'));
      return;
    }
    if (!state.agents.size && !state.rooms.size && !state.banks.size) {
      body.replaceChildren(
        empty(
          'No agents yet',
          'Agents, the rooms where they talk and the banks that hold their memories appear here, live. Watch three agents handle an incident, or connect your own client.',
          ...(isAdmin() ? [startButton({})] : []),
          el(
            'a',
            { class: isAdmin() ? 'button quiet' : 'button', href: '/mcp-hub/connect#claude-code' },
            'Connect Claude Code',
          ),
        ),
      );
      return;
    }
    const notAllowed = (tool) => el('p', { class: 'soft' }, `${whyNot(tool)}.`);
    people.replaceChildren(
      ...[...state.agents.values()]
        .sort((a, b) => Number(b.online) - Number(a.online) || a.name.localeCompare(b.name))
        .slice(0, 60)
        .map(person),
    );
    rooms.replaceChildren(
      ...(state.rooms.size
        ? [...state.rooms.values()].map(room)
        : [
            !may('DM_List')
              ? notAllowed('DM_List')
              : el(
                  'p',
                  { class: 'soft' },
                  'No rooms yet. A domain is a room with members and zones. ',
                  link('/console/spaces', 'Create one'),
                ),
          ]),
    );
    banks.replaceChildren(
      ...(state.banks.size
        ? [...state.banks.values()].map(bank)
        : [
            !may('MB_List')
              ? notAllowed('MB_List')
              : el('p', { class: 'soft' }, 'No memory banks yet. ', link('/console/memory', 'Create one')),
          ]),
    );
    count.textContent = !may('AP_List') ? '' : `${number(state.agents.size)}${state.hasMore ? '+' : ''}`;
    if (!body.contains(rooms)) {
      body.replaceChildren(
        el(
          'div',
          { class: 'world-side' },
          el(
            'section',
            { 'aria-labelledby': 'w-agents' },
            el('h2', { id: 'w-agents' }, 'Agents ', count),
            el('div', { class: 'panel' }, may('AP_List') ? people : notAllowed('AP_List')),
          ),
          work,
          el(
            'section',
            { class: 'world-banks', 'aria-labelledby': 'w-banks' },
            el('h2', { id: 'w-banks' }, 'Memory'),
            banks,
          ),
        ),
        el(
          'section',
          { class: 'world-rooms', 'aria-labelledby': 'w-rooms' },
          el('h2', { id: 'w-rooms' }, 'Rooms'),
          rooms,
        ),
        el(
          'section',
          { class: 'world-feed', 'aria-labelledby': 'w-feed' },
          el('h2', { id: 'w-feed' }, 'Latest'),
          el('div', { class: 'panel' }, feed),
        ),
      );
    }
    if (!feed.children.length)
      feed.append(el('li', { class: 'soft', 'data-none': true }, 'New messages, memories and deliveries appear here.'));
  }

  function happened(icon, words, at, path, fresh = true) {
    feed.querySelector('[data-none]')?.remove();
    feed.prepend(
      el(
        'li',
        { class: fresh ? 'fresh' : '' },
        el('span', { class: `dot ${icon}`, 'aria-hidden': 'true' }),
        path ? link(path, ...words) : el('span', {}, ...words),
        ago(at, true),
      ),
    );
    while (feed.children.length > FEED) feed.lastChild.remove();
  }

  function spoke(message, at, fresh = true) {
    const path = message.domain
      ? `/console/spaces/${enc(message.domain)}/${enc(message.zone)}`
      : `/console/agents/${enc(message.from_kind === 'agent' ? message.from : message.to)}`;
    happened(
      'said',
      [
        el('b', {}, message.from),
        message.domain
          ? ` in ${message.zone === 'main' ? message.domain : `${message.domain}, ${message.zone}`}: `
          : ` to ${message.to}: `,
        el('span', { class: 'soft' }, cut(message.content, 120)),
      ],
      at,
      path,
      fresh,
    );
  }

  // What was said before the page was open, in the rooms and between agents.
  async function earlier() {
    const speakers = may('AP_Read')
      ? [...state.agents.values()]
          .filter((agent) => agent.last_message_at)
          .sort((a, b) => b.last_message_at.localeCompare(a.last_message_at))
          .slice(0, TALKERS)
      : [];
    const talks = await Promise.all(speakers.map((agent) => either(glance(agent.name, 5), { content: [] })));
    if (!isHere()) return;
    const known = new Map(
      [...[...state.rooms.values()].flatMap((one) => one.messages), ...talks.flatMap((talk) => talk.content)].map(
        (message) => [message.id, message],
      ),
    );
    const older = [...known.values()].sort((a, b) => a.created_at.localeCompare(b.created_at)).slice(-EARLIER);
    const since = [...feed.children].filter((one) => !one.hasAttribute('data-none'));
    feed.replaceChildren();
    for (const message of older) {
      note(message);
      if (!seen.has(message.id)) spoke(message, message.created_at, false);
    }
    feed.prepend(...since);
    draw();
  }

  let waiting;
  function reload() {
    clearTimeout(waiting);
    waiting = setTimeout(async () => {
      await load();
      if (!isHere()) return;
      draw();
      readWork();
    }, 400);
  }

  on('messages', (message) => {
    seen.add(message.id);
    spoke(message, message.at);
    note(message);
    const at = state.rooms.get(message.domain);
    if (message.domain && !at) return reload();
    if (at && !at.messages.some((one) => one.id === message.id)) {
      at.messages = [...at.messages, message].slice(-KEPT);
      const list = rooms.querySelector(`[data-domain="${CSS.escape(message.domain)}"] .bubbles`);
      if (list) {
        list.querySelector('.quiet-room')?.remove();
        list.append(said(message, true, at));
        while (list.children.length > shown()) list.firstChild.remove();
      }
    }
    const speaker = state.agents.get(message.from);
    if (speaker && message.from_kind === 'agent') again(speaker)?.classList.add('fresh');
  });

  on('memories', (memory) => {
    const words = { stored: 'stored', updated: 'changed', removed: 'removed' }[memory.change] ?? memory.change;
    happened(
      'kept',
      [
        el('b', {}, memory.author ?? 'Somebody'),
        ` ${words} in ${memory.bank}: `,
        el(
          'span',
          { class: 'soft' },
          memory.name ?? (memory.text ? cut(memory.text, 80) : null) ?? `${number(memory.count)} memories`,
        ),
      ],
      memory.at,
      `/console/memory/${enc(memory.bank)}${memory.change !== 'removed' && (memory.name ?? memory.id) ? `/${enc(memory.name ?? memory.id)}` : ''}`,
    );
    const known = state.banks.get(memory.bank);
    if (!known) return reload();
    if (memory.change === 'stored') known.memories += memory.count ?? 1;
    known.last = memory.name ?? memory.text;
    redrawn(banks, () => {
      const next = bank(known);
      next.firstChild.classList.add('fresh');
      banks
        .querySelector(`[data-bank="${CSS.escape(memory.bank)}"]`)
        ?.closest('a')
        .replaceWith(next);
    });
  });

  on('presence', (change) => {
    const words =
      {
        created: 'was created',
        destroyed: 'was deleted',
        joined: `joined ${change.domain ?? 'a room'}`,
        left: `left ${change.domain ?? 'a room'}`,
      }[change.change] ?? (change.change === 'seen' ? (change.online ? 'came online' : 'went offline') : null);
    if (words)
      happened('seen', [el('b', {}, change.agent), ` ${words}`], change.at, `/console/agents/${enc(change.agent)}`);
    const known = state.agents.get(change.agent);
    if (change.change === 'seen' && known) {
      known.online = change.online;
      again(known);
    } else {
      reload();
    }
  });
  on('deliveries', (delivery) =>
    happened(
      delivery.state === 'delivered' ? 'seen' : 'bad',
      [
        el('b', {}, delivery.state === 'delivered' ? 'Delivered' : 'Not delivered'),
        ': ',
        el('span', { class: 'soft' }, delivery.event_type),
      ],
      delivery.at,
      delivery.endpoint_id ? `/console/webhooks/${enc(delivery.endpoint_id)}` : '/console/webhooks',
    ),
  );
  // Not each request without a session: only of a client that gives its name.
  on(
    'handshakes',
    ({ client: name, problem, at, key_id }) =>
      name &&
      happened(
        problem ? 'bad' : 'seen',
        [el('b', {}, client(name)), problem ? ' could not connect' : ' connected'],
        at,
        key_id ? `/console/keys/${enc(key_id)}` : '/mcp-hub/connect',
      ),
  );
  on('reset', reload);

  await load();
  view.append(
    head('World', {
      sub: 'Agents, rooms and memory, live.',
      actions: isAdmin() ? [startButton({ class: 'quiet', id: 'start-demo' })] : [],
    }),
    needs,
    demo,
    body,
  );
  draw();
  earlier();
  readWork();
  // No stream contains reads. The reads of the demo are in its progress.
  demoBar(
    demo,
    on,
    isHere,
    () => {
      draw();
      reload();
    },
    (doing) => {
      if (['MB_Search', 'MB_Read'].includes(doing.tool))
        happened(
          'kept',
          [el('b', {}, doing.agent), ' ', el('span', { class: 'soft' }, doing.words)],
          new Date().toISOString(),
          '/console/memory',
        );
    },
  );
}
