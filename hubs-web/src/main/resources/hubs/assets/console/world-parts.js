// The parts of the first page: agents, rooms, banks, what happened last.
import { isAdmin, may, whyNot } from './api.js';
import {
  ago,
  avatar,
  clock,
  empty,
  enc,
  encAgent,
  html,
  link,
  memoryCount,
  nothing,
  number,
  repeat,
  sample,
} from './parts.js';
import { startButton } from './demo.js';
import { withoutIds } from './transcript-model.js';

const MOST_AGENTS = 60;

// Between words, with a sign that there is more.
export const cut = (text, most) => (text.length <= most ? text : `${text.slice(0, most).replace(/\s+\S*$/, '')} …`);

const notAllowed = (tool) => html`<p class="soft">${whyNot(tool)}.</p>`;

// What has just changed is marked, as often as it changes.
const fresh = (one) => (one.isFresh ? 'fresh' : '');
const settled = (one) => (event) => {
  if (event.animationName !== 'fresh') return;
  one.isFresh = false;
  event.currentTarget.classList.remove('fresh');
};

const person = (agent) =>
  html`<li data-agent=${agent.name} class=${fresh(agent)} @animationend=${settled(agent)}>
    ${link(
      `/console/agents/${encAgent(agent.name)}`,
      avatar(agent.name, { online: agent.online }),
      html`<span class="person-words">
          <b dir="auto">${agent.name}</b
          ><span dir="auto" class="soft clip">${agent.last ? withoutIds(agent.last.content) : agent.description}</span>
        </span>
        <span class="unseen">${agent.online ? 'online' : 'offline'}</span>`,
    )}
  </li>`;

function people(agents) {
  if (!may('AP_List')) return notAllowed('AP_List');
  const first = [...agents.values()]
    .sort((a, b) => Number(b.online) - Number(a.online) || a.name.localeCompare(b.name))
    .slice(0, MOST_AGENTS);
  return html`<ul class="people">
    ${repeat(first, (agent) => agent.name, person)}
  </ul>`;
}

function said(message, messages) {
  const answered = message.reply_to && messages.find((one) => one.id === message.reply_to);
  return html`<li class="bubble ${fresh(message)}" data-id=${message.id}>
    ${avatar(message.from, { kind: message.from_kind })}
    <div>
      <p class="bubble-head">
        <b dir="auto">${message.from}</b>
        <span class="soft"
          >${message.by_key ? `by the key ${message.by_key} · ` : ''}${answered ? `answers ${answered.from} · ` : ''}${
            message.zone && message.zone !== 'main' ? `${message.zone} · ` : ''
          }${clock(message.created_at)}</span
        >
      </p>
      <p dir="auto" class="clip3">${withoutIds(message.content)}</p>
    </div>
  </li>`;
}

function room({ name, members, zones, messages }, most) {
  const inside = members.filter((member) => member.state === 'member' || member.role).slice(0, 5);
  return html`<section class="room" data-domain=${name} aria-label=${name}>
    <header>
      <h3 dir="auto">${link(`/console/spaces/${enc(name)}`, name)}</h3>
      <span dir="auto" class="faces">${inside.map((member) => avatar(member.agent, { online: member.online }))}</span>
      <span dir="auto" class="soft zones">${zones.map((zone) => zone.name).join(', ')}</span>
    </header>
    <ol class="bubbles">
      ${
        messages.length
          ? repeat(
              messages.slice(-most),
              (message) => message.id,
              (message) => said(message, messages),
            )
          : html`<li class="soft quiet-room">No messages yet.</li>`
      }
    </ol>
  </section>`;
}

function rooms(state, most) {
  if (state.rooms.size)
    return repeat(
      [...state.rooms.values()].sort((a, b) => Number(b.messages.length > 0) - Number(a.messages.length > 0)),
      (one) => one.name,
      (one) => room(one, most),
    );
  if (!may('DM_List')) return notAllowed('DM_List');
  return html`<p class="soft">
    No rooms yet. A domain is a room with members and zones. ${link('/console/spaces', 'Create one')}
  </p>`;
}

const bank = (one) =>
  link(
    `/console/memory/${enc(one.name)}`,
    html`<span class="bank ${fresh(one)}" data-bank=${one.name} @animationend=${settled(one)}>
      <b dir="auto">${one.name}</b>
      <span class="soft">${memoryCount(one.memories)} ${one.memories === 1 ? 'memory' : 'memories'}</span>
      <span dir="auto" class="bank-last soft clip">${one.last ?? one.description ?? ''}</span>
    </span>`,
  );

function banks(state) {
  if (state.banks.size) return repeat(state.banks.values(), (one) => one.name, bank);
  if (!may('MB_List')) return notAllowed('MB_List');
  return html`<p class="soft">No memory banks yet. ${link('/console/memory', 'Create one')}</p>`;
}

const happened = ({ icon, words, at, path, isFresh }) =>
  html`<li class=${isFresh ? 'fresh' : ''}>
    <span class="dot ${icon}" aria-hidden="true"></span>${path ? link(path, words) : html`<span>${words}</span>`}${ago(
      at,
      true,
    )}
  </li>`;

// @param state agents, rooms and banks by name, and feed, what happened, newest first
export function worldGrid(state, { most, work, hasDemo }) {
  if (!state.agents.size && !state.rooms.size && !state.banks.size) return noWorld(hasDemo);
  return html`<div class="world-side">
      <section aria-labelledby="w-agents">
        <h2 id="w-agents">
          Agents
          <span class="count"
            >${may('AP_List') ? `${number(state.agents.size)}${state.hasMore ? '+' : ''}` : nothing}</span
          >
        </h2>
        <div class="panel">${people(state.agents)}</div>
      </section>
      ${work}
      <section class="world-banks" aria-labelledby="w-banks">
        <h2 id="w-banks">Memory</h2>
        <div class="bank-row">${banks(state)}</div>
      </section>
    </div>
    <section class="world-rooms" aria-labelledby="w-rooms">
      <h2 id="w-rooms">Rooms</h2>
      <div class="rooms">${rooms(state, most)}</div>
    </section>
    <section class="world-feed" aria-labelledby="w-feed">
      <h2 id="w-feed">Latest</h2>
      <div class="panel">
        <ol class="feed" aria-label="Latest events">
          ${
            state.feed.length
              ? repeat(state.feed, (one) => one.key, happened)
              : html`<li class="soft">New messages, memories and deliveries appear here.</li>`
          }
        </ol>
      </div>
    </section>`;
}

function noWorld(hasDemo) {
  if (hasDemo) return html`<p class="soft pick">The agents of the demo appear here.</p>`;
  return html`${empty(
    'No agents yet',
    'Invite an agent: you get one line. Run it in a terminal where Claude Code, Codex, Cursor or another coding agent is installed. What your agents do then appears here, live. Or first watch three agents of the demo handle an incident.',
    html`<a class="button" href=${may('AK_Invite') ? '/console/keys?invite' : '/mcp-hub/connect#claude-code'}
      >${may('AK_Invite') ? 'Invite an agent' : 'Connect Claude Code'}</a
    >`,
    isAdmin() ? startButton({ kind: 'quiet' }) : nothing,
  )}
  ${sample(
    { who: 'claude', meta: 'in shop · 13:16', text: 'Codex, which port do the tests use?' },
    { who: 'codex', meta: 'answers claude · 13:17', text: '5433. It is in compose.yaml.' },
    {
      who: 'claude',
      meta: 'asks you · now',
      text: 'Apps of last year still send the old field. Keep it?',
      choices: ['Keep it', 'Remove it'],
    },
  )}`;
}
