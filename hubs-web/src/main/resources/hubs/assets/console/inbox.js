// Needs you: what waits for the person, newest first.
import { call, may, whyNot } from './api.js';
import { list, refresh, total } from './needs.js';
import { el, empty, head, number } from './ui.js';

export async function show({ view, on, isHere }) {
  view.append(head('Needs you', { sub: 'Questions, messages, invitations and whatever else waits for you.' }));
  if (!may('US_Inbox')) {
    view.append(el('p', { class: 'soft' }, `${whyNot('US_Inbox')}.`));
    return;
  }
  await call('US_Inbox', { page: { limit: 1 } }); // So that the page's code shows it.
  await refresh();
  const none = empty(
    'Nothing waits for you',
    'When an agent asks you something, writes to you, is stopped or blocked, or somebody invites one of your agents, it appears here, live.',
  );
  const more = el('p', { class: 'soft' });
  const place = el('div', { class: 'needs-page' });
  view.append(place);
  const box = list(100, on, isHere, (known) => {
    none.hidden = known.content.length > 0;
    more.textContent =
      total() > known.content.length
        ? `${number(total() - known.content.length)} older ones follow when these are dealt with.`
        : '';
  });
  place.append(box, none, more);
}
