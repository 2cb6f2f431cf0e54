// One task: what it is, who does it, what it waits for, what became of it, and which messages name it.
import { ask as read, call, may, me } from './api.js';
import { answer, assign, block, cancel, claim, edit, extend, finish, reopen, takeAway } from './task-dialogs.js';
import { boardPath, follow, holder, inTurn, isOver, left, readTask, stateTag, taskPath } from './task-parts.js';
import {
  action,
  ago,
  avatar,
  clock,
  DANGER,
  draw,
  enc,
  facts,
  guarded,
  head,
  html,
  link,
  nothing,
  number,
  repeat,
  rich,
  tag,
  whileBusy,
} from './parts.js';

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

// The engine's own announcements, of which several may be one message: the history has them.
const isNotice = (text, id) =>
  text.split('; ').some((part) => new RegExp(`^[A-Z][^:]*: '[^]*' \\(task ${id}\\)`).test(part));

const said = (text) => html`<div class="said">${rich(text)}</div>`;

const mention = (one) =>
  html`<li>
    ${avatar(one.from)}
    <div>
      <p>
        <b dir="auto">${one.from}</b> in ${link(`/console/spaces/${enc(one.domain)}/${enc(one.zone)}`, one.zone)}
        <span class="soft">${clock(one.created_at)}</span>
      </p>
      ${said(one.text ?? one.snippet)}
    </div>
  </li>`;

const newestFirst = (body) => [...body.content].reverse();

export async function showTask({ at, view, on, isHere }) {
  const first = await call('TK_Read', { task: at.query.get('task'), page: { limit: HISTORY } });
  let [task] = first.profile;
  const { id } = task;
  let history = newestFirst(first);
  let cursor = first.next_cursor;
  const before = new Map();
  const turn = inTurn();
  let named = []; // The messages that name it.
  view.dataset.title = task.title;

  async function readAgain() {
    const now = await read('TK_Read', { task: id, page: { limit: HISTORY } });
    if (!isHere()) return;
    [task] = now.profile;
    history = newestFirst(now);
    cursor = now.next_cursor;
    await readBefore();
    drawn();
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
    return html`<div class="row task-actions">
      ${
        task.state === 'blocked'
          ? button('Answer', () => answer(task, history.find((one) => one.what === 'blocked')?.note, done), '')
          : nothing
      }
      ${canClaim ? action('TK_Claim', 'Claim', () => claim(task, done)) : nothing}
      ${isMine ? button('Extend', () => extend(task, done)) : nothing}
      ${isOver(task) ? button('Open again', () => reopen(task, done)) : endings(button)}
    </div>`;
  }

  const endings = (button) => [
    button('Done', () => finish(task, done)),
    button('Assign', () => assign(task, done)),
    task.state === 'blocked' ? nothing : button('Block', () => block(task, done)),
    button('Change', async () => edit(task, await others(), done)),
    task.holder ? button('Take away', () => takeAway(task, done), DANGER) : nothing,
    button('Cancel the task', () => cancel(task, done), DANGER),
  ];

  function waiting() {
    if (!task.after?.length) return nothing;
    return html`<section>
      <h2>After</h2>
      <ul class="rows">
        ${task.after.map((one) => {
          const other = before.get(one);
          return html`<li>
            ${
              other
                ? link(taskPath(other), stateTag(other), html`<span dir="auto" class="breaks">${other.title}</span>`)
                : html`<code>${one}</code>`
            }
          </li>`;
        })}
      </ul>
    </section>`;
  }

  const record = () =>
    html`<aside aria-label="Record">
      ${facts([
        ['Held by', task.holder ? holder(task) : isOver(task) ? null : 'nobody'],
        ['Lease', task.lease_until ? left(task.lease_until) : null],
        ['For', task.assignee ?? (isOver(task) ? null : 'anybody')],
        ['Created by', task.created_by],
        ['Created', ago(task.created_at)],
        ['Changed', ago(task.updated_at)],
      ])}
    </aside>`;

  // What only programs ask for.
  const details = () =>
    html`<details class="task-details">
      <summary>Details</summary>
      ${facts([
        ['Fence', number(task.fence)],
        ['Revision', number(task.revision)],
        ['Id', html`<code>${task.id}</code>`],
      ])}
    </details>`;

  const step = (one) =>
    html`<li>
      ${avatar(one.by ?? '?')}
      <div>
        <p>
          <b dir="auto">${one.by ?? 'Somebody'}</b> ${DEEDS[one.what] ?? one.what}
          <span class="soft">${clock(one.at)}</span>
        </p>
        ${one.note ? said(one.note) : nothing}
      </div>
    </li>`;

  const past = () =>
    html`<section>
      <h2>History</h2>
      <ol class="history" aria-label="History">
        ${repeat(history, (one) => `${one.at} ${one.what} ${one.by}`, step)}
      </ol>
      ${
        cursor
          ? html`<button
              type="button"
              class="quiet"
              @click=${guarded(({ currentTarget }) => whileBusy(currentTarget, earlier))}
            >
              Earlier
            </button>`
          : nothing
      }
    </section>`;

  async function earlier() {
    const older = await read('TK_Read', { task: id, page: { limit: HISTORY, cursor } });
    history = [...history, ...newestFirst(older)];
    cursor = older.next_cursor;
    drawn();
  }

  const words = (title, text) =>
    text
      ? html`<section>
          <h2>${title}</h2>
          ${said(text)}
        </section>`
      : nothing;

  const state = () =>
    html`${stateTag(task)} ${task.state !== 'open' ? nothing : task.ready ? tag('ready', 'reads') : tag('waiting')}`;

  function drawn() {
    if (!isHere()) return;
    draw(
      html`${head(task.title, { state: state() })}
        <p>${link(boardPath(task.domain), `← Tasks of ${task.domain}`)}</p>
        <div class="task" tabindex="-1">
          ${task.tags?.length ? html`<p class="tagline">${task.tags.map((text) => tag(text))}</p>` : nothing}
          ${actions()}
          <div class="task-parts">
            <div>
              ${words('Description', task.description)} ${words('Result', task.result)} ${waiting()} ${past()}
              ${named.length ? messages() : nothing}
            </div>
            ${record()} ${details()}
          </div>
        </div>`,
      view,
    );
  }

  const messages = () =>
    html`<section aria-labelledby="t-messages">
      <h2 id="t-messages">Messages that name it</h2>
      <ol class="history" aria-label="Messages that name it">
        ${repeat(named, (one) => one.id, mention)}
      </ol>
    </section>`;

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
    named = [...new Map(hits.flatMap((hit) => hit.content).map((one) => [one.id, one])).values()]
      .filter((one) => one.score === 1 && !isNotice(one.text ?? one.snippet ?? '', id))
      .sort((a, b) => b.created_at.localeCompare(a.created_at));
    drawn();
  }

  await readBefore();
  drawn();
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
