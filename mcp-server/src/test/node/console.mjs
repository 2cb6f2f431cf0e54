// The console as people use it, at two widths, the wide one in two themes: node console.mjs <address of the engine> <folder for pictures>, keys in
// OWNER_KEY (a tenant with things of hostile names), MEMBER_KEY and VIEWER_KEY of the same tenant, NARROW_KEY (bank:read), EMPTY_KEY (another
// tenant, with nothing in it). Each step prints one line of JSON, which ConsoleTest looks at.
import { readdirSync, rmSync } from 'node:fs';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { Pages, report, themes, widths } from './pages.mjs';

const [engine, screenshots] = process.argv.slice(2);
const { OWNER_KEY, MEMBER_KEY, VIEWER_KEY, NARROW_KEY, EMPTY_KEY } = process.env;
const pages = await Pages.launch(engine, screenshots);

const settled = (page) => page.waitForFunction(() => document.querySelector('#main > .view') && !document.getElementById('main').hasAttribute('aria-busy'));

async function open(key, path, width, schemes) {
  const page = await pages.signedIn(key, path, width, schemes);
  await settled(page);
  return page;
}

async function to(page, path, there = '#main > .view') {
  await pages.follow(page, path);
  await settled(page);
  await page.locator(there).first().waitFor();
}

const live = (page, state = 'on') => page.waitForSelector(`#live[data-state="${state}"]`, { state: 'attached' });

// Searches again where the engine was too busy to answer, as a person would.
async function found(page, words) {
  for (let tries = 1; ; tries++) {
    await page.getByLabel('Search this bank').fill('');
    await page.getByLabel('Search this bank').fill(words);
    const isThere = await page.locator('.hit mark').first().waitFor().then(() => true, () => false);
    if (isThere) return;
    if (tries === 4) throw new Error(`no hit: ${await page.locator('main').innerText()}`);
  }
}

// Types a search whose result is late, and another one; the late result comes last. Returns what is marked then.
async function slowThenQuick(page) {
  let release;
  const released = new Promise((resolve) => { release = resolve; });
  const request = page.waitForRequest((one) => one.postData()?.includes('"unicorns"'));
  await page.route('**/api/mcp/tools/MB_Search/invoke', async (route) => {
    if (route.request().postData().includes('"unicorns"')) await released;
    await route.continue();
  });
  await page.getByLabel('Search this bank').fill('unicorns');
  await request;
  await found(page, 'sail');
  const late = page.waitForResponse((response) => response.request().postData()?.includes('"unicorns"'));
  release();
  await (await late).finished();
  await page.unroute('**/api/mcp/tools/MB_Search/invoke');
  return page.locator('.hit mark').first().innerText();
}

// Asks a bank what it knows and what it does not.
async function evaluate(page) {
  await to(page, '/console/memory/notes?view=evaluate', '.evaluate');
  await page.getByLabel('Queries and what answers them').fill('When do we sail? => plan\nunicorns => tide, plan\n');
  await page.getByRole('button', { name: 'Evaluate' }).click();
  await page.locator('.figures').waitFor();
}

// Each page, at one width.
async function everyPage(width) {
  const page = await pages.open('/console/world', width, themes);
  await page.getByRole('heading', { name: 'See your agents work' }).waitFor();
  await pages.look(page, 'console-stranger');
  await page.locator('.empty').getByRole('button', { name: 'Sign in' }).click();
  await page.getByLabel('API key', { exact: true }).and(page.locator('input')).fill(OWNER_KEY);
  await page.getByRole('dialog').getByRole('button', { name: 'Sign in' }).click();
  await page.locator('.room').first().waitFor();
  await live(page);
  await pages.look(page, 'console-world');
  const views = {
    agents: ['/console/agents', '.virtual-row'], agent: ['/console/agents/Ada', '.why li'], space: ['/console/spaces/den/main', '.transcript li'], memory: ['/console/memory/notes', '.memory'],
    permissions: ['/console/memory?view=permissions', '.cell'], trash: ['/console/memory?view=trash', '.empty, .trash li'], load: ['/console/memory/notes?view=load', '.load li'],
    remembered: ['/console/memory/notes/tide', '.lineage'], story: ['/console/activity?agent=Ada&story=1', '.story'], keys: ['/console/keys', '.key-row'], webhooks: ['/console/webhooks', '.delivery'], events: ['/console/activity?show=events', '.entry-row'], activity: ['/console/activity', '.entry-row'], settings: ['/console/settings', '.setting'],
  };
  const harmless = [];
  const dangers = {};
  const buttons = async (name) => {
    harmless.push(...await page.locator('main button:not(.danger)').evaluateAll((all) => all.map((one) => one.textContent).filter((text) => /^(Delete|Revoke|Remove|Censor…)$/.test(text))));
    dangers[name] = await page.locator('main button.danger').count();
  };
  for (const [name, [path, there]] of Object.entries(views)) {
    await to(page, path, there);
    await pages.look(page, `console-${name}`);
    await buttons(name);
  }
  await to(page, '/console/webhooks', '.endpoints a');
  await page.locator('.endpoints a').first().click();
  await page.locator('.detail h2.breaks').waitFor();
  await buttons('endpoint');
  await to(page, '/console/memory/notes', '.memory');
  await found(page, 'neap tides');
  await pages.look(page, 'console-memory-search');
  await evaluate(page);
  await pages.look(page, 'console-evaluate');
  await page.locator('.rail nav a[data-page="keys"]').click();
  await page.locator('.key-row').first().click();
  await page.locator('.detail h2').waitFor();
  await pages.look(page, 'console-key');
  await buttons('key');
  report('dangers', { harmless, agent: dangers.agent, key: dangers.key, endpoint: dangers.endpoint, revoke: await page.getByRole('button', { name: 'Revoke' }).getAttribute('class') });
  await page.getByRole('button', { name: 'New key' }).click();
  await pages.look(page, 'console-new-key', 'dialog');
  await page.getByRole('dialog').getByRole('button', { name: 'Cancel' }).click();
  await page.keyboard.press('Control+k');
  await page.getByRole('combobox').fill('a');
  await page.locator('.found-entry').first().waitFor();
  await pages.look(page, 'console-search', 'dialog');
  await page.getByRole('combobox').fill('Ada');
  await page.locator('.found-entry', { hasText: 'Ada' }).first().waitFor();
  const read = page.waitForResponse('**/AP_Read/invoke');
  await page.keyboard.press('Enter');
  await page.waitForURL('**/console/agents/Ada');
  await read;
  await page.locator('.detail h2').waitFor();
  await page.getByRole('button', { name: 'The calls of this page as code' }).click();
  const code = await page.getByRole('dialog').textContent();
  report('as code', { curl: code.includes('AP_Read/invoke'), mcp: code.includes('tools/call') });
  await pages.look(page, 'console-code', 'dialog');
  await page.context().close();
}

// What is entered while another message is on its way goes next.
async function hurried(ann, bob) {
  const box = ann.getByLabel('Message to den/main');
  await box.click();
  const texts = ['I type fast', 'I type fast and more', 'I type fast'];
  await whileHeld(ann, (route) => route.continue(), async () => {
    for (const text of texts) {
      await ann.keyboard.type(text);
      await ann.keyboard.press('Enter');
    }
  });
  await bob.locator('.said', { hasText: 'I type fast' }).nth(2).waitFor();
  const refused = { status: { success: false, note: 'Not now.', error: 'overloaded' } };
  await whileHeld(ann, (route) => route.fulfill({ json: refused }), async () => {
    await ann.keyboard.type('is not sent');
    await ann.keyboard.press('Enter');
    await ann.keyboard.type('was written meanwhile');
  });
  await ann.locator('.composer-place .problem', { hasText: 'Not now.' }).waitFor();
  const said = (await bob.locator('.said').allInnerTexts()).filter((text) => text.startsWith('I type fast'));
  report('hurried', { said, box: await box.inputValue() });
  await box.fill('');
}

// Holds messages back until work is done, and then does with each what the function says.
async function whileHeld(page, then, work) {
  const isChat = '**/tools/AP_Chat/invoke';
  const { promise, resolve } = Promise.withResolvers();
  await page.route(isChat, async (route) => {
    await promise;
    await then(route);
  });
  await work();
  resolve();
  await page.locator('.composer button[type=submit]:not([aria-disabled])').waitFor(); // All are sent.
  await page.unroute(isChat);
}

// Two people in one room: what one says the other reads without doing anything; and what is full of markup shows as text.
async function together() {
  const ann = await open(OWNER_KEY, '/console/spaces/den/main');
  const bob = await open(MEMBER_KEY, '/console/spaces/den/main');
  await Promise.all([live(ann), live(bob)]);
  const sent = [];
  const urls = [];
  bob.on('request', (request) => { if (/AP_Read|ZN_/.test(request.url() + request.postData())) urls.push(request.url()); });
  for (const word of ['one', 'two', 'three']) {
    const text = `${word} <b>bold</b> <img src=x onerror=alert(3)>`;
    await ann.getByLabel('Message to den/main').fill(text);
    const began = Date.now();
    await ann.keyboard.press('Enter');
    await bob.locator('.said', { hasText: text }).waitFor();
    sent.push(Date.now() - began);
  }
  report('together', { took: sent, asked: urls, markup: await bob.locator('.transcript :is(img, b b, script)').count(), said: await bob.locator('.said').last().textContent() });
  await hurried(ann, bob);
  await bob.getByLabel('Message to den/main').fill('I read it');
  await bob.keyboard.press('Enter');
  await ann.locator('.said', { hasText: 'I read it' }).waitFor();
  await ann.context().close();
  await bob.context().close();
}

// The world moves by itself.
async function moves() {
  const world = await open(OWNER_KEY, '/console/world');
  const member = await open(MEMBER_KEY, '/console/spaces/den/main');
  await live(world);
  await member.getByLabel('Message to den/main').fill('seen in the world');
  await member.keyboard.press('Enter');
  await world.locator('.feed', { hasText: 'seen in the world' }).waitFor();
  await world.locator('.room[data-domain="den"] .bubble', { hasText: 'seen in the world' }).waitFor();
  // An MCP client that connects, and what it says.
  const guest = new Client({ name: 'harbour <b>client</b>', version: '1' });
  await guest.connect(new StreamableHTTPClientTransport(new URL(`${engine}/mcp`), { requestInit: { headers: { 'X-API-Key': MEMBER_KEY } } }));
  await guest.callTool({ name: 'AP_Chat', arguments: { target: { domain: 'den' }, content: 'said by a client' } });
  await world.locator('.room[data-domain="den"] .bubble', { hasText: 'said by a client' }).waitFor();
  const connected = world.locator('.feed li', { hasText: 'harbour <b>client</b> connected' });
  await connected.waitFor();
  report('moves', { leads: await connected.locator('a').getAttribute('href') });
  await guest.close();
  await world.context().close();
  await member.context().close();
}

// What a resumed stream repeats is shown once. The event is the browser's own, given to the stream that the page has opened.
async function repeats() {
  const page = await pages.signedIn(OWNER_KEY, '/llms.txt');
  await page.addInitScript(() => {
    globalThis.EventSource = class extends EventSource {
      constructor(...args) {
        super(...args);
        globalThis.stream = this;
      }
    };
  });
  await to(page, '/console/world');
  await live(page);
  const times = await page.evaluate(() => {
    const at = new Date().toISOString();
    const text = (count) => JSON.stringify({ bank: 'notes', change: 'stored', count, name: 'repeated', at });
    for (const data of [text(1), text(2), text(1), text(2)]) globalThis.stream.dispatchEvent(new MessageEvent('memories', { data }));
    return [...document.querySelectorAll('.feed li')].filter((one) => one.textContent.includes('repeated')).length;
  });
  // What is shown anew keeps the focus, and a memory without a name is found by its id.
  const focus = await page.evaluate(() => {
    const kept = (bank) => document.querySelector(`[data-bank="${bank}"]`).closest('a');
    kept('notes').focus();
    const before = document.activeElement;
    const id = '00000000-0000-4000-8000-000000000000';
    globalThis.stream.dispatchEvent(new MessageEvent('memories', { data: JSON.stringify({ bank: 'notes', change: 'stored', id, text: 'unnamed', author: 'Ada', at: new Date().toISOString() }) }));
    return { isSame: before === kept('notes'), on: document.activeElement === kept('notes'), leads: [...document.querySelectorAll('.feed a')].some((one) => one.getAttribute('href').endsWith(`/notes/${id}`)) };
  });
  // A stream that was refused: the page opens another one, and reads again what it may have missed.
  const again = page.waitForRequest('**/AP_List/invoke');
  await page.evaluate(() => {
    globalThis.refused = globalThis.stream;
    globalThis.refused.close();
    globalThis.refused.dispatchEvent(new Event('error'));
  });
  await again;
  report('repeats', { times, focus, another: await page.evaluate(() => globalThis.stream !== globalThis.refused) });
  await page.context().close();
}

const module = (page, name) => page.evaluate((path) => performance.getEntriesByType('resource').map((one) => one.name).find((each) => each.includes(path)), `/console/${name}.js`);

// What stays keeps the focus, whatever comes before it; where it goes, what was around it has the focus.
async function focused() {
  const page = await open(OWNER_KEY, '/console/settings');
  const step = await page.evaluate(async (url) => {
    const { draw, html, repeat } = await import(url);
    const place = document.createElement('div');
    document.getElementById('main').append(place);
    const drawn = (...names) => draw(html`<ul tabindex="-1">${repeat(names, (name) => name, (name) => html`<li id="is-${name}"><button type="button">Remove</button></li>`)}</ul>`, place);
    const after = (...names) => {
      drawn('a', 'b', 'c');
      place.querySelector('#is-b button').focus();
      drawn(...names);
      return document.activeElement.tagName === 'UL' ? 'the list' : document.activeElement.parentElement.id;
    };
    return { same: after('x', 'a', 'b', 'c'), fewer: after('a', 'c') };
  }, await module(page, 'parts'));
  report('focused', step);
  await page.context().close();
}

// Who opens one agent, and another one before the first was read, sees the other one; and who goes back is where they were.
async function hasty() {
  const page = await open(OWNER_KEY, '/console/agents');
  let answer;
  const gate = new Promise((resolve) => { answer = resolve; });
  const asks = (request, tool, words) => request.url().endsWith(`/${tool}/invoke`) && request.postData().includes('"agent":"Ada"') && request.postData().includes(words);
  await page.route('**/AP_Read/invoke', async (route) => {
    if (asks(route.request(), 'AP_Read', '"limit":50')) await gate;
    await route.continue();
  });
  const request = page.waitForRequest((one) => asks(one, 'AP_Read', '"limit":50'));
  await page.locator('.virtual-row a[href="/console/agents/Ada"]').click();
  await request;
  await page.locator('.virtual-row a[href="/console/agents/Cy"]').click();
  await page.locator('.detail h2', { hasText: 'Cy' }).waitFor();
  const goesOn = page.waitForRequest((request) => asks(request, 'MB_List', ''));
  answer();
  await goesOn; // The first page has its answer, and would be drawn by now.
  const step = { heading: await page.locator('.detail h2').innerText(), path: new URL(page.url()).pathname };
  await page.context().close();
  const phone = await open(OWNER_KEY, '/console/settings', widths[0]);
  await phone.evaluate(() => scrollTo(0, 150));
  await phone.keyboard.press('g');
  await phone.keyboard.press('k');
  await phone.locator('.key-row').first().waitFor();
  step.top = await phone.evaluate(() => scrollY);
  await phone.goBack();
  await phone.locator('.page-settings').waitFor();
  await settled(phone);
  step.back = await phone.evaluate(() => scrollY);
  report('hasty', step);
  await phone.context().close();
}

// A tab that waits for the stream of another one, and signs out, waits no longer.
async function queued() {
  const first = await open(OWNER_KEY, '/console/settings');
  await live(first);
  const second = await first.context().newPage();
  await second.goto(`${engine}/console/settings`);
  await live(second);
  const waiting = () => second.evaluate(async () => (await navigator.locks.query()).pending.length);
  const step = { before: await waiting() };
  await second.evaluate(async (url) => (await import(url)).stop(), await module(second, 'live'));
  await second.waitForFunction(async () => (await navigator.locks.query()).pending.length === 0);
  step.after = await waiting();
  report('queued', step);
  await first.context().close();
}

// Who acts as an agent, and looks at the world and at all agents, has not read its messages by that.
async function unread() {
  const page = await open(MEMBER_KEY, '/console/settings');
  const ask = (tool, args) => page.evaluate(async ([name, input]) => {
    const { csrf_token: token } = await (await fetch('/api/auth/session')).json();
    return (await fetch(`/api/mcp/tools/${name}/invoke`, { method: 'POST', headers: { 'Content-Type': 'application/json', 'X-CSRF-Token': token }, body: JSON.stringify(input) })).json();
  }, [tool, args]);
  for (const name of ['Dee', 'Eli']) await ask('AP_Create', { vx: { name, description: 'Waits.', profile: `You are ${name}.` } });
  await ask('AP_LogOn', { target: { agent: 'Eli' } });
  await ask('AP_Chat', { target: { agent: 'Dee' }, content: 'From Eli.' });
  await ask('AP_LogOff', {});
  await ask('AP_LogOn', { target: { agent: 'Dee' } });
  const left = async () => { const { profile, content } = await ask('AP_List', { target: { agent: 'Dee' } }); return content[profile.findIndex((one) => one.name === 'Dee')].unread; };
  const step = { self: (await ask('US_Read', {})).profile[0].self, before: await left() };
  await to(page, '/console/agents', '.words');
  await page.locator('.virtual-row', { hasText: 'Eli' }).locator('.words', { hasText: 'From Eli.' }).waitFor();
  await page.locator('.virtual-row', { hasText: 'Dee' }).locator('.persona', { hasText: 'You are Dee.' }).waitFor();
  await to(page, '/console/world', '.feed');
  await page.locator('.feed', { hasText: 'From Eli.' }).waitFor();
  await to(page, '/console/agents/Dee', '.detail h2');
  await page.getByRole('button', { name: 'With Eli' }).click();
  await page.locator('.said', { hasText: 'From Eli.' }).waitFor();
  step.after = await left();
  const { api_key: bound } = await ask('AK_Create', { name: 'only Dee', agent: 'Dee', capabilities: ['*'] });
  const dee = await open(bound, '/console/agents'); // The key acts as Dee in every context.
  await dee.locator('.virtual-row', { hasText: 'Eli' }).locator('.words', { hasText: 'From Eli.' }).waitFor();
  await dee.locator('.virtual-row', { hasText: 'Dee' }).locator('.persona', { hasText: 'You are Dee.' }).waitFor();
  report('unread', { ...step, bound: await left() });
  await dee.context().close();
  await page.context().close();
}

// A story of the half hour after midnight: a preview is not the deed, nor is one Ada the other.
async function storied() {
  const page = await open(OWNER_KEY, '/console/activity');
  const step = await page.evaluate(async ([url, parts]) => {
    const { story } = await import(url);
    const { nodes } = await import(parts);
    const call = (more) => ({ at: new Date(2026, 0, 5, 0, 30).toISOString(), user: 'ann', agent: 'Ada', tool: 'MB_Censor', target_kind: 'bank', target: 'notes', target_id: '1', result: 'done', ...more });
    const [first] = story([call({ dry_run: true }), call(), call(), call({ target_id: '2' }), call({ user: 'root' }), call({ user: 'Ada', agent: undefined }), call({ tool: 'AP_LogOff', target_kind: 'agent', target: 'Ada' }), call({ tool: 'AP_Modify', target_kind: 'agent', target: 'Ada' })]);
    const section = nodes(first);
    return { head: section.querySelector('h2').textContent, text: section.querySelector('p').textContent };
  }, [await module(page, 'sentences'), await module(page, 'parts')]);
  report('storied', step);
  await page.context().close();
}

// The same session in two browsers: signing out in one ends the stream of the other.
async function signsOut() {
  const one = await open(VIEWER_KEY, '/console/world');
  await live(one);
  const other = await pages.open('/llms.txt');
  await other.context().addCookies(await one.context().cookies());
  await to(other, '/console/settings');
  await live(other);
  const began = Date.now();
  await one.evaluate(async () => {
    const { csrf_token: token } = await (await fetch('/api/auth/session')).json();
    await fetch('/api/auth/session', { method: 'DELETE', headers: { 'X-CSRF-Token': token } });
  });
  await other.getByRole('heading', { name: 'See your agents work' }).waitFor();
  report('signs out', { took: Date.now() - began, live: await other.locator('#live').getAttribute('data-state') });
  await one.context().close();
  await other.context().close();
}

// What others may not, they are not offered, and see nothing of.
async function others() {
  const viewer = await open(VIEWER_KEY, '/console/agents');
  const step = { viewerMayCreate: await viewer.getByRole('button', { name: 'New agent' }).isEnabled() };
  await to(viewer, '/console/memory/attic?view=load', '.load-sum');
  step.viewerMayLoad = await viewer.getByRole('button', { name: 'Load into an agent' }).isEnabled();
  await to(viewer, '/console/webhooks');
  step.viewerWebhooks = await viewer.locator('main').innerText();
  await to(viewer, '/console/spaces/den/main');
  step.viewerSpace = await viewer.locator('main').innerText();
  await viewer.context().close();
  const narrow = await open(NARROW_KEY, '/console/agents');
  step.narrowAgents = await narrow.locator('main').innerText();
  await to(narrow, '/console/world');
  step.narrowWorld = await narrow.locator('main').innerText();
  await narrow.context().close();
  const empty = await open(EMPTY_KEY, '/console/world', 1280, themes);
  await empty.locator('.empty').waitFor();
  await pages.look(empty, 'console-empty-world');
  step.emptyWorld = await empty.locator('main').innerText();
  for (const path of ['/console/agents/Ada', '/console/memory/notes', '/console/spaces/den/main', '/console/agents']) {
    await to(empty, path);
    step[`empty ${path}`] = await empty.locator('main').innerText();
    if (path === '/console/agents') await pages.look(empty, 'console-empty-agents');
  }
  await empty.context().close();
  report('others', step);
}

// The console as a key would find it, what a censorship would hide, and what a revocation would break.
async function careful() {
  const page = await open(OWNER_KEY, '/console/memory/notes');
  const step = {};
  await page.locator('.menu summary').click();
  await page.getByRole('button', { name: 'Censor…' }).click();
  await page.locator('.preview-count').waitFor();
  step.hidesAll = await page.locator('.preview-count').innerText();
  await page.getByLabel('Whose memories').selectOption('Ada');
  await page.locator('.preview-count', { hasText: 'derived' }).waitFor();
  step.hidesHers = await page.locator('.preview-count').innerText();
  await pages.look(page, 'console-censor', 'dialog');
  await page.getByRole('dialog').getByRole('button', { name: 'Cancel' }).click();
  await to(page, '/console/memory/notes/tide', '.lineage');
  await page.locator('.revisions li').nth(1).waitFor();
  step.revisions = await page.locator('.revisions summary').allInnerTexts();
  step.lineage = await page.locator('.lineage text:not(.soft)').allTextContents();
  await page.locator('.revisions summary').nth(1).click();
  await page.getByRole('button', { name: 'Restore this text' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Restore', exact: true }).click();
  await page.locator('.tagline', { hasText: 'revision 3' }).waitFor();
  await to(page, '/console/memory/attic/log', '.revisions summary');
  await page.getByRole('button', { name: 'Show revisions before' }).click();
  const oldest = page.locator('.revisions details', { hasText: /Revision 1 by/ });
  await oldest.locator('summary').click();
  step.first = await oldest.locator('pre').innerText();
  await to(page, '/console/memory/notes?view=load', '.load li');
  step.loads = await page.locator('.load-sum').innerText();
  await evaluate(page);
  step.figures = await page.locator('.figures tbody tr td:nth-of-type(1)').allInnerTexts();
  await page.getByLabel('Queries and what answers them').fill('When do we sail?\n');
  await page.getByRole('button', { name: 'Evaluate' }).click();
  step.refused = await page.locator('.evaluate .problem').innerText();
  await page.locator('.evaluated a').first().click();
  await page.waitForURL('**/console/memory/notes?q=unicorns');
  step.searched = await page.getByRole('searchbox', { name: 'Search this bank' }).inputValue();
  step.newest = await slowThenQuick(page);
  await to(page, '/console/memory/attic', '.detail h2');
  await page.locator('.menu summary').click();
  await page.getByRole('button', { name: 'Delete', exact: true }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Move to trash' }).click();
  await page.locator('.trash li', { hasText: 'attic' }).waitFor();
  await pages.look(page, 'console-trash-full');
  await page.locator('.trash li', { hasText: 'attic' }).getByRole('button', { name: 'Restore' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Restore' }).click();
  await page.locator('.trash li', { hasText: 'attic' }).waitFor({ state: 'detached' });
  await to(page, '/console/memory/attic', '.detail h2');
  step.restored = await page.locator('.detail h2').innerText();
  await to(page, '/console/agents', '.words');
  await page.locator('.words', { hasText: '06:12' }).waitFor(); // They are read for those in sight.
  step.lastWords = await page.locator('.virtual-row', { hasText: 'Ada' }).locator('.words').innerText();
  step.personas = await page.locator('.persona').allInnerTexts();
  await page.waitForFunction(() => [...document.querySelectorAll('.virtual-row')].every((row) => row.offsetHeight === 19 + 19 * row.querySelectorAll('.person-words > span').length)); // Once it is known who said nothing.
  step.heights = await page.locator('.virtual-row').evaluateAll((rows) => rows.map((row) => ({ name: row.querySelector('b').textContent, height: row.offsetHeight, cut: row.querySelector('.person-words').offsetHeight - row.offsetHeight })));
  await to(page, '/console/spaces/den/main', '.composer');
  await page.getByLabel('Message to den/main').fill('As <b>code</b>');
  await page.getByRole('button', { name: 'The message as code' }).click();
  step.message = await page.getByRole('dialog').locator('pre').allInnerTexts();
  await page.getByRole('dialog').getByRole('button', { name: 'Close' }).click();
  await to(page, '/console/keys', '.key-row');
  await page.locator('.key-row', { hasText: 'agent:read' }).click();
  await page.getByRole('button', { name: 'Rotate' }).click();
  await page.getByLabel('The old secret keeps working for').selectOption('1 hour');
  await page.getByRole('dialog').getByRole('button', { name: 'Rotate' }).click();
  await page.getByRole('button', { name: 'I have kept it' }).click();
  const first = await page.getByRole('timer').innerText();
  await page.waitForFunction((was) => document.querySelector('[role=timer]').textContent !== was, first);
  step.countdown = first;
  await pages.look(page, 'console-key-rotated');
  await page.getByRole('button', { name: 'Revoke' }).click();
  step.breaks = await page.locator('.breaks-list').innerText();
  await pages.look(page, 'console-revoke', 'dialog');
  await page.getByRole('dialog').getByRole('button', { name: 'Cancel' }).click();
  await page.getByRole('button', { name: 'View as this key' }).click();
  await page.locator('.viewing').waitFor();
  await page.locator('.rail nav a[data-page="agents"]').click();
  const create = page.getByRole('button', { name: 'New agent' });
  await create.waitFor();
  step.asKey = { may: await create.isEnabled(), why: await create.getAttribute('title') };
  await pages.look(page, 'console-as-key');
  await page.locator('.viewing').getByRole('button', { name: 'Stop' }).click();
  await page.locator('.viewing').waitFor({ state: 'detached' });
  step.again = await page.getByRole('button', { name: 'New agent' }).isEnabled();
  await to(page, '/console/webhooks', '.delivery');
  await page.locator('.endpoints .tag', { hasText: 'failing' }).waitFor(); // Nobody answers there.
  step.endpoint = await page.locator('.endpoints li').innerText();
  step.ticks = await page.locator('.ticks span').allInnerTexts();
  step.failed = await page.locator('.delivery .tag', { hasText: 'failed' }).first().getAttribute('class');
  await page.keyboard.press('Control+k');
  for (const [words, group] of [['den/main', 'Rooms'], ['team-with-shared-memory', 'Skills'], ['9/hooks', 'Webhooks'], ['vera', 'Users']]) {
    await page.getByRole('combobox', { name: 'Search' }).fill(words);
    await page.getByRole('group', { name: group }).getByRole('option', { name: words }).waitFor();
  }
  await page.keyboard.press('Enter');
  await page.waitForURL('**/console/settings');
  await to(page, '/console/activity?tool=MB_Censor', '.entry-row');
  step.previews = await page.locator('.entry-row').allInnerTexts();
  report('careful', step);
  await page.context().close();
}

// What the three agents of the demo want from a person, each in its own words.
async function waiting(page, words) {
  const as = (agent, tool, args) => page.request.post(`${engine}/api/mcp/tools/${tool}/invoke`, { headers: { 'X-Api-Key': EMPTY_KEY }, data: { ...args, target: { ...args.target, context: `picture ${agent}` } } });
  const wants = [
    ['Mira', 'AP_Ask', { content: 'The fix of the leak is ready. Deploy it today, before the sale?', choices: ['Deploy it today', 'Wait for Monday'] }],
    ['Otto', 'AP_Ask', { content: 'Who should review the limit of 400 connections?' }],
    ['Juno', 'AP_Chat', { to_user: true, content: 'Checkout is fast again: 0.2 % of the orders fail, as last week.' }],
  ];
  for (const [agent, tool, args] of wants) {
    await as(agent, 'AP_LogOn', { target: { agent } });
    await as(agent, tool, args);
    await as(agent, 'AP_LogOff', {});
  }
  await to(page, '/console/inbox', '.need');
  await page.locator('.need').nth(2).waitFor();
  words.inbox = await pages.readable(page, 'console-demo-inbox');
  return page.locator('.need').allInnerTexts();
}

// A newcomer: an empty workspace, one click, three agents who disagree, an answer, and everything gone again.
async function newcomer() {
  const page = await open(EMPTY_KEY, '/console/world', 1280);
  await page.route('**/api/demo', (route) => (route.request().method() === 'POST' && route.request().postData() === '{}' ? route.continue({ postData: '{"seconds":14}' }) : route.continue()));
  await live(page);
  const began = Date.now();
  let begin;
  const gate = new Promise((resolve) => { begin = resolve; });
  await page.route('**/api/demo', async (route) => {
    if (route.request().method() === 'POST') await gate;
    await route.fallback();
  });
  await page.locator('.empty').getByRole('button', { name: 'Start the demo' }).click();
  const starting = await page.locator('.empty .start-demo').evaluate((button) => ({ text: button.textContent.trim(), disabled: button.ariaDisabled === 'true' }));
  begin();
  let over = false;
  for (const name of readdirSync(screenshots)) if (/^demo-\d+\.png$/.test(name)) rmSync(`${screenshots}/${name}`); // Of another run.
  const film = (async () => { // Up to eighteen pictures of the whole, as of every five seconds of the ninety. Where nothing has changed there is none,
    // nor before somebody has spoken: many see only the first.
    for (let i = 1, text = ''; i <= 18 && !over; i++) {
      await page.waitForTimeout(14_000 / 18);
      const before = text;
      text = await page.locator('main').innerText();
      if (text !== before && (await page.locator('.bubble').count())) await page.screenshot({ path: `${screenshots}/demo-${String(i).padStart(2, '0')}.png` });
    }
  })();
  await page.locator('.bubble', { hasText: 'Checkout fails for 9 %' }).waitFor();
  await page.evaluate(() => {
    globalThis.pause = [...document.querySelectorAll('.demo button')].find((one) => one.textContent.trim() === 'Pause');
    globalThis.pause.focus();
  });
  await page.locator('.bubble', { hasText: 'I disagree' }).waitFor(); // Further steps are shown.
  const focus = await page.evaluate(() => (document.activeElement === globalThis.pause ? document.activeElement.textContent.trim() : ''));
  const answer = page.getByRole('button', { name: 'Raise the pool and watch it' });
  await answer.waitFor();
  // Paused while it is looked at, which on a slow machine takes longer than the agents wait for an answer.
  await page.getByRole('button', { name: 'Pause' }).click();
  await page.getByRole('button', { name: 'Resume' }).waitFor();
  // What came before the question may be shown after it.
  for (const [part, text] of [['.bubble', 'Both options have a cost'], ['.demo-doing', 'Mira writes in the room main'], ['main', 'finding - the leaking query']]) await page.locator(part, { hasText: text }).first().waitFor();
  const paused = await page.locator('.demo-words').innerText();
  await pages.look(page, 'console-demo-question');
  const words = { world: await pages.readable(page, 'console-demo-question') };
  await page.emulateMedia({ colorScheme: 'dark' });
  await pages.readable(page, 'console-demo-question-dark');
  await page.emulateMedia({ colorScheme: 'light' });
  await answer.click(); // An answer resumes the demo.
  await page.locator('.feed', { hasText: 'Raising the pool to 400' }).waitFor();
  const answered = Date.now() - began;
  await page.getByText('The incident is over.').waitFor();
  over = true;
  await film;
  await page.getByText('The incident is over.').waitFor();
  await pages.look(page, 'console-demo-over');
  await page.getByRole('link', { name: 'Open the room' }).click();
  await page.locator('.said', { hasText: 'I will fix the leak tonight' }).waitFor();
  words.room = await pages.readable(page, 'console-demo-room');
  const room = await page.locator('.transcript').innerText();
  await to(page, '/console/activity', '.entry-row');
  await pages.picture(page, 'console-demo-activity');
  const doors = await page.locator('.entry-row', { hasText: 'AP_Chat' }).allInnerTexts();
  await to(page, '/console/memory/Incident%20log', '.memory');
  const learnt = await page.locator('.memories').innerText();
  await to(page, '/console/memory/Runbooks', '.memory');
  await found(page, 'pool exhausted after a deploy');
  words.memory = await pages.readable(page, 'console-demo-memory');
  const waits = await waiting(page, words);
  await page.keyboard.press('Control+k');
  await page.getByRole('combobox').fill('fix the leak tonight');
  await page.locator('.found-entry', { hasText: 'fix the leak tonight' }).first().waitFor();
  await page.keyboard.press('Escape');
  await to(page, '/console/world', '.demo');
  await page.locator('.feed', { hasText: 'I will fix the leak tonight' }).waitFor(); // What was said before the page was opened.
  await page.getByRole('button', { name: 'Play again' }).click();
  await page.getByRole('button', { name: 'Pause' }).click();
  await page.getByRole('button', { name: 'Resume' }).waitFor();
  const replayed = await page.locator('.demo progress').evaluate((bar) => bar.value < bar.max);
  await page.getByRole('button', { name: 'Remove' }).click();
  await page.locator('.empty').waitFor();
  const left = await page.evaluate(async () => {
    const { csrf_token: token } = await (await fetch('/api/auth/session')).json();
    const ask = async (tool, args) => (await fetch(`/api/mcp/tools/${tool}/invoke`, { method: 'POST', headers: { 'Content-Type': 'application/json', 'X-CSRF-Token': token }, body: JSON.stringify(args) })).json();
    const [agents, domains, banks, keys] = await Promise.all([ask('AP_List', {}), ask('DM_List', {}), ask('MB_List', {}), ask('AK_List', {})]);
    return [agents.profile.length, domains.profile.length, banks.profile.length, keys.keys.filter((key) => key.name.startsWith('demo')).length];
  });
  report('newcomer', { words, waits, answered, starting, focus, paused, replayed, room, doors, learnt, left });
  await page.context().close();
}

// A browser that has loaded nothing of the engine yet, but is signed in.
async function fresh() {
  const page = await pages.blank({ viewport: { width: 1280, height: 900 } });
  await page.request.post(`${engine}/api/auth/session`, { headers: { 'X-Api-Key': OWNER_KEY, 'Sec-Fetch-Site': 'same-origin' } });
  return page;
}

// What the first view costs: all bytes until everything is shown, and which scripts were only found by other scripts. Then, with a browser to
// which nothing is sent but the page and what draws it, whether there is content all the same: nothing else can delay it.
async function firstView() {
  const page = await fresh();
  await page.goto(`${engine}/console/world`);
  await settled(page);
  await live(page);
  await page.locator('.room').first().waitFor();
  const step = await page.evaluate(() => {
    const sent = [...performance.getEntriesByType('navigation'), ...performance.getEntriesByType('resource')];
    const urls = new Set([...document.querySelectorAll('script[src], link[rel="modulepreload"]')].map((one) => one.src || one.href));
    const calls = sent.filter((entry) => entry.name.includes('/api/')).map((entry) => new URL(entry.name).pathname);
    return { bytes: sent.reduce((sum, entry) => sum + entry.transferSize, 0), requests: sent.length, calls, late: sent.map((entry) => entry.name).filter((name) => name.endsWith('.js') && !urls.has(name)) };
  });
  await page.context().close();
  const bare = await fresh();
  const let_ = [];
  await bare.route('**/*', (route) => {
    if (!/\/console\/world$|(hub|console)\.css$|\/theme\.js$/.test(route.request().url())) return; // It never gets an answer.
    let_.push(new URL(route.request().url()).pathname.split('/').at(-1));
    route.continue();
  });
  await bare.goto(`${engine}/console/world`, { waitUntil: 'commit' });
  await bare.evaluate(() => new Promise((resolve) => {
    new PerformanceObserver((list) => list.getEntriesByName('first-contentful-paint').length && resolve()).observe({ type: 'paint', buffered: true });
  }));
  report('first view', { ...step, before: let_, content: await bare.locator('.rail nav').innerText(), heading: await bare.locator('main h1').first().innerText(), frame: await bare.locator('main .skeleton span').count() });
  await bare.context().close();
}

try {
  await Promise.all([everyPage(widths[0]), everyPage(widths[1]), (async () => {
    await firstView();
    await together();
    await moves();
    await repeats();
    await storied();
    await focused();
    await hasty();
    await queued();
    await unread();
    await signsOut();
    await careful();
    await others();
    await newcomer();
  })()]);
  report('faults', { faults: pages.faults });
} finally {
  await pages.close();
}
