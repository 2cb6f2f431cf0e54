// Keys: which there are and whose children, what each is used for, and making, narrowing, rotating and revoking them.
import { all, call, me, request } from './api.js';
import { begin } from './view-as.js';
import {
  html,
  nothing,
  action,
  ago,
  asCode,
  ask,
  back,
  bars,
  choose,
  client,
  DANGER,
  draw,
  el,
  empty,
  enc,
  facts,
  compact,
  head,
  later,
  link,
  number,
  problem,
  secret,
  tag,
  toast,
  whileBusy,
} from './parts.js';

const FAMILIES = {
  AP: 'agent',
  DM: 'domain',
  ZN: 'zone',
  MB: 'bank',
  US: 'user',
  AK: 'key',
  WH: 'webhook',
  DC: 'document',
  RL: 'rule',
  TK: 'task',
  UP: 'upstream',
  SK: 'skill',
  AC: 'account',
};

// Of the families of which the caller may call something: nobody gives a key more than they have.
const capabilities = () =>
  Object.entries(FAMILIES)
    .filter(([prefix]) => [...me.tools].some((tool) => tool.startsWith(`${prefix}_`)))
    .flatMap(([, family]) => [`${family}:read`, `${family}:write`]);
const DAY = 86400;
const WEEK = 7 * DAY * 1000; // ms

const OVERLAPS = { 'not at all': 0, '1 hour': 3600, '1 day': DAY, '7 days': 7 * DAY };
const CODE_LIFETIMES = { 'in 1 hour': 3600, 'in 1 day': DAY, 'in 7 days': 7 * DAY };
const LIFETIMES = { Never: undefined, '1 day': DAY, '7 days': 7 * DAY, '30 days': 30 * DAY, '90 days': 90 * DAY };

// Where an agent runs, one line with the code of an invitation connects it.
function invite(go) {
  return ask({
    title: 'Invite an agent',
    text: 'You get a line to type where the agent runs: it connects Claude Code, Codex or Gemini CLI as this agent, with a key of its own.',
    verb: 'Invite',
    tool: 'AK_Invite',
    fields: [
      { name: 'agent', label: 'Agent', required: true, max: 64, hint: 'A new name, or an agent of yours.' },
      { name: 'description', label: 'What it is for', long: 2, max: 2000, hint: 'For a new agent. Optional.' },
      { name: 'domains', label: 'Member of', hint: 'Spaces, with commas between them. Optional.' },
      { name: 'life', label: 'The code expires', options: Object.keys(CODE_LIFETIMES) },
    ],
    args: ({ life, domains, ...rest }) =>
      compact({
        ...rest,
        domains: (domains ?? '')
          .split(',')
          .map((name) => name.trim())
          .filter(Boolean),
        expires_seconds: CODE_LIFETIMES[life],
      }),
    done: (answer) => {
      secret(
        `The invitation of ${answer.invitation.agent}`,
        `${answer.invitation.new_agent ? '' : 'The program becomes your existing agent of this name. '}Type this where the agent runs. The code is good for one use, and shown only this once.`,
        answer.invitation.command,
      );
      go('/console/keys', true);
    },
  });
}

function create(go, parent) {
  return ask({
    title: parent ? `New child of ${parent.name}` : 'New API key',
    text: 'The secret is shown once. Give the key only what it needs; you can add more later.',
    verb: 'Create',
    tool: 'AK_Create',
    fields: [
      { name: 'name', label: 'Name', required: true, max: 64 },
      { name: 'environment', label: 'Environment', hint: 'production, staging, … Optional.' },
      {
        name: 'agent',
        label: 'Bound to the agent',
        required: true,
        value: parent?.agent,
        hint: 'It can act only as this agent.',
      },
      { name: 'life', label: 'Expires', options: Object.keys(LIFETIMES) },
      {
        name: 'capabilities',
        label: 'Capabilities',
        options: ['*', ...capabilities()],
        multiple: true,
        labels: { '*': '* (everything)' },
        value: ['agent:read', 'domain:read', 'zone:read', 'bank:read'],
      },
    ],
    args: ({ life, capabilities: chosen, ...rest }) =>
      compact({
        ...rest,
        capabilities: chosen.includes('*') ? ['*'] : chosen,
        expires_in_seconds: LIFETIMES[life],
        parent: parent?.id,
      }),
    done: (answer) => {
      secret(`The key ${answer.key.name}`, 'It is shown only this once.', answer.api_key);
      go(`/console/keys/${enc(answer.key.id)}`, true);
    },
  });
}

const rotate = (key, again) =>
  ask({
    title: `Rotate ${key.name}`,
    text: 'The same key gets a new secret, which is shown once.',
    verb: 'Rotate',
    tool: 'AK_Rotate',
    fields: [
      {
        name: 'overlap_seconds',
        label: 'The old secret keeps working for',
        options: Object.keys(OVERLAPS),
        value: '1 day',
      },
    ],
    args: ({ overlap_seconds: overlap }) => ({ id: key.id, overlap_seconds: OVERLAPS[overlap] }),
    done: (answer) => {
      secret(`The new secret of ${key.name}`, 'It is shown only this once.', answer.api_key);
      again();
    },
  });

// Which key to rotate.
function chooseKey(keys, go) {
  const active = keys.filter((key) => key.state === 'active');
  const labels = Object.fromEntries(active.map((key) => [key.id, `${key.name} (${key.id})`]));
  return ask({
    title: 'Rotate key',
    verb: 'Continue',
    fields: [{ name: 'id', label: 'Key', options: active.map((key) => key.id), labels }],
    done: (_, { id }) => go(`/console/keys/${enc(id)}?rotate`),
  });
}

// What the address asks for, which is done once.
function begins(at, view, word, work) {
  if (!at.query.has(word)) return;
  const start = () => {
    history.replaceState(history.state, '', location.pathname);
    work();
  };
  view.addEventListener('shown', start, { once: true });
}

export async function show({ at, view, go, isHere }) {
  const keys = await all('AK_List', {}, (body) => body.keys);
  const [keyId] = at.parts;
  begins(at, view, 'invite', () => invite(go));
  if (!keyId) begins(at, view, 'rotate', () => chooseKey(keys, go));
  choose('.key-list', view);
  let isRead = false;
  const drawn = () => isHere() && isRead && draw(page(), view);
  const detail = keyId
    ? await one(keys, keyId, go, drawn)
    : () => html`<p class="soft pick">Select a key to see how it is used.</p>`;
  const chosen = keys.find((key) => key.id === keyId);
  if (chosen) begins(at, view, 'rotate', () => rotate(chosen, () => go(location.pathname, true)));
  isRead = true;
  drawn();

  function page() {
    const title = head('Keys', {
      sub: 'Who has access, and with which capabilities.',
      actions: [
        action('AK_Create', 'New key', () => create(go), 'quiet'),
        action('AK_Invite', 'Invite an agent', () => invite(go), ''),
      ],
    });
    if (!keys.length)
      return html`${title}
      ${empty(
        'No keys that you manage',
        'Clients and agents authenticate with a key. A key can be limited to capabilities, bound to an agent, and given an expiry.',
        action('AK_Invite', 'Invite an agent', () => invite(go), ''),
      )}`;
    return html`${title} ${keyId ? back('/console/keys', 'All keys') : nothing}
      <div class="split wide-side${keyId ? ' chosen' : ''}">
        <ul class="side key-list" aria-label="Keys">
          ${tree(keys).map(([key, depth]) => keyRow(key, depth, key.id === keyId))}
        </ul>
        <div class="detail" tabindex="-1">${detail()}</div>
      </div>`;
  }
}

// Each key after its parent, with how deep it is below one that nobody here is the parent of.
function tree(keys) {
  const ids = new Set(keys.map((key) => key.id));
  const walk = (key, depth) => [
    [key, depth],
    ...keys.filter((other) => other.parent === key.id).flatMap((child) => walk(child, depth + 1)),
  ];
  return keys.filter((key) => !key.parent || !ids.has(key.parent)).flatMap((key) => walk(key, 0));
}

const allowances = ({ capabilities: words }) =>
  words.includes('*') ? 'everything' : words.length === 1 ? words[0] : `${words.length} capabilities`;

const keyRow = (key, depth, isChosen) =>
  html`<li>
    <a class="key-row" href="/console/keys/${enc(key.id)}" data-go="true" aria-current=${isChosen ? 'true' : nothing}
      ><span class="key-name d${Math.min(depth, 4)}"><b>${key.name}</b><code>${key.id}</code></span>
      ${tag(key.state, key.state === 'active' ? 'reads' : 'destroys')}
      <span class="soft key-who">${key.agent ? `${key.user} as ${key.agent}` : key.user}</span>
      <span class="soft">${allowances(key)}</span>
      <span class="soft"
        >${key.last_used_at ? html`used ${ago(key.last_used_at)}` : 'never used'}${
          key.last_client ? ` by ${client(key.last_client)}` : ''
        }</span
      ></a
    >
  </li>`;

// Returns what draws one key.
async function one(keys, id, go, drawn) {
  let usage;
  try {
    usage = await call('AK_Usage', { id });
  } catch (error) {
    return () => problem(error);
  }
  const key = usage.key ?? keys.find((each) => each.id === id);
  const again = () => go(location.pathname, true);
  // A young key has not yet shown what it needs.
  const isProven = Date.now() - Date.parse(key.created_at) > WEEK;
  const narrow = isProven && usage.never_needed.length && usage.needed.length && key.state === 'active';
  const left = key.previous_works_until ? new Date(key.previous_works_until) - Date.now() : 0;
  const timer = left > 0 ? countdown(key) : null;
  const shaken = later(handshakes(key), drawn);
  return () => [
    html`<header class="detail-head">
      <div>
        <h2>${key.name}</h2>
        <p class="soft"><code>${key.id}</code></p>
      </div>
      <div class="head-actions">
        ${
          key.state === 'active'
            ? html`<button type="button" class="quiet" @click=${() => begin(key, go)}>View as this key</button>`
            : nothing
        }${action('AK_Create', 'New child', () => create(go, key))}${action('AK_Rotate', 'Rotate', () => rotate(key, again))}${action(
          'AK_Revoke',
          'Revoke',
          () =>
            ask({
              title: `Revoke ${key.name}?`,
              text: broken(key, usage, keys),
              verb: 'Revoke',
              danger: true,
              tool: 'AK_Revoke',
              args: () => ({ id: key.id }),
              done: () => {
                again();
                const children = below(key.id, keys).filter((each) => each.state === 'active').length;
                toast(`The key ${key.name} is revoked${children ? `, and ${number(children)} below it` : ''}.`);
              },
            }),
          DANGER,
        )}
      </div>
    </header>`,
    html`<p class="tagline">
      ${tag(key.state, key.state === 'active' ? 'reads' : 'destroys')}${key.environment ? tag(key.environment) : nothing}${key.agent ? tag(`acts as ${key.agent}`) : nothing}${key.expires_at ? tag(`expires ${new Date(key.expires_at).toLocaleDateString()}`, 'changes') : nothing}
    </p>`,
    timer ?? nothing,
    narrow ? unused(key, usage, again) : nothing,
    html`<section>
      <h3>Use <span class="count">last ${usage.days} days</span></h3>
      ${
        usage.commands.length
          ? html`<div>
              ${byDay(usage)}
              <table>
                <thead>
                  <tr>
                    <th scope="col">Tool</th>
                    <th scope="col">Calls</th>
                    <th scope="col">Last</th>
                  </tr>
                </thead>
                <tbody>
                  ${usage.commands.map(
                    (used) =>
                      html`<tr>
                        <td><a href="/mcp-hub/tools/${enc(used.tool)}">${used.tool}</a></td>
                        <td>${number(used.calls)}</td>
                        <td>${ago(used.last_used_at ?? used.last_at)}</td>
                      </tr>`,
                  )}
                </tbody>
              </table>
            </div>`
          : html`<p class="soft">No calls yet.</p>`
      }
    </section>`,
    html`<section>
      <h3>Capabilities</h3>
      <p>${key.capabilities.flatMap((word) => [word === '*' ? 'everything' : html`<code>${word}</code>`, ' '])}</p>
    </section>`,
    html`<section>
      <h3>Handshakes</h3>
      <div>${shaken()}</div>
    </section>`,
    html`<section>
      <h3>Record</h3>
      ${facts([
        ['User', key.user],
        ['Parent', key.parent ? link(`/console/keys/${enc(key.parent)}`, key.parent) : null],
        ['Children', number(key.children)],
        ['Last used', ago(key.last_used_at)],
        ['Client', client(key.last_client)],
        [
          'Old secret last used',
          key.previous_last_used_at
            ? html`<span
                >${ago(key.previous_last_used_at)}${key.previous_last_client ? ` by ${client(key.previous_last_client)}` : ''}</span
              >`
            : null,
        ],
        ['Created', ago(key.created_at)],
        ['Rotated', key.rotated_at ? ago(key.rotated_at) : null],
      ])}
    </section>`,
  ];
}

// What the key was given and has not needed, to be taken from it with a click: it can be given back by its owner.
function unused(key, usage, again) {
  const narrowed = { id: key.id, capabilities: usage.needed, if_revision: key.revision };
  const words = (all_) => all_.flatMap((word) => [html`<code>${word}</code>`, ' ']);
  return html`<div class="note">
    <p><b>Capabilities never used </b>in ${usage.days} days: ${words(usage.never_needed)}</p>
    <p>Without them it keeps ${words(usage.needed)}</p>
    <div class="row">
      ${action(
        'AK_Update',
        'Remove unused capabilities',
        (event) =>
          whileBusy(event.target, async () => {
            await call('AK_Update', narrowed);
            toast('Unused capabilities removed.');
            again();
          }),
        '',
      )}${asCode('Removing them', () => [{ tool: 'AK_Update', args: narrowed }])}
    </div>
  </div>`;
}

// Calls on each of the days that are kept, those without any too.
function byDay(usage) {
  const calls = new Map(usage.daily.map((one_) => [one_.day, one_.calls]));
  const points = Array.from({ length: usage.days }, (_, i) => {
    const day = new Date(Date.now() - (usage.days - 1 - i) * DAY * 1000).toISOString().slice(0, 10);
    return { label: day, value: calls.get(day) ?? 0 };
  });
  return html`<figure class="by-day">
    ${bars(points, `Calls on each day: ${usage.daily.map((one_) => `${one_.day} ${one_.calls}`).join(', ')}`)}
    <figcaption class="soft">
      <span>${points[0].label}</span
      ><span>most in a day: ${number(Math.max(...points.map((point) => point.value)))}</span><span>today</span>
    </figcaption>
  </figure>`;
}

// Which keys hang on a key, however deep.
function below(id, keys) {
  return keys.filter((key) => key.parent === id).flatMap((key) => [key, ...below(key.id, keys)]);
}

// What stops with it: who came with it of late, which tools they ran, which keys are below it.
function broken(key, usage, keys) {
  const children = below(key.id, keys).filter((one_) => one_.state === 'active');
  const recent = Date.now() - Date.parse(key.last_used_at ?? 0) < 7 * DAY * 1000;
  const calls = usage.commands.reduce((sum, used) => sum + used.calls, 0);
  const things = [
    key.last_used_at
      ? html`<li>
          ${tag(recent ? 'in use' : 'not used this week', recent ? 'destroys' : 'reads')} Last used
          ${ago(key.last_used_at)}${key.last_client ? ` by ${client(key.last_client)}` : ''}.
        </li>`
      : html`<li>${tag('never used', 'reads')} No client has used it.</li>`,
    usage.commands.length
      ? html`<li>
          ${number(calls)} calls in ${usage.days} days:
          ${usage.commands.slice(0, 6).flatMap((used) => [html`<code>${used.tool}</code>`, ' '])}${usage.commands.length > 6 ? `and ${number(usage.commands.length - 6)} more tools.` : ''}
        </li>`
      : null,
    key.agent ? html`<li>The agent <b>${key.agent}</b> loses this key.</li>` : null,
    children.length
      ? html`<li>
          ${tag('also revoked', 'destroys')} ${number(children.length)} child ${children.length === 1 ? 'key' : 'keys'}:
          ${children
            .slice(0, 6)
            .map((one_) => one_.name)
            .join(', ')}${children.length > 6 ? ', …' : ''}.
        </li>`
      : null,
  ].filter(Boolean);
  return [
    'It stops working on every replica within a second. What would break:',
    html`<ul class="breaks-list">
      ${things}
    </ul>`,
  ];
}

// How long the old secret still works, and whether anybody still needs it.
function countdown(key) {
  const ends = Date.parse(key.previous_works_until);
  const left = el('b', { role: 'timer' });
  const tick = () => {
    const seconds = Math.max(0, Math.round((ends - Date.now()) / 1000));
    const [days, hours, minutes] = [
      Math.floor(seconds / DAY),
      Math.floor(seconds / 3600) % 24,
      Math.floor(seconds / 60) % 60,
    ];
    left.textContent = `${days ? `${days} d ` : ''}${days || hours ? `${hours} h ` : ''}${minutes} min ${seconds % 60} s`;
    return seconds > 0;
  };
  tick();
  const timer = setInterval(() => {
    if (!tick() || !left.isConnected) clearInterval(timer);
  }, 1000);
  // Uses are known to the minute: one in the minute of the rotation may have been before it.
  const [used, rotated] = [key.previous_last_used_at, key.rotated_at].map((at) => Date.parse(at ?? 0));
  const since = used >= rotated;
  const unknown = !since && used + 60_000 > rotated;
  return html`<div class="note">
    <p>The old secret works for ${left} more.</p>
    <p>
      ${
        since
          ? tag('still in use', 'destroys')
          : unknown
            ? tag('used in the minute of the rotation', 'changes')
            : tag('no longer used', 'reads')
      }${
        since || unknown
          ? html`<span>
              ${
                key.previous_last_client
                  ? html`<b>${client(key.previous_last_client)}</b>`
                  : 'A program without a recorded name'
              }
              used the old secret ${ago(key.previous_last_used_at)}. Give it the new one before the time is over.</span
            >`
          : ' Nothing has used the old secret since the rotation.'
      }
    </p>
  </div>`;
}

async function handshakes(key) {
  const body = await request(`/api/mcp/handshakes?key_id=${enc(key.id)}`);
  if (!body.handshakes.length) return html`<p class="soft">No MCP client has used this key yet.</p>`;
  return html`<ul class="why">
    ${body.handshakes.slice(0, 6).map(
      (made) =>
        html`<li>
          ${tag(made.outcome, made.outcome === 'ok' ? 'reads' : 'destroys')}
          ${made.client?.name ?? made.user_agent ?? 'a client'} ${ago(made.at)}
          <span class="soft">${made.advice}</span>
        </li>`,
    )}
  </ul>`;
}
