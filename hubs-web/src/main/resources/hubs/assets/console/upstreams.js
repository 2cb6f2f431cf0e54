// Upstreams: other MCP servers whose tools are used through the engine: installed after a look, approved tool by tool, and who used them.
import { call, isAdmin, may } from './api.js';
import {
  action,
  ago,
  asCode,
  ask,
  back,
  bars,
  choose,
  DANGER,
  draw,
  empty,
  enc,
  facts,
  head,
  html,
  link,
  nothing,
  number,
  problem,
  repeat,
  tag,
  toast,
  whileBusy,
  sample,
} from './parts.js';
import { changes } from './difference.js';
import { grants } from './grants.js';
import { invite } from './key-dialogs.js';
import { sentence } from './sentences.js';
import { account } from './upstream-account.js';
import { install } from './upstream-install.js';

const SOON = 500;
const HEALTH = 6000; // Replicas write how a server does every few seconds.
const STATES = { ready: 'reads', held: 'changes', failing: 'destroys' };
const WORDS = { ready: 'ready', held: 'waits for approval', failing: 'failing' };
const USES = 100;

const hasStopped = (one) => !one.counts.approved && one.counts.refused > 0;
const state = (one) =>
  tag(hasStopped(one) ? 'disabled' : (WORDS[one.state] ?? one.state), hasStopped(one) ? '' : (STATES[one.state] ?? ''));
const counted = ({ approved, held: pending, refused }) =>
  [
    `${number(approved)} approved`,
    pending ? `${number(pending)} held` : null,
    refused ? `${number(refused)} refused` : null,
  ]
    .filter(Boolean)
    .join(', ');

export async function show(context) {
  const { at, view, on, go, isHere } = context;
  if (at.parts[1] === 'connect') return account(context);
  const mayInstall = isAdmin() && may('UP_Install');
  const begin = (label) => action('UP_Install', label, () => go('/console/upstreams?install'), '');
  const title = head('Upstreams', {
    sub: 'Other MCP servers, whose tools are used through this engine.',
    actions: mayInstall ? [begin('Install a server')] : [],
  });
  if (!may('UP_List')) {
    const none = empty(
      'For admins',
      'Admins install other MCP servers and approve their tools. Which tools you may call is in the list of tools.',
      html`<a class="button quiet" href="/docs/upstreams">About upstream servers</a>`,
    );
    return draw(html`${title}${none}`, view);
  }
  const [name] = at.parts;
  const form = mayInstall && at.query.has('install') ? install(go) : null;
  let { upstreams } = await call('UP_List');
  if (!upstreams.length && !name && !form) {
    const none = html`${empty(
      'No upstream servers',
      'Install another MCP server by its URL. Its tools then appear beside the engine’s, with the same keys, rules, limits and audit.',
      mayInstall ? begin('Install a server') : nothing,
      html`<a class="button quiet" href="/docs/upstreams">How it works</a>`,
    )}
    ${sample(
      { title: 'issues', meta: 'https://mcp.example.com/mcp', state: ['in use', 'reads'], text: '12 approved' },
      { title: 'issues_delete', meta: 'is new', state: ['waits for approval', 'changes'], text: 'Deletes an issue.' },
    )}`;
    return draw(html`${title}${none}`, view);
  }
  choose('.endpoints', view);
  let detail =
    form ?? html`<p class="soft pick">Select a server to see its tools, what waits for approval, and who used it.</p>`;
  if (name && !form) detail = await one(name, go, again).catch(problem);
  const drawn = () =>
    draw(
      html`${title} ${name || form ? back('/console/upstreams', 'All upstream servers') : nothing}
        <div class="split${name || form ? ' chosen' : ''}">
          <ul class="side endpoints" aria-label="Upstream servers" tabindex="-1">
            ${
              upstreams.length
                ? repeat(
                    upstreams,
                    (each) => each.name,
                    (each) => entry(each, each.name === name),
                  )
                : html`<li class="soft pad">None yet.</li>`
            }
          </ul>
          <div class="detail" tabindex="-1">${detail}</div>
        </div>`,
      view,
    );
  drawn();
  if (form) return undefined;

  let turn = 0; // A slow answer must not replace a newer one.
  async function refresh() {
    const mine = ++turn;
    const [list, found] = await Promise.all([call('UP_List'), name ? one(name, go, again) : detail]);
    if (!isHere() || mine !== turn) return;
    ({ upstreams } = list);
    detail = found;
    drawn();
  }
  let due;
  let later;
  function again(wait = SOON) {
    due ??= setTimeout(() => {
      due = undefined;
      if (isHere())
        refresh().catch((error) => {
          if (name && error.error === 'not_found') go('/console/upstreams', true);
        });
    }, wait);
  }
  const happened = () => {
    again();
    clearTimeout(later);
    later = setTimeout(() => isHere() && again(), HEALTH);
  };
  on('audit', (made) => {
    if (/^UP_/.test(made.tool ?? '') || made.target_kind === 'upstream') happened();
  });
  on('reset', happened);
  return undefined;
}

const entry = (one, isChosen) =>
  html`<li>
    <a href="/console/upstreams/${enc(one.name)}" data-go="true" aria-current=${isChosen ? 'true' : nothing}
      ><b dir="auto" class="clip">${one.name}</b>
      <span dir="auto" class="soft clip">${one.url}</span>
      <span>${state(one)} <span class="soft">${counted(one.counts)}</span></span></a
    >
  </li>`;

// ------------------------------------------------------------ one server

async function one(name, go, again) {
  const changed = () => again(0);
  const [{ upstream }, holders, used] = await Promise.all([
    call('UP_Read', { name }),
    grants(name, { invite: (server) => invite(go, server), changed }),
    may('AC_Audit') ? call('AC_Audit', { target: `upstream:${name}`, page: { limit: USES } }) : { entries: [] },
  ]);
  const offers = [...upstream.tools, ...upstream.content];
  const pending = offers.filter((tool) => tool.state === 'held' && !tool.decision);
  const refused = offers.filter((tool) => tool.state === 'held' && tool.decision);
  const approved = offers.filter((tool) => tool.state === 'approved');
  const gone = offers.filter((tool) => tool.state === 'gone');
  const latency = upstream.latency
    ? [figure('Median', `${upstream.latency.p50_ms} ms`), figure('p99', `${upstream.latency.p99_ms} ms`)]
    : [];
  return [
    html`<header class="detail-head">
      <div>
        <h2 dir="auto" class="breaks">${upstream.name}</h2>
        <p dir="auto" class="soft breaks">${upstream.url}</p>
      </div>
      <div class="head-actions">${controls(upstream, pending, go, changed)}</div>
    </header>`,
    html`<p class="tagline">
      ${state(upstream)}${upstream.era ? tag(`MCP ${upstream.era}`) : nothing}${
        upstream.credential.kind === 'none'
          ? null
          : tag(upstream.credential.kind === 'header' ? 'with a header' : 'with OAuth')
      }
    </p>`,
    upstream.failing_since
      ? html`<p class="note bad">
          It does not answer since ${ago(upstream.failing_since)}: ${upstream.last_error ?? 'no reason is known'}
        </p>`
      : null,
    html`<div class="figures">
      ${figure('Approved', number(approved.length))}${figure('Held', number(pending.length))}${latency}
    </div>`,
    section(
      'Waiting for approval',
      pending,
      (tool) => waiting(tool, upstream, changed),
      'Its tools are neither listed nor called until you approve them. Descriptions are the server’s own words.',
    ),
    section('Refused', refused, (tool) => waiting(tool, upstream, changed)),
    folded(`${number(approved.length)} approved`, approved, (tool) => usable(tool, upstream, changed)),
    folded(`${number(gone.length)} no longer there`, gone, (tool) => html`<li><code>${tool.name}</code></li>`),
    accounts(upstream),
    holders,
    uses(upstream, used.entries),
    html`<section>
      <h3>Record</h3>
      ${facts([
        ['Timeout', `${number(upstream.timeout_ms)} ms`],
        ['Tools read', ago(upstream.refreshed_at)],
        ['Last error', upstream.last_error ? `${upstream.last_error}` : null],
        ['Installed', ago(upstream.created_at)],
        ['Revision', number(upstream.revision)],
        ['Capability of keys', html`<code>upstream:${upstream.name}</code>`],
      ])}
    </section>`,
  ];
}

// Who has connected an account of their own: their names, and nothing else.
const accounts = ({ name, credential, connected }) =>
  credential.kind === 'user_oauth'
    ? html`<section>
        <h3>Accounts (${number(connected.length)})</h3>
        <p class="soft">Each user connects an account of their own. Only its name is known here.</p>
        ${connected.length ? html`<p class="chips" dir="auto">${connected.map((user) => tag(user))}</p>` : nothing}
        <p>${link(`/console/upstreams/${enc(name)}/connect`, 'Your account')}</p>
      </section>`
    : null;

function controls(upstream, pending, go, changed) {
  const { name, revision } = upstream;
  const withdrawn = [...upstream.tools, ...upstream.content]
    .filter((tool) => tool.state === 'held' && tool.decision === 'withdrawn')
    .map((tool) => tool.name);
  return [
    pending.length ? decide('Approve all', { name, if_revision: revision }, changed, '') : null,
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
            done: () => {
              changed();
              toast(`The server ${name} is disabled.`);
            },
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
          done: () => {
            go('/console/upstreams');
            toast(`The server ${name} is removed.`);
          },
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
    ? html`<section>
        <h3>${title} (${number(tools.length)})</h3>
        ${hint ? html`<p class="soft">${hint}</p>` : nothing}
        <ul class="held-tools">
          ${repeat(tools, (tool) => tool.name, item)}
        </ul>
      </section>`
    : null;
const folded = (title, tools, item) =>
  tools.length
    ? html`<section>
        <details>
          <summary>${title}</summary>
          <ul class="held-tools">
            ${repeat(tools, (tool) => tool.name, item)}
          </ul>
        </details>
      </section>`
    : null;
const figure = (name, value) => html`<div class="figure"><span class="soft">${name}</span><b>${value}</b></div>`;

function waiting(tool, upstream, changed) {
  const args = (more) => ({ name: upstream.name, tools: [tool.name], ...more, if_revision: upstream.revision });
  return html`<li class="panel" data-tool=${tool.name ?? nothing}>
    <div class="detail-head">
      <div>
        <h4 class="breaks"><code>${tool.name}</code></h4>
        <p dir="auto" class="soft">
          ${tool.difference.length ? 'It has changed since it was approved' : (tool.reason ?? '')}
        </p>
      </div>
      <div class="head-actions">
        ${decide('Approve', args({}), changed, 'quiet', tool.name)}${tool.decision ? nothing : decide('Refuse', args({ refuse: true }), changed, DANGER, tool.name)}
      </div>
    </div>
    ${
      tool.difference.length && tool.reason && tool.reason !== 'it has changed'
        ? html`<p dir="auto" class="note">${tool.reason}</p>`
        : nothing
    }${
      tool.difference.length
        ? difference(tool.difference)
        : html`<p dir="auto" class="breaks">${tool.description || 'Without a description.'}</p>`
    }
  </li>`;
}

function usable(tool, upstream, changed) {
  return html`<li class="panel" data-tool=${tool.name ?? nothing}>
    <div class="detail-head">
      <div>
        <h4 class="breaks"><code>${tool.name}</code></h4>
        <p class="soft">Approved ${ago(tool.approved_at)}</p>
      </div>
      <div class="head-actions">
        ${decide(
          'Refuse',
          { name: upstream.name, tools: [tool.name], refuse: true, if_revision: upstream.revision },
          changed,
          DANGER,
          tool.name,
        )}
      </div>
    </div>
    <p dir="auto" class="breaks">${tool.description || 'Without a description.'}</p>
  </li>`;
}

// What was approved and what is there now, part by part. Of texts, the sentences that stayed are grey.
function difference(parts) {
  return html`<dl class="held-changes">
    ${parts.flatMap(({ part, before, now }) => [
      html`<dt>${part}</dt>`,
      html`<dd class="compared">${lines(before, now)}</dd>`,
    ])}
  </dl>`;
}

const PARTS = {
  '=': (text) => html`<p dir="auto" class="soft">${text}</p>`,
  '-': (text) => html`<del dir="auto">${text}</del>`,
  '+': (text) => html`<ins dir="auto">${text}</ins>`,
};
const sentences = (text) => (text === undefined || text === null ? [] : text.split(/(?<=[.!?])\s+|\n+/));
const lines = (before, now) => changes(sentences(before), sentences(now)).map(({ sign, text }) => PARTS[sign](text));

// ------------------------------------------------------------ who used it

const HOURS = 24;
const HOUR = 3_600_000;

function uses(upstream, entries) {
  const calls = entries.filter((entry) => !/^UP_/.test(entry.tool));
  if (!may('AC_Audit')) return null;
  const people = [...new Set(calls.map((entry) => entry.agent ?? entry.user))];
  return html`<section class="used">
    <div class="section-head">
      <h3>Who used it</h3>
      ${link(`/console/activity?target=${enc(`upstream:${upstream.name}`)}`, 'in the activity')}${asCode('Reading who used it', () => [{ tool: 'AC_Audit', args: { target: `upstream:${upstream.name}` } }])}
    </div>
    ${
      calls.length
        ? html`<p class="soft">
            The latest ${number(calls.length)} ${calls.length === 1 ? 'call' : 'calls'}, by
            ${people.slice(0, 5).join(', ')}${people.length > 5 ? ' and others' : ''}
          </p>`
        : html`<p class="soft">Nobody yet.</p>`
    }${calls.length ? byHour(calls) : nothing}
    <ul class="plain-list">
      ${calls.slice(0, 10).map(
        (entry) =>
          html`<li>
            ${sentence(entry)} ${entry.result === 'done' ? nothing : tag(entry.result, 'destroys')}
            <span class="soft">${ago(entry.at)}</span>
          </li>`,
      )}
    </ul>
  </section>`;
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
  return html`<figure class="by-time">
    <figcaption class="soft">
      <span>${about}</span><span class="key">all</span><span class="key bad">failed</span>
    </figcaption>
    ${bars(points, about)}
  </figure>`;
}
