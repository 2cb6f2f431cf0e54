// The official A2A client against an agent here: reads its card, verifies the signature, and uses each operation over one
// transport. Prints one JSON object with what it saw.
import { verifyAgentCardSignature } from '@a2a-js/sdk';
import {
  ClientFactory,
  DefaultAgentCardResolver,
  JsonRpcTransportFactory,
  RestTransportFactory,
} from '@a2a-js/sdk/client';

console.debug = () => {}; // The client writes there why a signature is wrong.
const [url, key, transport] = process.argv.slice(2);
const fetchImpl = (address, init = {}) => {
  const headers = new Headers(init.headers);
  headers.set('Authorization', `Bearer ${key}`);
  return fetch(address, { ...init, headers });
};
const factory = new ClientFactory({
  transports: [new JsonRpcTransportFactory({ fetchImpl }), new RestTransportFactory({ fetchImpl })],
  preferredTransports: [transport],
  cardResolver: new DefaultAgentCardResolver({ fetchImpl }),
});
const client = await factory.createFromUrl(url, '');
const message = (text, more = {}) => ({
  message: {
    messageId: crypto.randomUUID(),
    role: 1,
    parts: [{ content: { $case: 'text', value: text } }],
    ...more,
  },
});
const verify = verifyAgentCardSignature(async (kid, jku) => {
  const { keys } = await (await fetch(jku)).json();
  return keys.find((each) => each.kid === kid);
});
const text = (holder) => holder?.parts?.[0]?.content?.value;

const saw = {};
const card = await (await fetchImpl(url)).json();
await verify(card);
saw.card = (await client.getAgentCard()).name;
let forged = false;
try {
  await verify({ ...card, name: 'Mallory' });
} catch {
  forged = true;
}
saw.forgedIsRefused = forged;
const answered = await client.sendMessage(message('When is low water?'));
saw.answer = text(answered.artifacts[0]);
saw.state = answered.status.state;
const events = [];
for await (const event of client.sendMessageStream(message('And high water?'))) {
  events.push(event.payload.$case);
}
saw.first = events[0];
saw.got = (await client.getTask({ id: answered.id, historyLength: 1 })).history.length;
saw.listed = (await client.listTasks({ pageSize: 50, status: 0 })).tasks.length;
const asked = await client.sendMessage({
  ...message('later: how high?'),
  configuration: { returnImmediately: true, acceptedOutputModes: [] },
});
saw.canceled = (await client.cancelTask({ id: asked.id })).status.state;
try {
  await client.getTask({ id: 'none' });
} catch (error) {
  saw.missing = error.name;
}
console.log(JSON.stringify(saw));
