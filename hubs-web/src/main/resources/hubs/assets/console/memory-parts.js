// Parts of the memory page: the trash, a bank's deleted memories, what an agent would load, and what a censorship would hide.
import { all, call, may } from './api.js';
import {
  html,
  nothing,
  action,
  ago,
  ask,
  DANGER,
  el,
  empty,
  enc,
  compact,
  link,
  memoryCount,
  meter,
  number,
  render,
  repeat,
  tag,
  toast,
} from './parts.js';
import { backTo, tokens } from './memory-one.js';

const ROOM = 4000;
const DAYS = 30;

// The trash is read from the audit: the banks that were put there and not taken out again.
function trashed(entries) {
  const seen = new Set();
  const found = [];
  for (const entry of entries) {
    // Newest first.
    const key = `${entry.target ?? entry.target_id}\n${entry.member ?? ''}`;
    if (entry.result !== 'done' || entry.item || seen.has(key)) continue; // A memory is in the trash of its bank.
    seen.add(key);
    if (entry.tool === 'MB_Delete' && entry.target) found.push(entry);
  }
  return found;
}

// Returns view, the part of the page.
export async function trash(go, drawn) {
  const back = (bank, agent, done) =>
    ask({
      title: agent ? `Restore what ${agent} wrote in ${bank}?` : `Restore ${bank}?`,
      text: 'It comes back as it was when it was deleted.',
      verb: 'Restore',
      tool: 'MB_Restore',
      args: () => ({ target: compact({ bank, agent }) }),
      done: () => {
        toast('Restored.');
        done();
      },
    });
  const byName = action('MB_Restore', 'Restore by name', () =>
    ask({
      title: 'Restore from the trash',
      text: 'The bank of this name that was deleted last, or one memory of a bank.',
      verb: 'Restore',
      tool: 'MB_Restore',
      fields: [
        { name: 'bank', label: 'Bank', required: true, max: 64 },
        { name: 'agent', label: 'Only what this agent wrote', hint: 'Optional.' },
        { name: 'name', label: 'Only the memory of this name', hint: 'Optional.' },
      ],
      args: ({ bank, agent, name }) => compact({ target: compact({ bank, agent }), vx: compact({ name }) }),
      done: (_, { bank }) => {
        toast('Restored.');
        go(`/console/memory/${enc(bank)}`);
      },
    }),
  );
  if (!may('AC_Audit')) {
    return () =>
      empty(
        'The trash',
        `Deleted banks and memories can be restored for ${DAYS} days. Only admins see this list; you can restore your own by name.`,
        byName,
      );
  }
  const since = new Date(Date.now() - DAYS * 86_400_000).toISOString();
  const lists = await Promise.all(
    ['MB_Delete', 'MB_Restore', 'MB_Destroy'].map((tool) =>
      all('AC_Audit', { tool, since, result: 'done' }, (body) => body.entries, 2),
    ),
  );
  let found = trashed(lists.flat().sort((a, b) => Date.parse(b.at) - Date.parse(a.at)));
  const line = (entry) => {
    const ends = new Date(Date.parse(entry.at) + DAYS * 86_400_000);
    const gone = () => {
      found = found.filter((one) => one !== entry);
      drawn();
    };
    return html`<li>
      <span
        ><b>${entry.target}</b
        >${entry.member ? html`<span class="soft"> what ${entry.member} wrote</span>` : nothing}</span
      >
      <span class="soft"
        >deleted by ${entry.agent ?? entry.user} ${ago(entry.at)}, kept until ${ends.toLocaleDateString()}</span
      >
      ${action(
        'MB_Restore',
        'Restore',
        () => back(entry.target, entry.member, gone),
        'quiet',
        entry.member ? `what ${entry.member} wrote in ${entry.target}` : entry.target,
      )}
    </li>`;
  };
  return () =>
    found.length
      ? html`<p>${byName}</p>
          <ul class="trash" tabindex="-1">
            ${repeat(found, (entry) => entry, line)}
          </ul>`
      : empty(
          'The trash is empty',
          `Deleted banks, and what an agent wrote in one, stay here for ${DAYS} days.`,
          byName,
        );
}

// The deleted memories of one bank.
export async function bankTrash(bank, { drawn }) {
  let found = await all('MB_Trash', { target: { bank: bank.name } }, (body) => body.content);
  const what = (one) => one.name ?? one.text.slice(0, 40);
  const gone = (one, words) => {
    found = found.filter((other) => other !== one);
    drawn();
    toast(words);
  };
  const line = (one) => {
    const about = { target: { bank: bank.name }, memory: one.id };
    const restore = async () => {
      await call('MB_Restore', about);
      gone(one, 'Restored.');
    };
    const destroy = () =>
      ask({
        title: 'Delete this memory forever?',
        text: one.text,
        verb: 'Delete forever',
        danger: true,
        tool: 'MB_Destroy',
        args: () => about,
        done: () => gone(one, 'Deleted forever.'),
      });
    return html`<li>
      <p class="clip2"><b>${one.name}</b> ${one.text}</p>
      <span class="soft"
        >by ${one.author}, deleted ${ago(one.deleted_at)}, kept until
        ${new Date(one.kept_until).toLocaleDateString()}</span
      >
      ${action('MB_Restore', 'Restore', restore, 'quiet', what(one))}
      ${action('MB_Destroy', 'Delete forever', destroy, DANGER, what(one))}
    </li>`;
  };
  return () =>
    html`${backTo(bank)}
      <h2>Trash of ${bank.name}</h2>
      ${
        found.length
          ? html`<ul class="trash" tabindex="-1">
              ${repeat(found, (one) => one.id, line)}
            </ul>`
          : html`<p class="soft">Nothing. Deleted memories stay here for ${DAYS} days.</p>`
      }`;
}

// What MB_Load would answer, and does not attach.
export async function loading(bank, { go }) {
  const { content: loaded, tokens: sum } = await call('MB_Load', { vx: { name: bank.name }, dry_run: true });
  return () => [
    backTo(bank),
    html`<header class="detail-head">
      <div>
        <h2>What an agent loads</h2>
        <p class="soft">Pinned memories first, then the newest, up to ${number(ROOM)} tokens.</p>
      </div>
      <div class="head-actions">
        ${action(
          'MB_Load',
          'Load into an agent',
          () =>
            ask({
              title: `Load ${bank.name} into an agent`,
              text: 'The bank becomes its working memory until it is unloaded.',
              verb: 'Load',
              tool: 'MB_Load',
              fields: [{ name: 'agent', label: 'Agent', required: true, max: 64 }],
              args: ({ agent }) => ({ target: { agent }, vx: { name: bank.name } }),
              done: (answer) => {
                toast(`${number(answer.content?.length)} memories, ${number(answer.tokens ?? sum)} tokens.`);
                go(location.pathname, true);
              },
            }),
          '',
        )}
      </div>
    </header>`,
    html`<p class="load-sum">
      <b>${number(sum)} of ${number(ROOM)} tokens</b
      ><span class="soft"> ${number(loaded.length)} of ${memoryCount(bank.memories)} memories</span
      >${meter(sum, ROOM, `${sum} of ${ROOM} tokens`, '')}
    </p>`,
    loaded.length
      ? html`<ol class="load">
          ${loaded.map(
            (one) =>
              html`<li>
                <p class="load-head">
                  ${link(
                    `/console/memory/${enc(bank.name)}/${enc(one.name ?? one.id)}`,
                    html`<b>${one.name ?? 'unnamed'}</b>`,
                  )}${one.pinned ? tag('pinned', 'reads') : nothing}<span class="soft"
                    >${number(tokens(one.text))} tokens</span
                  >
                </p>
                <p class="clip2">${one.text}</p>
              </li>`,
          )}
        </ol>`
      : html`<p class="soft">
          ${
            bank.memories
              ? `Nothing: every memory is larger than ${number(ROOM)} tokens.`
              : 'Nothing: the bank is empty.'
          }
        </p>`,
  ];
}

const plural = (count, word) => `${number(count)} ${word}${count === 1 ? 'y' : 'ies'}`;

function affected(body, agent) {
  const all = body.affected ?? [];
  const isDerived = (one) => agent && one.author !== agent;
  const derived = all.filter(isDerived).length;
  return html`<p class="preview-count">
      <b>Hides ${plural(body.hidden, 'memor')}</b>${derived ? `, ${number(derived)} derived` : ''}.
    </p>
    ${
      all.length
        ? html`<ul class="preview">
            ${all
              .slice(0, 40)
              .map(
                (one) =>
                  html`<li>
                    <b>${one.name ?? 'unnamed'}</b><span class="soft"> by ${one.author}</span>${
                      isDerived(one) ? tag('derived', 'changes') : nothing
                    }
                  </li>`,
              )}
          </ul>`
        : nothing
    }
    ${body.hidden > all.length ? html`<p class="soft">The first ${number(all.length)} of them.</p>` : nothing}`;
}

// What it would hide, before it is done.
async function preview(bank, agent, place) {
  render(html`<p class="soft">Counting…</p>`, place);
  const preview = await call('MB_Censor', { target: compact({ bank, agent }), dry_run: true }).then(
    (body) => affected(body, agent),
    (error) => html`<p class="problem">${error.message}</p>`,
  );
  render(preview, place);
}

export async function censor(bank, again) {
  const listed = await call('MB_AgentList', { target: { bank: bank.name }, page: { limit: 200 } }).catch(() => ({
    content: [],
  }));
  const authors = listed.content.filter((one) => one.memories > 0).map((one) => one.agent);
  const place = el('div', { class: 'note', role: 'status' });
  await ask({
    title: `Censor ${bank.name}`,
    text: [
      'Censored memories are hidden from every read and search, and kept for audit. Lifting the censorship shows them again. New memories of a censored agent go into quarantine.',
      place,
    ],
    verb: 'Censor',
    danger: true,
    fields: [
      {
        name: 'agent',
        label: 'Whose memories',
        options: ['', ...authors],
        labels: { '': 'Everybody: the whole bank' },
      },
    ],
    tool: 'MB_Censor',
    changed: ({ agent }) => preview(bank.name, agent, place),
    args: ({ agent }) => ({ target: compact({ bank: bank.name, agent }) }),
    done: (answer) => {
      toast(`${plural(answer.hidden, 'memor')} hidden.`);
      again();
    },
  });
}
