// The documentation as people use it, at two widths, the wide one in two themes: node docs.mjs <address of the engine> <folder for pictures>. Each step
// prints one line of JSON, which DocsSiteTest looks at.
import { Pages, loaded, report, themes, widths } from './pages.mjs';

const [engine, screenshots] = process.argv.slice(2);
const pages = await Pages.launch(engine, screenshots);

const SHOWN = { docs: '/docs', 'docs-concepts': '/docs/concepts', 'docs-operations': '/docs/operations', 'docs-security': '/docs/security', 'docs-pictures': '/docs/how-it-works', 'docs-start': '/docs/quick-start', 'docs-commands': '/docs/commands',
  'docs-webhooks': '/docs/webhooks', 'docs-decisions': '/docs/dev', 'docs-decision': '/docs/dev/decisions/messages',
  'docs-file': '/docs/files/examples/receivers/receiver.py', 'docs-found': '/docs/search?q=loop+guard', 'docs-not-found': '/docs/search?q=unicorn' };

// Those that are nothing but text, like others: on a phone, only their width is looked at, with that of all pages.
const TEXTS = new Set(['docs-concepts', 'docs-operations', 'docs-security', 'docs-webhooks', 'docs-decisions', 'docs-decision']);

async function looks(width) {
  const page = await pages.open('/docs', width, themes);
  for (const [name, path] of Object.entries(SHOWN)) {
    if (width < 400 && TEXTS.has(name)) continue;
    await page.goto(engine + path);
    await pages.look(page, name);
  }
  await page.context().close();
}

// Reading: from the list to a page, its parts, the next page.
async function reads(width) {
  const page = await pages.open('/docs', width);
  const step = { width };
  if (width < 400) {
    step.folded = !(await page.locator('.pages nav').isVisible());
    await page.getByText('All pages').click();
    await pages.look(page, 'docs-pages');
  }
  await page.getByRole('navigation', { name: 'Pages of the documentation' }).getByRole('link', { name: 'Limits' }).click();
  step.page = await page.locator('h1').innerText();
  if (width < 400) await page.getByText('On this page').click();
  step.contents = await page.locator('.contents').evaluate((one) => one.getBoundingClientRect().top < innerHeight / 2);
  await page.getByRole('navigation', { name: 'On this page' }).getByRole('link', { name: 'Plans' }).click();
  step.part = new URL(page.url()).hash;
  step.partInView = await page.locator('#plans').evaluate((heading) => heading.getBoundingClientRect().top < innerHeight);
  await page.getByRole('link', { name: 'Next' }).click();
  step.next = await page.locator('h1').innerText();
  await page.goto(`${engine}/docs/console`);
  step.lists = await page.locator('.docs-nav details').evaluateAll((all) => all.map((one) => Math.round(one.getBoundingClientRect().top)));
  step.enlarged = await page.locator('.prose a > img').evaluateAll((all) => all.map((one) => new URL(one.parentElement.href).pathname === new URL(one.src).pathname));
  step.pictures = await page.locator('.prose img').count();
  // To the end, and at once back to the beginning, on a page whose last part is longer than a screen.
  await page.goto(`${engine}/docs/concepts`);
  const part = (anchor) => page.waitForFunction((hash) => document.querySelector('.contents a[aria-current]')?.hash === hash, anchor);
  await page.evaluate(() => scrollTo({ top: document.documentElement.scrollHeight, behavior: 'instant' }));
  await part('#errors');
  await page.evaluate(() => scrollTo({ top: 0, behavior: 'instant' }));
  await part(undefined);
  report('reads', step);
  await page.context().close();
}

// With nothing but the keyboard: search, open what is found first.
async function searches(width) {
  const page = await pages.open('/docs/mcp', width);
  await page.getByRole('searchbox', { name: 'Search the documentation' }).focus();
  await page.keyboard.type('loop GUARD');
  await page.keyboard.press('Enter');
  await page.waitForURL('**/docs/search?q=*');
  const step = { width, said: await page.getByRole('status').innerText(), field: await page.getByRole('searchbox').inputValue() };
  step.titles = await page.locator('.hits a').allTextContents();
  step.marked = await page.locator('.hits mark').allTextContents();
  await page.locator('.hits a').first().focus();
  await page.keyboard.press('Enter');
  await page.waitForURL((url) => url.pathname !== '/docs/search');
  step.opened = new URL(page.url()).pathname;
  await page.goto(`${engine}/docs/search?q=${encodeURIComponent('ap_create')}`);
  step.command = await page.locator('.hits a').first().getAttribute('href');
  await page.goto(`${engine}/docs/search?q=${encodeURIComponent('<img src=x onerror=alert(1)> "')}`);
  step.markup = { said: await page.getByRole('status').innerText(), images: await page.locator('main img').count() };
  report('searches', step);
  await page.context().close();
}

async function deepLink() {
  const headings = [];
  for (const path of ['/docs/commands#ap_create', '/docs/commands/agent#ap_create']) {
    const page = await pages.open(path);
    await page.waitForURL('**/mcp-hub/tools/AP_Create');
    headings.push(await page.locator('h1').innerText());
    await page.context().close();
  }
  const page = await pages.open('/docs/commands/agent');
  report('deep link', { headings, family: await page.locator('h1').innerText() });
  await page.context().close();
}

async function copies() {
  const page = await pages.open('/docs/quick-start', 1280, ['light'], { permissions: ['clipboard-read', 'clipboard-write'] });
  const code = page.locator('.copied', { hasText: '/join' }).first();
  await code.hover();
  const heights = await page.locator('.copied').evaluateAll((all) => all.map((box) => ({ lines: box.querySelector('pre').textContent.trim().split('\n').length, above: box.querySelector('pre').offsetTop - box.offsetTop })));
  report('copies', { heights, copied: await pages.copied(page, code.getByRole('button')) });
  await page.context().close();
}

async function withoutScripts(width) {
  const page = await pages.open('/docs/commands#ap_create', width, ['light'], { javaScriptEnabled: false });
  const step = { width, row: await page.locator('#ap_create').innerText() };
  if (width < 400) await page.getByText('All pages').click();
  step.links = await page.getByRole('navigation', { name: 'Pages of the documentation' }).getByRole('link').filter({ visible: true }).count();
  await page.getByRole('searchbox').fill('idempotency');
  await page.getByRole('searchbox').press('Enter');
  await page.waitForURL('**/docs/search?q=idempotency');
  step.hits = await page.locator('.hits li').count();
  step.dead = await page.getByRole('button').filter({ visible: true }).allTextContents();
  report('without scripts', step);
  await pages.picture(page, 'docs-without-scripts');
  await page.context().close();
}

async function onPaper() {
  const page = await pages.open('/docs/webhooks');
  await page.setViewportSize({ width: 720, height: 1000 });
  await page.emulateMedia({ media: 'print' });
  const cut = await page.evaluate(() => [...document.querySelectorAll('main *')]
    .filter((one) => one.checkVisibility() && one.scrollWidth > one.clientWidth + 1 && getComputedStyle(one).display !== 'inline')
    .map((one) => one.outerHTML.slice(0, 90)));
  report('paper', { cut, links: await page.locator('.docs-nav, .contents, .turn, .anchor').filter({ visible: true }).count() });
  await page.goto(`${engine}/docs/concepts`);
  await pages.picture(page, 'docs-print');
  await page.context().close();
}

// No page of all of them makes the window scroll sideways, and none does anything wrong; told are those that do.
async function narrow() {
  const page = await pages.open('/docs', 360);
  const paths = new Set();
  for (const from of ['/docs', '/docs/commands', '/docs/dev']) {
    await page.goto(engine + from);
    for (const path of await page.locator('.pages a').evaluateAll((links) => links.map((link) => link.pathname))) paths.add(path);
  }
  const wide = [];
  for (const path of paths) {
    await page.goto(engine + path);
    if (await page.evaluate(() => document.documentElement.scrollWidth > document.documentElement.clientWidth)) wide.push(path);
  }
  report('narrow', { pages: paths.size, wide });
  await page.context().close();
}

// What is sent for a page, and whether anything jumps; each time with nothing kept from before.
async function loads() {
  const each = [];
  for (const path of ['/docs', '/docs/concepts', '/docs/commands', '/docs/webhooks']) {
    const page = await pages.open(path);
    each.push({ path, ...(await loaded(page)) });
    await page.context().close();
  }
  report('loads', { each });
}

// One after another in two browsers' worth of pages at most, or pictures take too long on a small machine.
async function one(width) {
  await reads(width);
  await searches(width);
  await withoutScripts(width);
  await looks(width);
}

async function others() {
  await deepLink();
  await copies();
  await onPaper();
  await narrow();
}

try {
  await loads();
  await Promise.all([...widths.map(one), others()]);
  report('faults', { faults: pages.faults });
} finally {
  await pages.close();
}
