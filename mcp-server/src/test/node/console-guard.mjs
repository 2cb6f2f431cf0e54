// Agents that the loop guard stopped, and what a person does about them: node console-guard.mjs <address of the engine> <folder for pictures>,
// keys in ANN_KEY (a tenant as ConsoleGuardTest fills it), and in LEAD_KEY and WORKER_KEY, her agents'. Each button prints one line of JSON: what
// the row and the toast say, and what the service has then; ConsoleGuardTest looks at it.
import { Pages, report } from './pages.mjs';

const [engine, screenshots] = process.argv.slice(2);
const { ANN_KEY, LEAD_KEY, WORKER_KEY } = process.env;
const pages = await Pages.launch(engine, screenshots);
const page = await pages.signedIn(ANN_KEY, '/llms.txt');
const row = page.locator('.need.guard');

async function as(key, tool, data) {
  const headers = { 'X-Api-Key': key };
  return (await page.request.post(`${engine}/api/mcp/tools/${tool}/invoke`, { headers, data })).json();
}

async function api(tool, data) {
  const body = await as(ANN_KEY, tool, data);
  if (!body.status.success) throw new Error(`${tool}: ${body.status.note}`);
  return body;
}

async function visit(place, path) {
  await place.goto(engine + path);
  await place.locator('#main:not([aria-busy]) > .view').waitFor();
}

const button = (place, name) => place.getByRole('button', { name });
const gone = () => row.waitFor({ state: 'detached' });

// ------------------------------------------------------------ incidents

const agents = ['Lead', 'Worker'];
const setGuard = (guard) => Promise.all(agents.map((agent) => api('AP_Modify', { target: { agent }, guard })));
const directly = () => ({
  lead: () => as(LEAD_KEY, 'AP_Chat', { target: { agent: 'Worker' }, content: 'Next.' }),
  worker: () => as(WORKER_KEY, 'AP_Chat', { target: { agent: 'Lead' }, content: 'Done.' }),
});
const inTheYard = () => {
  const say = (key) => () => as(key, 'AP_Chat', { target: { domain: 'Yard', zone: 'main' }, content: 'Again.' });
  return { lead: say(LEAD_KEY), worker: say(WORKER_KEY) };
};

// Both speak in turn until one is refused. Returns the refusal.
async function loop({ lead, worker }) {
  for (;;) {
    for (const speak of [lead, worker]) {
      const { status } = await speak();
      if (status.error) return status.note;
    }
  }
}

// How many of each one's messages are sent, of one.
async function sent({ lead, worker }) {
  const answers = [await lead(), await worker()];
  return answers.filter(({ status }) => status.success).length;
}

const guardOf = async (agent) => (await api('AP_Read', { target: { agent } })).guard;
const guards = async () => ({ lead: await guardOf('Lead'), worker: await guardOf('Worker') });
const guardOfYard = async () => (await api('DM_Read', { target: { domain: 'Yard' } })).guard;

// A real incident, whose one row comes without a reload.
async function incident(talk) {
  const note = await loop(talk);
  await row.waitFor();
  return { note, rows: await row.count(), text: await row.innerText() };
}

// ------------------------------------------------------------ Needs you

const toast = (text) => page.locator('#toast', { hasText: text });

// Presses a button of the row, does what follows, and waits until the row has gone.
async function press(step, name, { talk, says, has, follows }) {
  const seen = await incident(talk);
  await button(row, name).click();
  const during = await follows?.();
  await toast(says).waitFor();
  await gone();
  report('pressed', { name: step, ...seen, ...during, has: await has(), sent: await sent(talk) });
}

async function limits() {
  const fields = row.locator('input');
  const before = await fields.evaluateAll((all) => all.map((one) => [one.labels[0].innerText, one.value]));
  const focus = await fields.first().evaluate((one) => one === document.activeElement);
  await pages.look(page, 'guard-limits');
  await fields.first().fill('40');
  await button(row, 'Change the limit').click();
  return { before, focus };
}

async function writes() {
  const focus = await page.evaluate(() => document.activeElement.getAttribute('aria-label'));
  await page.keyboard.type('Go on, both.');
  await page.keyboard.press('Enter');
  return { focus };
}

async function direct() {
  await setGuard({ hops: 2 });
  await visit(page, '/console/inbox');
  await incident(directly());
  await pages.look(page, 'guard');
  report('row', { actions: await row.getByRole('button').allInnerTexts(), dangers: await row.locator('.danger').count() });
  const phone = await pages.signedIn(ANN_KEY, '/console/inbox', 360);
  await phone.locator('.need.guard').waitFor();
  await pages.look(phone, 'guard');
  await phone.context().close();

  const talk = directly();
  await press('allow', /^Allow 50 more/, { talk, says: 'They may send 50 more messages.', has: guards });
  await setGuard({ more: 0 });
  await press('stop', /^Stop them/, { talk, says: 'They may not write until a person lets them.', has: guards });
  await button(page.locator('#toast'), 'Undo').click();
  await toast('They may write again.').waitFor();
  report('undone', { has: await guards() });
  await press('limit', /^Change the limit/, { talk, says: 'The limit is changed.', has: guards, follows: limits });
  await setGuard({ hops: 2 });
  const heard = async () => {
    const { content } = await api('AP_Read', { target: { agent: 'Worker' }, page: { limit: 50 } });
    return content.map((one) => one.content);
  };
  await press('write', /^Write to it/, { talk, says: 'Sent.', has: heard, follows: writes });
}

// It is over without this page: the owner sets the limit elsewhere, and a limit ends by itself.
async function over() {
  const seen = await incident(directly());
  await setGuard({ hops: 30 });
  await gone();
  report('elsewhere', { ...seen, empty: await page.locator('.empty').innerText() });
  await setGuard({ hops: 2 });
  await incident(directly());
  const later = await pages.signedIn(ANN_KEY, '/llms.txt');
  await later.clock.install();
  await visit(later, '/console/inbox');
  await later.locator('.need.guard').waitFor();
  const again = later.waitForRequest('**/US_Inbox/invoke');
  await later.clock.fastForward('01:00:00');
  report('by itself', { asks: (await again).method() });
  await later.context().close();
  await setGuard({ hops: 24 });
  await gone();
}

async function room() {
  await api('DM_Update', { target: { domain: 'Yard' }, guard: { per_minute: 1 } });
  const talk = inTheYard();
  await press('allow in a room', /^Allow 50 more/, { talk, says: 'They may send 50 more messages.', has: guardOfYard });
  await api('DM_Update', { target: { domain: 'Yard' }, guard: { more: 0 } });
  await press('stop in a room', /^Stop them/, { talk, says: 'They may not write until a person lets them.', has: guardOfYard });
  await api('DM_Update', { target: { domain: 'Yard' }, guard: { stopped: false } });
  await press('write in a room', /^Write there/, { talk, says: 'Sent.', has: guardOfYard, follows: writes });
}

// ------------------------------------------------------------ the pages of an agent and of a room

// Presses a button of the part of a page, whose dialog asks first.
async function set(where, { name, verb, says, fields = {}, has }) {
  const part = page.locator('.loop-guard');
  const words = part.locator('p');
  const before = await words.innerText();
  await button(part, name).click();
  const box = page.getByRole('dialog');
  for (const [label, value] of Object.entries(fields)) await box.getByLabel(label).fill(value);
  const dangers = await box.locator('.danger').count();
  await button(box, verb).click();
  await toast(says).waitFor();
  await page.waitForFunction((text) => document.querySelector('.loop-guard p')?.innerText !== text, before);
  const all = dangers + (await part.locator('.danger').count());
  report('set', { where, name, dangers: all, words: await words.innerText(), has: await has() });
}

async function onThePageOf(where, path, has, talk) {
  await visit(page, path);
  await page.locator('.loop-guard').waitFor();
  await set(where, { name: 'Stop', verb: 'Stop', says: 'They are stopped until you let them write again.', has });
  report('while stopped', { where, sent: await sent(talk) });
  await pages.look(page, `guard-stopped-${where}`);
  await set(where, { name: 'Let them write', verb: 'Let them write', says: 'They may write again.', has });
  await set(where, { name: 'Allow 50 more', verb: 'Allow 50 more', says: 'They may send 50 more messages.', has });
  const fields = { 'Answers in a row': '12', 'Messages a minute': '20' };
  await set(where, { name: 'Change the limit', verb: 'Change', says: 'The limit is changed.', fields, has });
}

try {
  await direct();
  await over();
  await room();
  await onThePageOf('agent', '/console/agents/Worker', () => guardOf('Worker'), directly());
  await onThePageOf('room', '/console/spaces/Yard/main', guardOfYard, inTheYard());
  report('faults', { faults: pages.faults });
} catch (error) {
  throw new Error(`${error.stack}\n${(await page.locator('main').innerText()).replaceAll('\n', ' ')}`, { cause: error });
} finally {
  await pages.close();
}
