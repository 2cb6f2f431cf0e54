// Settings: plan and quotas, users and roles, how to sign in, health and versions.
import { all, call, may, me, request } from './api.js';
import {
  html,
  nothing,
  action,
  address,
  ago,
  ask,
  avatar,
  draw,
  facts,
  compact,
  head,
  meter,
  number,
  problem,
  tag,
} from './parts.js';

const ROLES = ['viewer', 'member', 'admin', 'owner'];
const NAMES = {
  commands: 'Commands today',
  agents: 'Agents',
  domains: 'Spaces',
  banks: 'Banks',
  memories: 'Memories',
  documents: 'Documents',
  webhook_endpoints: 'Webhook endpoints',
  tasks: 'Tasks',
  rules: 'Rules',
};

const counted = (count, word) => `${number(count)} ${word}${count === 1 ? '' : 's'}`;

const part = (title, ...content) =>
  html`<section class="setting">
    <h2>${title}</h2>
    ${content}
  </section>`;

export async function show({ view, go }) {
  const again = () => go(location.pathname, true);
  const found = [];

  if (may('AC_Read')) {
    try {
      const { account } = await call('AC_Read');
      found.push(
        part(
          'Plan and quotas',
          html`<p class="plan">
            ${tag(account.plan, 'reads')} <span class="soft">tenant created ${ago(account.created_at)}</span> ${action(
              'AC_ChangePlan',
              'Change plan',
              () =>
                ask({
                  title: 'Change the plan',
                  verb: 'Change',
                  tool: 'AC_ChangePlan',
                  fields: [
                    {
                      name: 'plan',
                      label: 'Plan',
                      options: ['free', 'team', 'scale', 'unlimited'],
                      value: account.plan,
                    },
                  ],
                  args: ({ plan }) => ({ plan }),
                  done: again,
                }),
            )}
          </p>`,
          html`<ul class="quotas">
            ${account.limits
              .filter((one) => NAMES[one.scope])
              .map(
                (one) =>
                  html`<li>
                    <span>${NAMES[one.scope]}</span
                    ><span class="soft"
                      >${one.limit ? `${number(one.count)} of ${number(one.limit)}` : `${number(one.count)}, no limit`}</span
                    >${one.limit ? meter(one.count, one.limit, `${NAMES[one.scope]}: ${one.count} of ${one.limit}`) : nothing}
                  </li>`,
              )}
          </ul>`,
        ),
      );
    } catch (error) {
      found.push(part('Plan and quotas', problem(error)));
    }
  }

  if (may('US_List')) {
    try {
      const users = await all(
        'US_List',
        {},
        (body) => body.profile.map((user, i) => ({ ...user, ...body.content[i] })),
        2,
      );
      found.push(
        part(
          'Users and roles',
          html`<p>
            ${action('US_Create', 'New user', () =>
              ask({
                title: 'New user',
                verb: 'Create',
                tool: 'US_Create',
                fields: [
                  { name: 'name', label: 'Name', required: true, max: 64 },
                  { name: 'access', label: 'Role', options: ROLES.slice(0, 3), value: 'member' },
                ],
                args: (values) => ({ vx: compact(values) }),
                done: again,
              }),
            )}
          </p>`,
          html`<ul class="users">
            ${users.map(
              (user) =>
                html`<li>
                  ${avatar(user.name, { kind: 'user' })}
                  <div><b dir="auto">${user.name}</b>${tag(user.role, user.role === 'owner' ? 'reads' : '')}</div>
                  <span class="soft">${counted(user.agents, 'agent')}, ${counted(user.keys, 'key')}</span>${
                    user.name === me.user
                      ? null
                      : action(
                          'US_Update',
                          'Change role',
                          () =>
                            ask({
                              title: `The role of ${user.name}`,
                              text: 'The new role is in force within a second.',
                              verb: 'Change',
                              tool: 'US_Update',
                              fields: [{ name: 'access', label: 'Role', options: ROLES, value: user.role }],
                              args: ({ access }) => ({ target: { user: user.name }, vx: { access } }),
                              done: again,
                            }),
                          'quiet',
                          `of ${user.name}`,
                        )
                  }
                </li>`,
            )}
          </ul>`,
        ),
      );
    } catch (error) {
      found.push(part('Users and roles', problem(error)));
    }
  }

  const [config, health, who] = await Promise.all([
    request('/api/config').catch(() => null),
    request('/api/health').catch(() => null),
    may('US_Read') ? call('US_Read').catch(() => null) : null,
  ]);
  const profile = who?.profile[0];
  found.push(
    part(
      'You',
      facts([
        ['User', me.user],
        ['Role', me.role],
        ['Tenant', me.tenant],
        ['Tools', `${me.tools.size} that you may call`],
        [
          'Capabilities',
          profile ? (profile.capabilities.includes('*') ? 'all' : profile.capabilities.join(', ')) : null,
        ],
      ]),
    ),
  );
  if (config) {
    found.push(
      part(
        'Sign-in',
        html`<p>With an API key${config.sign_in.length ? ', or with' : '; no identity provider is set up.'}</p>`,
        config.sign_in.length
          ? html`<ul>
              ${config.sign_in.map((name) => html`<li>${name}</li>`)}
            </ul>`
          : html`<p class="soft"><a href="/docs/operations">Operations</a> explains how to set one up.</p>`,
      ),
    );
    found.push(
      part(
        'Service',
        facts([
          ['State', health ? tag(health.status, health.status === 'ok' ? 'reads' : 'destroys') : 'unknown'],
          ['Database', health?.database],
          ['Version', config.version],
          ['Contract', config.contract_version],
          ['Base URL', address(config.base_url)],
          ['MCP', address(config.mcp_endpoint)],
        ]),
      ),
    );
  }
  draw(
    html`${head('Settings', { sub: 'Plan, users, sign-in and this service.' })}
      <div class="settings-grid">${found}</div>`,
    view,
  );
}
