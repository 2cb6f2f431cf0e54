// One memory: its text, where it comes from, what it was before, what it led to.
import { call } from './api.js';
import {
  action,
  ago,
  ask,
  DANGER,
  enc,
  facts,
  compact,
  html,
  link,
  nothing,
  number,
  svg,
  tag,
  toast,
} from './parts.js';
import { memoriesOf, memoryTitle, restored } from './memory-words.js';
import { stillSaid } from './still-said.js';
import { ended, restore, revisionItem, steps } from './revisions.js';

const pathOf = (bank) => `/console/memory/${enc(bank.name)}`;

// The way back from a part of a bank.
export const backTo = (bank) => html`<p>${link(pathOf(bank), `← ${bank.name}`)}</p>`;

const STEPS = 12;
const NEAR = 200;

// What a model counts a text as, by the estimate of the service: four characters to a token.
export const tokens = (text) => Math.ceil([...(text ?? '')].length / 4);

async function read(bank, args) {
  const { content, use } = await call('MB_Read', { target: { bank }, ...args });
  return { ...content[0], use: use?.[0] };
}

// By its name, else by its id: what an address holds may be either.
export async function find(bank, nameOrId) {
  const isId = /^[0-9a-f]{8}-[0-9a-f-]{27}$/.test(nameOrId);
  try {
    return await read(bank, isId ? { id: nameOrId } : { vx: { name: nameOrId } });
  } catch (error) {
    return isId ? Promise.reject(error) : read(bank, { id: nameOrId });
  }
}

// Each revision is what stood a moment before the next. Of many, those after the given one are read in steps. Nothing says when a hidden one
// was stored: those before it are not found either.
async function earlier(bank, from) {
  const found = [];
  let last = from;
  while (found.length < STEPS && last.revision > 1) {
    const before = new Date(Date.parse(last.updated_at) - 1).toISOString();
    const one = await read(bank, { id: from.id, as_of: before }).catch((error) =>
      error.error === 'not_found' ? null : Promise.reject(error),
    );
    if (!one || one.revision >= last.revision) return { found, isAll: true };
    found.push(one);
    last = one;
  }
  return { found, isAll: last.revision === 1 };
}

// What it was made from, and what was made of it, as far as this bank has it.
async function lineage(bank, one) {
  const byId = new Map([[one.id, one]]);
  const unseen = new Set();
  const links = [];
  const near = await call('MB_Read', { target: { bank }, page: { limit: NEAR } })
    .then((body) => body.content)
    .catch(() => []);
  for (const other of near) byId.set(other.id, byId.get(other.id) ?? other);
  async function node(id) {
    if (!byId.has(id) && !unseen.has(id)) {
      const found = await read(bank, { id }).catch(() => null);
      if (found) byId.set(id, found);
      else unseen.add(id);
    }
    return byId.get(id) ?? { id, text: 'not in this bank, or hidden', unseen: true };
  }
  const before = new Map();
  async function up(of, depth) {
    for (const id of of.derived_from ?? []) {
      links.push({ from: id, to: of.id, word: 'derived' });
      if (before.has(id)) continue;
      before.set(id, { one: await node(id), column: depth });
      if (depth > -3) await up(before.get(id).one, depth - 1);
    }
    if (of.supersedes) {
      links.push({ from: of.supersedes, to: of.id, word: 'superseded' });
      if (!before.has(of.supersedes)) before.set(of.supersedes, { one: await node(of.supersedes), column: depth });
    }
  }
  await up(one, -1);
  const after = new Map();
  for (const other of near) {
    if ((other.derived_from ?? []).includes(one.id) && !before.has(other.id)) {
      after.set(other.id, { one: other, column: 1 });
      links.push({ from: one.id, to: other.id, word: 'derived' });
    }
  }
  if (one.superseded_by) {
    after.set(one.superseded_by, { one: await node(one.superseded_by), column: 1 });
    links.push({ from: one.id, to: one.superseded_by, word: 'superseded' });
  }
  return { nodes: [...before.values(), { one, column: 0 }, ...after.values()].slice(0, 24), links };
}

const [WIDE, HIGH, ACROSS, DOWN] = [170, 40, 230, 58];

// In columns from left to right, as it came about.
function picture({ nodes, links }, bank) {
  const columns = [...new Set(nodes.map((node) => node.column))].sort((a, b) => a - b);
  const rows = new Map();
  for (const node of nodes) {
    const row = rows.get(node.column) ?? 0;
    rows.set(node.column, row + 1);
    node.x = columns.indexOf(node.column) * ACROSS;
    node.y = row * DOWN;
  }
  const by = new Map(nodes.map((node) => [node.one.id, node]));
  const lines = links
    .filter((one) => by.has(one.from) && by.has(one.to))
    .map((one) => {
      const [a, b] = [by.get(one.from), by.get(one.to)];
      const [x1, y1, x2, y2] = [a.x + WIDE, a.y + HIGH / 2, b.x, b.y + HIGH / 2];
      return svg(
        'path',
        {
          d: `M${x1} ${y1}C${x1 + 30} ${y1} ${x2 - 30} ${y2} ${x2} ${y2}M${x2 - 7} ${y2 - 5}L${x2} ${y2}L${x2 - 7} ${y2 + 5}`,
          class: one.word,
        },
        svg('title', {}, one.word === 'derived' ? 'derived from' : 'superseded by'),
      );
    });
  const boxes = nodes.map((node) => {
    const words = memoryTitle(node.one);
    const label = words.length > 22 ? `${words.slice(0, 21)}…` : words;
    const shape = [
      svg('title', {}, words),
      svg('rect', { width: WIDE, height: HIGH, rx: 7 }),
      svg('text', { x: 10, y: 17 }, label),
      svg(
        'text',
        { x: 10, y: 32, class: 'soft' },
        node.one.unseen ? '' : `${node.one.author}, revision ${node.one.revision}`,
      ),
    ].filter((part) => part.textContent !== '' || part.tagName === 'rect');
    const group = svg(
      'g',
      {
        transform: `translate(${node.x} ${node.y})`,
        class: node.column === 0 ? 'here' : node.one.unseen ? 'unseen-one' : '',
      },
      ...shape,
    );
    return node.column === 0 || node.one.unseen
      ? group
      : svg('a', { href: `/console/memory/${enc(bank)}/${enc(node.one.name ?? node.one.id)}` }, group);
  });
  const width = (columns.length - 1) * ACROSS + WIDE + 4;
  const height = Math.max(...nodes.map((node) => node.y)) + HIGH + 4;
  const view = svg(
    'svg',
    {
      class: 'lineage',
      viewBox: `-2 -2 ${width} ${height}`,
      width,
      height,
      role: 'group',
      'aria-label': 'Memories that it is derived from, and memories derived from it',
    },
    ...lines,
    ...boxes,
  );
  return html`<div class="scroll" tabindex="0" role="region" aria-label="Lineage">${view}</div>`;
}

function revisionRow(one, latest, bank, again) {
  const back = () =>
    restore({
      revision: one.revision,
      text: one.text,
      tool: 'MB_Restore',
      args: { target: { bank: bank.name }, vx: { name: one.name }, revision: one.revision },
      again,
    });
  return revisionItem(
    one.revision,
    ` by ${one.source?.name ?? one.author}, `,
    one.updated_at,
    { open: one === latest, note: one === latest ? ', current' : '' },
    html`<pre dir="auto" class="wraps prose" tabindex="0" aria-label="Text of revision ${one.revision}">
${one.text}</pre>`,
    one !== latest && one.name ? action('MB_Restore', 'Restore this text', back) : nothing,
  );
}

const change = (one, bank, go) =>
  ask({
    title: one.name ? `Change ${one.name}` : 'Store a correction',
    text: one.name ? null : 'The new memory supersedes this one, which searches then no longer return.',
    verb: 'Store',
    tool: 'MB_Store',
    fields: [{ name: 'content', label: 'Text', long: 6, required: true, max: 64000, value: one.text }],
    args: ({ content }) =>
      one.name
        ? {
            target: { bank: bank.name },
            content,
            vx: compact({ name: one.name, tags: one.tags }),
            if_revision: one.revision,
          }
        : { target: { bank: bank.name }, content, supersedes: one.id },
    done: (answer, { content }) => {
      go(`/console/memory/${enc(bank.name)}/${enc(answer.memory?.name ?? answer.memory?.id ?? one.id)}`, true);
      if (answer.still_said?.length)
        stillSaid(answer.still_said, { ...answer.memory, bank: bank.name, text: content }, () =>
          go(location.pathname, true),
        );
    },
  });

const times = (count) => `${number(count)} ${count === 1 ? 'time' : 'times'}`;

// How often searches returned it, to whom, and whether what they got was corrected since.
function usage(use) {
  if (!use) return html`<p class="soft">No search has returned it.</p>`;
  const others = use.others ? [`others ${times(use.others)}`] : [];
  const by = (use.by ?? []).map(
    (one) => html`${one.name} ${times(one.times)}, ${ago(one.last_at)}${one.outdated ? ', before the correction' : ''}`,
  );
  const { corrected } = use;
  return facts([
    ['Found', html`${times(use.times)}, last ${ago(use.last_at)}`],
    ['By', [...by, ...others].map((one, i) => (i ? html`; ${one}` : one))],
    [
      'Corrected since',
      corrected
        ? html`${corrected.how} by ${corrected.by}${corrected.by_finder ? ', who had found it' : ''},
          ${ago(corrected.at)}`
        : null,
    ],
  ]);
}

// Returns view, the part of the page.
export function showMemory(one, bank, { go, isHere, drawn }) {
  const again = () => go(location.pathname, true);
  const about = { target: { bank: bank.name }, memory: one.id };
  const name = `The memory ${memoryTitle(one)} of ${bank.name}`;
  const back = (tool, words) => async () => {
    const answer = await call(tool, about);
    if (location.pathname.startsWith(pathOf(bank))) go(`${pathOf(bank)}/${enc(one.name ?? one.id)}`);
    toast(words(answer));
  };
  async function remove() {
    const { changed } = await call('MB_Delete', about);
    go(pathOf(bank));
    if (changed) toast(`${name} is in the trash for 30 days.`, back('MB_Restore', restored));
    else toast(`${name} was in the trash already.`);
  }
  async function hide() {
    const { changed, hidden } = await call('MB_Censor', about);
    go(pathOf(bank));
    const derived = hidden > 1 ? `, with ${memoriesOf(hidden - 1)} derived from it` : '';
    const visible = (answer) => `${name} ${answer.changed ? 'is visible again' : 'was not hidden'}.`;
    if (changed) toast(`${name} is hidden${derived}.`, back('MB_Uncensor', visible));
    else toast(`${name} was hidden already.`);
  }
  let made = html`<p class="soft">Reading…</p>`;
  const past = steps({
    first: [revisionRow(one, one, bank, again)],
    from: one.revision,
    read: () => more(one),
    drawn: () => isHere() && drawn(),
  });
  lineage(bank.name, one).then((found) => {
    made =
      found.nodes.length > 1
        ? picture(found, bank.name)
        : html`<p class="soft">It is not derived from another memory, and no other memory is derived from it.</p>`;
    drawn();
  });

  async function more(from) {
    const { found, isAll } = await earlier(bank.name, from);
    const last = found.at(-1) ?? from;
    const isHidden = isAll && last.revision > 1;
    return {
      items: [
        ...found.map((each) => revisionRow(each, one, bank, again)),
        ...(isHidden ? [ended('Earlier texts are hidden, or older than 30 days.')] : []),
      ],
      next: isAll ? null : { revision: last.revision, read: () => more(last) },
    };
  }

  return () => [
    backTo(bank),
    html`<header class="detail-head">
      <div>
        <h2 dir="auto">${memoryTitle(one)}</h2>
        <p class="soft">by ${one.author}, ${ago(one.created_at)}</p>
      </div>
      <div class="head-actions">
        ${action('MB_Store', one.name ? 'Change' : 'Correct', () => change(one, bank, go))}
        ${action('MB_Censor', 'Hide', hide)} ${action('MB_Delete', 'Delete', remove, DANGER)}
      </div>
    </header>`,
    html`<p class="tagline">
      ${tag(`revision ${one.revision}`)}${one.pinned ? tag('pinned', 'reads') : nothing}${one.superseded_by ? tag('superseded', 'changes') : nothing}${one.expires_at ? tag(Date.parse(one.expires_at) < Date.now() ? 'expired' : 'expires', 'changes') : nothing}${(one.tags ?? []).map((text) => tag(text))}
    </p>`,
    html`<section>
      <h3>Text and revisions</h3>
      ${past.view()}
    </section>`,
    html`<section>
      <h3>Lineage</h3>
      ${made}
    </section>`,
    html`<section class="use">
      <h3>Use</h3>
      ${usage(one.use)}
    </section>`,
    html`<section>
      <h3>Record</h3>
      ${facts([
        [
          'Source',
          one.source
            ? [
                one.source.kind,
                one.source.name,
                one.source.version ? `version ${one.source.version}` : null,
                one.source.position !== undefined ? `at ${one.source.position}` : null,
              ]
                .filter(Boolean)
                .join(' ')
            : null,
        ],
        ['Reason', one.reason],
        ['Expires', one.expires_at ? ago(one.expires_at) : null],
        ['Tokens', number(tokens(one.text))],
        ['Id', html`<code>${one.id}</code>`],
        ['Changed', ago(one.updated_at)],
      ])}
    </section>`,
  ];
}
