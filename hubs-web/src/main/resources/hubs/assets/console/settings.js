// Settings: plan and quotas, users and roles, how to sign in, health and versions.
import { all, call, may, me, request } from './api.js';
import { action, address, ago, ask, avatar, el, facts, given, head, meter, number, problem, tag } from './ui.js';

const ROLES = ['viewer', 'member', 'admin', 'owner'];
const NAMES = {
  commands: 'Commands today',
  agents: 'Agents',
  domains: 'Domains',
  banks: 'Banks',
  memories: 'Memories',
  documents: 'Documents',
  webhook_endpoints: 'Webhook endpoints',
  tasks: 'Tasks',
  rules: 'Rules',
};

const counted = (count, word) => `${number(count)} ${word}${count === 1 ? '' : 's'}`;

const part = (title, ...content) => el('section', { class: 'setting' }, el('h2', {}, title), ...content);

export async function show({ view, go }) {
  const again = () => go(location.pathname, true);
  view.append(head('Settings', { sub: 'Plan, users, sign-in and this service.' }));
  const grid = el('div', { class: 'settings-grid' });
  view.append(grid);

  if (may('AC_Read')) {
    try {
      const { account } = await call('AC_Read');
      grid.append(
        part(
          'Plan and quotas',
          el(
            'p',
            { class: 'plan' },
            tag(account.plan, 'reads'),
            ' ',
            el('span', { class: 'soft' }, 'tenant created ', ago(account.created_at)),
            ' ',
            action('AC_ChangePlan', 'Change plan', () =>
              ask({
                title: 'Change the plan',
                verb: 'Change',
                tool: 'AC_ChangePlan',
                fields: [
                  { name: 'plan', label: 'Plan', options: ['free', 'team', 'scale', 'unlimited'], value: account.plan },
                ],
                args: ({ plan }) => ({ plan }),
                done: again,
              }),
            ),
          ),
          el(
            'ul',
            { class: 'quotas' },
            ...account.limits
              .filter((one) => NAMES[one.scope])
              .map((one) =>
                el(
                  'li',
                  {},
                  el('span', {}, NAMES[one.scope]),
                  el(
                    'span',
                    { class: 'soft' },
                    one.limit ? `${number(one.count)} of ${number(one.limit)}` : `${number(one.count)}, no limit`,
                  ),
                  one.limit ? meter(one.count, one.limit, `${NAMES[one.scope]}: ${one.count} of ${one.limit}`) : null,
                ),
              ),
          ),
        ),
      );
    } catch (error) {
      grid.append(part('Plan and quotas', problem(error)));
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
      grid.append(
        part(
          'Users and roles',
          el(
            'p',
            {},
            action('US_Create', 'New user', () =>
              ask({
                title: 'New user',
                verb: 'Create',
                tool: 'US_Create',
                fields: [
                  { name: 'name', label: 'Name', required: true, max: 64 },
                  { name: 'access', label: 'Role', options: ROLES.slice(0, 3), value: 'member' },
                ],
                args: (values) => ({ vx: given(values) }),
                done: again,
              }),
            ),
          ),
          el(
            'ul',
            { class: 'users' },
            ...users.map((user) =>
              el(
                'li',
                {},
                avatar(user.name, { kind: 'user' }),
                el('div', {}, el('b', {}, user.name), tag(user.role, user.role === 'owner' ? 'reads' : '')),
                el('span', { class: 'soft' }, `${counted(user.agents, 'agent')}, ${counted(user.keys, 'key')}`),
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
                    ),
              ),
            ),
          ),
        ),
      );
    } catch (error) {
      grid.append(part('Users and roles', problem(error)));
    }
  }

  const [config, health, who] = await Promise.all([
    request('/api/config').catch(() => null),
    request('/api/health').catch(() => null),
    may('US_Read') ? call('US_Read').catch(() => null) : null,
  ]);
  const profile = who?.profile[0];
  grid.append(
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
    grid.append(
      part(
        'Sign-in',
        el('p', {}, 'With an API key', config.sign_in.length ? ', or with' : '; no identity provider is set up.'),
        config.sign_in.length
          ? el('ul', {}, ...config.sign_in.map((name) => el('li', {}, name)))
          : el(
              'p',
              { class: 'soft' },
              el('a', { href: '/docs/operations' }, 'Operations'),
              ' explains how to set one up.',
            ),
      ),
    );
    grid.append(
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
}
