// What the audit and the event feed contain, as sentences.
import { html, number, dateWords } from './parts.js';

// What a call did: before the thing, and after it. A text needs no thing. Reads are in the audit where a rule matched them, and where they were refused.
const VERBS = {
  AP_Create: ['created'],
  AP_Update: ['changed'],
  AP_Modify: ['changed'],
  AP_Destroy: ['deleted'],
  AP_Chat: ['wrote to'],
  AP_Ask: ['asked'],
  AP_Search: ['searched messages'],
  AP_Answer: ['answered'],
  AP_LogOn: ['logged on as'],
  AP_LogOff: ['logged off as'],
  AP_Add: ['added', 'to the roster'],
  AP_Remove: ['removed', 'from the roster'],
  AP_Select: ['selected'],
  AP_List: 'listed agents',
  AP_Wait: 'waited for messages',
  AP_Read: ['read'],
  AP_Usage: ['read the cost of'],
  DM_Create: ['created'],
  DM_Update: ['changed'],
  DM_Destroy: ['deleted'],
  DM_Invite: ['invited an agent to'],
  DM_Kick: ['removed an agent from'],
  DM_Ban: ['banned an agent from'],
  DM_Unban: ['lifted a ban in'],
  DM_List: 'listed spaces',
  DM_Read: ['read'],
  ZN_Create: ['created'],
  ZN_Destroy: ['deleted'],
  ZN_Enter: ['entered'],
  ZN_Leave: ['left'],
  ZN_List: 'listed rooms',
  ZN_Read: ['read'],
  MB_Create: ['created'],
  MB_Update: ['changed'],
  MB_Store: ['stored a memory in'],
  MB_Files: ['wrote a file in'],
  MB_Import: ['imported memories into'],
  MB_Export: ['exported'],
  MB_Trash: ['looked into the trash of'],
  MB_Load: ['loaded'],
  MB_Unload: ['unloaded'],
  MB_Permissions: ['set a permission on'],
  MB_Censor: ['censored'],
  MB_Uncensor: ['lifted the censorship of'],
  MB_Delete: ['moved', 'to the trash'],
  MB_Restore: ['restored'],
  MB_Destroy: ['deleted', 'permanently'],
  MB_List: 'listed banks',
  MB_Read: ['read'],
  MB_Search: ['searched'],
  MB_Evaluate: ['evaluated the search of'],
  MB_AgentList: ['listed the agents of'],
  TK_Create: ['created'],
  TK_Claim: ['claimed'],
  TK_Update: ['changed'],
  TK_Reserve: 'reserved files',
  TK_Release: 'released files',
  TK_List: 'listed tasks',
  TK_Read: ['read'],
  UP_Install: ['installed'],
  UP_Update: ['changed'],
  UP_Refresh: ['read the tools of'],
  UP_Approve: ['decided about tools of'],
  UP_Remove: ['removed'],
  UP_List: 'listed upstream servers',
  UP_Read: ['read'],
  WH_Create: ['created'],
  WH_Update: ['changed'],
  WH_Delete: ['deleted'],
  WH_Test: ['sent a test to'],
  WH_Grade: ['graded the receiver of'],
  WH_RotateSecret: ['rotated the secret of'],
  WH_Redeliver: ['sent again'],
  WH_RedeliverFailed: ['sent failed deliveries again to'],
  WH_List: 'listed endpoints',
  WH_Read: ['read'],
  WH_Deliveries: 'listed deliveries',
  WH_Delivery: ['read'],
  WH_Events: 'listed event types',
  WH_Feed: 'read the event feed',
  DC_Submit: ['submitted'],
  DC_Validate: ['validated', 'again'],
  DC_Delete: ['deleted'],
  DC_List: 'listed documents',
  DC_Queue: 'read the queue of documents',
  DC_Read: ['read'],
  RL_Create: ['created'],
  RL_Update: ['changed'],
  RL_Delete: ['deleted'],
  RL_List: 'listed rules',
  RL_Templates: 'listed rule templates',
  RL_Check: ['tried'],
  SK_Install: ['installed'],
  SK_Uninstall: ['uninstalled'],
  SK_Add: ['added'],
  SK_Remove: ['removed'],
  SK_List: 'listed skills',
  SK_Read: ['read'],
  US_Create: ['added'],
  US_Update: ['changed'],
  US_Remove: ['removed'],
  US_List: 'listed users',
  US_Read: ['read'],
  US_Inbox: 'listed what waits',
  AK_Invite: ['invited'],
  AK_Uninvite: ['withdrew the invitation of'],
  AK_Invitations: 'listed invitations',
  AK_Create: ['created'],
  AK_Rotate: ['rotated'],
  AK_Revoke: ['revoked'],
  AK_Update: ['changed'],
  AK_Delete: ['deleted'],
  AK_List: 'listed keys',
  AK_Read: ['read'],
  AK_Usage: ['read the use of'],
  AC_ChangePlan: 'changed the plan',
  AC_Read: 'read the plan',
  AC_Audit: 'read the audit',
  'session.start': 'signed in',
  'session.end': 'signed out',
  'session.token': 'received an access token',
  'user.joined': 'joined',
  'account.connected': ['connected an account at'],
  'account.disconnected': ['disconnected an account at'],
  'tenant.created': ['created'],
  'document.validated': ['submitted', 'which a rule matched'],
  'push.created': ['asked to be notified of a task of'],
  'push.deleted': ['ended the notifications of a task of'],
};

// What a tool is for, where the thing is not known.
const NOUNS = {
  AP: 'an agent',
  DM: 'a space',
  ZN: 'a room',
  MB: 'a bank',
  AK: 'a key',
  WH: 'an endpoint',
  DC: 'a document',
  RL: 'a rule',
  SK: 'a skill',
  US: 'a user',
  TK: 'a task',
  UP: 'an upstream server',
};

const soft = (text) => html`<span dir="auto" class="soft">${text}</span>`;

// The tools that are about a bank, what an agent wrote in it, or one memory.
const OF_BANKS = ['MB_Delete', 'MB_Restore', 'MB_Destroy', 'MB_Censor', 'MB_Uncensor'];
const SEVERAL = 'memories';
const OF_ONE = ['memory', 'vx.name', SEVERAL];

// Whether a call was about one memory of a bank.
export const isOfMemory = (entry) =>
  OF_BANKS.includes(entry.tool) && Boolean(entry.item || (entry.arguments ?? []).some((name) => OF_ONE.includes(name)));

// The part of a bank that a call was about: one memory, several, what an agent wrote, or nothing where it was all of it.
function partOf(entry) {
  if (!OF_BANKS.includes(entry.tool)) return null;
  if ((entry.arguments ?? []).includes(SEVERAL)) return 'several memories of ';
  if (isOfMemory(entry)) return 'a memory of ';
  return entry.member ? html`what <span dir="auto" class="thing">${entry.member}</span> wrote in ` : null;
}

function thing(entry) {
  const name = entry.target ?? entry.target_id;
  if (!name || ['session', 'account'].includes(entry.target_kind)) return null;
  if (entry.target_kind === 'bank' && partOf(entry))
    return html`<span>${partOf(entry)}the bank <span dir="auto" class="thing">${name}</span></span>`;
  if (entry.target_kind === 'agent' && name === entry.agent) return html`<span>itself</span>`;
  const kind = entry.target_kind === 'domain' ? 'space' : entry.target_kind;
  const article = ['agent', 'user', 'zone'].includes(kind) ? '' : `the ${kind} `;
  return html`<span>${article}<span dir="auto" class="thing">${name}</span></span>`;
}

export const actor = (entry) => entry.agent ?? entry.user;

// What somebody did, without who it was.
export function deed(entry) {
  const found = thing(entry);
  const member = entry.member && !partOf(entry) ? soft(` (${entry.member})`) : null;
  if (entry.dry_run)
    return [found ? `previewed what ${entry.tool} would do to ` : `previewed ${entry.tool}`, found, member].filter(
      Boolean,
    );
  if (found && ['AP_LogOn', 'AP_LogOff'].includes(entry.tool) && entry.target === entry.agent)
    return [entry.tool === 'AP_LogOn' ? 'logged on' : 'logged off'];
  const words = VERBS[entry.tool] ?? [`called ${entry.tool} on`];
  if (typeof words === 'string') return [words, member].filter(Boolean);
  const [before, after] = found || entry.result === 'done' ? words : [`called ${entry.tool}`];
  const bare = before.replace(/ (on|in|to|of|from|as)$/, '');
  const object = found ?? (bare === before && entry.result === 'done' ? NOUNS[entry.tool.slice(0, 2)] : null);
  return [`${found ? before : bare} `, object, after ? ` ${after}` : null, member].filter(Boolean);
}

// Of the verbs above, those whose form after "to" is not what is before "ed".
const TO = {
  wrote: 'write',
  logged: 'log',
  read: 'read',
  banned: 'ban',
  left: 'leave',
  set: 'set',
  sent: 'send',
  submitted: 'submit',
  tried: 'try',
  withdrew: 'withdraw',
  created: 'create',
  changed: 'change',
  deleted: 'delete',
  removed: 'remove',
  invited: 'invite',
  stored: 'store',
  moved: 'move',
  restored: 'restore',
  evaluated: 'evaluate',
  reserved: 'reserve',
  released: 'release',
  decided: 'decide',
  graded: 'grade',
  rotated: 'rotate',
  validated: 'validate',
  revoked: 'revoke',
  received: 'receive',
};

// The same of a call that may have been refused: nothing was done then.
function tried(entry) {
  const [first, ...rest] = deed(entry);
  if (entry.result === 'done') return [first, ...rest];
  return [`tried to ${first.replace(/^\w+/, (verb) => TO[verb] ?? verb.replace(/ed$/, ''))}`, ...rest, ', refused'];
}

export const sentence = (entry) =>
  entry.event
    ? entry.words
    : [html`<b dir="auto">${actor(entry)}</b>`, entry.agent ? soft(` for ${entry.user} `) : ' ', ...tried(entry)];

const EVENTS = {
  'quota.threshold.reached': (data) => [
    `${data.threshold} % of the limit of ${data.scope.replaceAll('_', ' ')} is used: `,
    soft(`${number(data.count)} of ${number(data.limit)}`),
  ],
  'quota.request.rejected': (data) => [
    `${data.service} was refused: the limit of ${data.scope.replaceAll('_', ' ')} is reached `,
    soft(`(${number(data.limit)})`),
  ],
  'billing.plan.changed': (data) => [`The plan changed from ${data.previous_plan} to ${data.plan}.`],
  'agent.deployment.created': (data) => [html`<b dir="auto">${data.agent}</b>`, ' was created.'],
  'agent.deployment.updated': (data) => [
    html`<b dir="auto">${data.agent}</b>`,
    ' was changed: ',
    soft((data.changed ?? []).join(', ')),
  ],
  'agent.deployment.deleted': (data) => [html`<b dir="auto">${data.agent}</b>`, ' was deleted.'],
  'webhook.endpoint.created': (data) => ['An endpoint was created: ', soft(data.url)],
  'webhook.endpoint.updated': (data) =>
    data.warning
      ? [`An endpoint fails. It will be disabled on ${dateWords(data.warning.disabled_at)}: `, soft(data.url)]
      : [`An endpoint was ${data.enabled ? 'changed' : `disabled (${data.disabled_reason})`}: `, soft(data.url)],
  'webhook.endpoint.deleted': (data) => ['An endpoint was deleted: ', soft(data.url)],
  'webhook.test': () => ['A test event was sent.'],
  'document.accepted': (data) => [html`<b dir="auto">${data.document}</b>`, ` was accepted, version ${data.version}.`],
  'document.rejected': (data) => [
    html`<b dir="auto">${data.document}</b>`,
    ` was rejected, version ${data.version}: `,
    soft(data.reasons.map((reason) => reason.message).join('; ')),
  ],
  'message.created': (data) => [
    html`<b dir="auto">${data.from}</b>`,
    ` wrote to ${data.zone ? `${data.domain} · ${data.zone}` : data.to}: `,
    soft(data.text),
  ],
  'memory.stored': (data) => [
    html`<b dir="auto">${data.author}</b>`,
    ` stored ${data.name ?? 'a memory'} in the bank ${data.bank}.`,
  ],
  'question.asked': (data) => [html`<b dir="auto">${data.from}</b>`, ' asked: ', soft(data.text)],
  'question.answered': (data) => [html`<b>${data.answered_by}</b>`, ' answered: ', soft(data.answer)],
  'task.changed': (data) => [
    html`<b dir="auto">${data.by}</b>`,
    html`, task “<bdi>${data.title}</bdi>” in ${data.domain}: ${data.change}.`,
  ],
};

// Whether the service did it by itself. Of the other events the audit has the call that caused them.
const isOwn = ({ type, data }) =>
  type.startsWith('quota.') ||
  ['document.accepted', 'document.rejected'].includes(type) ||
  (type === 'webhook.endpoint.updated' && (data.warning || ['gone', 'failing'].includes(data.disabled_reason)));

// An event as an entry of the timeline.
export function entryOf(event) {
  const { data } = event;
  const [kind, name] = data.agent
    ? ['agent', data.agent]
    : data.document
      ? ['document', data.document]
      : data.endpoint_id
        ? ['endpoint', data.endpoint_id]
        : ['', ''];
  return {
    at: event.created_at,
    event: true,
    own: isOwn(event),
    tool: event.type,
    result: 'done',
    agent: data.agent,
    target_kind: kind,
    target: name,
    words: EVENTS[event.type]?.(data) ?? [event.type],
  };
}

// Calls that are equal in all of these become one sentence with a number of times.
const SAME = ['tool', 'target_kind', 'target', 'target_id', 'member', 'result', 'dry_run'];
const isSame = (one, other) =>
  SAME.every((name) => (one[name] ?? null) === (other[name] ?? null)) && isOfMemory(one) === isOfMemory(other);

// Entries, oldest first, as paragraphs by hour: who did what, each person, or agent of a person, in one sentence for what follows on another.
export function story(entries) {
  const chapters = [];
  for (const entry of entries) {
    const hour = new Date(entry.at).toLocaleTimeString('en', { hour: '2-digit', hourCycle: 'h23' });
    if (chapters.at(-1)?.hour !== hour) chapters.push({ hour, turns: [] });
    const { turns } = chapters.at(-1);
    const who = entry.event ? '' : JSON.stringify([entry.user, entry.agent ?? null]);
    if (entry.event || turns.at(-1)?.who !== who) turns.push({ who, first: entry, deeds: [] });
    const { deeds } = turns.at(-1);
    const same = deeds.find((one) => isSame(one.entry, entry));
    if (same) same.times += entry.times ?? 1;
    else deeds.push({ entry, times: entry.times ?? 1 });
  }
  return chapters.map(
    ({ hour, turns }) =>
      html`<section>
        <h2>${hour}:00</h2>
        <p>${turns.flatMap(asSentence)}</p>
      </section>`,
  );
}

function asSentence({ first, deeds }) {
  if (first.event) return [...first.words, ' '];
  const parts = deeds.map(({ entry, times }) => [
    ...tried(entry),
    entry.result === 'done' ? '' : ` (${entry.result})`,
    times > 1 ? ` ${number(times)} times` : '',
  ]);
  const joined = parts.flatMap((part, i) => [i === 0 ? '' : i === parts.length - 1 ? ' and ' : ', ', ...part]);
  return [html`<b dir="auto">${actor(first)}</b>`, first.agent ? soft(` for ${first.user}`) : '', ' ', ...joined, '. '];
}
