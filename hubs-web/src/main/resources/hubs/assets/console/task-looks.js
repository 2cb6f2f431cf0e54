// How a task looks: its state, who holds it, and for how long.
import { html, nothing } from '../lit-html.js';
import { avatar, tag } from './text.js';
import { wholeTime } from './words.js';

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
