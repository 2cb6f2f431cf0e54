// What the board, a task's page and World share: addresses of tasks, how a task looks, and when one has changed.
import { call, ask as read } from './api.js';
import { avatar, enc, html, nothing, subnav, tag, wholeTime } from './parts.js';

export const boardPath = (domain) => `/console/spaces/${enc(domain)}?view=tasks`;
export const taskPath = (task) => `/console/spaces/${enc(task.domain)}?task=${enc(task.id)}`;

export const parts = (domain, current) =>
  subnav(
    'Parts of the space',
    [
      ['rooms', 'Rooms', `/console/spaces/${enc(domain)}`],
      ['tasks', 'Tasks', boardPath(domain)],
    ],
    current,
  );

// In this context a person acts as themself, whoever they are logged on as elsewhere.
export const MYSELF = { context: 'engine-console-reads' };

export const isOver = (task) => ['done', 'cancelled'].includes(task.state);

const UNITS = [
  ['d', 86_400],
  ['h', 3_600],
  ['min', 60],
];

function remains(iso) {
  const seconds = (new Date(iso) - Date.now()) / 1000;
  if (seconds <= 0) return 'has ended';
  const at = UNITS.findIndex(([, size]) => seconds >= size);
  if (at < 0) return 'less than 1 min left';
  const [unit, size] = UNITS[at];
  const [lower, part] = UNITS[at + 1] ?? [];
  const rest = lower ? Math.floor((seconds % size) / part) : 0;
  return `${Math.floor(seconds / size)} ${unit}${rest ? ` ${rest} ${lower}` : ''} left`;
}

// How long a lease lasts.
export const left = (iso) =>
  html`<time datetime=${iso} title="until ${wholeTime(iso)}" data-left .textContent=${remains(iso)}></time>`;

setInterval(() => {
  for (const one of document.querySelectorAll('time[data-left]')) one.textContent = remains(one.dateTime);
}, 20_000);

const LOOKS = { open: '', doing: 'changes', blocked: 'destroys', done: 'reads', cancelled: '' };
export const stateTag = (task) => tag(task.state, LOOKS[task.state]);

export const holder = (task) =>
  html`<span class="holder">${avatar(task.holder)}<b dir="auto">${task.holder}</b></span>`;

// Who holds the task, else whose it is, else nothing.
export function who(task) {
  if (task.holder)
    return html`<span class="holder"
      >${avatar(task.holder)}<b dir="auto">${task.holder}</b
      >${task.lease_until ? left(task.lease_until) : nothing}</span
    >`;
  return task.assignee && !isOver(task) ? html`<span class="soft">for ${task.assignee}</span>` : nothing;
}

export const readTask = async (id) => (await read('TK_Read', { task: id, page: { limit: 1 } })).profile[0];

const PAUSE = 250;

// Each change of a task is announced in the zone main of its domain. Calls changed with the ids of tasks and their domains, shortly after:
// what happens at once is read once. Calls freed after a reservation has ended or, for those who see the audit, has begun.
export function follow(on, isHere, isWanted, { changed, freed = () => {} }) {
  const ids = new Map();
  let waiting;
  function note(id, domain) {
    ids.set(id, domain);
    waiting ??= setTimeout(() => {
      waiting = undefined;
      const found = new Map(ids);
      ids.clear();
      if (isHere()) changed(found);
    }, PAUSE);
  }
  on('messages', ({ domain, zone, content }) => {
    if (zone !== 'main' || !isWanted(domain)) return;
    for (const [, id] of content.matchAll(/\(task ([0-9a-f-]{36})\)/g)) note(id, domain);
    if (content.includes('Free again: ')) freed();
  });
  on('audit', ({ tool }) => {
    if (['TK_Reserve', 'TK_Release'].includes(tool)) freed();
  });
}

// Runs one piece of work after another: an older answer never replaces a newer one.
export function inTurn() {
  let last = Promise.resolve();
  return (work) => (last = last.then(work).catch(() => {}));
}

export const roomOf = ({ domain }) => call('DM_Read', { target: { domain }, page: { limit: 200 } });
