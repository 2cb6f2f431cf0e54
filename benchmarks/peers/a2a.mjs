// An A2A server with one agent that accepts each message as a task, with the SDK's own store.
import { AGENT_CARD_PATH } from '@a2a-js/sdk';
import { AgentEvent, DefaultRequestHandler, InMemoryTaskStore } from '@a2a-js/sdk/server';
import { agentCardHandler, jsonRpcHandler, UserBuilder } from '@a2a-js/sdk/server/express';
import express from 'express';

const COMPLETED = 3;
const app = express();
const server = app.listen(Number(process.argv[2] ?? 0), '127.0.0.1', () => {
    const url = `http://127.0.0.1:${server.address().port}`;
    const card = {
        name: 'Grace',
        description: 'Accepts messages.',
        version: '1.0.0',
        supportedInterfaces: [{ url: `${url}/rpc`, protocolBinding: 'JSONRPC', protocolVersion: '1.0', tenant: '' }],
        capabilities: { extensions: [] },
        securitySchemes: {},
        securityRequirements: [],
        defaultInputModes: ['text/plain'],
        defaultOutputModes: ['text/plain'],
        skills: [],
        signatures: [],
    };
    const agent = {
        async execute({ taskId, contextId, userMessage }, bus) {
            bus.publish(AgentEvent.task({
                id: taskId,
                contextId,
                status: { state: COMPLETED, timestamp: new Date().toISOString() },
                artifacts: [],
                history: [userMessage],
            }));
            bus.finished();
        },
        async cancelTask() {},
    };
    const requestHandler = new DefaultRequestHandler(card, new InMemoryTaskStore(), agent);
    app.use(`/${AGENT_CARD_PATH}`, agentCardHandler({ agentCardProvider: requestHandler }));
    app.use('/rpc', jsonRpcHandler({ requestHandler, userBuilder: UserBuilder.noAuthentication }));
    console.log(`ready ${url}`);
});
