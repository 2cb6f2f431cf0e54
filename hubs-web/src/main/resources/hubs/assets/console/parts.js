// The pieces of ui.js for pages that lit-html draws.
import { html, nothing } from '../lit-html.js';
import { whyNot } from './api.js';
import { clockWords, face, guarded, since } from './ui.js';

export const avatar = (name, { kind = 'agent', online } = {}) => {
  const { initials, colour } = face(name);
  return html`<span class="avatar a${colour} ${kind}${online ? ' online' : ''}" aria-hidden="true">${initials}</span>`;
};

export const tag = (text, kind = '') => html`<span class="tag ${kind}">${text}</span>`;

const whole = (iso) => new Date(iso).toLocaleString();

// The words are a property, since a timer changes them.
const time = (iso, words, kind) =>
  html`<time datetime=${iso} title=${whole(iso)} data-ago=${kind ?? nothing} .textContent=${words}></time>`;

export const clock = (iso) => time(iso, clockWords(iso));

export const ago = (iso, isShort = false) =>
  iso ? time(iso, since(new Date(iso), isShort), isShort ? 'short' : 'long') : html`<span class="soft">never</span>`;

// A button, greyed out with the reason where the caller may not run its tool. In a list, about tells what it is for.
export function button(label, click, { tool, kind = 'quiet', about } = {}) {
  const reason = tool ? whyNot(tool) : null;
  return html`<button
    type="button"
    class=${kind || nothing}
    aria-label=${about ? `${label} ${about}` : nothing}
    aria-disabled=${reason ? 'true' : nothing}
    ?data-refused=${reason}
    title=${reason ?? nothing}
    @click=${guarded(click)}
  >
    ${label}
  </button>`;
}
