// Names to choose from while one writes: the agents, domains, banks and zones that the caller may see.
import { csrf, signedIn } from './account.js';
import { el } from './dom.js';

const SOURCES = {
  agent: { tool: 'AP_List', ask: (begun) => ({ target: { agent: begun } }) },
  domain: { tool: 'DM_List', ask: (begun) => (begun ? { target: { domain: begun } } : {}) },
  bank: { tool: 'MB_List', ask: (begun) => (begun ? { target: { bank: begun } } : {}) },
  zone: {
    tool: 'ZN_List',
    ask: (_, field) => ({ target: { domain: field('target.domain') } }),
    needs: 'target.domain',
  },
};
const PAUSE = 150;

async function names({ tool, ask }, begun, field) {
  const response = await fetch(`/api/mcp/tools/${tool}/invoke`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', 'X-CSRF-Token': await csrf() },
    body: JSON.stringify(ask(begun, field)),
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
  let asked;
  const look = async () => {
    const begun = control.value.trim();
    const key = `${begun} ${source.needs ? field(source.needs) : ''}`;
    if (!signedIn() || asked === key || (source.needs && !field(source.needs))) return;
    asked = key;
    const found = await names(source, begun, field).catch(() => []);
    if (asked === key) list.replaceChildren(...found.map((name) => el('option', { value: name })));
  };
  control.addEventListener('focus', look);
  control.addEventListener('input', () => {
    clearTimeout(waiting);
    waiting = setTimeout(look, PAUSE);
  });
}
