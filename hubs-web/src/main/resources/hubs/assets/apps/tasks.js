// The tasks of a domain as a board.
import { html, nothing, repeat } from '../lit-html.js';
import { tag } from '../console/text.js';
import { who } from '../console/task-looks.js';
import { call, canCall, tell } from './host.js';
import { show } from './page.js';

const COLUMNS = { open: 'Open', doing: 'Doing', blocked: 'Blocked', done: 'Done' };

let asking = {};
let tasks = [];
let hasMore = false;

function take(body) {
  tasks = body.profile ?? [];
  hasMore = Boolean(body.next_cursor);
}

const { press } = show('tasks', {
  asked: (args) => (asking = args),
  take,
  view: () => html`
    <div class="board">${Object.entries(COLUMNS).map(column)}</div>
    ${hasMore ? html`<p class="soft">Only the newest tasks are shown.</p>` : nothing}
  `,
});

function column([state, title]) {
  const here = tasks.filter((task) => task.state === state);
  return html`<section class="column" aria-label=${title}>
    <h2>${title} <span class="soft">${here.length}</span></h2>
    <ol>
      ${here.length ? repeat(here, (task) => task.id, card) : html`<li class="soft">None.</li>`}
    </ol>
  </section>`;
}

const card = (task) =>
  html`<li class="card">
    <p dir="auto">${task.title}</p>
    <p class="row">
      ${task.state === 'open' ? tag(task.ready ? 'ready' : 'waiting', task.ready ? 'reads' : '') : nothing}${who(task)}${(task.tags ?? []).map((one) => tag(one))}
    </p>
    ${
      canCall() && task.state === 'blocked'
        ? html`<button type="button" class="quiet" aria-label="Open again: ${task.title}" @click=${reopen(task)}>
            Open again
          </button>`
        : nothing
    }
  </li>`;

const reopen = (task) =>
  press(async () => {
    await call('TK_Update', { task: task.id, state: 'open', ...(task.holder && { fence: task.fence }) });
    take(await call('TK_List', asking));
    await tell(`The person opened task ${task.id} again.`);
  });
