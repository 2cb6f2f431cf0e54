// Connects an official client as the configuration of a client says that it is to be connected: node connect.mjs, with the
// address in ENGINE_URL and the headers, in which the key stands by now, as JSON in ENGINE_HEADERS. Prints the names of the tools.
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';

const requestInit = { headers: JSON.parse(process.env.ENGINE_HEADERS) };
const client = new Client({ name: 'connect', version: '1' });
await client.connect(new StreamableHTTPClientTransport(new URL(process.env.ENGINE_URL), { requestInit }));
const { tools } = await client.listTools();
console.log(JSON.stringify(tools.map(tool => tool.name)));
await client.close();
