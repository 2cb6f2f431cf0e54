// Who may use the tools of an installed server: keys, those of agents that joined, and invitations. They need its capability; a server also
// has a toolset of its name, by which its tools are listed.
import { all, ask as read, call, may, me } from './api.js';
import { action, ago, ask, DANGER, enc, html, link, nothing, repeat, tag, toast, whileBusy } from './parts.js';

// What an invitation gives by default: ProtectedResource.WORK.
const USUAL = [
  'agent:read',
  'agent:write',
  'domain:read',
  'zone:read',
  'zone:write',
  'bank:read',
  'bank:write',
  'task:read',
  'task:write',
  'user:read',
  'document:read',
  'skill:read',
];
const NARROWING = ['readonly', 'discovery'];

export const capability = (server) => `upstream:${server}`;

// The servers whose tools can be given: for admins all, for others those that they may use.
export async function servers() {
  if (may('UP_List')) return (await read('UP_List')).upstreams.map((one) => one.name);
  const names = [...me.tools].map((tool) => /^([a-z0-9][a-z0-9-]{0,19})_/.exec(tool)?.[1]);
  return [...new Set(names.filter(Boolean))];
}

// A field of a dialog for them; none where there is no server.
export const serverField = (names, value = []) =>
  names.length
    ? [
        {
          name: 'servers',
          label: 'Tools of upstream servers',
          options: names,
          multiple: true,
          value,
          hint: 'It may use their approved tools, and lists them.',
        },
      ]
    : [];

// The capabilities of an invitation with these servers; without any, the service chooses.
export const withServers = (chosen, own) =>
  chosen?.length ? { capabilities: [...USUAL.filter((word) => own.includes(word)), ...chosen.map(capability)] } : {};

const has = (one, server) => one.capabilities.includes(capability(server)) || one.capabilities.includes('*');

// The toolset with which a key also lists a server's tools. Beside a word that only narrows, its name would be a limit.
function listing(toolset = ['default'], server) {
  const lists =
    toolset.includes('all') || toolset.includes(server) || toolset.every((word) => NARROWING.includes(word));
  return lists ? {} : { toolset: [...toolset, server] };
}

function unlisting(toolset = [], server) {
  const left = toolset.filter((word) => word !== server);
  return left.length && left.length < toolset.length ? { toolset: left } : {};
}

const wider = (key, server) => ({
  id: key.id,
  capabilities: [...key.capabilities, capability(server)],
  ...listing(key.toolset, server),
  if_revision: key.revision,
});

const narrower = (key, server) => ({
  id: key.id,
  capabilities: key.capabilities.filter((word) => word !== capability(server)),
  ...unlisting(key.toolset, server),
  if_revision: key.revision,
});

const keysOf = () => all('AK_List', {}, (body) => body.keys);

const label = (key) => (key.agent ? `${key.name}, of ${key.agent}` : key.name);

async function give(server, changed) {
  const able = (await keysOf()).filter((key) => key.state === 'active' && !has(key, server));
  const byId = Object.fromEntries(able.map((key) => [key.id, key]));
  return ask({
    title: `Give the tools of ${server} to a key`,
    text: able.length
      ? 'It may call the approved tools within a second, and lists them. An agent that has joined has such a key.'
      : 'Every key that you manage has them.',
    verb: 'Give',
    tool: able.length ? 'AK_Update' : null,
    fields: able.length
      ? [
          {
            name: 'id',
            label: 'Key',
            options: able.map((key) => key.id),
            labels: Object.fromEntries(able.map((key) => [key.id, `${label(key)} (${key.id})`])),
          },
        ]
      : [],
    args: ({ id }) => wider(byId[id], server),
    done: changed,
  });
}

// What is read for the part of a server's page about who may use its tools. Returns what draws it.
export async function grants(server, { invite, changed }) {
  if (!may('AK_List')) return null;
  const [keys, openOnes] = await Promise.all([
    keysOf(),
    may('AK_Invitations') ? call('AK_Invitations') : { invitations: [] },
  ]);
  const having = keys.filter((key) => key.state === 'active' && has(key, server));
  const invitations = openOnes.invitations.filter((one) => has(one, server));
  const takeAway = (key) =>
    key.capabilities.includes('*') || key.capabilities.length < 2
      ? nothing
      : action(
          'AK_Update',
          'Take away',
          (event) =>
            whileBusy(event.target, async () => {
              await call('AK_Update', narrower(key, server));
              toast(`${key.name} may no longer use ${server}.`);
              changed();
            }),
          DANGER,
          `from ${key.name}`,
        );
  return html`<section class="grants">
    <div class="section-head">
      <h3>Who may use its tools</h3>
      ${action('AK_Update', 'Give to a key', () => give(server, changed))}${action('AK_Invite', 'Invite an agent with them', () => invite(server))}
    </div>
    ${
      having.length || invitations.length
        ? html`<ul class="plain-list">
            ${repeat(
              having,
              (key) => key.id,
              (key) =>
                html`<li data-key=${key.id}>
                  ${link(`/console/keys/${enc(key.id)}`, label(key))}
                  ${key.capabilities.includes('*') ? tag('everything') : tag(capability(server), 'reads')}
                  ${takeAway(key)}
                </li>`,
            )}${invitations.map((one) => html`<li>${one.agent} ${tag('invited')} <span class="soft">until ${ago(one.expires_at)}</span></li>`)}
          </ul>`
        : html`<p class="soft">No key that you manage. Approved tools are of use only to keys that have them.</p>`
    }
  </section>`;
}
