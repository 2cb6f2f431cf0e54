// Agents: who there is, and one of them beside the list.
import { FIELDS, one } from './agent.js';
import { ask as invoke, call, glance, may } from './api.js';
import {
  action,
  ago,
  ask,
  avatar,
  back,
  draw,
  el,
  empty,
  encAgent,
  compact,
  head,
  html,
  nothing,
  number,
  sample,
} from './parts.js';
import { virtualList } from './virtual.js';
import { withoutIds } from './transcript-model.js';

// px of a row: its name with what is around it, and each line below. Both grow with the browser's size of text.
const TEXT = parseFloat(getComputedStyle(document.documentElement).fontSize) / 16;
const NAME = 38 * TEXT;
const LINE = 19 * TEXT;

function create(go) {
  return ask({
    title: 'New agent',
    verb: 'Create',
    fields: FIELDS(),
    tool: 'AP_Create',
    args: (values) => ({ vx: compact(values) }),
    done: (answer) => go(`/console/agents/${encAgent(answer.agent.name)}`),
  });
}

// The beginning of a persona, without the marks of its headings and lists.
const beginning = (persona) =>
  persona
    .replace(/^[#>*\s-]+/gm, '')
    .replace(/\s+/g, ' ')
    .slice(0, 240);

// In whichever order the database has names.
const isAfter = (name, other) => name.toLowerCase() > other.toLowerCase() && name.localeCompare(other) > 0;

export async function show(context) {
  const { at, view, on, go, isHere } = context;
  const agentName = at.parts.join('/') || undefined;
  const words = new Map(); // What an agent said last, by its name.
  const silent = new Set(); // Names of agents that said nothing lately.
  const personas = new Map(); // The beginning of its persona, and of which revision, by its name.
  const reads = new Map(); // What was known of an agent when it was read, by its name.
  const queue = [];
  let readers = 0;

  // The personas and the last words of those in sight, a few at a time.
  async function readCards() {
    readers += 1;
    while (queue.length && isHere()) {
      const agent = queue.pop(); // Those that came into sight last are in sight.
      const body = await glance(agent.name, 10).catch(() => null);
      if (!body) reads.delete(agent.name); // It is read again when it is shown again.
      const said = body?.content.filter((message) => message.from === agent.name).at(-1);
      if (said && !words.has(agent.name)) words.set(agent.name, said.content);
      if (body && !said) silent.add(agent.name);
      if (body?.profile?.[0].profile)
        personas.set(agent.name, { revision: agent.revision, text: beginning(body.profile[0].profile) });
      if (body) list.draw();
    }
    readers -= 1;
  }

  function requestCard(agent) {
    const isKnown =
      (words.has(agent.name) || !agent.last_message_at) &&
      (!agent.profile_length || personas.get(agent.name)?.revision === agent.revision);
    const state = `${agent.revision} ${agent.last_message_at}`;
    if (isKnown || reads.get(agent.name) === state || !may('AP_Read')) return;
    reads.set(agent.name, state);
    queue.push(agent);
    if (queue.length > 40) reads.delete(queue.shift().name);
    if (readers < 3) readCards();
  }

  // The row of an agent with messages has a line for its last words, also before they are read, so that no row changes its height.
  const lines = (agent) => [
    agent.description,
    agent.profile_length,
    agent.skills?.length,
    words.has(agent.name) || (agent.last_message_at ? may('AP_Read') : agent.online),
  ];

  const persona = (agent) =>
    personas.get(agent.name)?.text ?? `A persona of ${number(agent.profile_length)} characters`;

  const row = (agent) => {
    requestCard(agent);
    return html`<a
      href="/console/agents/${encAgent(agent.name)}"
      data-go="true"
      data-agent=${agent.name}
      class=${agent.parent ? 'below' : nothing}
      aria-current=${agent.name === agentName ? 'true' : nothing}
    >
      ${avatar(agent.name, { online: agent.online })}
      <span class="person-words">
        <span class="person-top">
          <b dir="auto">${agent.name}</b>
          ${agent.last_message_at ? html`<span class="soft">${ago(agent.last_message_at, true)}</span>` : nothing}
        </span>
        <span dir="auto" class="clip">${agent.description}</span>
        ${agent.profile_length ? html`<span dir="auto" class="soft clip persona">${persona(agent)}</span>` : nothing}
        ${
          agent.skills?.length
            ? html`<span class="soft clip small"
                >Skills: ${agent.skills.map((skill) => skill.name ?? skill).join(', ')}</span
              >`
            : nothing
        }
        ${
          words.has(agent.name)
            ? html`<span dir="auto" class="clip words">“${withoutIds(words.get(agent.name))}”</span>`
            : silent.has(agent.name)
              ? html`<span class="soft clip"
                  >${agent.online ? 'Connected; said nothing lately' : 'Said nothing lately'}</span
                >`
              : agent.online && !agent.last_message_at
                ? html`<span class="soft clip">Connected; no message yet</span>`
                : nothing
        }
      </span>
      <span class="unseen">${agent.online ? 'online' : 'offline'}</span>
      ${
        agent.unread
          ? html`<span
              class="soft small"
              title="${agent.name} has not read ${agent.unread} ${agent.unread === 1 ? 'message' : 'messages'}"
              >${number(agent.unread)} not read</span
            >`
          : nothing
      }
    </a>`;
  };

  const search = el('input', {
    type: 'search',
    placeholder: 'Find by the beginning of a name',
    'aria-label': 'Find agents',
  });
  function reader() {
    const q = search.value.trim();
    let cursor;
    return async () => {
      // Only the first call is listed among the calls of the page.
      const body = await (cursor ? invoke : call)('AP_List', {
        ...(q && { target: { agent: q } }),
        page: cursor ? { limit: 200, cursor } : { limit: 60 },
      });
      cursor = body.next_cursor;
      return { items: body.profile.map((agent, i) => ({ ...agent, ...body.content[i] })), more: Boolean(cursor) };
    };
  }
  const list = virtualList({
    height: (agent) => NAME + LINE * lines(agent).filter(Boolean).length,
    key: (agent) => agent.name,
    row,
    label: 'Agents',
    empty: () => 'No agent that you may see.',
    reader,
    isWanted: isHere,
  });
  const listEntry = (name) => list.items.find((agent) => agent.name === name);
  let waiting;
  search.addEventListener('input', () => {
    clearTimeout(waiting);
    waiting = setTimeout(list.fill, 150);
  });

  const hasNew = at.query.has('new');
  view.addEventListener(
    'shown',
    () => {
      if (hasNew) {
        history.replaceState(history.state, '', location.pathname);
        create(go);
      }
      if (agentName)
        list.seek(
          (agent) => agent.name === agentName,
          (agent) => isAfter(agent.name, agentName),
        );
    },
    { once: true },
  );
  let isRead = false;
  const drawn = () => isHere() && isRead && draw(page(), view);
  const [detail] = await Promise.all([agentName ? one(agentName, { ...context, drawn }) : select, list.ready]);
  isRead = true;
  drawn();

  function page() {
    const title = head('Agents', {
      sub: 'Named workers with a persona, messages and memory.',
      actions: [action('AP_Create', 'New agent', () => create(go), '')],
    });
    if (list.isEmpty && !agentName && !search.value)
      return html`${title}
      ${empty(
        'No agents yet',
        'An agent is a coding program that you connect, or a name that your own program speaks as. Invite one: the line that you get connects Claude Code, Codex, Cursor or another coding agent.',
        action('AK_Invite', 'Invite an agent', () => go('/console/keys?invite'), ''),
        action('AP_Create', 'Create an agent', () => create(go)),
      )}
      ${sample(
        { who: 'claude', meta: 'now', state: ['online', 'reads'], text: '“The migration is in review.”' },
        {
          who: 'codex',
          meta: '2m ago',
          state: ['online', 'reads'],
          text: '“The order page is ready behind its flag.”',
        },
        { who: 'reviewer', meta: 'connected', text: 'Connected; no message yet' },
      )}`;
    return html`${title} ${agentName ? back('/console/agents', 'All agents') : nothing}
      <div class="split${agentName ? ' chosen' : ''}">
        <aside class="side" aria-label="Agents">
          ${search}
          <div tabindex="-1">${list.element}</div>
        </aside>
        <div class="detail" tabindex="-1">${detail()}</div>
      </div>`;
  }

  on('messages', (message) => {
    const agent = message.from_kind === 'agent' && listEntry(message.from);
    if (!agent) return;
    words.set(agent.name, message.content);
    agent.last_message_at = message.at;
    list.draw();
  });
  let due;
  const later = () => {
    due ??= setTimeout(async () => {
      due = undefined;
      if (!isHere() || (await list.refresh())) return;
      addEventListener('scroll', later, { once: true, capture: true }); // Of the list or of the page: it may be at its top then.
    }, 600);
  };
  on('presence', (change) => {
    const agent = change.change === 'seen' && listEntry(change.agent);
    if (change.change === 'seen' && !agent) return;
    if (!agent) return later();
    agent.online = change.online;
    list.draw();
  });
  on('reset', later);
}

const select = () => html`<p class="soft pick">Select an agent to see its messages and memories.</p>`;
