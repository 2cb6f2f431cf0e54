// What waits for the signed-in user: counted in the menu and in the tab's title, listed on World and on its own page, dealt with in place.
import { call, ask, may } from './api.js';
import * as live from './live.js';
import { taskPath } from './task-parts.js';
import { withoutIds } from './transcript-model.js';
import {
  ago,
  avatar,
  DANGER,
  el,
  enc,
  guarded,
  html,
  link,
  nothing,
  number,
  ref,
  repeat,
  toast,
  whileBusy,
} from './parts.js';

const APART = { context: 'engine-console-reads' };
const MOST = 100;

const listeners = new Set();
const entry = document.querySelector('.rail nav [data-page="inbox"]');
const badge = el('span', { class: 'unread', hidden: true });
let inbox = { content: [], counts: {} };
let waiting;
let words = document.title;

export const total = () => Object.values(inbox.counts).reduce((sum, count) => sum + count, 0);

// The title of the tab, with the number of things that wait.
export function title(text = words) {
  words = text;
  document.title = total() ? `(${number(total())}) ${words}` : words;
}

function changed() {
  for (const listener of [...listeners]) listener();
}

async function read() {
  waiting = undefined;
  try {
    inbox = await ask('US_Inbox', { target: APART, page: { limit: MOST } });
  } catch {
    return; // The next event tries again.
  }
  badge.hidden = !total();
  badge.textContent = number(total());
  badge.title = `${number(total())} ${total() === 1 ? 'thing waits' : 'things wait'} for you`;
  title();
  changed();
}

const soon = () => {
  waiting ??= setTimeout(read, 400);
};

// Which events may change what waits. What is said in a room does not, unless it asks, or answers what waits.
const CONCERNS = {
  messages: (message) => !message.zone || message.question || (message.reply_to && total() > 0),
  presence: (change) => change.change !== 'seen',
  audit: (change) => /^(DM|TK|UP|WH)_/.test(change.tool ?? ''),
  deliveries: () => true,
  reset: () => true,
};

// Follows what waits, from the sign-in on.
let isLive = false;
export function follow() {
  if (isLive || !may('US_Inbox')) return;
  isLive = true;
  entry?.append(' ', badge);
  for (const [topic, concerns] of Object.entries(CONCERNS))
    live.on(topic, (event) => {
      if (concerns(event ?? {})) soon();
    });
  read();
}

const SAYS = {
  message: 'wrote to you',
  question: 'asks you',
  guard: 'was stopped',
  task: 'is blocked',
  upstream: 'needs your approval',
  endpoint: 'A webhook endpoint fails',
  invitation: '',
  request: '',
};
const LABELS = {
  reply: 'Reply',
  'mark as read': 'Mark as read',
  answer: 'Answer',
  accept: 'Accept',
  decline: 'Decline',
  'write there': 'Write there',
  'write to the agent': 'Write to it',
  'open again': 'Open again',
  'cancel the task': 'Cancel the task',
  approve: 'Approve',
  enable: 'Enable',
};
const DONE = {
  reply: 'Sent.',
  'mark as read': 'Marked as read.',
  answer: 'Answered.',
  accept: 'Accepted.',
  decline: 'Declined.',
  'write there': 'Sent.',
  'write to the agent': 'Sent.',
  'open again': 'The task is open again.',
  'cancel the task': 'The task is cancelled.',
  approve: 'Approved.',
  enable: 'Enabled.',
};
const READS = ['TK_Read', 'UP_Read', 'WH_Read'];

function place(item) {
  if (item.kind === 'endpoint') return `/console/webhooks/${enc(item.id)}`;
  if (item.kind === 'task') return taskPath({ domain: item.about, id: item.id });
  if (item.kind === 'upstream') return `/console/upstreams/${enc(item.id)}`;
  if (['invitation', 'request'].includes(item.kind)) return `/console/spaces/${enc(item.about)}`;
  if (item.kind === 'guard' && item.actions[0]?.arguments.target.zone)
    return `/console/spaces/${item.about.split(', ').map(enc).join('/')}`;
  return item.actions[0]?.arguments.target?.agent
    ? `/console/agents/${enc(item.actions[0].arguments.target.agent)}`
    : null;
}

// AP tools speak as the user, whoever the caller is logged on as elsewhere.
const asUser = ({ tool, arguments: args }) =>
  tool.startsWith('AP_') ? { ...args, target: { ...args.target, ...APART } } : args;

async function run(item, action, button, more = {}) {
  await whileBusy(button, async () => {
    const answer = await call(action.tool, { ...asUser(action), ...more });
    toast(
      item.kind === 'question' ? `Answered: ${answer.question.answer}` : (DONE[action.name] ?? `${action.name}: done.`),
    );
    await read();
  });
}

const keyOf = (item) => `${item.kind}:${item.id}:${item.at}`;
const nameOf = (item, action) => (item.kind === 'question' ? action.name : (LABELS[action.name] ?? action.name));

// The composers that somebody has opened, by what they are about.
const open = new Map();
const focused = (say) => say?.focus();

function composer(item, action, isOpened) {
  const field = action.add[0];
  const isNeeded = field === 'content';
  const submit = guarded((event) => {
    event.preventDefault();
    const { say, send } = event.currentTarget.elements;
    const text = say.value.trim();
    if (isNeeded && !text) return say.focus();
    return run(item, action, send, text ? { [field]: text } : {});
  });
  const key = (event) => {
    if (event.key !== 'Enter' || event.shiftKey || event.isComposing) return;
    event.preventDefault();
    event.currentTarget.form.elements.send.click();
  };
  return html`<form class="need-form" @submit=${submit}>
    <textarea
      name="say"
      rows="1"
      ?required=${isNeeded}
      maxlength=${isNeeded ? 64000 : 2000}
      aria-label="${LABELS[action.name] ?? action.name}: ${item.from ?? item.about}"
      placeholder=${isNeeded ? 'Your answer…' : 'A note (optional)…'}
      @keydown=${key}
      ${isOpened ? ref(focused) : nothing}
    ></textarea>
    <button name="send" type="submit">${isNeeded ? 'Send' : LABELS[action.name]}</button>
  </form>`;
}

function kindOf(item, action) {
  if (['decline', 'cancel the task'].includes(action.name)) return DANGER;
  if (action.name === 'mark as read' || action.add) return 'quiet';
  return item.kind === 'question' ? 'choice' : '';
}

function deed(item, action) {
  if (action.add && item.kind === 'question') return composer(item, action);
  if (open.get(keyOf(item)) === action.name) return composer(item, action, true);
  const press = guarded(({ currentTarget }) => {
    if (!action.add) return run(item, action, currentTarget);
    open.set(keyOf(item), action.name);
    return changed();
  });
  const label = nameOf(item, action);
  return html`<button
    type="button"
    class=${kindOf(item, action) || nothing}
    aria-label=${item.kind === 'question' ? nothing : `${label}: ${item.from ?? item.about}`}
    @click=${press}
  >
    ${label}
  </button>`;
}

function line(item) {
  const path = place(item);
  const deeds = item.actions.filter((one) => !READS.includes(one.tool));
  return html`<li class="need ${item.kind}" data-need=${keyOf(item)}>
    ${avatar(item.from ?? '!', { kind: item.kind === 'upstream' ? 'user' : 'agent' })}
    <div>
      <p class="need-head">
        ${item.from ? html`<b>${item.kind === 'upstream' ? link(path, item.from) : item.from}</b> ` : nothing}<span
          class="soft"
          >${item.kind === 'task' ? 'blocked a task of yours' : SAYS[item.kind]}${item.about ? ' · ' : ''}${
            item.about && path ? link(path, item.about) : (item.about ?? '')
          }
          · ${ago(item.at)}</span
        >
      </p>
      <p class="need-text">${withoutIds(item.text)}${item.text.length >= 500 ? ' …' : ''}</p>
      ${deeds.length ? html`<div class="need-actions">${deeds.map((action) => deed(item, action))}</div>` : nothing}
    </div>
  </li>`;
}

// A list of what waits, at most so many. What is being written in it stays, whatever else comes or goes.
export const list = (most) =>
  html`<ol class="needs" tabindex="-1" aria-label="Needs you">
    ${repeat(inbox.content.slice(0, most), keyOf, line)}
  </ol>`;

// Draws a page whenever what waits has changed, as long as the page is shown.
export function watch(isHere, drawn) {
  const listener = () => (isHere() ? drawn() : listeners.delete(listener));
  listeners.add(listener);
}

export const refresh = read;
