// Small things of the console that people use each day: node console-details.mjs <address of the engine> <folder for pictures>, the key of a
// new tenant's owner in OWNER_KEY. Each step prints one line of JSON, which ConsoleDetailsTest looks at.
import { Pages, report, themes } from './pages.mjs';

const [engine, screenshots] = process.argv.slice(2);
const { OWNER_KEY } = process.env;
const pages = await Pages.launch(engine, screenshots);
const page = await pages.signedIn(OWNER_KEY, '/llms.txt', 1280, themes);
const phone = await pages.signedIn(OWNER_KEY, '/llms.txt', 390);

async function as(key, tool, data = {}) {
  return (await page.request.post(`${engine}/api/mcp/tools/${tool}/invoke`, { headers: { 'X-Api-Key': key }, data })).json();
}
const api = (tool, data) => as(OWNER_KEY, tool, data);

// Until the answer of a tool fulfils a condition.
async function until(tool, args, condition) {
  for (;;) {
    if (condition(await api(tool, args))) return;
    await page.evaluate(() => new Promise((done) => { requestAnimationFrame(done); }));
  }
}

async function visit(place, path) {
  await place.goto(engine + path);
  await place.waitForFunction(() => document.querySelector('#main > .view') && !document.getElementById('main').hasAttribute('aria-busy'));
}
const button = (place, name) => place.getByRole('button', { name, exact: true });

// ------------------------------------------------------------ keys

async function keys() {
  const make = async (name, more = {}) => (await api('AK_Create', { name, capabilities: ['agent:read', 'bank:read', 'bank:write'], ...more })).key.id;
  const nightly = await make('nightly', { environment: 'staging' });
  await make('painter', { agent: 'Ada' });
  await api('AK_Revoke', { id: await make('old') });
  await visit(page, '/console/keys');
  const listed = () => page.locator('.key-row b').allInnerTexts();
  const step = { first: await listed() };
  await page.getByLabel('Find keys').fill('Ada');
  await page.locator('.filters [role=status]', { hasText: '1 of' }).waitFor();
  step.found = await listed();
  await page.getByLabel('Find keys').fill('');
  await page.getByLabel(/Revoked and expired/).check();
  await page.locator('.key-row', { hasText: 'old' }).waitFor();
  step.all = await listed();
  step.address = new URL(page.url()).search;
  await page.reload();
  await page.locator('.key-row', { hasText: 'old' }).waitFor();
  await pages.look(page, 'keys-filtered');
  await visit(phone, '/console/keys?ended=1');
  await pages.look(phone, 'keys-filtered');

  await page.locator('.key-row', { hasText: 'nightly' }).click();
  await button(page, 'Change').click();
  const box = page.getByRole('dialog');
  await pages.look(page, 'key-change', 'dialog');
  await box.getByLabel('bank:write', { exact: true }).uncheck();
  await box.getByLabel('readonly: may only read').check();
  await box.getByLabel('Bound to the agent').fill('Ada');
  await box.getByLabel('Expires').selectOption('7 days');
  const sent = page.waitForRequest('**/AK_Update/invoke');
  await button(box, 'Save').click();
  step.sent = (await sent).postDataJSON();
  await box.waitFor({ state: 'detached' });
  step.key = (await api('AK_Read', { id: nightly })).key;
  await page.locator('.detail .tagline', { hasText: 'acts as Ada' }).waitFor();
  step.shown = await page.locator('.detail').innerText();
  report('keys', step);
}

// ------------------------------------------------------------ messages

const TEXT = `See https://example.com/a_(b)?c=1&d=2, and [the docs](https://docs.example/x).
1. first
2. second, \`code\`
   - nested
Then [a trap](javascript:alert(1)) <b>bold</b> and https://user:pw@evil.example/ end.
\`\`\`
const a = '<i>';
\`\`\``;

async function messages() {
  const ada = (await api('AK_Create', { name: 'ada', agent: 'Ada', capabilities: ['*'] })).api_key;
  await as(ada, 'AP_Chat', { to_user: true, content: TEXT });
  await as(ada, 'AP_Chat', { to_user: true, content: 'שלום, זו הודעה. (done)' });
  await visit(page, '/console/agents/Ada');
  const said = page.locator('.said', { hasText: 'See https' });
  await said.waitFor();
  const step = await said.evaluate((place) => ({
    links: [...place.querySelectorAll('a')].map((one) => [one.textContent, one.href, one.rel, one.target]),
    lists: [...place.querySelectorAll('ol > li')].map((one) => one.firstChild && one.textContent.trim()),
    nested: place.querySelectorAll('ol ul li').length,
    bold: place.querySelectorAll('b, i').length,
    code: [...place.querySelectorAll('code')].map((one) => [one.textContent, getComputedStyle(one).direction]),
    text: place.textContent,
  }));
  step.directions = await page.locator('.said p').evaluateAll((all) => all.map((one) => [one.dir, getComputedStyle(one).direction]));
  await pages.look(page, 'message-links');
  await visit(phone, '/console/agents/Ada');
  await pages.look(phone, 'message-links');
  await visit(page, '/console/inbox');
  step.inbox = await page.locator('.need-text a').evaluateAll((all) => all.map((one) => one.href));
  await pages.look(page, 'inbox-links');

  // Enter that ends a composition, as Safari reports it, sends nothing.
  await visit(page, '/console/agents/Ada');
  await page.getByLabel('Message to Ada').fill('日本');
  await page.getByLabel('Message to Ada').evaluate((field) => field.dispatchEvent(new KeyboardEvent('keydown', { key: 'Enter', keyCode: 229, bubbles: true, cancelable: true })));
  step.composed = await page.getByLabel('Message to Ada').inputValue();
  await button(page, 'Answer Ada').first().click();
  step.focus = await page.evaluate(() => document.activeElement.getAttribute('aria-label'));
  await page.keyboard.press('Enter');
  await page.locator('.said', { hasText: '日本' }).waitFor();
  report('messages', step);
  return ada;
}

// ------------------------------------------------------------ what an agent costs, and what stops it

async function cost() {
  await until('AP_Usage', { target: { agent: 'Ada' } }, ({ total }) => total.calls >= 2);
  await visit(page, '/console/agents/Ada');
  const part = page.locator('section', { has: page.getByRole('heading', { name: 'What it costs' }) });
  await part.locator('.figures').waitFor();
  await part.locator('summary').click();
  const { total } = await api('AP_Usage', { target: { agent: 'Ada' } });
  await pages.look(page, 'agent-cost');
  report('cost', { figures: await part.locator('.figure b').allInnerTexts(), rows: await part.locator('tbody tr').count(), total });
  await visit(phone, '/console/agents/Ada');
  await phone.locator('section', { has: phone.getByRole('heading', { name: 'What it costs' }) }).locator('.figures').waitFor();
  await pages.look(phone, 'agent-cost');
}

async function guard(ada) {
  const ben = (await api('AK_Create', { name: 'ben', agent: 'Ben', capabilities: ['*'] })).api_key;
  let answer = { status: { success: true } };
  for (let i = 0; answer.status.success && i < 700; i++) answer = await as(i % 2 ? ada : ben, 'AP_Chat', { target: { agent: i % 2 ? 'Ben' : 'Ada' }, content: `Message ${i}.` });
  await until('AC_Audit', { tool: 'AP_Chat', result: 'refused' }, ({ entries }) => entries.length > 0);
  await visit(page, '/console/activity?tool=AP_Chat&result=refused&show=calls');
  await page.locator('.entry-row').first().click();
  report('guard', { note: answer.status.note, text: await page.getByRole('dialog').innerText() });
}

// A sub-agent is below its parent, and its address survives a reload.
async function subAgents() {
  await api('AP_Create', { vx: { name: 'explore', description: 'Looks around.' }, parent: 'Ada' });
  await visit(page, '/console/agents');
  const rows = page.locator('a[data-agent]');
  await page.locator('a[data-agent="Ada/explore"]').waitFor();
  const step = { names: await rows.evaluateAll((all) => all.map((one) => one.dataset.agent)), indents: await rows.evaluateAll((all) => all.map((one) => parseFloat(getComputedStyle(one).paddingInlineStart))) };
  await pages.look(page, 'sub-agents');
  await page.locator('a[data-agent="Ada/explore"]').click();
  await page.locator('.detail', { hasText: 'Looks around.' }).waitFor();
  step.address = new URL(page.url()).pathname;
  await page.reload();
  await page.locator('.detail', { hasText: 'Looks around.' }).waitFor();
  report('sub-agents', step);
}

async function front() {
  const seen = (place) => place.locator('.prose img').evaluateAll((all) => all.filter((one) => one.checkVisibility()).map((one) => one.getAttribute('src')));
  const dark = await pages.open('/', 1280, ['dark']);
  const light = await pages.open('/', 1280, ['light']);
  const step = { dark: await seen(dark), light: await seen(light) };
  await dark.locator('.prose img:visible').scrollIntoViewIfNeeded();
  await dark.waitForFunction(() => [...document.querySelectorAll('.prose img')].some((one) => one.checkVisibility() && one.complete && one.naturalWidth > 0));
  await pages.look(dark, 'front');
  await light.evaluate(() => { document.documentElement.dataset.theme = 'dark'; });
  step.chosen = await seen(light);
  report('front', step);
}

try {
  for (const name of ['Ada', 'Ben']) await api('AP_Create', { vx: { name, description: `${name} works here.` } });
  await keys();
  const ada = await messages();
  await cost();
  await subAgents();
  await guard(ada);
  await front();
  report('faults', { faults: pages.faults });
} finally {
  await pages.close();
}
