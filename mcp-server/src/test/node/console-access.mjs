// What other callers find on the pages on which the owner of a tenant finds everything: node console-access.mjs <address of the engine>
// <folder for pictures>, keys in OWNER_KEY (a tenant as ConsoleAccessTest fills it, with a marker in each thing), VIEWER_KEY and NARROW_KEY
// (bank:read) of the same tenant, and STRANGER_KEY (the owner of another one); in PATHS the addresses of one thing of each kind, as JSON. Each
// step prints one line of JSON, which ConsoleAccessTest looks at.
import { Pages, report } from './pages.mjs';

const [engine, screenshots] = process.argv.slice(2);
const keys = { owner: process.env.OWNER_KEY, viewer: process.env.VIEWER_KEY, narrow: process.env.NARROW_KEY, stranger: process.env.STRANGER_KEY };
const paths = JSON.parse(process.env.PATHS);
const pages = await Pages.launch(engine, screenshots);

const markers = (text) => [...new Set(text.match(/marker-[a-z]+/g))];
const isApi = (request) => new URL(request.url()).pathname.startsWith('/api/') && !request.url().includes('/api/stream');

// A page that keeps what it requests and what it gets.
async function signedIn(key) {
  const page = await pages.signedIn(key, '/llms.txt');
  page.requests = [];
  page.answers = [];
  page.waiting = new Set();
  page.on('request', (request) => {
    if (!isApi(request)) return;
    page.requests.push(request);
    page.waiting.add(request);
  });
  const ended = async (request) => {
    if (!page.waiting.has(request)) return;
    const response = await request.response();
    page.answers.push(await response?.text().catch(() => '') ?? ''); // Without one, where the page was left meanwhile.
    page.waiting.delete(request);
  };
  page.on('requestfinished', ended);
  page.on('requestfailed', ended);
  return page;
}

// Opens an address, by itself or from the page before, until everything that the page requests is there.
async function visit(page, path, byLink = false) {
  if (byLink) await pages.follow(page, path);
  else await page.goto(engine + path);
  await page.waitForFunction(() => document.querySelector('#main > .view') && !document.getElementById('main').hasAttribute('aria-busy'));
  do {
    await page.evaluate(() => new Promise((done) => { requestAnimationFrame(() => requestAnimationFrame(done)); }));
  } while (page.waiting.size);
}

// The texts of the page that came from the service, and are written in the direction of the page whatever their language is.
const undirected = (page) => page.evaluate(() => {
  const walker = document.createTreeWalker(document.querySelector('main'), NodeFilter.SHOW_TEXT);
  const found = [];
  while (walker.nextNode()) {
    const { nodeValue, parentElement } = walker.currentNode;
    if (/marker-/.test(nodeValue) && !parentElement.closest('[dir], bdi, code, svg')) found.push(`${parentElement.localName}.${parentElement.className}: ${nodeValue.trim()}`);
  }
  return found;
});

// What a caller finds at all addresses: the markers in all responses, and what each page says. The owner opens each by itself, others one
// after another by links.
async function look(name, addresses) {
  const page = await signedIn(keys[name]);
  const words = {};
  const straight = [];
  for (const path of addresses) {
    await visit(page, path, name !== 'owner');
    words[path] = (await page.locator('main .view > :not(.head)').allInnerTexts()).join('\n').trim();
    straight.push(...(await undirected(page)).map((text) => `${path} ${text}`));
  }
  report(name, { straight, found: [...new Set(page.answers.flatMap(markers))].sort(), words });
  return page;
}

// The changes that the owner's pages offer: an address, a button, what its dialog asks for, and the button that does it. They are kept from
// the service.
const CHANGES = [
  [paths.agent, 'Edit', { Description: 'changed' }, 'Save'], [paths.agent, 'Delete', {}, 'Delete'],
  [paths.space, 'New room', { Name: 'changed' }, 'Create'], [paths.space, 'Invite', { Agent: 'Pia' }, 'Invite'],
  [paths.tasks, 'New task', { Title: 'changed' }, 'Create'], [paths.tasks, 'Release src/**', {}, 'Release'], [paths.task, 'Done', {}, 'Done'],
  [paths.task, 'Cancel the task', {}, 'Cancel the task'],
  [paths.bank, 'Store a memory', { Text: 'changed' }, 'Store'], [paths.bank, 'Censor…', {}, 'Censor'], [paths.bank, 'Delete', {}, 'Move to trash'],
  [paths.memory, 'Change', { Text: 'changed' }, 'Store'], [`${paths.bank}?view=load`, 'Load into an agent', { Agent: 'Ada' }, 'Load'],
  [paths.document, 'Load into a bank', {}, 'Load'], [paths.document, 'Validate again', {}, 'Validate'], [paths.document, 'Delete', {}, 'Delete'],
  [paths.key, 'New child', { Name: 'changed', 'Bound to the agent': 'Ada' }, 'Create'], [paths.key, 'Rotate', {}, 'Rotate'], [paths.key, 'Revoke', {}, 'Revoke'],
  [paths.webhook, 'Test', {}, 'Send'], [paths.webhook, 'Rotate secret', {}, 'Rotate'], [paths.webhook, 'Disable', {}, 'Disable'], [paths.webhook, 'Delete', {}, 'Delete'],
  [paths.rule, 'Switch on', {}, 'Switch on'], [paths.rule, 'Delete', {}, 'Delete'],
  ['/console/settings', 'Change role of vera', { Role: 'admin' }, 'Change'],
];

async function changes(page) {
  const kept = [];
  const { tools } = await (await page.request.get(`${engine}/api/mcp/tools`)).json();
  const changing = new Set(tools.filter((tool) => !['reads', 'marks'].includes(tool.effect)).map((tool) => tool.name));
  await page.route('**/api/mcp/tools/*/invoke', async (route) => {
    const request = route.request();
    const isChange = changing.has(request.url().split('/').at(-2)) && !request.postDataJSON().dry_run;
    if (!isChange) return route.continue();
    kept.push({ method: 'POST', url: request.url(), body: request.postData() });
    return route.fulfill({ status: 409, json: { status: { success: false, note: 'Kept.', error: 'conflict' } } });
  });
  for (const [path, button, fields, verb] of CHANGES) {
    const before = kept.length;
    await visit(page, path);
    const menu = page.locator('main .menu', { has: page.locator('button', { hasText: button }) });
    if (await menu.count()) await menu.locator('summary').click();
    await page.locator('main').getByRole('button', { name: button, exact: true }).first().click();
    const box = page.getByRole('dialog');
    for (const [label, text] of Object.entries(fields)) {
      const field = box.getByLabel(label, { exact: true });
      if (await field.evaluate((one) => one.tagName) === 'SELECT') await field.selectOption(text);
      else await field.fill(text);
    }
    await box.getByRole('button', { name: verb, exact: true }).click();
    await box.locator('.problem', { hasText: 'Kept.' }).waitFor();
    if (kept.length !== before + 1) throw new Error(`${button} at ${path} made ${kept.length - before} changes`);
  }
  await visit(page, paths.space);
  await page.locator('.composer textarea').fill('changed');
  await page.keyboard.press('Enter');
  await page.locator('.chat .problem', { hasText: 'Kept.' }).waitFor();
  return kept;
}

// The owner's things, with the fields that only a change alters.
const STATE = [['AP_List', {}, (body) => body.profile, ['name', 'revision']], ['ZN_Read', { target: { domain: 'vault', zone: 'main' } }, (body) => body.content, ['id', 'content']],
  ['DM_Read', { target: { domain: 'vault' } }, (body) => [...body.content, ...body.zones], ['agent', 'name', 'state']], ['MB_List', {}, (body) => body.profile, ['name', 'state', 'revision', 'memories']],
  ['MB_Read', { target: { bank: 'ledger' } }, (body) => body.content, ['id', 'text', 'revision']], ['DC_List', {}, (body) => body.documents, ['id', 'state']],
  ['AK_List', {}, (body) => body.keys, ['id', 'state', 'rotated_at']], ['WH_List', {}, (body) => body.endpoints, ['id', 'enabled', 'revision']], ['RL_List', {}, (body) => body.rules, ['id', 'revision']],
  ['TK_List', { target: { domain: 'vault' }, paths: true }, (body) => [...body.profile, ...body.reservations], ['id', 'path', 'revision']], ['US_List', {}, (body) => body.profile, ['name', 'role']]];

async function state(page) {
  const found = [];
  for (const [tool, data, pick, fields] of STATE) {
    const response = await page.request.post(`${engine}/api/mcp/tools/${tool}/invoke`, { headers: { 'X-Api-Key': keys.owner }, data });
    found.push(...pick(await response.json()).map((one) => `${tool} ${fields.map((field) => one[field]).join(' ')}`));
  }
  return found;
}

const done = (answers) => answers.filter((one) => one.isDone).map((one) => one.what);

// The same requests with another key.
async function again(page, name, requests) {
  const answers = [];
  for (const { method, url, body } of requests) {
    const response = await page.request.fetch(url, { method, headers: { 'X-Api-Key': keys[name], 'Content-Type': 'application/json' }, data: body ?? undefined });
    answers.push({ what: `${url.slice(engine.length)} ${body ?? ''}`, isDone: response.ok(), found: markers(await response.text()) });
  }
  return answers;
}

try {
  const first = await signedIn(keys.owner);
  await visit(first, '/console/world');
  const rail = await first.locator('.rail nav a').evaluateAll((all) => all.map((one) => one.getAttribute('href')));
  await first.context().close();
  const addresses = [...rail, ...Object.values(paths), `${paths.bank}?view=load`, `${paths.bank}?view=evaluate`, '/console/memory?view=permissions', '/console/memory?view=trash',
    `${paths.rule}/edit`, '/console/rules/new', '/console/rules/templates', '/console/activity?agent=Ada&story=1', '/console/activity?show=events'];
  const owner = await look('owner', addresses);
  const reads = [...new Map(owner.requests.map((request) => [`${request.url()} ${request.postData()}`, { method: request.method(), url: request.url(), body: request.postData() }])).values()];
  const kept = await changes(owner);
  const before = await state(owner);
  report('requests', { tools: [...new Set([...reads, ...kept].map(({ url }) => /tools\/(\w+)\/invoke/.exec(url)?.[1]).filter(Boolean))], changes: kept.length });
  for (const name of ['viewer', 'narrow', 'stranger']) {
    await (await look(name, addresses)).context().close();
    const blank = await pages.blank();
    const read = await again(blank, name, reads);
    const changed = await again(blank, name, kept);
    report(`${name} again`, { found: [...new Set(read.flatMap((one) => one.found))].sort(), told: changed.flatMap((one) => one.found), done: done(changed) });
    await blank.context().close();
  }
  report('faults', { faults: pages.faults });
  report('state', { before, after: await state(owner) });
  report('owner again', { done: done(await again(owner, 'owner', kept)) }); // They are right: only others may not.
  await owner.context().close();
} finally {
  await pages.close();
}
