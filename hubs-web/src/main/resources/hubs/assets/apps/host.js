// The host that shows a page of an MCP App (extension of 2026-01-26): JSON-RPC between the page's frame and the host's. The official library
// does the same in 540 kB, which each page would carry.
const PROTOCOL = '2026-01-26';

const open = new Map();
let count = 0;
let capabilities = {};

const send = (message) => window.parent.postMessage({ jsonrpc: '2.0', ...message }, '*');

function request(method, params) {
  const id = ++count;
  return new Promise((resolve, reject) => {
    open.set(id, { resolve, reject });
    send({ id, method, params });
  });
}

function settle({ id, result, error }) {
  const { resolve, reject } = open.get(id) ?? {};
  open.delete(id);
  if (error) reject?.(new Error(error.message));
  else resolve?.(result);
}

// How the host looks: light or dark, and its colours and fonts.
function dress({ theme, styles }) {
  const root = document.documentElement;
  if (['light', 'dark'].includes(theme)) root.style.colorScheme = theme;
  for (const [name, value] of Object.entries(styles?.variables ?? {}))
    if (/^--[a-z0-9-]+$/.test(name) && value) root.style.setProperty(name, value);
}

// Tells the host how high the page is, now and after each change.
function followSize() {
  let last = 0;
  new ResizeObserver(() => {
    const height = Math.ceil(document.body.getBoundingClientRect().height);
    if (height === last) return;
    last = height;
    send({ method: 'ui/notifications/size-changed', params: { height } });
  }).observe(document.body);
}

// Begins. The host then gives the arguments of the tool that the page belongs to (asked), and its result (answered).
export async function connect(name, { asked, answered }) {
  const notified = {
    'ui/notifications/tool-input': (params) => asked(params.arguments ?? {}),
    'ui/notifications/tool-result': answered,
    'ui/notifications/host-context-changed': dress,
  };
  window.addEventListener('message', ({ source, data }) => {
    if (source !== window.parent || data?.jsonrpc !== '2.0') return;
    if (!data.method) settle(data);
    else if (data.id === undefined) notified[data.method]?.(data.params ?? {});
    else if (['ping', 'ui/resource-teardown'].includes(data.method)) send({ id: data.id, result: {} });
    else send({ id: data.id, error: { code: -32601, message: 'this page does not have the method' } });
  });
  const host = await request('ui/initialize', {
    protocolVersion: PROTOCOL,
    appInfo: { name, version: '1' },
    appCapabilities: {},
  });
  capabilities = host.hostCapabilities ?? {};
  dress(host.hostContext ?? {});
  send({ method: 'ui/notifications/initialized' });
  followSize();
}

// What a tool answered, or why it refused.
export function bodyOf(result) {
  const found = result.structuredContent ?? read(result.content?.[0]?.text);
  if (result.isError) throw new Error(found.status?.note ?? 'The call was refused.');
  return found;
}

function read(text) {
  try {
    return JSON.parse(text);
  } catch {
    return { status: { note: text } };
  }
}

// Not every host lets a page call tools.
export const canCall = () => Boolean(capabilities.serverTools);

// Calls a tool of the engine. Throws the note of a refusal.
export const call = async (name, args) => bodyOf(await request('tools/call', { name, arguments: args }));

// Tells the model what the person did, without asking it to answer.
export async function tell(text) {
  if (capabilities.updateModelContext) await request('ui/update-model-context', { content: [{ type: 'text', text }] });
}
