// What waits for the signed-in user: counted in the menu and in the tab's title, listed on World and on its own page, dealt with in place.
import { isEnter } from '../dom.js';
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
  encAgent,
  guarded,
  html,
  link,
  nothing,
  number,
  repeat,
  rich,
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
let ending;
let turns = 0;
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
  clearTimeout(ending);
  const turn = ++turns;
  try {
    const answer = await ask('US_Inbox', { target: APART, page: { limit: MOST } });
    if (turn !== turns) return; // A later one knows more.
    inbox = answer;
  } catch {
    return; // The next event tries again.
  }
  againWhenALimitEnds();
  badge.hidden = !total();
  badge.textContent = number(total());
  badge.title = `${number(total())} ${total() === 1 ? 'thing waits' : 'things wait'} for you`;
  title();
  changed();
}

const soon = () => {
  waiting ??= setTimeout(read, 400);
};

// No event tells that a limit of the loop guard has ended by itself. The service says when it will, by its own clock.
function againWhenALimitEnds() {
  const ends = inbox.content.flatMap((item) => (item.retry_at ? [Date.parse(item.retry_at)] : []));
  if (ends.length) ending = setTimeout(soon, Math.min(...ends) - Date.parse(inbox.header.time));
}

// Which events may change what waits. What is said in a room does not, unless it asks, or answers what waits.
const CONCERNS = {
  messages: (message) =>
    !message.zone || message.question || (message.reply_to && total() > 0) || inbox.counts.guard > 0,
  presence: (change) => change.change !== 'seen',
  audit: (change) => /^(AP_Modify|(DM|TK|UP|WH)_.*)$/.test(change.tool ?? ''),
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
  'allow 50 more': 'Allow 50 more',
  'stop them': 'Stop them',
  'change the limit': 'Change the limit',
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
  'allow 50 more': 'They may send 50 more messages.',
  'stop them': 'They may not write until a person lets them.',
  'change the limit': 'The limit is changed.',
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
  const targets = item.actions.map((one) => one.arguments.target ?? {});
  const room = targets.find((one) => one.zone);
  if (room) return `/console/spaces/${enc(room.domain)}/${enc(room.zone)}`;
  const agent = targets.find((one) => one.agent)?.agent;
  return agent ? `/console/agents/${encAgent(agent)}` : null;
}

// AP tools speak as the user, whoever the caller is logged on as elsewhere.
const asUser = ({ tool, arguments: args }) =>
  tool.startsWith('AP_') ? { ...args, target: { ...args.target, ...APART } } : args;

async function run(item, action, button, more = {}) {
  await whileBusy(button, async () => {
    const answer = await call(action.tool, { ...asUser(action), ...more });
    const resume = async () => {
      await call(action.tool, withValues(asUser(action), [['guard.stopped', false]]));
      toast('They may write again.');
    };
    toast(
      item.kind === 'question' ? `Answered: ${answer.question.answer}` : (DONE[action.name] ?? `${action.name}: done.`),
      action.name === 'stop them' ? resume : undefined,
    );
    open.delete(keyOf(item));
    await read();
  });
}

// An incident of the loop guard is the same one at each further refusal.
const keyOf = (item) => (item.kind === 'guard' ? `guard:${item.id}` : `${item.kind}:${item.id}:${item.at}`);
const nameOf = (item, action) => (item.kind === 'question' ? action.name : (LABELS[action.name] ?? action.name));

// The composers that somebody has opened, by what they are about.
const open = new Map();

function composer(item, action) {
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
    if (!isEnter(event) || event.shiftKey) return;
    event.preventDefault();
    event.currentTarget.form.elements.send.click();
  };
  return html`<form class="need-form" @submit=${submit}>
    <textarea
      name="say"
      rows="1"
      dir="auto"
      ?required=${isNeeded}
      maxlength=${isNeeded ? 64000 : 2000}
      aria-label="${LABELS[action.name] ?? action.name}: ${item.from ?? item.about}"
      placeholder=${isNeeded ? 'Your answer…' : 'A note (optional)…'}
      @keydown=${key}
    ></textarea>
    <button name="send" type="submit">${isNeeded ? 'Send' : LABELS[action.name]}</button>
  </form>`;
}

const isOfLimits = (action) => action.add?.every((path) => path.includes('.'));
const LIMITS = { 'guard.hops': 'Answers in a row', 'guard.per_minute': 'Messages a minute' };

// The arguments with a value at each path, such as guard.hops.
function withValues(args, values) {
  const found = structuredClone(args);
  for (const [path, value] of values) {
    const names = path.split('.');
    const last = names.pop();
    let place = found;
    for (const name of names) place = place[name] ??= {};
    place[last] = value;
  }
  return found;
}

// The numbers that an action takes; those that are in force are there already.
function limits(item, action) {
  const now = (path) => item.guard?.[path.split('.').at(-1)] ?? '';
  const submit = guarded((event) => {
    event.preventDefault();
    const { elements } = event.currentTarget;
    const values = action.add
      .filter((path) => elements[path].value)
      .map((path) => [path, Number(elements[path].value)]);
    if (!values.length) return elements[action.add[0]].focus();
    return run(item, { ...action, arguments: withValues(action.arguments, values) }, elements.send);
  });
  return html`<form class="need-form limits" @submit=${submit}>
    ${action.add.map(
      (path) =>
        html`<label class="labelled"
          >${LIMITS[path] ?? path}<input type="number" name=${path} min="1" .defaultValue=${String(now(path))}
        /></label>`,
    )}
    <button name="send" type="submit">${LABELS[action.name] ?? action.name}</button>
  </form>`;
}

function kindOf(item, action) {
  if (['decline', 'cancel the task'].includes(action.name)) return DANGER;
  if (['mark as read', 'stop them'].includes(action.name) || action.add) return 'quiet';
  return item.kind === 'question' ? 'choice' : '';
}

function deed(item, action) {
  if (action.add && item.kind === 'question') return composer(item, action);
  if (open.get(keyOf(item)) === action.name) return isOfLimits(action) ? limits(item, action) : composer(item, action);
  const press = guarded(({ currentTarget }) => {
    if (!action.add) return run(item, action, currentTarget);
    open.set(keyOf(item), action.name);
    changed();
    return document.querySelector(`[data-need="${CSS.escape(keyOf(item))}"] [name]:is(input, textarea)`)?.focus();
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

// Direct messages: the agents are named already.
const isAboutAgents = (item) => item.kind === 'guard' && item.agents?.join(', ') === item.about;

const MOST_NAMES = 5;

// Names in a sentence, of many the first.
function listed(names) {
  const first = names.slice(0, MOST_NAMES);
  const words = names.length > MOST_NAMES ? [...first, `${number(names.length - MOST_NAMES)} more`] : first;
  return words.length > 1 ? `${words.slice(0, -1).join(', ')} and ${words.at(-1)}` : words[0];
}

function stopped(item) {
  if (item.kind !== 'guard' || !item.agents) return SAYS[item.kind];
  const messages = item.refused
    ? `, ${number(item.refused)} ${item.refused === 1 ? 'message' : 'messages'} refused`
    : '';
  return `${item.agents.length === 1 ? 'was' : 'were'} stopped by the loop guard${messages}`;
}

function line(item) {
  const path = place(item);
  const deeds = item.actions.filter((one) => !READS.includes(one.tool));
  return html`<li class="need ${item.kind}" data-need=${keyOf(item)}>
    ${avatar(item.from ?? '!', { kind: item.kind === 'upstream' ? 'user' : 'agent' })}
    <div>
      <p class="need-head">
        ${item.kind === 'guard' && item.agents ? html`<b dir="auto">${listed(item.agents)}</b> ` : item.from ? html`<b dir="auto">${item.kind === 'upstream' ? link(path, item.from) : item.from}</b> ` : nothing}<span
          class="soft"
          >${item.kind === 'task' ? 'blocked a task of yours' : stopped(item)}${item.about && !isAboutAgents(item) ? ' · ' : ''}${
            isAboutAgents(item) ? '' : item.about && path ? link(path, item.about) : (item.about ?? '')
          }
          · ${ago(item.at)}</span
        >
      </p>
      <div class="need-text">${rich(`${withoutIds(item.text)}${item.text.length >= 500 ? ' …' : ''}`)}</div>
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
