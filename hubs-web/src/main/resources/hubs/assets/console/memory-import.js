// Import into a bank: a file is dropped or chosen, tried first, and stored once one has seen what would come of it.
import { csrf } from '../account.js';
import { Refused } from './api.js';
import { backTo } from './memory-one.js';
import { ago, announce, enc, guarded, html, live, nothing, number, tag, toast, whileBusy } from './parts.js';

const FORMATS = {
  auto: 'recognised by what it contains',
  engine: 'an export of a bank',
  markdown: 'Markdown: a text, or a folder as zip',
  jsonl: 'JSON lines of another system',
  chatgpt: 'a data export of ChatGPT',
  claude: 'a data export of Claude',
  gemini: 'a memory file of Gemini',
  mem0: 'memories of mem0',
  zep: 'a graph of Zep or Graphiti',
  letta: 'an agent file of Letta',
  'basic-memory': 'a folder of basic-memory as zip',
  obsidian: 'a vault of Obsidian as zip',
  'memory-server': 'the file of the memory server of MCP',
  csv: 'a table as CSV',
};
const TYPES = '.jsonl,.ndjson,.json,.md,.markdown,.txt,.zip,.csv,.tsv,.af';

// The largest file of another product that the service takes.
const MOST_BYTES = 256 * 1024 * 1024;

// How often a file is sent again whose conversations are still being validated.
const MOST_TIMES = 20;
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

// Sends it again while some of its conversations are still being validated: what is stored is not stored twice.
async function store(bank, format, file, progress) {
  let body = await send(bank, format, file, false);
  const first = body;
  let loaded = first.documents?.stored ?? 0;
  for (let times = 1; body.documents?.waiting && times < MOST_TIMES; times++) {
    progress(
      `${number(body.documents.found - body.documents.waiting)} of ${number(body.documents.found)} conversations…`,
    );
    body = await send(bank, format, file, false);
    loaded += body.documents?.stored ?? 0;
  }
  if (body === first) return first;
  const unchanged = Math.max(0, (body.documents?.unchanged ?? 0) - (loaded - (body.documents?.stored ?? 0)));
  return {
    ...body,
    stored: first.stored,
    replaced: first.replaced,
    unchanged: first.unchanged,
    documents: { ...body.documents, stored: loaded, unchanged },
  };
}

// A file that was dropped on the page of a bank, until the page of its import takes it.
let dropped = null;

// Returns the handlers of a place where files can be dropped.
const dropping = (take, over) => ({
  enter: (event) => {
    if ([...event.dataTransfer.types].includes('Files')) over(1);
  },
  leave: () => over(-1),
  above: (event) => {
    if ([...event.dataTransfer.types].includes('Files')) event.preventDefault();
  },
  drop: (event) => {
    const [file] = event.dataTransfer.files;
    if (!file) return;
    event.preventDefault();
    over(0);
    take(file);
  },
});

// Draws the page of a bank as a place to drop a file, which its import then takes.
export function importedByDrop(bank, go, content) {
  const on = dropping(
    (file) => {
      dropped = { bank: bank.name, file };
      go(`/console/memory/${enc(bank.name)}?view=import`);
    },
    () => {},
  );
  return html`<div class="drop-anywhere" @dragover=${on.above} @drop=${on.drop}>${content}</div>`;
}

const words = (body) =>
  COUNTS.filter(([name]) => body[name])
    .map(([name, word]) => `${number(body[name])} ${word}`)
    .join(', ') || 'nothing to store';

const conversations = ({ documents }) =>
  documents
    ? ` ${number(documents.found)} ${documents.found === 1 ? 'conversation or file' : 'conversations and files'}: ${
        [
          ['stored', 'new'],
          ['unchanged', 'there already'],
          ['waiting', 'still being validated'],
          ['refused', 'refused'],
        ]
          .filter(([name]) => documents[name])
          .map(([name, word]) => `${number(documents[name])} ${word}`)
          .join(', ') || 'nothing to load'
      }.`
    : '';

// One sentence for each reason, with how many there are and where the first one is.
const reasons = (list, label, mark) =>
  list?.length
    ? html`<ul class="preview reasons" aria-label=${label}>
        ${list.map(
          (one) =>
            html`<li>
              ${mark}<span>
                ${number(one.count)} × ${one.note}
                <span class="soft">(first: ${one.file ? `${one.file}, ` : ''}entry ${number(one.line)})</span></span
              >
            </li>`,
        )}
      </ul>`
    : null;

function report(body, isTrial) {
  const name = body.recognised ? `Recognised: ${FORMATS[body.recognised] ?? body.recognised}. ` : '';
  const partly = isTrial || body.complete ? '' : 'Only a part was imported. ';
  const count = `${name}${partly}${number(body.lines)} ${body.lines === 1 ? 'memory' : 'memories'} in the file: ${words(body)}.${conversations(body)}`;
  announce(count);
  return [
    html`<h3>${isTrial ? 'What would be stored' : 'Report'}</h3>`,
    html`<p role="status">${count}</p>`,
    isTrial && body.documents?.found
      ? html`<p class="note">
          Everybody in the workspace with document:read can read these conversations and files once they are imported.
        </p>`
      : null,
    body.documents?.preview?.length
      ? html`<ul class="preview" aria-label="The first conversations">
          ${body.documents.preview.map(
            (one) =>
              html`<li>
                <b dir="auto">${one.name}</b
                >${one.turns ? html`<span class="soft"> ${number(one.turns)} turns</span>` : null}
                <p dir="auto" class="clip2">${one.text}</p>
              </li>`,
          )}
        </ul>`
      : null,
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
    reasons(body.reasons, 'Refused', tag('refused', 'destroys')),
    reasons(body.left_out, 'Left out', tag('left out')),
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

  let depth = 0; // How many elements of the place to drop a file are below it.

  async function take(one) {
    if (isStoring) return; // The running import would lose its report.
    const isLines = /\.(jsonl|ndjson)$/i.test(one.name); // Those of a bank may be larger.
    if (one.size > MOST_BYTES && !isLines) {
      wrong = 'The file has more than 256 MiB: of an export with images, send conversations.json alone.';
      drawn();
      return;
    }
    file = one;
    result = nothing; // It was of another file.
    format = one.size > MOST_BYTES ? 'engine' : 'auto';
    await run(true);
  }

  const choose = guarded(async ({ currentTarget }) => {
    const [one] = currentTarget.files;
    currentTarget.value = ''; // The same file can be chosen again when it is corrected.
    if (one) await take(one);
  });
  const on = dropping(guarded(take), (change) => {
    depth = change ? Math.max(0, depth + change) : 0;
    drawn();
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
      const progress = (done) => {
        result = html`<p class="soft" role="status">${done}</p>`;
        drawn();
      };
      const body = isTrial ? await send(bank.name, format, file, true) : await store(bank.name, format, file, progress);
      if (mine !== newest) return;
      result = report(body, isTrial);
      isReady = isTrial && body.stored + body.replaced + body.revisions + (body.documents?.stored ?? 0) > 0;
      if (!isTrial) toast(body.complete ? `Imported into ${bank.name}.` : `Partly imported into ${bank.name}.`);
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
  const storing = guarded(({ currentTarget }) => whileBusy(currentTarget, () => run(false)));
  if (dropped?.bank === bank.name) {
    guarded(take)(dropped.file);
    dropped = null;
  }

  return () =>
    html`${backTo(bank)}
      <header class="detail-head">
        <div>
          <h2>Import into ${bank.name}</h2>
          <p class="soft">
            The same file twice changes nothing. A changed note replaces the one that was imported before. Everybody in
            the workspace who may read documents can read imported conversations and files.
          </p>
        </div>
      </header>
      <div class="import">
        <section
          class="drop${depth > 0 ? ' over' : ''}"
          aria-label="The file"
          @dragenter=${on.enter}
          @dragleave=${on.leave}
          @dragover=${on.above}
          @drop=${on.drop}
        >
          <p>
            <b>Drop a file here</b> or
            <input type="file" id="import-file" class="unseen" accept=${TYPES} @change=${choose} /><label
              for="import-file"
              class="button quiet"
              >Choose a file</label
            >
            <span dir="auto" class="soft">${file?.name ?? 'No file chosen.'}</span>
          </p>
          <p class="soft">
            A data export of ChatGPT or Claude, memories of mem0, Zep or Letta, notes as zip, JSON, CSV or an export of
            a bank.
          </p>
        </section>
        <div class="field">
          <label for="import-format">The file is</label>
          <select id="import-format" ?disabled=${isStoring} .value=${live(format)} @change=${rechoose}>
            ${Object.entries(FORMATS).map(([value, label]) => html`<option value=${value}>${label}</option>`)}
          </select>
        </div>
      </div>
      <p class="problem" role="alert">${wrong}</p>
      <div class="import-report" tabindex="-1">${result}</div>
      <p><button type="button" ?hidden=${!isReady} @click=${storing}>Import</button></p>`;
}
