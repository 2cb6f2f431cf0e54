// A certified OpenID provider for the engine and for one client of MCP, in memory. Whoever comes is whom ?as= of the interaction names, else AS of the environment, with the address ?email= from then on; ?deny refuses.
// PORT, REDIRECT and KID come from the environment; "listening <port>" is printed when it is ready.
import { createServer } from 'node:http'
import { generateKeyPairSync } from 'node:crypto'
import { Provider } from 'oidc-provider'

const people = {
  alice: { email: 'alice@example.org', email_verified: true, preferred_username: 'alice' },
  twin: { email: 'twin@example.org', email_verified: true, preferred_username: 'alice' },
  dora: { email: 'dora@example.org', email_verified: true, preferred_username: 'dora' },
  eve: { email: 'eve@example.org', email_verified: true, preferred_username: 'eve' },
  bob: { email: 'bob@example.org', email_verified: true },
  unverified: { email: 'unverified@example.org', email_verified: false },
  foreign: { email: 'foreign@evil.example', email_verified: true },
  sly: { email: 'sly@example.org@evil.example', email_verified: true },
  mover: { email: 'mover@example.org', email_verified: true, preferred_username: 'mover' },
  silent: {},
}

const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })
const key = { ...privateKey.export({ format: 'jwk' }), kid: process.env.KID, use: 'sig', alg: 'RS256' }

const server = createServer()
server.listen(Number(process.env.PORT ?? 0), '127.0.0.1', () => {
  const port = server.address().port
  const provider = new Provider(`http://127.0.0.1:${port}`, {
    clients: [
      {
        client_id: 'engine',
        client_secret: 'a secret of the client: with + and %',
        redirect_uris: [process.env.REDIRECT],
      },
      { client_id: 'mcp', token_endpoint_auth_method: 'none', redirect_uris: ['https://client.example/callback'] },
    ],
    jwks: { keys: [key] },
    cookies: { keys: ['only for tests'] },
    claims: { openid: ['sub'], email: ['email', 'email_verified'], profile: ['preferred_username'] },
    features: {
      devInteractions: { enabled: false },
      resourceIndicators: {
        enabled: true,
        useGrantedResource: () => true,
        getResourceServerInfo: (_, resource) => ({
          audience: resource,
          scope: 'agent:read agent:write domain:read bank:read',
          accessTokenFormat: 'jwt',
          accessTokenTTL: 60,
          jwt: { sign: { alg: 'RS256' } },
        }),
      },
    },
    extraTokenClaims: (_, token) => people[token.accountId],
    interactions: { url: (_, interaction) => `/interaction/${interaction.uid}` },
    findAccount: (_, id) => ({ accountId: id, claims: () => ({ sub: id, ...people[id] }) }),
    ttl: { Session: 60, Interaction: 60, Grant: 60, AccessToken: 60, AuthorizationCode: 60, IdToken: 60 },
  })
  const serve = provider.callback()
  server.on('request', async (request, response) => {
    if (!request.url.startsWith('/interaction/')) {
      return serve(request, response)
    }
    const query = new URL(request.url, 'http://localhost').searchParams
    const { prompt, params, session } = await provider.interactionDetails(request, response)
    if (query.has('deny')) {
      return provider.interactionFinished(request, response, { error: 'access_denied', error_description: 'no' })
    }
    if (query.has('email')) people[query.get('as')].email = query.get('email')
    if (prompt.name === 'login') {
      return provider.interactionFinished(request, response, { login: { accountId: query.get('as') ?? process.env.AS } })
    }
    const grant = new provider.Grant({ accountId: session.accountId, clientId: params.client_id })
    grant.addOIDCScope(params.scope)
    if (params.resource) grant.addResourceScope(params.resource, params.scope)
    return provider.interactionFinished(request, response, { consent: { grantId: await grant.save() } })
  })
  console.log(`listening ${port}`)
})
