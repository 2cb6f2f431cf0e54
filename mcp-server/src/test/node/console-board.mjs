// Tasks of a space in the console: node console-board.mjs <address of the engine> <folder for pictures>, keys in ANN_KEY, BOB_KEY, BEN_KEY (his
// agent) and VERA_KEY (who may only read), the space as ConsoleBoardTest fills it. Each step prints one line of JSON, which ConsoleBoardTest looks at.
import { Pages, report, themes } from './pages.mjs';

const [engine, screenshots] = process.argv.slice(2);
const { ANN_KEY, BOB_KEY, BEN_KEY, VERA_KEY, KEEL, MARKUP } = process.env;
const pages = await Pages.launch(engine, screenshots);
const BOARD = '/console/spaces/Yard?view=tasks';
const TASK = `/console/spaces/Yard?task=${KEEL}`;
const PHONE = { viewport: { width: 390, height: 844 } };

async function open(key, path, there, width, options) {
  const page = await pages.signedIn(key, path, width, themes, options);
  await page.locator(`#main:not([aria-busy]) ${there}`).first().waitFor();
  await page.evaluate(() => { globalThis.stays = true; }); // A reload would lose it.
  return page;
}

const call = async (page, key, tool, args) => (await page.request.post(`${engine}/api/mcp/tools/${tool}/invoke`, { headers: { 'X-Api-Key': key }, data: args })).json();
const asBen = (page, tool, args) => call(page, BEN_KEY, tool, { target: { domain: 'Yard' }, ...args });
const update = (page, args) => call(page, BEN_KEY, 'TK_Update', { task: KEEL, ...args });
const card = (page, column, title) => page.locator(`.column.${column} .card`, { hasText: title });
const button = (place, name) => place.getByRole('button', { name, exact: true });
const columns = (page) => page.locator('.column').evaluateAll((all) => Object.fromEntries(all.map((one) => [one.classList[1], [...one.querySelectorAll('.card > a')].map((link) => link.textContent)])));
const disabled = (page) => page.locator('.head-actions button:not(.icon), .task-actions button').evaluateAll((all) => all.map((one) => [one.textContent, one.getAttribute('aria-disabled') === 'true', one.title]));

// Which dialogs are looked at: one of each kind.
const LOOKED = ['Create', 'Take away', 'Answer'];

// Opens a dialog, fills its fields, and confirms.
async function act(page, name, fields, verb) {
  await button(page.locator('#main'), name).click();
  const box = page.getByRole('dialog');
  await box.waitFor();
  for (const [label, value] of Object.entries(fields)) {
    const field = box.getByLabel(label, { exact: true });
    const kind = await field.evaluate((one) => `${one.tagName} ${one.type}`);
    if (kind.startsWith('SELECT')) await field.selectOption(value);
    else if (kind.endsWith('checkbox')) await field.check();
    else await field.fill(value);
  }
  if (LOOKED.includes(verb)) await pages.look(page, `board-dialog-${verb.split(' ')[0].toLowerCase()}`, 'dialog');
  await button(box, verb).click();
  await box.waitFor({ state: 'detached' });
}

try {
  const ann = await open(ANN_KEY, '/console/spaces/Yard', '.channels');
  await ann.locator('.channels').getByRole('link', { name: 'Tasks' }).click();
  await card(ann, 'open', 'Lay the keel').waitFor();
  const bob = await open(BOB_KEY, BOARD, '.board');
  report('begun', { address: await ann.evaluate(() => location.pathname + location.search), title: await ann.title(), columns: await columns(bob), markup: await bob.locator('.board img, .board script').count() });

  const claimed = await asBen(ann, 'TK_Claim', { task: KEEL });
  await card(ann, 'doing', 'Lay the keel').waitFor();
  await card(bob, 'doing', 'Lay the keel').waitFor();
  report('claimed', { columns: await columns(bob), holder: await card(ann, 'doing', 'Lay the keel').locator('.holder').innerText(), stays: await bob.evaluate(() => globalThis.stays) });

  await act(ann, 'New task', { Title: `Rig it ${MARKUP}`, Description: 'Two masts.', For: 'Ben', Tags: 'rope, sail', 'Lay the keel': true }, 'Create');
  await card(bob, 'open', 'Rig it').getByText('waits for Lay the keel').waitFor();
  report('created', { words: await card(bob, 'open', 'Rig it').innerText() });

  await asBen(ann, 'TK_Reserve', { paths: ['hull/**', 'README.md'], reason: `planks ${MARKUP}` });
  await call(ann, ANN_KEY, 'TK_Reserve', { paths: ['docs/**'], target: { domain: 'Yard' }, lease_seconds: 86400 });
  const world = await open(ANN_KEY, '/console/world', '.at-work li');
  await pages.look(world, 'world-work');
  report('world', { work: await world.locator('.at-work').innerText() });
  await ann.reload();
  await ann.locator('.reservations li').nth(1).waitFor();
  await pages.look(ann, 'board');
  const phone = await open(ANN_KEY, BOARD, '.reservations li', 360, PHONE);
  await pages.look(phone, 'board-phone');
  report('reserved', { rows: await ann.locator('.reservations li').allInnerTexts(), buttons: await ann.locator('.reservations button').evaluateAll((all) => all.map((one) => one.getAttribute('aria-label'))) });
  const room = await open(ANN_KEY, '/console/spaces/Yard/main', '.said a[href*="task="]');
  report('announced', { words: await room.locator('.said').allInnerTexts(), titles: await room.locator('.said a[href*="task="]').allInnerTexts() });
  await act(ann, 'Release docs/**', {}, 'Release');
  await ann.locator('.reservations', { hasText: 'docs/**' }).waitFor({ state: 'detached' });

  // A card is a link: the keyboard opens it.
  await card(ann, 'doing', 'Lay the keel').locator('a').focus();
  await ann.keyboard.press('Enter');
  await ann.locator('.task .history li').first().waitFor();
  await act(ann, 'Take away', {}, 'Take away');
  await card(bob, 'open', 'Lay the keel').waitFor();
  report('taken away', { late: (await update(ann, { fence: claimed.task.fence, state: 'done' })).status.error, title: await ann.title(), for: (await call(ann, ANN_KEY, 'TK_Read', { task: KEEL })).profile[0].assignee });

  await act(ann, 'Assign', { For: 'Ben', Note: 'You know wood.' }, 'Assign');
  await card(bob, 'open', 'Lay the keel').getByText('for Ben').waitFor();
  const again = await asBen(ann, 'TK_Claim', { task: KEEL });
  await update(ann, { fence: again.task.fence, state: 'blocked', note: `Which wood? ${MARKUP}` });
  await card(bob, 'blocked', 'Lay the keel').waitFor();
  await button(ann.locator('.task-actions'), 'Answer').waitFor();
  await call(ann, BEN_KEY, 'AP_Chat', { target: { domain: 'Yard' }, content: `Who knows about ${KEEL}? ${MARKUP}` });
  await ann.locator('section:has(#t-messages) li').waitFor();
  await pages.look(ann, 'task');
  const small = await open(ANN_KEY, TASK, '.task .history li', 360, PHONE);
  await pages.look(small, 'task-phone');
  await ann.locator('.task-details summary').click();
  const order = await small.evaluate(() => ['.head .tag', '.task-parts aside', '.task-parts section', '.task-details'].map((one) => Math.round(document.querySelector(one).getBoundingClientRect().top)));
  report('task', { order, state: await small.locator('h1 .tag').innerText(), fences: await small.getByText('Fence').filter({ visible: true }).count(), words: await ann.locator('.task').innerText(), messages: await ann.locator('section:has(#t-messages) li').allInnerTexts(), markup: await ann.locator('.task img, .task script').count() });
  await act(ann, 'Answer', { 'Your answer': 'Oak.' }, 'Answer');
  await card(bob, 'doing', 'Lay the keel').waitFor();
  await update(ann, { fence: again.task.fence, state: 'done', result: 'It is of oak.' });
  await card(bob, 'done', 'Lay the keel').waitFor();
  await card(bob, 'open', 'Rig it').getByText('ready', { exact: true }).waitFor();
  await ann.locator('.task', { hasText: 'It is of oak.' }).waitFor();
  report('done', { history: await ann.locator('.history').first().innerText(), stays: await bob.evaluate(() => globalThis.stays), ready: await card(bob, 'open', 'Rig it').innerText() });

  // Its page shows what it came after.
  await card(bob, 'open', 'Rig it').locator('a').click();
  await bob.locator('.task .rows a').waitFor();
  report('after', { after: await bob.locator('.task .rows').innerText(), link: await bob.locator('.task .rows a').getAttribute('href') });
  await act(bob, 'Change', { Title: 'Rig the boat' }, 'Save');
  await bob.getByRole('heading', { name: /^Rig the boat/, level: 1 }).waitFor();
  await act(bob, 'Assign', { For: '*' }, 'Assign');
  await act(bob, 'Claim', { 'For how long': '1800' }, 'Claim');
  await bob.locator('.task .facts', { hasText: /\d+ min left/ }).waitFor();
  await act(bob, 'Extend', { 'For how long': '86400' }, 'Extend');
  await bob.locator('.task .facts', { hasText: /\d+ h/ }).waitFor();
  await act(bob, 'Block', { Note: 'No rope.' }, 'Block');
  await button(bob.locator('.task-actions'), 'Answer').waitFor();
  report('own', { record: await bob.locator('.task aside .facts').innerText(), history: await bob.locator('.history').first().innerText() });
  await act(bob, 'Cancel the task', {}, 'Cancel the task');
  await act(bob, 'Open again', {}, 'Open again');
  await act(bob, 'Cancel the task', {}, 'Cancel the task');
  await button(bob.locator('.task-actions'), 'Open again').waitFor();
  await bob.goto(engine + BOARD);
  await bob.locator('details.cancelled summary').click();
  await bob.locator('.cancelled .card', { hasText: 'Rig the boat' }).waitFor();
  report('cancelled', { columns: await columns(bob) });

  const vera = await open(VERA_KEY, BOARD, '.card');
  const offered = await disabled(vera);
  const seen = await columns(vera);
  await vera.goto(engine + TASK);
  await vera.locator('#main:not([aria-busy]) .task .history li').first().waitFor();
  offered.push(...await disabled(vera));
  await vera.goto(`${engine}/console/spaces/Pier?view=tasks`);
  await vera.locator('#main:not([aria-busy]) .subnav').waitFor();
  report('viewer', { columns: seen, offered, outside: await vera.locator('#main').innerText() });
  report('faults', { faults: pages.faults });
} finally {
  await pages.close();
}
