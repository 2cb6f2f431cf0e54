// Earlier texts of a memory or an agent: what each change replaced, and how to restore it.
import { changes } from './difference.js';
import { ago, ask, el, guarded, number, toast, whileBusy } from './ui.js';

// One revision, collapsed at first.
export const revisionItem = (revision, words, at, { open = false, note = '' } = {}, ...content) =>
  el(
    'li',
    {},
    el(
      'details',
      { open },
      el('summary', {}, el('b', {}, `Revision ${revision}`), el('span', { class: 'soft' }, words, ago(at), note)),
      ...content,
    ),
  );

// Asks before an earlier text becomes a new revision.
export const restore = ({ revision, text, words = [], tool, args, again }) =>
  ask({
    title: `Restore revision ${revision}?`,
    text: [
      'It becomes a new revision. The current text stays in the list.',
      ...words,
      el('pre', { class: 'wraps prose' }, text),
    ],
    verb: 'Restore',
    tool,
    args: () => args,
    done: () => {
      toast('The earlier text is restored.');
      again();
    },
  });

// A button that the revisions before this one replace.
export function before(revision, read) {
  const button = el(
    'button',
    {
      type: 'button',
      class: 'quiet',
      click: guarded(() =>
        whileBusy(button, async () => {
          const [first, ...others] = await read();
          item.replaceWith(first, ...others);
          (first.querySelector('summary') ?? first).focus();
        }),
      ),
    },
    `Show revisions before ${number(revision)}`,
  );
  const item = el('li', {}, button);
  return item;
}

export const ended = (words) => el('li', { class: 'soft', tabindex: '-1' }, words);

// The differences between two texts, which the separator divides into parts.
export function compared(old, now, separator) {
  const found = changes(old.split(separator), now.split(separator)).filter((part) => part.sign !== '=');
  const added = found.filter((part) => part.sign === '+').length;
  return {
    added,
    removed: found.length - added,
    parts: found.slice(0, 60).map((part) => el(part.sign === '+' ? 'ins' : 'del', {}, part.text)),
  };
}
