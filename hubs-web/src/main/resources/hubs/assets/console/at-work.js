// Who works on what: the tasks in progress of some spaces, with their holders.
import { ask } from './api.js';
import { avatar, enc, html, link, nothing, repeat } from './parts.js';
import { follow, left, taskPath } from './task-parts.js';

const MOST = 12;

const entry = (task) =>
  html`<li>
    ${avatar(task.holder)}
    <div>
      <b dir="auto">${task.holder}</b
      >${link(taskPath(task), html`<span dir="auto" class="clip2">${task.title}</span>`)}<span class="soft small"
        >${link(`/console/spaces/${enc(task.domain)}?view=tasks`, task.domain)} · ${left(task.lease_until)}</span
      >
    </div>
  </li>`;

// @param domains the names of the spaces that the caller takes part in
// @return read, which reads the tasks anew, and view, the part of the page
export function atWork(on, isHere, drawn, domains) {
  const byDomain = new Map();
  const turns = new Map(); // A slow answer must not replace a newer one.

  async function one(domain) {
    const mine = (turns.get(domain) ?? 0) + 1;
    turns.set(domain, mine);
    try {
      const body = await ask('TK_List', { target: { domain }, state: 'doing', page: { limit: MOST } });
      if (turns.get(domain) !== mine) return;
      byDomain.set(
        domain,
        body.profile.filter((task) => task.holder),
      );
    } catch {
      byDomain.delete(domain); // It is gone, or the caller has left it.
    }
  }

  async function read() {
    byDomain.clear();
    await Promise.all(domains().map(one));
    drawn();
  }

  follow(on, isHere, () => true, {
    changed: async (ids) => {
      await Promise.all([...new Set(ids.values())].map(one));
      drawn();
    },
  });

  function view() {
    const tasks = [...byDomain.values()]
      .flat()
      .sort((a, b) => b.updated_at.localeCompare(a.updated_at))
      .slice(0, MOST);
    if (!tasks.length) return nothing;
    return html`<section class="world-work" aria-labelledby="w-work" tabindex="-1">
      <h2 id="w-work">Who works on what</h2>
      <div class="panel">
        <ul class="at-work" aria-labelledby="w-work">
          ${repeat(tasks, (task) => task.id, entry)}
        </ul>
      </div>
    </section>`;
  }

  return { read, view };
}
