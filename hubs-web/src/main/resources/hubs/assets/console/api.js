// Calls of tools with the session's rights. Every action of the console is one of these calls, and can be shown as curl or over MCP.
import { csrf, forget, session } from '../account.js';
import { ended } from '../dom.js';

const { base, mcp } = document.body.dataset;

export class Refused extends Error {
  constructor(note, error, body) {
    super(note);
    this.error = error;
    this.body = body;
  }
}

// The calls that made the view that is shown, for "as code".
export const made = [];

let lost = () => {};

// What to do when the session has ended.
export function onSessionLost(work) {
  lost = work;
}

function gone() {
  forget();
  lost();
}

async function answer(response) {
  const body = await response.json().catch(() => ({}));
  if (ended(body)) gone();
  return body;
}

export function call(tool, args = {}) {
  const same = JSON.stringify(args);
  if (!made.some((one) => one.tool === tool && JSON.stringify(one.args) === same)) made.push({ tool, args });
  if (made.length > 30) made.shift();
  return ask(tool, args);
}

// The note about a stale revision names an argument that people do not see in the console.
const plainNote = (note) =>
  note?.replace(
    /^if_revision is .*/,
    'Somebody else has changed this. Close the dialog and reload the page to see the change.',
  );

// Calls without recording it as a call of the page.
export async function ask(tool, args = {}, headers = {}) {
  let response;
  try {
    response = await fetch(`/api/mcp/tools/${tool}/invoke`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', 'X-CSRF-Token': (await csrf()) ?? '', ...headers },
      body: JSON.stringify(args),
    });
  } catch {
    throw new Refused('The service cannot be reached.', 'unreachable');
  }
  const body = await answer(response);
  if (!body.status?.success)
    throw new Refused(
      plainNote(body.status?.note) ?? body.detail ?? `The service answered ${response.status}.`,
      body.status?.error ?? body.error,
      body,
    );
  return body;
}

const APART = { context: 'engine-console-reads' };

// The latest messages of an agent, none of which is marked as read, whoever the caller acts as.
export function glance(agent, limit) {
  return ask('AP_Read', { target: { ...APART, agent }, page: { limit } }, { 'X-MCP-Readonly': 'true' });
}

// Who an agent is, and its latest messages, as a call of the page. A key that is bound to the agent marks them as read.
export const read = (agent, limit) => call('AP_Read', { target: { ...APART, agent }, page: { limit } });

// Another route than a tool's.
export async function request(path, method = 'GET', content) {
  const options = { method, headers: {} };
  if (method !== 'GET') options.headers['X-CSRF-Token'] = (await csrf()) ?? '';
  if (content !== undefined) {
    options.headers['Content-Type'] = 'application/json';
    options.body = JSON.stringify(content);
  }
  const response = await fetch(path, options).catch(() => null);
  if (!response) throw new Refused('The service cannot be reached.', 'unreachable');
  const body = await answer(response);
  if (!response.ok) throw new Refused(body.detail ?? `The service answered ${response.status}.`, body.error, body);
  return body;
}

// All pages of a list, up to a number of calls.
export async function all(tool, args, pick, most = 5) {
  const found = [];
  let cursor;
  for (let i = 0; i < most; i++) {
    const body = await call(tool, { ...args, page: { limit: 200, ...(cursor && { cursor }) } });
    found.push(...pick(body));
    cursor = body.next_cursor;
    if (!cursor) break;
  }
  return found;
}

export const me = { tools: new Set(), readOnlyTools: new Set(), all: [], viewing: null, user: null, role: null };

// Whether the caller may run a tool, if only to read with it.
export const may = (tool) => me.tools.has(tool);

// Whether the caller may run all of a tool. Some can also be run to read, by those who may not change what they are about.
export const mayChange = (tool) => me.tools.has(tool) && !me.readOnlyTools.has(tool);

// Why a button for the tool is greyed out.
export function whyNot(tool) {
  if (mayChange(tool)) return null;
  return me.viewing && me.all.some((one) => one.name === tool && !one.only_reads)
    ? `The key ${me.viewing.name} may not call ${tool}`
    : `Your key or role does not allow ${tool}${me.readOnlyTools.has(tool) ? ' to change anything' : ''}`;
}

// Who is signed in, and what they may do; null when nobody is.
export async function identify() {
  const [state, listed] = await Promise.all([session(), request('/api/mcp/tools')]);
  if (!state.signed_in) return null;
  Object.assign(me, {
    user: state.user,
    role: state.role,
    tenant: state.tenant,
    all: listed.tools,
    tools: new Set(listed.tools.map((tool) => tool.name)),
    readOnlyTools: new Set(listed.tools.filter((tool) => tool.only_reads).map((tool) => tool.name)),
  });
  return me;
}

export const isAdmin = () => ['admin', 'owner'].includes(me.role);

const quoted = (text) => text.replaceAll("'", "'\\''");

export function asCurl({ tool, args }) {
  return `curl -s '${base}/api/mcp/tools/${tool}/invoke' \\\n  -H "X-Api-Key: $ENGINE_KEY" \\\n  -H 'Content-Type: application/json' \\\n  -d '${quoted(JSON.stringify(args))}'`;
}

// The same of a route without a tool.
export function routeAsCurl(method, path, content) {
  return `curl -s -X ${method} '${base}${path}' \\\n  -H "X-Api-Key: $ENGINE_KEY"${content ? ` \\\n  -H 'Content-Type: application/json' \\\n  -d '${quoted(JSON.stringify(content))}'` : ''}`;
}

export function asMcp({ tool, args }) {
  return JSON.stringify(
    { jsonrpc: '2.0', id: '1', method: 'tools/call', params: { name: tool, arguments: args } },
    null,
    2,
  );
}

export const mcpEndpoint = `${mcp}/mcp`;
