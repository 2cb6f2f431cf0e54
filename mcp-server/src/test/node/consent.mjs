// The page on which a person gives a program access, at a phone's and a desk's width in two themes: node consent.mjs <engine> <folder for pictures>,
// a key in OWNER_KEY. Each step prints one line of JSON, which ConsentPageTest looks at.
import { createHash } from 'node:crypto';
import { Pages, report, themes } from './pages.mjs';

const [engine, screenshots] = process.argv.slice(2);
const pages = await Pages.launch(engine, screenshots);
const back = 'http://127.0.0.1:1/back';

const registered = await fetch(`${engine}/oauth/register`, {
  method: 'POST',
  body: JSON.stringify({ client_name: 'Sample <b>client</b>', redirect_uris: [back] }),
});
const { client_id } = await registered.json();
const request = new URLSearchParams({
  response_type: 'code',
  client_id,
  redirect_uri: back,
  state: 'some state',
  scope: 'agent:read bank:read',
  resource: `${engine}/mcp`,
  code_challenge: createHash('sha256').update('v'.repeat(43)).digest('base64url'),
  code_challenge_method: 'S256',
});

for (const width of [390, 1280]) {
  const page = await pages.open(`/oauth/authorize?${request}`, width, themes);
  await pages.look(page, 'consent-sign-in');
  await page.locator('#authorize-sign-in').click();
  await pages.look(page, 'consent-sign-in-dialog', 'dialog');
  await pages.signIn(page, process.env.OWNER_KEY);
  await page.getByRole('button', { name: 'Allow' }).waitFor();
  await pages.look(page, 'consent');
  const text = await page.locator('#consent').innerText();
  const checked = await page.locator('#consent input:checked').evaluateAll((boxes) => boxes.map((box) => box.value));
  const decided = page.waitForResponse((answer) => answer.request().method() === 'POST' && answer.url().includes('/oauth/authorize'));
  await page.route(`${back}**`, (route) => route.fulfill({ body: 'back' }));
  await page.getByRole('button', { name: 'Decline' }).click();
  report('consent', { width, text, checked, status: (await decided).status() });
}
report('faults', { faults: pages.faults.filter((fault) => !fault.includes(back)) });
await pages.close();
