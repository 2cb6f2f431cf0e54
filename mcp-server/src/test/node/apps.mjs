// The engine's pages of MCP Apps in the official host, in real Chromium: node apps.mjs <address of the engine> <folder for pictures>, a person's key in
// ANN_KEY (a tenant as AppsTest fills it). Each step prints one line of JSON, which AppsTest looks at.
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { AppBridge, getToolUiResourceUri } from '@modelcontextprotocol/ext-apps/app-bridge';
import { Pages, axe, report } from './pages.mjs';

const [engine, screenshots] = process.argv.slice(2);
const APPS = { extensions: { 'io.modelcontextprotocol/ui': { mimeTypes: ['text/html;profile=mcp-app'] } } };
// The policy of hosts for a page that asks for no address.
const POLICY = "default-src 'none'; script-src 'self' 'unsafe-inline'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; connect-src 'none'";

async function connect(mode, capabilities) {
  const client = new Client({ name: 'host', version: '1' }, { capabilities, versionNegotiation: { mode } });
  await client.connect(new StreamableHTTPClientTransport(new URL(`${engine}/mcp/x/all`), { requestInit: { headers: { 'X-API-Key': process.env.ANN_KEY } } }));
  return client;
}

const pages = await Pages.launch(engine, screenshots);
const WINDOW = { viewport: { width: 640, height: 700 }, colorScheme: 'light', reducedMotion: 'reduce' };

// Shows what a tool answered, as a host does: in a frame with scripts and an origin of its own, and without a network.
async function show(client, tools, name, args) {
  const uri = getToolUiResourceUri(tools.find((tool) => tool.name === name));
  const { contents } = await client.readResource({ uri });
  const result = await client.callTool({ name, arguments: args });
  const page = await pages.blank(WINDOW);
  page.on('dialog', (dialog) => report('a script ran', { text: dialog.message() }));
  page.on('console', (line) => line.type() === 'error' && report('error', { name, text: line.text() }));
  page.on('pageerror', (error) => report('error', { name, text: String(error) }));
  page.on('request', (request) => /^https?:/.test(request.url()) && !request.url().startsWith('http://host.invalid') && report('request', { name, url: request.url() }));
  const told = [];
  const transport = {
    start: async () => {},
    close: async () => {},
    send: (message) => page.evaluate((one) => document.querySelector('iframe').contentWindow.postMessage(one, '*'), message),
  };
  await page.exposeFunction('toHost', (message) => transport.onmessage(message));
  const served = { headers: { 'Content-Security-Policy': POLICY }, contentType: 'text/html', body: contents[0].text };
  await page.route('http://host.invalid/**', (route) =>
    route.fulfill(route.request().url().endsWith('/app') ? served : { contentType: 'text/html', body: '<!doctype html><title>host</title><style>body{margin:0}iframe{border:0;width:100%;height:640px}</style>' }));
  await page.goto('http://host.invalid/');
  const bridge = new AppBridge(client, { name: 'host', version: '1' }, { serverTools: {}, updateModelContext: { text: {} }, openLinks: {} }, { hostContext: { theme: 'light' } });
  bridge.addEventListener('sizechange', ({ height }) => told.push(height));
  const toldModel = [];
  bridge.onupdatemodelcontext = async ({ content }) => {
    toldModel.push(content[0].text);
    return {};
  };
  bridge.addEventListener('initialized', async () => {
    await bridge.sendToolInput({ arguments: args });
    await bridge.sendToolResult(result);
  });
  await bridge.connect(transport);
  await page.evaluate(() => {
    addEventListener('message', ({ source, data }) => source === document.querySelector('iframe').contentWindow && window.toHost(data));
    const frame = document.createElement('iframe');
    frame.sandbox = 'allow-scripts';
    frame.src = '/app';
    document.body.append(frame);
  });
  const app = page.frameLocator('iframe');
  await app.locator('#page > :not([role=status])').first().waitFor();
  await page.screenshot({ path: `${screenshots}/app-${name}.png` });
  const frame = page.frames().find((one) => one.url().endsWith('/app'));
  report('shown', { name, uri, meta: contents[0]._meta, mimeType: contents[0].mimeType, sizes: told.length, text: await app.locator('main').innerText(), axe: await axe(frame) });
  return { app, page, told: toldModel };
}

const button = (app, name) => app.getByRole('button', { name, exact: true });

try {
  for (const mode of ['auto', 'legacy']) {
    const plain = await connect(mode, {});
    const { tools } = await plain.listTools();
    report('without apps', { mode, links: tools.filter((tool) => getToolUiResourceUri(tool)).map((tool) => tool.name),
      resources: (await plain.listResources()).resources.filter(({ uri }) => uri.startsWith('ui:')).length,
      read: await plain.readResource({ uri: 'ui://engine/tasks.html' }).then(() => 'read', (error) => error.message) });
    await plain.close();
    const client = await connect(mode, APPS);
    const listed = (await client.listTools()).tools;
    report('with apps', { mode, links: Object.fromEntries(listed.map((tool) => [tool.name, getToolUiResourceUri(tool)]).filter(([, uri]) => uri)),
      resources: (await client.listResources()).resources.filter(({ uri }) => uri.startsWith('ui:')).map(({ uri }) => uri) });
    await client.close();
  }

  const client = await connect('auto', APPS);
  const { tools } = await client.listTools();

  const asked = await show(client, tools, 'US_Inbox', {});
  await button(asked.app, 'Two').click();
  await asked.app.getByText('Answered: Two').waitFor();
  await asked.app.locator('textarea').fill('Blue.');
  await button(asked.app, 'Answer').click();
  await asked.app.getByText('Answered: Blue.').waitFor();
  report('decided', { told: asked.told });

  const talk = await show(client, tools, 'AP_Read', { target: { agent: 'Ada' } });
  await button(talk.app, 'Answer Ada').first().click();
  await talk.app.locator('textarea').fill('Good, go on.');
  await button(talk.app, 'Send').click();
  await talk.app.locator('.bubble', { hasText: 'Good, go on.' }).waitFor();
  report('answered', { told: talk.told });

  const found = await show(client, tools, 'MB_Search', { content: 'When is low water?' });
  await button(found.app, 'This answers it').first().click();
  await found.app.getByText('You said: this answers it.').waitFor();
  report('said', { told: found.told, marked: await found.app.locator('mark').allInnerTexts() });

  const board = await show(client, tools, 'TK_List', { target: { domain: 'Hall' } });
  await button(board.app, 'Open again: Paint the hull').click();
  await board.app.getByRole('region', { name: 'Open' }).getByText('Paint the hull').waitFor();
  report('opened', { told: board.told });

  // A refusal is words on the page, and what was written stays.
  await talk.app.locator('textarea').fill('x'.repeat(10));
  await client.close();
  await button(talk.app, 'Send').click();
  await talk.app.locator('[role=alert]').waitFor();
  report('refused', { kept: await talk.app.locator('textarea').inputValue() });
  report('faults', { faults: pages.faults });
} finally {
  await pages.close();
}
