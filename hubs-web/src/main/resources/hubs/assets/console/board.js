// The tasks of a space as a board that moves by itself, and which files are reserved.
import { call, may, whyNot } from './api.js';
import { reservations } from './reservations.js';
import { create } from './task-dialogs.js';
import { follow, inTurn, isOver, parts, readTask, roomOf, taskPath, who } from './task-parts.js';
import {
  action,
  announce,
  el,
  guarded,
  head,
  link,
  number,
  problem,
  put,
  redrawn,
  tag,
  toast,
  whileBusy,
} from './ui.js';

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

export async function showBoard({ at, view, on, isHere }) {
  const room = await roomOf({ domain: at.parts[0] });
  const domain = room.profile[0].name;
  const tasks = new Map();
  const cursors = {};
  const places = {};
  const turn = inTurn();
  const choices = () => [...tasks.values()].filter((task) => !isOver(task)).slice(0, CHOICES);
  view.dataset.title = 'Tasks';
  const fresh = action(
    'TK_Create',
    'New task',
    () =>
      create(room, choices(), (task) => {
        toast('The task is created.');
        arrive([task]);
      }),
    '',
  );
  view.append(
    head(domain, { sub: 'Tasks: what is to be done, and who does it.', actions: [fresh] }),
    parts(domain, 'tasks'),
  );
  if (!may('TK_List')) return void view.append(el('p', { class: 'soft' }, `${whyNot('TK_List')}.`));

  const board = el('div', { class: 'board', tabindex: '-1' });
  const cancelled = el('details', { class: 'cancelled' }, el('summary', {}, 'Cancelled tasks'));
  const reserved = reservations(domain, isHere);

  for (const [state, title] of Object.entries({ ...COLUMNS, cancelled: 'Cancelled' })) {
    const list = el('ol', { class: 'cards', 'aria-label': title });
    const count = el('span', { class: 'count' });
    const more = el(
      'button',
      {
        type: 'button',
        class: 'quiet',
        hidden: true,
        'aria-label': `Older tasks: ${title}`,
        click: guarded(() => whileBusy(more, () => older(state))),
      },
      'Older tasks',
    );
    places[state] = { list, count, more };
    if (state === 'cancelled') cancelled.append(list, more);
    else
      board.append(
        el('section', { class: `column ${state}`, 'aria-label': title }, el('h2', {}, `${title} `, count), list, more),
      );
  }

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
    draw();
  }

  async function load() {
    const [open, ...others] = await Promise.all(
      Object.keys(COLUMNS).map((state) => page(state, null, state === 'open')),
    );
    if (!isHere()) return;
    tasks.clear();
    reserved.show(open.reservations ?? []);
    arrive(
      [open, ...others].flatMap((body) => body.profile),
      false,
    );
    cursors.cancelled = undefined;
    if (cancelled.open) await older('cancelled');
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

  // By the name of the first one that is not done, where it is known.
  function waits(task) {
    const unmet = (task.after ?? []).map((id) => tasks.get(id)).filter((one) => one && one.state !== 'done');
    if (!unmet.length) return tag('waiting');
    return el(
      'span',
      { class: 'soft clip2' },
      `waits for ${unmet[0].title}${unmet.length > 1 ? ` and ${number(unmet.length - 1)} more` : ''}`,
    );
  }

  function card(task) {
    return el(
      'li',
      { class: `card ${task.state}`, 'data-task': task.id },
      link(taskPath(task), el('span', { class: 'clip3' }, task.title)),
      el(
        'div',
        { class: 'card-foot' },
        task.state === 'open' ? (task.ready ? tag('ready', 'reads') : waits(task)) : null,
        who(task),
        ...(task.tags ?? []).map((text) => tag(text)),
      ),
    );
  }

  const latest = (a, b) => b.updated_at.localeCompare(a.updated_at);
  const readyFirst = (a, b) => Number(b.ready) - Number(a.ready) || b.created_at.localeCompare(a.created_at);

  function draw() {
    redrawn(board, () => {
      for (const [state, { list, count, more }] of Object.entries(places)) {
        const here = [...tasks.values()]
          .filter((task) => task.state === state)
          .sort(state === 'open' ? readyFirst : latest);
        count.textContent = `${number(here.length)}${cursors[state] ? '+' : ''}`;
        more.hidden = !cursors[state];
        list.replaceChildren(...(here.length ? here.map(card) : [el('li', { class: 'soft none' }, NONE[state])]));
      }
    });
    wakeAtEnd();
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

  cancelled.addEventListener(
    'toggle',
    guarded(async () => {
      if (cancelled.open && cursors.cancelled === undefined) await older('cancelled');
    }),
  );
  follow(on, isHere, (name) => name === domain, {
    // Only the audit reports new reservations.
    changed: (ids) => turn(() => changed(new Set(ids.keys())).then(may('AC_Audit') ? undefined : reserved.again)),
    freed: () => turn(reserved.again),
  });
  on('reset', () => turn(load));
  let refused;
  await turn(() => load().catch((error) => (refused = error)));
  if (refused) {
    const isOutside = refused.error === 'conflict'; // The caller has no agent in the space.
    return void view.append(
      isOutside
        ? el('p', { class: 'soft' }, 'Only members see the tasks. Accept an invitation, or ask to join.')
        : problem(refused),
    );
  }
  put(view, board, cancelled, reserved.place);
}
