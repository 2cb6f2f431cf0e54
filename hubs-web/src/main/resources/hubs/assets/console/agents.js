// Agents: who there is, and one of them with what it is told, said, remembers, and who may see it.
import { agentTalk } from './agent-talk.js';
import { ask as invoke, call, glance, isAdmin, may, me, read, request, whyNot } from './api.js';
import { finder, ofDay, row as foundRow } from './messages.js';
import { before, compared, ended, restore, revisionItem } from './revisions.js';
import {
  action,
  ago,
  ask,
  avatar,
  back,
  DANGER,
  disabledFor,
  el,
  empty,
  enc,
  facts,
  given,
  guarded,
  head,
  link,
  memoryCount,
  number,
  problem,
  put,
  tag,
  whileBusy,
} from './ui.js';
import { listPlace, virtualList } from './virtual.js';

const ACCESS = ['private', 'agent', 'domain', 'public'];

const FIELDS = (agent = {}) => [
  {
    name: 'name',
    label: 'Name',
    value: agent.name,
    required: true,
    max: 64,
    hint: 'Letters, digits, space, underscore, hyphen, full stop.',
  },
  {
    name: 'description',
    label: 'Description',
    value: agent.description,
    long: 2,
    required: true,
    max: 2000,
    hint: 'What others read before they talk to it.',
  },
  { name: 'profile', label: 'Persona', value: agent.profile, long: 6, max: 16000, hint: 'Used as its system prompt.' },
  { name: 'access', label: 'Who may see it', value: agent.access ?? 'private', options: ACCESS },
];

function create(go) {
  return ask({
    title: 'New agent',
    verb: 'Create',
    fields: FIELDS(),
    tool: 'AP_Create',
    args: (values) => ({ vx: given(values) }),
    done: (answer) => go(`/console/agents/${enc(answer.agent.name)}`),
  });
}

// The beginning of a persona, without the marks of its headings and lists.
const beginning = (persona) =>
  persona
    .replace(/^[#>*\s-]+/gm, '')
    .replace(/\s+/g, ' ')
    .slice(0, 240);

// In whichever order the database has names.
const isAfter = (name, other) => name.toLowerCase() > other.toLowerCase() && name.localeCompare(other) > 0;

export async function show({ at, view, on, go, isHere }) {
  const wanted = at.parts[0];
  const detail = el('div', { class: 'detail' });
  const words = new Map(); // What an agent said last, by its name.
  const personas = new Map(); // The beginning of its persona, and of which revision, by its name.
  const asked = new Map(); // What was known of an agent when it was read, by its name.
  const queue = [];
  let readers = 0;

  // The personas and the last words of those in sight, a few at a time.
  async function readCards() {
    readers += 1;
    while (queue.length && isHere()) {
      const agent = queue.pop(); // Those that came into sight last are in sight.
      const body = await glance(agent.name, 10).catch(() => null);
      if (!body) asked.delete(agent.name); // It is read again when it is shown again.
      const said = body?.content.filter((message) => message.from === agent.name).at(-1);
      if (said && !words.has(agent.name)) words.set(agent.name, said.content);
      if (body?.profile?.[0].profile)
        personas.set(agent.name, { revision: agent.revision, text: beginning(body.profile[0].profile) });
      if (body) changed(known(agent.name) ?? agent);
    }
    readers -= 1;
  }

  function requestCard(agent) {
    const isKnown =
      (words.has(agent.name) || !agent.last_message_at) &&
      (!agent.profile_length || personas.get(agent.name)?.revision === agent.revision);
    const state = `${agent.revision} ${agent.last_message_at}`;
    if (isKnown || asked.get(agent.name) === state || !may('AP_Read')) return;
    asked.set(agent.name, state);
    queue.push(agent);
    if (queue.length > 40) asked.delete(queue.shift().name);
    if (readers < 3) readCards();
  }

  const persona = (agent) =>
    personas.get(agent.name)?.text ?? `A persona of ${number(agent.profile_length)} characters`;

  const contents = (agent) => [
    avatar(agent.name, { online: agent.online }),
    el(
      'span',
      { class: 'person-words' },
      el(
        'span',
        { class: 'person-top' },
        el('b', {}, agent.name),
        agent.last_message_at ? el('span', { class: 'soft' }, ago(agent.last_message_at, true)) : null,
      ),
      el('span', { class: 'clip' }, agent.description),
      agent.profile_length
        ? el('span', { class: `soft persona ${agent.skills?.length ? 'clip' : 'clip2'}` }, persona(agent))
        : null,
      agent.skills?.length
        ? el(
            'span',
            { class: 'soft clip small' },
            `Skills: ${agent.skills.map((skill) => skill.name ?? skill).join(', ')}`,
          )
        : null,
      words.has(agent.name) ? el('span', { class: 'clip words' }, `“${words.get(agent.name)}”`) : null,
    ),
    el('span', { class: 'unseen' }, agent.online ? 'online' : 'offline'),
    agent.unread
      ? el(
          'span',
          {
            class: 'soft small',
            title: `${agent.name} has not read ${agent.unread} ${agent.unread === 1 ? 'message' : 'messages'}`,
          },
          `${number(agent.unread)} not read`,
        )
      : '',
  ];

  function row(agent) {
    requestCard(agent);
    const entry = link(`/console/agents/${enc(agent.name)}`, ...contents(agent));
    entry.dataset.agent = agent.name;
    if (agent.name === wanted) entry.setAttribute('aria-current', 'true');
    return entry;
  }

  const search = el('input', {
    type: 'search',
    placeholder: 'Find by the beginning of a name',
    'aria-label': 'Find agents',
  });
  const place = el('div', { tabindex: '-1' });
  function make() {
    const q = search.value.trim();
    let cursor;
    return virtualList({
      height: 112,
      row,
      label: 'Agents',
      empty: () => 'No agent that you may see.',
      more: async () => {
        // Only the first call is listed among the calls of the page.
        const body = await (cursor ? invoke : call)('AP_List', {
          ...(q && { target: { agent: q } }),
          page: cursor ? { limit: 200, cursor } : { limit: 60 },
        });
        cursor = body.next_cursor;
        return { items: body.profile.map((agent, i) => ({ ...agent, ...body.content[i] })), more: Boolean(cursor) };
      },
    });
  }
  const list = listPlace(place, make, isHere);
  const known = (name) => list.items.find((agent) => agent.name === name);
  // The link itself stays: it may have the keyboard's focus.
  const changed = (agent) =>
    place.querySelector(`[data-agent="${CSS.escape(agent.name)}"]`)?.replaceChildren(...contents(agent));
  let waiting;
  search.addEventListener('input', () => {
    clearTimeout(waiting);
    waiting = setTimeout(list.fill, 150);
  });

  if (at.query.has('new')) {
    view.addEventListener('shown', () => {
      history.replaceState(history.state, '', location.pathname);
      create(go);
    });
  }
  list.fill();
  await Promise.all([list.ready, wanted ? one(wanted, detail, { at, view, on, go, isHere }) : null]);
  view.append(
    head('Agents', {
      sub: 'Named workers with a persona, messages and memory.',
      actions: [action('AP_Create', 'New agent', () => create(go), '')],
    }),
  );
  if (list.isEmpty && !wanted) {
    view.append(
      empty(
        'No agents on your roster',
        'An agent has a name, a persona used as its system prompt, and conversations. Create one, or start the demo in World.',
        action('AP_Create', 'Create an agent', () => create(go), ''),
        link('/console/world', 'World'),
      ),
    );
    return;
  }
  put(
    view,
    wanted ? back('/console/agents', 'All agents') : null,
    el(
      'div',
      { class: `split${wanted ? ' chosen' : ''}` },
      el('aside', { class: 'side', 'aria-label': 'Agents' }, search, place),
      detail,
    ),
  );
  if (wanted)
    view.addEventListener('shown', () =>
      list.seek(
        (agent) => agent.name === wanted,
        (agent) => isAfter(agent.name, wanted),
      ),
    );
  else detail.append(el('p', { class: 'soft pick' }, 'Select an agent to see its messages and memories.'));
  on('messages', (message) => {
    const agent = message.from_kind === 'agent' && known(message.from);
    if (!agent || !isHere()) return;
    words.set(agent.name, message.content);
    agent.last_message_at = message.at;
    changed(agent);
  });
  let due;
  const later = () => {
    due ??= setTimeout(async () => {
      due = undefined;
      if (!isHere() || (await list.refresh())) return;
      addEventListener('scroll', later, { once: true, capture: true }); // Of the list or of the page: it may be at its top then.
    }, 600);
  };
  on('presence', (change) => {
    const agent = change.change === 'seen' && known(change.agent);
    if (change.change === 'seen' && !agent) return;
    if (!agent) return later();
    agent.online = change.online;
    changed(agent);
  });
  on('reset', later);
}

async function one(name, place, { at, view, on, go, isHere }) {
  let answer;
  try {
    answer = await read(name, 50);
  } catch (error) {
    const other = at.query.get('other');
    if (!other) place.append(problem(error));
    else go(`/console/agents/${enc(other)}?message=${enc(at.query.get('message'))}`, true); // The first party is a user.
    return;
  }
  const agent = answer.profile[0];
  const talk = el('div', { class: 'agent-talk' });
  const memory = el('div', { class: 'rows' });
  const why = el('div', {});
  const edit = () =>
    ask({
      title: `Edit ${agent.name}`,
      verb: 'Save',
      fields: FIELDS(agent),
      tool: 'AP_Modify',
      args: (values) => ({
        target: { agent: agent.name },
        vx: given(Object.fromEntries(Object.entries(values).filter(([key, value]) => value !== (agent[key] ?? '')))),
        if_revision: agent.revision,
      }),
      done: (changed) => go(`/console/agents/${enc(changed.agent.name)}`, true),
    });
  const end = () =>
    ask({
      title: `Delete ${agent.name}?`,
      text: 'Its memberships, permissions and roster entries are removed for everyone. Its messages and memories stay under its name.',
      verb: 'Delete',
      danger: true,
      tool: 'AP_Destroy',
      args: () => ({ target: { agent: agent.name } }),
      done: () => go('/console/agents'),
    });

  put(
    place,
    el(
      'header',
      { class: 'detail-head' },
      avatar(agent.name, { online: agent.online }),
      el('div', {}, el('h2', {}, agent.name), el('p', { class: 'soft' }, agent.description)),
      el(
        'div',
        { class: 'head-actions' },
        may('AC_Audit')
          ? el(
              'a',
              { class: 'button quiet', href: `/console/activity?agent=${enc(agent.name)}&story=1` },
              'What it did today',
            )
          : null,
        action('AP_Modify', 'Edit', edit),
        action('AP_Destroy', 'Delete', end, DANGER),
      ),
    ),
    el(
      'p',
      { class: 'tagline' },
      tag(agent.online ? 'online' : 'offline', agent.online ? 'reads' : ''),
      tag(`access ${agent.access}`),
      tag(`owned by ${agent.owner}`),
      tag(`revision ${agent.revision}`),
      ...(agent.skills ?? []).map((skill) => tag(`skill ${skill.name ?? skill}`)),
    ),
    el('section', {}, el('h3', {}, 'Conversations'), talk),
    may('AP_Search') ? el('section', {}, el('h3', {}, 'What it said'), ...saidOn(agent.name, at)) : null,
    el(
      'section',
      {},
      el('h3', {}, 'Persona'),
      agent.profile
        ? el('pre', { class: 'wraps prose', tabindex: '0', 'aria-label': 'Persona' }, agent.profile)
        : el('p', { class: 'soft' }, 'None.'),
    ),
    el(
      'section',
      {},
      el('h3', {}, 'Earlier texts'),
      revisions(agent, () => go(`/console/agents/${enc(agent.name)}`, true)),
    ),
    el('section', {}, el('h3', {}, 'Memory'), memory),
    el('section', {}, el('h3', {}, 'Who may see it, and why'), why),
    el(
      'section',
      {},
      el('h3', {}, 'Record'),
      facts([
        ['Created', ago(agent.created_at)],
        ['Last changed', ago(agent.updated_at)],
      ]),
    ),
  );
  await agentTalk({ place: talk, agent, first: answer, sought: at.query.get('message'), view, on, isHere });

  // Of others' agents only their owner and the admins read this.
  memory.append(el('p', { class: 'soft' }, 'Reading…'));
  call('MB_List', { target: { agent: agent.name } })
    .then((banks) =>
      memory.replaceChildren(
        ...(banks.content.length
          ? banks.content.map((bank) =>
              link(
                `/console/memory/${enc(bank.bank)}`,
                el('b', {}, bank.bank),
                ' ',
                tag(bank.permission),
                tag(`by ${bank.via}`),
                bank.loaded ? tag('loaded', 'reads') : null,
                el(
                  'span',
                  { class: 'soft' },
                  ` ${memoryCount(bank.memories)} ${bank.memories === 1 ? 'memory' : 'memories'}`,
                ),
              ),
            )
          : [el('p', { class: 'soft' }, 'It can read no bank.')]),
      ),
    )
    .catch((error) => memory.replaceChildren(el('p', { class: 'soft' }, error.message)));
  Promise.all(
    ['AP_Read', 'AP_Modify', 'AP_Destroy'].map((tool) =>
      request(`/api/auth/why?tool=${tool}&target=${enc(`agent:${agent.name}`)}`).catch(() => null),
    ),
  ).then((reasons) => {
    why.replaceChildren(
      el('p', {}, ACCESSES[agent.access] ?? ''),
      el(
        'ul',
        { class: 'why' },
        ...reasons
          .filter(Boolean)
          .map((found) =>
            el(
              'li',
              {},
              tag(
                found.may && !found.only ? 'you may' : 'you may not',
                found.may && !found.only ? 'reads' : 'destroys',
              ),
              ` ${MEANS[found.tool] ?? found.tool} `,
              el(
                'span',
                { class: 'soft' },
                found.only ?? (found.may ? `because ${reason(found)}` : (found.missing ?? []).join('; ')),
              ),
            ),
          ),
      ),
    );
  });
}

// What an agent said on a day, each with a link to where it said it; the day is in the address. And a search of all that it said.
function saidOn(name, at) {
  const found = el('div', { class: 'found-messages', 'aria-live': 'polite' });
  const input = el('input', { type: 'date', name: 'said-on', value: at.query.get('day') });
  const words = el('input', {
    type: 'search',
    placeholder: 'Find in what it said',
    'aria-label': `Find in what ${name} said`,
    maxlength: 2000,
  });
  let turn = 0;
  async function look() {
    const mine = ++turn;
    endSearch();
    words.value = '';
    history.replaceState(history.state, '', `${location.pathname}${input.value ? `?day=${input.value}` : ''}`);
    if (!input.value) return found.replaceChildren();
    found.hidden = false;
    found.replaceChildren(el('p', { class: 'soft' }, 'Searching…'));
    const { messages, more } = await ofDay(name, input.value);
    if (mine !== turn) return undefined;
    return found.replaceChildren(
      el(
        'p',
        { class: 'soft' },
        messages.length
          ? `${number(messages.length)} ${messages.length === 1 ? 'message' : 'messages'}${more ? ', the latest of that day' : ''}`
          : `${name} said nothing on that day that you may read.`,
      ),
      el('ol', {}, ...messages.map((hit) => foundRow(hit, name))),
    );
  }
  const yesterday = el(
    'button',
    {
      type: 'button',
      class: 'quiet',
      click: guarded(() => {
        const date = new Date();
        date.setDate(date.getDate() - 1);
        input.value = `${date.getFullYear()}-${String(date.getMonth() + 1).padStart(2, '0')}-${String(date.getDate()).padStart(2, '0')}`;
        return look();
      }),
    },
    'Yesterday',
  );
  input.addEventListener('change', guarded(look));
  words.addEventListener('input', () => {
    turn += 1; // What comes of a day is no longer asked for.
    input.value = '';
  });
  const endSearch = finder(words, found, { target: { agent: name } }, name);
  if (input.value) look().catch((error) => found.replaceChildren(problem(error)));
  return [el('div', { class: 'filters' }, el('label', { class: 'labelled' }, 'Day', input), yesterday, words), found];
}

const MEANS = { AP_Read: 'read it', AP_Modify: 'change it', AP_Destroy: 'delete it' };
const ACCESSES = {
  private: 'Its owner and the admins see it.',
  agent: 'Users who have it on their roster see it, and its owner and the admins.',
  domain: 'Users whose agents share a domain with it see it, and its owner and the admins.',
  public: 'Everybody in the tenant sees it.',
};
const RELATIONS = {
  owner: 'you own it',
  admin: 'you are an admin',
  roster: 'it is on your roster',
  public: 'it is public',
  domain: 'your agents share a domain with it',
};
const DECIDE = ['owner', 'admin'];
// Everybody who sees it may read it; only some relations let one change it.
const reason = ({ tool, target, role }) =>
  (target?.relations ?? [])
    .filter((one_) => tool === 'AP_Read' || DECIDE.includes(one_))
    .map((one_) => RELATIONS[one_] ?? one_)
    .join(', ') || (role?.yours?.[0] ? `your role is ${role.yours[0]}` : 'nothing forbids it');

const TEXTS = { name: 'name', description: 'description', profile: 'persona', access: 'access' };
const PAGE = 20;

// What changes of its record replaced, the newest first.
function revisions(agent, again) {
  const steps = el('ol', { class: 'revisions' });
  // Those before a revision, which replaced them.
  async function read(later, cursor) {
    const body = await call('AP_Modify', {
      target: { agent: agent.name },
      revisions: true,
      page: { limit: PAGE, ...(cursor && { cursor }) },
    });
    const items = body.revisions.map((one, i) => replaced(one, body.revisions[i - 1] ?? later, agent, again));
    const last = body.revisions.at(-1) ?? later;
    if (body.next_cursor) return [...items, before(last.revision, () => read(last, body.next_cursor))];
    return last.revision > 1
      ? [...items, ended('Only the changes of the last 30 days are kept, at most 200.')]
      : items.length
        ? items
        : [ended('Nothing has been changed yet.')];
  }
  const reason = may('AP_Modify')
    ? isAdmin() || agent.owner === me.user
      ? null
      : `Only ${agent.owner} and admins may read them`
    : whyNot('AP_Modify');
  const show = el(
    'button',
    {
      type: 'button',
      class: 'quiet',
      ...disabledFor(reason),
      click: guarded(() =>
        whileBusy(show, async () => {
          steps.replaceChildren(...(await read(agent)));
          show.replaceWith(steps);
          (steps.querySelector('summary') ?? steps.firstChild).focus();
        }),
      ),
    },
    'Show earlier texts',
  );
  return show;
}

// One of them, and what the change made of it.
function replaced(one, later, agent, again) {
  const names = Object.keys(TEXTS).filter((name) => (one[name] ?? '') !== (later[name] ?? ''));
  const vx = given(
    Object.fromEntries(
      ['description', 'profile'].filter((name) => one[name] !== agent[name]).map((name) => [name, one[name]]),
    ),
  );
  const kept = ['name', 'access'].filter((name) => one[name] !== agent[name]).map((name) => TEXTS[name]);
  return revisionItem(
    one.revision,
    `: ${names.map((name) => TEXTS[name]).join(', ')} replaced by ${one.replaced_by}, `,
    one.replaced_at,
    {},
    el(
      'div',
      { class: 'compared' },
      ...names.flatMap((name) => [
        el('p', { class: 'soft' }, `${TEXTS[name][0].toUpperCase()}${TEXTS[name].slice(1)}`),
        ...compared(one[name] ?? '', later[name] ?? '', '\n').parts.filter((part) => part.textContent),
      ]),
    ),
    Object.keys(vx).length
      ? action('AP_Modify', 'Restore this text', () =>
          restore({
            revision: one.revision,
            text: Object.values(vx).join('\n\n'),
            tool: 'AP_Modify',
            args: { target: { agent: agent.name }, vx, if_revision: agent.revision },
            again,
            words: [
              `Restored: ${Object.keys(vx)
                .map((name) => TEXTS[name])
                .join(' and ')}.`,
              kept.length ? `The current ${kept.join(' and ')} stays.` : '',
              agent.profile && !one.profile
                ? 'It had no persona then. The current one stays: a persona can be replaced, but not removed.'
                : '',
            ].filter(Boolean),
          }),
        )
      : null,
  );
}
