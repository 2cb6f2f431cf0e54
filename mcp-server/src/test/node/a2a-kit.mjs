// What the test kit of A2A needs of an engine: an agent that behaves as the kit's scenarios say, and an address without a credential, since the
// kit sends none. The scenarios are named by the id of a message, which an agent here does not see: so it is written before the text.
// ENGINE: the engine's own address; PORT: where the kit finds it, which must be the engine's ENGINE_BASE_URL; KEY: a key with all capabilities.
import http from 'node:http';

const { ENGINE, PORT, KEY } = process.env;
const invoke = async (tool, body) => {
  const response = await fetch(`${ENGINE}/api/mcp/tools/${tool}/invoke`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', 'X-Api-Key': KEY },
    body: JSON.stringify(body),
  });
  return response.json();
};

const target = { context: 'kit' };
await invoke('AP_Create', {
  vx: { name: 'Kit', description: 'Behaves as the scenarios say.', access: 'public' },
  target: {},
});
// The kit sends more in a minute than the loop guard lets programs exchange.
await invoke('AP_Modify', { target: { agent: 'Kit' }, guard: { hops: 64, per_minute: 600, more: 1000 } });
await invoke('AP_LogOn', { target: { agent: 'Kit', context: 'kit' } });

const written = (text, id) => `[${id}] ${text}`;
const readBody = async (request) => {
  const chunks = [];
  for await (const chunk of request) chunks.push(chunk);
  return Buffer.concat(chunks);
};
const named = (bytes) => {
  try {
    const body = JSON.parse(bytes);
    const message = (body.params ?? body).message;
    const part = message?.parts?.find?.((each) => typeof each.text === 'string');
    if (part === undefined || typeof message.messageId !== 'string') return bytes;
    part.text = written(part.text, message.messageId);
    return Buffer.from(JSON.stringify(body));
  } catch {
    return bytes;
  }
};
http
  .createServer(async (request, response) => {
    const body = named(await readBody(request));
    const headers = { ...request.headers, 'x-api-key': KEY };
    delete headers['transfer-encoding'];
    if (body.length > 0) headers['content-length'] = body.length;
    const sent = http.request(ENGINE + request.url, { method: request.method, headers }, (answer) => {
      response.writeHead(answer.statusCode, answer.headers);
      answer.pipe(response);
      response.on('close', () => answer.destroy());
    });
    sent.on('error', () => response.destroy());
    sent.end(body);
  })
  .listen(Number(PORT), '127.0.0.1', () => console.log(PORT));

const pause = (millis) => new Promise((resolve) => setTimeout(resolve, millis));
const act = async ({ id, content, question, reply_to: replied }) => {
  if (/^\[(tck-)?input-required/.test(content)) {
    await invoke('AP_Chat', { reply_to: id, content: 'Which one?', target });
    return;
  }
  if (!question && /^\[(tck-)?complete-task/.test(content)) {
    await invoke('AP_Answer', { question: replied, content: 'Hello from TCK', target });
    return;
  }
  if (/^\[(tck-)?(test-resubscribe|stream)/.test(content)) {
    await pause(content.includes('resubscribe') ? 4_000 : 500);
  }
  if (question?.state === 'open') {
    const said = content.includes('artifact-text') ? 'Generated text content' : 'Hello from TCK';
    await invoke('AP_Answer', { question: question.id, content: said, target });
  }
};
for (;;) {
  const answer = await invoke('AP_Wait', { wait_seconds: 20, target });
  for (const message of answer.content ?? []) act(message);
}
