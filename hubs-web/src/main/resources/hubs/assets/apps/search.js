// What a search of memories found, why, and whether a person says that it answers the question.
import { html, nothing, repeat } from '../lit-html.js';
import { clock, tag } from '../console/text.js';
import { tell } from './host.js';
import { show } from './page.js';

let query = '';
let found = {};
const said = new Map(); // What the person said of a memory, by its id.

const { press } = show('search', {
  asked: (args) => (query = args.content ?? ''),
  take: (body) => (found = body),
  view: () =>
    found.abstain
      ? html`<p role="status">No memory answers this.</p>
          ${
            found.near?.length
              ? html`<h2>Nearest</h2>
                  ${list(found.near)}`
              : nothing
          }`
      : list(found.content ?? []),
});

const list = (hits) =>
  html`<ol class="hits" aria-label="Memories">
    ${hits.length ? repeat(hits, (hit) => hit.id, row) : html`<li class="soft">Nothing was found.</li>`}
  </ol>`;

const row = (hit) =>
  html`<li class="hit">
    <p class="bubble-head">
      <b dir="auto">${hit.name ?? hit.bank}</b>
      <span class="soft"
        ><bdi>${hit.author ?? hit.bank}</bdi>${hit.name ? html` in <bdi>${hit.bank}</bdi>` : nothing}</span
      >
      ${hit.created_at ? html`<span class="soft">${clock(hit.created_at)}</span>` : nothing}
      ${(hit.tags ?? []).map((one) => tag(one))}
    </p>
    <p dir="auto" class="said">${marked(hit.text ?? hit.snippet ?? '', hit.why?.highlights ?? [])}</p>
    <p class="soft">${why(hit)}</p>
    ${verdict(hit)}
  </li>`;

// The words of the query are marked. Positions count characters, not units of UTF-16.
function marked(text, highlights) {
  const signs = [...text];
  const parts = [];
  let at = 0;
  for (const [from, to] of highlights) {
    if (from < at || to > signs.length) continue;
    parts.push(signs.slice(at, from).join(''), html`<mark>${signs.slice(from, to).join('')}</mark>`);
    at = to;
  }
  return [...parts, signs.slice(at).join('')];
}

function why({ score, why = {} }) {
  const ranks = [
    why.text_rank && `${ordinal(why.text_rank)} by words`,
    why.vector_rank && `${ordinal(why.vector_rank)} by meaning`,
  ].filter(Boolean);
  return [`${Math.round(score * 100)} % likely to answer`, ...ranks].join(' · ');
}

const ordinal = (rank) => `no. ${rank}`;

const verdict = (hit) =>
  said.has(hit.id)
    ? html`<p role="status">${said.get(hit.id) ? 'You said: this answers it.' : 'You said: this is not it.'}</p>`
    : html`<p class="row">
        <button type="button" class="quiet" @click=${say(hit, true)}>This answers it</button>
        <button type="button" class="quiet" @click=${say(hit, false)}>Not this</button>
      </p>`;

const say = (hit, isAnswer) =>
  press(async () => {
    said.set(hit.id, isAnswer);
    await tell(
      `The person says that memory ${hit.id} ${isAnswer ? 'answers' : 'does not answer'} the search for ${JSON.stringify(query.slice(0, 200))}.`,
    );
  });
