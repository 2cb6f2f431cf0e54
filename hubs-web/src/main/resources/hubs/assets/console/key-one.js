// One key: what it is used for, what it may do, what its end would break, and changing, rotating and revoking it.
import { call, request } from './api.js';
import { change, create, DAY, rotate } from './key-dialogs.js';
import { begin } from './view-as.js';
import {
  html,
  nothing,
  action,
  ago,
  asCode,
  ask,
  bars,
  client,
  DANGER,
  el,
  enc,
  facts,
  later,
  link,
  number,
  problem,
  tag,
  toast,
  whileBusy,
  dateWords,
} from './parts.js';

const WEEK = 7 * DAY * 1000; // ms

// Returns what draws one key.
export async function one(keys, id, go, drawn) {
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
        <h2 dir="auto">${key.name}</h2>
        <p class="soft"><code>${key.id}</code></p>
      </div>
      <div class="head-actions">
        ${
          key.state === 'active'
            ? html`<button type="button" class="quiet" @click=${() => begin(key, go)}>View as this key</button>`
            : nothing
        }${key.state === 'active' ? action('AK_Update', 'Change', () => change(key, again)) : nothing}${action('AK_Create', 'New child', () => create(go, key))}${action('AK_Rotate', 'Rotate', () => rotate(key, again))}${action(
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
      ${tag(key.state, key.state === 'active' ? 'reads' : 'destroys')}${key.environment ? tag(key.environment) : nothing}${key.agent ? tag(`acts as ${key.agent}`) : nothing}${key.expires_at ? tag(`expires ${dateWords(key.expires_at)}`, 'changes') : nothing}
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
      <h3>Capabilities and toolset</h3>
      <p>
        ${[...key.capabilities].sort().flatMap((word) => [word === '*' ? 'everything' : html`<code>${word}</code>`, ' '])}
      </p>
      <p class="soft">
        Toolset:
        ${key.toolset ? key.toolset.flatMap((word) => [html`<code>${word}</code>`, ' ']) : 'default, without a limit'}
      </p>
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
    key.agent ? html`<li>The agent <b dir="auto">${key.agent}</b> loses this key.</li>` : null,
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
