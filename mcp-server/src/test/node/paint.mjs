// How soon there is something to see, each time with nothing kept from before: node paint.mjs <address of the engine> <loads of each page>.
// It measures, for ./engine bench pages; what must hold of pages on every machine, hub.mjs looks at.
import { tmpdir } from 'node:os';
import { Pages, loaded, widths } from './pages.mjs';

const [engine, count] = process.argv.slice(2);
const pages = await Pages.launch(engine, tmpdir());

async function paint(path, width) {
  const page = await pages.open(path, width);
  const { paint } = await loaded(page);
  await page.context().close();
  return paint;
}

try {
  await paint('/mcp-hub', widths[0]); // Until the engine is warm.
  for (const path of ['/mcp-hub', '/mcp-hub/tools/AP_Create', '/mcp-hub/connect', '/skills-hub', '/skills-hub/first-steps', '/docs']) {
    const times = [];
    for (let i = 0; i < Number(count); i++) times.push(await paint(path, widths[i % widths.length]));
    times.sort((a, b) => a - b);
    console.log(`${path.padEnd(26)} first paint: median ${Math.round(times[Math.floor(times.length / 2)])} ms, longest ${Math.round(times.at(-1))} ms`);
  }
} finally {
  await pages.close();
}
