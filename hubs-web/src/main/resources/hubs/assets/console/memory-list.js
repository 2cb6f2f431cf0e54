// The memories of a bank: the newest first, by author and tags, or what a search finds.
import { call, may, mayChange } from './api.js';
import { ago, announce, el, enc, compact, html, nothing, number, problem, repeat, tag } from './parts.js';
import { virtualList } from './virtual.js';

const listOf = (text) =>
  text
    .split(',')
    .map((one) => one.trim())
    .filter(Boolean);

// The text with what was searched for marked; places count characters, not UTF-16 units.
function marked(text, places = []) {
  const signs = [...(text ?? '')];
  const pieces = [];
  let at = 0;
  for (const [from, to] of places) {
    if (from < at) continue;
    pieces.push(signs.slice(at, from).join(''), html`<mark>${signs.slice(from, to).join('')}</mark>`);
    at = to;
  }
  return [...pieces, signs.slice(at).join('')];
}

const entry = (bank) => (one) =>
  html`<a class="memory" href="/console/memory/${enc(bank)}/${enc(one.name ?? one.id)}" data-go="true">
    <span class="memory-head">
      ${one.name ? html`<b dir="auto">${one.name}</b>` : html`<span class="soft">unnamed</span>`}
      <span dir="auto" class="soft"
        >${one.updated_at ? html`${one.author} · ${ago(one.updated_at)}` : nothing}${one.found ? `, found ${number(one.found)}×` : nothing}</span
      >
      ${(one.tags ?? []).slice(0, 3).map((text) => tag(text))}
    </span>
    <span dir="auto" class="clip2">${marked(one.text, one.why?.highlights)}</span>
  </a>`;

function why(hit) {
  const parts = [
    `Score ${hit.score?.toFixed?.(2) ?? hit.score}`,
    hit.why?.text_rank && `word rank ${hit.why.text_rank}`,
    hit.why?.vector_rank && `meaning rank ${hit.why.vector_rank}`,
    hit.why?.terms?.length && `found ${hit.why.terms.join(', ')}`,
  ];
  return parts.filter(Boolean).join(' · ');
}

function hits(body, row) {
  const found = body.abstain ? (body.near ?? []) : body.content;
  return html`<p class=${body.abstain ? 'note' : 'soft'}>${outcome(body)}</p>
    <div class="hits">
      ${repeat(
        found,
        (hit) => hit.id,
        (hit) =>
          html`<div class="hit">
            ${row({ ...hit, text: hit.text ?? hit.snippet })}
            <p dir="auto" class="soft">${why(hit)}</p>
          </div>`,
      )}
    </div>`;
}

const outcome = (body) =>
  body.abstain
    ? 'No good match. These are the nearest.'
    : `${body.content.length} found in ${number(body.searched?.memories)} memories.`;

const field = (placeholder, label) => el('input', { type: 'search', placeholder, 'aria-label': label });

/** Returns view, the part of the page. query is what to search for at first, drawn draws the page. */
export async function memoryList({ bank, query, on, isHere, drawn }) {
  const words = may('MB_Search') ? field('Search memories', 'Search this bank') : null;
  const authors = field('Author', 'Only by this agent');
  const tags = field('Tags', 'Only with these tags, with commas between them');
  const row = entry(bank.name);
  const target = () => compact({ bank: bank.name, agent: authors.value.trim() });
  let result = null; // What a search found, or why it could not; else the list is shown.
  let newest = 0; // A slow search must not replace what was asked for later.

  function reader() {
    const args = { target: target(), ...(tags.value.trim() && { vx: { tags: listOf(tags.value) } }) };
    let cursor;
    return async () => {
      const body = await call('MB_Read', { ...args, page: { limit: 100, ...(cursor && { cursor }) } });
      cursor = body.next_cursor;
      const found = new Map((body.use ?? []).map((use) => [use.id, use.times]));
      return { items: body.content.map((one) => ({ ...one, found: found.get(one.id) })), more: Boolean(cursor) };
    };
  }

  let list;
  function listing() {
    newest++;
    result = null;
    if (list) list.fill();
    else
      list = virtualList({
        height: 76,
        key: (one) => one.id,
        row,
        label: `Memories in ${bank.name}`,
        empty: () =>
          `No memories here.${bank.memories || !mayChange('MB_Import') ? '' : ' An export of ChatGPT, Claude, mem0 or Obsidian can be dropped on this page.'}`,
        reader,
      });
    drawn();
  }

  async function search() {
    const mine = ++newest;
    try {
      const body = await call('MB_Search', { content: words.value.trim(), target: target(), page: { limit: 20 } });
      if (mine !== newest) return;
      announce(outcome(body));
      result = hits(body, row);
    } catch (error) {
      if (mine !== newest) return;
      result = problem(error);
    }
    drawn();
  }

  let waiting;
  const changed = () => {
    clearTimeout(waiting);
    waiting = setTimeout(() => isHere() && (words?.value.trim() ? search() : listing()), 200);
  };

  on('memories', (change) => {
    const isFiltered = words?.value || authors.value || tags.value;
    if (change.bank !== bank.name || isFiltered || !list || change.change !== 'stored' || !change.text) return;
    if (list.items.every((one) => one.id !== change.id))
      list.unshift({ ...change, tags: change.tags ?? [], updated_at: change.at });
  });
  if (words && query) {
    words.value = query;
    await search();
  } else {
    listing();
  }
  return () =>
    html`<div class="filters" @input=${changed}>${words}${authors}${tags}</div>
      <div class="memories" tabindex="-1">${result ?? list.element}</div>`;
}
