// An MCP server that requires tokens, and its authorization server, both as the official TypeScript SDK's example of authorization makes
// them: the demo provider, the router of its routes, and the check of tokens. It prints its port.
import express from 'express'
import { createServer } from 'node:http'
import { DemoInMemoryAuthProvider } from '@modelcontextprotocol/sdk/examples/server/demoInMemoryOAuthProvider.js'
import { requireBearerAuth } from '@modelcontextprotocol/sdk/server/auth/middleware/bearerAuth.js'
import { mcpAuthRouter, getOAuthProtectedResourceMetadataUrl } from '@modelcontextprotocol/sdk/server/auth/router.js'
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js'
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js'

const app = express()
const server = createServer(app)
server.listen(0, '127.0.0.1', () => {
  const origin = `http://127.0.0.1:${server.address().port}`
  const resource = new URL(`${origin}/mcp`)
  const provider = new DemoInMemoryAuthProvider(asked => asked?.href === resource.href)
  app.use(mcpAuthRouter({ provider, issuerUrl: new URL(origin), resourceServerUrl: resource, scopesSupported: ['mcp:tools'] }))
  const check = requireBearerAuth({
    verifier: provider, requiredScopes: ['mcp:tools'], expectedResource: resource.href,
    resourceMetadataUrl: getOAuthProtectedResourceMetadataUrl(resource)
  })
  app.post('/mcp', express.json(), check, async (request, response) => {
    const mcp = new McpServer({ name: 'guarded', version: '1' })
    mcp.registerTool('whoami', { description: 'Tells for which client a token is.', annotations: { readOnlyHint: true } }, ({ authInfo }) => ({
      content: [{ type: 'text', text: `${authInfo.scopes} ${authInfo.clientId ? 'registered' : 'unknown'}` }]
    }))
    const transport = new StreamableHTTPServerTransport({ sessionIdGenerator: undefined })
    response.on('close', () => { transport.close(); mcp.close() })
    await mcp.connect(transport)
    await transport.handleRequest(request, response, request.body)
  })
  app.all('/mcp', check, (_request, response) => response.status(405).end())
  console.log(server.address().port)
})
