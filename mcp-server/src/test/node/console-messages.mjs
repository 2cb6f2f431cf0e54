// How a person finds what was said: node console-messages.mjs <address of the engine> <folder for pictures>, with ANN_KEY, whose tenant is
// as ConsoleMessagesTest fills it. Each step prints one line of JSON, which ConsoleMessagesTest looks at.
import { Pages, report } from './pages.mjs';

const [engine, screenshots] = process.argv.slice(2);
const { ANN_KEY } = process.env;
const pages = await Pages.launch(engine, screenshots);

async function open(path, there, width) {
  const page = await pages.signedIn(ANN_KEY, path, width);
  await page.locator(`#main:not([aria-busy]) ${there}`).first().waitFor();
  return page;
}

const now = new Date();
const today = [now.getFullYear(), now.getMonth() + 1, now.getDate()].map((part) => String(part).padStart(2, '0')).join('-');
const texts = (place) => place.locator('.found-message .said').allInnerTexts();
const query = (page) => page.getByRole('combobox', { name: 'Search' });

// What is done with messages in a room and with an agent, on a phone.
async function onAPhone() {
  const phone = await open('/console/spaces/Harbour/main', '.transcript li[data-id]', 390);
  const room = phone.locator('.chat:not(.thread)');
  const step = {};
  await phone.getByRole('button', { name: 'Attach documents' }).click();
  await phone.getByRole('dialog').getByLabel('chart.txt').check();
  await phone.getByRole('dialog').getByRole('button', { name: 'Attach', exact: true }).click();
  await phone.getByRole('list', { name: 'To be attached' }).waitFor();
  await pages.look(phone, 'room-attaches');
  await phone.getByLabel('Message to Harbour/main').fill('See the chart.');
  await phone.getByRole('button', { name: 'Send' }).click();
  const sent = room.locator('li[data-id]', { hasText: 'See the chart.' });
  step.attached = await sent.locator('.attached a').getAttribute('href');
  step.kept = await phone.getByRole('list', { name: 'To be attached' }).count();

  const card = room.locator('.asks', { hasText: 'Which rock first?' });
  step.choices = await card.locator('.choice').allInnerTexts();
  await card.getByRole('button', { name: 'North' }).click();
  const question = room.locator('li[data-id]', { hasText: 'Which rock first?' }).first();
  step.decided = await question.locator('.question-ended').innerText();
  await pages.look(phone, 'room-decided');

  await question.getByRole('button', { name: 'Thread of Ada' }).click();
  const thread = phone.locator('.thread');
  await thread.locator('li[data-id]', { hasText: 'Which rock first?' }).first().waitFor();
  step.beside = await room.isVisible();
  step.thread = await thread.locator('.said').allInnerTexts();
  await phone.getByLabel('Answer in the thread').fill('Then the south one.');
  await phone.keyboard.press('Enter');
  await thread.locator('.said', { hasText: 'Then the south one.' }).waitFor();
  await pages.look(phone, 'thread');
  await phone.getByRole('button', { name: 'Close the thread' }).click();
  await thread.waitFor({ state: 'detached' });
  step.answers = await question.locator('.replies').innerText();

  await phone.goto(`${engine}/console/agents/Ada`);
  const tabs = phone.getByRole('group', { name: 'Conversations' }).getByRole('button');
  await tabs.first().waitFor();
  step.tabs = await tabs.allInnerTexts();
  await tabs.filter({ hasText: 'In rooms' }).click();
  await phone.locator('[data-talk="rooms"] .said', { hasText: 'Which rock first?' }).first().waitFor();
  step.pressed = await phone.locator('.talks [aria-pressed="true"]').innerText();
  step.writes = await phone.getByLabel('Message to Ada').count();
  await pages.look(phone, 'agent-rooms');
  report('phone', step);
  await phone.context().close();
}

try {
  await onAPhone();
  // What did Ada say yesterday: two clicks from her page.
  const page = await open('/console/agents/Ada', '.detail h2');
  await page.getByRole('button', { name: 'Yesterday' }).click();
  await page.locator('.found-messages', { hasText: 'message' }).locator('.found-message').first().waitFor();
  const step = { yesterday: await texts(page.locator('.page-agents')), address: new URL(page.url()).search };
  await pages.look(page, 'agent-day');
  await page.locator('.found-message a', { hasText: 'low at six' }).focus();
  await page.keyboard.press('Enter');
  await page.locator('.sought', { hasText: 'low at six' }).waitFor();
  step.room = new URL(page.url()).pathname;
  step.focused = await page.evaluate(() => document.activeElement.classList.contains('sought'));
  step.seen = await page.evaluate(() => { const box = document.querySelector('.sought').getBoundingClientRect(); return box.top >= 0 && box.bottom <= innerHeight; });
  report('day', step);

  // In the room, with the keyboard.
  await page.getByRole('searchbox', { name: 'Find in this room' }).focus();
  await page.keyboard.type('pilot');
  await page.locator('.chat .found-message').first().waitFor();
  const room = { found: await texts(page.locator('.chat')) };
  await pages.look(page, 'room-found');
  await page.locator('.chat .found-message a').first().focus();
  await page.keyboard.press('Enter');
  await page.locator('.sought', { hasText: 'pilot' }).waitFor();
  room.message = await page.locator('.sought .said').innerText();
  report('room', room);

  // An older answer that comes late shows nothing.
  let release;
  const later = new Promise((resume) => { release = resume; });
  let delayed;
  await page.route('**/AP_Search/invoke', async (route) => {
    if (!route.request().postData().includes('"pilo')) return route.continue();
    delayed?.();
    await later;
    return route.continue();
  });
  const request = new Promise((resume) => { delayed = resume; });
  await page.keyboard.press('Control+k');
  await query(page).fill('pilo');
  await request;
  const searching = await page.locator('dialog [role=status]').first().innerText();
  const foot = [await page.locator('.search-foot').evaluate((one) => one.offsetHeight)];
  await query(page).fill('buoy');
  await page.getByRole('group', { name: 'Messages' }).getByRole('option').first().waitFor();
  const answered = page.waitForResponse((response) => response.url().includes('AP_Search') && response.request().postData().includes('"pilo'));
  release();
  await (await answered).finished();
  const options = await page.getByRole('group', { name: 'Messages' }).getByRole('option').allInnerTexts();
  await pages.look(page, 'find-message', 'dialog');
  await query(page).fill('zzqxzzqx');
  await page.waitForFunction(() => !document.querySelector('.found[aria-busy]') && document.querySelector('dialog [role=status]').textContent !== 'Searching…');
  await query(page).fill('buoy');
  await page.locator('.found[aria-busy]').waitFor({ state: 'detached' });
  foot.push(await page.locator('.search-foot').evaluate((one) => one.offsetHeight));
  report('palette', { foot, searching, options, memories: await page.getByRole('group', { name: 'Memories' }).count() });
  for (const [words, title] of [['new agent', 'New agent'], ['invite', 'Invite an agent'], ['rotate', 'Rotate key']]) {
    await query(page).fill(words);
    await page.locator('.found[aria-busy]').waitFor({ state: 'detached' });
    await page.getByRole('group', { name: 'Actions' }).getByRole('option', { name: title }).click();
    const box = page.getByRole('dialog', { name: title });
    await box.waitFor();
    if (title === 'Rotate key') await pages.look(page, 'rotate-key', 'dialog');
    await box.getByRole('button', { name: 'Cancel' }).click();
    await page.keyboard.press('Control+k');
  }
  await query(page).fill('webhooks');
  await page.getByRole('group', { name: 'Documentation' }).getByRole('option').first().click();
  await page.waitForURL('**/docs/**');
  report('actions', { docs: new URL(page.url()).pathname });

  // On a phone; and a direct message by its address.
  const phone = await open(`/console/agents/Ada?day=${today}`, '.found-message', 360);
  await pages.look(phone, 'agent-day');
  await phone.locator('.found-message a', { hasText: 'alert' }).click();
  await phone.locator('.sought').waitFor();
  report('direct', { text: await phone.locator('.sought .said').innerText(), path: new URL(phone.url()).pathname });
  await phone.goto(`${engine}/console/spaces/Harbour/main`);
  await phone.getByRole('searchbox', { name: 'Find in this room' }).fill('pilot');
  await phone.locator('.chat .found-message').first().waitFor();
  await pages.look(phone, 'room-found');
  const refused = await open('/console/activity?result=refused&tool=AP_Destroy', '.entry-row');
  report('refused', { row: await refused.locator('.entry-row .clip').first().innerText() });
  report('faults', { faults: pages.faults });
} finally {
  await pages.close();
}
