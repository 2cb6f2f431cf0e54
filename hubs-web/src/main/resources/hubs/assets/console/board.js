// The tasks of a space as a board that moves by itself, and which files are reserved.
import { call, may, whyNot } from './api.js';
import {
  action,
  announce,
  draw,
  guarded,
  head,
  html,
  link,
  nothing,
  number,
  problem,
  repeat,
  tag,
  toast,
  whileBusy,
} from './parts.js';
import { reservations } from './reservations.js';
import { create } from './task-dialogs.js';
import { follow, inTurn, isOver, parts, readTask, roomOf, taskPath, who } from './task-parts.js';

const COLUMNS = { open: 'Open', doing: 'Doing', blocked: 'Blocked', done: 'Done' };
const NONE = {
  open: 'Nothing to be done.',
  doing: 'Nobody works on a task.',
  blocked: 'Nothing is blocked.',
  done: 'Nothing is done yet.',
  cancelled: 'Nothing was cancelled.',
};
const PAGE = 50;
const MOST_AT_ONCE = 8; // Of more changed tasks, the columns are read again.
const CHOICES = 50;

const latest = (a, b) => b.updated_at.localeCompare(a.updated_at);
const readyFirst = (a, b) => Number(b.ready) - Number(a.ready) || b.created_at.localeCompare(a.created_at);

export async function showBoard({ at, view, on, isHere }) {
  const room = await roomOf({ domain: at.parts[0] });
  const domain = room.profile[0].name;
  const tasks = new Map();
  const cursors = {};
  const turn = inTurn();
  const choices = () => [...tasks.values()].filter((task) => !isOver(task)).slice(0, CHOICES);
  const reserved = reservations(domain, isHere, drawn);
  let isRead = false;
  let refused;
  view.dataset.title = 'Tasks';

  const newTask = () =>
    create(room, choices(), (task) => {
      toast('The task is created.');
      arrive([task]);
    });

  // What is missing is shown once all of it is there.
  function drawn() {
    if (!isHere() || !isRead) return;
    draw(
      html`${head(domain, {
        sub: 'Tasks: what is to be done, and who does it.',
        actions: [action('TK_Create', 'New task', newTask, '')],
      })}
      ${parts(domain, 'tasks')} ${content()}`,
      view,
    );
  }

  function content() {
    if (!may('TK_List')) return html`<p class="soft">${whyNot('TK_List')}.</p>`;
    // The caller has no agent in the space.
    if (refused?.error === 'conflict')
      return html`<p class="soft">Only members see the tasks. Accept an invitation, or ask to join.</p>`;
    if (refused) return problem(refused);
    return html`<div class="board" tabindex="-1">
        ${Object.entries(COLUMNS).map(([state, title]) => column(state, title))}
      </div>
      <details class="cancelled" @toggle=${opened}>
        <summary>Cancelled tasks</summary>
        ${cards('cancelled', 'Cancelled')}
      </details>
      ${reserved.view()}`;
  }

  const of = (state) =>
    [...tasks.values()].filter((task) => task.state === state).sort(state === 'open' ? readyFirst : latest);

  const column = (state, title) =>
    html`<section class="column ${state}" aria-label=${title}>
      <h2>${title} <span class="count">${number(of(state).length)}${cursors[state] ? '+' : ''}</span></h2>
      ${cards(state, title)}
    </section>`;

  function cards(state, title) {
    const here = of(state);
    const press = guarded(({ currentTarget }) => whileBusy(currentTarget, () => older(state)));
    return html`<ol class="cards" aria-label=${title}>
        ${here.length ? repeat(here, (task) => task.id, card) : html`<li class="soft none">${NONE[state]}</li>`}
      </ol>
      ${
        cursors[state]
          ? html`<button type="button" class="quiet" aria-label="Older tasks: ${title}" @click=${press}>
              Older tasks
            </button>`
          : nothing
      }`;
  }

  const card = (task) =>
    html`<li class="card ${task.state}" data-task=${task.id}>
      ${link(taskPath(task), html`<span dir="auto" class="clip3">${task.title}</span>`)}
      <div class="card-foot">
        ${task.state === 'open' ? (task.ready ? tag('ready', 'reads') : waits(task)) : nothing}${who(task)}${(task.tags ?? []).map((text) => tag(text))}
      </div>
    </li>`;

  // By the name of the first one that is not done, where it is known.
  function waits(task) {
    const unmet = (task.after ?? []).map((id) => tasks.get(id)).filter((one) => one && one.state !== 'done');
    if (!unmet.length) return tag('waiting');
    return html`<span class="soft clip2"
      >waits for ${unmet[0].title}${unmet.length > 1 ? ` and ${number(unmet.length - 1)} more` : ''}</span
    >`;
  }

  const opened = guarded(async ({ currentTarget }) => {
    isOpen = currentTarget.open;
    if (isOpen && cursors.cancelled === undefined) await older('cancelled');
  });
  let isOpen = false;

  async function page(state, cursor, withPaths = false) {
    const body = await call('TK_List', {
      target: { domain },
      state,
      page: { limit: PAGE, ...(cursor && { cursor }) },
      ...(withPaths && { paths: true }),
    });
    cursors[state] = body.next_cursor;
    return body;
  }

  async function older(state) {
    const body = await page(state, cursors[state]);
    arrive(body.profile, false);
  }

  // What happened meanwhile is newer than what was read.
  function arrive(found, isTold = true) {
    for (const task of found) {
      const before = tasks.get(task.id);
      if (before && before.revision > task.revision) continue;
      tasks.set(task.id, task);
      if (isTold && before?.state !== task.state) announce(`${task.title}: ${COLUMNS[task.state] ?? 'Cancelled'}`);
    }
    drawn();
    wakeAtEnd();
  }

  async function load() {
    const [open, ...others] = await Promise.all(
      Object.keys(COLUMNS).map((state) => page(state, null, state === 'open')),
    );
    if (!isHere()) return;
    tasks.clear();
    reserved.take(open.reservations ?? []);
    arrive(
      [open, ...others].flatMap((body) => body.profile),
      false,
    );
    cursors.cancelled = undefined;
    if (isOpen) await older('cancelled');
  }

  // Those that come after a changed one may be ready now, or no longer.
  async function changed(ids) {
    const after = [...tasks.values()]
      .filter((task) => (task.after ?? []).some((id) => ids.has(id)))
      .map((task) => task.id);
    const all = [...new Set([...ids, ...after])];
    if (all.length > MOST_AT_ONCE) return load();
    const found = await Promise.all(
      all.map((id) => readTask(id).catch((error) => void (error.error === 'not_found' && tasks.delete(id)))),
    );
    if (isHere()) arrive(found.filter((task) => task?.domain === domain));
  }

  // A lease that ends without a word: the task is open again, or the lease was extended.
  let timer;
  function wakeAtEnd() {
    clearTimeout(timer);
    const ends = [...tasks.values()]
      .filter((task) => task.lease_until)
      .map((task) => [Date.parse(task.lease_until), task.id])
      .sort(([a], [b]) => a - b);
    if (!ends.length) return;
    timer = setTimeout(
      () => {
        if (isHere())
          turn(() => changed(new Set(ends.filter(([end]) => end <= Date.now()).map(([, id]) => id))).then(wakeAtEnd));
      },
      Math.max(5_000, ends[0][0] - Date.now() + 1_000),
    );
  }

  if (may('TK_List')) {
    follow(on, isHere, (name) => name === domain, {
      // Only the audit reports new reservations.
      changed: (ids) => turn(() => changed(new Set(ids.keys())).then(may('AC_Audit') ? undefined : reserved.again)),
      freed: () => turn(reserved.again),
    });
    on('reset', () => turn(load));
    await turn(() => load().catch((error) => (refused = error)));
  }
  isRead = true;
  drawn();
}
