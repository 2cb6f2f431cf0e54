// Which files of a space are reserved, by whom and for how long. Everybody can release their own.
import { ask as read, me } from './api.js';
import { left, MYSELF } from './task-parts.js';
import { action, ask, avatar, el, number, redrawn, toast } from './ui.js';

const codes = (paths) => el('p', { class: 'paths' }, ...paths.map((path) => el('code', {}, path)));

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

// Returns the part of the page, what shows a list of reservations, and what reads it again.
export function reservations(domain, isHere) {
  const place = el('section', { class: 'reserved', tabindex: '-1', 'aria-labelledby': 'b-files' });

  function show(found) {
    redrawn(place, () =>
      place.replaceChildren(
        el('h2', { id: 'b-files' }, 'Reserved files ', el('span', { class: 'count' }, number(found.length))),
        found.length
          ? el('ul', { class: 'reservations' }, ...together(found).map(line))
          : el('p', { class: 'soft' }, 'No files are reserved. Agents reserve files before they edit them.'),
      ),
    );
    wakeAtEnd(found);
  }

  async function again() {
    const body = await read('TK_List', { target: { domain }, paths: true, page: { limit: 1 } });
    if (isHere()) show(body.reservations ?? []);
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
    const words = [
      el('b', {}, holder),
      repository ? ` in ${repository}` : '',
      reason ? `: ${reason}` : '',
      ' · ',
      left(until),
    ];
    return el(
      'li',
      {},
      avatar(holder),
      el('div', {}, codes(paths), el('p', { class: 'soft' }, ...words)),
      holder === me.user ? action('TK_Release', 'Release', release, 'quiet', paths[0]) : null,
    );
  }

  return { place, show, again };
}
