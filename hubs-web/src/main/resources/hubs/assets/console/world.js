// The first page: who is there, what is said in which room, what is remembered, as it happens.
import { call, glance, isAdmin, may, me } from './api.js';
import { client, draw, enc, encAgent, head, html, link, nothing, number } from './parts.js';
import { atWork } from './at-work.js';
import { list, total, watch } from './needs.js';
import { Demo, startButton } from './demo.js';
import { cut, worldGrid } from './world-parts.js';
import { withoutIds } from './transcript-model.js';

const NEEDS = 3;
const ROOMS = 12;
const KEPT = 6;
const FEED = 60;
const FEW = 2;
const EARLIER = 12;
const TALKERS = 8;

const either = (work, otherwise) => work.catch(() => otherwise);
const listed = (tool, page) =>
  may(tool) ? either(call(tool, { page }), { profile: [], content: [] }) : { profile: [], content: [] };

const byName = (pairs) => new Map(pairs.map((one) => [one.name, one]));

export async function show({ view, on, isHere }) {
  const state = { agents: new Map(), rooms: new Map(), banks: new Map(), feed: [] };
  const seen = new Set();
  let isRead = false;
  let events = 0;
  const work = atWork(on, isHere, drawn, () => [...state.rooms.values()].filter(takesPart).map((one) => one.name));
  // No stream contains reads. The reads of the demo are in its progress.
  const demo = new Demo({
    on,
    isHere,
    drawn,
    changed: reload,
    acted: ({ tool, agent, words }) => {
      if (['MB_Search', 'MB_Read'].includes(tool))
        happened(
          'kept',
          html`<b>${agent}</b> <span class="soft">${words}</span>`,
          new Date().toISOString(),
          '/console/memory',
        );
    },
  });

  function drawn() {
    if (!isHere() || !isRead) return;
    draw(
      html`${head('World', {
          sub: 'Agents, rooms and memory, live.',
          actions: isAdmin() && !demo.isThere ? [startButton({ kind: 'quiet', id: 'start-demo' })] : [],
        })}
        ${needs()}
        <div class="demo-place" tabindex="-1">${demo.view()}</div>
        <div class="world-grid" tabindex="-1">
          ${
            // Where there are few rooms, more of each is shown.
            worldGrid(state, { most: state.rooms.size <= FEW ? KEPT : 4, work: work.view(), hasDemo: demo.isThere })
          }
        </div>`,
      view,
    );
  }

  const needs = () =>
    html`<section class="world-needs panel" aria-labelledby="w-needs" ?hidden=${!total()}>
      <h2 id="w-needs">Needs you</h2>
      ${list(NEEDS)} ${total() > NEEDS ? link('/console/inbox', `All ${number(total())}`) : nothing}
    </section>`;

  async function load() {
    const [agents, domains, banks] = await Promise.all([
      listed('AP_List', { limit: 200 }),
      listed('DM_List', { limit: ROOMS }),
      listed('MB_List', { limit: 24 }),
    ]);
    state.hasMore = Boolean(agents.next_cursor);
    state.agents = byName(
      agents.profile.map((agent, i) => ({
        ...agent,
        ...agents.content[i],
        last: state.agents.get(agent.name)?.last,
      })),
    );
    state.banks = byName(banks.profile);
    const read = await Promise.all(
      domains.profile.map((domain) =>
        either(call('DM_Read', { target: { domain: domain.name } }), { profile: [domain], content: [] }),
      ),
    );
    state.rooms = byName(
      read.map((domain) => ({
        ...domain.profile[0],
        members: domain.content,
        zones: domain.zones ?? [],
        messages: (domain.messages ?? []).slice(-KEPT),
      })),
    );
    for (const room of state.rooms.values()) room.messages.forEach(note);
  }

  const takesPart = (domain) =>
    may('TK_List') &&
    (isAdmin() ||
      domain.owner === me.user ||
      domain.members.some((member) => member.state === 'member' && state.agents.get(member.agent)?.owner === me.user));

  function note(message) {
    const agent = state.agents.get(message.from);
    if (!agent || message.from_kind !== 'agent') return null;
    agent.last = message;
    return agent;
  }

  const entry = (icon, words, at, path, isFresh = true) => ({ key: (events += 1), icon, words, at, path, isFresh });

  function happened(...parts) {
    state.feed = [entry(...parts), ...state.feed].slice(0, FEED);
    drawn();
  }

  function spoke(message, at, isFresh = true) {
    const place = message.zone === 'main' ? message.domain : `${message.domain}, ${message.zone}`;
    return [
      'said',
      html`<b dir="auto">${message.from}</b>${message.domain ? ` in ${place}: ` : ` to ${message.to}: `}<span
          dir="auto"
          class="soft"
          >${cut(withoutIds(message.content), 120)}</span
        >`,
      at,
      message.domain
        ? `/console/spaces/${enc(message.domain)}/${enc(message.zone)}`
        : `/console/agents/${encAgent(message.from_kind === 'agent' ? message.from : message.to)}`,
      isFresh,
    ];
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
    const byId = new Map(
      [...[...state.rooms.values()].flatMap((one) => one.messages), ...talks.flatMap((talk) => talk.content)].map(
        (message) => [message.id, message],
      ),
    );
    const older = [...byId.values()].sort((a, b) => a.created_at.localeCompare(b.created_at)).slice(-EARLIER);
    older.forEach(note);
    const unseen = older.filter((message) => !seen.has(message.id)).reverse();
    state.feed.push(...unseen.map((message) => entry(...spoke(message, message.created_at, false))));
    drawn();
  }

  let waiting;
  function reload() {
    clearTimeout(waiting);
    waiting = setTimeout(async () => {
      await load();
      drawn();
      work.read();
    }, 400);
  }

  on('messages', (message) => {
    seen.add(message.id);
    const agent = note(message);
    const at = state.rooms.get(message.domain);
    if (message.domain && !at) reload();
    else if (agent) agent.isFresh = true;
    if (at && !at.messages.some((one) => one.id === message.id))
      at.messages = [...at.messages, { ...message, isFresh: true }].slice(-KEPT);
    happened(...spoke(message, message.at));
  });

  on('memories', (memory) => {
    const words = { stored: 'stored', updated: 'changed', removed: 'removed' }[memory.change] ?? memory.change;
    const bank = state.banks.get(memory.bank);
    if (bank) {
      if (memory.change === 'stored') bank.memories += memory.count ?? 1;
      bank.last = memory.name ?? memory.text;
      bank.isFresh = true;
    } else {
      reload();
    }
    const text = memory.name ?? (memory.text ? cut(memory.text, 80) : null) ?? `${number(memory.count)} memories`;
    const one = memory.change !== 'removed' && (memory.name ?? memory.id);
    happened(
      'kept',
      html`<b dir="auto">${memory.author ?? 'Somebody'}</b> ${words} in ${memory.bank}:
        <span dir="auto" class="soft">${text}</span>`,
      memory.at,
      `/console/memory/${enc(memory.bank)}${one ? `/${enc(one)}` : ''}`,
    );
  });

  on('presence', (change) => {
    const agent = state.agents.get(change.agent);
    if (change.change === 'seen' && agent) agent.online = change.online;
    else reload();
    const words =
      {
        created: 'was created',
        destroyed: 'was deleted',
        joined: `joined ${change.domain ?? 'a room'}`,
        left: `left ${change.domain ?? 'a room'}`,
      }[change.change] ?? (change.change === 'seen' ? (change.online ? 'came online' : 'went offline') : null);
    if (words)
      happened(
        'seen',
        html`<b dir="auto">${change.agent}</b> ${words}`,
        change.at,
        `/console/agents/${encAgent(change.agent)}`,
      );
    else drawn();
  });
  on('deliveries', (delivery) => {
    const isDelivered = delivery.state === 'delivered';
    happened(
      isDelivered ? 'seen' : 'bad',
      html`<b>${isDelivered ? 'Delivered' : 'Not delivered'}</b>: <span class="soft">${delivery.event_type}</span>`,
      delivery.at,
      delivery.endpoint_id ? `/console/webhooks/${enc(delivery.endpoint_id)}` : '/console/webhooks',
    );
  });
  // Not each request without a session: only of a client that gives its name.
  on(
    'handshakes',
    ({ client: name, problem, at, key_id }) =>
      name &&
      happened(
        problem ? 'bad' : 'seen',
        html`<b dir="auto">${client(name)}</b>${problem ? ' could not connect' : ' connected'}`,
        at,
        key_id ? `/console/keys/${enc(key_id)}` : '/mcp-hub/connect',
      ),
  );
  on('reset', reload);
  watch(isHere, drawn);

  await load();
  isRead = true;
  drawn();
  earlier();
  work.read();
  demo.follow();
}
