// Measures one server through its official TypeScript client, and prints a line of JSON: node peers.mjs <what> <name> <size> <seconds> …
// Each server is a process that this one starts and kills, except the engine, whose address and key are the last arguments.
import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { ClientFactory } from '@a2a-js/sdk/client';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';

const [what, name, size, seconds, folder, url, key, otherKey] = process.argv.slice(2);
const SEARCHES = 200;
const WARM = 50;
const AT_ONCE = 16;
const WORDS = ['tide', 'harbour', 'lamp', 'crane', 'salt', 'rope', 'gull', 'anchor', 'sail', 'fog', 'deck', 'buoy'];

/** 20 words; the first one is in this text only. */
const text = number => [word(number), ...Array.from({ length: 19 }, (_, i) => WORDS[(number * 7 + i * i) % WORDS.length])].join(' ');
/** Answers may cut a text after 100 characters. */
const begin = number => text(number).slice(0, 80);
const word = number => `mark${number}x`;
const resident = pid => Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))[1]) / 1024;
const at = (sorted, share) => sorted.length === 0 ? null : sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))];
const times = list => {
    const sorted = list.toSorted((a, b) => a - b);
    return { calls: sorted.length, p50: at(sorted, 0.5), p99: at(sorted, 0.99) };
};

async function timed(list, call) {
    const began = performance.now();
    const result = await call();
    list.push(performance.now() - began);
    return result;
}

async function mcp(transport) {
    const client = new Client({ name: 'bench', version: '1.0.0' });
    await client.connect(transport);
    return {
        pid: transport.pid,
        close: () => client.close(),
        async call(tool, args) {
            const result = await client.callTool({ name: tool, arguments: args }, undefined, { timeout: 120_000 });
            if (result.isError || result.content[0]?.text?.startsWith('Failed')) {
                throw new Error(`${tool}: ${JSON.stringify(result.content).slice(0, 500)}`);
            }
            return JSON.stringify(result);
        },
    };
}

const http = credential => mcp(new StreamableHTTPClientTransport(new URL(`${url}/mcp`), { requestInit: { headers: credential } }));
const stdio = (args, env) => mcp(new StdioClientTransport({ command: 'node', args, env: { ...process.env, ...env }, stderr: 'ignore' }));

/** The servers with memories: how to connect, to store and to search. */
const MEMORIES = {
    engine: {
        connect: () => http({ 'X-API-Key': key }),
        begin: server => server.call('MB_Create', { vx: { name: 'bench', description: 'Of the benchmark.' } }),
        store: (server, i) => server.call('MB_Store', { target: { bank: 'bench' }, content: text(i) }),
        search: (server, query) => server.call('MB_Search', { target: { bank: 'bench' }, content: query }),
    },
    'server-memory': {
        connect: () => stdio(['node_modules/@modelcontextprotocol/server-memory/dist/index.js'], { MEMORY_FILE_PATH: `${folder}/memory.jsonl` }),
        many: (server, numbers) => server.call('create_entities', { entities: numbers.map(entity) }),
        store: (server, i) => server.call('create_entities', { entities: [entity(i)] }),
        search: (server, query) => server.call('search_nodes', { query }),
    },
    'mcp-memory-keeper': {
        connect: () => stdio(['node_modules/mcp-memory-keeper/dist/index.js'], { DATA_DIR: folder }),
        begin: server => server.call('context_session_start', { name: 'bench' }),
        store: (server, i) => server.call('context_save', { key: `memory-${i}`, value: text(i) }),
        search: (server, query) => server.call('context_search', { query }),
        searchAgain: (server, query) => server.call('context_search_all', { query }), // In the sessions before, too.
    },
};
const entity = i => ({ name: `memory ${i}`, entityType: 'memory', observations: [text(i)] });

/** Stores as many memories as there should be, some at once and the last ones one after the other, and searches them. */
async function memories() {
    const peer = MEMORIES[name];
    const server = await peer.connect();
    await peer.begin?.(server);
    const until = performance.now() + 1_000 * seconds;
    let stored = 0;
    while (stored < size - SEARCHES && performance.now() < until) {
        const count = Math.min(peer.many ? 500 : AT_ONCE, size - SEARCHES - stored);
        const numbers = Array.from({ length: count }, (_, i) => stored + i);
        await (peer.many ? peer.many(server, numbers) : Promise.all(numbers.map(i => peer.store(server, i))));
        stored += count;
    }
    const end = Math.min(size, stored + SEARCHES);
    const stores = [];
    for (; stored < end && performance.now() < until + 1_000 * seconds; stored++) {
        await timed(stores, () => peer.store(server, stored));
    }
    const searches = [];
    let found = 0;
    for (let i = 0; i < SEARCHES; i++) {
        const number = Math.floor((i * stored) / SEARCHES);
        const answer = await timed(searches, () => peer.search(server, word(number)));
        found += answer.includes(begin(number)) ? 1 : 0;
    }
    const result = {
        stored,
        store: times(stores),
        search: times(searches),
        found,
    };
    if (server.pid) {
        result.resident = resident(server.pid);
        process.kill(server.pid, 'SIGKILL');
        const again = await peer.connect();
        result.survived = 0;
        for (let i = 0; i < SEARCHES; i++) {
            const number = Math.floor((i * stored) / SEARCHES);
            const answer = await (peer.searchAgain ?? peer.search)(again, word(number));
            result.survived += answer.includes(begin(number)) ? 1 : 0;
        }
        await again.close();
    } else {
        await server.close();
    }
    return result;
}

/** Counts which of some memories the engine has after it was killed and started again. */
async function survivors() {
    const server = await MEMORIES.engine.connect();
    let survived = 0;
    for (let i = 0; i < SEARCHES; i++) {
        const number = Math.floor((i * size) / SEARCHES);
        survived += (await MEMORIES.engine.search(server, word(number))).includes(begin(number)) ? 1 : 0;
    }
    await server.close();
    return { survived };
}

/** Ada sends messages to Grace, who waits for each. */
async function messages() {
    const [ada, grace] = [await http({ 'X-API-Key': key }), await http({ 'X-API-Key': otherKey })];
    const sends = [];
    const arrivals = [];
    for (let i = 0; i < WARM + Number(size); i++) {
        const began = performance.now();
        const waiting = grace.call('AP_Wait', { wait_seconds: 30 });
        await timed(sends, () => ada.call('AP_Chat', { target: { agent: 'Grace' }, content: text(i) }));
        if (!(await waiting).includes(word(i))) {
            throw new Error('another message arrived');
        }
        arrivals.push(performance.now() - began);
    }
    await Promise.all([ada.close(), grace.close()]);
    return { sent: WARM + Number(size), send: times(sends.slice(WARM)), arrival: times(arrivals.slice(WARM)) };
}

function start(script, ...args) {
    const child = spawn('node', [script, ...args], { stdio: ['ignore', 'pipe', 'inherit'] });
    process.on('exit', () => child.kill());
    return new Promise((resolve, reject) => {
        createInterface({ input: child.stdout }).once('line', line => resolve({ child, address: line.slice('ready '.length) }));
        child.once('exit', () => reject(new Error(`${script} ended`)));
    });
}

async function a2a() {
    const send = (client, i) => client.sendMessage({
        tenant: '',
        message: {
            messageId: crypto.randomUUID(),
            contextId: '',
            taskId: '',
            role: 1,
            parts: [{ content: { $case: 'text', value: text(i) }, filename: '', mediaType: 'text/plain' }],
            extensions: [],
            referenceTaskIds: [],
        },
    });
    const first = await start('a2a.mjs');
    const client = await new ClientFactory().createFromUrl(first.address);
    const sends = [];
    const tasks = [];
    for (let i = 0; i < WARM + Number(size); i++) {
        tasks.push((await timed(sends, () => send(client, i))).id);
    }
    const memory = resident(first.child.pid);
    first.child.removeAllListeners('exit');
    first.child.kill('SIGKILL');
    const second = await start('a2a.mjs', new URL(first.address).port);
    const again = await new ClientFactory().createFromUrl(second.address);
    let survived = 0;
    for (const id of tasks) {
        survived += await again.getTask({ tenant: '', id }).then(() => 1, () => 0);
    }
    return { sent: tasks.length, send: times(sends.slice(WARM)), resident: memory, survived };
}

/** The official server's tool that returns its argument: what a call costs that does nothing. */
async function echo() {
    const { child, address } = await start('echo.mjs');
    const server = await mcp(new StreamableHTTPClientTransport(new URL(address)));
    const calls = [];
    for (let i = 0; i < WARM + Number(size); i++) {
        await timed(calls, () => server.call('echo', { text: text(i) }));
    }
    return { call: times(calls.slice(WARM)), resident: resident(child.pid) };
}

console.log(JSON.stringify(await { memories, survivors, messages, a2a, echo }[what]()));
process.exit(0);
