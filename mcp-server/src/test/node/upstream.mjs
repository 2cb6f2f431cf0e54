// MCP servers made with the official TypeScript SDKs: ERA=2026 without sessions, ERA=2025 with them, ERA=everything for the tools of
// @modelcontextprotocol/server-everything, ERA=memory for those of @modelcontextprotocol/server-memory, a program that speaks stdio:
// each session has a program of its own, with a file in FOLDER.
import { randomUUID } from 'node:crypto'
import { createServer } from 'node:http'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { z } from 'zod'

const define = server => {
  server.registerTool('add', {
    title: 'Add numbers', description: 'Adds two numbers.', annotations: { readOnlyHint: true },
    inputSchema: z.object({ a: z.number(), b: z.number() }), outputSchema: z.object({ sum: z.number() })
  }, ({ a, b }) => ({ content: [{ type: 'text', text: String(a + b) }], structuredContent: { sum: a + b } }))
  server.registerTool('fail', { description: 'Fails.', inputSchema: z.object({}) }, () => ({
    isError: true, content: [{ type: 'text', text: 'it failed' }]
  }))
  server.registerTool('picture', { description: 'Shows a picture.', inputSchema: z.object({}) }, () => ({
    content: [{ type: 'image', data: 'iVBORw0KGgo=', mimeType: 'image/png' },
      { type: 'resource_link', uri: 'https://example.com/a', name: 'a' }]
  }))
  return server
}

const body = async request => {
  const chunks = []
  for await (const chunk of request) chunks.push(chunk)
  return Buffer.concat(chunks)
}

const modern = async () => {
  const { McpServer, createMcpHandler } = await import('@modelcontextprotocol/server')
  const handler = createMcpHandler(() => define(new McpServer({ name: 'modern', version: '1' })), { legacy: 'reject' })
  return async (request, response) => {
    const answer = await handler.fetch(new Request(`http://127.0.0.1${request.url}`, {
      method: request.method, headers: request.headers, body: request.method === 'POST' ? await body(request) : undefined
    }))
    response.writeHead(answer.status, Object.fromEntries(answer.headers))
    if (answer.body) for await (const chunk of answer.body) response.write(chunk)
    response.end()
  }
}

const everything = async () => {
  const { createServer: make } = await import('@modelcontextprotocol/server-everything/dist/server/index.js')
  return () => make().server
}

const defined = async () => {
  const { McpServer } = await import('@modelcontextprotocol/sdk/server/mcp.js')
  return () => define(new McpServer({ name: 'sessions', version: '1' }))
}

// Connects a session to a new program: what one side sends, the other gets.
const bridge = async () => {
  const { StdioClientTransport } = await import('@modelcontextprotocol/sdk/client/stdio.js')
  const program = fileURLToPath(new URL('node_modules/@modelcontextprotocol/server-memory/dist/index.js', import.meta.url))
  return () => ({
    async connect (session) {
      const env = { ...process.env, MEMORY_FILE_PATH: join(process.env.FOLDER, `${randomUUID()}.jsonl`) }
      const child = new StdioClientTransport({ command: process.execPath, args: [program], env, stderr: 'ignore' })
      child.onmessage = message => session.send(message)
      session.onmessage = message => child.send(message)
      session.onclose = () => child.close()
      await child.start()
      await session.start()
    }
  })
}

const withSessions = async make => {
  const { StreamableHTTPServerTransport } = await import('@modelcontextprotocol/sdk/server/streamableHttp.js')
  const sessions = new Map()
  return async (request, response) => {
    let transport = sessions.get(request.headers['mcp-session-id'])
    if (!transport) {
      transport = new StreamableHTTPServerTransport({
        sessionIdGenerator: randomUUID, onsessioninitialized: id => sessions.set(id, transport)
      })
      await make().connect(transport)
    }
    await transport.handleRequest(request, response)
  }
}

const { ERA } = process.env
const makers = { everything, memory: bridge, 2025: defined }
const serve = ERA === '2026' ? await modern() : await withSessions(await makers[ERA]())
const server = createServer((request, response) => serve(request, response).catch(error => {
  console.error(error)
  response.writeHead(500).end()
}))
server.listen(0, '127.0.0.1', () => console.log(server.address().port))
