// Parts of the memory page: the trash, a bank's deleted memories, what an agent would load, and what a censorship would hide.
import { all, call, may } from './api.js';
import { action, ago, ask, DANGER, el, empty, enc, given, link, memoryCount, meter, number, tag, toast } from './ui.js';
import { tokens } from './memory-one.js';

const ROOM = 4000;
const DAYS = 30;

// The trash is read from the audit: the banks that were put there and not taken out again.
function trashed(entries) {
  const seen = new Set();
  const found = [];
  for (const entry of entries) {
    // Newest first.
    const key = `${entry.target ?? entry.target_id}\n${entry.member ?? ''}`;
    if (entry.result !== 'done' || seen.has(key)) continue;
    seen.add(key);
    if (entry.tool === 'MB_Delete' && entry.target) found.push(entry);
  }
  return found;
}

export async function trash(view, go) {
  const back = (bank, agent, done) =>
    ask({
      title: agent ? `Restore what ${agent} wrote in ${bank}?` : `Restore ${bank}?`,
      text: 'It comes back as it was when it was deleted.',
      verb: 'Restore',
      tool: 'MB_Restore',
      args: () => ({ target: given({ bank, agent }) }),
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
      args: ({ bank, agent, name }) => given({ target: given({ bank, agent }), vx: given({ name }) }),
      done: (_, { bank }) => {
        toast('Restored.');
        go(`/console/memory/${enc(bank)}`);
      },
    }),
  );
  if (!may('AC_Audit')) {
    view.append(
      empty(
        'The trash',
        `Deleted banks and memories can be restored for ${DAYS} days. Only admins see this list; you can restore your own by name.`,
        byName,
      ),
    );
    return;
  }
  const since = new Date(Date.now() - DAYS * 86_400_000).toISOString();
  const lists = await Promise.all(
    ['MB_Delete', 'MB_Restore', 'MB_Destroy'].map((tool) =>
      all('AC_Audit', { tool, since, result: 'done' }, (body) => body.entries, 2),
    ),
  );
  const found = trashed(lists.flat().sort((a, b) => Date.parse(b.at) - Date.parse(a.at)));
  if (!found.length) {
    view.append(
      empty('The trash is empty', `Deleted banks, and what an agent wrote in one, stay here for ${DAYS} days.`, byName),
    );
    return;
  }
  view.append(
    el('p', {}, byName),
    el(
      'ul',
      { class: 'trash' },
      ...found.map((entry) => {
        const ends = new Date(Date.parse(entry.at) + DAYS * 86_400_000);
        const row = el(
          'li',
          {},
          el(
            'span',
            {},
            el('b', {}, entry.target),
            entry.member ? el('span', { class: 'soft' }, ` what ${entry.member} wrote`) : null,
          ),
          el(
            'span',
            { class: 'soft' },
            `deleted by ${entry.agent ?? entry.user} `,
            ago(entry.at),
            `, kept until ${ends.toLocaleDateString()}`,
          ),
          action(
            'MB_Restore',
            'Restore',
            () => back(entry.target, entry.member, () => row.remove()),
            'quiet',
            entry.member ? `what ${entry.member} wrote in ${entry.target}` : entry.target,
          ),
        );
        return row;
      }),
    ),
  );
}

// The deleted memories of one bank.
export async function bankTrash(bank, place) {
  const found = await all('MB_Trash', { target: { bank: bank.name } }, (body) => body.content);
  const what = (one) => one.name ?? one.text.slice(0, 40);
  const gone = (row, words) => {
    row.remove();
    toast(words);
  };
  const nothing = () => el('p', { class: 'soft' }, `Nothing. Deleted memories stay here for ${DAYS} days.`);
  const list = el(
    'ul',
    { class: 'trash' },
    ...found.map((one) => {
      const about = { target: { bank: bank.name }, memory: one.id };
      const row = el(
        'li',
        {},
        el('p', { class: 'clip2' }, el('b', {}, one.name ?? ''), one.name ? ' ' : '', one.text),
        el(
          'span',
          { class: 'soft' },
          `by ${one.author}, deleted `,
          ago(one.deleted_at),
          `, kept until ${new Date(one.kept_until).toLocaleDateString()}`,
        ),
        action(
          'MB_Restore',
          'Restore',
          async () => {
            await call('MB_Restore', about);
            gone(row, 'Restored.');
          },
          'quiet',
          what(one),
        ),
        action(
          'MB_Destroy',
          'Delete forever',
          () =>
            ask({
              title: 'Delete this memory forever?',
              text: one.text,
              verb: 'Delete forever',
              danger: true,
              tool: 'MB_Destroy',
              args: () => about,
              done: () => gone(row, 'Deleted forever.'),
            }),
          DANGER,
          what(one),
        ),
      );
      return row;
    }),
  );
  place.replaceChildren(
    el('p', {}, link(`/console/memory/${enc(bank.name)}`, `← ${bank.name}`)),
    el('h2', {}, `Trash of ${bank.name}`),
    found.length ? list : nothing(),
  );
}

// What MB_Load would answer, and does not attach.
export async function loading(bank, place, go) {
  const { content: loaded, tokens: sum } = await call('MB_Load', { vx: { name: bank.name }, dry_run: true });
  place.replaceChildren(
    el('p', {}, link(`/console/memory/${enc(bank.name)}`, `← ${bank.name}`)),
    el(
      'header',
      { class: 'detail-head' },
      el(
        'div',
        {},
        el('h2', {}, 'What an agent loads'),
        el('p', { class: 'soft' }, `Pinned memories first, then the newest, up to ${number(ROOM)} tokens.`),
      ),
      el(
        'div',
        { class: 'head-actions' },
        action(
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
        ),
      ),
    ),
    el(
      'p',
      { class: 'load-sum' },
      el('b', {}, `${number(sum)} of ${number(ROOM)} tokens`),
      el('span', { class: 'soft' }, ` ${number(loaded.length)} of ${memoryCount(bank.memories)} memories`),
      meter(sum, ROOM, `${sum} of ${ROOM} tokens`, ''),
    ),
    loaded.length
      ? el(
          'ol',
          { class: 'load' },
          ...loaded.map((one) =>
            el(
              'li',
              {},
              el(
                'p',
                { class: 'load-head' },
                link(
                  `/console/memory/${enc(bank.name)}/${enc(one.name ?? one.id)}`,
                  el('b', {}, one.name ?? 'unnamed'),
                ),
                one.pinned ? tag('pinned', 'reads') : null,
                el('span', { class: 'soft' }, `${number(tokens(one.text))} tokens`),
              ),
              el('p', { class: 'clip2' }, one.text),
            ),
          ),
        )
      : el(
          'p',
          { class: 'soft' },
          bank.memories
            ? `Nothing: every memory is larger than ${number(ROOM)} tokens.`
            : 'Nothing: the bank is empty.',
        ),
  );
}

const plural = (count, word) => `${number(count)} ${word}${count === 1 ? 'y' : 'ies'}`;

// What it would hide, before it is done.
async function preview(bank, agent, place) {
  place.replaceChildren(el('p', { class: 'soft' }, 'Counting…'));
  try {
    const body = await call('MB_Censor', { target: given({ bank, agent }), dry_run: true });
    const affected = body.affected ?? [];
    const derived = agent ? affected.filter((one) => one.author !== agent) : [];
    const more =
      body.hidden > affected.length
        ? el('p', { class: 'soft' }, `The first ${number(affected.length)} of them.`)
        : null;
    place.replaceChildren(
      el(
        'p',
        { class: 'preview-count' },
        el('b', {}, `Hides ${plural(body.hidden, 'memor')}`),
        derived.length ? `, ${number(derived.length)} derived` : '',
        '.',
      ),
      ...(affected.length
        ? [
            el(
              'ul',
              { class: 'preview' },
              ...affected
                .slice(0, 40)
                .map((one) =>
                  el(
                    'li',
                    {},
                    el('b', {}, one.name ?? 'unnamed'),
                    el('span', { class: 'soft' }, ` by ${one.author}`),
                    derived.includes(one) ? tag('derived', 'changes') : null,
                  ),
                ),
            ),
          ]
        : []),
      ...[more].filter(Boolean),
    );
  } catch (error) {
    place.replaceChildren(el('p', { class: 'problem' }, error.message));
  }
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
    args: ({ agent }) => ({ target: given({ bank: bank.name, agent }) }),
    done: (answer) => {
      toast(`${plural(answer.hidden, 'memor')} hidden.`);
      again();
    },
  });
}
