// Pages as people meet them, in real Chromium: what a test of pages needs, and what is looked at wherever it goes.
// What a page does wrong by itself (errors of scripts, a breach of its policy, a request to another origin) is kept, and told at the end.
import { createRequire } from 'node:module';
import { readFileSync, mkdirSync } from 'node:fs';
import { chromium } from 'playwright-core';

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
const RULES = ['wcag2a', 'wcag2aa', 'wcag2aaa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'];
const COLOURS = { type: 'rule', values: ['color-contrast', 'color-contrast-enhanced'] };
// Ends a hang and measures nothing, as HangLimit does in Java. Longer, since several pages share a browser and a slow machine.
const HANG_LIMIT = Number(process.env.HANG ?? 300_000);
const TRIES = 4;
// Pictures are for people, who ask for them with SCREENSHOTS=1.
const { SCREENSHOTS } = process.env;
const HEIGHTS = { 360: 740, 390: 844, 1280: 900 };

// The first line of what is printed says what failed and where: of a long report, some show no more.
process.on('uncaughtException', (error) => {
  console.error(`${/\w[\w-]*\.mjs:\d+/.exec(error.stack)?.[0]}: ${error.stack}`);
  process.exit(1);
});

export const widths = [360, 1280];
export const themes = ['light', 'dark'];

// Prints one line of JSON, which the test in Java looks at.
export function report(step, what = {}) {
  console.log(JSON.stringify({ step, ...what }));
}

export class Pages {
  #faults = [];
  #clipboard = Promise.resolve();

  static async launch(engine, screenshots) {
    const browser = await chromium.launch({
      executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium',
      args: ['--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run', '--disable-background-networking',
        '--disable-component-update', '--disable-sync'],
    });
    mkdirSync(screenshots, { recursive: true });
    return new Pages(browser, engine, screenshots);
  }

  constructor(browser, engine, screenshots) {
    Object.assign(this, { browser, engine, screenshots });
  }

  // A page in a context of its own, without cookies; options are those of Playwright's contexts, like javaScriptEnabled. It is looked at in
  // each of the themes, on a phone in the first, and otherwise has the first.
  async open(path, width, schemes, options) {
    const page = await this.#page(width, schemes, options);
    await page.goto(this.engine + path);
    return page;
  }

  // The same, signed in with a key before it loads anything.
  async signedIn(key, path, width, schemes, options) {
    const page = await this.#page(width, schemes, options);
    page.on('dialog', (dialog) => report('a script ran', { text: dialog.message() }));
    await page.request.post(`${this.engine}/api/auth/session`, { headers: { 'X-Api-Key': key, 'Sec-Fetch-Site': 'same-origin' } });
    await page.goto(this.engine + path);
    return page;
  }

  // Goes to a page of the console: from another one by a link, which loads nothing anew, and else by its address.
  async follow(page, path) {
    const isElsewhere = !page.url().startsWith(`${this.engine}/console/`);
    if (isElsewhere || page.url() === this.engine + path) await page.goto(this.engine + path);
    else await page.evaluate(clickOnLink, path);
  }

  async #page(width = 1280, schemes = themes.slice(0, 1), options = {}) {
    const viewport = { width, height: HEIGHTS[width] };
    const page = await this.blank({ viewport, colorScheme: schemes[0], reducedMotion: 'reduce', ...options });
    this.#guard(page);
    page.schemes = width < 400 ? schemes.slice(0, 1) : schemes; // A phone has the colours of a wide window.
    page.shot = `${width}-${schemes[0]}`;
    return page;
  }

  // An empty page in a context of its own, which nothing is kept of.
  async blank(options = {}) {
    const context = await this.browser.newContext(options);
    context.setDefaultTimeout(HANG_LIMIT);
    return context.newPage();
  }

  // Signs in at the open dialog, and waits for what follows: a new page, if nothing else is said. Tries again where the engine was too
  // busy to answer, as a person would.
  async signIn(page, key, follows = () => page.waitForEvent('load')) {
    await page.getByLabel('API key', { exact: true }).and(page.locator('input')).fill(key);
    const dialog = page.getByRole('dialog', { name: 'Sign in' });
    const problem = dialog.locator('.problem:not(:empty)');
    const signedIn = follows().then(() => true);
    signedIn.catch(() => {});
    for (let tries = 1; ; tries++) {
      await dialog.getByRole('button', { name: 'Sign in' }).click();
      const refused = problem.waitFor().then(() => false);
      refused.catch(() => {});
      if (await Promise.race([signedIn, refused])) return;
      if (tries === TRIES) throw new Error(`no sign-in: ${await problem.innerText()}`);
    }
  }

  // What clicking on a button puts on the clipboard, which all pages of the browser share: one after another.
  copied(page, button) {
    const copied = this.#clipboard.then(async () => {
      const handle = await button.elementHandle();
      await handle.evaluate((one) => { // It is labelled so for two seconds only.
        one.said = [];
        new MutationObserver(() => one.said.push(one.textContent)).observe(one, { childList: true, characterData: true, subtree: true });
      });
      await button.click();
      await page.waitForFunction((one) => one.said.includes('Copied'), handle);
      return page.evaluate(() => navigator.clipboard.readText());
    });
    this.#clipboard = copied.catch(() => {});
    return copied;
  }

  #guard(page) {
    const fault = (kind, text) => this.#faults.push(`${kind} at ${new URL(page.url()).pathname}: ${text}`);
    page.on('console', (message) => {
      if (['error', 'warning'].includes(message.type()) && !expected(message)) fault('console', message.text());
    });
    page.on('pageerror', (error) => fault('script', error.message));
    page.on('request', (request) => {
      if (!request.url().startsWith(this.engine + '/') && !request.url().startsWith('data:')) fault('request', request.url());
    });
  }

  // Looks at the page as it is now, in its themes: what axe finds, on all of it or within what a selector names; whether it is wider than
  // its window; and may keep a picture. From one theme to another only colours change.
  async look(page, name, within = 'html') {
    await page.locator(within).first().waitFor();
    for (const theme of page.schemes) {
      if (page.schemes.length > 1) await page.emulateMedia({ colorScheme: theme });
      page.shot = page.shot.replace(/\w+$/, theme);
      await this.#see(page, name, within, theme === page.schemes[0] ? RULES : COLOURS);
    }
  }

  async #see(page, name, within, rules) {
    const violations = await axe(page, within, rules);
    for (const violation of violations) this.#faults.push(`axe at ${name} ${page.shot}: ${violation}`);
    const wide = await page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
    if (wide > 0) this.#faults.push(`${name} ${page.shot} is ${wide} px too wide`);
    await this.picture(page, name);
  }

  async picture(page, name) {
    if (SCREENSHOTS) await this.#screenshot(page, name);
  }

  // Of the whole page; where a dialog is open, or the page is very long, of what is in the window.
  async #screenshot(page, name) {
    const fullPage = await page.evaluate(() => !document.querySelector('dialog[open]') && document.documentElement.scrollHeight < 8000);
    await page.screenshot({ path: `${this.screenshots}/${name}-${page.shot}.png`, fullPage });
  }

  // A picture of the documents, and what can be read on it, line by line: with this text, a machine with other fonts sees whether the picture is stale. Times
  // and days are left out, and what happened, which comes in no certain order.
  async readable(page, name) {
    await this.#screenshot(page, name);
    return page.evaluate(() => {
      const left = [...document.querySelectorAll('time, .feed > li, li.day')];
      for (const one of left) one.hidden = true;
      const words = ['.rail nav', 'main'].map((part) => document.querySelector(part).innerText).join('\n');
      for (const one of left) one.hidden = false;
      return words.split('\n').map((line) => line.trim()).filter(Boolean).join('\n');
    });
  }

  // All that was found wrong on the way.
  get faults() {
    return [...new Set(this.#faults)];
  }

  async close() {
    await this.browser.close();
  }
}

// Does the tasks, a few at a time: each waits for the browser that they share.
export async function together(tasks, workers = 4) {
  const waiting = [...tasks];
  const work = async () => {
    for (let task = waiting.shift(); task; task = waiting.shift()) await task();
  };
  await Promise.all(Array.from({ length: workers }, work));
}

// Until the page to which it leads is shown.
function clickOnLink(href) {
  return new Promise((resolve) => {
    document.addEventListener('shown', () => resolve(), { capture: true, once: true });
    const link = document.createElement('a');
    link.href = href;
    document.body.append(link);
    link.click();
    link.remove();
  });
}

// A refusal that a test asked for is told on the console by the browser itself.
function expected(message) {
  return message.text().startsWith('Failed to load resource: the server responded with a status of 4');
}

// What it cost to load a page, once it has been painted: ms until there was something to see, bytes and requests for it, and how far
// anything jumped in the 300 ms after.
export function loaded(page) {
  return page.evaluate((limit) => new Promise((resolve, reject) => {
    const late = setTimeout(() => reject(new Error('nothing was painted')), limit);
    let shift = 0;
    new PerformanceObserver((list) => {
      for (const entry of list.getEntries()) shift += entry.value;
    }).observe({ type: 'layout-shift', buffered: true });
    new PerformanceObserver((list) => {
      const [paint] = list.getEntriesByName('first-contentful-paint');
      if (!paint) return;
      clearTimeout(late);
      setTimeout(() => {
        const sent = [...performance.getEntriesByType('navigation'), ...performance.getEntriesByType('resource')];
        resolve({ paint: paint.startTime, bytes: sent.reduce((sum, entry) => sum + entry.transferSize, 0), requests: sent.length, shift });
      }, 300);
    }).observe({ type: 'paint', buffered: true });
  }), HANG_LIMIT);
}

// The script of axe is put in by the debugger, which no policy of the page hinders; everything else obeys it.
export async function axe(page, within = 'html', runOnly = RULES) {
  if (!(await page.evaluate(() => 'axe' in globalThis))) await page.evaluate(AXE);
  return page.evaluate(async ([only, place]) => {
    const { violations } = await globalThis.axe.run(place, { runOnly: only, resultTypes: ['violations'] });
    return violations.map(({ id, nodes }) => `${id}: ${nodes.map((node) => `${node.target} (${node.failureSummary})`).slice(0, 3).join(' | ')}`);
  }, [runOnly, within]);
}
