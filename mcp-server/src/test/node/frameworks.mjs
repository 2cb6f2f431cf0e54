// Servers made with frameworks of others, each with a tool that adds numbers and one that adds a tool: KIND is fastmcp, framework,
// sdk-1 or sdk-2.
import { randomUUID } from 'node:crypto'
import { createServer } from 'node:http'
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
const define = (server, changed) => {
  const text = text => ({ content: [{ type: 'text', text }] })
  server.registerTool('add', { description: 'Adds two numbers.', inputSchema: numbers }, ({ a, b }) => text(String(a + b)))
  server.registerTool('grow', { description: 'Adds a tool.', inputSchema: nothing }, () => {
    hasGrown = true
    changed()
    return text('grown')
  })
  if (hasGrown) server.registerTool('grown', { description: 'Is new.', inputSchema: nothing }, () => text('new'))
  return server
}

const sdk1 = async () => {
  const { McpServer } = await import('@modelcontextprotocol/sdk/server/mcp.js')
  const { StreamableHTTPServerTransport } = await import('@modelcontextprotocol/sdk/server/streamableHttp.js')
  const sessions = new Map()
  const servers = []
  createServer(async (request, response) => {
    const id = request.headers['mcp-session-id']
    let transport = sessions.get(id)
    if (!transport && id) return response.writeHead(404).end()
    if (!transport) {
      transport = new StreamableHTTPServerTransport({
        sessionIdGenerator: randomUUID, onsessioninitialized: id => sessions.set(id, transport)
      })
      const server = new McpServer({ name: 'sdk-1', version: '1' })
      servers.push(define(server, () => servers.forEach(each => each.sendToolListChanged())))
      await server.connect(transport)
    }
    await transport.handleRequest(request, response)
  }).listen(3000)
}

const sdk2 = async () => {
  const { McpServer, createMcpHandler } = await import('@modelcontextprotocol/server')
  const { toNodeHandler } = await import('@modelcontextprotocol/node')
  const handler = createMcpHandler(() => define(new McpServer({ name: 'sdk-2', version: '1' }), () => handler.notify.toolsChanged()))
  createServer(toNodeHandler(handler)).listen(3000)
}

await { fastmcp, framework, 'sdk-1': sdk1, 'sdk-2': sdk2 }[process.env.KIND]()
