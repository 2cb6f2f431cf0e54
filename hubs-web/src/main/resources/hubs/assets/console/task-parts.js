// What the board, a task's page and World share: addresses of tasks, how a task looks, and when one has changed.
import { call, ask as read } from './api.js';
import { enc, subnav } from './parts.js';

export * from './task-looks.js';

export const boardPath = (domain) => `/console/spaces/${enc(domain)}?view=tasks`;
export const taskPath = (task) => `/console/spaces/${enc(task.domain)}?task=${enc(task.id)}`;

export const parts = (domain, current) =>
  subnav(
    'Parts of the space',
    [
      ['rooms', 'Rooms', `/console/spaces/${enc(domain)}`],
      ['tasks', 'Tasks', boardPath(domain)],
    ],
    current,
  );

// In this context a person acts as themself, whoever they are logged on as elsewhere.
export const MYSELF = { context: 'engine-console-reads' };

export const readTask = async (id) => (await read('TK_Read', { task: id, page: { limit: 1 } })).profile[0];

const PAUSE = 250;

// Each change of a task is announced in the zone main of its domain. Calls changed with the ids of tasks and their domains, shortly after:
// what happens at once is read once. Calls freed after a reservation has ended or, for those who see the audit, has begun.
export function follow(on, isHere, isWanted, { changed, freed = () => {} }) {
  const ids = new Map();
  let waiting;
  function note(id, domain) {
    ids.set(id, domain);
    waiting ??= setTimeout(() => {
      waiting = undefined;
      const found = new Map(ids);
      ids.clear();
      if (isHere()) changed(found);
    }, PAUSE);
  }
  on('messages', ({ domain, zone, content }) => {
    if (zone !== 'main' || !isWanted(domain)) return;
    for (const [, id] of content.matchAll(/\(task ([0-9a-f-]{36})\)/g)) note(id, domain);
    if (content.includes('Free again: ')) freed();
  });
  on('audit', ({ tool }) => {
    if (['TK_Reserve', 'TK_Release'].includes(tool)) freed();
  });
}

// Runs one piece of work after another: an older answer never replaces a newer one.
export function inTurn() {
  let last = Promise.resolve();
  return (work) => (last = last.then(work).catch(() => {}));
}

export const roomOf = ({ domain }) => call('DM_Read', { target: { domain }, page: { limit: 200 } });
