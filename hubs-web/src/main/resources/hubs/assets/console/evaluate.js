// How well the search of a bank answers known queries: MB_Evaluate with pairs that a person writes.
import { call } from './api.js';
import { backTo } from './memory-one.js';
import { enc, html, link, nothing, number, problem, showCalls, whileBusy } from './parts.js';

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

const EXAMPLE = 'When is low water? => tide report\nWho has the keys of the boat house? => keys, boat house';

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
  const row = ([name, label, title], text, kind) =>
    html`<tr>
      <th scope="row" title=${title ?? nothing}>${label}</th>
      ${MODES.map(([mode]) => html`<td dir="auto" class=${kind(name, result[mode][name]) ?? nothing}>${text(result[mode][name])}</td>`)}
    </tr>`;
  return html`<table class="figures">
    <thead>
      <tr>
        <th scope="col">Figure</th>
        ${MODES.map(([, label]) => html`<th scope="col">${label}</th>`)}
      </tr>
    </thead>
    <tbody>
      ${FIGURES.map((figure) =>
        row(figure, share, (name, value) => (best[name] && value === best[name] ? 'best' : '')),
      )}${TIMES.map((time) => row(time, milliseconds, () => 'soft'))}
    </tbody>
  </table>`;
}

function misses(bank, result) {
  const by = new Map();
  for (const [mode, label] of MODES)
    for (const query of result[mode].misses) by.set(query, [...(by.get(query) ?? []), label.toLowerCase()]);
  if (!by.size)
    return html`<p class="note">Every query finds an expected memory among its first ten hits, in every mode.</p>`;
  return html`<section>
    <h3>Not among the first ten hits</h3>
    <ul class="rows">
      ${[...by].map(
        ([query, modes]) =>
          html`<li>
            ${link(
              `/console/memory/${enc(bank.name)}?q=${enc(query)}`,
              html`<b dir="auto">${query}</b>`,
              html`<span class="soft"
                >${modes.length === MODES.length ? 'in no mode' : `not ${modes.join(', ')}`}</span
              >`,
            )}
          </li>`,
      )}
    </ul>
  </section>`;
}

// Returns view, the part of the page.
export function evaluating(bank, { drawn }) {
  let wrong = '';
  let found = nothing;
  const args = (form) => ({ target: { bank: bank.name }, pairs: pairs(form.elements.pairs.value) });
  const attempt = async (work) => {
    wrong = '';
    try {
      await work();
    } catch (error) {
      wrong = error.message;
    }
    drawn();
  };
  const code = ({ currentTarget }) =>
    attempt(() => showCalls('The same as a call', [{ tool: 'MB_Evaluate', args: args(currentTarget.form) }]));

  async function run(form) {
    const input = args(form);
    sessionStorage.setItem(stored(bank.name), form.elements.pairs.value);
    const count = `${number(input.pairs.length)} ${input.pairs.length === 1 ? 'query' : 'queries'}`;
    found = html`<p class="soft">Searching ${count} in three modes…</p>`;
    drawn();
    found = await call('MB_Evaluate', input).then((result) => figures(bank, result), problem);
  }

  const submit = (event) => {
    event.preventDefault();
    const form = event.currentTarget;
    return whileBusy(form.querySelector('[type=submit]'), () => attempt(() => run(form)));
  };

  return () =>
    html`${backTo(bank)}
      <header class="detail-head">
        <div>
          <h2>Evaluate the search</h2>
          <p class="soft">Ask what agents will ask, and see whether the right memories come first.</p>
        </div>
      </header>
      <form class="evaluate" @submit=${submit}>
        <div class="field">
          <label for="evaluate-pairs">Queries and what answers them</label>
          <textarea
            id="evaluate-pairs"
            name="pairs"
            rows="8"
            spellcheck="false"
            placeholder=${EXAMPLE}
            aria-describedby="evaluate-hint"
            .defaultValue=${sessionStorage.getItem(stored(bank.name)) ?? ''}
          ></textarea>
          <p class="hint" id="evaluate-hint">
            One query a line, then => and the names or ids of the memories that answer it. This browser tab keeps the
            lines until you sign out.
          </p>
        </div>
        <p class="problem" role="alert">${wrong}</p>
        <div class="row">
          <button type="submit">Evaluate</button>
          <button type="button" class="quiet" @click=${code}>As code</button>
        </div>
      </form>
      <div class="evaluated" aria-live="polite">${found}</div>`;
}

const figures = (bank, result) =>
  html`${table(result)}
    <p class="hint">
      ${FIGURES.slice(2)
        .map(([, label, title]) => `${label}: ${title}`)
        .join(' ')}
    </p>
    ${misses(bank, result)}`;
