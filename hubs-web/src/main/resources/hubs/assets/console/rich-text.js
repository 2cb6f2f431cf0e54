// What somebody wrote, in parts: paragraphs, lists, code, and links to http and https. It is only read: what is no part of these stays text.

const MOST_DEPTH = 4;
const ITEM = /^(\s*)(?:[-*•]|(\d{1,4})[.)])\s+(\S[^]*)$/;
const FENCE = /^\s*```[\w+-]*\s*$/;
const END_OF_FENCE = /^\s*```\s*$/;

const indentOf = (text) => text.replaceAll('\t', '    ').length;

// A list of nested lists: {ordered, start, items: [{text, lists}]}.
class ListReader {
  #open = []; // From the outer to the inner list, each with its indent.

  constructor() {
    this.lists = [];
  }

  add(indent, number, text) {
    while (this.#open.length > 1 && indent < this.#open.at(-1).indent) this.#open.pop();
    const inner = this.#open.at(-1);
    const isDeeper = inner && indent > inner.indent + 1 && this.#open.length < MOST_DEPTH;
    if (!inner || isDeeper || (this.#open.length === 1 && inner.list.ordered !== Boolean(number)))
      this.#begin(indent, number, isDeeper ? inner.list.items.at(-1).lists : this.lists, isDeeper);
    this.#open.at(-1).list.items.push({ text, lists: [] });
  }

  #begin(indent, number, place, isDeeper) {
    const list = { ordered: Boolean(number), start: number ? Number(number) : 1, items: [] };
    place.push(list);
    if (!isDeeper) this.#open = [];
    this.#open.push({ indent, list });
  }

  // A line below an item that is indented belongs to it.
  continues(text) {
    const item = this.#open.at(-1).list.items.at(-1);
    item.text += `\n${text}`;
  }
}

// The blocks of a text: {code}, {text} or {list}.
export function blocks(text) {
  const found = [];
  let lines = [];
  let reader = null;
  const endText = () => {
    const body = lines.join('\n').replace(/^\n+|\s+$/g, '');
    if (body) found.push({ text: body });
    lines = [];
  };
  const endList = () => {
    if (reader) found.push(...reader.lists.map((list) => ({ list })));
    reader = null;
  };
  let code = null;
  for (const line of text.split('\n')) {
    if (code) {
      if (END_OF_FENCE.test(line)) {
        if (code.length) found.push({ code: code.join('\n') });
        code = null;
      } else code.push(line);
      continue;
    }
    const [, indent, number, words] = ITEM.exec(line) ?? [];
    if (FENCE.test(line)) {
      endText();
      endList();
      code = [];
    } else if (words) {
      endText();
      reader ??= new ListReader();
      reader.add(indentOf(indent), number, words.trimEnd());
    } else if (reader && /^\s+\S/.test(line)) reader.continues(line.trim());
    else {
      endList();
      lines.push(line);
    }
  }
  if (code?.length) found.push({ code: code.join('\n') });
  endText();
  endList();
  return found;
}

// Code between backticks, a link with words, or an address.
const INLINE = /`([^`\n]+)`|\[([^[\]\n]{1,200})\]\((https?:\/\/[^\s()<>]{1,2000})\)|https?:\/\/[^\s<>"'`]{1,2000}/giu;
const PAIRS = { ')': '(', ']': '[', '}': '{' };
const count = (text, sign) => text.split(sign).length - 1;

// What ends a sentence is no part of its last address, nor is a bracket that was opened before it.
function withoutEnd(address) {
  let end = address;
  for (;;) {
    const last = end.at(-1);
    const isOpen = PAIRS[last] && count(end, last) > count(end, PAIRS[last]);
    if (!isOpen && !/[.,;:!?*_~…]/u.test(last)) return end;
    end = end.slice(0, -1);
  }
}

// The address of a link that says where it leads: without a name and password, and without signs that nobody sees.
function addressOf(text) {
  if (/[\p{Cc}\p{Cf}\p{Co}\p{Cn}\\]/u.test(text)) return null;
  const url = URL.canParse(text) ? new URL(text) : null;
  return url && ['http:', 'https:'].includes(url.protocol) && !url.username && !url.password && url.hostname
    ? url
    : null;
}

// The parts of a line: {text}, {code} or {href, text, host}; host where the words are not the address.
export function inline(text) {
  const found = [];
  let at = 0;
  const until = (index) => {
    if (index > at) found.push({ text: text.slice(at, index) });
  };
  for (const match of text.matchAll(INLINE)) {
    const [whole, code, words, target] = match;
    if (match.index < at) continue;
    if (code) {
      until(match.index);
      found.push({ code });
      at = match.index + whole.length;
      continue;
    }
    const address = words ? target : withoutEnd(whole);
    const url = addressOf(address);
    if (!url) continue;
    until(match.index);
    found.push({ href: url.href, text: words ?? address, ...(words && { host: url.host }) });
    at = match.index + (words ? whole.length : address.length);
  }
  until(text.length);
  return found;
}
