// Activity: who did what, as a timeline, as the story of an agent's day, as CSV.
import { may } from './api.js';
import { showEntry } from './entry.js';
import { sentence, story as paragraphs } from './sentences.js';
import { timeline } from './timeline.js';
import {
  avatar,
  button,
  client,
  clock,
  download,
  draw,
  el,
  empty,
  compact,
  head,
  html,
  nothing,
  number,
  tag,
  toast,
  whileBusy,
} from './parts.js';
import { virtualList } from './virtual.js';

const DOORS = { mcp: 'MCP', rest: 'REST' };
// How many pages an export or a story reads at most. Each is a command of the plan.
const MOST_PAGES = 50;

export async function show({ at, view, on, isHere }) {
  const inputs = Object.fromEntries(
    [
      ['user', 'Person'],
      ['agent', 'Agent'],
      ['tool', 'Tool'],
      ['target', 'Thing'],
    ].map(([name, label]) => [
      name,
      el('input', {
        type: 'search',
        name,
        placeholder: label,
        'aria-label': name === 'target' ? 'Thing, such as bank:notes' : label,
        title: name === 'target' ? 'Such as bank:notes' : null,
        value: at.query.get(name),
      }),
    ]),
  );
  const result = el(
    'select',
    { name: 'result', 'aria-label': 'Result' },
    ...[
      ['', 'Every result'],
      ['done', 'Done'],
      ['refused', 'Refused'],
    ].map(([value, label]) => el('option', { value, selected: value === at.query.get('result') }, label)),
  );
  const kinds = may('WH_Feed')
    ? [
        ['all', 'Everything'],
        ['calls', 'Calls'],
        ['events', 'Events'],
      ]
    : [['calls', 'Calls']];
  const kindField = el(
    'select',
    { name: 'show', 'aria-label': 'Show' },
    ...kinds.map(([value, label]) => el('option', { value, selected: value === at.query.get('show') }, label)),
  );
  const day = el('input', { type: 'date', name: 'day', value: at.query.get('day') });
  // The service filters calls by all but the agent. Events have no person, tool or result; a thing is compared here.
  const agent = () => inputs.agent.value.trim().toLowerCase();
  const fits = (entry) =>
    (!agent() || (entry.agent ?? '').toLowerCase() === agent()) &&
    (!entry.event ||
      !inputs.target.value.trim() ||
      `${entry.target_kind}:${entry.target}`.toLowerCase() === inputs.target.value.trim().toLowerCase());
  let chosen = kindField.value;
  // Only calls have what is asked for: the choice says so, and comes back.
  function agree() {
    kindField.disabled = Boolean(inputs.user.value.trim() || inputs.tool.value.trim() || result.value);
    kindField.title = kindField.disabled ? 'Events have no person, tool or result.' : '';
    kindField.value = kindField.disabled ? 'calls' : chosen;
  }
  const filter = () => {
    const of = day.value
      ? {
          since: new Date(`${day.value}T00:00:00`).toISOString(),
          until: new Date(Date.parse(`${day.value}T00:00:00`) + 86_400_000).toISOString(),
        }
      : {};
    return compact({
      ...Object.fromEntries(
        Object.entries(inputs)
          .filter(([name]) => name !== 'agent')
          .map(([name, input]) => [name, input.value.trim()]),
      ),
      result: result.value,
      ...of,
    });
  };
  if (!may('AC_Audit')) {
    draw(
      html`${title()}
      ${empty(
        'For admins',
        'The audit covers everybody in the tenant. World shows what happens around you.',
        html`<a class="button quiet" href="/console/world">World</a>`,
      )}`,
      view,
    );
    return;
  }
  agree();
  const list = virtualList({
    height: 46,
    row,
    label: 'What happened',
    empty: () => 'No entry matches.',
    isWanted: isHere,
    reader: () => {
      const next = timeline(filter(), kindField.value);
      return async () => {
        const page = await next();
        return { items: page.items.filter(fits), more: page.more };
      };
    },
  });
  let story = null; // The story that is shown instead of the list.
  const drawn = () =>
    isHere() &&
    draw(
      html`${title(
          button('As a story', tell),
          button('Export as CSV', ({ currentTarget }) =>
            whileBusy(currentTarget, async () => csv(await everything(filter()))),
          ),
        )}
        <form class="filters" role="search" @submit=${(event) => event.preventDefault()} @input=${changed}>
          ${Object.values(inputs)}${result}${kindField}<label class="labelled">Day${day}</label>
        </form>
        <div class="timeline" tabindex="-1">${story ?? list.element}</div>`,
      view,
    );

  function listing() {
    if (!isHere()) return; // The address is another page's.
    story = null;
    drawn();
    list.fill();
    const query = new URLSearchParams(
      compact({
        ...Object.fromEntries(Object.entries(inputs).map(([name, input]) => [name, input.value.trim()])),
        result: result.value,
        show: chosen === kinds[0][0] ? '' : chosen,
        day: day.value,
      }),
    );
    history.replaceState(null, '', `/console/activity${query.size ? `?${query}` : ''}`);
  }
  // Everything that the list would show, newest first.
  async function everything(conditions) {
    const next = timeline(conditions, kindField.value);
    const found = [];
    for (let more = true, pages = 0; more;) {
      if (pages >= MOST_PAGES) {
        toast(
          'Only the newest entries are included: there are more than are read at once. Choose a day, a person or a tool.',
        );
        break;
      }
      const page = await next();
      found.push(...page.items.filter(fits));
      pages += page.reads;
      more = page.more;
    }
    return found;
  }
  async function tell({ currentTarget } = {}) {
    const conditions = filter();
    const today = { ...conditions, since: new Date(new Date().setHours(0, 0, 0, 0)).toISOString() };
    const read = () => everything(conditions.since ? conditions : today);
    const found = currentTarget ? await whileBusy(currentTarget, read) : await read();
    if (!found) return; // It is being told already.
    const entries = found.reverse();
    const chapters = paragraphs(entries);
    const whose = agent() ? ` of ${inputs.agent.value.trim()}` : conditions.user ? ` of ${conditions.user}` : '';
    story = html`<article class="story">
      <p class="soft">
        ${number(entries.length)}
        ${entries.length === 1 ? 'entry' : 'entries'}${whose}${conditions.since ? '' : ' today'}.
        <button type="button" class="quiet" @click=${listing}>Back to the list</button>
      </p>
      ${chapters.length ? chapters : html`<p>Nothing happened.</p>`}
    </article>`;
    drawn();
  }
  let waiting;
  function changed({ target }) {
    if (target === kindField) chosen = kindField.value;
    agree();
    clearTimeout(waiting);
    waiting = setTimeout(listing, 300);
  }
  if (at.query.has('story')) await tell().catch((error) => toast(error.message));
  drawn();
  on('reset', () => story || list.refresh());
  on('audit', (entry) => {
    if (!story && Object.keys(filter()).length === 0 && kindField.value !== 'events' && fits(entry))
      list.unshift(entry);
  });
}

const title = (...actions) =>
  head('Activity', { sub: 'Who did what, and with what result. The audit never has contents.', actions });

function row(entry) {
  const who = avatar(entry.agent ?? (entry.event ? 'Engine' : entry.user), {
    kind: entry.event || entry.agent ? 'agent' : 'user',
  });
  const from = [DOORS[entry.door] ?? entry.door, client(entry.client), entry.key_name].filter(Boolean).join(' · ');
  const words = html`${who}
    <span dir="auto" class="clip">${sentence(entry)}</span>
    ${entry.result === 'done' ? nothing : tag(entry.result.replaceAll('_', ' '), 'destroys')}
    <span class="soft where clip">${from}</span>
    <code class="tool">${entry.tool}</code>
    ${clock(entry.at)}`;
  if (entry.event) return html`<div class="entry-row event">${words}</div>`;
  return html`<button type="button" class="entry-row" aria-haspopup="dialog" @click=${() => showEntry(entry)}>
    ${words}
  </button>`;
}

function csv(entries) {
  const columns = [
    'at',
    'user',
    'agent',
    'tool',
    'target_kind',
    'target',
    'target_id',
    'member',
    'result',
    'dry_run',
    'details',
    'note',
    'arguments',
    'item',
    'door',
    'client',
    'key_name',
    'request_id',
  ];
  // A leading sign that a spreadsheet would run as a formula is made text.
  const cell = (value) =>
    `"${String(value ?? '')
      .replace(/^[=+\-@\t\r]/, "'$&")
      .replaceAll('"', '""')}"`;
  const text = [columns.join(','), ...entries.map((entry) => columns.map((name) => cell(entry[name])).join(','))].join(
    '\r\n',
  );
  download('activity.csv', 'text/csv', `\ufeff${text}`); // With the mark by which spreadsheets know UTF-8.
}
