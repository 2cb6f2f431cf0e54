// Checks the scripts and styles of the pages, and the scripts of the tests: Prettier the layout of the pages, ESLint the faults of both:
// node lint.mjs. With --write it formats the pages first.
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

const root = join(pages, '..');
const eslint = new ESLint({ cwd: root, overrideConfigFile: join(import.meta.dirname, 'eslint.config.mjs') });
for (const [folder, least] of [[join(pages, 'src/main/resources/hubs/assets'), 50], [import.meta.dirname, 25]]) {
  const results = await eslint.lintFiles([folder]);
  if (results.length < least) faults.push(`ESLint found only ${results.length} scripts in ${folder}`);
  for (const { filePath, messages } of results)
    for (const { line, ruleId, message } of messages) faults.push(`${filePath.slice(root.length + 1)}:${line} ${ruleId}: ${message}`);
}

console.log(faults.join('\n'));
process.exitCode = faults.length ? 1 : 0;
