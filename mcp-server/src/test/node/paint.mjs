// How soon there is something to see, each time with nothing kept from before, also as a multiple of what a bare text of the same engine needs;
// what the first view of the console weighs; how soon its pages show what is in the workspace; how soon one browser shows what another one says;
// how soon 200 open streams have it; and the demo, with a picture every five seconds:
// node paint.mjs <address of the engine> <loads of each page> <steps, with commas between them> [<folder for pictures>], an owner's key in ENGINE_KEY.
// It measures, for ./engine bench pages; what must hold of pages on every machine, hub.mjs and console.mjs look at.
import { tmpdir } from 'node:os';
import { setTimeout as pause } from 'node:timers/promises';
import { Pages, loaded, widths } from './pages.mjs';

const [engine, count, steps, pictures = tmpdir()] = process.argv.slice(2);
const { ENGINE_KEY } = process.env;
const MESSAGES = 20;
const STREAMS = 200;
const BARE = '/llms.txt';
const pages = await Pages.launch(engine, pictures);

// A page in a context of its own, where somebody is signed in but nothing was loaded.
async function signedIn(path, width) {
  const page = await pages.blank({ viewport: { width, height: 900 } });
  await page.request.post(`${engine}/api/auth/session`, { headers: { 'X-Api-Key': ENGINE_KEY, 'Sec-Fetch-Site': 'same-origin' } });
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
    globalThis.paints = {};
    new MutationObserver(() => {
      for (const one of document.querySelectorAll('.said')) globalThis.paints[one.textContent.trim()] ??= Date.now();
    }).observe(document.querySelector('.transcript'), { childList: true, subtree: true });
  });
  const times = [];
  for (let i = 0; i < MESSAGES; i++) {
    const text = `message ${i}`;
    await writer.getByLabel('Message to bench/main').fill(text);
    await writer.evaluate(() => addEventListener('keydown', () => { globalThis.pressed = Date.now(); }, { once: true, capture: true }));
    await writer.keyboard.press('Enter');
    await reader.waitForFunction((key) => globalThis.paints[key], text);
    times.push(await reader.evaluate((key) => globalThis.paints[key], text) - await writer.evaluate(() => globalThis.pressed));
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
    let start;
    open.push(new Promise((resolve) => { start = resolve; }));
    heard.push((async () => {
      let text = '';
      for await (const chunk of response.body) {
        text += decoder.decode(chunk, { stream: true });
        start();
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

const SHOWN = {
  '/console/world': '.people li, .room', '/console/agents': '.virtual-row', '/console/spaces/bench/main': '.transcript li', '/console/memory/bench': '.memory', '/console/activity': '.entry-row',
};

// Until the things of the workspace are on the page, each time with nothing kept from before.
async function content() {
  const times = new Map(Object.keys(SHOWN).map((path) => [path, []]));
  for (let i = 0; i < Number(count); i++) {
    for (const [path, taken] of times) {
      const page = await signedIn(path, widths[i % widths.length]);
      await page.locator(SHOWN[path]).first().waitFor({ state: 'attached' });
      await page.waitForFunction(() => !document.getElementById('main').hasAttribute('aria-busy'));
      taken.push(await page.evaluate(() => performance.now()));
      await page.context().close();
    }
  }
  for (const [path, taken] of times) row(path, taken);
}

// All that a browser loads which has nothing of the engine yet, until the page is live.
async function weight() {
  const page = await signedIn('/console/world', 1280);
  await page.waitForSelector('#live[data-state="on"]', { state: 'attached' });
  const [bytes, requests] = await page.evaluate(() => {
    const sent = [...performance.getEntriesByType('navigation'), ...performance.getEntriesByType('resource')];
    return [sent.reduce((sum, entry) => sum + entry.transferSize, 0), sent.length];
  });
  console.log(`first view of the console   ${Math.round(bytes / 1000)} KB compressed, ${requests} requests`);
  await page.context().close();
}

async function paints() {
  const times = new Map([BARE, '/mcp-hub', '/mcp-hub/tools/AP_Create', '/mcp-hub/connect', '/skills-hub', '/skills-hub/first-steps', '/docs', '/console/world', '/console/spaces/bench/main'].map((path) => [path, []]));
  // Each round loads all pages, so that what else the machine does slows all of them.
  for (let i = 0; i < Number(count); i++) for (const [path, taken] of times) taken.push(await paint(path, widths[i % widths.length]));
  for (const [path, taken] of times) row(path, taken, `, ${median(taken.map((time, i) => time / times.get(BARE)[i])).toFixed(1)} times the bare text`);
}

// A newcomer opens the console, starts the demo, reads along and answers.
async function demo() {
  const page = await signedIn('/console/world', 1280);
  const began = Date.now() - await page.evaluate(() => performance.now());
  const since = () => Math.round((Date.now() - began) / 1000);
  await page.getByRole('button', { name: 'Start the demo' }).first().click();
  const seen = new Map();
  const look = async (name, place) => {
    await place.waitFor();
    seen.set(name, since());
  };
  const watched = (async () => {
    await look('two agents have spoken', page.locator('.bubble', { hasText: 'The connection pool is full' }).first());
    const answer = page.getByRole('button', { name: 'Roll back the deploy' });
    await look('they ask', answer);
    await pause(6000); // To read the question.
    await answer.click();
    await look('they have my answer', page.locator('.bubble', { hasText: 'Rolling back deploy 512' }).first());
    await look('it is over', page.getByText('The incident is over.'));
  })();
  let over = false;
  watched.then(() => { over = true; }, () => { over = true; });
  for (let i = 1; !over; i++) {
    await pause(Math.max(0, began + i * 5000 - Date.now()));
    await page.screenshot({ path: `${pictures}/demo-${String(i * 5).padStart(3, '0')}.png` });
  }
  await watched;
  for (const [name, at] of seen) console.log(`${name.padEnd(26)} after ${at} s`);
  await page.context().close();
}

const STEPS = { paints, weight, content, message, streams, demo };

try {
  await paint('/mcp-hub', widths[0]); // Until the engine is warm.
  for (const step of steps.split(',')) {
    console.log(step);
    await STEPS[step]();
  }
} finally {
  await pages.close();
}
