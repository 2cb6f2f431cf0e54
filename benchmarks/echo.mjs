// The official TypeScript server with one tool that returns its argument. Runs where its packages are installed.
import { createServer } from 'node:http';
import { toNodeHandler } from '@modelcontextprotocol/node';
import { createMcpHandler, McpServer } from '@modelcontextprotocol/server';
import { z } from 'zod';

const handler = createMcpHandler(() => {
    const server = new McpServer({ name: 'echo', version: '1.0.0' });
    server.registerTool(
        'echo',
        { description: 'Returns its argument.', inputSchema: z.object({ text: z.string() }) },
        ({ text }) => ({ content: [{ type: 'text', text }] }),
    );
    return server;
});
const http = createServer(toNodeHandler(handler));
http.listen(0, '127.0.0.1', () => console.log(`ready http://127.0.0.1:${http.address().port}`));
