// Documents: submitted by drag and drop, validated in a queue, read, loaded into banks; their versions, and what each changed.
import { csrf } from '../account.js';
import { all, call, may, Refused } from './api.js';
import { compared } from './revisions.js';
import {
  action,
  ago,
  asCode,
  ask,
  back,
  DANGER,
  el,
  empty,
  enc,
  facts,
  head,
  link,
  number,
  problem,
  put,
  redrawn,
  tag,
  toast,
  whileBusy,
} from './ui.js';
import { listPlace, virtualList } from './virtual.js';

const STATES = { accepted: 'reads', rejected: 'destroys', queued: '', validating: 'changes' };
const SELECT = 'Select a document to see its text, its versions, and the banks that it is loaded into.';
const FIRST = 'Drop a file above. Once it is validated, agents can read it, and you can load it into a bank.';
const MOST_BYTES = 20 * 1024 * 1024;
const TYPES = 'text/plain,.md,.txt,.html,.pdf,.json,.csv,.docx';

const UNITS = ['bytes', 'KB', 'MB'];
function size(bytes) {
  let value = bytes;
  let unit = 0;
  for (; value >= 1000 && unit < 2; unit++) value /= 1024;
  return `${value.toLocaleString('en', { maximumFractionDigits: unit && value < 10 ? 1 : 0 })} ${UNITS[unit]}`;
}

const kind = (document) =>
  ({
    'text/plain': 'text',
    'text/markdown': 'Markdown',
    'text/html': 'HTML',
    'application/pdf': 'PDF',
    'application/json': 'JSON',
    'text/csv': 'CSV',
  })[document.media_type] ?? (document.media_type?.includes('wordprocessingml') ? 'DOCX' : (document.media_type ?? ''));
const state = (document) => tag(document.state, STATES[document.state]);
const expected = (queue) =>
  Number.isInteger(queue.expected_seconds) ? seconds(queue.expected_seconds) : 'no document is being validated now';
const seconds = (value) =>
  value < 90 ? `about ${number(Math.max(1, value))} s` : `about ${number(Math.round(value / 60))} min`;

// Sends one file; fetch cannot tell how much of it is sent.
async function send(file, told) {
  const token = (await csrf()) ?? '';
  const form = new FormData();
  form.append('file', file, file.name);
  return new Promise((resolve, reject) => {
    const request = new XMLHttpRequest();
    request.open('POST', '/api/documents');
    request.setRequestHeader('X-CSRF-Token', token);
    request.responseType = 'json';
    request.upload.addEventListener('progress', (event) => told(event.loaded, event.total));
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

// The place to drop files, and what became of those that were dropped.
function uploads(done) {
  const rows = el('ul', { class: 'uploads', 'aria-label': 'Uploads' });
  const input = el('input', {
    type: 'file',
    multiple: true,
    accept: TYPES,
    id: 'documents-file',
    class: 'unseen',
    change: () => {
      take(input.files);
      input.value = '';
    },
  });
  const box = el(
    'section',
    { class: 'drop', 'aria-label': 'Upload' },
    el(
      'p',
      {},
      el('b', {}, 'Drop files here'),
      ' or ',
      input,
      el('label', { for: 'documents-file', class: 'button quiet' }, 'Choose files'),
      ' ',
      asCode('Submitting a text', () => [{ tool: 'DC_Submit', args: { name: 'guide.md', text: '# A guide' } }]),
    ),
    el(
      'p',
      { class: 'soft' },
      'Text, Markdown, HTML, PDF, JSON, CSV and DOCX, up to 20 MB each. A file with the same name becomes the next version.',
    ),
    rows,
  );
  let depth = 0;
  const over = (change) => {
    depth += change;
    box.classList.toggle('over', depth > 0);
  };
  box.addEventListener('dragenter', (event) => {
    event.preventDefault();
    over(1);
  });
  box.addEventListener('dragleave', () => over(-1));
  box.addEventListener('dragover', (event) => event.preventDefault());
  box.addEventListener('drop', (event) => {
    event.preventDefault();
    depth = 0;
    over(0);
    take(event.dataTransfer.files);
  });

  async function take(files) {
    for (const file of [...files]) await one(file);
  }

  async function one(file) {
    const bar = el('progress', { max: 100, value: 0, 'aria-label': `Upload of ${file.name}` });
    const words = el('span', { class: 'soft', role: 'status' }, size(file.size));
    const row = el('li', {}, el('b', { class: 'clip' }, file.name), bar, words);
    rows.prepend(row);
    if (file.size > MOST_BYTES) return failed('It is larger than 20 MB.');
    try {
      const made = await send(file, (sent, total) => {
        bar.value = (100 * sent) / total;
        words.textContent = `${size(sent)} of ${size(total)}`;
      });
      bar.value = 100;
      words.replaceChildren('Submitted: ', link(`/console/documents/${enc(made.name)}`, `version ${made.version}`));
      done(made);
    } catch (error) {
      failed(error.message);
    }
    function failed(note) {
      bar.remove();
      words.textContent = note;
      words.className = 'problem';
    }
  }
  return box;
}

// What waits and what is being validated, as it changes.
function queue(context) {
  const count = el('span', { class: 'count' });
  const rows = el('ol', { class: 'queue' });
  const box = el('section', { class: 'panel', 'aria-label': 'Queue' }, el('h2', {}, 'Queue ', count), rows);
  let waiting;
  async function read() {
    const body = await call('DC_Queue', { page: { limit: 8 } });
    const { waiting: wait, validating } = body.queue;
    count.textContent = wait + validating ? `${number(validating)} being validated, ${number(wait)} waiting` : '';
    rows.replaceChildren(
      ...(body.documents.length
        ? body.documents.map((one) =>
            el(
              'li',
              {},
              state(one),
              link(`/console/documents/${enc(one.name)}`, el('span', { class: 'clip' }, one.name)),
              el(
                'span',
                { class: 'soft' },
                one.queue?.position ? `${number(one.queue.position)}. in line, ${expected(one.queue)}` : 'now',
              ),
            ),
          )
        : [el('li', { class: 'soft' }, 'Empty.')]),
    );
  }
  const soon = () => {
    waiting ??= setTimeout(() => {
      waiting = undefined;
      if (context.isHere()) read().catch(() => {});
    }, 150);
  };
  context.on('documents', soon);
  context.on('reset', soon);
  return { box, read };
}

export async function show(context) {
  const { at, view, on, isHere } = context;
  view.append(head('Documents', { sub: 'Submitted files: validated, read by agents, loaded into banks.' }));
  if (!may('DC_List')) {
    view.append(empty('Not for this key', 'Documents are for keys with the capability document:read.'));
    return;
  }
  const wanted = at.parts[0];
  const search = el('input', { type: 'search', placeholder: 'Find by name', 'aria-label': 'Find by name' });
  const which = el(
    'select',
    { 'aria-label': 'State' },
    ...['', 'accepted', 'rejected', 'queued', 'validating'].map((one) =>
      el('option', { value: one }, one || 'every state'),
    ),
  );
  const place = el('div', { tabindex: '-1' });
  const side = el('div', { class: 'side' }, el('div', { class: 'filters' }, search, which), place);
  const detail = el('div', { class: 'detail', tabindex: '-1' });
  const hint = el('p', { class: 'soft pick' }, SELECT);
  function make() {
    let cursor;
    return virtualList({
      height: 54,
      label: 'Documents',
      row: (one) => row(one, wanted),
      more: async () => {
        const body = await call('DC_List', {
          newest: true,
          ...(search.value.trim() && { prefix: search.value.trim() }),
          ...(which.value && { state: which.value }),
          page: { limit: 100, ...(cursor && { cursor }) },
        });
        const isFirst = !body.documents.length && !search.value.trim() && !which.value;
        if (!cursor)
          hint.textContent = !isFirst
            ? SELECT
            : may('DC_Submit')
              ? FIRST
              : 'No document has been submitted. Your key may not submit one.';
        cursor = body.next_cursor;
        return { items: body.documents, more: Boolean(cursor) };
      },
      empty: () => (search.value || which.value ? 'No document matches.' : 'No document yet.'),
    });
  }
  const list = listPlace(place, make, isHere);
  async function refresh() {
    if (await list.refresh()) return;
    addEventListener('scroll', later, { once: true, capture: true }); // Of the list or of the page: it may be at its top then.
  }
  let typing;
  search.addEventListener('input', () => {
    clearTimeout(typing);
    typing = setTimeout(list.fill, 200);
  });
  which.addEventListener('change', list.fill);
  let due;
  let versions = [];
  const later = (event) => {
    due ??= setTimeout(() => {
      due = undefined;
      if (isHere()) refresh();
    }, 400);
    const known = versions.find((version) => version.id === event?.id)?.state;
    if (wanted && event?.name?.toLowerCase() === wanted.toLowerCase() && ![known, 'deleted'].includes(event.change))
      read();
  };
  let reads = 0;
  async function read() {
    const turn = ++reads;
    const found = await one(wanted, read, context);
    if (turn !== reads) return;
    versions = found.versions;
    redrawn(detail, () => detail.replaceChildren(...found.pieces));
  }
  on('documents', later);
  on('reset', later);
  const waiting = queue(context);
  put(
    view,
    el(
      'div',
      { class: 'intake' },
      may('DC_Submit') ? uploads((made) => later({ ...made, change: made.state })) : null,
      waiting.box,
    ),
    wanted ? back('/console/documents', 'All documents') : null,
    el('div', { class: `split${wanted ? ' chosen' : ''}` }, side, detail),
  );
  list.fill();
  if (!wanted) detail.append(hint);
  await Promise.all([waiting.read(), wanted ? read() : null]);
}

function row(document, wanted) {
  const entry = link(
    `/console/documents/${enc(document.name)}`,
    el(
      'span',
      { class: 'person-words' },
      el('b', {}, document.name),
      el(
        'span',
        { class: 'soft clip' },
        [kind(document), size(document.size), document.version > 1 ? `v${number(document.version)}` : '']
          .filter(Boolean)
          .join(' · '),
      ),
    ),
    state(document),
  );
  if (document.name.toLowerCase() === wanted?.toLowerCase()) entry.setAttribute('aria-current', 'true');
  return entry;
}

// The versions of a document, newest first, and what is shown of it.
async function one(name, again, context) {
  let versions;
  try {
    versions = await all('DC_List', { name }, (body) => body.documents, 1);
    if (!versions.length) await call('DC_Read', { id: name });
  } catch (error) {
    return { versions: [], pieces: [problem(error)] };
  }
  const [newest] = versions;
  const accepted = versions.find((version) => version.state === 'accepted');
  const pieces = [
    el(
      'header',
      { class: 'detail-head' },
      el('div', {}, el('h2', { class: 'breaks' }, newest.name)),
      el(
        'div',
        { class: 'head-actions' },
        accepted ? action('MB_Load', 'Load into a bank', () => load(accepted, again), '') : null,
        el(
          'a',
          { class: 'button quiet', href: `/api/documents/${enc(newest.id)}?part=file`, download: newest.name },
          'Download',
        ),
        action('DC_Validate', 'Validate again', () =>
          ask({
            title: `Validate ${newest.name} again?`,
            text: 'It returns to the queue and cannot be used until it is validated.',
            verb: 'Validate',
            tool: 'DC_Validate',
            args: () => ({ id: newest.id }),
            done: again,
          }),
        ),
        action('DC_Delete', 'Delete', () => remove(newest, context), DANGER),
      ),
    ),
    el(
      'p',
      { class: 'tagline' },
      state(newest),
      tag(`version ${newest.version}`),
      kind(newest) ? tag(kind(newest)) : null,
      tag(size(newest.size)),
    ),
    newest.queue
      ? el(
          'p',
          { class: 'note' },
          newest.queue.position
            ? `${number(newest.queue.position)}. in line, ${expected(newest.queue)}.`
            : 'It is being validated.',
        )
      : null,
    newest.reasons.length
      ? el(
          'section',
          {},
          el('h3', {}, newest.state === 'rejected' ? 'Why it was rejected' : 'Warnings'),
          el(
            'ul',
            { class: 'why' },
            ...newest.reasons.map((reason) =>
              el(
                'li',
                {},
                tag(reason.code, newest.state === 'rejected' ? 'destroys' : 'changes'),
                ' ',
                reason.message,
                reason.position ? el('span', { class: 'soft' }, ` (${reason.position})`) : null,
              ),
            ),
          ),
        )
      : null,
    el(
      'section',
      {},
      el('h3', {}, 'Versions'),
      el(
        'ol',
        { class: 'versions' },
        ...versions.map((version, i) =>
          el(
            'li',
            {},
            state(version),
            el('b', {}, `Version ${number(version.version)}`),
            el('span', { class: 'soft' }, `by ${version.submitted_by} `, ago(version.created_at)),
            version.characters ? el('span', { class: 'soft' }, `${number(version.characters)} characters`) : null,
            since(version, versions.slice(i + 1)),
          ),
        ),
      ),
    ),
    loaded(newest),
    accepted ? text(accepted) : null,
    el(
      'section',
      {},
      el('h3', {}, 'Record'),
      facts([
        ['Submitted by', newest.submitted_by],
        ['Submitted', ago(newest.created_at)],
        ['Validated', newest.validated_at ? ago(newest.validated_at) : null],
        ['SHA-256', el('code', { class: 'breaks' }, newest.sha256)],
        ['Id', el('code', { class: 'breaks' }, newest.id)],
      ]),
    ),
  ];
  return { versions, pieces: pieces.filter(Boolean) };
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

// What a version changed, against the one before it that was accepted.
function since(version, older) {
  const before = version.state === 'accepted' ? older.find((other) => other.state === 'accepted') : undefined;
  if (!before) return null;
  const place = el('div', { class: 'compared' });
  const details = el('details', {}, el('summary', {}, `What it changed since version ${before.version}`), place);
  details.addEventListener('toggle', async () => {
    if (!details.open || place.childElementCount) return;
    place.append(el('p', { class: 'soft' }, 'Comparing…'));
    try {
      const [old, new_] = await Promise.all([whole(before.id), whole(version.id)]);
      const { added, removed, parts } = compared(old.text, new_.text, '\n\n');
      place.replaceChildren(
        el(
          'p',
          {},
          added + removed
            ? `${number(added)} ${added === 1 ? 'paragraph' : 'paragraphs'} added, ${number(removed)} removed.`
            : 'The text is the same.',
          old.cut || new_.cut ? ' Only the beginning was compared.' : '',
        ),
        ...parts,
      );
    } catch (error) {
      place.replaceChildren(problem(error));
    }
  });
  return details;
}

function text(document) {
  const pre = el('pre', { class: 'document-text', tabindex: '0', 'aria-label': `Text of version ${document.version}` });
  const more = el('button', { type: 'button', class: 'quiet' }, 'More');
  const box = el(
    'section',
    {},
    el(
      'h3',
      {},
      'Text ',
      el('span', { class: 'count' }, `version ${document.version}, ${number(document.characters)} characters`),
    ),
    pre,
    more,
  );
  let cursor;
  async function read() {
    const had = more === document.activeElement;
    try {
      const body = await call('DC_Read', { id: document.id, part: 'text', ...(cursor && { page: { cursor } }) });
      pre.append((cursor ? '\n\n' : '') + body.text);
      cursor = body.next_cursor;
      more.hidden = !cursor;
    } catch (error) {
      box.append(problem(error));
      more.hidden = true;
    }
    if (had && more.hidden) pre.focus({ preventScroll: true });
  }
  more.addEventListener('click', () => whileBusy(more, read));
  whileBusy(more, read);
  return box;
}

// Which banks have it: known to those who may delete it.
function loaded(document) {
  const place = el('div', {}, el('p', { class: 'soft' }, 'Reading…'));
  const box = el('section', {}, el('h3', {}, 'Loaded into'), place);
  if (!may('DC_Delete')) return null;
  call('DC_Delete', { id: document.name, dry_run: true })
    .then((body) =>
      place.replaceChildren(body.loaded.length ? banks(body.loaded) : el('p', { class: 'soft' }, 'No bank.')),
    )
    .catch(() => box.remove());
  return box;
}

const memories = (one_) =>
  el('span', { class: 'soft' }, `${number(one_.memories)} ${one_.memories === 1 ? 'memory' : 'memories'}`);
const banks = (found) =>
  el(
    'ul',
    { class: 'rows why' },
    ...found.map((one_) =>
      el(
        'li',
        {},
        one_.bank
          ? link(`/console/memory/${enc(one_.bank)}`, el('b', {}, one_.bank), memories(one_))
          : el('p', {}, 'Banks that you may not see: ', memories(one_)),
      ),
    ),
  );

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
  const shown = await call('DC_Delete', { id: document.name, dry_run: true }).catch((error) => error);
  if (shown instanceof Error) return toast(shown.message);
  const some = shown.loaded.length > 0;
  return ask({
    title: `Delete ${document.name}?`,
    text: [
      `File, text and record of ${number(shown.deleted)} ${shown.deleted === 1 ? 'version' : 'versions'} are deleted permanently.`,
      ...(some ? ['Memories were loaded from it:', banks(shown.loaded)] : []),
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
