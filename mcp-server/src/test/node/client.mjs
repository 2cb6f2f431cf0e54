// A session of an official client with the engine: node client.mjs <mode> <address of /mcp> <agent to be made>, the key in
// ENGINE_KEY. The mode is sdk1 for the older package, else what the newer one is to speak: auto, legacy, or a revision.
// Each step prints one line of JSON, which ClientsTest looks at.
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { Client as Client1 } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport as Transport1 } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { ResourceUpdatedNotificationSchema } from '@modelcontextprotocol/sdk/types.js';

const [mode, address, agent] = process.argv.slice(2);
const older = mode === 'sdk1';
const uri = 'engine://agents/' + agent;
const UPDATED = older ? ResourceUpdatedNotificationSchema : 'notifications/resources/updated';

async function connect() {
  const options = { requestInit: { headers: { 'X-API-Key': process.env.ENGINE_KEY } } };
  const transport = new (older ? Transport1 : StreamableHTTPClientTransport)(new URL(address), options);
  const client = older
    ? new Client1({ name: 'test', version: '1' })
    : new Client(
        { name: 'test', version: '1' },
        { versionNegotiation: { mode: mode === 'auto' || mode === 'legacy' ? mode : { pin: mode } } },
      );
  await client.connect(transport);
  client.version = older ? transport.protocolVersion : client.getNegotiatedProtocolVersion();
  return client;
}

// The items of all pages, however many the client itself puts together.
async function all(list, field) {
  const items = [];
  let page = await list();
  for (items.push(...page[field]); page.nextCursor; items.push(...page[field])) {
    page = await list({ cursor: page.nextCursor });
  }
  return items;
}

// What this client is told while another one changes the agent. A session's stream may open later than its subscription, so
// the other one goes on until it was heard.
async function toldOfChanges() {
  let change;
  client.setNotificationHandler(UPDATED, notification => (change = notification.params.uri));
  if (client.version >= '2026-07-28') await client.listen({ resourceSubscriptions: [uri] });
  else await client.subscribeResource({ uri });
  const other = await connect();
  for (let i = 0; !change && i < 400; i++) {
    const vx = { description: `Change ${i}.` };
    await other.callTool({ name: 'AP_Modify', arguments: { target: { agent }, vx } });
    await new Promise(resolve => setTimeout(resolve, 250));
  }
  await other.close();
  return change;
}

const client = await connect();
const steps = {
  connect: async () => ({ version: client.version, server: client.getServerVersion().name }),
  tools: async () => (await all(page => client.listTools(page), 'tools')).map(tool => tool.name),
  read: () => client.callTool({ name: 'US_Read', arguments: {} }),
  write: () => client.callTool({ name: 'AP_Create', arguments: { vx: { name: agent, description: 'A test agent.' } } }),
  refused: () => client.callTool({ name: 'AP_Read', arguments: { target: { agent: 'nobody there' } } }),
  resources: async () => (await all(page => client.listResources(page), 'resources')).map(resource => resource.uri),
  skill: () => client.readResource({ uri: 'skill://first-steps/SKILL.md' }),
  agent: () => client.readResource({ uri }),
  told: toldOfChanges,
  complete: () =>
    client.complete({
      ref: { type: 'ref/resource', uri: 'engine://agents/{agent}' },
      argument: { name: 'agent', value: agent.slice(0, 3) },
    }),
  prompt: () => client.getPrompt({ name: 'first-steps', arguments: { task: 'Make an agent.' } }),
};
for (const [step, take] of Object.entries(steps)) {
  console.log(JSON.stringify({ step, got: await take() }));
}
await client.close();
