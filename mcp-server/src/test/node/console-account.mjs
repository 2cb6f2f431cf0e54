// How a person connects an account of their own at an upstream server in the console, and ends it: node console-account.mjs <address of the
// engine> <folder for pictures> <address of the server, which requires tokens>, the admin's key in ROOT_KEY, that of a member in MIA_KEY.
// Each step prints one line of JSON, which OfficialAccountTest looks at.
import { Pages, report } from './pages.mjs';

const [engine, screenshots, upstream] = process.argv.slice(2);
const { ROOT_KEY, MIA_KEY } = process.env;
const pages = await Pages.launch(engine, screenshots);

const button = (place, name) => place.getByRole('button', { name, exact: true });
const asked = async (page, key, tool, args) => (await page.request.post(`${engine}/api/mcp/tools/${tool}/invoke`, { headers: { 'X-Api-Key': key }, data: args })).json();
const panel = (page, words) => page.locator('.account-panel', { hasText: words });

try {
  const page = await pages.signedIn(ROOT_KEY, '/console/upstreams?install', 1280);
  await page.getByLabel('Name').fill('sdk');
  await page.getByLabel('URL', { exact: true }).fill(upstream);
  await page.getByLabel('Credential').selectOption('user_oauth');
  await button(page, 'Install').click();
  await page.waitForURL('**/console/upstreams/sdk/connect');
  await panel(page, 'with an account of yours').waitFor();
  await pages.look(page, 'account-connect');
  await button(page, 'Connect').click();
  await panel(page, 'was connected').waitFor();
  await button(page, 'Read its tools').click();
  await page.locator('#toast', { hasText: 'Its tools were read' }).waitFor();
  await asked(page, ROOT_KEY, 'UP_Approve', { name: 'sdk' });
  report('connected', { address: page.url(), answer: await asked(page, ROOT_KEY, 'sdk_whoami', {}) });

  // A member follows the link of a refused call.
  const mia = await pages.signedIn(MIA_KEY, '/llms.txt', 360);
  const refused = await asked(mia, MIA_KEY, 'sdk_whoami', {});
  await mia.goto(refused.connect_url);
  await button(mia, 'Connect').click();
  await panel(mia, 'was connected').waitFor();
  await pages.look(mia, 'account-connected');
  report('member', { refused, answer: await asked(mia, MIA_KEY, 'sdk_whoami', {}) });
  await page.goto(`${engine}/console/upstreams/sdk`);
  const accounts = page.locator('section', { hasText: 'Accounts (2)' });
  report('accounts', { text: await accounts.innerText() });
  await pages.look(page, 'account-names');
  await button(mia, 'Disconnect').click();
  await panel(mia, 'with an account of yours').waitFor();
  report('ended', { answer: await asked(mia, MIA_KEY, 'sdk_whoami', {}) });
  report('faults', { faults: pages.faults.filter((fault) => !fault.includes(upstream.replace('/mcp', '/authorize?'))) }); // Where the page sends the browser.
} finally {
  await pages.close();
}
