// Compares what a server gives an official client directly with what it gives through the engine, in both lanes. One line of JSON in, one
// out: {server, direct, through, calls} in, {rows: {row: "whole" | "not offered" | [differences]}, version, hasSessions} out; and
// {again, tool, arguments} in, {answers} out, of the same clients as before. The key is in ENGINE_KEY.
import { createInterface } from 'node:readline'
import { isDeepStrictEqual } from 'node:util'
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'

const FORM = { action: 'accept', content: { name: 'Ada' } }
const SAMPLE = { role: 'assistant', model: 'm', content: { type: 'text', text: 'Hi, Ada' } }
const CHANGES = ['tools', 'resources', 'prompts']

async function connect(address, mode, headers, capabilities) {
  const client = new Client({ name: 'test', version: '1' }, { capabilities, versionNegotiation: { mode } })
  client.asked = []
  const answer = (method, reply) => client.setRequestHandler(method, ({ params }) => {
    const asked = { ...params }
    delete asked._meta
    client.asked.push(asked)
    return reply
  })
  if (capabilities.elicitation) answer('elicitation/create', FORM)
  if (capabilities.sampling) answer('sampling/createMessage', SAMPLE)
  const transport = new StreamableHTTPClientTransport(new URL(address), { requestInit: { headers } });
  await client.connect(transport);
  const receive = transport.onmessage;
  transport.onmessage = (message, extra) => {
    client.hasPages ||= message.result?.nextCursor !== undefined; // It puts the pages together itself.
    return receive(message, extra);
  };
  return client
}

// Sessions have ids of their own, and times pass.
const plain = value => JSON.parse(JSON.stringify(value ?? null)
  .replace(/[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/g, '#')
  .replace(/\d{1,2}:\d\d:\d\d( [AP]M)?/g, '#'))

function differences(expected, actual, path, found = []) {
  const isTree = value => typeof value === 'object' && value !== null
  if (isTree(expected) && isTree(actual) && Array.isArray(expected) === Array.isArray(actual)) {
    for (const key of new Set([...Object.keys(expected), ...Object.keys(actual)])) {
      differences(expected[key], actual[key], Array.isArray(expected) ? `${path}/*` : `${path}/${key}`, found)
    }
  } else if (!isDeepStrictEqual(expected, actual)) {
    found.push({ path, expected, actual })
  }
  return found
}

const parts = {
  'structured content': result => result.structuredContent,
  'errors of tools': result => result.isError || undefined,
  '`_meta` of results': result => result._meta,
  '`_meta` of content': result => contents(result).map(part => [part._meta, part.resource?._meta]),
  'annotations of content': result => contents(result).map(part => part.annotations),
  'images': result => contents(result).filter(part => part.type === 'image'),
  'audio': result => contents(result).filter(part => part.type === 'audio'),
  'resource links': result => contents(result).filter(part => part.type === 'resource_link'),
  'embedded resources': result => contents(result).filter(part => part.type === 'resource'),
  'text': result => contents(result).filter(part => part.type === 'text'),
}
const contents = result => result.content ?? result.messages?.map(message => message.content) ?? result.contents ?? []
const isOffered = value => JSON.stringify(value ?? null).replace(/[[\]{},]|null/g, '') !== ''

const attempt = async work => {
  try {
    const { _meta, ...result } = await work()
    const meta = Object.entries(_meta ?? {}).filter(([key]) => !/^io\.(modelcontextprotocol|agentworkspace)\//.test(key))
    return { ...result, ...meta.length && { _meta: Object.fromEntries(meta) } }
  } catch (error) {
    return { failed: error.message }
  }
}

async function compare({ server, direct, through, calls }) {
  const rows = {}
  const note = (row, offered, found) => {
    const before = rows[row]
    rows[row] = Array.isArray(before) || found.length ? [...Array.isArray(before) ? before : [], ...found] : offered || before === 'whole' ? 'whole' : 'not offered'
  }
  const can = { elicitation: { form: {}, url: {} }, sampling: {} }
  const there = await connect(direct, 'auto', {}, can)
  const key = { 'X-API-Key': process.env.ENGINE_KEY }
  const lanes = {
    session: await connect(through, 'legacy', key, can),
    stateless: await connect(through, { pin: '2026-07-28' }, key, can),
  }
  const deaf = { session: await connect(through, 'legacy', key, {}), stateless: await connect(through, { pin: '2026-07-28' }, key, {}) }
  const has = there.getServerCapabilities()
  const lists = {
    tools: ['listTools', 'tools', 'name', has.tools], resources: ['listResources', 'resources', 'uri', has.resources],
    templates: ['listResourceTemplates', 'resourceTemplates', 'uriTemplate', has.resources], prompts: ['listPrompts', 'prompts', 'name', has.prompts],
  }
  const here = { name: name => `${server}_${name}`, uri: uri => `engine://upstreams/${server}/${uri}` }
  here.uriTemplate = here.uri
  const own = {}
  for (const [kind, [method, field, id, offered]] of Object.entries(lists)) {
    there.hasPages = false;
    own[kind] = offered ? (await there[method]())[field] : []
    for (const [lane, client] of Object.entries(lanes)) {
      const listed = (await client[method]())[field]
      const kept = own[kind].filter(item => item.execution?.taskSupport !== 'required')
      const found = kept.flatMap(item => {
        const same = listed.find(each => each[id] === here[id](item[id]))
        return differences({ ...item, [id]: here[id](item[id]) }, same, kind)
      })
      note(`list of ${kind}`, kept.length > 0, found.map(each => ({ lane, ...each })))
      note('pages of lists', there.hasPages, kept.every(item => listed.some(each => each[id] === here[id](item[id]))) ? [] : [{ lane, path: kind }])
    }
  }
  const requests = [
    ...own.tools.filter(tool => tool.name in calls)
      .map(({ name: original }) => ['tools/call', original, (client, name) => client.callTool({ name, arguments: calls[original] }), here.name]),
    ...own.resources.map(({ uri }) => ['resources/read', uri, (client, uri) => client.readResource({ uri }), here.uri]),
    ...own.prompts.map(prompt => ['prompts/get', prompt.name, (client, name) =>
      client.getPrompt({ name, arguments: Object.fromEntries((prompt.arguments ?? []).map(each => [each.name, '1'])) }), here.name]),
  ]
  for (const [method, name, request, renamed] of requests) {
    const expected = plain(await attempt(() => request(there, name)))
    for (const [lane, client] of Object.entries(lanes)) {
      const actual = plain(await attempt(() => request(client, renamed(name))))
      if (expected.failed) {
        const said = JSON.stringify(actual)
        note('errors of the protocol', true, (actual.failed || actual.isError) && said.includes(JSON.stringify(expected.failed).slice(1, -1).replace(/^MCP error -\d+: /, '').slice(0, 40)) ? [] : [{ lane, path: name, expected, actual }])
        continue
      }
      if (method === 'resources/read') actual.contents?.forEach((part, i) => {
        if (part.uri === here.uri(expected.contents?.[i]?.uri)) part.uri = expected.contents[i].uri
      })
      for (const [row, part] of Object.entries(parts)) {
        note(row, isOffered(part(expected)), differences(part(expected), part(actual), name).map(each => ({ lane, ...each })))
      }
      note(`all of \`${method}\``, true, differences(expected, actual, `${method} ${name}`).map(each => ({ lane, ...each })))
    }
  }
  const tool = (client, name) => client === there ? name : here.name(name)
  const offers = name => own.tools.some(each => each.name === name)
  for (const [name, args] of Object.entries({ slow: {}, 'trigger-long-running-operation': { duration: 0.1, steps: 2 } })) {
    if (!offers(name)) continue
    const reports = async client => {
      const seen = []
      await client.callTool({ name: tool(client, name), arguments: args }, { onprogress: progress => seen.push(progress) })
      return seen
    }
    const expected = await reports(there)
    for (const [lane, client] of Object.entries(lanes)) {
      note('progress', expected.length > 0, differences(expected, await reports(client), name).map(each => ({ lane, ...each })))
    }
  }
  if (offers('wait')) for (const client of Object.values(lanes)) {
    const ended = async () => Number((await there.callTool({ name: 'ended' })).content[0].text)
    const before = await ended()
    const abort = new AbortController()
    await attempt(() => client.callTool({ name: tool(client, 'wait') }, { signal: abort.signal, onprogress: () => abort.abort() }))
    while (await ended() === before) await new Promise(resolve => setImmediate(resolve))
    note('cancellation', true, [])
  }
  const asking = {
    'elicitation by form': ['form', 'trigger-elicitation-request'], 'elicitation by URL': ['link', 'trigger-url-elicitation'],
    'sampling': ['sample', 'trigger-sampling-request'],
  }
  for (const [row, names] of Object.entries(asking)) for (const name of names.filter(offers)) {
    const ask = async client => {
      client.asked = []
      const args = { prompt: 'Say hi.', maxTokens: 10, url: 'https://example.com/open', elicitationId: 'e-1' }
      const result = await attempt(() => client.callTool({ name: tool(client, name), arguments: args }))
      return plain({ asked: client.asked, result })
    }
    const expected = await ask(there)
    for (const [lane, client] of Object.entries(lanes)) {
      note(row, true, differences(expected, await ask(client), name).map(each => ({ lane, ...each })))
      const refused = await ask(deaf[lane])
      note(`${row}, client cannot`, true, refused.result.isError && refused.asked.length === 0 && /answer|support|elicit|sampl/i.test(JSON.stringify(refused)) ? [] : [{ lane, path: name, actual: refused }])
    }
  }
  if (offers('grow')) await changes(there, lanes, note)
  const hasSessions = there.transport.sessionId !== undefined
  const version = there.getNegotiatedProtocolVersion()
  for (const client of [there, ...Object.values(deaf)]) await client.close()
  open.set(server, Object.values(lanes))
  return { rows, version, hasSessions }
}

const open = new Map()

// A list that changed is announced to those who listen by then, so the server goes on. What is new is held.
async function changes(there, lanes, note) {
  const seen = {};
  for (const [lane, client] of Object.entries(lanes)) {
    for (const list of CHANGES) {
      client.setNotificationHandler(`notifications/${list}/list_changed`, () => (seen[lane + list] = true));
    }
  }
  await lanes.stateless.listen({ toolsListChanged: true, resourcesListChanged: true, promptsListChanged: true });
  for (const list of CHANGES) {
    if (!there.getServerCapabilities()[list]) continue;
    for (const lane of Object.keys(lanes)) {
      while (!seen[lane + list]) {
        await there.callTool({ name: 'grow' });
        await lanes.session.listTools(); // Takes a moment.
      }
    }
    note(`changes of the list of ${list}`, true, []);
  }
}

async function again({ again, tool, arguments: args }) {
  const answers = []
  for (const client of open.get(again)) answers.push(await attempt(() => client.callTool({ name: tool, arguments: args })))
  return { answers }
}

for await (const line of createInterface({ input: process.stdin })) {
  const order = JSON.parse(line)
  let answer
  try {
    answer = order.again ? await again(order) : await compare(order)
  } catch (error) {
    answer = { failed: error.stack }
  }
  console.log(JSON.stringify(answer))
}
process.exit(0)
