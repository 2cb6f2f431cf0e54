// The console of a workspace with 1,000 agents, 100,000 messages in one zone and 100,000 memories in one bank: node console-large.mjs <address>
// <folder for pictures>, the key in OWNER_KEY, the id of an old message in FAR_MESSAGE. Prints for each page how many elements and requests it takes, at first and after going far down.
// How long each took is kept beside the pictures, and not looked at: it depends on the machine.
import { writeFileSync } from 'node:fs';
import { Pages, report } from './pages.mjs';

const [engine, screenshots] = process.argv.slice(2);
const { OWNER_KEY, FAR_MESSAGE } = process.env;
const pages = await Pages.launch(engine, screenshots);
const took = {};

async function measured(page, path, there, far) {
  let requests = 0;
  const count = (request) => { if (request.url().includes('/invoke')) requests += 1; };
  page.on('request', count);
  const began = Date.now();
  await page.goto(engine + path);
  await page.locator(there).first().waitFor();
  await page.waitForFunction(() => !document.getElementById('main').hasAttribute('aria-busy'));
  took[path] = Date.now() - began;
  const elements = () => page.evaluate(() => document.getElementsByTagName('*').length);
  const step = { path, elements: await elements(), requests, below: await page.evaluate(() => document.documentElement.scrollHeight - innerHeight) };
  if (far) {
    for (let i = 0; i < 12; i++) {
      const before = await page.locator(far).evaluate((box) => box.scrollTop);
      await page.waitForFunction(([selector, was]) => { // Until more has come, the end is where it was.
        const box = document.querySelector(selector);
        box.querySelector('.problem button')?.click(); // On a slow machine the database may have been too busy.
        box.scrollTop = box.scrollHeight;
        return box.scrollTop > was;
      }, [far, before]);
    }
    step.far = await page.locator(far).evaluate((box) => box.scrollTop);
    step.elementsFar = await elements();
    // A little up: rows come before those that stay.
    const places = () => page.locator(`${far} .virtual-row`).evaluateAll((rows) => rows.map((row) => Number(row.getAttribute('aria-posinset'))));
    await page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))); // The rows at the end are drawn.
    const before = await places();
    await page.locator(far).evaluate((box) => { box.scrollTop -= box.clientHeight; });
    await page.waitForFunction(([selector, first]) => [...document.querySelectorAll(`${selector} .virtual-row`)].some((row) => Number(row.getAttribute('aria-posinset')) < first), [far, Math.min(...before)]);
    step.order = await places();
    step.requestsFar = requests;
  }
  await pages.picture(page, `console-large-${path.split('/')[2]}`);
  page.off('request', count);
  report('page', step);
}

// What scrolls on the page of the large bank, and which rows there are after the page itself was scrolled far.
async function scrolls(width) {
  const page = await pages.signedIn(OWNER_KEY, '/console/memory/archive', width);
  await page.locator('.memories .virtual-row').first().waitFor();
  await page.waitForFunction(() => document.querySelector('.memories .virtual-inner').clientHeight > 5000);
  const step = await page.evaluate(() => {
    const list = document.querySelector('.memories .virtual');
    return { list: getComputedStyle(list).overflowY === 'auto' && list.scrollHeight > list.clientHeight, page: document.documentElement.scrollHeight > innerHeight };
  });
  await page.evaluate(() => scrollTo(0, 4000));
  if (step.page) await page.waitForFunction(() => [...document.querySelectorAll('.memories .virtual-row')].every((row) => Number(row.getAttribute('aria-posinset')) > 20));
  step.rows = await page.locator('.memories .virtual-row').count();
  report(`scrolls at ${width}`, step);
  await page.context().close();
}

// Who chooses an agent far down in the list, and goes back, finds the list where it was.
async function place(page) {
  const at = (top) => page.waitForFunction((offset) => document.querySelector('.side .virtual').scrollTop === offset, top);
  const there = (selector) => page.locator(`#main:not([aria-busy]) ${selector}`).first().waitFor();
  await page.goto(`${engine}/console/agents`);
  await there('.virtual-row');
  const top = 25_000;
  await page.waitForFunction((offset) => {
    const list = document.querySelector('.side .virtual');
    if (list.scrollHeight - list.clientHeight < offset) list.scrollTop = list.scrollHeight;
    else list.scrollTop = offset;
    return list.scrollTop === offset;
  }, top);
  // Rows are drawn after the list has moved.
  const inSight = await (await page.waitForFunction(() => {
    const list = document.querySelector('.side .virtual');
    const { top: from, bottom: to } = list.getBoundingClientRect();
    return [...list.querySelectorAll('.virtual-row')].find((row) => {
      const at = row.getBoundingClientRect();
      return at.top > from + 50 && at.bottom < to;
    })?.ariaPosInSet;
  })).jsonValue();
  const row = page.locator(`.virtual-row[aria-posinset="${inSight}"] a`);
  const href = await row.getAttribute('href');
  await row.click();
  await there('.detail h2');
  await at(top);
  const chosen = await page.locator(`.virtual-row[aria-posinset="${inSight}"] a[aria-current]`).getAttribute('href') === href;
  // Who finds another one has it in sight, and on going back the list is where it was.
  await page.keyboard.press('Control+k');
  await page.getByRole('combobox', { name: 'Search' }).fill('Ada');
  await page.getByRole('group', { name: 'Agents' }).getByRole('option', { name: 'Ada' }).first().click();
  await page.waitForFunction(() => document.querySelector('.side .virtual').scrollTop === 0 && document.querySelector('.virtual-row a[aria-current][data-agent="Ada"]'));
  await page.goBack();
  await at(top);
  await page.goBack();
  await there('.pick');
  await at(top);
  report('place', { chosen, again: await row.getAttribute('href') === href });
}

const below = (page, selector = '.transcript') => page.locator(selector).first().evaluate((box) => Math.round(box.scrollHeight - box.scrollTop - box.clientHeight));
const frames = (page) => page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))));

async function say(content, more = {}) {
  const response = await fetch(`${engine}/api/mcp/tools/AP_Chat/invoke`, {
    method: 'POST', headers: { 'X-Api-Key': OWNER_KEY, 'Content-Type': 'application/json' },
    body: JSON.stringify({ target: { domain: 'harbour', zone: 'main' }, content, ...more }),
  });
  if (!response.ok) throw new Error(await response.text());
}

// A room opens at its end, follows it, and leaves who reads further up where they are.
async function room(width) {
  const page = await pages.signedIn(OWNER_KEY, '/console/spaces/harbour/main', width);
  await page.locator('#main:not([aria-busy]) .transcript li[data-id]').first().waitFor();
  await page.locator('#live[data-state="on"]').waitFor({ state: 'attached' });
  await frames(page);
  const lines = page.locator('.transcript li[data-id]');
  const step = { width, last: await lines.last().locator('.said').innerText(), opens: await below(page), messages: await lines.count(),
    days: await page.locator('.transcript .day').count(), heads: await page.locator('.transcript .bubble-head').count(),
    composer: await page.getByLabel('Message to harbour/main').evaluate((one) => one.getBoundingClientRect().bottom <= innerHeight) };
  await pages.look(page, 'room');
  const text = `tall at ${width}${'\nand a line'.repeat(7)}`;
  await say(text);
  await page.locator('.said', { hasText: `tall at ${width}` }).waitFor();
  await frames(page);
  step.follows = await below(page);
  // Up to the beginning: older ones come above what is read.
  const first = await lines.first().getAttribute('data-id');
  // Of the second: the first loses its author, once an older one of the same author is above it.
  const read = await lines.nth(1).getAttribute('data-id');
  const top = () => page.evaluate((id) => document.querySelector(`[data-id="${id}"]`).getBoundingClientRect().top, read);
  await page.locator('.transcript').evaluate((box) => { box.scrollTop = 100; });
  await page.waitForFunction(() => document.querySelector('.jump'));
  const before = await top();
  await page.getByRole('button', { name: 'Earlier messages' }).evaluate((one) => one.click());
  await page.waitForFunction((id) => document.querySelector('.transcript li[data-id]').dataset.id !== id, first);
  step.moved = Math.round(await top() - before);
  step.older = await lines.count();
  await say(`unseen at ${width}`, { reply_to: first });
  const jump = page.locator('.jump', { hasText: 'new' });
  await jump.waitFor();
  step.jump = await jump.innerText();
  await pages.picture(page, 'room-new');
  await jump.click();
  await page.locator('.jump').waitFor({ state: 'detached' });
  await frames(page);
  step.jumped = await below(page);
  report('room', step);
  await page.context().close();
}

// A message that is further back than is read has its thread beside the room.
async function farBack() {
  const page = await pages.signedIn(OWNER_KEY, `/console/spaces/harbour/main?message=${FAR_MESSAGE}`);
  const sought = page.locator('.thread .sought');
  await sought.waitFor();
  const step = { sought: await sought.locator('.said').innerText() };
  await page.getByLabel('Answer in the thread').fill('An answer from the thread.');
  await page.keyboard.press('Enter');
  const answer = page.locator('.thread .said', { hasText: 'An answer' });
  await answer.waitFor();
  step.answer = (await answer.innerText()).trim();
  await pages.look(page, 'room-thread');
  const count = await page.locator('.chat:not(.thread) li[data-id]').count();
  await page.locator('.chat:not(.thread) .more button').evaluate((one) => one.click());
  await page.waitForFunction((was) => document.querySelectorAll('.chat:not(.thread) li[data-id]').length > was, count);
  step.numbers = (await page.locator('.chat:not(.thread) .said').allInnerTexts()).map((text) => Number(/^message (\d+)/.exec(text)?.[1])).filter(Boolean);
  report('far back', step);
  await page.context().close();
}

try {
  const page = await pages.signedIn(OWNER_KEY, '/llms.txt');
  await measured(page, '/console/world', '.people li');
  await measured(page, '/console/agents', '.virtual-row');
  await measured(page, '/console/spaces/harbour/main', '.transcript li[data-id]:last-child');
  await measured(page, '/console/memory/archive', '.memory', '.memories .virtual');
  await measured(page, '/console/activity', '.entry-row');
  await place(page);
  await scrolls(1280);
  await scrolls(360);
  await page.context().close();
  await room(1280);
  await room(390);
  await farBack();
  writeFileSync(`${screenshots}/console-large-ms.json`, JSON.stringify(took, null, 1));
  report('faults', { faults: pages.faults });
} finally {
  await pages.close();
}
