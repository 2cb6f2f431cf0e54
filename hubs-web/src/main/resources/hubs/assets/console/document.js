// One document: its versions, what each changed, its text, the banks that have it.
import { all, call, may } from './api.js';
import {
  action,
  ago,
  ask,
  button,
  DANGER,
  enc,
  facts,
  html,
  link,
  nothing,
  number,
  problem,
  tag,
  toast,
  whileBusy,
} from './parts.js';
import { compared } from './revisions.js';
import { sizeWords } from './transcript-model.js';

const STATES = { accepted: 'reads', rejected: 'destroys', queued: '', validating: 'changes' };
export const kind = (document) =>
  ({
    'text/plain': 'text',
    'text/markdown': 'Markdown',
    'text/html': 'HTML',
    'application/pdf': 'PDF',
    'application/json': 'JSON',
    'text/csv': 'CSV',
    'application/vnd.openxmlformats-officedocument.wordprocessingml.document': 'DOCX',
    'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet': 'XLSX',
    'application/vnd.openxmlformats-officedocument.presentationml.presentation': 'PPTX',
    'application/vnd.oasis.opendocument.text': 'ODT',
    'application/vnd.oasis.opendocument.spreadsheet': 'ODS',
    'application/vnd.oasis.opendocument.presentation': 'ODP',
    'application/rtf': 'RTF',
    'application/epub+zip': 'EPUB',
    'message/rfc822': 'EML',
    'application/vnd.ms-outlook': 'MSG',
  })[document.media_type] ??
  document.media_type ??
  '';
export const state = (document) => tag(document.state, STATES[document.state]);
export const expected = (queue) =>
  Number.isInteger(queue.expected_seconds) ? seconds(queue.expected_seconds) : 'no document is being validated now';
const seconds = (value) =>
  value < 90 ? `about ${number(Math.max(1, value))} s` : `about ${number(Math.round(value / 60))} min`;

// The versions of a document, newest first, and what is shown of it.
export async function oneDocument(name, again, context) {
  let versions;
  try {
    versions = await all('DC_List', { name }, (body) => body.documents, 1);
    if (!versions.length) {
      await call('DC_Read', { id: name });
      throw new Error('There is no document with this name, or it was deleted.');
    }
  } catch (error) {
    return { versions: [], view: () => problem(error) };
  }
  const [newest] = versions;
  const accepted = versions.find((version) => version.state === 'accepted');
  const { drawn } = context;
  const read = accepted ? text(accepted, drawn) : null;
  const banksOf = may('DC_Delete') ? loaded(newest, drawn) : null;
  const compares = versions.map((version, i) => since(version, versions.slice(i + 1), drawn));
  const view = () => [
    html`<header class="detail-head">
      <div><h2 dir="auto" class="breaks">${newest.name}</h2></div>
      <div class="head-actions">
        ${accepted ? action('MB_Load', 'Load into a bank', () => load(accepted, again), '') : nothing}<a
          class="button quiet"
          href="/api/documents/${enc(newest.id)}?part=file"
          download=${newest.name ?? nothing}
          >Download</a
        >${action('DC_Validate', 'Validate again', () =>
          ask({
            title: `Validate ${newest.name} again?`,
            text: 'It returns to the queue and cannot be used until it is validated.',
            verb: 'Validate',
            tool: 'DC_Validate',
            args: () => ({ id: newest.id }),
            done: again,
          }),
        )}${action('DC_Delete', 'Delete', () => remove(newest, context), DANGER)}
      </div>
    </header>`,
    html`<p class="tagline">
      ${state(newest)}${tag(`version ${newest.version}`)}${kind(newest) ? tag(kind(newest)) : nothing}${
        newest.kind ? tag(`${newest.kind}, ${number(newest.turns)} turns`) : nothing
      }${tag(sizeWords(newest.size))}
    </p>`,
    newest.queue
      ? html`<p class="note">
          ${
            newest.queue.position
              ? `${number(newest.queue.position)}. in line, ${expected(newest.queue)}.`
              : 'It is being validated.'
          }
        </p>`
      : nothing,
    newest.reasons.length
      ? html`<section>
          <h3>${newest.state === 'rejected' ? 'Why it was rejected' : 'Warnings'}</h3>
          <ul class="why">
            ${newest.reasons.map(
              (reason) =>
                html`<li>
                  ${tag(reason.code, newest.state === 'rejected' ? 'destroys' : 'changes')}
                  ${reason.message}${reason.position ? html`<span class="soft"> (${reason.position})</span>` : nothing}
                </li>`,
            )}
          </ul>
        </section>`
      : nothing,
    html`<section>
      <h3>Versions</h3>
      <ol class="versions">
        ${versions.map(
          (version, i) =>
            html`<li>
              ${state(version)}<b>Version ${number(version.version)}</b
              ><span class="soft">by ${version.submitted_by} ${ago(version.created_at)}</span
              >${version.characters ? html`<span class="soft">${number(version.characters)} characters</span>` : nothing}${compares[i]()}
            </li>`,
        )}
      </ol>
    </section>`,
    banksOf ? banksOf() : nothing,
    read ? read() : nothing,
    html`<section>
      <h3>Record</h3>
      ${facts([
        ['Submitted by', newest.submitted_by],
        ['Submitted', ago(newest.created_at)],
        ['Validated', newest.validated_at ? ago(newest.validated_at) : null],
        ['SHA-256', html`<code class="breaks">${newest.sha256}</code>`],
        ['Id', html`<code class="breaks">${newest.id}</code>`],
      ])}
    </section>`,
  ];
  return { versions, view };
}

// The text of a version, whole where it is not too long.
async function whole(id, parts = 4) {
  let text_ = '';
  let cursor;
  for (let i = 0; i < parts; i++) {
    const body = await call('DC_Read', { id, part: 'text', ...(cursor && { page: { cursor } }) });
    text_ += (text_ && '\n\n') + body.text;
    cursor = body.next_cursor;
    if (!cursor) return { text: text_, cut: false };
  }
  return { text: text_, cut: true };
}

// What a version changed, against the one before it that was accepted. Returns view, which is read once it is opened.
function since(version, older, drawn) {
  const before = version.state === 'accepted' ? older.find((other) => other.state === 'accepted') : undefined;
  if (!before) return () => nothing;
  let comparison = null;
  const take = (found) => {
    comparison = found;
    drawn();
  };
  const opened = ({ currentTarget }) => {
    if (!currentTarget.open || comparison) return;
    take(html`<p class="soft">Comparing…</p>`);
    Promise.all([whole(before.id), whole(version.id)]).then(
      ([old, now]) => take(difference(old, now)),
      (error) => take(problem(error)),
    );
  };
  return () =>
    html`<details @toggle=${opened}>
      <summary>What it changed since version ${before.version}</summary>
      <div class="compared">${comparison ?? nothing}</div>
    </details>`;
}

function difference(old, now) {
  const { added, removed, parts } = compared(old.text, now.text, '\n\n');
  const count =
    added + removed
      ? `${number(added)} ${added === 1 ? 'paragraph' : 'paragraphs'} added, ${number(removed)} removed.`
      : 'The text is the same.';
  return html`<p>${count}${old.cut || now.cut ? ' Only the beginning was compared.' : ''}</p>
    ${parts}`;
}

// The text of a document, read in steps. Returns view.
function text(document, drawn) {
  let words = '';
  let cursor;
  let failed = null;
  async function read() {
    try {
      const body = await call('DC_Read', { id: document.id, part: 'text', ...(cursor && { page: { cursor } }) });
      words += (cursor ? '\n\n' : '') + body.text;
      cursor = body.next_cursor;
    } catch (error) {
      failed = error;
      cursor = undefined;
    }
    drawn();
  }
  const more = async ({ currentTarget }) => {
    const box = currentTarget.closest('section');
    const had = currentTarget === globalThis.document.activeElement;
    await whileBusy(currentTarget, read);
    if (had && !cursor) box.querySelector('pre').focus({ preventScroll: true });
  };
  read();
  return () =>
    html`<section>
      <h3>Text <span class="count">version ${document.version}, ${number(document.characters)} characters</span></h3>
      <pre dir="auto" class="document-text" tabindex="0" aria-label="Text of version ${document.version}">${words}</pre>
      ${cursor ? button('More', more) : nothing} ${failed ? problem(failed) : nothing}
    </section>`;
}

// Which banks have it: known to those who may delete it. Returns view.
function loaded(document, drawn) {
  let loads = html`<p class="soft">Reading…</p>`;
  call('DC_Delete', { id: document.name, dry_run: true })
    .then(
      (body) => (loads = body.loaded.length ? banks(body.loaded) : html`<p class="soft">No bank.</p>`),
      () => (loads = null),
    )
    .then(drawn);
  return () =>
    loads
      ? html`<section>
          <h3>Loaded into</h3>
          <div>${loads}</div>
        </section>`
      : nothing;
}

const memories = (one_) =>
  html`<span class="soft">${number(one_.memories)} ${one_.memories === 1 ? 'memory' : 'memories'}</span>`;
const banks = (found) =>
  html`<ul class="rows why">
    ${found.map(
      (one_) =>
        html`<li>
          ${
            one_.bank
              ? link(`/console/memory/${enc(one_.bank)}`, html`<b dir="auto">${one_.bank}</b>`, memories(one_))
              : html`<p>Banks that you may not see: ${memories(one_)}</p>`
          }
        </li>`,
    )}
  </ul>`;

async function load(document, done) {
  const names = (await all('MB_List', {}, (body) => body.profile, 2)).map((bank) => bank.name);
  if (!names.length) return toast('Create a bank under Memory first.');
  return ask({
    title: `Load ${document.name} into a bank`,
    text: 'The document is split by its structure into memories. Unchanged parts keep their memory.',
    verb: 'Load',
    tool: 'MB_Load',
    fields: [{ name: 'bank', label: 'Bank', options: names, value: names[0] }],
    args: ({ bank }) => ({ target: { bank }, vx: { name: document.name } }),
    done: ({ document: result }) => {
      toast(`Memories: ${number(result.added)} added, ${number(result.kept)} kept, ${number(result.removed)} removed.`);
      done();
    },
  });
}

// What was loaded from it is shown first.
async function remove(document, context) {
  const preview = await call('DC_Delete', { id: document.name, dry_run: true }).catch((error) => error);
  if (preview instanceof Error) return toast(preview.message);
  const some = preview.loaded.length > 0;
  return ask({
    title: `Delete ${document.name}?`,
    text: [
      `File, text and record of ${number(preview.deleted)} ${preview.deleted === 1 ? 'version' : 'versions'} are deleted permanently.`,
      ...(some ? ['Memories were loaded from it:', banks(preview.loaded)] : []),
    ],
    verb: 'Delete',
    danger: true,
    tool: 'DC_Delete',
    fields: some ? [{ name: 'memories', label: 'These memories', options: ['keep', 'delete'], value: 'keep' }] : [],
    args: ({ memories }) => ({ id: document.name, ...(memories && { memories }) }),
    done: (answer) => {
      toast(answer.memories ? `Deleted. Memories deleted with it: ${number(answer.memories)}.` : 'Deleted.');
      context.go('/console/documents');
    },
  });
}
