// A user's work with the client that openapi-generator makes: node drive.js <address> <key>. Drive.java does the same.
import { CommandRequestServiceEnum, Configuration, EngineApi, ProblemFromJSON, RefusalFromJSON, ResponseError } from './typescript/index.js';
import type { Agent, Domain, Endpoint, Memory, Message } from './typescript/index.js';

declare const process: { argv: string[] };
const [address, key] = process.argv.slice(2);
const engine = new EngineApi(new Configuration({ basePath: address, apiKey: key }));

async function agents() {
  const agent: Agent = (
    await engine.agentCreate({
      agentCreateRequest: { vx: { name: 'scout', description: 'Watches the tide tables.' } },
      idempotencyKey: 'first-1',
    })
  ).agent;
  console.log(`agent: ${agent.name} owned by ${agent.owner}, ${agent.access}, revision ${agent.revision}`);
  const domain: Domain = (
    await engine.domainCreate({
      domainCreateRequest: { target: { agent: 'scout' }, vx: { name: 'harbour', description: 'Where the crew talks.' } },
    })
  ).domain;
  console.log(`domain: ${domain.name} hosted by ${domain.host}`);
}

async function talk() {
  await engine.agentLogOn({ agentLogOnRequest: { target: { agent: 'scout' } } });
  const said = await engine.agentChat({
    agentChatRequest: { target: { domain: 'harbour' }, content: 'Low water at 06:12.' },
  });
  const message: Message = said.content[0]!;
  console.log(`said: ${message.content} as ${message.from} in ${message.zone}`);
  const zone = await engine.zoneRead({ zoneReadRequest: { target: { domain: 'harbour', zone: 'main' } } });
  console.log(`heard: ${zone.content[0]!.content}`);
}

async function memories() {
  await engine.bankCreate({ bankCreateRequest: { vx: { name: 'field-notes' } } });
  const target = { bank: 'field-notes' };
  const memory: Memory = (
    await engine.bankStore({
      bankStoreRequest: { target, vx: { name: 'low water', tags: ['tides'] }, content: 'Low water at 06:12.' },
    })
  ).memory;
  console.log(`memory: ${memory.text} tagged ${memory.tags[0]}`);
  await engine.bankStore({ bankStoreRequest: { target, content: 'A seal.' } });
  const found = await engine.bankRead({ bankReadRequest: { target, vx: { tags: ['tides'] } } });
  console.log(`found: ${found.content.length} of ${found.profile[0]!.memories}`);
}

async function keys() {
  const made = await engine.keyCreate({ keyCreateRequest: { name: 'nightly report', capabilities: ['agent:read'] } });
  const revoked = await engine.keyRevoke({ id: made.key.id });
  const all = await engine.keyList();
  console.log(`key: ${made.key.name}, ${made.key.state}, then ${revoked.key.state}, of ${all.keys.length}`);
}

async function endpoints() {
  const endpoint: Endpoint = (
    await engine.webhookCreate({
      webhookCreateRequest: { url: 'http://127.0.0.1:9/hooks', events: ['agent.deployment.created'] },
    })
  ).endpoint;
  console.log(`endpoint: ${endpoint.events[0]}, shown once ${endpoint.secret!.slice(0, 6)}`);
}

async function account() {
  console.log(`account: ${(await engine.accountRead()).account.plan}`);
  const page = await engine.keyList({ pageLimit: 1 });
  console.log(`page: ${page.keys.length}${page.nextCursor ? ' of more' : ''}`);
  const answer = await engine.commandRun({ commandRequest: { service: CommandRequestServiceEnum.UsRead } });
  console.log(`command: ${answer.header.service}`);
}

// What the service refuses with, by its type.
async function refused(call: Promise<unknown>) {
  const error = await call.then(() => undefined, (reason: unknown) => reason);
  if (!(error instanceof ResponseError)) {
    throw new Error('it should have been refused');
  }
  return error.response;
}

async function refusals() {
  const again = await refused(
    engine.agentCreate({ agentCreateRequest: { vx: { name: 'Scout', description: 'Another.' } } }),
  );
  const { status } = RefusalFromJSON(await again.json());
  console.log(`refused: ${again.status} ${status.error} ${status.internalCode}`);
  const problem = ProblemFromJSON(await (await refused(engine.keyUsage({ id: 'none' }))).json());
  console.log(`problem: ${problem.status} ${problem.error}`);
}

for (const step of [agents, talk, memories, keys, endpoints, account, refusals]) {
  await step();
}
