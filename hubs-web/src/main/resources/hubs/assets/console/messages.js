// Messages that AP_Search found: where each is, and how its page comes to it.
import { ask } from './api.js';
import { withoutIds } from './transcript-model.js';
import { clock, enc, encAgent, html, link, nothing, render } from './parts.js';

const MOST_PAGES = 10;

// The address of a message: its room, or the page of the agent that it is a message of. The other party is named too: a user has no such page.
export function pathOf(hit, agent) {
  if (hit.domain) return `/console/spaces/${enc(hit.domain)}/${enc(hit.zone)}?message=${enc(hit.id)}`;
  const one = agent ?? (hit.person ? hit.to : hit.from);
  return `/console/agents/${encAgent(one)}?message=${enc(hit.id)}&other=${enc(one === hit.from ? hit.to : hit.from)}`;
}

export const placeOf = (hit) => (hit.domain ? `in ${hit.domain}/${hit.zone}` : `to ${hit.to}`);

// A hit as a link to its message: who wrote it, where and when, and the text or its best part.
export const row = (hit, agent) =>
  html`<li class="found-message">
    ${link(
      pathOf(hit, agent),
      html`<span class="bubble-head"
        ><b dir="auto">${hit.from}</b><span class="soft">${placeOf(hit)} · ${clock(hit.created_at)}</span></span
      >`,
      html`<span dir="auto" class="said">${withoutIds(hit.text ?? hit.snippet)}</span>`,
    )}
  </li>`;

// All that an agent said on a day, oldest first, up to a number of calls.
export async function ofDay(agent, day) {
  const since = new Date(`${day}T00:00:00`);
  const next = new Date(since);
  next.setDate(next.getDate() + 1); // Not all days have 24 hours.
  const found = [];
  let cursor;
  for (let pages = 0; pages < MOST_PAGES; pages++) {
    const body = await ask('AP_Search', {
      target: { agent },
      since: since.toISOString(),
      until: new Date(next - 1).toISOString(),
      max_tokens: 8_000,
      page: { limit: 50, ...(cursor && { cursor }) },
    });
    found.push(...body.content);
    cursor = body.next_cursor;
    if (!cursor) break;
  }
  return { messages: found.reverse(), more: Boolean(cursor) };
}

// Brings the message of an address into sight and gives it the focus, once the page is shown.
export function reveal(place, id) {
  const element = place.querySelector(`[data-id="${CSS.escape(id)}"]`);
  if (!element) return;
  element.classList.add('sought');
  element.tabIndex = -1;
  element.scrollIntoView({ block: 'center' });
  element.focus({ preventScroll: true });
}

// A search of messages while somebody types. An older answer never replaces a newer one.
export function finder(input, place, args, agent) {
  let turn = 0;
  let waiting;
  async function look(mine, content) {
    try {
      const body = await ask('AP_Search', { ...args, content, page: { limit: 20 } });
      if (mine !== turn) return;
      const count = `${body.content.length}${body.next_cursor ? ' or more' : ''} found`;
      render(
        html`<p dir="auto" class="soft" role="status">${body.content.length ? count : 'No message has these words.'}</p>
          <ol>
            ${body.content.map((hit) => row(hit, agent))}
          </ol>`,
        place,
      );
    } catch (error) {
      if (mine === turn) render(html`<p dir="auto" class="problem" role="alert">${error.message}</p>`, place);
    }
  }
  input.addEventListener('input', () => {
    clearTimeout(waiting);
    const mine = ++turn;
    const content = input.value.trim();
    place.hidden = !content;
    render(content ? html`<p class="soft" role="status">Searching…</p>` : nothing, place);
    if (content) waiting = setTimeout(() => look(mine, content), 150);
  });
  input.addEventListener('keydown', (event) => {
    if (event.key !== 'Escape') return;
    input.value = '';
    input.dispatchEvent(new Event('input'));
  });
  // Ends a search whose place something else takes.
  return () => {
    clearTimeout(waiting);
    turn += 1;
  };
}
