// A server of the official A2A library, with one agent over both transports. It asks back where a message begins with "ask", works for a
// moment where it begins with "later", and else answers at once. Prints its port.
import { AGENT_CARD_PATH } from '@a2a-js/sdk';
import { AgentEvent, DefaultRequestHandler, InMemoryTaskStore } from '@a2a-js/sdk/server';
import { agentCardHandler, jsonRpcHandler, restHandler, UserBuilder } from '@a2a-js/sdk/server/express';
import express from 'express';

const [WORKING, COMPLETED, INPUT_REQUIRED] = [2, 3, 6];
const app = express();
const server = app.listen(0, '127.0.0.1', () => {
  const { port } = server.address();
  const url = `http://127.0.0.1:${port}`;
  const card = {
    name: 'Grace',
    description: 'Answers messages.',
    version: '1.0.0',
    supportedInterfaces: [
      {
        url: `${url}/${process.env.TRANSPORT === 'JSONRPC' ? 'rpc' : 'rest'}`,
        protocolBinding: process.env.TRANSPORT,
        protocolVersion: '1.0',
        tenant: '',
      },
    ],
    capabilities: { extensions: [] },
    securitySchemes: {},
    securityRequirements: [],
    defaultInputModes: ['text/plain'],
    defaultOutputModes: ['text/plain'],
    skills: [],
    signatures: [],
  };
  const part = (text) => ({ content: { $case: 'text', value: text }, mediaType: 'text/plain', filename: '' });
  const agent = {
    async execute({ taskId, contextId, userMessage, task }, bus) {
      const said = userMessage.parts[0].content.value;
      const begun = (state, more) => ({
        id: taskId,
        contextId,
        status: { state, timestamp: new Date().toISOString(), ...more },
        artifacts: [],
        history: [...(task?.history ?? []), userMessage],
      });
      if (said.startsWith('ask')) {
        const message = {
          messageId: crypto.randomUUID(),
          contextId,
          taskId,
          role: 2,
          parts: [part('At which place?')],
          extensions: [],
          referenceTaskIds: [],
        };
        bus.publish(AgentEvent.task(begun(INPUT_REQUIRED, { message })));
        bus.finished();
        return;
      }
      if (said.startsWith('later')) {
        bus.publish(AgentEvent.task(begun(WORKING)));
        await new Promise((resolve) => setImmediate(resolve));
      }
      const done = begun(COMPLETED);
      done.artifacts = [{ artifactId: 'a', name: 'answer', description: '', parts: [part(`Heard: ${said}`)], extensions: [] }];
      bus.publish(AgentEvent.task(done));
      bus.finished();
    },
    async cancelTask() {},
  };
  const requestHandler = new DefaultRequestHandler(card, new InMemoryTaskStore(), agent);
  const userBuilder = UserBuilder.noAuthentication;
  app.use(`/${AGENT_CARD_PATH}`, agentCardHandler({ agentCardProvider: requestHandler }));
  app.use('/rpc', jsonRpcHandler({ requestHandler, userBuilder }));
  app.use('/rest', restHandler({ requestHandler, userBuilder }));
  console.log(port);
});
