// An official client that has no key: node oauth.mjs <mode> <address of /mcp>, the mode as for client.mjs. It finds out by itself
// who gives access tokens, alice signs in there, and a second time when a tool needs more. Each step prints one line of JSON.
import { Client, StreamableHTTPClientTransport, UnauthorizedError } from '@modelcontextprotocol/client';

const [mode, address] = process.argv.slice(2);
const jar = new Map();
const questions = [];
const kept = {};

// The browser of the user, which the client sends to its issuer.
async function walk(location) {
  for (let at = new URL(location), steps = 0; steps < 12; steps++) {
    if (at.pathname.startsWith('/interaction/')) at.searchParams.set('as', 'alice');
    const cookie = [...jar].map(([name, value]) => `${name}=${value}`).join('; ');
    const response = await fetch(at, { redirect: 'manual', headers: { cookie } });
    for (const set of response.headers.getSetCookie()) {
      const [name, value] = set.split(';')[0].split('=');
      if (value) jar.set(name, value);
      else jar.delete(name);
    }
    const next = response.headers.get('location');
    if (!next) throw new Error(`${response.status} at ${at}: ${await response.text()}`);
    at = new URL(next, at);
    if (at.host === 'client.example') return at.searchParams;
  }
  throw new Error('it goes in circles');
}

const authProvider = {
  redirectUrl: 'https://client.example/callback',
  clientMetadata: { client_name: 'test', redirect_uris: ['https://client.example/callback'] },
  clientInformation: () => ({ client_id: 'mcp' }),
  tokens: () => kept.tokens,
  saveTokens: tokens => (kept.tokens = tokens),
  codeVerifier: () => kept.verifier,
  saveCodeVerifier: verifier => (kept.verifier = verifier),
  discoveryState: () => kept.discovery,
  saveDiscoveryState: state => (kept.discovery = state),
  redirectToAuthorization: async location => {
    questions.push({ scope: location.searchParams.get('scope'), resource: location.searchParams.get('resource') });
    kept.back = await walk(location);
  },
};

let transport;
async function connect() {
  transport = new StreamableHTTPClientTransport(new URL(address), { authProvider });
  const era = mode === 'auto' || mode === 'legacy' ? mode : { pin: mode };
  const client = new Client({ name: 'test', version: '1' }, { versionNegotiation: { mode: era } });
  await client.connect(transport);
  return client;
}

// Does it, and once more when the user has been asked.
async function authorized(work) {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof UnauthorizedError)) throw error;
    await transport.finishAuth(kept.back);
    return work();
  }
}

const say = (step, got) => console.log(JSON.stringify({ step, got }));
const client = await authorized(connect);
say('connect', { version: client.getNegotiatedProtocolVersion() });
say('first', questions[0]);
say('tools', (await client.listTools()).tools.map(tool => tool.name));
const create = { name: 'AP_Create', arguments: { vx: { name: `Made ${mode}`, description: 'A test agent.' } } };
say('write', await authorized(() => client.callTool(create)));
say('second', questions[1]);
say('more', (await client.listTools()).tools.map(tool => tool.name));
say('asked', questions.length);
await client.close();
