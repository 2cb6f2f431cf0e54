// One agent: what it is told, said, remembers, what it was before, and who may see it.
import { costOf } from './agent-cost.js';
import { agentTalk } from './agent-talk.js';
import { call, isAdmin, may, me, read, request, whyNot } from './api.js';
import { guardPart } from './guard.js';
import { finder, ofDay, row as foundRow } from './messages.js';
import {
  action,
  ago,
  ask,
  avatar,
  button,
  DANGER,
  el,
  enc,
  encAgent,
  facts,
  compact,
  guarded,
  html,
  later,
  link,
  memoryCount,
  nothing,
  number,
  problem,
  render,
  tag,
  toast,
  whileBusy,
} from './parts.js';
import { compared, ended, restore, revisionItem, steps } from './revisions.js';

const ACCESS = ['private', 'agent', 'domain', 'public'];

export const FIELDS = (agent = {}) => [
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

// Returns view, the part of the page.
export async function one(name, { at, view, on, go, isHere, drawn }) {
  let answer;
  try {
    answer = await read(name, 50);
  } catch (error) {
    const other = at.query.get('other');
    if (!other) return () => problem(error);
    go(`/console/agents/${encAgent(other)}?message=${enc(at.query.get('message'))}`, true); // The first party is a user.
    return () => nothing;
  }
  const [agent] = answer.profile;
  const talk = el('div', { class: 'agent-talk' });
  const again = (changed = agent) => go(`/console/agents/${encAgent(changed.name)}`, true);
  const edit = () =>
    ask({
      title: `Edit ${agent.name}`,
      verb: 'Save',
      fields: FIELDS(agent),
      tool: 'AP_Modify',
      args: (values) => ({
        target: { agent: agent.name },
        vx: compact(Object.fromEntries(Object.entries(values).filter(([key, value]) => value !== (agent[key] ?? '')))),
        if_revision: agent.revision,
      }),
      done: (changed) => again(changed.agent),
    });
  const end = () =>
    ask({
      title: `Delete ${agent.name}?`,
      text: 'Its keys are revoked. Its memberships, permissions and roster entries are removed for everyone. Its messages and memories stay under its name.',
      verb: 'Delete',
      danger: true,
      tool: 'AP_Destroy',
      args: () => ({ target: { agent: agent.name } }),
      done: () => {
        go('/console/agents');
        toast(`The agent ${agent.name} is deleted.`);
      },
    });

  await agentTalk({ place: talk, agent, first: answer, sought: at.query.get('message'), view, on, isHere });
  const said = may('AP_Search') ? saidOn(agent.name, at) : null;
  const past = revisions(agent, again, drawn);
  const memory = later(banksOf(agent), drawn);
  const why = later(reasonsOf(agent), drawn);
  const isKnown = may('AP_Usage') && (agent.owner === me.user || isAdmin());
  const cost = isKnown ? later(costOf(agent.name), drawn) : null;

  return () =>
    html`<header class="detail-head">
        ${avatar(agent.name, { online: agent.online })}
        <div>
          <h2 dir="auto">${agent.name}</h2>
          <p dir="auto" class="soft">${agent.description}</p>
        </div>
        <div class="head-actions">
          ${
            may('AC_Audit')
              ? html`<a class="button quiet" href="/console/activity?agent=${enc(agent.name)}&story=1"
                  >What it did today</a
                >`
              : nothing
          }
          ${action('AP_Modify', 'Edit', edit)} ${action('AP_Destroy', 'Delete', end, DANGER)}
        </div>
      </header>
      <p class="tagline">
        ${tag(agent.online ? 'online' : 'offline', agent.online ? 'reads' : '')} ${tag(`access ${agent.access}`)}
        ${tag(`owned by ${agent.owner}`)} ${tag(`revision ${agent.revision}`)}
        ${(agent.skills ?? []).map((skill) => tag(`skill ${skill.name ?? skill}`))}
      </p>
      ${section('Conversations', talk)} ${said ? section('What it said', said) : nothing}
      ${section(
        'Persona',
        agent.profile
          ? html`<pre dir="auto" class="wraps prose" tabindex="0" aria-label="Persona">${agent.profile}</pre>`
          : html`<p class="soft">None.</p>`,
      )}
      <section>${past()}</section>
      ${guardPart({ guard: answer.guard ?? agent.guard, tool: 'AP_Modify', target: { agent: agent.name }, where: `directly to or from ${agent.name}`, again: () => again() })}
      ${cost ? section('What it costs', html`<div>${cost()}</div>`) : nothing}
      ${section('Memory', html`<div class="rows">${memory()}</div>`)}
      ${section('Who may see it, and why', html`<div>${why()}</div>`)}
      ${section(
        'Record',
        facts([
          ['Created', ago(agent.created_at)],
          ['Last changed', ago(agent.updated_at)],
        ]),
      )}`;
}

const section = (title, content) =>
  html`<section>
    <h3>${title}</h3>
    ${content}
  </section>`;

// Of others' agents only their owner and the admins read this.
async function banksOf(agent) {
  const banks = await call('MB_List', { target: { agent: agent.name } });
  if (!banks.content.length) return html`<p class="soft">It can read no bank.</p>`;
  return banks.content.map((bank) =>
    link(
      `/console/memory/${enc(bank.bank)}`,
      html`<b dir="auto">${bank.bank}</b> ${tag(bank.permission)} ${tag(`by ${bank.via}`)}
        ${bank.loaded ? tag('loaded', 'reads') : nothing}
        <span class="soft">${memoryCount(bank.memories)} ${bank.memories === 1 ? 'memory' : 'memories'}</span>`,
    ),
  );
}

async function reasonsOf(agent) {
  const reasons = await Promise.all(
    Object.keys(MEANS).map((tool) =>
      request(`/api/auth/why?tool=${tool}&target=${enc(`agent:${agent.name}`)}`).catch(() => null),
    ),
  );
  return html`<p>${ACCESSES[agent.access]}</p>
    <ul class="why">
      ${reasons.filter(Boolean).map((found) => {
        const isAllowed = found.may && !found.only;
        return html`<li>
          ${tag(isAllowed ? 'you may' : 'you may not', isAllowed ? 'reads' : 'destroys')}
          ${MEANS[found.tool] ?? found.tool}
          <span dir="auto" class="soft"
            >${found.only ?? (found.may ? `because ${reason(found)}` : (found.missing ?? []).join('; '))}</span
          >
        </li>`;
      })}
    </ul>`;
}

const isoDay = (date) =>
  `${date.getFullYear()}-${String(date.getMonth() + 1).padStart(2, '0')}-${String(date.getDate()).padStart(2, '0')}`;

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
    if (!input.value) return render(nothing, found);
    found.hidden = false;
    render(html`<p class="soft">Searching…</p>`, found);
    const { messages, more } = await ofDay(name, input.value);
    if (mine !== turn) return undefined;
    const count = `${number(messages.length)} ${messages.length === 1 ? 'message' : 'messages'}`;
    return render(
      html`<p dir="auto" class="soft">
          ${
            messages.length
              ? `${count}${more ? ', the latest of that day' : ''}`
              : `${name} said nothing on that day that you may read.`
          }
        </p>
        <ol>
          ${messages.map((hit) => foundRow(hit, name))}
        </ol>`,
      found,
    );
  }
  const yesterday = () => {
    const date = new Date();
    date.setDate(date.getDate() - 1);
    input.value = isoDay(date);
    return look();
  };
  input.addEventListener('change', guarded(look));
  words.addEventListener('input', () => {
    turn += 1; // What comes of a day is no longer asked for.
    input.value = '';
  });
  const endSearch = finder(words, found, { target: { agent: name } }, name);
  if (input.value) look().catch((error) => render(problem(error), found));
  return html`<div class="filters">
      <label class="labelled">Day${input}</label>${button('Yesterday', yesterday)}${words}
    </div>
    ${found}`;
}

// What changes of its record replaced, the newest first, once it is asked for. Returns view, the part of the page.
function revisions(agent, again, drawn) {
  let history = null;
  // Those before a revision, which replaced them.
  async function readBefore(newer, cursor) {
    const body = await call('AP_Modify', {
      target: { agent: agent.name },
      revisions: true,
      page: { limit: PAGE, ...(cursor && { cursor }) },
    });
    const items = body.revisions.map((each, i) => replaced(each, body.revisions[i - 1] ?? newer, agent, again));
    const last = body.revisions.at(-1) ?? newer;
    if (body.next_cursor)
      return { items, next: { revision: last.revision, read: () => readBefore(last, body.next_cursor) } };
    if (last.revision > 1) items.push(ended('Only the changes of the last 30 days are kept, at most 200.'));
    else if (!items.length) items.push(ended('Nothing has been changed yet.'));
    return { items, next: null };
  }
  const isMine = isAdmin() || agent.owner === me.user;
  const refused = may('AP_Modify')
    ? isMine
      ? null
      : `Only ${agent.owner} and admins may read them`
    : whyNot('AP_Modify');
  const open = async ({ currentTarget }) => {
    const around = currentTarget.closest('section');
    const found = steps({ from: agent.revision, read: () => readBefore(agent), drawn });
    await whileBusy(currentTarget, () => found.ready);
    history = found;
    drawn();
    around.querySelector('ol :is(summary, li[tabindex], button)')?.focus();
  };
  return () =>
    history
      ? html`<h3>Earlier texts</h3>
          ${history.view()}`
      : button('Show earlier texts', open, { reason: refused });
}

// One of them, and what the change made of it.
function replaced(one, later, agent, again) {
  const names = Object.keys(TEXTS).filter((name) => (one[name] ?? '') !== (later[name] ?? ''));
  const vx = compact(
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
    html`<div class="compared">
      ${names.flatMap((name) => [
        html`<p dir="auto" class="soft">${TEXTS[name][0].toUpperCase()}${TEXTS[name].slice(1)}</p>`,
        ...compared(one[name] ?? '', later[name] ?? '', '\n').parts,
      ])}
    </div>`,
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
