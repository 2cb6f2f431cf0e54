// How well the search of a bank answers known queries: MB_Evaluate with pairs that a person writes.
import { call } from './api.js';
import { el, enc, link, number, problem, showCalls, whileBusy } from './ui.js';

const MOST = 200;
const MODES = [
  ['text', 'By words'],
  ['vector', 'By meaning'],
  ['hybrid', 'By both'],
];
const FIGURES = [
  ['hit_at_1', 'First hit', 'The share of queries whose first hit is expected.'],
  ['hit_at_5', 'First five', 'The share of queries with an expected memory among the first five hits.'],
  ['mrr', 'MRR', 'The mean of 1 / the place of the first expected hit.'],
  ['ndcg_at_10', 'nDCG@10', 'How early the expected memories are among the first ten hits.'],
];
const TIMES = [
  ['p50_ms', 'p50', 'The median time of a search.'],
  ['p99_ms', 'p99', '99 of 100 searches took at most this long.'],
];

const stored = (bank) => `evaluate ${bank}`;
const share = (value) => `${Math.round(value * 100)} %`;
const milliseconds = (value) => `${value < 10 ? value.toFixed(1) : Math.round(value)} ms`;

// One pair for each line: a query, an arrow, and the names or ids of the memories that answer it.
function pairs(text) {
  const lines = text
    .split('\n')
    .map((line, i) => ({ line: line.trim(), at: i + 1 }))
    .filter(({ line }) => line && !line.startsWith('#'));
  if (!lines.length)
    throw new Error('Write at least one line: a query, => and the names of the memories that answer it.');
  if (lines.length > MOST) throw new Error(`At most ${MOST} lines are evaluated at once; these are ${lines.length}.`);
  return lines.map(({ line, at }) => {
    const split = line.lastIndexOf('=>');
    const query = line.slice(0, Math.max(0, split)).trim();
    const expected = line
      .slice(split + 2)
      .split(',')
      .map((name) => name.trim())
      .filter(Boolean);
    if (split < 0 || !query || !expected.length)
      throw new Error(`Line ${at} needs a query, => and at least one memory: When is low water? => tide report`);
    return { query, expected };
  });
}

function table(result) {
  const best = Object.fromEntries(
    FIGURES.map(([name]) => [name, Math.max(...MODES.map(([mode]) => result[mode][name]))]),
  );
  const row = ([name, label, title], shown, kind) =>
    el(
      'tr',
      {},
      el('th', { scope: 'row', title }, label),
      ...MODES.map(([mode]) => el('td', { class: kind(name, result[mode][name]) }, shown(result[mode][name]))),
    );
  return el(
    'table',
    { class: 'figures' },
    el(
      'thead',
      {},
      el(
        'tr',
        {},
        el('th', { scope: 'col' }, 'Figure'),
        ...MODES.map(([, label]) => el('th', { scope: 'col' }, label)),
      ),
    ),
    el(
      'tbody',
      {},
      ...FIGURES.map((figure) =>
        row(figure, share, (name, value) => (best[name] && value === best[name] ? 'best' : '')),
      ),
      ...TIMES.map((time) => row(time, milliseconds, () => 'soft')),
    ),
  );
}

function misses(bank, result) {
  const by = new Map();
  for (const [mode, label] of MODES)
    for (const query of result[mode].misses) by.set(query, [...(by.get(query) ?? []), label.toLowerCase()]);
  if (!by.size)
    return el('p', { class: 'note' }, 'Every query finds an expected memory among its first ten hits, in every mode.');
  return el(
    'section',
    {},
    el('h3', {}, 'Not among the first ten hits'),
    el(
      'ul',
      { class: 'rows' },
      ...[...by].map(([query, modes]) =>
        el(
          'li',
          {},
          link(
            `/console/memory/${enc(bank.name)}?q=${enc(query)}`,
            el('b', {}, query),
            el('span', { class: 'soft' }, modes.length === MODES.length ? 'in no mode' : `not ${modes.join(', ')}`),
          ),
        ),
      ),
    ),
  );
}

export function evaluating(bank, place) {
  const text = el('textarea', {
    id: 'evaluate-pairs',
    rows: 8,
    spellcheck: 'false',
    placeholder: 'When is low water? => tide report\nWho has the keys of the boat house? => keys, boat house',
    'aria-describedby': 'evaluate-hint',
  });
  text.value = sessionStorage.getItem(stored(bank.name)) ?? '';
  const wrong = el('p', { class: 'problem', role: 'alert' });
  const found = el('div', { class: 'evaluated', 'aria-live': 'polite' });
  const run = el('button', { type: 'submit' }, 'Evaluate');
  const args = () => ({ target: { bank: bank.name }, pairs: pairs(text.value) });
  const attempt = async (work) => {
    wrong.textContent = '';
    try {
      await work();
    } catch (error) {
      wrong.textContent = error.message;
    }
  };
  const code = el(
    'button',
    {
      type: 'button',
      class: 'quiet',
      click: () => attempt(() => showCalls('The same as a call', [{ tool: 'MB_Evaluate', args: args() }])),
    },
    'As code',
  );
  const form = el(
    'form',
    { class: 'evaluate' },
    el(
      'div',
      { class: 'field' },
      el('label', { for: 'evaluate-pairs' }, 'Queries and what answers them'),
      text,
      el(
        'p',
        { class: 'hint', id: 'evaluate-hint' },
        'One query a line, then => and the names or ids of the memories that answer it. This browser tab keeps the lines until you sign out.',
      ),
    ),
    wrong,
    el('div', { class: 'row' }, run, code),
  );
  form.addEventListener('submit', async (event) => {
    event.preventDefault();
    await whileBusy(run, () =>
      attempt(async () => {
        const given = args();
        sessionStorage.setItem(stored(bank.name), text.value);
        found.replaceChildren(
          el(
            'p',
            { class: 'soft' },
            `Searching ${number(given.pairs.length)} ${given.pairs.length === 1 ? 'query' : 'queries'} in three modes…`,
          ),
        );
        try {
          const result = await call('MB_Evaluate', given);
          found.replaceChildren(
            table(result),
            el(
              'p',
              { class: 'hint' },
              FIGURES.slice(2)
                .map(([, label, title]) => `${label}: ${title}`)
                .join(' '),
            ),
            misses(bank, result),
          );
        } catch (error) {
          found.replaceChildren(problem(error));
        }
      }),
    );
  });
  place.replaceChildren(
    el('p', {}, link(`/console/memory/${enc(bank.name)}`, `← ${bank.name}`)),
    el(
      'header',
      { class: 'detail-head' },
      el(
        'div',
        {},
        el('h2', {}, 'Evaluate the search'),
        el('p', { class: 'soft' }, 'Ask what agents will ask, and see whether the right memories come first.'),
      ),
    ),
    form,
    found,
  );
}
