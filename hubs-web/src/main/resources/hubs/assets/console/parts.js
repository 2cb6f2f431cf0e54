// What the pages of the console are made of, for lit-html: whatever comes from the service becomes text, never markup.
import { html, nothing, render } from '../lit-html.js';
import { made, whyNot } from './api.js';
import { avatar, tag } from './text.js';
import { guarded, showCalls } from './ui.js';

export { createRef, html, live, nothing, ref, render, repeat } from '../lit-html.js';
export * from './text.js';
export * from './ui.js';

// What is read after the page is shown. Returns what draws it.
export function later(reading, drawn) {
  let content = html`<p class="soft">Reading…</p>`;
  reading
    .catch((error) => html`<p class="soft">${error.message}</p>`)
    .then((found) => {
      content = found;
      drawn();
    });
  return () => content;
}

// Draws a part of the page. If the element with the focus is gone then, what was around it has the focus.
export function draw(template, place) {
  const around = [];
  for (let one = document.activeElement; one && one !== document.body; one = one.parentElement) around.push(one);
  render(template, place);
  if (around.length && !around[0].isConnected)
    around.find((one) => one.isConnected && one.hasAttribute('tabindex'))?.focus({ preventScroll: true });
}

// A button. Where the caller may not run its tool, or there is another reason, it is greyed out and shows why. In a list, about tells what it
// is for.
export function button(label, click, { tool, reason = tool ? whyNot(tool) : null, kind = 'quiet', about, id } = {}) {
  return html`<button
    type="button"
    id=${id ?? nothing}
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

export const action = (tool, label, click, kind = 'quiet', about = null) => button(label, click, { tool, kind, about });

const codeButton = (label, title, click) =>
  html`<button type="button" class="quiet icon" aria-label=${label} title=${title} @click=${click}>&lt;/&gt;</button>`;

// A button that shows what another button, or a form, would call.
export const asCode = (label, calls) =>
  codeButton(
    `${label} as code`,
    `${label}: as curl, as MCP`,
    guarded(() => showCalls(`${label}, as a call`, calls())),
  );

// The head of a page: its title, which gets the focus when the page opens, the state of what it is about, its description, its actions.
export const head = (title, { state, sub, actions = [] } = {}) =>
  html`<header class="head">
    <div class="head-words">
      <h1 tabindex="-1" dir="auto">${title}${state ? html` <span class="states">${state}</span>` : nothing}</h1>
      ${sub ? html`<p class="soft">${sub}</p>` : nothing}
    </div>
    <div class="head-actions">
      ${actions}
      ${codeButton('The calls of this page as code', 'As curl, as MCP', () =>
        showCalls('The calls of this page', made.slice(-8)),
      )}
    </div>
  </header>`;

// Where there is nothing yet: what would be here, and the first step.
export const empty = (title, text, ...actions) =>
  html`<div class="empty">
    <h2>${title}</h2>
    <p>${text}</p>
    ${actions.length ? html`<div class="row">${actions}</div>` : nothing}
  </div>`;

// How a page will look once there is something: below what is empty. Nobody can use it, and screen readers skip it.
// Each row: who, and its meta, a tag as [words, kind], text, choices.
export const sample = (...rows) =>
  html`<figure class="sample" aria-hidden="true" inert>
    <figcaption>It will look like this</figcaption>
    <div class="sample-rows">
      ${rows.map(
        ({ who, title = who, meta, state: [words, kind] = [], text, choices = [] }) =>
          html`<div class="sample-row">
            ${who ? avatar(who) : nothing}
            <div>
              <p class="sample-head">
                <b>${title}</b>${meta ? html`<span class="soft">${meta}</span>` : nothing}${
                  words ? tag(words, kind) : nothing
                }
              </p>
              ${text ? html`<p>${text}</p>` : nothing}
              ${choices.length ? html`<p class="row">${choices.map((one) => html`<span class="button">${one}</span>`)}</p>` : nothing}
            </div>
          </div>`,
      )}
    </div>
  </figure>`;

export const facts = (rows) =>
  html`<dl class="facts">
    ${rows
      .filter(([, value]) => value !== undefined && value !== null && value !== '')
      .map(
        ([name, value]) =>
          html`<dt>${name}</dt>
            <dd dir="auto">${value}</dd>`,
      )}
  </dl>`;

export const link = (path, ...children) => html`<a href=${path} data-go="true" dir="auto">${children}</a>`;

// Above what is shown of one entry of a list: on a phone, the list is not beside it.
export const back = (path, words) => html`<p class="back">${link(path, `← ${words}`)}</p>`;

// An address, which a narrow page breaks between its parts.
export const address = (url) =>
  html`<code class="address">${url.split(/(?=[/.:])/).map((part) => html`${part}<wbr />`)}</code>`;

// One of several parts of a page, by address.
export const subnav = (label, entries, current) =>
  html`<nav class="subnav" aria-label=${label}>
    ${entries.map(
      ([word, title, path]) =>
        html`<a href=${path} data-go="true" aria-current=${word === current ? 'page' : nothing}>${title}</a>`,
    )}
  </nav>`;
