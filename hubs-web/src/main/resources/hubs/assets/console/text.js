// Templates of names, times and what somebody wrote. They need no server, so pages of MCP Apps use them too: whatever comes from the
// service becomes text, never markup.
import { html, nothing } from '../lit-html.js';
import { blocks, inline } from './rich-text.js';
import { clockWords, face, since, timeWords, wholeTime } from './words.js';

export const avatar = (name, { kind = 'agent', online } = {}) => {
  const { initials, colour } = face(name);
  return html`<span class="avatar a${colour} ${kind}${online ? ' online' : ''}" aria-hidden="true">${initials}</span>`;
};

export const tag = (text, kind = '') => html`<span class="tag ${kind}" dir="auto">${text}</span>`;

// The words are a property, since a timer changes them.
const time = (iso, words, kind) =>
  html`<time datetime=${iso} title=${wholeTime(iso)} data-ago=${kind ?? nothing} .textContent=${words}></time>`;

export const clock = (iso) => time(iso, clockWords(iso));

// Below the line of a day.
export const hour = (iso) => time(iso, timeWords(iso));

export const ago = (iso, isShort = false) =>
  iso ? time(iso, since(new Date(iso), isShort), isShort ? 'short' : 'long') : html`<span class="soft">never</span>`;

// What somebody wrote, with its links, code and lists; paragraph draws the text of a paragraph, if it is not only text.
export const rich = (text, paragraph = line) =>
  blocks(text).map((block) => {
    if (block.code !== undefined)
      return html`<pre dir="ltr" tabindex="0" aria-label="Code"><code>${block.code}</code></pre>`;
    return block.list ? list(block.list) : html`<p dir="auto">${paragraph(block.text)}</p>`;
  });

// One line of what somebody wrote. Links lead to another site, which learns nothing of this one.
export const line = (text) =>
  inline(text).map((part) => {
    if (part.code) return html`<code dir="ltr">${part.code}</code>`;
    if (!part.href) return part.text;
    const anchor = html`<a
      href=${part.href}
      dir=${part.host ? nothing : 'ltr'}
      target="_blank"
      rel="noopener noreferrer nofollow"
      >${part.text}</a
    >`;
    return part.host ? html`${anchor} <bdi class="soft">(${part.host})</bdi>` : anchor;
  });

function list({ ordered, start, items }) {
  const entries = items.map((one) => html`<li dir="auto">${line(one.text)}${one.lists.map(list)}</li>`);
  return ordered
    ? html`<ol start=${start} dir="auto">
        ${entries}
      </ol>`
    : html`<ul dir="auto">
        ${entries}
      </ul>`;
}

export const problem = (error) => html`<p class="note bad" role="alert" dir="auto">${error.message}</p>`;
