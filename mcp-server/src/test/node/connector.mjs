// An official client that only knows OAuth, at the engine's own authorization server: node connector.mjs <mode> <address of /mcp> <key> [dpop|late].
// It registers itself, a user signs in with the key and allows it, and it renews its token by itself. With dpop its tokens are bound to its key, with late its
// clock is an hour behind, too. Each step prints one line of JSON.
import { Client, DpopSession, StreamableHTTPClientTransport, UnauthorizedError } from '@modelcontextprotocol/client';

const [mode, address, key, bound] = process.argv.slice(2);
if (bound === 'late') {
  const now = Date.now;
  Date.now = () => now() - 3_600_000;
}
const session = bound ? await DpopSession.create() : undefined;
const kept = {};
let questions = 0;

// What the page of the consent does in the browser of the user.
async function allow(location) {
  const at = (path) => location.href.replace(/\/oauth\/authorize.*/, path);
  const page = await fetch(location, { redirect: 'manual' });
  if (page.status !== 200) throw new Error(`${page.status} at ${location}`);
  const start = await fetch(at('/api/auth/session'), { method: 'POST', headers: { 'X-Api-Key': key } });
  const cookie = start.headers.getSetCookie()[0].split(';')[0];
  const { csrf_token: csrf } = await start.json();
  const question = await (await fetch(at('/oauth/question') + location.search, { headers: { cookie } })).json();
  say('question', question);
  const capabilities = question.capabilities.filter((one) => one.requested).map((one) => one.name);
  const decided = await fetch(at('/oauth/authorize') + location.search, {
    method: 'POST', headers: { cookie, 'X-CSRF-Token': csrf, 'Sec-Fetch-Site': 'same-origin', 'Content-Type': 'application/json' },
    body: JSON.stringify({ allow: true, agent: `Connector ${mode}`, capabilities }),
  });
  const { location: back } = await decided.json();
  return new URL(back).searchParams;
}

const authProvider = {
  ...(session ? { dpop: () => session } : {}),
  redirectUrl: 'http://localhost:3118/callback',
  clientMetadata: { client_name: 'Connector', redirect_uris: ['http://localhost:3118/callback'] },
  clientInformation: () => kept.client,
  saveClientInformation: (client) => (kept.client = client),
  tokens: () => kept.tokens,
  saveTokens: (tokens) => (kept.tokens = tokens),
  codeVerifier: () => kept.verifier,
  saveCodeVerifier: (verifier) => (kept.verifier = verifier),
  discoveryState: () => kept.discovery,
  saveDiscoveryState: (state) => (kept.discovery = state),
  redirectToAuthorization: async (location) => {
    questions++;
    kept.back = await allow(location);
  },
};

const say = (step, got) => console.log(JSON.stringify({ step, got }));
let transport;

async function connect() {
  transport = new StreamableHTTPClientTransport(new URL(address), { authProvider });
  const client = new Client({ name: 'test', version: '1' }, { versionNegotiation: { mode: mode === 'legacy' ? mode : { pin: mode } } });
  await client.connect(transport);
  return client;
}

async function authorized(work) {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof UnauthorizedError)) throw error;
    await transport.finishAuth(kept.back);
    return work();
  }
}

const client = await authorized(connect);
say('connect', { version: client.getNegotiatedProtocolVersion() });
say('who', await client.callTool({ name: 'US_Read', arguments: {} }));
const first = kept.tokens.access_token;
say('type', kept.tokens.token_type);
const tokens = kept.discovery.authorizationServerMetadata.token_endpoint;
const renewed = await fetch(tokens, {
  method: 'POST',
  headers: session ? { DPoP: await session.buildProof({ htm: 'POST', htu: tokens }) } : {},
  body: new URLSearchParams({ grant_type: 'refresh_token', refresh_token: kept.tokens.refresh_token, client_id: kept.client.client_id, resource: kept.discovery.resourceMetadata.resource }),
});
kept.tokens = { ...await renewed.json(), access_token: first }; // The client still has the old token, and must renew it by itself.
do await authorized(() => client.callTool({ name: 'US_Read', arguments: {} })); while (kept.tokens.access_token === first); // The old one is taken for at most a second more.
say('tools', (await authorized(() => client.listTools())).tools.map((tool) => tool.name));
say('renewed', kept.tokens.access_token !== first);
say('asked', questions);
await client.close();
