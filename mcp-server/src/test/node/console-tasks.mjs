// What people do in the console with webhooks, spaces, keys, permissions and the audit: node console-tasks.mjs <address of the engine>
// <folder for pictures>, keys in OWNER_KEY (a tenant as ConsoleTasksTest fills it) and MEMBER_KEY of the same tenant. Each step prints one
// line of JSON, which ConsoleTasksTest looks at.
import { createHmac } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { Pages, report, together } from './pages.mjs';

const [engine, screenshots] = process.argv.slice(2);
const { OWNER_KEY, MEMBER_KEY } = process.env;
const pages = await Pages.launch(engine, screenshots);

// A customer's receiver, which refuses what is not signed with its secret or is too old. To the first delivery it is not ready.
class Receiver {
  #server = createServer((request, response) => {
    let body = '';
    request.on('data', (part) => { body += part; });
    request.on('end', () => {
      const signed = this.#signatures(request.headers['x-service-signature'] ?? '', body);
      const isCreation = signed && JSON.parse(body).type === 'agent.deployment.created';
      const ready = !isCreation || this.#hadFirst;
      this.#hadFirst ||= isCreation;
      if (isCreation && ready) this.taken.push({ id: request.headers['webhook-id'], body: JSON.parse(body).id, signatures: signed });
      response.writeHead(!signed ? 400 : ready ? 200 : 503).end(ready ? '' : 'back <b>soon</b>');
    });
  });

  #hadFirst = false;

  taken = [];

  secret = ''; // Before it has one, it is asked whether it is there.

  async listen() {
    await new Promise((done) => { this.#server.listen(0, '127.0.0.1', done); });
    return `http://127.0.0.1:${this.#server.address().port}/hooks`;
  }

  // How many signatures there are, if one of them is right.
  #signatures(header, body) {
    const parts = header.split(',').map((part) => part.split('='));
    const at = parts.find(([name]) => name === 't')?.[1];
    const signatures = parts.filter(([name]) => name === 'v1').map(([, hex]) => hex);
    const right = createHmac('sha256', this.secret).update(`${at}.${body}`).digest('hex');
    return Math.abs(Date.now() / 1000 - Number(at)) < 300 && signatures.includes(right) ? signatures.length : 0;
  }

  close() {
    this.#server.close();
  }
}

async function open(key, path, there = '.view', width) {
  const page = await pages.signedIn(key, path, width);
  await page.locator(`#main:not([aria-busy]) ${there}`).first().waitFor();
  return page;
}

const button = (place, name) => place.getByRole('button', { name, exact: true });
const inMenu = (page, name) => page.locator('.menu-items').getByText(name, { exact: true });

// The dialog on top, after what its button leads to.
async function through(page, name) {
  await button(page.getByRole('dialog').last(), name).click();
}

async function secretShown(page, title) {
  const box = page.getByRole('dialog', { name: title });
  const secret = await box.locator('code').innerText();
  await button(box, 'I have kept it').click();
  return secret;
}

// A developer connects a receiver: creates the endpoint, tries it, sends again, has it graded, rotates its secret and removes it.
async function webhooks() {
  const receiver = new Receiver();
  const url = await receiver.listen();
  const page = await open(OWNER_KEY, '/console/webhooks', '.empty');
  await page.waitForSelector('#live[data-state="on"]', { state: 'attached' });
  const delivered = (count) => page.waitForFunction((number) => document.querySelectorAll('.delivery .tag.reads').length === number, count);
  await button(page, 'Create an endpoint').click();
  await page.getByLabel('URL').fill(url);
  await page.getByRole('dialog').getByLabel('All events').uncheck();
  await page.getByRole('dialog').getByLabel('agent.deployment.created').check();
  await page.getByRole('dialog').getByLabel('Description').fill('<b>Ours</b>');
  await through(page, 'Create');
  receiver.secret = await secretShown(page, 'The signing secret');
  await page.waitForURL('**/console/webhooks/*');
  const test = async (count) => {
    await button(page, 'Test').click();
    await through(page, 'Send');
    await delivered(count);
  };
  await test(1);
  await page.locator('.delivery .plain').click();
  const box = page.getByRole('dialog', { name: /^agent\.deployment\.created #/ });
  await box.waitFor();
  const step = {
    attempts: await box.locator('tbody tr').allInnerTexts(), response: await box.locator('tbody pre').innerText(),
    sent: JSON.parse(await box.locator('.copied code').innerText()).id,
  };
  await pages.look(page, 'console-delivery', 'dialog');
  await button(box, 'Send again').click();
  await delivered(2);
  await page.locator('.delivery').nth(0).getByRole('checkbox').check();
  await page.locator('.delivery').nth(1).getByRole('checkbox').check();
  await button(page, 'Send selected again').dblclick(); // The second press does nothing.
  await delivered(4);
  await page.locator('.figure', { hasText: /Delivered\s*4/ }).waitFor(); // Live, as the list.
  await pages.look(page, 'console-endpoint');
  await button(page, 'Grade my receiver').click();
  await page.locator('.score').waitFor();
  step.score = await page.locator('.score').innerText();
  step.trials = await page.getByRole('dialog').locator('.why li').allInnerTexts();
  await pages.look(page, 'console-grade', 'dialog');
  await button(page.getByRole('dialog'), 'Close').click();
  const first = receiver.secret;
  await button(page, 'Rotate secret').click();
  await through(page, 'Rotate');
  receiver.secret = await secretShown(page, 'The new signing secret');
  step.rotated = receiver.secret !== first;
  await test(5);
  const taken = [...receiver.taken];
  // What arrives while the focus is on a delivery leaves it there.
  const key = await page.locator('.delivery .plain').nth(1).evaluate((one) => {
    one.focus();
    globalThis.focused = one;
    return one.dataset.id;
  });
  await page.request.post(`${engine}/api/mcp/tools/WH_Redeliver/invoke`, { headers: { 'X-Api-Key': OWNER_KEY }, data: { id: key } });
  await delivered(6);
  step.focus = await page.evaluate((id) => globalThis.focused.isConnected && document.activeElement.dataset.id === id, key);
  await button(page, 'Delete').click();
  await through(page, 'Delete');
  await page.locator('.empty', { hasText: 'No endpoints' }).waitFor();
  report('webhooks', { ...step, taken });
  receiver.close();
  await page.context().close();
}

// On a phone, a member joins an open room, asks to join no other, accepts the invitation to a closed one, and speaks there.
async function spaces() {
  const page = await open(MEMBER_KEY, '/console/spaces/plaza', '.members', 360);
  await button(page, 'Join').click();
  await page.getByLabel('Your agent').waitFor(); // The page reads the member's agents first.
  const offered = await page.getByLabel('Your agent').locator('option').allInnerTexts();
  await page.getByLabel('Your agent').selectOption('Mo');
  await through(page, 'Join');
  const mo = page.locator('.members li', { hasText: 'Mo' });
  await mo.waitFor();
  const joined = await mo.innerText();
  await page.locator('.channels a', { hasText: 'study' }).click();
  await button(mo, 'Accept Mo').waitFor();
  const invited = await mo.innerText();
  const outside = { words: await page.locator('.transcript').innerText(), writes: await page.getByLabel('Message to study/main').isEnabled() };
  await pages.look(page, 'console-invited');
  await button(mo, 'Accept Mo').click();
  await through(page, 'Accept');
  await mo.filter({ hasNotText: 'invited' }).waitFor();
  let sent = 0;
  let go;
  const pressedTwice = new Promise((done) => { go = done; });
  await page.route('**/AP_Chat/invoke', async (route) => {
    sent += 1;
    await pressedTwice;
    await route.continue();
  });
  await page.getByLabel('Message to study/main').fill('Here I am.');
  await page.keyboard.press('Enter');
  await page.keyboard.press('Enter');
  go();
  await page.locator('.said', { hasText: 'Here I am.' }).waitFor();
  report('spaces', { offered, joined, invited, outside, sent, accepted: await mo.innerText() });
  await page.context().close();
}

// An auditor takes what one user did into a spreadsheet. Names try to be formulas, markup and several cells.
async function activity() {
  const page = await open(OWNER_KEY, '/console/activity?user=nina', '.entry-row');
  const rows = await page.locator('.entry-row').evaluateAll((all) => all.map((row) => ({ at: row.querySelector('time').dateTime, words: row.children[1].innerText, tool: row.querySelector('.tool').innerText })));
  const [download] = await Promise.all([page.waitForEvent('download'), button(page, 'Export as CSV').click()]);
  report('activity', { rows, name: download.suggestedFilename(), csv: readFileSync(await download.path(), 'utf8') });
  await page.context().close();
}

// Somebody takes a bank along, of which a part is censored.
async function memories() {
  const page = await open(OWNER_KEY, '/console/memory/log', '.memory');
  const body = await (await page.request.post(`${engine}/api/mcp/tools/MB_Read/invoke`, { headers: { 'X-Api-Key': OWNER_KEY }, data: { target: { bank: 'log' }, page: { limit: 200 } } })).json();
  // Where a menu opens, no release may follow: the list is drawn all the same.
  const author = page.getByLabel('Only by this agent');
  await page.locator('.memory').first().hover();
  await page.mouse.down({ button: 'right' });
  await author.fill('Nobody');
  await page.locator('.memories', { hasText: 'No memories here.' }).waitFor();
  await page.mouse.up({ button: 'right' });
  // The first page is empty, although there is another one: it is said what is found in the end.
  let reads = 0;
  await page.route('**/MB_Read/invoke', (route) => route.fulfill({ json: ++reads === 1 ? { ...body, content: [], next_cursor: 'more' } : { ...body, next_cursor: undefined } }));
  await page.evaluate(() => { document.getElementById('said').textContent = ''; });
  await author.fill('');
  await page.locator('#said:not(:empty)').waitFor({ state: 'attached' });
  const said = await page.locator('#said').innerText();
  await page.unroute('**/MB_Read/invoke');
  await page.reload();
  await page.locator('#main:not([aria-busy]) .memory').first().waitFor();
  const save = async () => {
    await page.locator('.menu summary').click();
    const [download] = await Promise.all([page.waitForEvent('download'), inMenu(page, 'Export').click()]);
    return { name: download.suggestedFilename(), lines: readFileSync(await download.path(), 'utf8') };
  };
  const step = { said, ...(await save()) };
  const callForMo = (tool) => page.request.post(`${engine}/api/mcp/tools/${tool}/invoke`, { headers: { 'X-Api-Key': OWNER_KEY }, data: { target: { bank: 'log', agent: 'Mo' } } });
  await callForMo('MB_Uncensor');
  step.uncensored = (await save()).lines;
  await callForMo('MB_Censor');
  report('memories', step);
  await page.context().close();
}

// What was exported is imported into another bank, after a look at what would come of it; a memory is deleted, restored, and deleted forever.
async function moving() {
  const page = await open(OWNER_KEY, '/console/memory/log', '.memory');
  await page.locator('.menu summary').click();
  const [download] = await Promise.all([page.waitForEvent('download'), inMenu(page, 'Export').click()]);
  const exported = readFileSync(await download.path());
  await page.goto(`${engine}/console/memory/copies?view=import`);
  const choose = async (name, buffer) => {
    await page.getByLabel('Choose a file').setInputFiles({ name, mimeType: 'application/jsonl', buffer: Buffer.from(buffer) });
    await page.locator('.import .soft', { hasText: name }).first().waitFor(); // The report of the file before is gone.
    await page.locator('.import-report h3, .problem:not(:empty)').first().waitFor();
    return page.locator('.import-report, .problem').allInnerTexts();
  };
  const step = { notes: await choose('notes.md', '# Tides\n\nLow water at six.\n\n# Berths\n\n<img src=x onerror=alert(4)>\n') };
  step.markdown = await page.getByLabel('The file is').inputValue();
  await page.locator('.import-report', { hasText: 'Low water' }).waitFor();
  step.wrong = await choose('other.jsonl', '{"text":"One."}\nnot a line\n');
  await page.locator('.reasons li').waitFor();
  step.refused = await page.locator('.reasons li').allInnerTexts();
  await pages.look(page, 'console-import');
  await choose('log.jsonl', exported);
  await page.locator('.import-report p', { hasText: '201 new' }).first().waitFor();
  await button(page, 'Import').click();
  await page.locator('.import-report h3', { hasText: 'Report' }).waitFor();
  step.report = await page.locator('.import-report p').first().innerText();
  await page.getByRole('link', { name: '← copies' }).click();
  await page.locator('#main:not([aria-busy]) .memory').first().waitFor();
  // A data export is dropped on the page of the bank, which previews it.
  const dropped = await page.evaluateHandle(text => {
    const data = new DataTransfer();
    data.items.add(new File([text], 'conversations.json', { type: 'application/json' }));
    return data;
  }, readFileSync(new URL('../resources/imports/chatgpt/conversations.json', import.meta.url), 'utf8'));
  await page.locator('.memory').first().dispatchEvent('drop', { dataTransfer: dropped });
  await page.locator('.import-report p', { hasText: 'ChatGPT' }).first().waitFor();
  step.dropped = await page.locator('.import-report p').first().innerText();
  await pages.look(page, 'console-import-dropped');
  await button(page, 'Import').click();
  await page.locator('.import-report h3', { hasText: 'Report' }).waitFor();
  step.chatgpt = await page.locator('.import-report p').first().innerText();
  await page.getByRole('link', { name: '← copies' }).click();
  await page.locator('#main:not([aria-busy]) .memory').first().waitFor();
  const ask = async (tool, args) => (await page.request.post(`${engine}/api/mcp/tools/${tool}/invoke`, { headers: { 'X-Api-Key': OWNER_KEY }, data: args })).json();
  for (const word of ['first', 'second']) {
    const { memory } = await ask('MB_Store', { target: { bank: 'copies' }, content: `The ${word} <b>mistake</b>.`, vx: { name: word } });
    await ask('MB_Delete', { target: { bank: 'copies' }, memory: memory.id });
  }
  await page.getByRole('link', { name: 'Trash', exact: true }).last().click();
  await page.locator('.trash li').nth(1).waitFor();
  await pages.look(page, 'console-bank-trash');
  step.trash = await page.locator('.trash li p').allInnerTexts();
  await button(page, 'Restore first').click();
  await page.locator('.trash li', { hasText: 'first' }).waitFor({ state: 'detached' });
  await button(page, 'Delete forever second').click();
  await through(page, 'Delete forever');
  await page.locator('.trash li').waitFor({ state: 'detached' });
  step.left = (await ask('MB_Trash', { target: { bank: 'copies' } })).content.length;
  // On its own page it is deleted at once, which the toast takes back.
  await page.goto(`${engine}/console/memory/copies/first`);
  await page.locator('.detail h2', { hasText: 'first' }).waitFor();
  const restored = page.waitForRequest('**/MB_Restore/invoke');
  await button(page, 'Delete').click();
  await page.waitForFunction(() => {
    const undo = document.querySelector('#toast.shown button');
    undo?.click();
    return Boolean(undo);
  });
  await (await restored).response();
  await page.waitForURL('**/copies/first');
  step.undone = (await ask('MB_Trash', { target: { bank: 'copies' } })).content.length;
  step.restored = (await ask('MB_Read', { target: { bank: 'copies' }, vx: { name: 'first' } })).content.length;
  report('moving', step);
  await page.context().close();
}

// What a key was given and never needed is taken from it with one click.
async function keys() {
  const page = await open(OWNER_KEY, '/console/keys', '.key-row');
  await page.locator('.key-row', { hasText: 'young' }).click();
  await page.locator('.detail h2', { hasText: 'young' }).waitFor();
  const young = await page.locator('.note', { hasText: 'Capabilities never used' }).count(); // A week has not passed.
  await page.goBack();
  await page.locator('.key-row', { hasText: 'too wide' }).click();
  const note = page.locator('.note', { hasText: 'Capabilities never used' });
  await note.waitFor();
  await pages.look(page, 'console-key-unused');
  const unused = await note.locator('p').allInnerTexts();
  await button(note, 'Remove unused capabilities').click();
  await note.waitFor({ state: 'detached' });
  await page.locator('.detail h2').waitFor();
  report('keys', { young, unused, kept: await page.locator('section', { hasText: 'Capabilities' }).last().locator('code').allInnerTexts() });
  await page.context().close();
}

// An owner sees what changes of an agent replaced, and restores its first texts. Who only sees the agent reads why they may not.
async function earlierTexts() {
  const page = await open(OWNER_KEY, '/console/agents/Rex', '.detail h2');
  const heading = page.getByRole('heading', { name: 'Earlier texts' });
  const before = await heading.count();
  await button(page, 'Show earlier texts').click();
  const items = page.locator('.revisions li');
  await items.nth(3).waitFor();
  const step = { headings: [before, await heading.count()], summaries: await items.locator('summary').allInnerTexts(), focus: await page.evaluate(() => document.activeElement.innerText), changes: [] };
  for (let i = 0; i < 4; i++) {
    if (i) await items.nth(i).locator('summary').click();
    else await page.keyboard.press('Enter');
    await items.nth(i).locator('.compared').waitFor();
    step.changes.push(await items.nth(i).locator('.compared :is(del, ins)').evaluateAll((all) => all.map((one) => `${one.tagName === 'INS' ? '+' : '-'} ${one.textContent}`)));
  }
  step.restorable = await Promise.all([0, 1, 2, 3].map((i) => button(items.nth(i), 'Restore this text').count()));
  await pages.look(page, 'console-agent-revisions');
  await button(items.nth(3), 'Restore this text').click();
  step.asked = await page.getByRole('dialog').innerText();
  await pages.look(page, 'console-agent-restore', 'dialog');
  await through(page, 'Restore');
  await page.locator('.tagline', { hasText: 'revision 6' }).waitFor();
  step.persona = await page.getByLabel('Persona', { exact: true }).innerText();
  await page.context().close();
  const member = await open(MEMBER_KEY, '/console/agents/Rex', '.detail h2', 360);
  const earlier = button(member, 'Show earlier texts');
  step.member = { refused: await earlier.getAttribute('aria-disabled'), why: await earlier.getAttribute('title') };
  report('earlierTexts', step);
  await member.context().close();
}

// On a phone, a click on a permission, and a click on another one.
async function permissions() {
  const page = await open(OWNER_KEY, '/console/memory?view=permissions', '.cell', 360);
  await page.getByRole('button', { name: 'Mo on notes: none' }).click();
  const choices = await page.locator('.choices .cell').allInnerTexts();
  await pages.look(page, 'console-permission');
  await button(page.locator('.choices'), 'append').click();
  await page.getByRole('button', { name: 'Mo on notes: append' }).waitFor();
  const isOpen = await page.locator('.choices').isVisible();
  // Moved sideways, the agents stay in sight.
  const names = await page.locator('.matrix').evaluate((table) => {
    const box = table.parentElement;
    box.scrollLeft = box.scrollWidth;
    return { moved: box.scrollLeft, from: Math.round(box.getBoundingClientRect().left), each: [...table.querySelectorAll('tbody th')].map((name) => { const { left, right } = name.getBoundingClientRect(); return [Math.round(left), Math.round(right)]; }) };
  });
  await pages.look(page, 'console-permissions-moved');
  report('permissions', { choices, open: isOpen, names });
  await page.context().close();
}

// Without a mouse: to a page, to its search, through a list in the order in which it is shown, into an agent and back, and a message.
async function keyboard() {
  const page = await open(OWNER_KEY, '/console/world', '.room');
  const press = (...all) => all.reduce((before, one) => before.then(() => page.keyboard.press(one)), Promise.resolve());
  const focused = () => page.evaluate(() => document.activeElement.getAttribute('href') ?? document.activeElement.getAttribute('aria-label') ?? document.activeElement.textContent.trim());
  await press('g', 'a');
  await page.waitForURL('**/console/agents');
  await page.locator('.page-agents .virtual-row').first().waitFor();
  await press('/');
  const search = await focused();
  await press('Tab', 'Tab');
  const list = [await focused()];
  await press('Tab');
  list.push(await focused());
  const rows = await page.locator('.virtual-row > a').evaluateAll((all) => all.slice(0, 2).map((one) => one.getAttribute('href')));
  await press('Enter');
  await page.waitForURL(`**${list[1]}`);
  await page.locator('.detail h2').waitFor();
  await page.waitForFunction(() => document.activeElement.hasAttribute('href'));
  const kept = await focused();
  await press('g', 's');
  await page.waitForURL('**/console/spaces');
  await page.getByLabel('Message to plaza/main').waitFor();
  await page.getByLabel('Message to plaza/main').fill('By ');
  await page.locator('.skip').focus();
  await press('Enter', 'Tab');
  const first = await focused();
  await page.getByLabel('Message to plaza/main').focus();
  await press('End');
  await page.keyboard.type('keyboard.'); // What was being written is still there.
  await press('Enter');
  await page.locator('.said', { hasText: 'By keyboard.' }).waitFor();
  report('keyboard', { search, list, shown: rows, kept, first });
  await page.context().close();
}

try {
  await together([webhooks, spaces, activity, () => memories().then(moving), keys, permissions, earlierTexts, keyboard], 3);
  report('faults', { faults: pages.faults });
} finally {
  await pages.close();
}
