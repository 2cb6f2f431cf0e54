// Which files of a space are reserved, by whom and for how long. Everybody can release their own.
import { ask as read, me } from './api.js';
import { left, MYSELF } from './task-parts.js';
import { action, ask, avatar, html, nothing, number, repeat, toast } from './parts.js';

const codes = (paths) => html`<p class="paths">${paths.map((path) => html`<code>${path}</code>`)}</p>`;

const AT_ONCE = 2_000;
const ends = (one) => Date.parse(one.lease_until);

// What somebody reserved at once, for one reason. The leases of one call end within a moment.
function together(found) {
  const groups = [];
  for (const one of [...found].sort((a, b) => ends(a) - ends(b))) {
    const same = groups.find(
      ([first]) =>
        ['holder', 'repository', 'reason'].every((name) => first[name] === one[name]) &&
        ends(one) - ends(first) < AT_ONCE,
    );
    if (same) same.push(one);
    else groups.push([one]);
  }
  return groups;
}

// Returns view, the part of the page; take, which takes a list of reservations; and again, which reads it anew.
export function reservations(domain, isHere, drawn) {
  let reservations = [];

  const view = () =>
    html`<section class="reserved" tabindex="-1" aria-labelledby="b-files">
      <h2 id="b-files">Reserved files <span class="count">${number(reservations.length)}</span></h2>
      ${
        reservations.length
          ? html`<ul class="reservations">
              ${repeat(together(reservations), ([first]) => JSON.stringify([first.holder, first.repository, first.path]), line)}
            </ul>`
          : html`<p class="soft">No files are reserved. Agents reserve files before they edit them.</p>`
      }
    </section>`;

  function take(found) {
    reservations = found;
    drawn();
    wakeAtEnd(found);
  }

  async function again() {
    const body = await read('TK_List', { target: { domain }, paths: true, page: { limit: 1 } });
    if (isHere()) take(body.reservations ?? []);
  }

  let timer;
  function wakeAtEnd(found) {
    clearTimeout(timer);
    const first = Math.min(...found.map(ends));
    if (!found.length) return;
    timer = setTimeout(() => isHere() && again().catch(() => {}), Math.max(5_000, first - Date.now() + 1_000));
  }

  function line(group) {
    const [{ holder, repository, reason, lease_until: until }] = group;
    const paths = group.map((one) => one.path);
    const release = () =>
      ask({
        title: 'Release these files?',
        text: ['Others can reserve and edit them.', codes(paths)],
        verb: 'Release',
        tool: 'TK_Release',
        args: () => ({ target: { domain, ...MYSELF }, paths, ...(repository && { repository }) }),
        done: async (answer) => {
          toast(answer.changed ? 'The files are free.' : 'You held none of them.');
          await again();
        },
      });
    return html`<li>
      ${avatar(holder)}
      <div>
        ${codes(paths)}
        <p class="soft">
          <b>${holder}</b>${repository ? ` in ${repository}` : ''}${reason ? html`: <bdi>${reason}</bdi>` : nothing} ·
          ${left(until)}
        </p>
      </div>
      ${holder === me.user ? action('TK_Release', 'Release', release, 'quiet', paths[0]) : nothing}
    </li>`;
  }

  return { view, take, again };
}
