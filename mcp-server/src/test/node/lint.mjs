// Checks the scripts and styles of the pages: Prettier their layout, ESLint their faults: node lint.mjs. With --write it formats them first.
import { globSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ESLint } from 'eslint';
import { check, format, getFileInfo, resolveConfig } from 'prettier';

const pages = join(import.meta.dirname, '../../../../hubs-web');
const writes = process.argv.includes('--write');
const faults = [];

for (const name of globSync('src/main/resources/hubs/assets/**/*.{js,css}', { cwd: pages })) {
  const filepath = join(pages, name);
  if ((await getFileInfo(filepath, { ignorePath: join(pages, '.prettierignore') })).ignored) continue;
  const options = { ...(await resolveConfig(filepath)), filepath };
  const text = readFileSync(filepath, 'utf8');
  if (writes) writeFileSync(filepath, await format(text, options));
  else if (!(await check(text, options))) faults.push(`${name} is not formatted: run node mcp-server/src/test/node/lint.mjs --write`);
}

const eslint = new ESLint({ cwd: pages, overrideConfigFile: join(import.meta.dirname, 'eslint.config.mjs') });
const linted = await eslint.lintFiles(['src/main/resources/hubs/assets']);
if (linted.length < 50) faults.push(`ESLint found only ${linted.length} scripts`);
for (const { filePath, messages } of linted) for (const { line, ruleId, message } of messages) faults.push(`${filePath.slice(pages.length + 1)}:${line} ${ruleId}: ${message}`);

console.log(faults.join('\n'));
process.exitCode = faults.length ? 1 : 0;
