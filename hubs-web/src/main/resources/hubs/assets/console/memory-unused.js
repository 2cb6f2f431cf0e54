// The memories of a bank that no search has returned for long, and the cleaning up of them in one go.
import { call, may } from './api.js';
import { action, ago, ask, DANGER, el, enc, html, link, nothing, number, problem, repeat, toast } from './parts.js';
import { backTo } from './memory-one.js';
import { memoriesOf, memoryTitle } from './memory-words.js';

const DAYS = [30, 90, 365];
const PAGE = 200; // As many as are shown, and go to the trash in one call.
const CALLS = 10; // A call looks at 10,000 memories at most.

// Returns the first memories, newest first, and where to look for more.
async function unused(bank, days, isHere, cursor) {
  const since = new Date(Date.now() - days * 86_400_000).toISOString();
  const found = [];
  for (let calls = 0; (calls === 0 || cursor) && calls < CALLS && found.length === 0 && isHere(); calls++) {
    const page = { limit: PAGE, ...(cursor && { cursor }) };
    const body = await call('MB_Read', { target: { bank }, unused_since: since, page });
    const used = new Map((body.use ?? []).map((one) => [one.id, one]));
    found.push(...body.content.map((one) => ({ ...one, use: used.get(one.id) })));
    cursor = body.next_cursor;
  }
  return { days, found, cursor };
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
  </li>`;

// Returns view, the part of the page.
export async function unusedMemories(bank, { isHere, drawn }) {
  const canDelete = may('MB_Delete');
  let state = await unused(bank.name, 90, isHere);
  const choice = el(
    'select',
    { 'aria-label': 'For how long' },
    ...DAYS.map((each) =>
      el('option', { value: each, selected: each === state.days ? '' : null }, `Never found in ${each} days`),
    ),
  );
  choice.value = String(state.days);

  // What is listed cannot be deleted while another list is on its way.
  async function again(cursor) {
    const days = Number(choice.value);
    state = { days, found: [], isLoading: true };
    drawn();
    const next = await unused(bank.name, days, isHere, cursor).catch((error) => ({ days, found: [], error }));
    if (!isHere() || days !== Number(choice.value)) return;
    state = next;
    drawn();
  }

  function clean() {
    const { days, found } = state;
    const memories = found.map((one) => one.id);
    const target = { bank: bank.name };
    return ask({
      title: `Move ${memoriesOf(memories.length)} to the trash?`,
      text: `No search of anybody has returned them in ${days} days. Those of others require the permission write. They can be restored for 30 days.`,
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

  const rest = () =>
    state.cursor
      ? html`<p><button class="quiet" @click=${() => again(state.cursor)}>Look at older ones</button></p>`
      : nothing;
  const list = () =>
    html`<p class="soft">
        ${memoriesOf(state.found.length)}${state.cursor ? ', the newest. Older ones may follow.' : '.'}
      </p>
      <ul class="trash unused" tabindex="-1">
        ${repeat(state.found, (one) => one.id, row(bank.name))}
      </ul>`;
  const none = () =>
    html`<p class="soft">
      ${
        state.cursor
          ? 'None among the newest: each was found or changed.'
          : 'None: each memory was found or changed, or is pinned, newer, or a correction.'
      }
    </p>`;
  const content = () => {
    if (state.isLoading) return html`<p class="soft">Looking…</p>`;
    if (state.error) return problem(state.error);
    return html`${state.found.length ? list() : none()}${rest()}`;
  };

  return () =>
    html`${backTo(bank)}
      <header class="detail-head">
        <div>
          <h2>Never found</h2>
          <p class="soft">
            What no search of an agent has returned, and nobody has changed. Pinned memories and corrections of others
            are not listed. Loading a bank, reading it, and searches in the console are not counted.
          </p>
        </div>
        <div class="head-actions">
          ${
            state.found.length && canDelete
              ? action('MB_Delete', `Move ${number(state.found.length)} to the trash`, clean, DANGER)
              : nothing
          }
        </div>
      </header>
      <div class="filters" @change=${() => again()}>${choice}</div>
      ${content()}`;
}
