// The messages of an agent: its direct conversation with the reader, those with others, and what was said in rooms, each apart.
import { call, me, read } from './api.js';
import { Composer } from './composer.js';
import { Conversation } from './conversation.js';
import { byTime, Messages, places } from './transcript-model.js';
import { link, enc, html, nothing, number, render } from './parts.js';

const APART = { context: 'engine-console-reads' };

/** Shows them in a place. first is the answer of AP_Read; sought the id of the message of the address. */
export async function agentTalk({ place, agent, first, sought, view, on, isHere }) {
  const log = new Messages(byTime);
  let cursor = first.next_cursor;
  let problem = '';
  const talks = new Map();
  let chosen = `with ${me.user}`;
  const one = (id) =>
    call('AP_Read', { target: { agent: agent.name, ...APART }, thread: id, page: { limit: 1 } }).then(
      (body) => body.content[0],
    );
  const composer = new Composer({
    label: `Message to ${agent.name}`,
    placeholder: `Talk to ${agent.name}…`,
    args: (content) => ({ target: { agent: agent.name }, content }),
    sent: (message) => {
      if (message) take([message], true);
      talks.get(chosen)?.toEnd();
    },
    changed: draw,
    attaches: true,
  });

  function talk({ key, title }) {
    if (!talks.has(key)) {
      const isRooms = key === 'rooms';
      const made = new Conversation({
        label: isRooms ? `Messages in the rooms of ${agent.name}` : `${title}: messages`,
        load: () => older(key),
        one,
        changed: draw,
        compare: byTime,
        empty: 'No messages here yet.',
        place: isRooms ? roomOf : null,
        reply: key === `with ${me.user}` ? (message) => composer.reply(message) : null,
      });
      made.hasOlder = Boolean(cursor);
      talks.set(key, made);
    }
    return talks.get(key);
  }

  // One list has them all: what is older may belong to another conversation.
  async function older(key) {
    const page = { limit: 50, ...(cursor && { cursor }) };
    const body = await call('AP_Read', { target: { agent: agent.name, ...APART }, page });
    cursor = body.next_cursor;
    log.add(body.content);
    for (const each of places(agent.name, body.content, me.user))
      if (each.key !== key) talk(each).messages.add(each.messages);
    for (const each of talks.values()) each.hasOlder = Boolean(cursor);
    const own = places(agent.name, body.content, me.user).find((each) => each.key === key);
    return { content: own?.messages ?? [], next_cursor: cursor };
  }

  function take(messages, isNew) {
    log.add(messages);
    for (const each of places(agent.name, log.list, me.user)) {
      if (isNew) talk(each).add(each.messages);
      else talk(each).messages.add(each.messages);
    }
    draw();
  }

  function draw() {
    if (!isHere()) return;
    const all = places(agent.name, log.list, me.user);
    const partner = all.find((each) => each.key === chosen) ?? all[0];
    render(
      html`<div class="talks" role="group" aria-label="Conversations">
          ${all.map(
            (each) =>
              html`<button
                type="button"
                class="quiet"
                aria-pressed=${each === partner}
                @click=${() => choose(each.key)}
              >
                ${each.title}
                ${each.messages.length ? html`<span class="count">${number(each.messages.length)}</span>` : nothing}
              </button>`,
          )}
        </div>
        ${problem ? html`<p class="soft">${problem}</p>` : nothing}
        ${[partner].map((each) => html`<div class="talk" data-talk=${each.key}>${talk(each).view()}</div>`)}
        ${partner.other === me.user ? composer.view() : html`<p class="soft small">${elsewhere(partner)}</p>`}`,
      place,
    );
  }

  const elsewhere = (partner) =>
    partner.other
      ? `You read along: only ${agent.name} and ${partner.other} write here.`
      : 'To answer, open the room: each message links to it.';

  function choose(key) {
    chosen = key;
    draw();
    talks.get(key).toEnd();
  }

  // Where the message of the address is: in one of the conversations, or too far back for what was read.
  async function seek() {
    if (!log.has(sought)) {
      try {
        const body = await call('AP_Read', { target: { agent: agent.name, ...APART }, thread: sought });
        log.add(body.content);
        problem = 'The message is older than those below it: what was said between them is not shown.';
      } catch (error) {
        problem = error.message;
        return;
      }
    }
    const found = places(agent.name, log.list, me.user).find((each) => each.messages.some(({ id }) => id === sought));
    if (!found) return;
    chosen = found.key;
    talk(found).seek(sought);
  }

  log.add(first.content);
  if (sought) await seek();
  take([], false);
  view.addEventListener('shown', () => sought && talks.get(chosen)?.reveal(), { once: true });
  on('messages', (message) => {
    if (isHere() && (message.from === agent.name || message.to === agent.name)) take([message], true);
  });
  // What is being written stays.
  on('reset', async () => {
    const now = await read(agent.name, 50).catch(() => ({ content: [] }));
    if (isHere()) take(now.content, true);
  });
}

const roomOf = (message) =>
  link(
    `/console/spaces/${enc(message.domain)}/${enc(message.zone)}?message=${enc(message.id)}`,
    `${message.domain}/${message.zone}`,
  );
