// What waits for the signed-in user: counted in the menu and in the tab's title, listed on World and on its own page, dealt with in place.
import { call, ask, may } from './api.js';
import * as live from './live.js';
import { taskPath } from './task-parts.js';
import { ago, avatar, DANGER, el, enc, guarded, link, number, redrawn, toast, whileBusy } from './ui.js';

const APART = { context: 'engine-console-reads' };
const MOST = 100;

const listeners = new Set();
const entry = document.querySelector('.rail nav [data-page="inbox"]');
const badge = el('span', { class: 'unread', hidden: true });
let known = { content: [], counts: {} };
let waiting;
let words = document.title;

export const total = () => Object.values(known.counts).reduce((sum, count) => sum + count, 0);

// The title of the tab, with the number of things that wait.
export function title(text = words) {
  words = text;
  document.title = total() ? `(${number(total())}) ${words}` : words;
}

async function read() {
  waiting = undefined;
  try {
    known = await ask('US_Inbox', { target: APART, page: { limit: MOST } });
  } catch {
    return; // The next event tries again.
  }
  badge.hidden = !total();
  badge.textContent = number(total());
  badge.title = `${number(total())} ${total() === 1 ? 'thing waits' : 'things wait'} for you`;
  title();
  for (const listener of [...listeners]) listener();
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
let begun = false;
export function follow() {
  if (begun || !may('US_Inbox')) return;
  begun = true;
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
      item.kind === 'question' ? `Answered: ${answer.question.answer}` : `${LABELS[action.name] ?? action.name}: done.`,
    );
    await read();
  });
}

function composer(item, action) {
  const field = action.add[0];
  const isNeeded = field === 'content';
  const say = el('textarea', {
    rows: 1,
    required: isNeeded,
    maxlength: isNeeded ? 64000 : 2000,
    'aria-label': `${LABELS[action.name] ?? action.name}: ${item.from ?? item.about}`,
    placeholder: isNeeded ? 'Your answer…' : 'A note (optional)…',
  });
  const send = el('button', { type: 'submit' }, isNeeded ? 'Send' : LABELS[action.name]);
  const form = el('form', { class: 'need-form' }, say, send);
  form.addEventListener('submit', (event) => {
    event.preventDefault();
    const text = say.value.trim();
    if (isNeeded && !text) return say.focus();
    guarded(() => run(item, action, send, text ? { [field]: text } : {}))(event);
  });
  say.addEventListener('keydown', (event) => {
    if (event.key === 'Enter' && !event.shiftKey) {
      event.preventDefault();
      send.click();
    }
  });
  return form;
}

function actions(item) {
  const box = el('div', { class: 'need-actions' });
  for (const action of item.actions.filter((one) => !READS.includes(one.tool))) {
    const about = item.from ?? item.about;
    if (action.add && item.kind === 'question') {
      box.append(composer(item, action));
      continue;
    }
    const label = item.kind === 'question' ? action.name : (LABELS[action.name] ?? action.name);
    const kind = ['decline', 'cancel the task'].includes(action.name)
      ? DANGER
      : ['mark as read'].includes(action.name) || action.add
        ? 'quiet'
        : item.kind === 'question'
          ? 'choice'
          : '';
    const button = el(
      'button',
      { type: 'button', class: kind, 'aria-label': item.kind === 'question' ? null : `${label}: ${about}` },
      label,
    );
    button.addEventListener(
      'click',
      guarded(async () => {
        if (!action.add) return run(item, action, button);
        const form = composer(item, action);
        button.replaceWith(form);
        form.querySelector('textarea').focus();
        return undefined;
      }),
    );
    box.append(button);
  }
  return box;
}

function line(item) {
  const path = place(item);
  const name = item.from ? el('b', {}, item.kind === 'upstream' ? link(path, item.from) : item.from) : null;
  return el(
    'li',
    { class: `need ${item.kind}`, 'data-need': `${item.kind}:${item.id}:${item.at}` },
    avatar(item.from ?? '!', { kind: item.kind === 'upstream' ? 'user' : 'agent' }),
    el(
      'div',
      {},
      el(
        'p',
        { class: 'need-head' },
        name,
        name ? ' ' : '',
        el(
          'span',
          { class: 'soft' },
          item.kind === 'task' ? 'blocked a task of yours' : SAYS[item.kind],
          item.about ? ' · ' : '',
          item.about && path ? link(path, item.about) : (item.about ?? ''),
          ' · ',
          ago(item.at),
        ),
      ),
      el('p', { class: 'need-text' }, item.text, item.text.length >= 500 ? ' …' : ''),
      actions(item),
    ),
  );
}

// A list of what waits, at most so many. What is being written in it stays, whatever else comes or goes.
export function list(most, on, isHere, drawn = () => {}) {
  const box = el('ol', { class: 'needs', tabindex: '-1', 'aria-label': 'Needs you' });
  const draw = () => {
    if (!isHere()) return void listeners.delete(draw);
    redrawn(box, () => {
      const old = new Map([...box.children].map((one) => [one.dataset.need, one]));
      const next = known.content
        .slice(0, most)
        .map((item) => old.get(`${item.kind}:${item.id}:${item.at}`) ?? line(item));
      for (const one of old.values()) if (!next.includes(one)) one.remove();
      next.forEach((one, i) => {
        if (box.children[i] !== one) box.insertBefore(one, box.children[i] ?? null);
      });
      drawn(known);
    });
  };
  listeners.add(draw);
  draw();
  return box;
}

export const refresh = read;
