// Earlier texts of a memory or an agent: what each change replaced, and how to restore it.
import { changes } from './difference.js';
import { ago, ask, guarded, html, nothing, number, toast, whileBusy } from './parts.js';

// One revision, collapsed at first.
export const revisionItem = (revision, words, at, { open = false, note = '' } = {}, ...content) =>
  html`<li>
    <details ?open=${open}>
      <summary><b>Revision ${revision}</b><span class="soft">${words}${ago(at)}${note}</span></summary>
      ${content}
    </details>
  </li>`;

// Asks before an earlier text becomes a new revision.
export const restore = ({ revision, text, words = [], tool, args, again }) =>
  ask({
    title: `Restore revision ${revision}?`,
    text: [
      'It becomes a new revision. The current text stays in the list.',
      ...words,
      html`<pre dir="auto" class="wraps prose">${text}</pre>`,
    ],
    verb: 'Restore',
    tool,
    args: () => args,
    done: () => {
      toast('The earlier text is restored.');
      again();
    },
  });

/**
 * Revisions as a list that is read in steps: read returns items, and, where there are more, next: before which revision these are, and what
 * reads them. from is the current revision, drawn draws the page. Returns view, the part of the page, and ready.
 */
export function steps({ first = [], from, read, drawn }) {
  let items = first;
  let next = null;
  const take = (found) => {
    items = [...items, ...found.items];
    next = found.next;
    drawn();
  };
  const more = guarded(async ({ currentTarget }) => {
    const list = currentTarget.closest('ol');
    const count = items.length;
    await whileBusy(currentTarget, async () => take(await next.read()));
    const entry = list.children[count];
    (entry?.querySelector('summary') ?? entry)?.focus();
  });
  const ready = read().then(take, () => take({ items: [], next: { revision: from, read } }));
  const view = () =>
    html`<ol class="revisions">
      ${items}
      ${
        next
          ? html`<li>
              <button type="button" class="quiet" @click=${more}>Show revisions before ${number(next.revision)}</button>
            </li>`
          : nothing
      }
    </ol>`;
  return { view, ready };
}

export const ended = (words) => html`<li class="soft" tabindex="-1">${words}</li>`;

// The differences between two texts, which the separator divides into parts.
export function compared(old, now, separator) {
  const found = changes(old.split(separator), now.split(separator)).filter((part) => part.sign !== '=');
  const added = found.filter((part) => part.sign === '+').length;
  return {
    added,
    removed: found.length - added,
    parts: found
      .slice(0, 60)
      .map((part) =>
        part.sign === '+' ? html`<ins dir="auto">${part.text}</ins>` : html`<del dir="auto">${part.text}</del>`,
      ),
  };
}
