// Every button of the console that destroys, takes away, hides or restores: node console-dangers.mjs <address of the engine> <folder for
// pictures> <address of an MCP server>, the key of a new tenant's owner in OWNER_KEY and of another member in BOB_KEY. Each button prints one
// line of JSON: what it says before and after, what it sends, and what the service has then; ConsoleDangersTest looks at it.
import { Pages, report } from './pages.mjs';

const [engine, screenshots, upstream] = process.argv.slice(2);
const { OWNER_KEY, BOB_KEY } = process.env;
const pages = await Pages.launch(engine, screenshots);
const page = await pages.signedIn(OWNER_KEY, '/llms.txt');

async function as(key, tool, data = {}, needsSuccess = true) {
  const response = await page.request.post(`${engine}/api/mcp/tools/${tool}/invoke`, { headers: { 'X-Api-Key': key }, data });
  const body = await response.json();
  if (needsSuccess && !body.status?.success) throw new Error(`${tool}: ${body.status?.note ?? JSON.stringify(body)}`);
  return body;
}
const api = (tool, data) => as(OWNER_KEY, tool, data);
const refused = async (tool, data) => (await as(OWNER_KEY, tool, data, false)).status.error;

// ------------------------------------------------------------ a button

async function visit(path) {
  await page.goto(engine + path);
  await page.waitForFunction(() => document.querySelector('#main > .view') && !document.getElementById('main').hasAttribute('aria-busy'));
}

const toastAfter = (before) => page.waitForFunction((words) => {
  const now = document.getElementById('toast').textContent.trim();
  return now && !words.startsWith(now) && now;
}, before);

/**
 * Presses a button: name, within what; fields of its dialog by label, and verb, the button that does it. Reports what is said and sent, and what
 * has returns then.
 */
async function press({ module, tool, name, within = 'main', fields = {}, verb, has, step = name, isSilent = false }) {
  const isUndo = within === '#toast';
  const before = isUndo ? await page.locator('#toast').innerText() : '';
  if (!isUndo) await page.evaluate(() => document.getElementById('toast').replaceChildren());
  const menu = page.locator(`${within} .menu`, { has: page.locator('button', { hasText: name }) });
  if (await menu.count()) await menu.locator('summary').click();
  const sent = page.waitForRequest((request) => request.method() === 'DELETE' || (request.url().endsWith(`/${tool}/invoke`) && !request.postDataJSON().dry_run));
  sent.catch(() => {}); // What is clicked on may be missing.
  const button = page.locator(within).getByRole('button', { name, exact: true }).first();
  await button.click();
  const box = page.getByRole('dialog');
  let dialog = null;
  if (verb) {
    await box.getByRole('button', { name: verb, exact: true }).waitFor();
    for (const [label, text] of Object.entries(fields)) {
      const field = box.getByLabel(label, { exact: true });
      if (await field.evaluate((one) => one.tagName) === 'SELECT') await field.selectOption(text);
      else await field.fill(text);
    }
    if (tool === 'MB_Censor') await box.locator('.preview-count').waitFor();
    dialog = await box.innerText();
    await pages.look(page, `dangers-${step.replaceAll(/\W+/g, '-')}`, 'dialog');
    await box.getByRole('button', { name: verb, exact: true }).click();
  }
  const request = await sent;
  const answer = await (await request.response()).json();
  const toast = isSilent ? '' : await (await toastAfter(before)).jsonValue();
  report('button', { module, tool, name: step, dialog, toast, sent: request.postDataJSON(), done: answer.status?.success ?? answer, has: await has?.() });
}

// ------------------------------------------------------------ what the service has

const names = async (bank) => (await api('MB_Read', { target: { bank }, page: { limit: 50 } })).content.map((one) => one.name ?? one.text).sort();
const inTrash = async (bank) => (await api('MB_Trash', { target: { bank } })).content.map((one) => one.name ?? one.text).sort();
const bankState = async (bank) => ({ live: await names(bank), trash: await inTrash(bank) });
const banks = async () => (await api('MB_List')).profile.map((one) => one.name).sort();
const members = async () => (await api('DM_Read', { target: { domain: 'den' } })).content.map((one) => `${one.agent} ${one.state}`).sort();
const keys = async () => Object.fromEntries((await api('AK_List')).keys.map((one) => [one.name, one.state]));

// ------------------------------------------------------------ memories

async function memories() {
  await api('MB_Create', { vx: { name: 'notes' } });
  const store = (content, name, agent) => api('MB_Store', { target: { bank: 'notes', ...(agent && { agent }) }, content, ...(name && { vx: { name } }) });
  const tide = (await store('Low water at six.', 'tide', 'Ada')).memory.id;
  await store('Low water at seven.', 'tide', 'Ada');
  await store('We sail at eight.', 'plan', 'Bo');
  await store('An unnamed thought.', null, 'Bo');
  const state = () => bankState('notes');

  await visit('/console/memory/notes/plan');
  await press({ module: 'memory-one.js', tool: 'MB_Delete', name: 'Delete', step: 'delete a memory', has: state });
  await press({ module: 'memory-one.js', tool: 'MB_Restore', name: 'Undo', within: '#toast', step: 'undo the deletion of a memory', has: state });
  await api('MB_Delete', { target: { bank: 'notes' }, memory: 'plan' });
  await visit('/console/memory?view=trash');
  report('trash', { text: await page.locator('ul.trash').innerText() });
  await pages.look(page, 'dangers-trash');
  await press({ module: 'memory-trash.js', tool: 'MB_Restore', name: 'Restore plan', step: 'restore a memory', has: state });
  report('empty trash', { text: await page.locator('.empty').innerText() });
  await api('MB_Delete', { target: { bank: 'notes' }, memory: 'plan' });
  await visit('/console/memory/notes?view=trash');
  await press({ module: 'memory-trash.js', tool: 'MB_Restore', name: 'Restore plan', step: 'restore a memory in its bank', has: state });
  await api('MB_Delete', { target: { bank: 'notes' }, memory: 'plan' });
  await visit('/console/memory?view=trash');
  await press({ module: 'memory-trash.js', tool: 'MB_Restore', name: 'Restore by name', fields: { Bank: 'notes', 'Only the memory of this name or id': 'plan' }, verb: 'Restore', step: 'restore a memory by name', has: state });
  await visit('/console/memory?view=trash');
  await press({ module: 'memory-trash.js', tool: 'MB_Restore', name: 'Restore by name', fields: { Bank: 'notes', 'Only the memory of this name or id': 'plan' }, verb: 'Restore', step: 'restore what is not in the trash', has: state });

  await api('MB_Delete', { target: { bank: 'notes', agent: 'Bo' } });
  await visit('/console/memory?view=trash');
  report('trash of an agent', { text: await page.locator('ul.trash').innerText() });
  await press({ module: 'memory-trash.js', tool: 'MB_Restore', name: 'Restore what Bo wrote in notes', verb: 'Restore', step: 'restore what an agent wrote', has: state });

  await visit('/console/memory/notes/tide');
  await page.locator('.revisions li', { hasText: 'Revision 1' }).locator('summary').click();
  await press({ module: 'memory-one.js', tool: 'MB_Restore', name: 'Restore this text', verb: 'Restore', step: 'restore an earlier text', has: async () => (await api('MB_Read', { target: { bank: 'notes' }, id: tide })).content[0].text });
  await visit('/console/memory/notes/tide');
  await press({ module: 'memory-one.js', tool: 'MB_Censor', name: 'Hide', step: 'hide a memory', has: () => names('notes') });
  await press({ module: 'memory-one.js', tool: 'MB_Uncensor', name: 'Undo', within: '#toast', step: 'show a hidden memory', has: () => names('notes') });
  await visit('/console/memory/notes');
  await press({ module: 'memory-parts.js', tool: 'MB_Censor', name: 'Censor…', fields: { 'Whose memories': 'Bo' }, verb: 'Censor', step: 'censor what an agent wrote', has: () => names('notes') });
  await api('MB_Uncensor', { target: { bank: 'notes', agent: 'Bo' } });

  await api('MB_Delete', { target: { bank: 'notes' }, memory: 'plan' });
  await visit('/console/memory?view=trash');
  await press({ module: 'memory-trash.js', tool: 'MB_Destroy', name: 'Delete forever plan', verb: 'Delete forever', step: 'delete a memory forever', has: state });

  await visit('/console/memory/notes');
  await press({ module: 'memory.js', tool: 'MB_Permissions', name: 'Share', fields: { 'With the agent': 'Cy', 'It may': 'read' }, verb: 'Share', step: 'share a bank', has: () => permission('Cy') });
  await press({ module: 'memory.js', tool: 'MB_Permissions', name: 'Undo', within: '#toast', step: 'undo the sharing', has: () => permission('Cy') });
  await api('MB_Permissions', { target: { bank: 'notes', agent: 'Cy' }, vx: { access: 'write' } });
  await visit('/console/memory?view=permissions');
  await page.getByRole('button', { name: 'Cy on notes: write', exact: true }).click();
  await press({ module: 'permissions.js', tool: 'MB_Permissions', name: 'none', within: '.choices', step: 'take a permission away', has: () => permission('Cy') });

  await visit('/console/memory/notes');
  await press({ module: 'memory.js', tool: 'MB_Delete', name: 'Delete', verb: 'Move to trash', step: 'delete a bank', has: banks });
  await press({ module: 'memory.js', tool: 'MB_Restore', name: 'Undo', within: '#toast', step: 'undo the deletion of a bank', has: async () => ({ banks: await banks(), ...(await state()) }) });
  await api('MB_Delete', { target: { bank: 'notes' } });
  await visit('/console/memory?view=trash');
  report('trash of a bank', { text: await page.locator('ul.trash').innerText() });
  await press({ module: 'memory-trash.js', tool: 'MB_Restore', name: 'Restore notes', verb: 'Restore', step: 'restore a bank', has: async () => ({ banks: await banks(), ...(await state()) }) });

  const sentences = {};
  for (const tool of ['MB_Delete', 'MB_Restore', 'MB_Destroy', 'MB_Censor', 'MB_Uncensor']) {
    await visit(`/console/activity?tool=${tool}&show=calls`);
    await page.locator('.entry-row').first().waitFor();
    sentences[tool] = [...new Set(await page.locator('.entry-row .clip:not(.where)').allInnerTexts())];
  }
  await visit('/console/activity?tool=MB_Delete&show=calls');
  await page.locator('.entry-row', { hasText: 'a memory of' }).first().click();
  report('activity', { sentences, entry: await page.getByRole('dialog').innerText() });
}

// What no search has returned for long, and who found what others did.
async function unused() {
  await api('MB_Create', { vx: { name: 'old' } });
  const lines = ['The old quay is closed.', 'The crane is painted red.', 'Ferries go at nine.'].map((text, i) => JSON.stringify({ text, name: ['quay', 'crane', 'ferries'][i], created_at: '2024-05-01T08:00:00Z' }));
  await api('MB_Import', { target: { bank: 'old' }, format: 'jsonl', data: lines.join('\n') });
  const arrived = Date.now() + 1;
  while (Date.now() <= arrived); // What came in until then is new to the bank, whatever its date.
  await api('MB_Search', { target: { bank: 'old' }, content: 'When do ferries go?', mode: 'text' });
  for (let use; !use; ) ({ use } = await api('MB_Read', { target: { bank: 'old' } })); // The count is written a little later.
  await api('MB_Store', { target: { bank: 'old' }, vx: { name: 'ferries' }, content: 'Ferries go at ten.' });
  const state = () => bankState('old');
  await visit('/console/memory/old?view=unused');
  await page.locator('main', { hasText: 'None: each memory' }).waitFor(); // All came in today.
  await page.evaluate((at) => { Date.now = () => at; }, arrived + 90 * 86_400_000);
  await page.getByLabel('For how long').selectOption('30');
  await page.locator('.unused li', { hasText: 'ferries' }).waitFor();
  await page.getByLabel('For how long').selectOption('90');
  await page.locator('.unused', { hasNotText: 'ferries' }).waitFor();
  report('unused', { text: await page.locator('.unused').innerText() });
  await pages.look(page, 'dangers-unused');
  await press({ module: 'memory-unused.js', tool: 'MB_Delete', name: 'Move 2 to the trash', verb: 'Move to trash', step: 'clean up', has: state });
  await press({ module: 'memory-unused.js', tool: 'MB_Restore', name: 'Undo', within: '#toast', step: 'undo the cleaning up', has: state });
  await press({ module: 'memory-unused.js', tool: 'MB_Delete', name: 'Move 2 to the trash', verb: 'Move to trash', step: 'clean up again', has: state });
  await visit('/console/memory/old?view=trash');
  await pages.look(page, 'dangers-trash-together');
  await press({ module: 'memory-trash.js', tool: 'MB_Restore', name: 'Restore all 2', step: 'restore what went together', has: state });
  await visit('/console/memory/old');
  await page.locator('.memory', { hasText: 'found 1×' }).waitFor();
  await page.locator('.menu summary').click();
  report('exports', { links: await page.locator('.menu a', { hasText: 'Export' }).evaluateAll((all) => all.map((one) => one.getAttribute('href'))) });
  await visit('/console/memory/old/ferries');
  report('use', { text: await page.locator('.use').innerText() });
  await pages.look(page, 'dangers-use');
  await visit('/console/activity?tool=MB_Delete&show=calls');
  await page.locator('.entry-row', { hasText: 'several memories of' }).first().waitFor();
}

// What a correction replaced is still said elsewhere, and two memories contradict each other.
async function corrections() {
  await api('MB_Create', { vx: { name: 'harbour' } });
  const store = (name, content) => api('MB_Store', { target: { bank: 'harbour' }, content, vx: { name } });
  await api('MB_Store', { target: { bank: 'harbour' }, content: 'The port of the tide database is 5432.' });
  await store('copy', 'The port of the tide database is 5432, as Bo says.');
  await store('mooring fee', 'The mooring fee is 12 euros.');
  const live = async () => (await bankState('harbour')).live;
  const correct = async (from, to) => {
    await visit('/console/memory/harbour');
    await page.locator('.memory', { hasText: `database is ${from}.` }).first().click();
    await page.getByRole('button', { name: 'Correct', exact: true }).click();
    await page.getByLabel('Text', { exact: true }).fill(`The port of the tide database is ${to}.`);
    await page.getByRole('dialog').getByRole('button', { name: 'Store', exact: true }).click();
    await page.locator('.still-said li').waitFor();
  };
  await correct(5432, 5433);
  report('still said', { text: await page.locator('.still-said').innerText() });
  await pages.look(page, 'dangers-still-said', 'dialog');
  await press({ module: 'still-said.js', tool: 'MB_Store', name: 'Replace the chosen', within: '.still-said', step: 'replace a copy', has: live });
  await press({ module: 'still-said.js', tool: 'MB_Delete', name: 'Undo', within: '#toast', step: 'undo the replacing', has: live });
  await store('other copy', 'The port of the tide database is 5433, as Bo says.');
  await correct(5433, 5434);
  await press({ module: 'still-said.js', tool: 'MB_Delete', name: 'Move the chosen to the trash', within: '.still-said', step: 'remove a copy', has: () => bankState('harbour') });
  await press({ module: 'still-said.js', tool: 'MB_Restore', name: 'Undo', within: '#toast', step: 'undo the removal of a copy', has: () => bankState('harbour') });

  await store('fee', 'The mooring fee is 15 euros.');
  await visit('/console/memory/harbour');
  await page.locator('.menu summary').click();
  await page.locator('.menu').getByRole('link', { name: 'Contradictions' }).click();
  const fees = page.locator('.contradictions li', { hasText: 'mooring' });
  await fees.waitFor();
  report('contradictions', { text: await fees.innerText() });
  await pages.look(page, 'dangers-contradictions');
  await press({ module: 'contradictions.js', tool: 'MB_Delete', name: 'Move the older to the trash mooring fee', step: 'remove what contradicts', has: () => bankState('harbour') });
  await press({ module: 'contradictions.js', tool: 'MB_Restore', name: 'Undo', within: '#toast', step: 'undo the removal of what contradicts', has: () => bankState('harbour') });
}

const permission = async (agent) => (await api('MB_Permissions', { target: { bank: 'notes' } })).permissions.find((one) => one.agent === agent)?.permission ?? 'none';

// ------------------------------------------------------------ agents, spaces, tasks

async function workspace() {
  await api('AP_Modify', { target: { agent: 'Ada' }, vx: { description: 'Watches the tide tables.' } });
  await visit('/console/agents/Ada');
  await page.getByRole('button', { name: 'Show earlier texts' }).click();
  await page.locator('.revisions summary').first().click();
  const description = async () => (await api('AP_Read', { target: { agent: 'Ada' } })).profile[0].description;
  await press({ module: 'agent.js', tool: 'AP_Modify', name: 'Restore this text', verb: 'Restore', step: 'restore an earlier description', has: description });

  await visit('/console/spaces/den');
  await press({ module: 'about-room.js', tool: 'DM_Kick', name: 'Remove Bo', verb: 'Remove', has: members });
  await api('DM_Invite', { target: { domain: 'den', agent: 'Bo' } });
  await api('DM_Ban', { target: { domain: 'den', agent: 'Bo' } });
  await visit('/console/spaces/den');
  await press({ module: 'about-room.js', tool: 'DM_Unban', name: 'Unban Bo', verb: 'Unban', has: members });

  const task = async (name) => (await api('TK_Create', { target: { domain: 'den' }, vx: { name } })).task.id;
  const state = (id) => async () => { const [one] = (await api('TK_Read', { task: id })).profile; return { state: one.state, holder: one.holder ?? null }; };
  const paint = await task('Paint');
  await visit(`/console/spaces/den?task=${paint}`);
  await press({ module: 'task-dialogs.js', tool: 'TK_Update', name: 'Cancel the task', verb: 'Cancel the task', has: state(paint) });
  const sweep = await task('Sweep');
  const ada = await api('AK_Create', { name: 'ada', agent: 'Ada', capabilities: ['*'] });
  await as(ada.api_key, 'TK_Claim', { task: sweep });
  await visit(`/console/spaces/den?task=${sweep}`);
  await press({ module: 'task-dialogs.js', tool: 'TK_Update', name: 'Take away', verb: 'Take away', has: state(sweep) });
  await api('TK_Reserve', { target: { domain: 'den' }, paths: ['src/**'] });
  await visit('/console/spaces/den?view=tasks');
  await press({ module: 'reservations.js', tool: 'TK_Release', name: 'Release src/**', verb: 'Release', has: async () => (await api('TK_List', { target: { domain: 'den' }, paths: true })).reservations.length });

  // What waits for the user is dealt with by the service's own words.
  await as(BOB_KEY, 'AP_Create', { vx: { name: 'Ben', description: 'Hosts.', access: 'public' } });
  await as(BOB_KEY, 'DM_Create', { target: { agent: 'Ben' }, vx: { name: 'hall', description: 'A hall.' } });
  await as(BOB_KEY, 'DM_Invite', { target: { domain: 'hall', agent: 'Ada' } });
  await visit('/console/inbox');
  await press({ module: 'needs.js', tool: 'DM_Kick', name: 'Decline: bob', has: async () => (await as(BOB_KEY, 'DM_Read', { target: { domain: 'hall' } })).content.map((one) => one.agent) });
  const stuck = await task('Dig');
  await api('TK_Update', { task: stuck, state: 'blocked', note: 'No spade.' });
  await visit('/console/inbox');
  await press({ module: 'needs.js', tool: 'TK_Update', name: 'Cancel the task: root', step: 'cancel a task that waits', has: state(stuck) });

  await api('AP_Chat', { target: { agent: 'Cy' }, content: 'Hello, Cy.' });
  await visit('/console/agents/Cy');
  const left = async () => ({ read: await refused('AP_Read', { target: { agent: 'Cy' } }), members: await members(), key: (await keys()).cy, said: (await api('ZN_Read', { target: { domain: 'den', zone: 'main' } })).content.filter((one) => one.from === 'Cy').length });
  await press({ module: 'agent.js', tool: 'AP_Destroy', name: 'Delete', verb: 'Delete', step: 'delete an agent', has: left });
}

// ------------------------------------------------------------ access and integrations

async function access() {
  const create = async (key, name, more = {}) => as(key, 'AK_Create', { name, capabilities: ['*'], ...more });
  const parent = await create(OWNER_KEY, 'parent');
  await create(parent.api_key, 'child', { parent: parent.key.id });
  await visit(`/console/keys/${parent.key.id}`);
  // The end of a secret is known everywhere within a second.
  const refusal = async (secret) => {
    for (;;) {
      const status = (await page.request.get(`${engine}/api/keys`, { headers: { 'X-Api-Key': secret } })).status();
      if (status !== 200) return status;
    }
  };
  const fields = { 'The old secret keeps working for': 'not at all' };
  const has = () => refusal(parent.api_key);
  await press({ module: 'key-dialogs.js', tool: 'AK_Rotate', name: 'Rotate', verb: 'Rotate', fields, isSilent: true, has });
  await visit(`/console/keys/${parent.key.id}`);
  await press({ module: 'key-one.js', tool: 'AK_Revoke', name: 'Revoke', verb: 'Revoke', has: keys });

  const rule = (await api('RL_Create', { name: 'no parties', applies_to: ['AP_Chat'], when: "content.contains('party')", effect: 'deny', message: 'No.', enabled: true })).rule.id;
  await visit(`/console/rules/${rule}`);
  await press({ module: 'rules.js', tool: 'RL_Delete', name: 'Delete', verb: 'Delete', step: 'delete a rule', has: async () => (await api('RL_List')).rules.length });

  const endpoint = (await api('WH_Create', { url: 'http://127.0.0.1:9/hooks', events: ['*'] })).endpoint.id;
  await visit(`/console/webhooks/${endpoint}`);
  await press({ module: 'webhooks.js', tool: 'WH_RotateSecret', name: 'Rotate secret', verb: 'Rotate', isSilent: true, has: async () => Boolean((await api('WH_Read', { id: endpoint })).endpoint.previous_works_until) });
  await visit(`/console/webhooks/${endpoint}`);
  await press({ module: 'webhooks.js', tool: 'WH_Delete', name: 'Delete', verb: 'Delete', step: 'delete an endpoint', has: async () => (await api('WH_List')).endpoints.length });

  await api('DC_Submit', { name: 'tides.txt', text: 'Low water at six.' });
  await visit('/console/documents/tides.txt');
  await press({ module: 'document.js', tool: 'DC_Delete', name: 'Delete', verb: 'Delete', step: 'delete a document', has: async () => (await api('DC_List')).documents.length });

  await api('UP_Install', { name: 'demo', url: upstream });
  const offers = async () => (await api('UP_Read', { name: 'demo' })).upstream.counts;
  await visit('/console/upstreams/demo');
  await press({ module: 'upstreams.js', tool: 'UP_Approve', name: 'Refuse demo_evil', step: 'refuse a held tool', has: offers });
  await api('UP_Approve', { name: 'demo', tools: ['demo_echo', 'demo_save'] });
  await visit('/console/upstreams/demo');
  await page.locator('summary', { hasText: 'approved' }).click();
  await press({ module: 'upstreams.js', tool: 'UP_Approve', name: 'Refuse demo_save', step: 'refuse an approved tool', has: offers });
  await visit('/console/upstreams/demo');
  await press({ module: 'upstreams.js', tool: 'UP_Approve', name: 'Disable', verb: 'Disable', step: 'disable a server', has: offers });
  await visit('/console/upstreams/demo');
  await press({ module: 'upstreams.js', tool: 'UP_Remove', name: 'Remove', verb: 'Remove', step: 'remove a server', has: async () => (await api('UP_List')).upstreams.length });

  await page.request.post(`${engine}/api/demo`, { headers: { 'X-Api-Key': OWNER_KEY }, data: {} });
  await page.request.post(`${engine}/api/demo`, { headers: { 'X-Api-Key': OWNER_KEY }, data: { action: 'pause' } });
  await visit('/console/world');
  await page.locator('.demo').waitFor();
  await press({ module: 'demo.js', tool: 'DELETE', name: 'Remove', within: '.demo', step: 'remove the demo', has: async () => (await api('AP_List')).profile.map((one) => one.name).sort() });
}

try {
  for (const name of ['Ada', 'Bo', 'Cy']) await api('AP_Create', { vx: { name, description: `${name} works here.`, access: 'public' } });
  await api('DM_Create', { target: { agent: 'Ada' }, vx: { name: 'den', description: 'A den.' } });
  for (const agent of ['Bo', 'Cy']) await api('DM_Invite', { target: { domain: 'den', agent } });
  const cy = await api('AK_Create', { name: 'cy', agent: 'Cy', capabilities: ['*'] });
  await as(cy.api_key, 'AP_Chat', { target: { domain: 'den' }, content: 'I am here.' });
  await memories();
  await unused();
  await corrections();
  await workspace();
  await access();
  report('faults', { faults: pages.faults });
} catch (error) {
  throw new Error(`${error.stack}\n${(await page.locator('main').innerText()).replaceAll('\n', ' ')}`, { cause: error });
} finally {
  await pages.close();
}
