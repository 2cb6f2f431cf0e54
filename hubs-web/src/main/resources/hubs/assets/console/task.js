// One task: what it is, who does it, what it waits for, what became of it, and which messages name it.
import { ask as read, call, may, me } from './api.js';
import { answer, assign, block, cancel, claim, edit, extend, finish, reopen, takeAway } from './task-dialogs.js';
import { boardPath, follow, inTurn, isOver, left, readTask, stateTag, taskPath } from './task-parts.js';
import {
  action,
  ago,
  avatar,
  clock,
  DANGER,
  el,
  enc,
  facts,
  guarded,
  head,
  link,
  number,
  redrawn,
  tag,
  whileBusy,
} from './ui.js';

const HISTORY = 50;
const FOUND = 50;

const DEEDS = {
  created: 'created it',
  claimed: 'claimed it',
  done: 'finished it',
  blocked: 'blocked it',
  cancelled: 'cancelled it',
  opened: 'opened it again',
  resumed: 'let it go on',
  assigned: 'assigned it',
  lost: 'lost it: the lease ended',
  extended: 'extended the lease',
  changed: 'changed it',
};

// The engine's own announcements: the history has them.
const isNotice = (text, id) => new RegExp(`^[A-Z][^:]*: '[^]*' \\(task ${id}\\)`).test(text);

const newestFirst = (body) => [...body.content].reverse();

export async function showTask({ at, view, on, isHere }) {
  const first = await call('TK_Read', { task: at.query.get('task'), page: { limit: HISTORY } });
  let [task] = first.profile;
  const { id } = task;
  let history = newestFirst(first);
  let cursor = first.next_cursor;
  const before = new Map();
  const turn = inTurn();
  const body = el('div', { class: 'task', tabindex: '-1' });
  const messages = el('section', { 'aria-labelledby': 't-messages', hidden: true });
  view.dataset.title = task.title;

  async function readAgain() {
    const now = await read('TK_Read', { task: id, page: { limit: HISTORY } });
    if (!isHere()) return;
    [task] = now.profile;
    history = newestFirst(now);
    cursor = now.next_cursor;
    await readBefore();
    draw();
  }

  async function readBefore(ids = (task.after ?? []).filter((one) => !before.has(one))) {
    await Promise.all([...ids].map(async (one) => before.set(one, await readTask(one).catch(() => null))));
  }

  const done = () => turn(readAgain);
  const others = async () =>
    (await call('TK_List', { target: { domain: task.domain }, page: { limit: HISTORY } })).profile;

  function actions() {
    const button = (label, work, kind = 'quiet') => action('TK_Update', label, work, kind);
    const isMine = task.holder === me.user;
    const canClaim = task.ready && (!task.assignee || task.assignee === me.user);
    return el(
      'div',
      { class: 'row task-actions' },
      task.state === 'blocked'
        ? button('Answer', () => answer(task, history.find((one) => one.what === 'blocked')?.note, done), '')
        : null,
      canClaim ? action('TK_Claim', 'Claim', () => claim(task, done)) : null,
      isMine ? button('Extend', () => extend(task, done)) : null,
      ...(isOver(task)
        ? [button('Open again', () => reopen(task, done))]
        : [
            button('Done', () => finish(task, done)),
            button('Assign', () => assign(task, done)),
            task.state === 'blocked' ? null : button('Block', () => block(task, done)),
            button('Change', async () => edit(task, await others(), done)),
            task.holder ? button('Take away', () => takeAway(task, done), DANGER) : null,
            button('Cancel the task', () => cancel(task, done), DANGER),
          ]),
    );
  }

  function waiting() {
    if (!task.after?.length) return null;
    return el(
      'section',
      {},
      el('h2', {}, 'After'),
      el(
        'ul',
        { class: 'rows' },
        ...task.after.map((one) => {
          const other = before.get(one);
          return el(
            'li',
            {},
            other
              ? link(taskPath(other), stateTag(other), el('span', { class: 'breaks' }, other.title))
              : el('code', {}, one),
          );
        }),
      ),
    );
  }

  function record() {
    const lease = task.lease_until ? left(task.lease_until) : null;
    return el(
      'aside',
      { 'aria-label': 'Record' },
      facts([
        [
          'Held by',
          task.holder
            ? el('span', { class: 'holder' }, avatar(task.holder), el('b', {}, task.holder))
            : isOver(task)
              ? null
              : 'nobody',
        ],
        ['Lease', lease],
        ['For', task.assignee ?? (isOver(task) ? null : 'anybody')],
        ['Fence', number(task.fence)],
        ['Created by', task.created_by],
        ['Created', ago(task.created_at)],
        ['Changed', ago(task.updated_at)],
        ['Revision', number(task.revision)],
        ['Id', el('code', {}, task.id)],
      ]),
    );
  }

  function step(one) {
    return el(
      'li',
      {},
      avatar(one.by ?? '?'),
      el(
        'div',
        {},
        el(
          'p',
          {},
          el('b', {}, one.by ?? 'Somebody'),
          ` ${DEEDS[one.what] ?? one.what} `,
          el('span', { class: 'soft' }, clock(one.at)),
        ),
        one.note ? el('p', { class: 'said' }, one.note) : null,
      ),
    );
  }

  function past() {
    const more = el(
      'button',
      { type: 'button', class: 'quiet', click: guarded(() => whileBusy(more, earlier)) },
      'Earlier',
    );
    return el(
      'section',
      {},
      el('h2', {}, 'History'),
      el('ol', { class: 'history', 'aria-label': 'History' }, ...history.map(step)),
      cursor ? more : null,
    );
  }

  async function earlier() {
    const older = await read('TK_Read', { task: id, page: { limit: HISTORY, cursor } });
    history = [...history, ...newestFirst(older)];
    cursor = older.next_cursor;
    draw();
  }

  const words = (title, text) =>
    text ? el('section', {}, el('h2', {}, title), el('p', { class: 'said' }, text)) : null;

  function draw() {
    const title = view.querySelector('h1');
    if (title) title.textContent = task.title;
    redrawn(body, () =>
      body.replaceChildren(
        el(
          'p',
          { class: 'tagline' },
          stateTag(task),
          task.state !== 'open' ? null : task.ready ? tag('ready', 'reads') : tag('waiting'),
          ...(task.tags ?? []).map((text) => tag(text)),
        ),
        actions(),
        el(
          'div',
          { class: 'task-parts' },
          el(
            'div',
            {},
            ...[words('Description', task.description), words('Result', task.result), waiting(), past()].filter(
              Boolean,
            ),
            messages,
          ),
          record(),
        ),
      ),
    );
  }

  // By its id, and by its whole title where that is more than a word or two.
  async function readMessages() {
    const title = task.title.replaceAll('"', ' ').trim();
    const queries = [id, ...(title.split(/\s+/).length > 2 ? [title] : [])].map((text) => `"${text}"`);
    const hits = await Promise.all(
      queries.map((content) =>
        read('AP_Search', { content, target: { domain: task.domain }, page: { limit: FOUND } }).catch(() => ({
          content: [],
        })),
      ),
    );
    if (!isHere()) return;
    const found = [...new Map(hits.flatMap((hit) => hit.content).map((one) => [one.id, one])).values()]
      .filter((one) => one.score === 1 && !isNotice(one.text ?? one.snippet ?? '', id))
      .sort((a, b) => b.created_at.localeCompare(a.created_at));
    messages.hidden = !found.length;
    messages.replaceChildren(
      el('h2', { id: 't-messages' }, 'Messages that name it'),
      el(
        'ol',
        { class: 'history', 'aria-label': 'Messages that name it' },
        ...found.map((one) =>
          el(
            'li',
            {},
            avatar(one.from),
            el(
              'div',
              {},
              el(
                'p',
                {},
                el('b', {}, one.from),
                ' in ',
                link(`/console/spaces/${enc(one.domain)}/${enc(one.zone)}`, one.zone),
                ' ',
                el('span', { class: 'soft' }, clock(one.created_at)),
              ),
              el('p', { class: 'said' }, one.text ?? one.snippet),
            ),
          ),
        ),
      ),
    );
  }

  view.append(head(task.title), el('p', {}, link(boardPath(task.domain), `← Tasks of ${task.domain}`)), body);
  await readBefore();
  draw();
  if (may('AP_Search')) turn(readMessages);
  follow(on, isHere, (name) => name === task.domain, {
    changed: (ids) => {
      const changed = (task.after ?? []).filter((one) => ids.has(one));
      if (changed.length || ids.has(id))
        turn(async () => {
          await readBefore(changed);
          await readAgain();
        });
    },
  });
  on('messages', ({ domain, content }) => {
    if (
      domain === task.domain &&
      may('AP_Search') &&
      isHere() &&
      (content.includes(id) || content.includes(task.title)) &&
      !isNotice(content, id)
    )
      turn(readMessages);
  });
  on('reset', () =>
    turn(async () => {
      before.clear();
      await readAgain();
    }),
  );
}
