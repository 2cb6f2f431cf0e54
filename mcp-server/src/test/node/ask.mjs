// An agent asks its person through an official client that can show a form: node ask.mjs <mode> <address of /mcp>, the
// key in ENGINE_KEY. The mode is legacy or a revision. Prints what the person was shown, and the result of the call.
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';

const [mode, address] = process.argv.slice(2);
const transport = new StreamableHTTPClientTransport(new URL(address), {
  requestInit: { headers: { 'X-API-Key': process.env.ENGINE_KEY } },
});
const client = new Client(
  { name: 'test', version: '1' },
  { capabilities: { elicitation: {} }, versionNegotiation: { mode: mode === 'legacy' ? mode : { pin: mode } } },
);
const forms = [];
client.setRequestHandler('elicitation/create', request => {
  forms.push(request.params);
  return { action: 'accept', content: { answer: 'no' } };
});
await client.connect(transport);
const result = await client.callTool({
  name: 'AP_Ask',
  arguments: { content: 'Deploy?', choices: ['yes', 'no'], target: { context: 'Ada' } },
});
console.log(JSON.stringify({ version: client.getNegotiatedProtocolVersion(), forms, result }));
await client.close();
