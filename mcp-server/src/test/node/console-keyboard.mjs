// Tasks in the console with the keyboard alone: node console-keyboard.mjs <address of the engine> <folder for pictures>, keys in OWNER_KEY
// and VIEWER_KEY (of a tenant of its own, as ConsoleKeyboardTest fills it). Nothing is clicked, and only keys move the focus. Each step prints one
// line of JSON, which ConsoleKeyboardTest looks at.
import { Pages, report } from './pages.mjs';

const [engine, screenshots] = process.argv.slice(2);
const pages = await Pages.launch(engine, screenshots);
const MOST = 150; // Stops of the Tab key on one page.
const hidden = new Set(); // Stops that nobody sees.
const nameless = new Set(); // Tables and lists without a name.

let page = await pages.signedIn(process.env.OWNER_KEY, '/console/world');
page.on('filechooser', (chooser) => chooser.setFiles({ name: 'typed.md', mimeType: 'text/markdown', buffer: Buffer.from('# Tides\n\nLow water at six.') }));
await page.locator('.room').first().waitFor();

// A call that somebody else makes in the meantime.
const call = (tool, data) => page.request.post(`${engine}/api/mcp/tools/${tool}/invoke`, { headers: { 'X-Api-Key': process.env.OWNER_KEY }, data });

const path = () => new URL(page.url()).pathname + new URL(page.url()).search;

async function press(...all) {
  for (const one of all) await page.keyboard.press(one);
}

// What has the focus: its name, as a screen reader has it, and whether it is seen. A file field is seen by its label.
const focused = () => page.evaluate(() => {
  const one = document.activeElement;
  const target = one.type === 'file' ? one.labels[0] : one;
  const { width, height } = target.getBoundingClientRect();
  const name = one.getAttribute('aria-label') ?? one.labels?.[0]?.innerText ?? one.innerText ?? '';
  return { tag: one.tagName, name: name.trim().split('\n')[0], href: one.getAttribute('href'), isSeen: width > 1 && height > 1 && getComputedStyle(target).outlineStyle !== 'none' };
});

// Presses the key until the focus is on an element that fits. A title needs no visible focus: it has it only if the page set it.
async function until(key, fits, what) {
  const stops = [];
  for (let i = 0; i < MOST; i++) {
    await press(key);
    const now = await focused();
    if (!now.isSeen && !['BODY', 'H1'].includes(now.tag)) hidden.add(`${now.tag} ${now.name} at ${path()}`);
    if (fits(now)) return now;
    stops.push(now.name);
  }
  throw new Error(`${key} does not lead to ${what} at ${path()}, but to: ${[...new Set(stops)].join(' | ')}`);
}

const to = (name, key = 'Tab') => until(key, (now) => (name instanceof RegExp ? name.test(now.name) : now.name === name), name);
const toLink = (href, key = 'Tab') => until(key, (now) => now.href === href, href);
const write = (text) => page.keyboard.type(text);
const there = (selector, options) => page.locator(selector, options).first().waitFor();
const closed = () => page.locator('dialog').first().waitFor({ state: 'detached' });
// A page has been shown, and its title has the focus.
const arrived = (name) => page.waitForFunction((word) => document.activeElement.matches(`#main:not([aria-busy]) .page-${word} h1`), name);
const toast = (text) => there('#toast', { hasText: text });
const said = (text) => there('#said', { hasText: text });

// Fills in the dialog, whose first field has the focus. It moves to each further field by its label.
async function fill(fields, verb) {
  await page.getByRole('dialog').last().waitFor();
  for (const [label, text] of Object.entries(fields)) {
    if ((await focused()).name !== label) await to(label);
    if ((await focused()).tag === 'SELECT') await write(text);
    else {
      await press('Control+a');
      await write(text);
    }
  }
  await to(verb);
  await press('Enter');
}

// Looks for tables and lists that have no name, neither their own nor that of the part of the page that is about them.
async function lookForNames() {
  const found = await page.evaluate(() => [...document.querySelectorAll('main :is(table, ol, ul, [role="list"])')].filter((one) => {
    const own = one.getAttribute('aria-label') ?? one.querySelector(':scope > caption')?.textContent;
    const around = one.parentElement.closest('section, nav, aside, li, figure, details, [aria-label], [aria-labelledby]');
    return !own && !around?.matches('[aria-label], [aria-labelledby], li, details, :has(> h2, > h3)');
  }).map((one) => `${one.tagName.toLowerCase()}.${one.className}`));
  for (const one of found) nameless.add(`${one} at ${path()}`);
}

// Every page by its link in the rail. The focus is then on the title of the page, from which Tab goes on into it.
async function everyPage() {
  const links = await page.locator('.rail nav a').evaluateAll((all) => all.map((one) => [one.getAttribute('href'), one.querySelector('span').innerText]));
  const titles = [];
  for (const [href] of [...links.slice(1), links[0]]) {
    await toLink(href, 'Shift+Tab').catch(() => toLink(href));
    await press('Enter');
    await arrived(href.split('/').at(-1));
    titles.push((await focused()).name);
    await lookForNames();
  }
  // By letters, and the next page that begins with the same letter.
  const letters = [];
  for (const letter of ['a', 'a', 's', 's', 'w', 'w']) {
    await press('g', letter);
    await arrived(new URL(page.url()).pathname.split('/').at(-1));
    letters.push(path());
  }
  report('pages', { titles, expected: [...links.slice(1), links[0]].map(([, title]) => title), letters });
}

async function agents() {
  await press('g', 'a');
  await arrived('agents');
  await to('New agent');
  await press('Enter');
  await fill({ Name: 'Kay', Description: 'Steers.', 'Who may see it': 'public' }, 'Create');
  await page.waitForURL('**/console/agents/Kay');
  await closed();
  await there('.detail h2', { hasText: 'Kay' });
  const step = { after: (await focused()).name };
  await press('/');
  await write('Ad');
  await said('Agents: 1');
  await toLink('/console/agents/Ada');
  await press('Enter');
  await there('.detail h2', { hasText: 'Ada' });
  await said('Ada · Agents');
  await page.waitForFunction(() => document.activeElement.hasAttribute('href'));
  step.kept = (await focused()).href;
  await to('Edit');
  await press('Enter');
  await fill({ Description: 'Hosts by keyboard.' }, 'Save');
  await there('.tagline', { hasText: 'revision 2' });
  await closed();
  step.edited = (await focused()).name;
  await press('Enter');
  await page.getByRole('dialog').waitFor();
  await call('AP_Modify', { target: { agent: 'Ada' }, vx: { access: 'public' } });
  await fill({ Description: 'Hosts twice.' }, 'Save');
  await there('dialog .problem', { hasText: /./ });
  step.meanwhile = await page.locator('dialog .problem').innerText();
  await press('Escape');
  await closed();
  await to('Delete');
  await press('Enter');
  await page.getByRole('dialog').waitFor();
  await press('Escape');
  await closed();
  report('agents', { ...step, escaped: (await focused()).name });
}

async function messages() {
  await press('g', 's');
  await arrived('spaces');
  await to('Message to plaza/main');
  await write('By keyboard.');
  await press('Enter');
  await there('.said', { hasText: 'By keyboard.' });
  await to(/^Answer /, 'Shift+Tab');
  await press('Enter');
  await page.waitForFunction(() => document.activeElement.matches('textarea'));
  await write('An answer.');
  await press('Enter');
  await there('.answered', { hasText: 'By keyboard.' });
  await call('AP_LogOn', { target: { agent: 'Ada', context: 'elsewhere' } });
  await call('AP_Chat', { target: { domain: 'plaza', context: 'elsewhere' }, content: 'Welcome.' });
  await said('Ada: Welcome.');
  await to('Invite');
  await press('Enter');
  await page.getByRole('dialog').waitFor();
  await press('Escape');
  await closed();
  report('messages', { escaped: (await focused()).name });
}

// From anywhere to a bank, in it to a memory, and what a censorship would hide before it is done.
async function memories() {
  await press('Control+k');
  await page.getByRole('combobox').waitFor();
  await write('notes');
  await there('.found-entry[aria-selected="true"]', { hasText: 'notes' });
  await press('Enter');
  await page.waitForURL('**/console/memory/notes');
  await arrived('memory');
  await press('/');
  await write('low water');
  await there('.hit');
  await said(/found in|nearest/);
  await toLink('/console/memory/notes/tide');
  await press('Enter');
  await there('.detail h2', { hasText: 'tide' });
  await toLink('/console/memory/notes', 'Shift+Tab');
  await press('Enter');
  await there('.detail h2', { hasText: 'notes' });
  await to('Store a memory');
  await press('Enter');
  await fill({ Text: 'Stored by keyboard.', Name: 'typed' }, 'Store');
  await toast('Stored.');
  await closed();
  const step = { stored: (await focused()).name };
  await to('More');
  await press('Enter');
  await to('Censor…');
  await press('Enter');
  await there('.preview-count');
  await to('Whose memories');
  await write('Bo');
  await there('.preview-count', { hasText: '1 memory' });
  step.preview = await page.locator('.preview').innerText();
  await to('Censor');
  await press('Enter');
  await toast('What Bo wrote in notes is hidden: 1 memory.');
  await closed();
  report('memories', step);
}

async function permissions() {
  await press('g', 'm');
  await page.waitForFunction(() => location.pathname === '/console/memory' && document.querySelector('#main:not([aria-busy])'));
  await toLink('/console/memory?view=permissions');
  await press('Enter');
  await there('.cell');
  await to('Mo on shared: none');
  await press('Enter');
  await page.waitForFunction(() => document.activeElement.matches('.choices button'));
  await press('Escape');
  await page.waitForFunction(() => !document.activeElement.matches('.choices button'));
  const step = { escaped: (await focused()).name };
  await press('Enter');
  await page.waitForFunction(() => document.activeElement.matches('.choices button'));
  await to('append');
  await press('Space');
  await toast('Mo on shared: append.');
  report('permissions', { ...step, after: (await focused()).name });
}

async function keys() {
  await press('g', 'k');
  await arrived('keys');
  await to('New key');
  await press('Enter');
  await page.getByRole('dialog').waitFor();
  await write('typed key');
  await to('Bound to the agent');
  await write('Ada');
  for (const [name, isThere] of [['agent:write', true], ['zone:read', false]]) {
    await to(name);
    await press('Space');
    if (await page.getByLabel(name, { exact: true }).isChecked() !== isThere) throw new Error(`${name} is not ${isThere}`);
  }
  await to('Create', 'Shift+Tab');
  await press('Enter');
  await page.getByRole('dialog', { name: 'The key typed key' }).waitFor();
  await to('I have kept it');
  await press('Enter');
  await closed();
  await there('.detail h2', { hasText: 'typed key' });
  const step = { after: (await focused()).name, capabilities: await page.locator('section', { hasText: 'Capabilities' }).last().locator('code').allInnerTexts() };
  await to('Revoke');
  await press('Enter');
  await there('.breaks-list');
  await press('Escape');
  await closed();
  report('keys', { ...step, escaped: (await focused()).name });
}

async function documents() {
  await press('g', 'd');
  await arrived('documents');
  await to('Choose files');
  await press('Enter');
  await there('.virtual-row', { hasText: /typed\.md[^]*accepted/ });
  await until('Tab', (now) => now.href === '/console/documents/typed.md', 'the document');
  await press('Enter');
  await there('.detail h2', { hasText: 'typed.md' });
  await to('Load into a bank');
  await press('Enter');
  await fill({ Bank: 'shared' }, 'Load');
  await toast('Memories:');
  await closed();
  await to('Delete');
  await press('Enter');
  await fill({ 'These memories': 'delete' }, 'Delete');
  await toast('Deleted. Memories deleted with it:');
  await closed();
  await page.waitForURL('**/console/documents');
  await arrived('documents'); // What had the focus is gone.
  report('documents');
}

async function rules() {
  await press('g', 'r');
  await arrived('rules');
  await to('New rule');
  await press('Enter');
  await there('.rule-form');
  await to('Name');
  await write('no destroying');
  await to('Try the request');
  await press('Enter');
  await there('.outcome .tag');
  const outcome = await page.locator('.outcome').innerText();
  await to('Create', 'Shift+Tab');
  await press('Enter');
  await toast('Created.');
  await there('.detail h2', { hasText: 'no destroying' });
  await to('Switch off');
  await press('Enter');
  await page.getByRole('dialog').waitFor();
  await press('Escape');
  await closed();
  report('rules', { outcome, escaped: (await focused()).name });
}

async function activity() {
  await press('g', 'a', 'g', 'a');
  await arrived('activity');
  await press('/');
  const first = (await focused()).name;
  await to('Tool');
  await write('MB_Censor');
  await page.waitForURL('**/console/activity?tool=MB_Censor');
  await said(/^What happened: \d+$/);
  const rows = await page.locator('.entry-row .tool').allInnerTexts();
  await press('Control+a');
  await write('RL_Delete');
  await said('No entry matches.');
  report('activity', { first, rows: [...new Set(rows)] });
}

// What a person wants from the console, from any page: how often something is chosen until it is done.
async function errands() {
  const chosen = {};
  let count;
  const choose = async (...keys) => {
    count += 1;
    await press(...keys);
  };
  const done = (name) => { chosen[name] = count; };

  await to('Export as CSV', 'Shift+Tab'); // In a field, letters are text.
  count = 0;
  await choose('g', 'a');
  await arrived('agents');
  await toLink('/console/agents/Ada');
  await choose('Enter');
  await there('.detail h2', { hasText: 'Ada' });
  await to('Yesterday');
  await choose('Enter');
  await there('.found-message', { hasText: 'The keel is laid.' });
  await until('Tab', (now) => now.href?.startsWith('/console/agents/Ada?message='), 'the sentence');
  await choose('Enter');
  await there('.transcript .sought', { hasText: 'The keel is laid.' });
  done('find what was said yesterday');

  count = 0;
  await choose('g', 'i');
  await arrived('inbox');
  await to('Oak');
  await choose('Enter');
  await toast('Answered: Oak');
  await page.locator('.need', { hasText: 'Oak or pine?' }).waitFor({ state: 'detached' });
  done('answer a question');

  count = 0;
  await choose('g', 'm');
  await arrived('memory');
  await toLink('/console/memory/notes/tide');
  await choose('Enter');
  await there('.detail h2', { hasText: 'tide' });
  await to('Delete');
  await choose('Enter');
  await toast('The memory tide of notes is in the trash for 30 days.');
  await there('.memories', { hasText: 'Stored by keyboard.' });
  await toLink('/console/memory/notes?view=trash');
  await choose('Enter');
  await there('.trash');
  await to('Restore tide');
  await choose('Enter');
  await toast('The memory tide of notes is restored.');
  done('delete and restore a memory');

  count = 0;
  await choose('g', 'a');
  await arrived('agents');
  await choose('g', 'm');
  await arrived('memory');
  await toLink('/console/memory/shared');
  await choose('Enter');
  await there('.detail h2', { hasText: 'shared' });
  await to('Share');
  await choose('Enter');
  await fill({ 'With the agent': 'Ada', 'It may': 'write' }, 'Share');
  count += 1;
  await toast('Ada may write shared.');
  await closed();
  done('share a bank');

  count = 0;
  await choose('g', 'a');
  await arrived('agents');
  await choose('g', 'a');
  await arrived('activity');
  await to('Result');
  await choose(...'refused');
  await there('.entry-row', { hasText: 'refused' });
  await until('Tab', (now) => now.tag === 'BUTTON' && now.name === 'M', 'the call of Mia');
  await choose('Enter');
  await there('dialog h3', { hasText: 'How to allow it' });
  const why = await page.getByRole('dialog').innerText();
  await press('Escape');
  await closed();
  done('see why a call was refused');
  report('errands', { chosen, why });
}

// Escape closes the search, and the focus is where it was.
async function search() {
  await toLink('/console/world', 'Shift+Tab');
  await press('Enter');
  await arrived('world');
  await to('The calls of this page as code');
  await press('Control+k');
  await page.getByRole('combobox').waitFor();
  await write('Kay');
  await there('.found-entry', { hasText: 'Kay' });
  await press('ArrowDown', 'ArrowUp', 'Escape');
  await closed();
  const step = { escaped: (await focused()).name };
  await press('Enter');
  await page.getByRole('dialog', { name: 'The calls of this page' }).waitFor();
  await to('Close');
  await press('Enter');
  await closed();
  report('search', { ...step, closed: (await focused()).name });
}

// A button that a viewer may not use can have the focus, and gives the reason.
async function refused() {
  await page.context().close();
  page = await pages.signedIn(process.env.VIEWER_KEY, '/console/agents');
  await there('.page-agents h1');
  await to('New agent');
  const described = await page.evaluate(() => document.activeElement.title);
  await press('Enter');
  await there('#toast.shown');
  report('refused', { described, pressed: await page.locator('#toast').innerText(), dialogs: await page.locator('dialog').count() });
}

try {
  for (const task of [everyPage, agents, messages, memories, permissions, keys, documents, rules, activity, errands, search, refused]) {
    await task();
    await lookForNames();
  }
  report('faults', { faults: pages.faults, hidden: [...hidden], nameless: [...nameless] });
} finally {
  await pages.close();
}
