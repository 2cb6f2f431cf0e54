// Renders each .mmd file in this folder to an .svg beside it: npm install --no-save mermaid@12 playwright-core; node docs/diagrams/render.mjs
// The SVG keeps its source in a comment, which a test compares with the .mmd file.
import { readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';

const folder = dirname(fileURLToPath(import.meta.url));
const require = createRequire(join(process.cwd(), 'package.json'));
const { chromium } = require('playwright-core');
const mermaid = join(dirname(require.resolve('mermaid')), 'mermaid.min.js');

const browser = await chromium.launch({ executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium', args: ['--no-sandbox'] });
const page = await browser.newPage();
await page.setContent('<body></body>');
await page.addScriptTag({ path: mermaid });
await page.evaluate(() => globalThis.mermaid.initialize({
  startOnLoad: false, theme: 'neutral', htmlLabels: false, fontFamily: 'system-ui, sans-serif', deterministicIds: true,
  flowchart: { htmlLabels: false }, er: { layoutDirection: 'TB' },
}));
for (const name of readdirSync(folder).filter((file) => file.endsWith('.mmd'))) {
  const source = readFileSync(join(folder, name), 'utf8');
  const svg = await page.evaluate(async ([id, text]) => {
    const { svg } = await globalThis.mermaid.render(id, text);
    const holder = document.createElement('div');
    holder.innerHTML = svg;
    const drawn = holder.querySelector('svg');
    const [, , width, height] = drawn.getAttribute('viewBox').split(' ');
    drawn.setAttribute('width', Math.ceil(width));
    drawn.setAttribute('height', Math.ceil(height));
    drawn.style.backgroundColor = '#fff';
    return new XMLSerializer().serializeToString(drawn);
  }, [name.replace('.mmd', ''), source]);
  writeFileSync(join(folder, name.replace('.mmd', '.svg')), `<!--\n${source.replaceAll('--', '- -')}-->\n${svg}\n`);
}
await browser.close();
