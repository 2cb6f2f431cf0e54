// Who works on what: the tasks in progress of some spaces, with their holders.
import { ask } from './api.js';
import { follow, left, taskPath } from './task-parts.js';
import { avatar, el, enc, link, redrawn } from './ui.js';

const MOST = 12;

// @param domains the names of the spaces that the caller takes part in
export function atWork(place, on, isHere, domains) {
  const known = new Map();
  const list = el('ul', { class: 'at-work', 'aria-labelledby': 'w-work' });
  place.hidden = true;
  place.replaceChildren(el('h2', { id: 'w-work' }, 'Who works on what'), el('div', { class: 'panel' }, list));

  const entry = (task) =>
    el(
      'li',
      {},
      avatar(task.holder),
      el(
        'div',
        {},
        el('b', {}, task.holder),
        link(taskPath(task), el('span', { class: 'clip2' }, task.title)),
        el(
          'span',
          { class: 'soft small' },
          link(`/console/spaces/${enc(task.domain)}?view=tasks`, task.domain),
          ' · ',
          left(task.lease_until),
        ),
      ),
    );

  const turns = new Map(); // A slow answer must not replace a newer one.
  async function read(domain) {
    const mine = (turns.get(domain) ?? 0) + 1;
    turns.set(domain, mine);
    try {
      const body = await ask('TK_List', { target: { domain }, state: 'doing', page: { limit: MOST } });
      if (turns.get(domain) !== mine) return;
      known.set(
        domain,
        body.profile.filter((task) => task.holder),
      );
    } catch {
      known.delete(domain); // It is gone, or the caller has left it.
    }
  }

  function draw() {
    if (!isHere()) return;
    const tasks = [...known.values()]
      .flat()
      .sort((a, b) => b.updated_at.localeCompare(a.updated_at))
      .slice(0, MOST);
    place.hidden = !tasks.length;
    redrawn(place, () => list.replaceChildren(...tasks.map(entry)));
  }

  async function load() {
    known.clear();
    await Promise.all(domains().map(read));
    draw();
  }

  follow(on, isHere, () => true, {
    changed: async (ids) => {
      await Promise.all([...new Set(ids.values())].map(read));
      draw();
    },
  });
  return load;
}
