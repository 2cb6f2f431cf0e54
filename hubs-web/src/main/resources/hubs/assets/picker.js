// Names to choose from while one writes: the agents, domains, banks and zones that the caller may see.
import { csrf, signedIn } from './account.js';
import { el } from './dom.js';

const SOURCES = {
  agent: { tool: 'AP_List', ask: (prefix) => ({ target: { agent: prefix } }) },
  domain: { tool: 'DM_List', ask: (prefix) => (prefix ? { target: { domain: prefix } } : {}) },
  bank: { tool: 'MB_List', ask: (prefix) => (prefix ? { target: { bank: prefix } } : {}) },
  zone: {
    tool: 'ZN_List',
    ask: (_, field) => ({ target: { domain: field('target.domain') } }),
    needs: 'target.domain',
  },
};
const PAUSE = 150;

async function names({ tool, ask }, prefix, field) {
  const response = await fetch(`/api/mcp/tools/${tool}/invoke`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', 'X-CSRF-Token': await csrf() },
    body: JSON.stringify(ask(prefix, field)),
  });
  if (!response.ok) return [];
  const envelope = await response.json();
  const list = Object.entries(envelope).find(([name, value]) => name !== 'header' && Array.isArray(value))?.[1] ?? [];
  return list.map((one) => one.name).filter(Boolean);
}

// Gives the text field of a path its names; field reads the value of another path.
export function pick(path, control, field) {
  const source = SOURCES[path.replace('target.', '')];
  if (!source || control.tagName !== 'INPUT') return;
  const list = el('datalist', { id: `${control.id}-names` });
  control.after(list);
  control.setAttribute('list', list.id);
  let waiting;
  let lastKey;
  const look = async () => {
    const prefix = control.value.trim();
    const key = `${prefix} ${source.needs ? field(source.needs) : ''}`;
    if (!signedIn() || lastKey === key || (source.needs && !field(source.needs))) return;
    lastKey = key;
    const found = await names(source, prefix, field).catch(() => []);
    if (lastKey === key) list.replaceChildren(...found.map((name) => el('option', { value: name })));
  };
  control.addEventListener('focus', look);
  control.addEventListener('input', () => {
    clearTimeout(waiting);
    waiting = setTimeout(look, PAUSE);
  });
}
