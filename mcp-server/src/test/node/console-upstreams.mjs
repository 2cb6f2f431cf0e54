// How an admin installs other MCP servers in the console and approves their tools: node console-upstreams.mjs <address of the engine>
// <folder for pictures> <address of an MCP server that changes a tool>, keys in ROOT_KEY and MIA_KEY, who is no admin. Each step prints one
// line of JSON, which ConsoleUpstreamsTest looks at.
import { Pages, report } from './pages.mjs';

const [engine, screenshots, upstream] = process.argv.slice(2);
const { ROOT_KEY, MIA_KEY } = process.env;
const pages = await Pages.launch(engine, screenshots);

async function open(key, path, there, width = 1280) {
  const page = await pages.open('/llms.txt', width);
  page.on('dialog', (dialog) => report('a script ran', { text: dialog.message() }));
  await page.request.post(`${engine}/api/auth/session`, { headers: { 'X-Api-Key': key, 'Sec-Fetch-Site': 'same-origin' } });
  await page.goto(engine + path);
  await page.locator(`#main:not([aria-busy]) ${there}`).first().waitFor();
  return page;
}

const asRoot = async (page, tool, args) => (await page.request.post(`${engine}/api/mcp/tools/${tool}/invoke`, { headers: { 'X-Api-Key': ROOT_KEY }, data: args })).json();
const button = (place, name) => place.getByRole('button', { name, exact: true });
const tool = (page, name) => page.locator(`[data-tool="${name}"]`);
const fold = (page) => page.locator('details', { has: page.locator('summary', { hasText: 'approved' }) });

try {
  const page = await open(ROOT_KEY, '/console/upstreams', '.empty');
  await button(page.locator('.head'), 'Install a server').click();
  await page.getByLabel('Name').fill('demo');
  await page.getByLabel('URL', { exact: true }).fill(upstream);
  await page.getByLabel('Credential').selectOption('header');
  await page.locator('[name=value]').fill('Bearer secret-of-demo');
  await button(page, 'Show what it offers').click();
  await page.locator('.offer .panel').first().waitFor();
  await pages.look(page, 'upstreams-offer');
  report('offered', { tools: await page.locator('.offer h4').allInnerTexts(), text: await page.locator('.offer').innerText(), installed: (await asRoot(page, 'UP_List', {})).upstreams.length });
  await button(page, 'Installing as code').click();
  report('as code', { text: await page.locator('dialog[open]').innerText() });
  await page.keyboard.press('Escape');
  await button(page, 'Install').click();
  await page.waitForURL('**/console/upstreams/demo');

  // What is in sight moves by itself, here and in another tab.
  const phone = await open(ROOT_KEY, '/console/upstreams/demo', '[data-tool=demo_save]', 360);
  await button(page, 'Approve demo_echo').click();
  await tool(page, 'demo_echo').locator('xpath=ancestor::details').waitFor({ state: 'attached' });
  await button(page, 'Approve demo_save').click();
  await fold(phone).getByText('2 approved').waitFor();
  await button(page, 'Refuse demo_evil').click();
  await page.getByRole('heading', { name: 'Refused (1)' }).waitFor();
  report('decided', { state: (await asRoot(page, 'UP_Read', { name: 'demo' })).upstream.counts });

  // Approved tools are given to a key, to an agent that is invited, and to a new key; and taken away.
  const agent = (await asRoot(page, 'AP_Create', { vx: { name: 'Ada', description: 'd' } })).agent.name;
  const { key: ada } = await asRoot(page, 'AK_Create', { name: 'of Ada', agent, capabilities: ['agent:read'] });
  await button(page, 'Give to a key').click();
  await page.locator('dialog[open] select').selectOption(ada.id);
  await button(page.locator('dialog[open]'), 'Give').click();
  await page.locator(`[data-key="${ada.id}"]`).waitFor();
  await pages.look(page, 'upstreams-given');
  const wide = (await asRoot(page, 'AK_Read', { id: ada.id })).key;
  await button(page, 'Take away from of Ada').click();
  await page.locator(`[data-key="${ada.id}"]`).waitFor({ state: 'detached' });
  const narrow = (await asRoot(page, 'AK_Read', { id: ada.id })).key;
  await button(page, 'Invite an agent with them').click();
  await page.locator('dialog[open] [name=agent]').fill('Bob');
  await button(page.locator('dialog[open]'), 'Invite').click();
  await button(page.locator('dialog[open]'), 'I have kept it').click();
  const [invitation] = (await asRoot(page, 'AK_Invitations', {})).invitations;
  await page.goto(`${engine}/console/keys/${ada.id}`);
  await button(page, 'Change').click();
  await page.locator('dialog[open] .capabilities input[value="upstream:demo"]').check();
  await page.locator('dialog[open] .toolset input[value="demo"]').waitFor();
  await button(page.locator('dialog[open]'), 'Save').click();
  await page.locator('section', { hasText: 'Capabilities and toolset' }).getByText('upstream:demo').waitFor();
  await button(page.locator('.head'), 'New key').click();
  await page.locator('dialog[open] .capabilities input[value="upstream:demo"]').waitFor();
  await page.keyboard.press('Escape');
  report('given', { given: wide.capabilities, listed: wide.toolset, taken: narrow.capabilities, unlisted: narrow.toolset, invited: invitation.capabilities, shows: invitation.toolset });
  await page.goto(`${engine}/console/upstreams/demo`);
  await page.locator(`[data-key="${ada.id}"]`).waitFor();

  // A changed tool, as a difference.
  await page.request.post(upstream.replace('/mcp', '/change'));
  await button(page, 'Read again').click();
  await tool(page, 'demo_save').locator('.held-changes').waitFor();
  await tool(phone, 'demo_save').locator('.held-changes').waitFor();
  await asRoot(page, 'demo_echo', { message: 'hi' });
  await page.locator('.used li', { hasText: 'demo_echo' }).waitFor();
  await pages.look(page, 'upstreams-held');
  await phone.locator('.used li', { hasText: 'demo_echo' }).waitFor();
  await pages.look(phone, 'upstreams-held');
  const row = tool(page, 'demo_save');
  report('changed', { parts: await row.locator('dt').allInnerTexts(), added: await row.locator('ins').allInnerTexts(), removed: await row.locator('del').allInnerTexts(), same: await row.locator('.compared p').allInnerTexts(),
    used: await page.locator('.used').innerText() });
  await page.goto(`${engine}/console/inbox`);
  await page.locator('.need.upstream').waitFor();
  report('needs', { link: await page.locator('.need.upstream a').first().getAttribute('href') });
  await page.locator('.need.upstream a').first().click();
  await tool(page, 'demo_save').waitFor();
  await button(page, 'Refuse demo_save').click();
  await page.getByRole('heading', { name: 'Refused (2)' }).waitFor();

  await button(page, 'Disable').click();
  await button(page.locator('dialog[open]'), 'Disable').click();
  await page.locator('.tagline', { hasText: 'disabled' }).waitFor();
  report('disabled', { counts: (await asRoot(page, 'UP_Read', { name: 'demo' })).upstream.counts });
  await button(page, 'Enable').click();
  await fold(page).getByText('1 approved').waitFor();
  report('enabled', { tools: (await asRoot(page, 'UP_Read', { name: 'demo' })).upstream.tools.map((one) => `${one.name} ${one.state}`) });
  await pages.look(page, 'upstreams-list');
  const mia = await open(MIA_KEY, '/console/upstreams', '.empty');
  report('member', { text: await mia.locator('#main').innerText(), buttons: await mia.locator('#main .head-actions button').count() });
  await button(page, 'Remove').click();
  await button(page.locator('dialog[open]'), 'Remove').click();
  await page.locator('.empty', { hasText: 'No upstream servers' }).waitFor();
  report('removed', { left: (await asRoot(page, 'UP_List', {})).upstreams.length });
  report('faults', { faults: pages.faults });
} finally {
  await pages.close();
}
