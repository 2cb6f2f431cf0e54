// An official client that a company's identity provider gives access, without a page: node crossapp.mjs <mode> <address of /mcp> <issuer> <client id> <secret> <assertion>.
// The assertion (ID-JAG) stands for what the provider would return. Each step prints one line of JSON.
import { Client, CrossAppAccessProvider, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';

const [mode, address, expectedIssuer, clientId, clientSecret, assertion] = process.argv.slice(2);
const say = (step, got) => console.log(JSON.stringify({ step, got }));

const authProvider = new CrossAppAccessProvider({
  clientId,
  clientSecret,
  expectedIssuer,
  assertion: ({ authorizationServerUrl, resourceUrl }) => {
    say('asked', { server: authorizationServerUrl, resource: resourceUrl });
    return assertion;
  },
});
const transport = new StreamableHTTPClientTransport(new URL(address), { authProvider });
const client = new Client({ name: 'test', version: '1' }, { versionNegotiation: { mode: mode === 'legacy' ? mode : { pin: mode } } });
await client.connect(transport);
say('who', await client.callTool({ name: 'US_Read', arguments: {} }));
await client.close();
