// Documents: submitted by drag and drop, validated in a queue, read, loaded into banks; their versions, and what each changed.
import { csrf } from '../account.js';
import { call, may, Refused } from './api.js';
import { expected, kind, oneDocument, state } from './document.js';
import { asCode, back, draw, el, empty, enc, head, html, link, nothing, number, repeat } from './parts.js';
import { sizeWords } from './transcript-model.js';
import { virtualList } from './virtual.js';

const SELECT = 'Select a document to see its text, its versions, and the banks that it is loaded into.';
const FIRST = 'Drop a file above. Once it is validated, agents can read it, and you can load it into a bank.';
const MOST_BYTES = 20 * 1024 * 1024;
const TYPES = 'text/plain,.md,.txt,.html,.pdf,.json,.csv,.docx,.xlsx,.pptx,.odt,.ods,.odp,.rtf,.epub,.eml,.msg';

// Sends one file; fetch cannot tell how much of it is sent.
async function send(file, onProgress) {
  const token = (await csrf()) ?? '';
  const form = new FormData();
  form.append('file', file, file.name);
  return new Promise((resolve, reject) => {
    const request = new XMLHttpRequest();
    request.open('POST', '/api/documents');
    request.setRequestHeader('X-CSRF-Token', token);
    request.responseType = 'json';
    request.upload.addEventListener('progress', (event) => onProgress(event.loaded, event.total));
    request.addEventListener('load', () =>
      request.status < 300
        ? resolve(request.response.document)
        : reject(
            new Refused(request.response?.detail ?? `The service answered ${request.status}.`, request.response?.error),
          ),
    );
    request.addEventListener('error', () => reject(new Refused('The service cannot be reached.', 'unreachable')));
    request.send(form);
  });
}

// The place to drop files, and what became of those that were dropped. Returns view, the part of the page.
function uploads(done, drawn) {
  const files = []; // The newest first: each with sent of total bytes, or what was made of it, or why it failed.
  let depth = 0;

  async function take(files) {
    for (const file of [...files]) await one(file);
  }

  async function one(file) {
    const row = { file, sent: 0, total: file.size };
    files.unshift(row);
    const change = (more) => {
      Object.assign(row, more);
      drawn();
    };
    if (file.size > MOST_BYTES) return change({ note: 'It is larger than 20 MB.' });
    drawn();
    try {
      const made = await send(file, (sent, total) => change({ sent, total }));
      change({ made, sent: 1, total: 1 });
      done(made);
    } catch (error) {
      change({ note: error.message });
    }
    return undefined;
  }

  const choose = ({ currentTarget }) => {
    take(currentTarget.files);
    currentTarget.value = '';
  };
  const over = (change) => (event) => {
    event.preventDefault();
    depth = change ? depth + change : 0;
    if (event.type === 'drop') take(event.dataTransfer.files);
    drawn();
  };

  return () =>
    html`<section
      class="drop${depth > 0 ? ' over' : ''}"
      aria-label="Upload"
      @dragenter=${over(1)}
      @dragleave=${over(-1)}
      @dragover=${(event) => event.preventDefault()}
      @drop=${over(0)}
    >
      <p>
        <b>Drop files here</b> or
        <input type="file" multiple accept=${TYPES} id="documents-file" class="unseen" @change=${choose} /><label
          for="documents-file"
          class="button quiet"
          >Choose files</label
        >
        ${asCode('Submitting a text', () => [{ tool: 'DC_Submit', args: { name: 'guide.md', text: '# A guide' } }])}
      </p>
      <p class="soft">
        Text, Markdown, HTML, PDF, JSON, CSV, DOCX, XLSX, PPTX, ODT, ODS, ODP, RTF, EPUB, EML and MSG, up to 20 MB each.
        A file with the same name becomes the next version.
      </p>
      <ul class="uploads" aria-label="Uploads">
        ${repeat(files, (row) => row, upload)}
      </ul>
    </section>`;
}

function upload({ file, sent, total, made, note }) {
  const words = made
    ? html`Submitted: ${link(`/console/documents/${enc(made.name)}`, `version ${made.version}`)}`
    : sent
      ? `${sizeWords(sent)} of ${sizeWords(total)}`
      : sizeWords(file.size);
  return html`<li>
    <b dir="auto" class="clip">${file.name}</b>
    ${
      note
        ? nothing
        : html`<progress max="100" value=${(100 * sent) / total} aria-label="Upload of ${file.name}"></progress>`
    }
    <span class=${note ? 'problem' : 'soft'} role="status">${note ?? words}</span>
  </li>`;
}

// What waits and what is being validated, as it changes.
function queue({ on, isHere, drawn }) {
  let answer = { queue: { waiting: 0, validating: 0 }, documents: [] };
  let due;
  async function read() {
    answer = await call('DC_Queue', { page: { limit: 8 } });
    drawn();
  }
  const soon = () => {
    due ??= setTimeout(() => {
      due = undefined;
      if (isHere()) read().catch(() => {});
    }, 150);
  };
  on('documents', soon);
  on('reset', soon);

  const line = (one) =>
    html`<li>
      ${state(one)}
      ${link(`/console/documents/${enc(one.name)}`, html`<span dir="auto" class="clip">${one.name}</span>`)}
      <span class="soft"
        >${one.queue?.position ? `${number(one.queue.position)}. in line, ${expected(one.queue)}` : 'now'}</span
      >
    </li>`;
  function view() {
    const { waiting, validating } = answer.queue;
    const count = waiting + validating ? `${number(validating)} being validated, ${number(waiting)} waiting` : '';
    return html`<section class="panel" aria-label="Queue">
      <h2>Queue <span class="count">${count}</span></h2>
      <ol class="queue" tabindex="-1">
        ${answer.documents.length ? repeat(answer.documents, (one) => one.id, line) : html`<li class="soft">Empty.</li>`}
      </ol>
    </section>`;
  }
  return { read, view };
}

export async function show(context) {
  const { at, view, on, isHere } = context;
  const title = head('Documents', { sub: 'Submitted files: validated, read by agents, loaded into banks.' });
  if (!may('DC_List')) {
    const none = empty('Not for this key', 'Documents are for keys with the capability document:read.');
    return draw(html`${title}${none}`, view);
  }
  const [documentName] = at.parts;
  const search = el('input', { type: 'search', placeholder: 'Find by name', 'aria-label': 'Find by name' });
  const which = el(
    'select',
    { 'aria-label': 'State' },
    ...['', 'accepted', 'rejected', 'queued', 'validating'].map((one) =>
      el('option', { value: one }, one || 'Every state'),
    ),
  );
  const list = virtualList({
    height: 54,
    key: (one) => one.id,
    label: 'Documents',
    row: (one) => row(one, documentName),
    isWanted: isHere,
    empty: () => (search.value || which.value ? 'No document matches.' : 'No document yet.'),
    reader: () => {
      const args = {
        newest: true,
        ...(search.value.trim() && { prefix: search.value.trim() }),
        ...(which.value && { state: which.value }),
      };
      let cursor;
      return async () => {
        const body = await call('DC_List', { ...args, page: { limit: 100, ...(cursor && { cursor }) } });
        cursor = body.next_cursor;
        return { items: body.documents, more: Boolean(cursor) };
      };
    },
  });
  async function refresh() {
    if (await list.refresh()) return drawn();
    addEventListener('scroll', happened, { once: true, capture: true }); // Of the list or of the page: it may be at its top then.
    return undefined;
  }
  let typing;
  search.addEventListener('input', () => {
    clearTimeout(typing);
    typing = setTimeout(list.fill, 200);
  });
  which.addEventListener('change', list.fill);
  let due;
  let detail = { versions: [], view: () => (documentName ? nothing : html`<p class="soft pick">${hint()}</p>`) };
  const hint = () =>
    !list.isEmpty || search.value.trim() || which.value
      ? SELECT
      : may('DC_Submit')
        ? FIRST
        : 'No document has been submitted. Your key may not submit one.';
  const happened = (event) => {
    due ??= setTimeout(() => {
      due = undefined;
      if (isHere()) refresh();
    }, 400);
    const before = detail.versions.find((version) => version.id === event?.id)?.state;
    if (
      documentName &&
      event?.name?.toLowerCase() === documentName.toLowerCase() &&
      ![before, 'deleted'].includes(event.change)
    )
      read();
  };
  let reads = 0;
  async function read() {
    const turn = ++reads;
    const found = await oneDocument(documentName, read, { ...context, drawn });
    if (turn !== reads) return;
    detail = found;
    drawn();
  }
  on('documents', happened);
  on('reset', happened);
  const waiting = queue({ on, isHere, drawn });
  const dropped = may('DC_Submit') ? uploads((made) => happened({ ...made, change: made.state }), drawn) : null;
  let isRead = false;
  function drawn() {
    if (!isHere() || !isRead) return;
    draw(
      html`${title}
        <div class="intake">${dropped ? dropped() : nothing}${waiting.view()}</div>
        ${documentName ? back('/console/documents', 'All documents') : nothing}
        <div class="split${documentName ? ' chosen' : ''}">
          <div class="side">
            <div class="filters">${search}${which}</div>
            <div tabindex="-1">${list.element}</div>
          </div>
          <div class="detail" tabindex="-1">${detail.view()}</div>
        </div>`,
      view,
    );
  }
  await Promise.all([waiting.read(), documentName ? read() : list.ready]);
  isRead = true;
  return drawn();
}

const row = (document, documentName) =>
  html`<a
    href="/console/documents/${enc(document.name)}"
    data-go="true"
    aria-current=${document.name.toLowerCase() === documentName?.toLowerCase() ? 'true' : nothing}
    ><span class="person-words"
      ><b dir="auto">${document.name}</b
      ><span class="soft clip"
        >${[kind(document), sizeWords(document.size), document.version > 1 ? `v${number(document.version)}` : '']
          .filter(Boolean)
          .join(' · ')}</span
      ></span
    >${state(document)}</a
  >`;
