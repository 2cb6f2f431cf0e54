// The calls of this tab: kept in the tab's own storage, which ends with it; and addresses that fill in the form. Neither holds a key.
import { el, holdsKey } from './dom.js';

const KEPT = 20;
const STORE = 'calls';

// The address of a tool's page with these arguments; they are behind the hash, which no server sees. Null if they contain a key.
export function linkTo(tool, args) {
  const text = JSON.stringify(args);
  return holdsKey(text) ? null : `/mcp-hub/tools/${tool}${text === '{}' ? '' : `#with=${encodeURIComponent(text)}`}`;
}

// The arguments that the address names; null if it names none.
export function linked() {
  const text = location.hash.startsWith('#with=') ? location.hash.slice(6) : '';
  try {
    const args = text ? JSON.parse(decodeURIComponent(text)) : null;
    return args !== null && typeof args === 'object' && !Array.isArray(args) ? args : null;
  } catch {
    return null;
  }
}

function read() {
  try {
    return JSON.parse(sessionStorage.getItem(STORE)) ?? [];
  } catch {
    return [];
  }
}

function write(calls) {
  try {
    sessionStorage.setItem(STORE, JSON.stringify(calls));
  } catch {
    // Storage may be switched off or full; there is no history then.
  }
}

export function keep(tool, args, outcome) {
  const link = linkTo(tool, args);
  if (link && link.length < 4000)
    write([{ tool, link, outcome, at: new Date().toISOString() }, ...read()].slice(0, KEPT));
  show();
}

export function show() {
  const box = document.getElementById('calls');
  const calls = read();
  box.hidden = calls.length === 0;
  box
    .querySelector('ol')
    .replaceChildren(
      ...calls.map((call) =>
        el(
          'li',
          {},
          el('a', { href: call.link, class: 'name' }, call.tool),
          el('span', { class: call.outcome === 'Done' ? 'tag reads' : 'tag destroys' }, call.outcome),
          el('span', { class: 'hint' }, new Date(call.at).toLocaleTimeString()),
        ),
      ),
    );
  box.querySelector('button').onclick = () => {
    write([]);
    show();
  };
}
