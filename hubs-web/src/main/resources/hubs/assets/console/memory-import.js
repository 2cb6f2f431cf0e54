// Import into a bank: a file is tried first, and stored once one has seen what would come of it.
import { csrf } from '../account.js';
import { Refused } from './api.js';
import { backTo } from './memory-one.js';
import { ago, announce, enc, guarded, html, live, nothing, number, tag, toast, whileBusy } from './parts.js';

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
    html`<h3>${isTrial ? 'What would be stored' : 'Report'}</h3>`,
    html`<p role="status">${count}</p>`,
    body.preview?.length
      ? html`<ul class="preview" aria-label="The first memories">
          ${body.preview.map(
            (one) =>
              html`<li>
                <b dir="auto">${one.name ?? 'unnamed'}</b
                ><span class="soft"> by ${one.author}, ${ago(one.created_at)}</span>
                <p dir="auto" class="clip2">${one.text}</p>
              </li>`,
          )}
        </ul>`
      : null,
    body.refusals?.length
      ? html`<ul class="preview refusals" aria-label="Refused">
          ${body.refusals.map(
            (one) =>
              html`<li>
                ${tag('refused', 'destroys')}<span>
                  ${one.file ? `${one.file}, ` : ''}line ${number(one.line)}: ${one.note}</span
                >
              </li>`,
          )}
        </ul>`
      : null,
    body.refused > (body.refusals?.length ?? 0)
      ? html`<p class="soft">The first ${number(body.refusals.length)} refused lines are shown.</p>`
      : null,
  ].filter(Boolean);
}

// Returns view, the part of the page.
export function importing(bank, { drawn }) {
  let file;
  let format = Object.keys(FORMATS)[0];
  let result = nothing;
  let wrong = '';
  let isReady = false; // To be stored, since it was tried.
  let isStoring = false;
  let newest = 0; // A slow trial must not replace that of another file.

  const choose = guarded(async ({ currentTarget }) => {
    const [one] = currentTarget.files;
    currentTarget.value = ''; // The same file can be chosen again when it is corrected.
    if (!one) return;
    file = one;
    result = nothing; // It was of another file.
    format = await guess(file);
    await run(true);
  });

  async function run(isTrial) {
    if (!file) return;
    const mine = ++newest;
    wrong = '';
    isReady = false;
    isStoring = !isTrial;
    result = html`<p class="soft">${isTrial ? 'Reading the file…' : 'Importing…'}</p>`;
    drawn();
    try {
      const body = await send(bank.name, format, file, isTrial);
      if (mine !== newest) return;
      result = report(body, isTrial);
      isReady = isTrial && body.stored + body.replaced + body.revisions > 0;
      if (!isTrial) toast(`Imported into ${bank.name}.`);
    } catch (error) {
      if (mine !== newest) return;
      result = nothing;
      wrong = error.message;
    }
    isStoring = false;
    drawn();
  }

  const rechoose = guarded(({ currentTarget }) => {
    format = currentTarget.value;
    return run(true);
  });
  const store = guarded(({ currentTarget }) => whileBusy(currentTarget, () => run(false)));

  return () =>
    html`${backTo(bank)}
      <header class="detail-head">
        <div>
          <h2>Import into ${bank.name}</h2>
          <p class="soft">What the bank has is never overwritten, and the same file twice changes nothing.</p>
        </div>
      </header>
      <div class="import">
        <p>
          <input type="file" id="import-file" class="unseen" accept=${TYPES} @change=${choose} /><label
            for="import-file"
            class="button quiet"
            >Choose a file</label
          >
          <span dir="auto" class="soft">${file?.name ?? 'No file chosen.'}</span>
        </p>
        <div class="field">
          <label for="import-format">The file is</label>
          <select id="import-format" ?disabled=${isStoring} .value=${live(format)} @change=${rechoose}>
            ${Object.entries(FORMATS).map(([value, label]) => html`<option value=${value}>${label}</option>`)}
          </select>
        </div>
      </div>
      <p class="problem" role="alert">${wrong}</p>
      <div class="import-report" tabindex="-1">${result}</div>
      <p><button type="button" ?hidden=${!isReady} @click=${store}>Import</button></p>`;
}
