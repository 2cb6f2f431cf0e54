// What waits for a person in the console, and how it is dealt with: node console-inbox.mjs <address of the engine> <folder for pictures>, keys in
// ANN_KEY (a tenant as ConsoleInboxTest fills it) and ADA_KEY, her agent's key. Each step prints one line of JSON, which ConsoleInboxTest looks at.
import { Pages, report } from './pages.mjs';

const [engine, screenshots] = process.argv.slice(2);
const { ANN_KEY, ADA_KEY } = process.env;
const pages = await Pages.launch(engine, screenshots);

async function open(path, there, width = 1280) {
  const page = await pages.open('/llms.txt', width);
  page.on('dialog', (dialog) => report('a script ran', { text: dialog.message() }));
  await page.request.post(`${engine}/api/auth/session`, { headers: { 'X-Api-Key': ANN_KEY, 'Sec-Fetch-Site': 'same-origin' } });
  await page.goto(engine + path);
  await page.locator(`#main:not([aria-busy]) ${there}`).first().waitFor();
  return page;
}

const asAda = async (page, tool, args) => (await page.request.post(`${engine}/api/mcp/tools/${tool}/invoke`, { headers: { 'X-Api-Key': ADA_KEY }, data: args })).json();
const button = (place, name) => place.getByRole('button', { name, exact: true });
const need = (page, text) => page.locator('.need', { hasText: text });

try {
  const page = await open('/console/inbox', '.need');
  await pages.look(page, 'inbox');
  const phone = await open('/console/inbox', '.need', 360);
  await pages.look(phone, 'inbox');
  const world = await open('/console/world', '.world-needs .need');
  await pages.look(world, 'world-needs');
  report('counted', { menu: await page.locator('.rail [data-page=inbox] .unread').innerText(), title: await page.title(), kinds: await page.locator('.need').evaluateAll((all) => all.map((one) => one.className)),
    onWorld: await world.locator('.world-needs .need').count() });

  // What is being written stays when something else comes in.
  await need(page, 'Which colour?').locator('textarea').fill('Blue, like ');
  await asAda(page, 'AP_Ask', { content: 'One coat or two?', choices: ['One', 'Two'] });
  await need(page, 'One coat or two?').waitFor();
  report('live', { written: await need(page, 'Which colour?').locator('textarea').inputValue(), title: await page.title() });
  await button(need(page, 'I have begun.'), 'Reply: Ada').click();
  report('focus', { name: await page.evaluate(() => document.activeElement.getAttribute('aria-label')) });
  await page.keyboard.type('Good.');
  // Safari has ended a composition when it reports the Enter that ended it.
  await page.evaluate(() => document.activeElement.dispatchEvent(new KeyboardEvent('keydown', { key: 'Enter', keyCode: 229, bubbles: true, cancelable: true })));
  await page.evaluate(() => document.activeElement.dispatchEvent(new KeyboardEvent('keydown', { key: 'Enter', isComposing: true, bubbles: true, cancelable: true })));
  report('composed', { left: await need(page, 'I have begun.').locator('textarea').inputValue() });
  await page.keyboard.press('Enter');
  await need(page, 'I have begun.').waitFor({ state: 'detached' });
  await need(page, 'Which colour?').locator('textarea').fill('Blue.');
  await page.keyboard.press('Enter');
  await need(page, 'Which colour?').waitFor({ state: 'detached' });

  await button(need(page, 'One coat or two?'), 'Two').click();
  await need(page, 'One coat or two?').waitFor({ state: 'detached' });
  await need(world, 'One coat or two?').waitFor({ state: 'detached' });
  await button(need(page, 'into Hall'), 'Accept: bob').click();
  await need(page, 'into Hall').waitFor({ state: 'detached' });
  await page.locator('.empty', { hasText: 'Nothing waits for you' }).waitFor();
  await pages.look(page, 'inbox-empty');
  report('done', { title: await page.title(), badge: await page.locator('.rail [data-page=inbox] .unread').isVisible() });
  report('faults', { faults: pages.faults });
} finally {
  await pages.close();
}
