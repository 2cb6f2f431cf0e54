// The dialogs that make keys and invitations, and change them: what a key may do, what it lists, whom it acts as, and for how long.
import { inPowershell } from '../dom.js';
import { me } from './api.js';
import { capability, serverField, servers, withServers } from './grants.js';
import { ask, compact, enc, secret, toast, wholeTime } from './parts.js';

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
export const capabilities = () =>
  Object.entries(FAMILIES)
    .filter(([prefix]) => [...me.tools].some((tool) => tool.startsWith(`${prefix}_`)))
    .flatMap(([, family]) => [`${family}:read`, `${family}:write`]);
export const DAY = 86400; // s

const OVERLAPS = { 'not at all': 0, '1 hour': 3600, '1 day': DAY, '7 days': 7 * DAY };
const CODE_LIFETIMES = { 'in 1 hour': 3600, 'in 1 day': DAY, 'in 7 days': 7 * DAY };
const LIFETIMES = { Never: undefined, '1 day': DAY, '7 days': 7 * DAY, '30 days': 30 * DAY, '90 days': 90 * DAY };

const serverNames = () => servers().catch(() => []);

// Where an agent runs, one line with the code of an invitation connects it.
export async function invite(go, server) {
  const names = await serverNames();
  return ask({
    title: 'Invite an agent',
    text: 'You get a line to type where the agent runs: it connects Claude Code, Codex, Cursor or another coding agent as this agent, with a key of its own.',
    verb: 'Invite',
    tool: 'AK_Invite',
    fields: [
      { name: 'agent', label: 'Agent', required: true, max: 64, hint: 'A new name, or an agent of yours.' },
      { name: 'description', label: 'What it is for', long: 2, max: 2000, hint: 'For a new agent. Optional.' },
      { name: 'domains', label: 'Member of', hint: 'Spaces, with commas between them. Optional.' },
      ...serverField(names, server ? [server] : []),
      { name: 'life', label: 'The code expires', options: Object.keys(CODE_LIFETIMES) },
    ],
    args: ({ life, domains, servers: chosen, ...rest }) =>
      compact({
        ...rest,
        ...withServers(chosen, capabilities()),
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
        ...inPowershell(answer.invitation.command),
      );
      go('/console/keys', true);
    },
  });
}

const TOOLSETS = {
  default: 'default: lists what most agents need',
  work: 'work: lists what coding agents need',
  discovery: 'discovery: lists tools that find tools',
  all: 'all: lists everything',
  readonly: 'readonly: may only read',
};

// What a key lists, and which families it is limited to. An upstream server has a toolset of its name.
const toolsetField = (value, names) => {
  const families = Object.values(FAMILIES);
  const others = new Set([...names, ...value.filter((word) => !TOOLSETS[word] && !families.includes(word))]);
  return {
    name: 'toolset',
    label: 'Toolset',
    multiple: true,
    options: [...Object.keys(TOOLSETS), ...families, ...others],
    labels: { ...TOOLSETS, ...Object.fromEntries(families.map((word) => [word, `${word}: only these tools`])) },
    value,
    hint: 'What it lists, or what it is limited to. Without any, the default is listed.',
  };
};

export async function create(go, parent) {
  const names = await serverNames();
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
        options: ['*', ...capabilities(), ...names.map(capability)],
        multiple: true,
        labels: { '*': '* (everything)' },
        value: ['agent:read', 'domain:read', 'zone:read', 'bank:read'],
      },
      toolsetField([], names),
    ],
    args: ({ life, capabilities: chosen, toolset, ...rest }) =>
      compact({
        ...rest,
        ...(toolset.length && { toolset }),
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

export const rotate = (key, again) =>
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

const sorted = (words) => [...words].sort().join();
const SAME = 'As it is';

// Changes what a key may do, lists, acts as, and until when. Only what was changed is sent.
export async function change(key, again) {
  const names = await serverNames();
  const now = key.toolset ?? [];
  const words = [
    '*',
    ...new Set([...capabilities(), ...names.map(capability), ...key.capabilities.filter((word) => word !== '*')]),
  ];
  return ask({
    title: `Change ${key.name}`,
    text: 'It is in force within a second. A key can always be narrowed. It never gets more than your own key has.',
    verb: 'Save',
    tool: 'AK_Update',
    fields: [
      { name: 'name', label: 'Name', required: true, max: 100, value: key.name },
      { name: 'environment', label: 'Environment', max: 40, value: key.environment },
      ...(key.agent
        ? []
        : [
            {
              name: 'agent',
              label: 'Bound to the agent',
              max: 64,
              hint: 'From then on it can act only as this agent. This is for good.',
            },
          ]),
      {
        name: 'life',
        label: 'Expires',
        options: [SAME, ...Object.keys(LIFETIMES).filter((words_) => LIFETIMES[words_])],
        labels: {
          [SAME]: key.expires_at ? `as it is: ${wholeTime(key.expires_at)}` : 'as it is: never',
        },
      },
      {
        name: 'capabilities',
        label: 'Capabilities',
        options: words,
        multiple: true,
        labels: { '*': '* (everything)' },
        value: key.capabilities,
      },
      toolsetField(now, names),
    ],
    args: ({ name, environment, agent, life, capabilities: chosen, toolset }) => {
      const powers = chosen.includes('*') ? ['*'] : chosen;
      return compact({
        id: key.id,
        if_revision: key.revision,
        ...(name !== key.name && { name }),
        ...(environment !== (key.environment ?? '') && { environment }),
        agent,
        ...(life !== SAME && { expires_in_seconds: LIFETIMES[life] }),
        ...(sorted(powers) !== sorted(key.capabilities) && { capabilities: powers }),
        ...(sorted(toolset) !== sorted(now) && { toolset: toolset.length ? toolset : ['all'] }),
      });
    },
    done: (answer) => {
      again();
      toast(answer.changed ? `The key ${answer.key.name} is changed.` : 'Nothing was changed.');
    },
  });
}
