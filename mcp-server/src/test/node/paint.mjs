// How soon there is something to see, each time with nothing kept from before, also as a multiple of what a bare text of the same engine needs;
// how soon one browser shows what another one says; and how soon 200 open streams have it: node paint.mjs <address of the engine> <loads of each page>, an owner's key in ENGINE_KEY.
// It measures, for ./engine bench pages; what must hold of pages on every machine, hub.mjs and console.mjs look at.
import { tmpdir } from 'node:os';
import { Pages, loaded, widths } from './pages.mjs';

const [engine, count] = process.argv.slice(2);
const { ENGINE_KEY } = process.env;
const MESSAGES = 20;
const STREAMS = 200;
const BARE = '/llms.txt';
const pages = await Pages.launch(engine, tmpdir());

// A page in a context of its own, where somebody is signed in but nothing was loaded.
async function signedIn(path, width) {
  const page = await pages.blank({ viewport: { width, height: 900 } });
  await page.request.post(`${engine}/api/auth/session`, { headers: { 'X-Api-Key': ENGINE_KEY } });
  await page.goto(engine + path);
  return page;
}

async function paint(path, width) {
  const page = await (path.startsWith('/console') ? signedIn(path, width) : pages.open(path, width));
  const found = await loaded(page);
  await page.context().close();
  return found.paint;
}

const median = (numbers) => [...numbers].sort((a, b) => a - b)[Math.floor(numbers.length / 2)];

function row(name, times, more = '') {
  console.log(`${name.padEnd(26)} median ${Math.round(median(times))} ms, longest ${Math.round(Math.max(...times))} ms${more}`);
}

async function call(tool, args) {
  const response = await fetch(`${engine}/api/mcp/tools/${tool}/invoke`, { method: 'POST', headers: { 'Content-Type': 'application/json', 'X-Api-Key': ENGINE_KEY }, body: JSON.stringify(args) });
  const body = await response.json();
  if (!body.status?.success) throw new Error(`${tool}: ${JSON.stringify(body)}`);
}

const say = (content) => call('AP_Chat', { target: { domain: 'bench' }, content });

// From Enter in one browser to the text in another one.
async function message() {
  const [writer, reader] = await Promise.all([signedIn('/console/spaces/bench/main', 1280), signedIn('/console/spaces/bench/main', 1280)]);
  await Promise.all([writer, reader].map((page) => page.waitForSelector('#live[data-state="on"]', { state: 'attached' })));
  await Promise.all([writer, reader].map((page) => page.locator('.transcript').waitFor()));
  await reader.evaluate(() => {
    globalThis.shown = {};
    new MutationObserver(() => {
      for (const one of document.querySelectorAll('.said')) globalThis.shown[one.textContent] ??= Date.now();
    }).observe(document.querySelector('.transcript'), { childList: true, subtree: true });
  });
  const times = [];
  for (let i = 0; i < MESSAGES; i++) {
    const text = `message ${i}`;
    await writer.getByLabel('Message to bench/main').fill(text);
    await writer.evaluate(() => addEventListener('keydown', () => { globalThis.pressed = Date.now(); }, { once: true, capture: true }));
    await writer.keyboard.press('Enter');
    await reader.waitForFunction((wanted) => globalThis.shown[wanted], text);
    times.push(await reader.evaluate((wanted) => globalThis.shown[wanted], text) - await writer.evaluate(() => globalThis.pressed));
  }
  row('message to another browser', times);
}

// Opens streams, and says when all of them have had a text.
async function streams() {
  const decoder = new TextDecoder();
  const ends = new AbortController();
  const heard = [];
  const open = [];
  for (let i = 0; i < STREAMS; i++) {
    const response = await fetch(`${engine}/api/stream?topics=messages`, { headers: { 'X-Api-Key': ENGINE_KEY }, signal: ends.signal });
    if (response.status !== 200) throw new Error(`stream ${i}: ${response.status}`);
    let begun;
    open.push(new Promise((resolve) => { begun = resolve; }));
    heard.push((async () => {
      let text = '';
      for await (const chunk of response.body) {
        text += decoder.decode(chunk, { stream: true });
        begun();
        if (text.includes('to all')) return Date.now();
      }
      throw new Error('a stream ended');
    })());
  }
  await Promise.all(open);
  const began = Date.now();
  await say('to all');
  row(`message to ${STREAMS} streams`, (await Promise.all(heard)).map((at) => at - began));
  ends.abort();
}

try {
  await paint('/mcp-hub', widths[0]); // Until the engine is warm.
  await call('AP_Create', { vx: { name: 'Ada', description: 'Writes.' } });
  await call('DM_Create', { target: { agent: 'Ada' }, vx: { name: 'bench', description: 'A room.' } });
  console.log('first paint');
  const times = new Map([BARE, '/mcp-hub', '/mcp-hub/tools/AP_Create', '/mcp-hub/connect', '/skills-hub', '/skills-hub/first-steps', '/docs', '/console/world', '/console/spaces/bench/main'].map((path) => [path, []]));
  // Each round loads all pages, so that what else the machine does slows all of them.
  for (let i = 0; i < Number(count); i++) for (const [path, taken] of times) taken.push(await paint(path, widths[i % widths.length]));
  for (const [path, taken] of times) row(path, taken, `, ${median(taken.map((time, i) => time / times.get(BARE)[i])).toFixed(1)} times the bare text`);
  console.log('live');
  await message();
  await streams();
} finally {
  await pages.close();
}
