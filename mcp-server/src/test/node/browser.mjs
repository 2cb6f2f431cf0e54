// A person's browser session in real Chromium: node browser.mjs <address of the engine>, the key in ENGINE_KEY. Each step prints one line of JSON, which BrowserSessionTest looks at.
import { chromium } from 'playwright-core';

const engine = process.argv[2];
// Another name for the loopback address is another site.
const elsewhere = 'http://localhost:9';
const browser = await chromium.launch({
  executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium',
  args: ['--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run', '--disable-background-networking',
    '--disable-component-update', '--disable-sync'],
});

function report(step, what) {
  console.log(JSON.stringify({ step, ...what }));
}

// A request as a script of the page makes it, with the cookies that the browser sends along.
function ask(page, path, options = {}) {
  return page.evaluate(async ([address, init]) => {
    try {
      const response = await fetch(address, { credentials: 'include', ...init });
      const text = await response.text();
      return { status: response.status, body: text ? JSON.parse(text) : null };
    } catch (error) {
      return { status: 0, body: String(error) };
    }
  }, [engine + path, options]);
}

function command(agent, headers) {
  return {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', ...headers },
    body: JSON.stringify({ vx: { name: agent, description: 'made in a browser' } }),
  };
}

try {
  const context = await browser.newContext();
  context.setDefaultTimeout(120_000);
  // Empty pages, without a policy that would forbid their scripts to ask anything.
  await context.route('**/page', (route) => route.fulfill({ contentType: 'text/html', body: '<title>page</title>' }));
  const page = await context.newPage();
  await page.goto(engine + '/page');
  report('before', await ask(page, '/api/auth/session'));
  report('signs in', await ask(page, '/api/auth/session', { method: 'POST', headers: { 'X-Api-Key': process.env.ENGINE_KEY } }));
  report('cookie', { cookies: await context.cookies(), seenByScripts: await page.evaluate(() => document.cookie) });
  const session = await ask(page, '/api/auth/session');
  report('is signed in', session);
  const token = { 'X-CSRF-Token': session.body.csrf_token };
  const create = '/demo/v1/Engine/tps/agent/create';
  report('with the token', await ask(page, create, command('Ada', token)));
  report('without it', await ask(page, create, command('Bea', {})));
  report('with a wrong one', await ask(page, create, command('Cleo', { 'X-CSRF-Token': 'x'.repeat(43) })));

  const stranger = await context.newPage();
  await stranger.goto(elsewhere + '/page');
  report('read from elsewhere', await ask(stranger, '/api/auth/session'));
  report('written from elsewhere', await ask(stranger, create, command('Dora', token)));
  await stranger.setContent(`<form method="post" action="${engine}${create}" enctype="text/plain">
    <input name='{"vx":{"name":"Eva","description":"' value='"}}'></form>`);
  const [posted] = await Promise.all([
    stranger.waitForResponse((response) => response.url().endsWith(create)),
    stranger.evaluate(() => document.forms[0].submit()),
  ]);
  report('form from elsewhere', { status: posted.status() });

  const kept = await context.cookies();
  report('signs out', await ask(page, '/api/auth/session', { method: 'DELETE', headers: token }));
  report('after', { ...(await ask(page, '/api/auth/session')), cookies: await context.cookies(engine) });
  await context.addCookies(kept);
  report('old cookie', await ask(page, create, command('Fay', token)));
} finally {
  await browser.close();
}
