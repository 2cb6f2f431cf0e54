// The hub of tools as people use it, at two widths, the wide one in two themes: node hub.mjs <address of the engine> <folder for pictures>, keys in
// OWNER_KEY (a tenant with things of hostile names), VIEWER_KEY and NEW_KEY. Each step prints one line of JSON, which HubTest looks at.
import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { Pages, loaded, report, themes, together, widths } from './pages.mjs';

const run = promisify(execFile);

const [engine, screenshots] = process.argv.slice(2);
const { OWNER_KEY, VIEWER_KEY, NEW_KEY } = process.env;
const pages = await Pages.launch(engine, screenshots);

async function visible(page, selector = '.entry .name') {
  return (await page.locator(selector).filter({ visible: true }).allTextContents()).map((text) => text.trim());
}

// Whether it is all in the window's width.
function within(locator) {
  return locator.evaluate((one) => {
    const { left, right } = one.getBoundingClientRect();
    return left >= 0 && right <= innerWidth;
  });
}

// Types into the list's search, and waits until what fits is shown.
async function seek(page, text) {
  await page.locator('#q').fill(text);
  await page.waitForFunction((query) => document.getElementById('found').dataset.q === query, text);
}

// The list: search, filters, the address, what is found nowhere.
async function list(page) {
  const step = {};
  await pages.look(page, 'list');
  step.all = (await visible(page)).length;
  const size = page.viewportSize();
  await page.setViewportSize({ width: 320, height: 600 });
  step.header = await page.locator('.bar').evaluate((bar) => [bar.scrollWidth - bar.clientWidth, bar.clientHeight]);
  await page.getByRole('button', { name: 'Menu' }).click();
  step.menu = await page.locator('.bar nav').getByRole('link').filter({ visible: true }).allTextContents();
  await page.keyboard.press('Escape');
  await page.setViewportSize(size);
  await seek(page, 'vx.profile');
  step.byField = await visible(page);
  await seek(page, 'rost');
  step.begun = await visible(page);
  await seek(page, 'sned a mesage');
  step.misspelled = await visible(page);
  await pages.look(page, 'list-found');
  await seek(page, 'logged on');
  step.byWords = await visible(page);
  step.address = new URL(page.url()).search;
  await page.getByText('Destructive', { exact: true }).click();
  await seek(page, '');
  step.destructive = await visible(page);
  await page.locator('#tasks [data-task=set-up]').click();
  step.destructiveOfTask = await visible(page);
  step.linked = new URL(page.url()).search;
  step.announced = await page.locator('#found').textContent();
  step.heading = await page.locator('#set-up-title').innerText();
  await pages.look(page, 'list-filtered');
  await page.reload();
  step.afterReload = await visible(page);
  await seek(page, 'xyzzy qwrt');
  await pages.look(page, 'list-nothing');
  step.nothing = await page.locator('#nothing').innerText();
  await seek(page, VIEWER_KEY);
  step.pasted = new URL(page.url()).search;
  await page.getByRole('button', { name: 'Clear search and filters' }).click();
  step.cleared = (await visible(page)).length;
  const first = page.locator('#tasks a').first();
  await page.locator('#tasks a').last().click();
  step.chips = [await within(page.locator('#tasks [aria-current]'))];
  await page.reload();
  step.chips.push(await within(page.locator('#tasks [aria-current]')));
  await page.locator('#q').press('Escape');
  step.chips.push(await within(first));
  const summary = page.locator('.price summary');
  await summary.scrollIntoViewIfNeeded();
  const before = await summary.boundingBox();
  await summary.click();
  const after = await summary.boundingBox();
  step.summaryMoved = [after.x - before.x, after.y - before.y];
  await pages.picture(page, 'list-costs');
  await summary.click();
  await page.evaluate(() => scrollTo(0, 0));
  step.firstTool = await page.locator('.entry').first().evaluate((entry) => entry.getBoundingClientRect().top / innerHeight);
  return step;
}

// Two wrong keys, then the right one; who is signed in; signing out at the end is elsewhere.
async function session(page, key) {
  const step = {};
  await page.locator('#account-button').click();
  await pages.look(page, 'sign-in', 'dialog');
  await page.getByLabel('API key', { exact: true }).and(page.locator('input')).fill(`${key.slice(0, -1)}${key.endsWith('0') ? '1' : '0'}`);
  await page.getByRole('dialog').getByRole('button', { name: 'Sign in' }).click();
  await page.waitForFunction(() => document.querySelector('dialog .problem').textContent);
  step.mistyped = await page.locator('dialog .problem').textContent();
  await pages.look(page, 'sign-in-refused', 'dialog');
  await pages.signIn(page, key);
  await page.locator('#account-button[data-user]').click();
  await page.getByText('May call', { exact: true }).waitFor();
  step.account = await page.locator('dialog .facts').innerText();
  await pages.look(page, 'account', 'dialog');
  await page.getByRole('button', { name: 'Close' }).click();
  step.kept = await page.evaluate((secret) => JSON.stringify([{ ...localStorage }, { ...sessionStorage }, document.documentElement.outerHTML,
    location.href, [...document.querySelectorAll('input')].map((input) => input.value)]).includes(secret), key);
  return step;
}

async function ran(page) {
  await page.locator('#try-result h3').first().waitFor();
  const text = await page.locator('#try-result pre').first().textContent();
  return { heading: (await page.locator('#try-result h3').innerText()).replaceAll(/\s+/g, ' '), envelope: JSON.parse(text) };
}

async function fresh(page) {
  await page.locator('#try-result').evaluate((result) => result.replaceChildren());
}

// Trying: the form, an error at its field, JSON, a destructive tool that asks first.
async function trying(page, agent) {
  const step = {};
  await page.goto(`${engine}/mcp-hub/tools/AP_Create`);
  await page.getByRole('button', { name: 'Run AP_Create' }).click();
  step.tops = await page.evaluate(() => Object.fromEntries(['try', 'input', 'output', 'errors'].map((name) => [name, Math.round(document.getElementById(`${name}-title`).getBoundingClientRect().top)])));
  step.missing = await page.locator('.problem:not(:empty)').first().textContent();
  await page.getByRole('button', { name: 'Fill in the example' }).click();
  await page.getByLabel('vx.name').fill(`${agent}!`);
  await page.keyboard.press('Control+Enter');
  step.refused = await ran(page);
  step.atField = await page.locator('#field-vx-name-problem').textContent();
  await pages.look(page, 'tool-refused', '#try');
  await fresh(page);
  await page.getByLabel('vx.name').fill(agent);
  await page.getByText('Optional fields').click();
  await page.getByLabel('vx.access').selectOption('public');
  await pages.look(page, 'tool-filled', '#try');
  await page.keyboard.press('Control+Enter');
  step.created = await ran(page);
  step.shown = await page.locator('#try-result .card').first().innerText();
  step.next = await page.locator('.next-row a').evaluateAll((links) => links.map((link) => link.getAttribute('href')));
  step.folded = await page.locator('#try-result details[open]').count();
  await page.getByText('The request as curl').click();
  step.curl = await page.locator('.as-curl pre').textContent();
  await pages.look(page, 'tool-result', '#try');
  await page.getByRole('checkbox', { name: 'As JSON' }).check();
  step.json = JSON.parse(await page.getByLabel('Arguments as JSON').inputValue());
  await page.getByLabel('Arguments as JSON').fill('{"vx": ');
  await page.getByRole('button', { name: 'Run AP_Create' }).click();
  step.noJson = await page.locator('#raw-problem').textContent();
  step.earlier = await page.locator('#try-result').innerText();
  await pages.look(page, 'tool-json', '#try');

  await page.goto(`${engine}/mcp-hub/tools/AP_List`);
  await page.getByRole('button', { name: 'Run AP_List' }).click();
  await ran(page);
  step.table = await page.locator('#try-result table').first().innerText();
  await pages.look(page, 'tool-table', '#try');
  await page.getByRole('button', { name: 'Copy a link to this call' }).click();
  await page.getByText('Your calls in this tab').click();
  step.history = await page.locator('#calls li a').allTextContents();
  await page.goto(`${engine}${step.next[0]}`);
  step.carried = await page.getByLabel('target.agent', { exact: true }).inputValue();
  await page.goto(`${engine}/mcp-hub/tools/AP_Chat#with=${encodeURIComponent(JSON.stringify({ content: 'from a link', target: { zone: 'main' } }))}`);
  step.linked = [await page.getByLabel('content', { exact: false }).first().inputValue(), await page.locator('#try-result').innerText()];

  await page.goto(`${engine}/mcp-hub/tools/AP_Destroy`);
  await page.getByLabel('target.agent').fill(agent.slice(0, 3));
  await page.locator(`#field-target-agent-names option[value="${agent}"]`).waitFor({ state: 'attached' });
  await page.getByLabel('target.agent').fill(agent);
  await page.getByRole('button', { name: 'Run AP_Destroy' }).click();
  step.asks = await page.getByRole('dialog').innerText();
  await pages.look(page, 'tool-asks', 'dialog');
  await page.getByRole('button', { name: 'Cancel' }).click();
  step.notRun = await page.locator('#try-result').innerText();
  await page.getByRole('button', { name: 'Run AP_Destroy' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Run AP_Destroy' }).click();
  step.destroyed = await ran(page);

  const cookies = await page.context().cookies();
  await page.context().clearCookies();
  await fresh(page);
  await page.getByRole('button', { name: 'Run AP_Destroy' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Run AP_Destroy' }).click();
  step.notSignedIn = await ran(page);
  step.ended = await page.locator('#account-button').innerText();
  await page.context().addCookies(cookies);
  return step;
}

// The configuration of each client, narrowed by links, the same as over the API.
async function connect(page) {
  await page.goto(`${engine}/mcp-hub/connect`);
  await pages.look(page, 'connect');
  await page.getByText('Choose toolsets yourself').click();
  const hidden = await page.locator('.chips').evaluate((chips) => chips.scrollWidth - chips.clientWidth);
  await page.getByRole('link', { name: /^agent/ }).click();
  await page.getByRole('link', { name: 'read-only' }).click();
  const read = () => page.locator('#chosen b').innerText();
  const narrowed = await read();
  const narrow = page.url();
  await page.getByRole('link', { name: /^discovery/ }).click();
  const both = await read();
  await page.getByRole('link', { name: /^default/ }).click();
  const all = new URL(page.url()).search;
  await page.goto(`${engine}/mcp-hub/connect?toolset=discovery`);
  const prices = { narrowed, both, discovery: await read() };
  await page.goto(narrow);
  const step = { prices, all, hidden, address: new URL(page.url()).search, shown: await page.locator('.lead code').innerText(), clients: {} };
  for (const tab of await page.getByRole('tab').all()) {
    const client = (await tab.getAttribute('aria-controls')).replace('client-', '');
    await tab.click();
    if (client === 'vscode') await pages.look(page, 'connect-vscode');
    const panel = page.locator(`#client-${client}`);
    const served = await (await fetch(`${engine}/api/mcp/clients/${client}${step.address}`)).json();
    step.clients[client] = {
      same: JSON.stringify(JSON.parse(await panel.locator('pre').last().textContent())) === JSON.stringify(served.configuration),
      link: (await panel.locator('a.button').count()) ? await panel.locator('a.button').getAttribute('href') : null,
      served: served.install_link ?? null,
    };
  }
  await page.goto(`${engine}/mcp-hub/connect#client-cursor`);
  step.linked = await page.getByRole('tab', { selected: true }).textContent();
  await page.getByRole('tab', { name: 'VS Code' }).click();
  await page.reload();
  step.reloaded = await page.getByRole('tab', { selected: true }).textContent();
  return step;
}

// The steps to the end: a key of its own, the configuration with it, a refused handshake, and one that succeeds.
async function wizard(page, width) {
  await page.goto(`${engine}/mcp-hub/connect#client-generic`);
  const step = { may: await page.locator('#make').getAttribute('data-capabilities'), named: await page.getByLabel('Name of the agent').inputValue() };
  await page.getByLabel('Name of the agent').fill(`wizard ${width} ${Date.now()}`);
  await page.getByRole('button', { name: 'Invite the agent' }).click();
  await page.locator('#made pre').first().waitFor();
  [step.line, step.powershell] = (await page.locator('#made pre').allTextContents()).map((line) => line.replace(/ej_\w+/, '<code>'));
  await page.getByRole('button', { name: 'Show the key in this page instead' }).click();
  await page.locator('#made .note', { hasText: 'is made' }).waitFor();
  const { headers } = JSON.parse(await page.locator('#client-generic pre').last().textContent());
  const key = headers['X-API-Key'];
  step.key = key.slice(0, 3);
  await page.getByRole('tab', { name: 'Claude Code' }).click();
  step.variable = (await page.locator('#client-claude-code .key-here pre').textContent()).replace(key, '<key>');
  await page.locator('#waiting .pending').waitFor();
  const hello = (further, method = 'initialize') => fetch(`${engine}/mcp`, {
    method: 'POST', headers: { 'Content-Type': 'application/json', Accept: 'application/json, text/event-stream', 'X-API-Key': key, ...further },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'wizard', version: '1' } } }),
  });
  await hello({ 'MCP-Protocol-Version': '1999-01-01' }, 'tools/list');
  await page.locator('#waiting .bad').waitFor();
  step.refused = await page.locator('#waiting').innerText();
  await hello({});
  await page.locator('#waiting .good').waitFor();
  step.connected = await page.locator('#waiting').innerText();
  await pages.look(page, 'connect-connected');
  step.kept = await page.evaluate((secret) => JSON.stringify([{ ...localStorage }, { ...sessionStorage }, location.href]).includes(secret), key);
  return step;
}

// "/" and Control+K on every page: tools, skills and documents, misspelled too.
async function finds(width) {
  const page = await pages.open('/docs/mcp', width, themes);
  await page.keyboard.press('/');
  await page.keyboard.type('webhoks signature');
  await page.locator('[role=option]').first().waitFor();
  await page.locator('#hits[data-q="webhoks signature"]').waitFor();
  await pages.look(page, 'search', 'dialog');
  const step = { width, groups: await page.locator('.hits-title').allTextContents() };
  const foot = page.locator('.search-foot');
  step.keys = await foot.locator('.keys').isVisible();
  step.found = await foot.getByRole('status').innerText();
  const height = () => foot.evaluate((one) => one.offsetHeight);
  const before = await height();
  await page.getByRole('combobox').fill('zzqxzzqx');
  await page.locator('#hits[data-q="zzqxzzqx"]').waitFor({ state: 'attached' });
  step.none = await foot.getByRole('status').innerText();
  step.grown = await height() - before;
  await page.keyboard.press('Escape');
  await page.keyboard.press('Control+K');
  await page.keyboard.type('send a mesage');
  await Promise.all([page.waitForURL('**/tools/AP_Chat'), page.keyboard.press('Enter')]);
  step.opened = await page.locator('h1').innerText();
  report('finds', step);
  await page.context().close();
}

// Nobody, then a client that does it right and one that does not, as the page sees them come.
async function doctor(page, width) {
  await page.goto(`${engine}/mcp-hub/doctor`);
  await page.locator('#seen').filter({ hasNotText: 'Looking' }).waitFor();
  const name = `client-${width}`;
  const headers = { 'Content-Type': 'application/json', Accept: 'application/json, text/event-stream', 'X-API-Key': OWNER_KEY };
  const clientInfo = { name, version: '<b>1</b>' };
  const send = (further, method, params) => fetch(`${engine}/mcp`, {
    method: 'POST', headers: { ...headers, ...further },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
  });
  const old = () => send({ 'MCP-Protocol-Version': '1999-01-01', 'Mcp-Method': 'tools/list' }, 'tools/list', {
    _meta: { 'io.modelcontextprotocol/protocolVersion': '1999-01-01', 'io.modelcontextprotocol/clientInfo': clientInfo, 'io.modelcontextprotocol/clientCapabilities': {} },
  });
  await send({}, 'initialize', { protocolVersion: '2025-11-25', capabilities: {}, clientInfo });
  const met = page.locator('#handshakes li', { hasText: name });
  await met.first().waitFor();
  // What is done to it is still there when others have come.
  await met.first().evaluate((item) => {
    item.tabIndex = -1;
    item.focus();
  });
  const step = { met: await met.first().innerText(), lines: await met.first().evaluate((item) => item.innerText.trim().split('\n').length), markup: await page.locator('#handshakes b').count() };
  await old();
  await met.filter({ hasText: '1999-01-01' }).first().waitFor();
  step.refused = await met.filter({ hasText: 'Refused' }).first().innerText();
  step.focused = await page.evaluate(() => document.activeElement.innerText);
  // Twice: a repetition is counted with those of the same ten minutes, and these may end between two of the three.
  await old();
  await old();
  await met.filter({ hasText: /[23] times/ }).first().waitFor();
  await pages.look(page, 'doctor');
  const cookies = await page.context().cookies();
  await page.context().clearCookies();
  await page.locator('#watch:not(:checked)').waitFor();
  step.ended = await page.locator('#account-button').innerText();
  await page.context().addCookies(cookies);
  return step;
}

async function others(page) {
  for (const [path, name] of [['/', 'front'], ['/mcp-hub/conformance', 'conformance'], ['/mcp-hub/tools/WH_Create', 'tool-webhook'], ['/mcp-hub/tools/AP_Reed', 'no-tool'], ['/mcp-hub/nowhere', 'no-page'], ['/nowhere', 'no-page-anywhere'], ['/search?q=share+memory', 'search-page']]) {
    await page.goto(engine + path);
    await pages.look(page, name);
  }
}

async function everything(width) {
  const where = { width };
  const page = await pages.open('/mcp-hub', width, themes);
  report('list', { ...where, ...(await list(page)) });
  await page.goto(`${engine}/mcp-hub/tools/US_Read`);
  await pages.look(page, 'tool');
  await page.goto(`${engine}/mcp-hub/doctor`);
  await pages.look(page, 'doctor-stranger');
  report('connect', { ...where, ...(await connect(page)) });
  await page.goto(`${engine}/mcp-hub/doctor`);
  report('session', { ...where, ...(await session(page, OWNER_KEY)) });
  report('wizard', { ...where, ...(await wizard(page, width)) });
  report('trying', { ...where, ...(await trying(page, `tried ${width}`)) });
  report('doctor', { ...where, ...(await doctor(page, width)) });
  await others(page);
  await page.locator('#account-button[data-user]').click();
  await Promise.all([page.waitForEvent('load'), page.getByRole('button', { name: 'Sign out' }).click()]);
  report('signed out', { ...where, button: await page.locator('#account-button').innerText(), cookies: await page.context().cookies() });
  await page.context().close();
}

// From the hub's first page to a first successful call: every click is counted.
async function newcomer(width) {
  const page = await pages.open('/mcp-hub', width, ['light']);
  let clicks = 0;
  const click = async (locator) => {
    clicks++;
    await locator.click();
  };
  await click(page.getByRole('link', { name: 'Try a call' }));
  await click(page.getByRole('button', { name: 'Sign in to run' }));
  await page.getByLabel('API key', { exact: true }).and(page.locator('input')).fill(NEW_KEY);
  await click(page.getByRole('dialog').getByRole('button', { name: 'Sign in' }));
  await click(page.getByRole('button', { name: 'Run US_Read' }));
  report('newcomer', { clicks, ...(await ran(page)) });
  await page.context().close();
}

// The same with nothing but the keyboard: search, open, fill, run.
async function keyboard(width) {
  const page = await pages.open('/mcp-hub', width, ['dark']);
  const { keyboard: keys } = page;
  const focused = () => page.evaluate(() => document.activeElement.textContent.trim() || document.activeElement.id);
  await page.locator('#q').focus();
  await seek(page, 'everything that nobody has');
  await keys.press('Escape');
  await seek(page, 'roster');
  await keys.press('ArrowDown');
  const first = await focused();
  await keys.press('ArrowDown');
  const second = await focused();
  await keys.press('ArrowUp');
  await keys.press('ArrowUp');
  const back = await focused();
  await keys.press('Escape');
  await keys.press('Tab');
  await keys.press('/');
  await keys.type('creates an agent');
  await Promise.all([page.waitForURL('**/tools/AP_Create'), keys.press('Enter')]);
  const tab = async (until) => {
    for (let i = 0; i < 60 && !(await page.evaluate((id) => document.activeElement.id === id, until)); i++) await keys.press('Tab');
  };
  await tab('field-vx-name');
  await keys.type(`keyed ${width}`);
  await keys.press('Tab');
  await keys.type('Made with the keyboard alone.');
  await keys.press('Control+Enter');
  await page.getByRole('dialog').waitFor();
  await keys.type(NEW_KEY);
  await keys.press('Enter');
  await page.getByRole('dialog').waitFor({ state: 'detached' });
  const runner = await focused();
  await keys.press('Enter');
  const result = await ran(page);
  await tab('code-curl-tab');
  await keys.press('ArrowRight');
  const code = await visible(page, '[role=tabpanel] > pre, [role=tabpanel] pre');
  report('keyboard', { width, first, second, back, runner, tab: await focused(), panels: code.length, ...result });
  await page.context().close();
}

// Without scripts, and on paper.
async function plain() {
  const page = await pages.open('/mcp-hub', 360, ['light'], { javaScriptEnabled: false });
  const step = { tools: (await visible(page)).length, buttons: await page.getByRole('button').allTextContents() };
  await pages.picture(page, 'list-without-scripts');
  await page.goto(`${engine}/mcp-hub/tools/AP_Create`);
  step.headings = await visible(page, 'h2, h3');
  step.code = (await visible(page, '.tabs pre')).length;
  await pages.picture(page, 'tool-without-scripts');
  report('without scripts', step);
  await page.context().close();

  const paper = await pages.open('/mcp-hub/tools/AP_Create', 1280, ['light']);
  await paper.setViewportSize({ width: 720, height: 1000 });
  await paper.emulateMedia({ media: 'print' });
  const cut = await paper.evaluate(() => [...document.querySelectorAll('main *')]
    .filter((one) => one.checkVisibility() && one.scrollWidth > one.clientWidth + 1 && getComputedStyle(one).display !== 'inline'
      && !one.closest('.unseen'))
    .map((one) => one.outerHTML.slice(0, 90)));
  report('print', { cut, code: (await visible(paper, '.tabs pre')).length, buttons: await paper.getByRole('button').count() });
  await pages.picture(paper, 'tool-print');
  await paper.goto(`${engine}/mcp-hub`);
  await pages.picture(paper, 'list-print');
  report('paper', { ways: (await visible(paper, '.ways a')).length });
  await paper.context().close();
}

// Again where the engine refused the provider, as on a slow machine that takes longer than the 5 s that a provider has to answer.
async function signInAtProvider(page, from) {
  const refusals = [];
  for (let signedIn = false; !signedIn;) {
    await page.goto(from);
    await page.getByRole('button', { name: 'Sign in', exact: true }).click();
    const refused = page.waitForResponse((response) => response.status() >= 400 && response.request().isNavigationRequest())
      .then(async (response) => { refusals.push(`${response.status()} ${response.url()}`); return false; });
    refused.catch(() => {});
    await page.getByRole('link', { name: 'sample' }).click();
    signedIn = await Promise.race([page.locator('#account-button[data-user]').waitFor().then(() => true), refused]);
    if (refusals.length > 5) throw new Error(`no sign-in at the provider: ${refusals}`);
  }
}

// At an identity provider and back, to the page from which one left.
async function provider() {
  const backs = [];
  const page = await pages.blank();
  const context = page.context();
  // What the service takes back in an address, and what it does not.
  for (const search of ['größe', 'tag:', 'a/b']) {
    await signInAtProvider(page, `${engine}/skills-hub?q=${encodeURIComponent(search)}`);
    backs.push(page.url().replace(engine, ''));
    await context.clearCookies({ name: '__Host-engine_session' });
  }
  await signInAtProvider(page, `${engine}/mcp-hub?q=gr%C3%B6%C3%9Fe&task=talk`);
  const response = page.waitForResponse((one) => one.url().endsWith('/api/auth/session'));
  await page.locator('#account-button').click();
  const step = { backs, address: page.url().replace(engine, ''), session: await (await response).json() };
  report('provider', { ...step, ...(await keyless(page, step.session.csrf_token)) });
  await context.close();
}

// Who has signed in without a key tells the doctor which one the client uses.
async function keyless(page, csrf) {
  await page.goto(`${engine}/mcp-hub/doctor`);
  const said = page.locator('#seen');
  await said.filter({ hasText: 'You signed in without a key' }).waitFor();
  const step = { none: await said.innerText(), link: await said.getByRole('link').getAttribute('href') };
  const made = await page.evaluate(async (token) => (await fetch('/api/keys', { method: 'POST',
    headers: { 'Content-Type': 'application/json', 'X-CSRF-Token': token }, body: '{"name": "laptop", "capabilities": ["*"]}' })).json(), csrf);
  await fetch(`${engine}/mcp`, { method: 'POST', headers: { 'Content-Type': 'application/json', Accept: 'application/json, text/event-stream', 'X-Api-Key': made.api_key },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'initialize',
      params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'laptop', version: '1' } } }) });
  await said.filter({ hasText: 'choose the key' }).waitFor();
  await page.getByLabel('Key', { exact: true }).selectOption(made.key.id);
  await page.locator('#handshakes li').first().waitFor();
  step.chosen = await page.locator('#handshakes').innerText();
  return step;
}

// What is sent for a page, and whether anything jumps, each time with nothing kept from before. When there is something to see depends
// on the machine: it is told and not judged.
async function loads() {
  for (const path of ['/mcp-hub', '/skills-hub', '/skills-hub/first-steps', '/mcp-hub/tools/AP_Create', '/mcp-hub/connect']) {
    for (const width of widths) {
      const page = await pages.open(path, width);
      report('load', { path, width, ...(await loaded(page)) });
      await page.context().close();
    }
  }
}

// Whatever others wrote comes back as text.
async function markup() {
  const page = await pages.open('/mcp-hub/tools/AP_List', 1280, ['light']);
  let alarm = '';
  page.on('dialog', (box) => {
    alarm = box.message();
    box.dismiss();
  });
  await page.getByRole('button', { name: 'Sign in', exact: true }).click();
  await pages.signIn(page, OWNER_KEY);
  const texts = {};
  for (const [tool, field, value] of [['AP_List'], ['AP_Read', 'target.agent', 'hostile'], ['AK_List'], ['DM_Read', 'target.domain', 'den']]) {
    await page.goto(`${engine}/mcp-hub/tools/${tool}`);
    if (field) await page.getByLabel(field, { exact: true }).fill(value);
    await page.keyboard.press('Tab');
    await page.getByRole('button', { name: `Run ${tool}` }).click();
    texts[tool] = JSON.stringify((await ran(page)).envelope);
  }
  await page.goto(`${engine}/mcp-hub/tools/${encodeURIComponent('<img src=x onerror=alert(1)>')}`);
  await page.goto(`${engine}/mcp-hub?q=${encodeURIComponent('<img src=x onerror=alert(1)>')}&task=<b>`);
  await page.locator('#found[data-q^="<img"]').waitFor();
  texts.search = await page.locator('#nothing').textContent();
  report('markup', { alarm, shown: texts, images: await page.locator('main img').count() });
  await page.context().close();
}

// What a viewer is shown of its own.
async function viewer() {
  const page = await pages.open('/mcp-hub', 1280, ['light']);
  await page.getByRole('button', { name: 'Sign in', exact: true }).click();
  await pages.signIn(page, VIEWER_KEY);
  const step = { own: await page.locator('#own').innerText(), barred: await page.locator('.entry.barred').count() };
  step.order = await page.locator('.entry').evaluateAll((entries) => entries.map((entry) => entry.classList.contains('barred')));
  step.reason = await page.locator('.entry.barred .obstacle').first().innerText();
  await pages.look(page, 'list-viewer');
  await page.goto(`${engine}/mcp-hub/tools/AP_Create`);
  step.obstacle = await page.locator('#obstacle').innerText();
  await pages.look(page, 'tool-viewer');
  report('viewer', step);
  await page.context().close();
}

// The code on the pages, run as it stands there.
async function snippets() {
  const page = await pages.open('/mcp-hub/tools/US_Read', 1280, ['light']);
  const folder = mkdtempSync(join(tmpdir(), 'snippets-'));
  const env = { ...process.env, ENGINE_KEY: NEW_KEY };
  const runs = {
    curl: (text) => run('sh', ['-c', text], { env }),
    mcp: (text) => run('sh', ['-c', text], { env }),
    typescript: (text) => run(process.execPath, ['--input-type=module', '-e', text], { env, cwd: import.meta.dirname }),
    python: (text) => run('python3', ['-c', text], { env }),
    java: (text) => {
      writeFileSync(join(folder, 'Call.java'), text);
      return run(join(process.env.JAVA_HOME, 'bin', 'java'), [join(folder, 'Call.java')], { env });
    },
  };
  const python = await run('python3', ['--version']).then(() => true, () => false);
  const samples = [['US_Read', Object.keys(runs).filter((language) => python || language !== 'python')], ['AP_Create', ['curl']], ['AP_Read', ['curl', 'mcp', 'typescript']], ['AP_Modify', ['curl', 'mcp']],
    ['WH_Events', ['curl', 'mcp', 'typescript']], ['AK_List', ['curl']]];
  for (const [tool, languages] of samples) {
    await page.goto(`${engine}/mcp-hub/tools/${tool}`);
    for (const language of languages) {
      const text = await page.locator(`#code-${language} code`).textContent();
      const { stdout } = await runs[language](text).catch((error) => ({ stdout: JSON.stringify({ failed: error.message }) }));
      report('snippet', { tool, language, answer: JSON.parse(stdout) });
    }
  }
  rmSync(folder, { recursive: true });
  await page.context().close();
}

try {
  await loads();
  await together([snippets, provider, ...[newcomer, keyboard, finds].flatMap((walk) => widths.map((width) => () => walk(width))), plain, markup, viewer]);
  await Promise.all(widths.map(everything));
  report('faults', { faults: pages.faults });
} finally {
  await pages.close();
}
