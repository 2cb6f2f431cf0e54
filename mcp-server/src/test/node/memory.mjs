// Anthropic's memory tool on a bank: node memory.mjs <address of /mcp> <bank>, the key in ENGINE_KEY. Each step goes through
// the tool of the official SDK twice: with handlers that pass it on to MB_Files, and with the SDK's own handlers, which keep
// files in a temporary folder. Each prints one line of JSON with both results, which FilesWithSdkTest compares.
import { betaMemoryTool } from '@anthropic-ai/sdk/helpers/beta/memory';
import { BetaLocalFilesystemMemoryTool } from '@anthropic-ai/sdk/tools/memory/node';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const [address, bank] = process.argv.slice(2);
const client = new Client({ name: 'memory', version: '1' }, { versionNegotiation: { mode: 'auto' } });
await client.connect(new StreamableHTTPClientTransport(new URL(address), {
  requestInit: { headers: { 'X-API-Key': process.env.ENGINE_KEY } },
}));

// The whole adapter.
const handler = async input => {
  const result = await client.callTool({ name: 'MB_Files', arguments: { target: { bank }, ...input } });
  if (result.isError) throw new Error(result.structuredContent.text);
  return result.structuredContent.text;
};
const commands = ['view', 'create', 'str_replace', 'insert', 'delete', 'rename'];
const ours = betaMemoryTool(Object.fromEntries(commands.map(command => [command, handler])));

const folder = await mkdtemp(join(tmpdir(), 'memory-'));
const theirs = betaMemoryTool(await BetaLocalFilesystemMemoryTool.init(folder));

const run = async (tool, input) => {
  try {
    return await tool.run(tool.parse(input));
  } catch (e) {
    return 'refused: ' + e.message;
  }
};

const notes = '/memories/notes.txt';
const steps = [
  { command: 'view', path: '/memories' },
  { command: 'view', path: notes },
  { command: 'create', path: notes, file_text: 'Meeting notes:\n- Discussed the timeline\n- Next steps: defined\n' },
  { command: 'create', path: notes, file_text: 'again' },
  { command: 'view', path: notes },
  { command: 'view', path: notes, view_range: [2, 3] },
  { command: 'view', path: notes, view_range: [3, -1] },
  { command: 'view', path: notes, view_range: [0, 99] },
  { command: 'view', path: notes, view_range: [9, 10] },
  { command: 'str_replace', path: notes, old_str: 'timeline', new_str: 'plan\nand its $& costs' },
  { command: 'str_replace', path: notes, old_str: 'absent', new_str: 'x' },
  { command: 'str_replace', path: notes, old_str: 'n', new_str: 'x' },
  { command: 'str_replace', path: '/memories/absent', old_str: 'n', new_str: 'x' },
  { command: 'insert', path: notes, insert_line: 0, insert_text: 'Title\n' },
  { command: 'insert', path: notes, insert_line: 6, insert_text: 'End' },
  { command: 'insert', path: notes, insert_line: 99, insert_text: 'x' },
  { command: 'insert', path: notes, insert_line: -1, insert_text: 'x' },
  { command: 'view', path: notes },
  { command: 'create', path: '/memories/plans/may.md', file_text: 'x'.repeat(5_632) },
  { command: 'create', path: '/memories/plans/2026/june.md', file_text: '' },
  { command: 'view', path: '/memories' },
  { command: 'view', path: '/memories/plans' },
  { command: 'rename', old_path: '/memories/plans', new_path: '/memories/archive/plans' },
  { command: 'rename', old_path: '/memories/plans', new_path: '/memories/x' },
  { command: 'rename', old_path: notes, new_path: '/memories/archive/plans/may.md' },
  { command: 'view', path: '/memories/archive/plans/2026/june.md' },
  { command: 'delete', path: '/memories/archive/plans/2026' },
  { command: 'delete', path: '/memories/archive/plans/2026' },
  { command: 'delete', path: '/memories' },
  { command: 'view', path: '/memories/archive' },
  { command: 'view', path: '/etc/passwd' },
  { command: 'view', path: '/memories/../../etc/passwd' },
];
for (const step of steps) {
  const results = { ours: await run(ours, step), theirs: await run(theirs, step) };
  console.log(JSON.stringify({ step: JSON.stringify(step).slice(0, 100), ...results }));
}
await rm(folder, { recursive: true });
await client.close();
