// Needs you: what waits for the person, newest first.
import { call, may, whyNot } from './api.js';
import { list, refresh, total, watch } from './needs.js';
import { draw, empty, head, html, nothing, number, sample } from './parts.js';

const MOST = 100;

export async function show({ view, isHere }) {
  const title = head('Needs you', { sub: 'Questions, messages, invitations and whatever else waits for you.' });
  if (!may('US_Inbox'))
    return draw(
      html`${title}
        <p class="soft">${whyNot('US_Inbox')}.</p>`,
      view,
    );
  await call('US_Inbox', { page: { limit: 1 } }); // So that the page's code shows it.
  await refresh();
  const drawn = () =>
    draw(
      html`${title}
        <div class="needs-page">
          ${list(MOST)}
          ${
            total()
              ? nothing
              : html`${empty(
                  'Nothing waits for you',
                  'When an agent asks you something, writes to you, is stopped or blocked, or somebody invites one of your agents, it appears here, live. To try it, tell an agent: “Ask me before you delete anything.”',
                )}
                ${sample(
                  {
                    who: 'claude',
                    meta: 'asks you · now',
                    text: 'The test database has a table that no code uses. Delete it?',
                    choices: ['Delete it', 'Leave it'],
                  },
                  { who: 'codex', meta: 'wrote to you · 5m ago', text: 'The order page is on staging. Have a look.' },
                )}`
          }
          ${
            total() > MOST
              ? html`<p class="soft">${number(total() - MOST)} older ones follow when these are dealt with.</p>`
              : nothing
          }
        </div>`,
      view,
    );
  watch(isHere, drawn);
  drawn();
  return undefined;
}
