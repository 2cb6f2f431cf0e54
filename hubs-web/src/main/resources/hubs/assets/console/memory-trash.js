// The trash: of all banks that the caller may read, and of one bank. It lists what MB_Restore can bring back, each with what it is.
import { all, call, may } from './api.js';
import {
  action,
  ago,
  ask,
  compact,
  DANGER,
  empty,
  enc,
  html,
  link,
  nothing,
  number,
  repeat,
  toast,
  dateWords,
} from './parts.js';
import { backTo } from './memory-one.js';
import { memoriesOf, memoryTitle, restored } from './memory-words.js';
import { isOfMemory } from './sentences.js';

const DAYS = 30;
const MOST_BANKS = 30;

// The banks, and agents' parts of banks, that were put into the trash and not taken out again. Only the audit knows them.
function trashed(entries) {
  const seen = new Set();
  const found = [];
  for (const entry of entries) {
    if (entry.result !== 'done' || isOfMemory(entry)) continue; // A memory is in the trash of its bank.
    // Newest first.
    const key = `${entry.target ?? entry.target_id}\n${entry.member ?? ''}`;
    if (seen.has(key)) continue;
    seen.add(key);
    if (entry.tool === 'MB_Delete' && entry.target) found.push(entry);
  }
  return found;
}

// A memory in the trash of its bank, as an entry of a list. gone is called when it is no longer there.
function memoryLine(one, bank, gone, place = nothing) {
  const about = { target: { bank }, memory: one.id };
  const restore = async () => {
    const answer = await call('MB_Restore', about);
    gone();
    toast(restored(answer));
  };
  const destroy = () =>
    ask({
      title: `Delete the memory ${memoryTitle(one)} forever?`,
      text: [`It is one memory of ${bank}, with all its revisions.`, html`<p class="wraps" dir="auto">${one.text}</p>`],
      verb: 'Delete forever',
      danger: true,
      tool: 'MB_Destroy',
      args: () => about,
      done: () => {
        gone();
        toast(`The memory ${memoryTitle(one)} of ${bank} is deleted forever.`);
      },
    });
  return html`<li>
    <p class="clip2">
      <bdi><b dir="auto">${one.name}</b> ${one.text}</bdi>
    </p>
    <span class="soft"
      >${place}by ${one.author}, deleted ${ago(one.deleted_at)}, kept until ${dateWords(one.kept_until)}</span
    >
    ${action('MB_Restore', 'Restore', restore, 'quiet', memoryTitle(one))}
    ${action('MB_Destroy', 'Delete forever', destroy, DANGER, memoryTitle(one))}
  </li>`;
}

const back = (bank, agent, done) =>
  ask({
    title: agent ? `Restore what ${agent} wrote in ${bank}?` : `Restore the bank ${bank}?`,
    text: 'It comes back as it was when it was deleted.',
    verb: 'Restore',
    tool: 'MB_Restore',
    args: () => ({ target: compact({ bank, agent }) }),
    done: (answer) => {
      toast(restored(answer, agent));
      done();
    },
  });

const byName = (go) =>
  action('MB_Restore', 'Restore by name', () =>
    ask({
      title: 'Restore from the trash',
      text: 'The bank of this name that was deleted last, what an agent wrote in a bank, or one memory of a bank.',
      verb: 'Restore',
      tool: 'MB_Restore',
      fields: [
        { name: 'bank', label: 'Bank', required: true, max: 64 },
        { name: 'agent', label: 'Only what this agent wrote', hint: 'Optional.' },
        { name: 'memory', label: 'Only the memory of this name or id', hint: 'Optional.' },
      ],
      args: ({ bank, agent, memory }) => compact({ target: compact({ bank, agent }), memory }),
      done: (answer, { bank, agent }) => {
        toast(restored(answer, agent));
        go(`/console/memory/${enc(bank)}`);
      },
    }),
  );

// The memories in the trash of the caller's banks, as the service has them, the last deleted first.
async function memoriesIn(banks) {
  const lists = await Promise.all(
    banks.slice(0, MOST_BANKS).map((bank) =>
      call('MB_Trash', { target: { bank: bank.name }, page: { limit: 50 } }).then(
        ({ content }) => content.map((one) => ({ ...one, bank: bank.name })),
        () => [],
      ),
    ),
  );
  return lists.flat().sort((a, b) => Date.parse(b.deleted_at) - Date.parse(a.deleted_at));
}

async function deletions() {
  const since = new Date(Date.now() - DAYS * 86_400_000).toISOString();
  const lists = await Promise.all(
    ['MB_Delete', 'MB_Restore', 'MB_Destroy'].map((tool) =>
      all('AC_Audit', { tool, since, result: 'done' }, (body) => body.entries, 2),
    ),
  );
  return trashed(lists.flat().sort((a, b) => Date.parse(b.at) - Date.parse(a.at)));
}

// Returns view, the part of the page.
export async function trash(banks, go, drawn) {
  let [found, memories] = await Promise.all([may('AC_Audit') ? deletions() : [], memoriesIn(banks)]);
  const line = (entry) => {
    const ends = new Date(Date.parse(entry.at) + DAYS * 86_400_000);
    const gone = async () => {
      found = found.filter((one) => one !== entry);
      if (entry.member) memories = await memoriesIn(banks);
      drawn();
    };
    return html`<li>
      <span dir="auto"
        >${
          entry.member
            ? html`what <b dir="auto">${entry.member}</b> wrote in the bank <b dir="auto">${entry.target}</b>`
            : html`the bank <b dir="auto">${entry.target}</b>`
        }</span
      >
      <span class="soft">deleted by ${entry.agent ?? entry.user} ${ago(entry.at)}, kept until ${dateWords(ends)}</span>
      ${action(
        'MB_Restore',
        'Restore',
        () => back(entry.target, entry.member, gone),
        'quiet',
        entry.member ? `what ${entry.member} wrote in ${entry.target}` : entry.target,
      )}
    </li>`;
  };
  const memory = (one) => {
    const gone = () => {
      memories = memories.filter((other) => other !== one);
      drawn();
    };
    const place = html`a memory of ${link(`/console/memory/${enc(one.bank)}?view=trash`, one.bank)} `;
    return memoryLine(one, one.bank, gone, place);
  };
  const others = may('AC_Audit') ? '' : ' Deleted banks are listed for admins only. You can restore your own by name.';
  const first =
    banks.length > MOST_BANKS
      ? ` Memories of the first ${MOST_BANKS} banks are listed here. Each bank has a trash of its own.`
      : '';
  return () =>
    found.length || memories.length
      ? html`<p>${byName(go)}<span class="soft">${others}${first}</span></p>
          <ul class="trash" tabindex="-1">
            ${repeat(found, (entry) => entry, line)}${repeat(memories, (one) => one.id, memory)}
          </ul>`
      : empty(
          'The trash is empty',
          `Deleted memories, banks, and what an agent wrote in one, stay here for ${DAYS} days.${others}${first}`,
          byName(go),
        );
}

const MOST = 1000; // As many as one call restores.

// Those that were deleted by one call have the same time. Each group comes back by one call, too.
function together(found) {
  const groups = Map.groupBy(found, (one) => one.deleted_at);
  return [...groups.values()].filter((group) => group.length > 1);
}

// The deleted memories of one bank.
export async function bankTrash(bank, { drawn }) {
  let found = await all('MB_Trash', { target: { bank: bank.name } }, (body) => body.content);
  const line = (one) =>
    memoryLine(one, bank.name, () => {
      found = found.filter((other) => other !== one);
      drawn();
    });
  const group = (memories) => {
    const restore = async () => {
      const ids = memories.slice(0, MOST).map((one) => one.id);
      const answer = await call('MB_Restore', { target: { bank: bank.name }, memories: ids });
      found = found.filter((one) => !ids.includes(one.id));
      drawn();
      toast(`${memoriesOf(answer.restored)} of ${bank.name} are restored.`);
    };
    const isMore = memories.length > MOST;
    const words = isMore ? `Restore the first ${number(MOST)}` : `Restore all ${number(memories.length)}`;
    return html`<p>
      ${memoriesOf(memories.length)} were deleted together ${ago(memories[0].deleted_at)}.
      ${action('MB_Restore', words, restore)}
    </p>`;
  };
  return () =>
    html`${backTo(bank)}
      <h2>Trash of ${bank.name}</h2>
      ${together(found).map(group)}
      ${
        found.length
          ? html`<ul class="trash" tabindex="-1">
              ${repeat(found, (one) => one.id, line)}
            </ul>`
          : html`<p class="soft">Nothing. Deleted memories stay here for ${DAYS} days.</p>`
      }`;
}
