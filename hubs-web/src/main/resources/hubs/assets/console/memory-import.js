// Import into a bank: a file is tried first, and stored once one has seen what would come of it.
import { csrf } from '../account.js';
import { Refused } from './api.js';
import { ago, announce, el, enc, guarded, link, number, tag, toast, whileBusy } from './ui.js';

const FORMATS = {
  engine: 'an export of a bank',
  markdown: 'Markdown: a text, or a folder as zip',
  jsonl: 'JSON lines of another system',
};
const TYPES = '.jsonl,.ndjson,.json,.md,.markdown,.txt,.zip';
const COUNTS = [
  ['stored', 'new'],
  ['replaced', 'with a new text'],
  ['revisions', 'former revisions'],
  ['unchanged', 'there already'],
  ['refused', 'refused'],
];

// Sends the file; the format goes before it, since the file is read while it arrives.
async function send(bank, format, file, isTrial) {
  const form = new FormData();
  form.append('format', format);
  if (isTrial) form.append('dry_run', 'true');
  form.append('file', file, file.name);
  const path = `/api/banks/${enc(bank)}/import`;
  const response = await fetch(path, {
    method: 'POST',
    headers: { 'X-CSRF-Token': (await csrf()) ?? '' },
    body: form,
  }).catch(() => null);
  if (!response)
    throw new Refused(
      'The service cannot be reached. Send the same file again: what was stored is not stored twice.',
      'unreachable',
    );
  const body = await response.json().catch(() => ({}));
  if (!response.ok || body.status?.success === false) {
    throw new Refused(
      body.status?.note ?? body.detail ?? `The service answered ${response.status}.`,
      body.status?.error ?? body.error,
    );
  }
  return body;
}

// An export of a bank begins with a line that has an id; other JSON lines have only what their system wrote.
async function guess(file) {
  if (/\.(md|markdown|txt|zip)$/i.test(file.name)) return 'markdown';
  const first = (await file.slice(0, 100_000).text()).split('\n', 1)[0];
  return /"id":"[0-9a-f]{8}-/.test(first) && first.includes('"revision"') ? 'engine' : 'jsonl';
}

const words = (body) =>
  COUNTS.filter(([name]) => body[name])
    .map(([name, word]) => `${number(body[name])} ${word}`)
    .join(', ') || 'nothing to store';

function report(body, isTrial) {
  const count = `${number(body.lines)} ${body.lines === 1 ? 'memory' : 'memories'} in the file: ${words(body)}.`;
  announce(count);
  return [
    el('h3', {}, isTrial ? 'What would be stored' : 'Report'),
    el('p', { role: 'status' }, count),
    body.preview?.length
      ? el(
          'ul',
          { class: 'preview', 'aria-label': 'The first memories' },
          ...body.preview.map((one) =>
            el(
              'li',
              {},
              el('b', {}, one.name ?? 'unnamed'),
              el('span', { class: 'soft' }, ` by ${one.author}, `, ago(one.created_at)),
              el('p', { class: 'clip2' }, one.text),
            ),
          ),
        )
      : null,
    body.refusals?.length
      ? el(
          'ul',
          { class: 'preview refusals', 'aria-label': 'Refused' },
          ...body.refusals.map((one) =>
            el(
              'li',
              {},
              tag('refused', 'destroys'),
              el('span', {}, ` ${one.file ? `${one.file}, ` : ''}line ${number(one.line)}: ${one.note}`),
            ),
          ),
        )
      : null,
    body.refused > (body.refusals?.length ?? 0)
      ? el('p', { class: 'soft' }, `The first ${number(body.refusals.length)} refused lines are shown.`)
      : null,
  ].filter(Boolean);
}

export function importing(bank, place) {
  let file;
  const result = el('div', { class: 'import-report' });
  const wrong = el('p', { class: 'problem', role: 'alert' });
  const format = el(
    'select',
    { id: 'import-format', change: guarded(() => run(true)) },
    ...Object.entries(FORMATS).map(([value, label]) => el('option', { value }, label)),
  );
  const chosen = el('span', { class: 'soft' }, 'No file chosen.');
  const store = el(
    'button',
    { type: 'button', hidden: true, click: guarded(() => whileBusy(store, () => run(false))) },
    'Import',
  );
  const input = el('input', {
    type: 'file',
    id: 'import-file',
    class: 'unseen',
    accept: TYPES,
    change: guarded(async () => {
      const [one] = input.files;
      input.value = ''; // The same file can be chosen again when it is corrected.
      if (!one) return;
      file = one;
      result.replaceChildren(); // It was of another file.
      chosen.textContent = file.name;
      format.value = await guess(file);
      await run(true);
    }),
  });
  let newest = 0; // A slow trial must not replace that of another file.

  async function run(isTrial) {
    if (!file) return;
    const mine = ++newest;
    wrong.textContent = '';
    store.hidden = true;
    format.disabled = !isTrial;
    result.replaceChildren(el('p', { class: 'soft' }, isTrial ? 'Reading the file…' : 'Importing…'));
    try {
      const body = await send(bank.name, format.value, file, isTrial);
      if (mine !== newest) return;
      result.replaceChildren(...report(body, isTrial));
      store.hidden = !isTrial || body.stored + body.replaced + body.revisions === 0;
      if (!isTrial) toast(`Imported into ${bank.name}.`);
    } catch (error) {
      if (mine !== newest) return;
      result.replaceChildren();
      wrong.textContent = error.message;
    } finally {
      format.disabled = false;
    }
  }

  place.replaceChildren(
    el('p', {}, link(`/console/memory/${enc(bank.name)}`, `← ${bank.name}`)),
    el(
      'header',
      { class: 'detail-head' },
      el(
        'div',
        {},
        el('h2', {}, `Import into ${bank.name}`),
        el('p', { class: 'soft' }, 'What the bank has is never overwritten, and the same file twice changes nothing.'),
      ),
    ),
    el(
      'div',
      { class: 'import' },
      el('p', {}, input, el('label', { for: 'import-file', class: 'button quiet' }, 'Choose a file'), ' ', chosen),
      el('div', { class: 'field' }, el('label', { for: 'import-format' }, 'The file is'), format),
    ),
    wrong,
    result,
    el('p', {}, store),
  );
}
