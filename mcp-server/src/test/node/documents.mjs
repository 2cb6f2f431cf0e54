// The console's pages about documents and rules as people use them: node documents.mjs <address of the engine> <folder for pictures>, keys in
// OWNER_KEY (a tenant with documents and a rule), VIEWER_KEY of the same tenant, NARROW_KEY (bank:read), EMPTY_KEY and
// EMPTY_VIEWER_KEY (another tenant, with nothing in it). Each step prints one line of JSON, which ConsoleDocumentsTest looks at.
import { Pages, report, themes, widths } from './pages.mjs';

const [engine, screenshots] = process.argv.slice(2);
const { OWNER_KEY, VIEWER_KEY, NARROW_KEY, EMPTY_KEY, EMPTY_VIEWER_KEY } = process.env;
const pages = await Pages.launch(engine, screenshots);

const settled = (page) => page.waitForFunction(() => document.querySelector('#main > .view') && !document.getElementById('main').hasAttribute('aria-busy'));

async function open(key, path, width, schemes) {
  const page = await pages.signedIn(key, path, width, schemes);
  await settled(page);
  return page;
}

async function to(page, path, there = '#main > .view') {
  await pages.follow(page, path);
  await settled(page);
  await page.locator(there).first().waitFor();
}

const live = (page) => page.waitForSelector('#live[data-state="on"]', { state: 'attached' });

// Each page, at one width.
async function everyPage(width) {
  const page = await open(OWNER_KEY, '/console/documents', width, themes);
  await page.locator('.virtual-row').first().waitFor();
  await pages.look(page, 'console-documents');
  const codes = await page.locator('main button.icon').filter({ visible: true }).count();
  await to(page, '/console/documents/handbook.md', '.versions details');
  await page.locator('.document-text', { hasText: 'Low water' }).waitFor();
  await page.locator('.versions summary').first().click();
  await page.locator('.compared ins').first().waitFor();
  const list = page.locator('.side');
  const document_ = await page.locator('.detail h2').boundingBox();
  report(`document at ${width}`, { isInSight: document_.y < page.viewportSize().height / 2, hasList: await list.isVisible(), codes, back: await page.locator('.back').isVisible() });
  await pages.look(page, 'console-document');
  await to(page, '/console/documents/broken.json', '.why li');
  await pages.look(page, 'console-document-rejected');
  await to(page, '/console/rules', '.endpoints a');
  await pages.look(page, 'console-rules');
  await page.locator('.endpoints a').first().click();
  await page.locator('.trial').waitFor();
  await page.getByRole('button', { name: 'Replay' }).click();
  await page.locator('.outcome tbody tr').first().waitFor();
  await pages.look(page, 'console-rule-replayed');
  await page.getByRole('button', { name: 'Edit' }).click();
  await page.getByLabel('Condition, in CEL').fill('command.effect == "destroys"\n  && target.bonk == "Ledger"');
  await page.locator('.cel-state .problem').waitFor();
  await pages.look(page, 'console-rule-error');
  await to(page, '/console/rules/templates', '.templates a');
  await pages.look(page, 'console-rule-templates');
  report(`templates at ${width}`, { titles: await page.locator('.templates b').allInnerTexts() });
  await page.locator('.templates a', { hasText: 'block-words' }).click();
  await page.getByLabel('words').waitFor();
  await pages.look(page, 'console-rule-template');
  await page.context().close();
}

// The page is drawn anew while somebody presses a button in it: the click counts all the same.
async function pressed(page, change) {
  const button = page.getByRole('button', { name: 'Delete', exact: true });
  await button.hover();
  const element = await button.elementHandle();
  const read = page.waitForResponse((response) => response.url().includes('/DC_List/invoke') && response.request().postData()?.includes('guide'));
  await page.mouse.down();
  await change();
  await read;
  await page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))));
  if (!await element.evaluate((one) => one.isConnected)) return false;
  await button.hover(); // The list of uploads moved it.
  await page.mouse.up();
  await page.getByRole('dialog').getByRole('button', { name: 'Cancel' }).click();
  return true;
}

// Files are dropped, validated while one looks on, loaded, replaced by a new version, and deleted with what was loaded.
async function documents() {
  const page = await pages.signedIn(OWNER_KEY, '/llms.txt');
  await page.route('**/DC_List/invoke', (route) => route.fulfill({ status: 429, json: { detail: 'Too many requests.', error: 'rate_limited' } }), { times: 1 });
  await to(page, '/console/documents', '.virtual .problem');
  await page.getByRole('button', { name: 'Try again' }).click();
  await page.locator('.virtual-row').first().waitFor();
  await live(page);
  const drop = async (name, text) => {
    const data = await page.evaluateHandle(([title, content]) => {
      const transfer = new DataTransfer();
      transfer.items.add(new File([content], title, { type: 'text/markdown' }));
      return transfer;
    }, [name, text]);
    await page.locator('.drop').dispatchEvent('drop', { dataTransfer: data });
    await page.locator('.uploads li', { hasText: 'Submitted' }).first().waitFor();
  };
  const chapters = (words) => Array.from({ length: 12 }, (_, i) => `## Chapter ${i}\n\n${`Chapter ${i} explains a matter of its own at some length, for readers who have the time. `.repeat(12)}${i === 5 ? words : ''}`).join('\n\n');
  const kept = await page.evaluate(() => {
    const first = document.querySelector('.virtual-row a');
    first.focus();
    return first.getAttribute('href');
  });
  await drop('<b>guide<b>.md', `# Guide\n\n<img src=x onerror=alert(1)>\n\n${chapters('The first edition.')}`);
  await page.locator('.virtual-row', { hasText: '<b>guide<b>.md' }).filter({ hasText: 'accepted' }).waitFor();
  const focus = await page.evaluate((href) => document.activeElement.getAttribute('href') === href, kept);
  await page.locator('.virtual-row', { hasText: '<b>guide<b>.md' }).locator('a').click();
  await page.locator('.document-text', { hasText: 'first edition' }).waitFor();
  const markup = await page.locator('main img').count();
  await page.getByRole('button', { name: 'Load into a bank' }).click();
  await page.getByRole('dialog').getByLabel('Bank').selectOption('notes');
  await pages.look(page, 'console-document-load', 'dialog');
  await page.getByRole('dialog').getByRole('button', { name: 'Load' }).click();
  await page.locator('#toast', { hasText: 'Memories: ' }).waitFor();
  const loaded = await page.locator('#toast').innerText();
  await page.locator('.rows li', { hasText: 'notes' }).waitFor();
  const stays = await pressed(page, () => page.setInputFiles('#documents-file', { name: '<b>guide<b>.md', mimeType: 'text/markdown', buffer: Buffer.from(`# Guide\n\n${chapters('The second edition, which says more.')}`) }));
  await page.locator('.versions li', { hasText: 'Version 2' }).locator('summary').click();
  await page.locator('.compared ins', { hasText: 'second edition' }).waitFor();
  await page.locator('.uploads li', { hasText: 'version 2' }).waitFor(); // What was handed in stays.
  const changed = await page.locator('.compared p').innerText();
  await page.getByRole('button', { name: 'Load into a bank' }).click();
  await page.getByRole('dialog').getByLabel('Bank').selectOption('notes');
  await page.getByRole('dialog').getByRole('button', { name: 'Load' }).click();
  await page.locator('#toast', { hasText: /[1-9]\d* kept/ }).waitFor();
  const again = await page.locator('#toast').innerText();
  await page.getByRole('button', { name: 'Delete', exact: true }).click();
  await page.getByRole('dialog').locator('.rows li', { hasText: 'notes' }).waitFor();
  await pages.look(page, 'console-document-delete', 'dialog');
  await page.getByRole('dialog').getByLabel('These memories').selectOption('delete');
  await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
  await page.locator('#toast', { hasText: /Memories deleted with it: [1-9]/ }).waitFor();
  await page.waitForURL('**/console/documents');
  await settled(page);
  report('documents', { loaded, changed, again, markup, focus, stays });
  await page.setInputFiles('#documents-file', { name: 'large.txt', mimeType: 'text/plain', buffer: Buffer.alloc(21 * 1024 * 1024, 'a') });
  await page.locator('.uploads .problem', { hasText: 'larger than 20 MB' }).waitFor();
  await page.setInputFiles('#documents-file', { name: 'picture.png', mimeType: 'text/plain', buffer: Buffer.from('89504e470d0a1a0a0000000d49484452', 'hex') });
  await page.locator('.uploads a').first().click();
  await page.locator('.why li', { hasText: 'type_' }).waitFor();
  report('rejected', { reasons: await page.locator('.why').innerText() });
  await page.context().close();
}

// A condition with a mistake shows where it is; mended, it is created, tried and replayed; a template is filled in.
async function rules() {
  const page = await open(OWNER_KEY, '/console/rules/new');
  const when = page.getByLabel('Condition, in CEL');
  await when.fill('command.effect == "destroys" &&\n  target.bnak == "x"');
  await page.locator('.cel-state .problem', { hasText: 'Line 2' }).waitFor();
  const step = { problem: await page.locator('.cel-state .problem').innerText(), invalid: await when.getAttribute('aria-invalid') };
  await page.getByRole('button', { name: 'Go there' }).click();
  step.selected = await when.evaluate((input) => [document.activeElement === input, input.value.slice(0, input.selectionStart)]);
  await page.getByLabel('Name').fill('keep the books');
  await page.getByRole('button', { name: 'Create' }).click();
  await page.locator('.cel-state .problem').waitFor();
  await when.fill('command.effect == "destroys" && sameName(target.bank, "Books")');
  await page.locator('.cel-state', { hasText: 'It compiles.' }).waitFor();
  await page.getByLabel('Message').fill('<i>The books stay.</i>');
  await page.getByLabel('Mode').selectOption('enforce');
  await page.getByRole('button', { name: 'Create' }).click();
  await page.locator('.detail h2', { hasText: 'keep the books' }).waitFor();
  await page.getByLabel('A request').fill('{"service": "MB_Destroy", "target": {"bank": "books"}}');
  await page.getByRole('button', { name: 'Try the request' }).click();
  await page.locator('.outcome', { hasText: 'would be denied' }).waitFor();
  await page.getByRole('button', { name: 'Replay' }).click();
  await page.locator('.outcome', { hasText: 'Would have denied' }).waitFor();
  step.replayed = await page.locator('.outcome').innerText();
  step.message = await page.locator('.detail section', { hasText: 'Message to refused callers' }).locator('.note').innerText();
  await page.getByRole('button', { name: 'Switch off' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Switch off' }).click();
  await page.getByRole('button', { name: 'Switch on' }).waitFor();
  await page.getByRole('button', { name: 'Delete' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
  await page.waitForURL('**/console/rules');
  await to(page, '/console/rules/templates/content-length-cap', '.rule-form');
  await page.getByLabel('Name').fill('not too long');
  await page.getByLabel('max').fill('40');
  await page.getByRole('button', { name: 'Create' }).click();
  await page.locator('.detail h2', { hasText: 'not too long' }).waitFor();
  step.template = await page.locator('.tagline').innerText();
  report('rules', step);
  await page.context().close();
}

// What others may not, they are not offered; and what is empty offers the first step.
async function others() {
  const step = {};
  const viewer = await open(VIEWER_KEY, '/console/documents');
  await viewer.locator('.virtual-row').first().waitFor();
  step.viewerMayUpload = await viewer.locator('.drop').count();
  await to(viewer, '/console/rules', '.endpoints a');
  step.viewerMayCreate = await viewer.getByRole('button', { name: 'New rule' }).isEnabled();
  await viewer.context().close();
  const narrow = await open(NARROW_KEY, '/console/documents');
  step.narrowDocuments = await narrow.locator('main').innerText();
  await to(narrow, '/console/rules');
  step.narrowRules = await narrow.locator('main').innerText();
  await narrow.context().close();
  const empty = await open(EMPTY_KEY, '/console/documents', 1280, themes);
  await empty.locator('.virtual', { hasText: 'No document yet.' }).waitFor();
  step.emptyHint = await empty.locator('.pick').innerText();
  await pages.look(empty, 'console-empty-documents');
  await to(empty, '/console/rules', '.empty');
  await pages.look(empty, 'console-empty-rules');
  await to(empty, '/console/documents/handbook.md');
  step.emptyDocument = await empty.locator('main').innerText();
  await empty.context().close();
  const looker = await open(EMPTY_VIEWER_KEY, '/console/documents');
  await looker.locator('.virtual', { hasText: 'No document yet.' }).waitFor();
  step.viewerHint = await looker.locator('.pick').innerText();
  await looker.context().close();
  report('others', step);
}

try {
  await everyPage(widths[0]);
  await everyPage(widths[1]);
  await documents();
  await rules();
  await others();
  report('faults', { faults: pages.faults });
} finally {
  await pages.close();
}
