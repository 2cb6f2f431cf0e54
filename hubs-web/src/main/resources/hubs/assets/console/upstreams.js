// Upstreams: other MCP servers whose tools are used through the engine: installed after a look, approved tool by tool, and who used them.
import { ask as send, call, isAdmin, may } from './api.js';
import {
  action,
  ago,
  asCode,
  ask,
  back,
  bars,
  choose,
  DANGER,
  el,
  empty,
  enc,
  facts,
  given,
  guarded,
  head,
  link,
  number,
  problem,
  put,
  redrawn,
  tag,
  toast,
  whileBusy,
} from './ui.js';
import { changes } from './difference.js';
import { sentence } from './sentences.js';

const SOON = 500;
const HEALTH = 6000; // Replicas write how a server does every few seconds.
const STATES = { ready: 'reads', held: 'changes', failing: 'destroys' };
const WORDS = { ready: 'ready', held: 'waits for approval', failing: 'failing' };
const SECRETS = ['value', 'client_secret'];
const USES = 100;

const hasStopped = (one) => !one.counts.approved && one.counts.refused > 0;
const state = (one) =>
  tag(hasStopped(one) ? 'disabled' : (WORDS[one.state] ?? one.state), hasStopped(one) ? '' : (STATES[one.state] ?? ''));
const counted = ({ approved, held, refused }) =>
  [`${number(approved)} approved`, held ? `${number(held)} held` : null, refused ? `${number(refused)} refused` : null]
    .filter(Boolean)
    .join(', ');

export async function show({ at, view, on, go, isHere }) {
  const mayInstall = isAdmin() && may('UP_Install');
  view.append(
    head('Upstreams', {
      sub: 'Other MCP servers, whose tools are used through this engine.',
      actions: mayInstall ? [action('UP_Install', 'Install a server', () => go('/console/upstreams?install'), '')] : [],
    }),
  );
  if (!may('UP_List')) {
    view.append(
      empty(
        'For admins',
        'Admins install other MCP servers and approve their tools. Which tools you may call is in the list of tools.',
        el('a', { class: 'button quiet', href: '/docs/upstreams' }, 'About upstream servers'),
      ),
    );
    return;
  }
  const [name] = at.parts;
  const isInstalling = mayInstall && at.query.has('install');
  let { upstreams } = await call('UP_List');
  if (!upstreams.length && !name && !isInstalling) {
    view.append(
      empty(
        'No upstream servers',
        'Install another MCP server by its URL. Its tools then appear beside the engine’s, with the same keys, rules, limits and audit.',
        mayInstall ? action('UP_Install', 'Install a server', () => go('/console/upstreams?install'), '') : null,
        el('a', { class: 'button quiet', href: '/docs/upstreams' }, 'How it works'),
      ),
    );
    return;
  }
  const side = el('ul', { class: 'side endpoints', 'aria-label': 'Upstream servers', tabindex: '-1' });
  const listed = () =>
    side.replaceChildren(
      ...upstreams.map((one) => entry(one, name)),
      ...(upstreams.length ? [] : [el('li', { class: 'soft pad' }, 'None yet.')]),
    );
  listed();
  choose(side, view);
  const detail = el('div', { class: 'detail', tabindex: '-1' });
  put(
    view,
    name || isInstalling ? back('/console/upstreams', 'All upstream servers') : null,
    el('div', { class: `split${name || isInstalling ? ' chosen' : ''}` }, side, detail),
  );
  if (isInstalling) return void install(detail, go);
  if (!name)
    detail.append(
      el('p', { class: 'soft pick' }, 'Select a server to see its tools, what waits for approval, and who used it.'),
    );
  let turn = 0; // A slow answer must not replace a newer one.
  const draw = async () => {
    const mine = ++turn;
    const [list, pieces] = await Promise.all([call('UP_List'), name ? one(name, go, again) : null]);
    if (!isHere() || mine !== turn) return;
    ({ upstreams } = list);
    redrawn(side, listed);
    if (pieces) redrawn(detail, () => replaced(detail, pieces));
  };
  let due;
  let later;
  function again(wait = SOON) {
    due ??= setTimeout(() => {
      due = undefined;
      if (isHere())
        draw().catch((error) => {
          if (name && error.error === 'not_found') go('/console/upstreams', true);
        });
    }, wait);
  }
  if (name) detail.append(...(await one(name, go, again).catch((error) => [problem(error)])));
  const happened = () => {
    again();
    clearTimeout(later);
    later = setTimeout(() => {
      if (isHere()) again();
    }, HEALTH);
  };
  on('audit', (call_) => {
    if (/^UP_/.test(call_.tool ?? '') || call_.target_kind === 'upstream') happened();
  });
  on('reset', happened);
}

function entry(one, current) {
  const shown = link(
    `/console/upstreams/${enc(one.name)}`,
    el('b', { class: 'clip' }, one.name),
    el('span', { class: 'soft clip' }, one.url),
    el('span', {}, state(one), ' ', el('span', { class: 'soft' }, counted(one.counts))),
  );
  if (one.name === current) shown.setAttribute('aria-current', 'true');
  return el('li', {}, shown);
}

// What is open stays open.
function replaced(place, pieces) {
  const open = new Set([...place.querySelectorAll('details[open]')].map((each) => each.dataset.key));
  place.replaceChildren(...pieces);
  for (const each of place.querySelectorAll('details')) if (open.has(each.dataset.key)) each.open = true;
}

// ------------------------------------------------------------ one server

async function one(name, go, again) {
  const [{ upstream }, used] = await Promise.all([
    call('UP_Read', { name }),
    may('AC_Audit') ? call('AC_Audit', { target: `upstream:${name}`, page: { limit: USES } }) : { entries: [] },
  ]);
  const offers = [...upstream.tools, ...upstream.content];
  const held = offers.filter((tool) => tool.state === 'held' && !tool.decision);
  const refused = offers.filter((tool) => tool.state === 'held' && tool.decision);
  const approved = offers.filter((tool) => tool.state === 'approved');
  const gone = offers.filter((tool) => tool.state === 'gone');
  const changed = () => again(0);
  const latency = upstream.latency
    ? [figure('Median', `${upstream.latency.p50_ms} ms`), figure('p99', `${upstream.latency.p99_ms} ms`)]
    : [];
  return [
    el(
      'header',
      { class: 'detail-head' },
      el('div', {}, el('h2', { class: 'breaks' }, upstream.name), el('p', { class: 'soft breaks' }, upstream.url)),
      el('div', { class: 'head-actions' }, ...controls(upstream, held, go, changed)),
    ),
    el(
      'p',
      { class: 'tagline' },
      state(upstream),
      upstream.era ? tag(`MCP ${upstream.era}`) : null,
      upstream.credential.kind === 'none'
        ? null
        : tag(upstream.credential.kind === 'header' ? 'with a header' : 'with OAuth'),
    ),
    upstream.failing_since
      ? el(
          'p',
          { class: 'note bad' },
          `It does not answer since `,
          ago(upstream.failing_since),
          `: ${upstream.last_error ?? 'no reason is known'}`,
        )
      : null,
    el(
      'div',
      { class: 'figures' },
      figure('Approved', number(approved.length)),
      figure('Held', number(held.length)),
      ...latency,
    ),
    section(
      'Waiting for approval',
      held,
      (tool) => waiting(tool, upstream, changed),
      'Its tools are neither listed nor called until you approve them. Descriptions are the server’s own words.',
    ),
    section('Refused', refused, (tool) => waiting(tool, upstream, changed)),
    folded('approved', `${number(approved.length)} approved`, approved, (tool) => usable(tool, upstream, changed)),
    folded('gone', `${number(gone.length)} no longer there`, gone, (tool) => el('li', {}, el('code', {}, tool.name))),
    uses(upstream, used.entries),
    el(
      'section',
      {},
      el('h3', {}, 'Record'),
      facts([
        ['Timeout', `${number(upstream.timeout_ms)} ms`],
        ['Tools read', ago(upstream.refreshed_at)],
        ['Last error', upstream.last_error ? `${upstream.last_error}` : null],
        ['Installed', ago(upstream.created_at)],
        ['Revision', number(upstream.revision)],
        ['Capability of keys', el('code', {}, `upstream:${upstream.name}`)],
      ]),
    ),
  ].filter(Boolean);
}

function controls(upstream, held, go, changed) {
  const { name, revision } = upstream;
  const withdrawn = [...upstream.tools, ...upstream.content]
    .filter((tool) => tool.state === 'held' && tool.decision === 'withdrawn')
    .map((tool) => tool.name);
  return [
    held.length ? decide('Approve all', { name, if_revision: revision }, changed, '') : null,
    action('UP_Refresh', 'Read again', (event) =>
      whileBusy(event.target, async () => {
        await call('UP_Refresh', { name });
        toast('Its tools were read.');
        changed();
      }),
    ),
    withdrawn.length ? decide('Enable', { name, tools: withdrawn, if_revision: revision }, changed) : null,
    upstream.counts.approved
      ? action('UP_Approve', 'Disable', () =>
          ask({
            title: `Disable ${name}?`,
            text: 'All approvals are taken back: its tools are neither listed nor called until you enable it again.',
            verb: 'Disable',
            tool: 'UP_Approve',
            args: () => ({ name, refuse: true }),
            done: changed,
          }),
        )
      : null,
    action(
      'UP_Remove',
      'Remove',
      () =>
        ask({
          title: `Remove ${name}?`,
          text: 'Its tools, its credential and all approvals are deleted. The audit keeps who used it.',
          verb: 'Remove',
          danger: true,
          tool: 'UP_Remove',
          args: () => ({ name }),
          done: () => go('/console/upstreams'),
        }),
      DANGER,
    ),
  ].filter(Boolean);
}

// A button that approves or refuses what is shown: if somebody changed it meanwhile, the call is refused.
const decide = (label, args, changed, kind = 'quiet', about = null) =>
  action(
    'UP_Approve',
    label,
    (event) =>
      whileBusy(event.target, async () => {
        try {
          const { approved, refused } = await call('UP_Approve', args);
          toast(
            args.refuse
              ? `Refused: ${refused.join(', ')}`
              : approved.length
                ? `Approved: ${approved.join(', ')}`
                : 'Nothing could be approved. Approve tools one by one.',
          );
        } finally {
          changed();
        }
      }),
    kind,
    about,
  );

const section = (title, tools, item, hint) =>
  tools.length
    ? el(
        'section',
        {},
        el('h3', {}, `${title} (${number(tools.length)})`),
        hint ? el('p', { class: 'soft' }, hint) : null,
        el('ul', { class: 'held-tools' }, ...tools.map(item)),
      )
    : null;
const folded = (key, title, tools, item) =>
  tools.length
    ? el(
        'section',
        {},
        el(
          'details',
          { 'data-key': key },
          el('summary', {}, title),
          el('ul', { class: 'held-tools' }, ...tools.map(item)),
        ),
      )
    : null;
const figure = (name, value) => el('div', { class: 'figure' }, el('span', { class: 'soft' }, name), el('b', {}, value));

function waiting(tool, upstream, changed) {
  const args = (more) => ({ name: upstream.name, tools: [tool.name], ...more, if_revision: upstream.revision });
  return el(
    'li',
    { class: 'panel', 'data-tool': tool.name },
    el(
      'div',
      { class: 'detail-head' },
      el(
        'div',
        {},
        el('h4', { class: 'breaks' }, el('code', {}, tool.name)),
        el(
          'p',
          { class: 'soft' },
          tool.difference.length ? 'It has changed since it was approved' : (tool.reason ?? ''),
        ),
      ),
      el(
        'div',
        { class: 'head-actions' },
        decide('Approve', args({}), changed, '', tool.name),
        tool.decision ? null : decide('Refuse', args({ refuse: true }), changed, DANGER, tool.name),
      ),
    ),
    tool.difference.length && tool.reason && tool.reason !== 'it has changed'
      ? el('p', { class: 'note' }, tool.reason)
      : null,
    tool.difference.length
      ? difference(tool.difference)
      : el('p', { class: 'breaks' }, tool.description || 'Without a description.'),
  );
}

function usable(tool, upstream, changed) {
  return el(
    'li',
    { class: 'panel', 'data-tool': tool.name },
    el(
      'div',
      { class: 'detail-head' },
      el(
        'div',
        {},
        el('h4', { class: 'breaks' }, el('code', {}, tool.name)),
        el('p', { class: 'soft' }, 'Approved ', ago(tool.approved_at)),
      ),
      el(
        'div',
        { class: 'head-actions' },
        decide(
          'Refuse',
          { name: upstream.name, tools: [tool.name], refuse: true, if_revision: upstream.revision },
          changed,
          DANGER,
          tool.name,
        ),
      ),
    ),
    el('p', { class: 'breaks' }, tool.description || 'Without a description.'),
  );
}

// What was approved and what is there now, part by part. Of texts, the sentences that stayed are grey.
function difference(parts) {
  return el(
    'dl',
    { class: 'held-changes' },
    ...parts.flatMap(({ part, before, now }) => [
      el('dt', {}, part),
      el('dd', { class: 'compared' }, ...lines(before, now)),
    ]),
  );
}

const SIGNS = { '=': ['p', 'soft'], '-': ['del'], '+': ['ins'] };
const sentences = (text) => (text === undefined || text === null ? [] : text.split(/(?<=[.!?])\s+|\n+/));
const lines = (before, now) =>
  changes(sentences(before), sentences(now)).map(({ sign, text }) =>
    el(SIGNS[sign][0], { class: SIGNS[sign][1] }, text),
  );

// ------------------------------------------------------------ who used it

const HOURS = 24;
const HOUR = 3_600_000;

function uses(upstream, entries) {
  const calls = entries.filter((entry) => !/^UP_/.test(entry.tool));
  if (!may('AC_Audit')) return null;
  const people = [...new Set(calls.map((entry) => entry.agent ?? entry.user))];
  return el(
    'section',
    { class: 'used' },
    el(
      'div',
      { class: 'section-head' },
      el('h3', {}, 'Who used it'),
      link(`/console/activity?target=${enc(`upstream:${upstream.name}`)}`, 'in the activity'),
      asCode('Reading who used it', () => [{ tool: 'AC_Audit', args: { target: `upstream:${upstream.name}` } }]),
    ),
    calls.length
      ? el(
          'p',
          { class: 'soft' },
          `The latest ${number(calls.length)} ${calls.length === 1 ? 'call' : 'calls'}, by ${people.slice(0, 5).join(', ')}${people.length > 5 ? ' and others' : ''}`,
        )
      : el('p', { class: 'soft' }, 'Nobody yet.'),
    calls.length ? byHour(calls) : null,
    el(
      'ul',
      { class: 'plain-list' },
      ...calls
        .slice(0, 10)
        .map((entry) =>
          el(
            'li',
            {},
            ...sentence(entry),
            ' ',
            entry.result === 'done' ? null : tag(entry.result, 'destroys'),
            ' ',
            el('span', { class: 'soft' }, ago(entry.at)),
          ),
        ),
    ),
  );
}

function byHour(calls) {
  const now = Date.now();
  const points = Array.from({ length: HOURS }, (_, i) => ({ label: `${HOURS - 1 - i} hours ago`, value: 0, bad: 0 }));
  for (const entry of calls) {
    const point = points[HOURS - 1 - Math.floor((now - Date.parse(entry.at)) / HOUR)];
    if (!point) continue;
    point.value += 1;
    point.bad += entry.result === 'done' ? 0 : 1;
  }
  const failed = points.reduce((sum, point) => sum + point.bad, 0);
  const which =
    calls.length < USES - 1
      ? `Calls of the last ${HOURS} hours`
      : `The latest ${number(calls.length)} calls, as far as they are of the last ${HOURS} hours`;
  const about = `${which}, ${failed ? `${number(failed)} failed or refused` : 'none failed'}`;
  return el(
    'figure',
    { class: 'by-time' },
    el(
      'figcaption',
      { class: 'soft' },
      el('span', {}, about),
      el('span', { class: 'key' }, 'all'),
      el('span', { class: 'key bad' }, 'failed'),
    ),
    bars(points, about),
  );
}

// ------------------------------------------------------------ install

let fields = 0;
function field(label, input, hint) {
  const id = `upstream-field-${++fields}`;
  input.id = id;
  if (hint) input.setAttribute('aria-describedby', `${id}-hint`);
  return el(
    'div',
    { class: 'field' },
    el('label', { for: id }, label),
    input,
    hint ? el('p', { class: 'hint', id: `${id}-hint` }, hint) : null,
  );
}
const input = (name, more = {}) =>
  el('input', { name, type: 'text', autocomplete: 'off', spellcheck: 'false', ...more });

function install(place, go) {
  const names = {
    none: 'none',
    header: 'a header',
    client_credentials: 'OAuth client credentials',
    token_exchange: 'OAuth token exchange, for the calling user',
    id_jag: 'OAuth with an ID-JAG, for the calling user',
  };
  const kind = el(
    'select',
    { name: 'kind' },
    ...Object.entries(names).map(([value, label]) => el('option', { value }, label)),
  );
  const oauth = () => [
    field('Token URL', input('token_url', { type: 'url' })),
    field('Client id', input('client_id')),
    field('Client secret', input('client_secret', { type: 'password' })),
    field('Scope', input('scope')),
  ];
  const parts = {
    header: [
      field('Header', input('header', { value: 'Authorization' })),
      field(
        'Value',
        input('value', { type: 'password' }),
        'It is encrypted, never shown, and sent only to this server.',
      ),
    ],
    client_credentials: oauth(),
    token_exchange: oauth(),
    id_jag: [...oauth(), field('Issuer', input('audience'), 'That the token URL belongs to. Default: its origin.')],
  };
  const more = el('div', {});
  const offer = el('div', { class: 'offer', role: 'status' });
  const wrong = el('p', { class: 'problem', role: 'alert' });
  const form = el(
    'form',
    { class: 'panel upstream-form' },
    field(
      'Name',
      input('name', { required: true, maxlength: 20, pattern: '[a-z0-9][a-z0-9\\-]{0,19}' }),
      'It begins the names of its tools: github gives github_create_issue.',
    ),
    field('URL', input('url', { type: 'url', required: true }), 'Of its MCP endpoint, over Streamable HTTP.'),
    field('Credential', kind),
    more,
    wrong,
    el(
      'div',
      { class: 'row' },
      action('UP_Install', 'Show what it offers', (event) => {
        if (form.reportValidity()) return probe(event.target);
        return undefined;
      }),
      el('button', { type: 'submit' }, 'Install'),
      asCode('Installing', () => [{ tool: 'UP_Install', args: hidden(args()) }]),
    ),
  );
  kind.addEventListener('change', () => more.replaceChildren(...(parts[kind.value] ?? [])));
  const args = () => {
    const { kind: chosen, name, url, ...credential } = Object.fromEntries(new FormData(form));
    return {
      name: name.trim(),
      url: url.trim(),
      ...(chosen === 'none' ? {} : { credential: { kind: chosen, ...given(credential) } }),
    };
  };
  // These calls are not kept among those of the page: they have a secret.
  const run = (button, work) =>
    whileBusy(button, async () => {
      wrong.textContent = '';
      try {
        await work();
      } catch (error) {
        wrong.textContent = error.message;
      }
    });
  let turn = 0; // An offer is that of the form as it is.
  form.addEventListener('input', () => {
    turn += 1;
    offer.replaceChildren();
  });
  const probe = (button) =>
    run(button, async () => {
      const mine = ++turn;
      offer.replaceChildren(el('p', { class: 'soft' }, 'Asking the server…'));
      try {
        const { upstream } = await send('UP_Install', { ...args(), dry_run: true });
        if (mine === turn) offer.replaceChildren(...offered(upstream));
      } catch (error) {
        offer.replaceChildren();
        throw error;
      }
    });
  form.addEventListener(
    'submit',
    guarded((event) => {
      event.preventDefault();
      return run(form.querySelector('[type="submit"]'), async () => {
        const { upstream } = await send('UP_Install', args());
        toast(`Installed. ${number(upstream.counts.held)} tools wait for approval.`);
        go(`/console/upstreams/${enc(upstream.name)}`);
      });
    }),
  );
  place.append(el('h2', {}, 'Install a server'), form, offer);
}

function hidden(args) {
  if (!args.credential) return args;
  return {
    ...args,
    credential: Object.fromEntries(
      Object.entries(args.credential).map(([name, value]) => [name, SECRETS.includes(name) ? '…' : value]),
    ),
  };
}

function offered(upstream) {
  if (upstream.last_error)
    return [
      el(
        'p',
        { class: 'note bad' },
        `It does not answer: ${upstream.last_error}. You can install it nevertheless, and read its tools later.`,
      ),
    ];
  return [
    el('h3', {}, `It offers ${number(upstream.tools.length)} ${upstream.tools.length === 1 ? 'tool' : 'tools'}`),
    el('p', { class: 'soft' }, `It speaks MCP ${upstream.era}. Nothing is installed yet.`),
    el(
      'ul',
      { class: 'held-tools' },
      ...upstream.tools.map((tool) =>
        el(
          'li',
          { class: 'panel' },
          el('h4', { class: 'breaks' }, el('code', {}, tool.name)),
          el('p', { class: 'breaks' }, tool.description || 'Without a description.'),
          tool.reason === 'it is new' ? null : el('p', { class: 'note' }, tool.reason),
        ),
      ),
    ),
  ];
}
