// The dialogs with which a person creates a task and changes it. Each makes one call.
import { all, me } from './api.js';
import { isOver, MYSELF, roomOf } from './task-parts.js';
import { ask, compact, html, toast } from './parts.js';

const tagsOf = (text) =>
  text
    .split(',')
    .map((one) => one.trim())
    .filter(Boolean);
const ANYBODY = '*';

// The agents that are members, their owners as far as the caller may see them, the owner of the domain, and the caller.
async function parties(room) {
  const members = new Set(room.content.filter((member) => member.state === 'member').map((member) => member.agent));
  const agents = await all('AP_List', {}, (body) => body.profile).catch(() => []);
  const owners = agents
    .filter((agent) => members.has(agent.name))
    .map((agent) => agent.owner)
    .sort();
  return [...new Set([...members, me.user, room.profile[0].owner, ...owners])].filter(Boolean);
}

const anybodyFirst = (names) => ({ options: [ANYBODY, ...names], labels: { [ANYBODY]: 'anybody' } });

const TITLE = { name: 'name', label: 'Title', required: true, max: 200, hint: 'What is to be done, in one line.' };
const TEXT = { name: 'description', label: 'Description', long: 4, max: 2000 };
const TAGS = { name: 'tags', label: 'Tags', hint: 'Separated by commas.' };
const NOTE = { name: 'note', label: 'Note', long: 2, max: 2000, hint: 'What the others should know. Optional.' };
const LEASES = { 1800: '30 minutes', 14400: '4 hours', 86400: '1 day' };
const LEASE = {
  name: 'lease_seconds',
  label: 'For how long',
  options: Object.keys(LEASES),
  labels: LEASES,
  value: '14400',
};

const afterField = (tasks, chosen) => ({
  name: 'after',
  label: 'To be done before',
  multiple: true,
  value: chosen,
  options: tasks.map((one) => one.id),
  labels: Object.fromEntries(tasks.map((one) => [one.id, one.title])),
});

// @param before tasks that may have to be done before the new one
export async function create(room, before, done) {
  const names = await parties(room);
  return ask({
    title: `New task in ${room.profile[0].name}`,
    verb: 'Create',
    tool: 'TK_Create',
    fields: [
      TITLE,
      TEXT,
      { name: 'assignee', label: 'For', ...anybodyFirst(names), value: ANYBODY },
      TAGS,
      ...(before.length ? [afterField(before, [])] : []),
    ],
    args: ({ name, description, assignee, tags, after }) =>
      compact({
        target: { domain: room.profile[0].name, ...MYSELF },
        vx: compact({ name, description, tags: tags ? tagsOf(tags) : null }),
        assignee: assignee === ANYBODY ? null : assignee,
        after: after?.length ? after : null,
      }),
    done: (answer) => done(answer.task),
  });
}

export function edit(task, others, done) {
  const now = task.after ?? [];
  const before = others.filter((one) => one.id !== task.id && (!isOver(one) || now.includes(one.id)));
  const missing = now.filter((id) => !before.some((one) => one.id === id)).map((id) => ({ id, title: id }));
  const choices = [...before, ...missing];
  return ask({
    title: 'Change the task',
    verb: 'Save',
    tool: 'TK_Update',
    fields: [
      { ...TITLE, value: task.title },
      { ...TEXT, value: task.description },
      { ...TAGS, value: (task.tags ?? []).join(', ') },
      ...(choices.length ? [afterField(choices, now)] : []),
    ],
    args: ({ name, description, tags, after }) => ({
      task: task.id,
      target: MYSELF,
      ...fence(task),
      vx: { name, description, tags: tagsOf(tags) },
      ...(after && [...after].sort().join() !== [...now].sort().join() && { after }),
    }),
    done: (answer) => done(answer.task),
  });
}

// The fence that the person sees: if somebody else holds the task by now, nothing is changed.
const fence = (task) => (task.holder ? { fence: task.fence } : {});

// A dialog that makes one change of a task.
function change(
  task,
  {
    title,
    verb,
    text,
    danger,
    fields = [NOTE],
    fixed = {},
    tool = 'TK_Update',
    said = 'The task is changed.',
    pick = (values) => values,
  },
  done,
) {
  return ask({
    title,
    verb,
    text,
    danger,
    fields,
    tool,
    args: (values) =>
      compact({
        task: task.id,
        target: MYSELF,
        ...(tool === 'TK_Update' ? fence(task) : {}),
        ...fixed,
        ...pick(values),
      }),
    done: (answer) => {
      toast(said);
      done(answer.task);
    },
  });
}

const seconds = ({ lease_seconds }) => ({ lease_seconds: Number(lease_seconds) });
const RESULT = { name: 'result', label: 'Result', long: 3, max: 16000, hint: 'What came of it.' };

export const claim = (task, done) =>
  change(
    task,
    {
      title: 'Claim the task?',
      text: 'It is yours until the time is over, or you finish it or give it back.',
      verb: 'Claim',
      tool: 'TK_Claim',
      fields: [LEASE],
      pick: seconds,
      said: 'The task is yours.',
    },
    done,
  );

export const extend = (task, done) =>
  change(
    task,
    { title: 'Extend the lease', verb: 'Extend', fields: [LEASE], pick: seconds, said: 'The lease is extended.' },
    done,
  );

export const finish = (task, done) =>
  change(
    task,
    {
      title: 'Is the task done?',
      verb: 'Done',
      fields: [RESULT, NOTE],
      fixed: { state: 'done' },
      said: 'The task is done.',
      text: task.holder && task.holder !== me.user ? `${task.holder} holds it, and loses it.` : null,
    },
    done,
  );

export const block = (task, done) =>
  change(
    task,
    {
      title: 'What is missing?',
      verb: 'Block',
      fields: [{ ...NOTE, required: true, hint: 'Whoever created the task can read it there.' }],
      fixed: { state: 'blocked' },
      said: 'The task is blocked.',
    },
    done,
  );

// A blocked task goes on with whoever holds it; if nobody does any longer, it is open.
export const answer = (task, why, done) =>
  change(
    task,
    {
      title: 'Answer',
      verb: 'Answer',
      said: 'Answered.',
      text: why ? html`<p dir="auto" class="said">${why}</p>` : null,
      fields: [
        {
          ...NOTE,
          label: 'Your answer',
          required: true,
          hint: task.holder ? `${task.holder} goes on with the task.` : 'The task is open again.',
        },
      ],
      fixed: { state: task.holder ? 'doing' : 'open' },
    },
    done,
  );

export const cancel = (task, done) =>
  change(
    task,
    {
      title: 'Cancel the task?',
      text: 'Tasks that come after it do not become ready. You can open it again.',
      verb: 'Cancel the task',
      danger: true,
      tool: 'TK_Update',
      fixed: { state: 'cancelled' },
      said: 'The task is cancelled.',
    },
    done,
  );

export const reopen = (task, done) =>
  change(
    task,
    { title: 'Open the task again?', verb: 'Open again', fixed: { state: 'open' }, said: 'The task is open again.' },
    done,
  );

export async function assign(task, done) {
  const names = await parties(await roomOf(task));
  return change(
    task,
    {
      title: 'Whose task is it?',
      verb: 'Assign',
      fields: [{ name: 'assignee', label: 'For', ...anybodyFirst(names), value: task.assignee ?? ANYBODY }, NOTE],
      text: task.holder ? `${task.holder} holds it. Whoever else gets it takes it away from ${task.holder}.` : null,
      said: 'The task is assigned.',
    },
    done,
  );
}

// Whoever held the task can claim it again, unless it is for somebody else now.
export async function takeAway(task, done) {
  const names = (await parties(await roomOf(task))).filter((name) => name !== task.holder);
  return change(
    task,
    {
      title: `Take the task away from ${task.holder}?`,
      verb: 'Take away',
      danger: true,
      tool: 'TK_Update',
      said: 'The task is open again.',
      text: `What ${task.holder} still reports about it is refused.`,
      fields: [{ name: 'assignee', label: 'For', ...anybodyFirst(names), value: ANYBODY }, NOTE],
      fixed: { state: 'open' },
    },
    done,
  );
}
