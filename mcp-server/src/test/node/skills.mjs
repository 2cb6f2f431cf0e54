// The hub of skills as people use it, at two widths, the wide one in two themes: node skills.mjs <address of the engine> <folder for pictures> <folder of
// zips>, keys in ADMIN_KEY (of a tenant with the agents Ada and Bea, and a skill full of markup), VIEWER_KEY and INSTALLER_KEY (which may not
// list agents). Each step prints one line of JSON, which SkillsHubTest looks at.
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Pages, report, themes, widths } from './pages.mjs';

const [engine, screenshots, zips] = process.argv.slice(2);
const { ADMIN_KEY, VIEWER_KEY, INSTALLER_KEY } = process.env;
const pages = await Pages.launch(engine, screenshots);

async function signIn(page, key) {
  await page.locator('#account-button').click();
  await pages.signIn(page, key);
}

async function names(page) {
  return page.locator('.skills .name').filter({ visible: true }).allTextContents();
}

// What anybody sees.
async function anybody(width) {
  const page = await pages.open('/skills-hub', width, themes);
  const step = { width, all: await names(page) };
  await pages.look(page, 'skills');
  await page.getByRole('searchbox', { name: 'Search the skills' }).focus();
  await page.keyboard.type('idempotency');
  step.found = await names(page);
  step.said = await page.locator('#found').innerText();
  await page.keyboard.press('Control+A');
  await page.keyboard.type('<b>nothing</b>');
  step.nothing = await page.locator('#nothing').innerText();
  await page.keyboard.press('Escape');
  await page.keyboard.type('webhooks');
  await Promise.all([page.waitForURL('**/skills-hub/receive-webhooks'), page.keyboard.press('Enter')]);
  step.skill = await page.locator('h1').innerText();
  await pages.look(page, 'skill');
  await page.getByRole('table').last().getByRole('link', { name: 'references/verifying.md' }).click();
  step.file = await page.locator('h1').innerText();
  await pages.look(page, 'skill-file');
  await page.goto(`${engine}/skills-hub/receive-webhooks/files/SKILL.md`);
  await pages.look(page, 'skill-source');
  report('anybody', step);
  await page.context().close();
}

// An admin adds a skill, replaces it, gives it to agents, takes it away, removes it.
async function admin(width, theme) {
  const step = { width };
  const skill = `tides-${width}`;
  const options = { permissions: ['clipboard-read', 'clipboard-write'] };
  const page = await pages.open('/skills-hub', width, [theme], options);
  await signIn(page, ADMIN_KEY);
  await page.getByLabel('or choose one').setInputFiles(join(zips, 'wrong.zip'));
  await page.getByRole('button', { name: 'Add the skill' }).click();
  await page.locator('#add-problem:not(:empty)').waitFor();
  step.refused = await page.locator('#add-problem').innerText();
  await pages.look(page, 'skills-refused');

  const dropped = readFileSync(join(zips, `${skill}.zip`)).toString('base64');
  await page.locator('.drop').evaluate(async (place, [name, base64]) => {
    const data = new DataTransfer();
    data.items.add(new File([Uint8Array.from(atob(base64), (c) => c.charCodeAt(0))], name, { type: 'application/zip' }));
    place.dispatchEvent(new DragEvent('dragover', { dataTransfer: data, cancelable: true }));
    place.dispatchEvent(new DragEvent('drop', { dataTransfer: data, cancelable: true }));
  }, [`${skill}.zip`, dropped]);
  step.chosen = await page.locator('#add-chosen').innerText();
  await Promise.all([page.waitForURL(`**/skills-hub/${skill}`), page.getByRole('button', { name: 'Add the skill' }).click()]);
  step.added = await page.locator('h1').innerText();
  await pages.look(page, 'skill-own');

  await page.goto(`${engine}/skills-hub`);
  await page.getByText('Own', { exact: true }).click();
  step.own = await names(page);
  await page.getByLabel('or choose one').setInputFiles(join(zips, `${skill}-new.zip`));
  await page.getByRole('button', { name: 'Add the skill' }).click();
  await page.getByRole('dialog').waitFor();
  step.asksToReplace = await page.getByRole('dialog').innerText();
  await pages.look(page, 'skill-replace');
  await Promise.all([page.waitForURL(`**/skills-hub/${skill}`), page.getByRole('button', { name: 'Replace it' }).click()]);
  step.replaced = await page.locator('.prose').innerText();

  const install = page.getByRole('button', { name: 'Install', exact: true });
  const field = page.getByLabel('Install on an agent');
  await field.fill('Nobody');
  await install.click();
  await page.locator('#install-problem:not(:empty)').waitFor();
  step.nobody = await page.locator('#install-problem').innerText();
  await page.locator('#roster option').first().waitFor({ state: 'attached' });
  step.offered = await page.locator('#roster option').evaluateAll((options) => options.map((option) => option.value));
  for (const agent of ['Ada', 'Bea']) {
    await field.fill(agent);
    await install.click();
    await page.getByText(`Installed on ${agent}.`).waitFor();
  }
  await page.reload();
  step.installed = await page.locator('#agents li > span').allTextContents();
  await pages.look(page, 'skill-installed');
  await page.locator('#agents li').first().getByRole('button', { name: 'Uninstall' }).click();
  await page.getByText('Taken off Ada.').waitFor();
  await page.reload();
  step.left = await page.locator('#agents li > span').allTextContents();

  step.copied = await pages.copied(page, page.getByRole('button', { name: 'Copy the digest of the zip' }));
  const [saved] = await Promise.all([page.waitForEvent('download'), page.getByRole('link', { name: 'Download as zip' }).click()]);
  step.savedAs = saved.suggestedFilename();
  step.saved = `sha256:${createHash('sha256').update(readFileSync(await saved.path())).digest('hex')}`;

  await page.getByRole('button', { name: 'Remove…' }).click();
  step.asksToRemove = await page.getByRole('dialog').innerText();
  await pages.look(page, 'skill-remove');
  await page.getByRole('button', { name: 'Cancel' }).click();
  await page.getByRole('button', { name: 'Remove…' }).click();
  step.ended = await ends(page);
  await page.getByRole('button', { name: 'Remove…' }).click();
  await Promise.all([page.waitForURL('**/skills-hub'), page.getByRole('button', { name: 'Remove it' }).click()]);
  step.afterwards = await names(page);
  report('admin', step);
  await page.context().close();
}

// The session ends while one is asked whether to remove: one signs in above the question.
async function ends(page) {
  await page.context().clearCookies();
  await page.getByRole('button', { name: 'Remove it' }).click();
  const dialog = page.getByRole('dialog', { name: 'Sign in' });
  await dialog.waitFor();
  const ids = await page.locator('[id]').evaluateAll((all) => all.map((one) => one.id));
  await pages.signIn(page, ADMIN_KEY);
  return { twice: ids.filter((id, place) => ids.indexOf(id) !== place) };
}

// A key that may install but not list agents: it stays signed in, and names the agent itself.
async function installer() {
  const page = await pages.open('/skills-hub/first-steps', 1280);
  await signIn(page, INSTALLER_KEY);
  const field = page.getByLabel('Install on an agent');
  const [refused] = await Promise.all([page.waitForResponse('**/agent/list'), field.focus()]);
  const plain = page.locator('#agent:not([list])');
  await plain.fill('Ada');
  report('installer', { status: refused.status(), user: await page.locator('#account-button').getAttribute('data-user'),
    asked: await page.getByRole('dialog').count() });
  await page.context().close();
}

// Every page of a skill whose author put markup wherever there is room.
async function hostile(width) {
  const step = { width, alarms: [], texts: {}, elements: {} };
  const page = await pages.open('/skills-hub', width);
  page.on('dialog', (box) => {
    step.alarms.push(box.message());
    box.dismiss();
  });
  await signIn(page, ADMIN_KEY);
  const paths = ['/skills-hub', '/skills-hub/hostile', ...await (async () => {
    await page.goto(`${engine}/skills-hub/hostile`);
    return page.locator('.files td a').evaluateAll((links) => links.map((link) => link.pathname));
  })()];
  for (const path of paths) {
    await page.goto(engine + path);
    step.texts[path] = await page.locator('main').innerText();
    step.elements[path] = await page.evaluate(() => ({
      foreign: document.querySelectorAll('main :is(img, iframe, script, style, svg, object, embed, form[action], base, link, meta)').length,
      handlers: [...document.querySelectorAll('*')].filter((one) => one.getAttributeNames().some((name) => name.startsWith('on'))).length,
      links: [...document.querySelectorAll('main a')].map((link) => link.getAttribute('href')),
      pwned: globalThis.pwned ?? null,
    }));
    await pages.look(page, `hostile-${paths.indexOf(path)}`);
  }
  // What is saved is not run: a page cannot use it as a script.
  const other = await pages.browser.newPage({ storageState: await page.context().storageState() });
  await other.goto(`${engine}/skills-hub/hostile`);
  step.asScript = await other.evaluate((path) => new Promise((resolve) => {
    const script = document.createElement('script');
    const policy = trustedTypes.createPolicy('test', { createScriptURL: (url) => url });
    script.src = policy.createScriptURL(path);
    script.addEventListener('error', () => resolve('refused'));
    script.addEventListener('load', () => resolve('ran'));
    document.head.append(script);
  }), '/skills-hub/hostile/raw/scripts/run.js');
  await other.close();
  report('hostile', step);
  await page.context().close();
}

async function viewer() {
  const page = await pages.open('/skills-hub', 1280, ['light']);
  await signIn(page, VIEWER_KEY);
  const step = { add: await page.locator('.add').innerText(), own: (await names(page)).includes('hostile') };
  await page.goto(`${engine}/skills-hub/first-steps`);
  step.install = await page.locator('.beside .card').innerText();
  step.tools = await page.locator('.beside .plain li').allTextContents();
  await pages.look(page, 'skill-viewer');
  report('viewer', step);
  await page.context().close();
}

async function withoutScripts() {
  const page = await pages.open('/skills-hub', 360, ['light'], { javaScriptEnabled: false });
  const step = { all: await names(page) };
  await pages.picture(page, 'skills-without-scripts');
  await page.getByText('first-steps').click();
  step.text = await page.locator('main').innerText();
  step.buttons = await page.getByRole('button').filter({ visible: true }).count();
  await pages.picture(page, 'skill-without-scripts');
  report('without scripts', step);
  await page.context().close();
}

async function onPaper() {
  const page = await pages.open('/skills-hub/first-steps');
  await page.setViewportSize({ width: 720, height: 1000 });
  await page.emulateMedia({ media: 'print' });
  const cut = await page.evaluate(() => [...document.querySelectorAll('main *')]
    .filter((one) => one.checkVisibility() && one.scrollWidth > one.clientWidth + 1 && getComputedStyle(one).display !== 'inline')
    .map((one) => one.outerHTML.slice(0, 90)));
  report('paper', { cut, buttons: await page.getByRole('button').filter({ visible: true }).count() });
  await pages.picture(page, 'skill-print');
  await page.context().close();
}

// Two at a time: more only wait for each other on a small machine.
async function one() {
  await anybody(360);
  await admin(360, 'light');
  await hostile(360);
  await withoutScripts();
}

async function two() {
  await anybody(1280);
  await admin(1280, 'dark');
  await hostile(1280);
  await viewer();
  await installer();
  await onPaper();
}

try {
  await Promise.all([one(), two()]);
  report('faults', { faults: pages.faults, widths });
} finally {
  await pages.close();
}
