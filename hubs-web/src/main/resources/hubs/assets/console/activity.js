// Activity: who did what, as a timeline, as the story of an agent's day, as CSV.
import { may } from './api.js';
import { showEntry } from './entry.js';
import { sentence, story as paragraphs } from './sentences.js';
import { timeline } from './timeline.js';
import {
  avatar,
  client,
  clock,
  download,
  el,
  empty,
  given,
  guarded,
  head,
  number,
  tag,
  toast,
  whileBusy,
} from './ui.js';
import { showList, virtualList } from './virtual.js';

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
      ['', 'every result'],
      ['done', 'done'],
      ['refused', 'refused'],
    ].map(([value, label]) => el('option', { value, selected: value === at.query.get('result') }, label)),
  );
  const kinds = may('WH_Feed')
    ? [
        ['all', 'everything'],
        ['calls', 'calls'],
        ['events', 'events'],
      ]
    : [['calls', 'calls']];
  const shown = el(
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
  let chosen = shown.value;
  // Only calls have what is asked for: the choice says so, and comes back.
  function agree() {
    shown.disabled = Boolean(inputs.user.value.trim() || inputs.tool.value.trim() || result.value);
    shown.title = shown.disabled ? 'Events have no person, tool or result.' : '';
    shown.value = shown.disabled ? 'calls' : chosen;
  }
  const filter = () => {
    const of = day.value
      ? {
          since: new Date(`${day.value}T00:00:00`).toISOString(),
          until: new Date(Date.parse(`${day.value}T00:00:00`) + 86_400_000).toISOString(),
        }
      : {};
    return given({
      ...Object.fromEntries(
        Object.entries(inputs)
          .filter(([name]) => name !== 'agent')
          .map(([name, input]) => [name, input.value.trim()]),
      ),
      result: result.value,
      ...of,
    });
  };
  const exported = el(
    'button',
    {
      type: 'button',
      class: 'quiet',
      click: guarded(() => whileBusy(exported, async () => csv(await everything(filter())))),
    },
    'Export as CSV',
  );
  const story = el('button', { type: 'button', class: 'quiet', click: guarded(tell) }, 'As a story');
  view.append(
    head('Activity', {
      sub: 'Who did what, and with what result. The audit never has contents.',
      actions: may('AC_Audit') ? [story, exported] : [],
    }),
  );
  if (!may('AC_Audit')) {
    view.append(
      empty(
        'For admins',
        'The audit covers everybody in the tenant. World shows what happens around you.',
        el('a', { class: 'button quiet', href: '/console/world' }, 'World'),
      ),
    );
    return;
  }
  const place = el('div', { class: 'timeline', tabindex: '-1' });
  view.append(
    el(
      'form',
      { class: 'filters', role: 'search', submit: (event) => event.preventDefault() },
      ...Object.values(inputs),
      result,
      shown,
      el('label', { class: 'labelled' }, 'Day', day),
    ),
    place,
  );

  function row(entry) {
    return el(
      entry.event ? 'div' : 'button',
      entry.event
        ? { class: 'entry-row event' }
        : { type: 'button', class: 'entry-row', 'aria-haspopup': 'dialog', click: () => showEntry(entry) },
      avatar(entry.agent ?? (entry.event ? 'Engine' : entry.user), {
        kind: entry.event || entry.agent ? 'agent' : 'user',
      }),
      el('span', { class: 'clip' }, ...sentence(entry)),
      entry.result === 'done' ? null : tag(entry.result, 'destroys'),
      el(
        'span',
        { class: 'soft where clip' },
        [DOORS[entry.door] ?? entry.door, client(entry.client), entry.key_name].filter(Boolean).join(' · '),
      ),
      el('code', { class: 'tool' }, entry.tool),
      clock(entry.at),
    );
  }
  let list;
  function listing() {
    if (!isHere()) return; // The address is another page's.
    const next = timeline(filter(), shown.value);
    list = virtualList({
      height: 46,
      row,
      label: 'What happened',
      empty: () => 'No entry matches.',
      more: async () => {
        const page = await next();
        return { items: page.items.filter(fits), more: page.more };
      },
    });
    showList(place, list);
    const query = new URLSearchParams(
      given({
        ...Object.fromEntries(Object.entries(inputs).map(([name, input]) => [name, input.value.trim()])),
        result: result.value,
        show: chosen === kinds[0][0] ? '' : chosen,
        day: day.value,
      }),
    );
    history.replaceState(null, '', `/console/activity${query.size ? `?${query}` : ''}`);
  }
  // Everything that the list would show, newest first.
  async function everything(wanted) {
    const next = timeline(wanted, shown.value);
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
  async function tell() {
    const wanted = filter();
    const read = await whileBusy(story, () =>
      everything(wanted.since ? wanted : { ...wanted, since: new Date(new Date().setHours(0, 0, 0, 0)).toISOString() }),
    );
    if (!read) return; // It is being told already.
    const entries = read.reverse();
    const chapters = paragraphs(entries);
    place.replaceChildren(
      el(
        'article',
        { class: 'story' },
        el(
          'p',
          { class: 'soft' },
          `${number(entries.length)} ${entries.length === 1 ? 'entry' : 'entries'}${agent() ? ` of ${inputs.agent.value.trim()}` : wanted.user ? ` of ${wanted.user}` : ''}${wanted.since ? '' : ' today'}. `,
          el('button', { type: 'button', class: 'quiet', click: listing }, 'Back to the list'),
        ),
        ...(chapters.length ? chapters : [el('p', {}, 'Nothing happened.')]),
      ),
    );
  }
  let waiting;
  for (const input of [...Object.values(inputs), result, shown, day]) {
    input.addEventListener('input', () => {
      if (input === shown) chosen = shown.value;
      agree();
      clearTimeout(waiting);
      waiting = setTimeout(listing, 300);
    });
  }
  agree();
  if (at.query.has('story'))
    await tell().catch((error) => {
      toast(error.message);
      listing();
    });
  else listing();
  on('reset', () => {
    if (isHere() && list && place.contains(list.element) && list.isAtTop()) listing();
  });
  on('audit', (entry) => {
    if (
      isHere() &&
      list &&
      place.contains(list.element) &&
      Object.keys(filter()).length === 0 &&
      shown.value !== 'events' &&
      fits(entry)
    )
      list.unshift(entry);
  });
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
