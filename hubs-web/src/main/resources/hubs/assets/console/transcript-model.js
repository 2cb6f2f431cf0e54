// What a conversation shows, without a document: its messages in order, day lines, groups of one author, and announcements.

const GROUP_MS = 5 * 60_000;

export const bySeq = (a, b) => a.seq - b.seq;
export const byTime = (a, b) => Date.parse(a.created_at) - Date.parse(b.created_at) || a.seq - b.seq;

// Messages in order, each once.
export class Messages {
  #byId = new Map();
  #compare;
  #list = [];

  constructor(compare = bySeq) {
    this.#compare = compare;
  }

  get list() {
    return this.#list;
  }

  get size() {
    return this.#byId.size;
  }

  has(id) {
    return this.#byId.has(id);
  }

  get(id) {
    return this.#byId.get(id);
  }

  // Returns those that are new.
  add(messages) {
    const fresh = messages.filter((message) => !this.#byId.has(message.id));
    for (const message of fresh) this.#byId.set(message.id, message);
    if (fresh.length) this.#list = [...this.#byId.values()].sort(this.#compare);
    return fresh;
  }

  // Takes what is known anew of a message.
  replace(message) {
    if (!this.#byId.has(message.id)) return;
    this.#byId.set(message.id, message);
    this.#list = this.#list.map((one) => (one.id === message.id ? message : one));
  }

  // One that was just sent is counted at what it answers.
  countAnswer({ reply_to: id }) {
    const answered = id && this.#byId.get(id);
    if (answered) this.replace({ ...answered, replies: (answered.replies ?? 0) + 1 });
  }

  // Forgets the oldest. Returns whether there were any.
  keepLatest(count) {
    if (this.#list.length <= count) return false;
    for (const message of this.#list.slice(0, -count)) this.#byId.delete(message.id);
    this.#list = this.#list.slice(-count);
    return true;
  }

  clear() {
    this.#byId.clear();
    this.#list = [];
  }

  // The first message of the thread that a message belongs to, as far as it is known.
  rootOf(id) {
    const seen = new Set();
    let root = id;
    for (let one = this.get(id); one?.reply_to && !seen.has(root); one = this.get(root)) {
      seen.add(root);
      root = one.reply_to;
    }
    return root;
  }

  // Who answers whom, and how often.
  answers() {
    const counts = new Map();
    for (const message of this.#list) {
      const to = this.get(message.reply_to)?.from ?? message.chain?.at(-1);
      if (!to || to === message.from) continue;
      const pair = JSON.stringify([message.from, to]);
      counts.set(pair, (counts.get(pair) ?? 0) + 1);
    }
    return [...counts].map(([pair, times]) => {
      const [from, to] = JSON.parse(pair);
      return { from, to, times };
    });
  }
}

const dayOf = (iso) => new Date(iso).toDateString();

// Today, Yesterday, or the date; the year where it is another one.
export function dayWords(iso, now = new Date()) {
  const date = new Date(iso);
  const yesterday = new Date(now);
  yesterday.setDate(now.getDate() - 1);
  if (date.toDateString() === now.toDateString()) return 'Today';
  if (date.toDateString() === yesterday.toDateString()) return 'Yesterday';
  const isThisYear = date.getFullYear() === now.getFullYear();
  return date.toLocaleDateString('en-GB', {
    weekday: 'long',
    day: 'numeric',
    month: 'long',
    ...(!isThisYear && { year: 'numeric' }),
  });
}

const author = (message) =>
  JSON.stringify([message.from, message.from_kind, message.by_key, message.domain, message.zone]);

// Whether a message continues what its author said right before.
const continues = (message, before) =>
  before &&
  author(message) === author(before) &&
  !message.reply_to &&
  !message.question &&
  !before.question &&
  Date.parse(message.created_at) - Date.parse(before.created_at) < GROUP_MS;

// The rows of a transcript: a line for each day, and the messages, of which the first of a group shows who wrote it.
export function rows(messages, now = new Date()) {
  const found = [];
  let before = null;
  for (const message of messages) {
    const isNewDay = !before || dayOf(before.created_at) !== dayOf(message.created_at);
    if (isNewDay)
      found.push({ key: `day ${dayOf(message.created_at)} ${message.id}`, day: dayWords(message.created_at, now) });
    found.push({ key: message.id, message, isFirst: isNewDay || !continues(message, before) });
    before = message;
  }
  return found;
}

// Several announcements can be one message. Each may begin with who made it.
const NOTICE = /(?:^|; )([^']{1,200}?: )'((?:(?!' \(task )[^]){0,500})' \(task ([0-9a-f-]{36})\)/g;

// The announcements of changes of tasks, each in parts: words, title, the id of the task, and the rest. Of any other text, none.
export function notices(text) {
  const found = [...text.matchAll(NOTICE)];
  if (found[0]?.index !== 0) return [];
  return found.map((one, i) => {
    const [whole, words, title, task] = one;
    const rest = text.slice(one.index + whole.length, found[i + 1]?.index);
    return { words, title, task, rest, domain: /, in the domain '([^']+)'$/.exec(rest)?.[1] };
  });
}

// An announcement without the id of its task, where a text stands alone.
export const withoutIds = (text) => text.replace(/ \(task [0-9a-f-]{36}\)/g, '');

const UNITS = ['bytes', 'KB', 'MB'];

export function sizeWords(bytes) {
  let value = bytes;
  let unit = 0;
  for (; value >= 1000 && unit < 2; unit++) value /= 1024;
  return `${value.toLocaleString('en', { maximumFractionDigits: unit && value < 10 ? 1 : 0 })} ${UNITS[unit]}`;
}

// Of one agent's messages: its direct conversations by the other party, the reader's own first, and what it said in rooms.
export function places(agent, messages, reader) {
  const others = new Map([[reader, { key: `with ${reader}`, title: 'With you', other: reader, messages: [] }]]);
  const rooms = { key: 'rooms', title: 'In rooms', messages: [] };
  for (const message of messages) {
    if (message.domain) {
      rooms.messages.push(message);
      continue;
    }
    const other = message.from === agent ? message.to : message.from;
    if (!others.has(other)) others.set(other, { key: `with ${other}`, title: `With ${other}`, other, messages: [] });
    others.get(other).messages.push(message);
  }
  return [...others.values(), rooms];
}
