// The memories of a bank that no search has returned for long, and the cleaning up of them in one go.
import { call, may } from './api.js';
import {
  action,
  ago,
  ask,
  DANGER,
  el,
  enc,
  html,
  link,
  nothing,
  number,
  problem,
  repeat,
  tag,
  toast,
} from './parts.js';
import { backTo } from './memory-one.js';
import { memoriesOf, memoryTitle } from './memory-words.js';

const DAYS = [30, 90, 365];
const PAGE = 200;
const MOST = 1000; // As many as one call moves to the trash.
const SHOWN = 200;

// Returns the memories, newest first, and whether there are more than one call takes.
async function unused(bank, days) {
  const since = new Date(Date.now() - days * 86_400_000).toISOString();
  const found = [];
  let cursor;
  do {
    const page = { limit: PAGE, ...(cursor && { cursor }) };
    const body = await call('MB_Read', { target: { bank }, unused_since: since, page });
    const used = new Map((body.use ?? []).map((one) => [one.id, one]));
    found.push(...body.content.map((one) => ({ ...one, use: used.get(one.id) })));
    cursor = body.next_cursor;
  } while (cursor && found.length < MOST);
  return { found: found.slice(0, MOST), isMore: Boolean(cursor) || found.length > MOST };
}

const row = (bank) => (one) =>
  html`<li>
    <p class="clip2">
      ${link(`/console/memory/${enc(bank)}/${enc(one.name ?? one.id)}`, html`<b>${memoryTitle(one)}</b>`)}
      ${one.name ? html`<bdi>${one.text}</bdi>` : nothing}
    </p>
    <span class="soft"
      >by ${one.author}, ${ago(one.updated_at)},
      ${one.use ? html`last found ${ago(one.use.last_at)}` : 'never found'}</span
    >
    ${one.pinned ? tag('pinned', 'reads') : nothing}
  </li>`;

// Returns view, the part of the page.
export async function unusedMemories(bank, { isHere, drawn }) {
  let days = 90;
  let state = await unused(bank.name, days);
  const choice = el(
    'select',
    { 'aria-label': 'For how long' },
    ...DAYS.map((each) =>
      el('option', { value: each, selected: each === days ? '' : null }, `Never found in ${each} days`),
    ),
  );
  choice.value = String(days);

  async function again() {
    days = Number(choice.value);
    const next = await unused(bank.name, days).catch((error) => ({ found: [], error }));
    if (!isHere() || days !== Number(choice.value)) return;
    state = next;
    drawn();
  }

  function clean() {
    const memories = state.found.map((one) => one.id);
    const target = { bank: bank.name };
    return ask({
      title: `Move ${memoriesOf(memories.length)} to the trash?`,
      text: `No search of anybody has returned them in ${days} days. They can be restored for 30 days.`,
      verb: 'Move to trash',
      danger: true,
      tool: 'MB_Delete',
      args: () => ({ target, memories }),
      done: async ({ deleted }) => {
        toast(`${memoriesOf(deleted)} of ${bank.name} are in the trash for 30 days.`, async () => {
          const answer = await call('MB_Restore', { target, memories });
          toast(`${memoriesOf(answer.restored)} of ${bank.name} are restored.`);
          await again();
        });
        await again();
      },
    });
  }

  return () =>
    html`${backTo(bank)}
      <header class="detail-head">
        <div>
          <h2>Never found</h2>
          <p class="soft">
            What no search has returned. Loading a bank and reading it are not counted. Check pinned ones before you
            clean up.
          </p>
        </div>
        <div class="head-actions">
          ${
            state.found.length && may('MB_Delete')
              ? action('MB_Delete', `Move ${number(state.found.length)} to the trash`, clean, DANGER)
              : nothing
          }
        </div>
      </header>
      <div class="filters" @change=${again}>${choice}</div>
      ${state.error ? problem(state.error) : nothing}
      ${
        state.found.length
          ? html`<p class="soft">
                ${memoriesOf(state.found.length)}${state.isMore ? ', and more: clean up again for those' : ''}.
                ${state.found.length > SHOWN ? `The first ${SHOWN} are shown.` : ''}
              </p>
              <ul class="trash unused" tabindex="-1">
                ${repeat(state.found.slice(0, SHOWN), (one) => one.id, row(bank.name))}
              </ul>`
          : html`<p class="soft">None: each memory was found, or is newer.</p>`
      }`;
}
