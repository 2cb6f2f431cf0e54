// The console as people use it, at two widths in two themes: node console.mjs <address of the engine> <folder for pictures>, keys in
// OWNER_KEY (a tenant with things of hostile names), MEMBER_KEY and VIEWER_KEY of the same tenant, NARROW_KEY (bank:read), EMPTY_KEY (another
// tenant, with nothing in it). Each step prints one line of JSON, which ConsoleTest looks at.
import { Pages, loaded, themes, told, widths } from './pages.mjs';

const [engine, screenshots] = process.argv.slice(2);
const { OWNER_KEY, MEMBER_KEY, VIEWER_KEY, NARROW_KEY, EMPTY_KEY } = process.env;
const pages = await Pages.launch(engine, screenshots);

const settled = (page) => page.waitForFunction(() => document.querySelector('#main > .view') && !document.getElementById('main').hasAttribute('aria-busy'));

// Signs in without the dialog, which the hub's own steps use.
async function signedIn(page, key, path) {
  await page.evaluate((given) => fetch('/api/auth/session', { method: 'POST', headers: { 'X-Api-Key': given } }), key);
  await page.goto(engine + path);
  await settled(page);
}

async function open(key, path, width = 1280, shown) {
  const page = await pages.open('/console/settings', width, shown);
  page.on('dialog', (dialog) => told('a script ran', { text: dialog.message() }));
  await signedIn(page, key, path);
  return page;
}

async function to(page, path, there = '#main > .view') {
  await page.goto(engine + path);
  await settled(page);
  await page.locator(there).first().waitFor();
}

const live = (page, state = 'on') => page.waitForSelector(`#live[data-state="${state}"]`, { state: 'attached' });

// Each page, at one width in both themes.
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
    permissions: ['/console/memory?view=permissions', '.cell'], keys: ['/console/keys', '.key-row'], webhooks: ['/console/webhooks', '.delivery'], activity: ['/console/activity', '.entry-row'], settings: ['/console/settings', '.setting'],
  };
  for (const [name, [path, there]] of Object.entries(views)) {
    await to(page, path, there);
    await pages.look(page, `console-${name}`);
  }
  await to(page, '/console/memory/notes', '.memory');
  await page.getByLabel('Search this bank').fill('neap tides');
  await page.locator('.hit mark').first().waitFor();
  await pages.look(page, 'console-memory-search');
  await page.locator('.rail nav a[data-page="keys"]').click();
  await page.locator('.key-row').first().click();
  await page.locator('.detail h2').waitFor();
  await pages.look(page, 'console-key');
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
  told('as code', { curl: code.includes('AP_Read/invoke'), mcp: code.includes('tools/call') });
  await pages.look(page, 'console-code', 'dialog');
  await page.context().close();
}

// Two people in one room: what one says the other reads without doing anything; and what is full of markup shows as text.
async function together() {
  const ann = await open(OWNER_KEY, '/console/spaces/den/main');
  const bob = await open(MEMBER_KEY, '/console/spaces/den/main');
  await Promise.all([live(ann), live(bob)]);
  const sent = [];
  for (const word of ['one', 'two', 'three']) {
    const text = `${word} <b>bold</b> <img src=x onerror=alert(3)>`;
    await ann.getByLabel('Message to den/main').fill(text);
    const began = Date.now();
    await ann.keyboard.press('Enter');
    await bob.locator('.said', { hasText: text }).waitFor();
    sent.push(Date.now() - began);
  }
  told('together', { took: sent, markup: await bob.locator('.transcript :is(img, b b, script)').count(), said: await bob.locator('.said').last().textContent() });
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
  told('moves', {});
  await world.context().close();
  await member.context().close();
}

// The same session in two browsers: signing out in one ends the stream of the other.
async function signsOut() {
  const one = await open(VIEWER_KEY, '/console/world');
  await live(one);
  const other = await pages.open('/console/world');
  await other.context().addCookies(await one.context().cookies());
  await to(other, '/console/settings').catch(() => {});
  await live(other);
  const began = Date.now();
  await one.evaluate(async () => {
    const { csrf_token: token } = await (await fetch('/api/auth/session')).json();
    await fetch('/api/auth/session', { method: 'DELETE', headers: { 'X-CSRF-Token': token } });
  });
  await other.getByRole('heading', { name: 'See your agents work' }).waitFor();
  told('signs out', { took: Date.now() - began, live: await other.locator('#live').getAttribute('data-state') });
  await one.context().close();
  await other.context().close();
}

// What others may not, they are not offered, and see nothing of.
async function others() {
  const viewer = await open(VIEWER_KEY, '/console/agents');
  const step = { viewerMayCreate: await viewer.getByRole('button', { name: 'New agent' }).isEnabled() };
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
  told('others', step);
}

// A newcomer: an empty workspace, one click, three agents who disagree, an answer, and everything gone again.
async function newcomer() {
  const page = await open(EMPTY_KEY, '/console/world', 1280);
  await page.route('**/api/demo', (route) => (route.request().method() === 'POST' && route.request().postData() === '{}' ? route.continue({ postData: '{"seconds":14}' }) : route.continue()));
  await live(page);
  const began = Date.now();
  await page.locator('.empty').getByRole('button', { name: 'Start the demo' }).click();
  await page.locator('.bubble', { hasText: 'Checkout fails for 9 %' }).waitFor();
  await page.locator('.bubble', { hasText: 'I disagree' }).waitFor();
  await pages.picture(page, 'console-demo-talk');
  const answer = page.getByRole('button', { name: 'Raise the pool and watch it' });
  await answer.waitFor();
  await pages.look(page, 'console-demo-question');
  await answer.click();
  await page.locator('.feed', { hasText: 'Raising the pool to 400' }).waitFor();
  const answered = Date.now() - began;
  await page.getByText('The incident is over.').waitFor();
  await pages.look(page, 'console-demo-over');
  await page.getByRole('link', { name: 'Read along' }).click();
  await page.locator('.said', { hasText: 'I have it. I close the leak tonight' }).waitFor();
  await pages.picture(page, 'console-demo-room');
  const room = await page.locator('.transcript').innerText();
  await to(page, '/console/activity', '.entry-row');
  await pages.picture(page, 'console-demo-activity');
  const doors = await page.locator('.entry-row', { hasText: 'AP_Chat' }).allInnerTexts();
  await to(page, '/console/memory/Incident%20log', '.memory');
  const learnt = await page.locator('.memories').innerText();
  await pages.picture(page, 'console-demo-memory');
  await to(page, '/console/world', '.demo');
  await page.getByRole('button', { name: 'Remove' }).click();
  await page.locator('.empty').waitFor();
  const left = await page.evaluate(async () => {
    const { csrf_token: token } = await (await fetch('/api/auth/session')).json();
    const ask = async (tool, args) => (await fetch(`/api/mcp/tools/${tool}/invoke`, { method: 'POST', headers: { 'Content-Type': 'application/json', 'X-CSRF-Token': token }, body: JSON.stringify(args) })).json();
    const [agents, domains, banks, keys] = await Promise.all([ask('AP_List', {}), ask('DM_List', {}), ask('MB_List', {}), ask('AK_List', {})]);
    return [agents.profile.length, domains.profile.length, banks.profile.length, keys.keys.filter((key) => key.name.startsWith('demo')).length];
  });
  told('newcomer', { answered, room, doors, learnt, left });
  await page.context().close();
}

// What the first view costs.
async function weight() {
  const page = await open(OWNER_KEY, '/console/world');
  await live(page);
  told('weight', await loaded(page));
  await page.context().close();
}

try {
  await Promise.all([everyPage(widths[0]), everyPage(widths[1]), (async () => {
    await weight();
    await together();
    await moves();
    await signsOut();
    await others();
    await newcomer();
  })()]);
  told('faults', { faults: pages.faults });
} finally {
  await pages.close();
}
