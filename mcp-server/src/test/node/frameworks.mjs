// Servers made with frameworks of others, each with a tool that adds numbers and one that adds a tool: KIND is FASTMCP, FRAMEWORK,
// SDK_1 or SDK_2.
import { randomUUID } from 'node:crypto'
import { createServer } from 'node:http'
import { inspect } from 'node:util'
import { z } from 'zod'

const numbers = z.object({ a: z.number(), b: z.number() })
const nothing = z.object({})

const fastmcp = async () => {
  const { FastMCP } = await import('fastmcp')
  const server = new FastMCP({ name: 'fast', version: '1.0.0' })
  const add = (name, description, parameters, execute) => server.addTool({ name, description, parameters, execute })
  add('add', 'Adds two numbers.', numbers, async ({ a, b }) => String(a + b))
  add('grow', 'Adds a tool.', nothing, async () => {
    add('grown', 'Is new.', nothing, async () => 'new')
    return 'grown'
  })
  await server.start({ transportType: 'httpStream', httpStream: { port: 3000, host: '127.0.0.1' } })
}

const framework = async () => {
  const { MCPServer, MCPTool } = await import('mcp-framework')
  const { z } = await import('zod/v3')
  const server = new MCPServer({ name: 'framework', version: '1.0.0', transport: { type: 'http-stream', options: { port: 3000 } } })
  server.addTool(class extends MCPTool {
    name = 'add'
    description = 'Adds two numbers.'
    schema = { a: { type: z.number(), description: 'One.' }, b: { type: z.number(), description: 'The other.' } }
    async execute ({ a, b }) { return String(a + b) }
  })
  await server.start()
}

let hasGrown = false
let endedCount = 0
const text = text => ({ content: [{ type: 'text', text }] })
const annotations = { audience: ['user'], priority: 0.5, lastModified: '2026-01-02T03:04:05Z' }
const _meta = { 'example.com/trace': 't1' }
const icons = [{ src: 'https://example.com/icon.png', mimeType: 'image/png', sizes: ['48x48'] }]
const described = { title: 'Notes of today', description: 'What is noted.', mimeType: 'text/plain', size: 5, annotations, icons, _meta }
const note = { uri: 'notes://today', text: 'Notes', mimeType: 'text/plain', _meta }
const everyContent = [
  { type: 'text', text: 'ünï \u{1f600}', annotations, _meta }, { type: 'image', data: 'iVBORw0KGgo=', mimeType: 'image/png', annotations, _meta },
  { type: 'audio', data: 'UklGRg==', mimeType: 'audio/wav', annotations, _meta },
  { type: 'resource_link', uri: 'notes://today', name: 'today', ...described },
  { type: 'resource', resource: note, annotations, _meta }, { type: 'resource', resource: { uri: 'notes://b', blob: 'AAEC', mimeType: 'a/b', _meta } }
]
const questions = {
  form: { message: 'Who are you?', requestedSchema: { type: 'object', properties: { name: { type: 'string', title: 'Name', minLength: 1 } }, required: ['name'] } },
  link: { mode: 'url', message: 'Open this.', url: 'https://example.com/open?a=b', elicitationId: 'e-1' },
  sample: { messages: [{ role: 'user', content: { type: 'text', text: 'Say hi.' } }], maxTokens: 10, systemPrompt: 'Be brief.' }
}

const READABLE = { sorted: true, depth: null }

// Lists come in pages of two.
const inPages = (server, lists, handlers) => Object.entries(lists).forEach(([method, [schema, field]]) => {
  const whole = handlers.get(method)
  server.setRequestHandler(schema, async (request, context) => {
    const { [field]: all, ...rest } = await whole({ ...request, params: {} }, context)
    const begin = Number(request.params?.cursor ?? 0)
    return { ...rest, [field]: all.slice(begin, begin + 2), ...begin + 2 < all.length && { nextCursor: String(begin + 2) } }
  })
})
const LISTS = { 'tools/list': 'tools', 'resources/list': 'resources', 'prompts/list': 'prompts' }

// Everything that a tool, a resource, a prompt and a result can have. How questions are asked, and what a context has, differs between the SDKs.
const define = (server, changed, { signal, report, ask, Template }) => {
  const add = (name, config, execute) => server.registerTool(name, { description: `Does ${name}.`, inputSchema: nothing, ...config }, execute)
  const resource = (name, uri) => server.registerResource(name, uri, described, () => ({ contents: [{ ...note, uri }], _meta }))
  const prompt = name => server.registerPrompt(name, { title: 'Greets', description: 'Greets somebody.', argsSchema: z.object({ who: z.string().meta({ title: 'Who' }).describe('Whom to greet.') }) },
    ({ who }) => ({ description: 'A greeting.', messages: everyContent.map(content => ({ role: 'user', content })).concat([{ role: 'assistant', content: { type: 'text', text: who } }]), _meta }))
  add('add', { description: 'Adds two numbers.', inputSchema: numbers, annotations: { readOnlyHint: true } }, ({ a, b }) => text(String(a + b)))
  add('show', {
    title: 'Show', annotations: { title: 'Shows', readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false },
    outputSchema: z.object({ n: z.number(), list: z.array(z.object({ s: z.string() })), none: z.null() }), _meta, icons
  }, () => ({ content: everyContent, structuredContent: { n: 1.5, list: [{ s: 'x' }], none: null }, _meta }))
  server.registerPrompt('plain', {}, () => ({ messages: [{ role: 'user', content: everyContent[0] }] }))
  add('titled', { annotations: { title: 'Title of old' } }, () => ({ ...text('it failed'), isError: true, _meta }))
  add('slow', {}, async (_, context) => {
    for (let step = 1; step <= 3; step++) await report(context, { progress: step, total: 3, message: `step ${step}` })
    return text('done')
  })
  add('wait', {}, (_, context) => new Promise(resolve => {
    signal(context).addEventListener('abort', () => resolve(text(`ended ${++endedCount}`)))
    report(context, { progress: 1 })
  }))
  add('ended', {}, () => text(String(endedCount)))
  for (const kind of ['form', 'link', 'sample']) add(kind, {}, (_, context) => ask(server.server, context, kind, questions[kind]))
  resource('today', 'notes://today')
  resource('later', 'notes://later')
  server.registerResource('days', new Template('notes://days/{day}', { list: undefined }), described, uri => ({ contents: [{ ...note, uri: uri.href }] }))
  prompt('greet')
  add('grow', { description: 'Adds a tool.' }, () => {
    hasGrown = true
    changed()
    return text('grown')
  })
  if (hasGrown) {
    add('grown', { description: 'Is new.' }, () => text('new'))
    resource('grown', 'notes://grown')
    prompt('grown')
  }
  return server
}

const sdk1 = async () => {
  const { McpServer, ResourceTemplate } = await import('@modelcontextprotocol/sdk/server/mcp.js')
  const { StreamableHTTPServerTransport } = await import('@modelcontextprotocol/sdk/server/streamableHttp.js')
  const types = await import('@modelcontextprotocol/sdk/types.js')
  const schemas = [types.ListToolsRequestSchema, types.ListResourcesRequestSchema, types.ListPromptsRequestSchema]
  const kit = {
    Template: ResourceTemplate,
    signal: extra => extra.signal,
    report: async ({ _meta, sendNotification }, progress) => _meta?.progressToken !== undefined &&
      sendNotification({ method: 'notifications/progress', params: { progressToken: _meta.progressToken, ...progress } }),
    ask: async (server, _, kind, params) => {
      try {
        return text(inspect(await (kind === 'sample' ? server.createMessage(params) : server.elicitInput(params)), READABLE))
      } catch (error) {
        return { ...text(`not answered: ${error.message}`), isError: true }
      }
    }
  }
  const sessions = new Map()
  const servers = []
  createServer(async (request, response) => {
    const id = request.headers['mcp-session-id']
    if (request.url === '/forget') { // Sessions end.
      sessions.clear()
      return response.writeHead(204).end()
    }
    let transport = sessions.get(id)
    if (!transport && id) return response.writeHead(404).end()
    if (!transport) {
      transport = new StreamableHTTPServerTransport({
        sessionIdGenerator: randomUUID, onsessioninitialized: id => sessions.set(id, transport)
      })
      const server = new McpServer({ name: 'sdk-1', version: '1' })
      const changed = () => servers.forEach(each => {
        each.sendToolListChanged()
        each.sendResourceListChanged()
        each.sendPromptListChanged()
      })
      servers.push(define(server, changed, kit))
      inPages(server.server, Object.fromEntries(Object.entries(LISTS).map(([method, field], i) => [method, [schemas[i], field]])), server.server._requestHandlers)
      await server.connect(transport)
    }
    await transport.handleRequest(request, response)
  }).listen(3000)
}

const sdk2 = async () => {
  const { McpServer, ResourceTemplate, createMcpHandler, inputRequired } = await import('@modelcontextprotocol/server')
  const { toNodeHandler } = await import('@modelcontextprotocol/node')
  const makers = { form: inputRequired.elicit, link: ({ message, url }) => inputRequired.elicitUrl({ message, url }), sample: inputRequired.createMessage }
  const kit = {
    Template: ResourceTemplate,
    signal: context => context.mcpReq.signal,
    report: async ({ mcpReq }, progress) => mcpReq._meta?.progressToken !== undefined &&
      mcpReq.notify({ method: 'notifications/progress', params: { progressToken: mcpReq._meta.progressToken, ...progress } }),
    ask: (_, { mcpReq }, kind, params) => mcpReq.inputResponses?.q
      ? text(inspect(mcpReq.inputResponses.q, READABLE))
      : inputRequired({ inputRequests: { q: makers[kind](params) } })
  }
  const make = () => {
    const server = new McpServer({ name: 'sdk-2', version: '1' })
    define(server, () => {
      handler.notify.toolsChanged()
      handler.notify.resourcesChanged()
      handler.notify.promptsChanged()
    }, kit)
    inPages(server.server, Object.fromEntries(Object.entries(LISTS).map(([method, field]) => [method, [method, field]])), server.server._requestHandlers)
    return server
  }
  const handler = createMcpHandler(make)
  createServer(toNodeHandler(handler)).listen(3000)
}

await { FASTMCP: fastmcp, FRAMEWORK: framework, SDK_1: sdk1, SDK_2: sdk2 }[process.env.KIND]()
