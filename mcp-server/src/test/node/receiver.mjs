// A customer's receiver over HTTPS that verifies every delivery three times: with standardwebhooks, with svix, and by hand as the contract says.
// Standard input: a line "<path> <secret>" for each endpoint, or "report"; standard output: "listening <port>", and for "report" what came so far, as JSON.
import { createHmac, timingSafeEqual } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:https';
import { createInterface } from 'node:readline';
import { Webhook as Standard } from 'standardwebhooks';
import { Webhook as Svix } from 'svix';

const secrets = new Map();
const ids = new Set();
const deliveries = new Set();
const counts = { received: 0, standardwebhooks: 0, svix: 0, byHand: 0, longest: 0, problems: [] };

function byHand(secret, header, body) {
    const parts = header.split(',').map(part => part.split('='));
    const seconds = parts.find(([name]) => name === 't')[1];
    if (Math.abs(Date.now() / 1000 - Number(seconds)) > 300) {
        throw new Error('too old');
    }
    const expected = createHmac('sha256', secret).update(`${seconds}.`).update(body).digest();
    const good = parts
        .filter(([name]) => name === 'v1')
        .some(([, hex]) => timingSafeEqual(Buffer.from(hex, 'hex'), expected));
    if (!good) {
        throw new Error('does not match');
    }
}

function check(name, verify) {
    try {
        verify();
        counts[name]++;
    } catch (e) {
        counts.problems.push(`${name}: ${e.message}`);
    }
}

// A machine that is too slow for the load leaves requests in the socket after the engine has given them up and sent them
// again: one older than the 5 minutes is refused, as every receiver does, and one that comes again counts once.
function take(request, body) {
    if (Date.now() / 1000 - Number(request.headers['webhook-timestamp']) > 300) {
        return 400;
    }
    const delivery = `${request.url} ${request.headers['webhook-id']}`;
    if (deliveries.has(delivery)) {
        return 200;
    }
    deliveries.add(delivery);
    const secret = secrets.get(request.url);
    counts.received++;
    counts.longest = Math.max(counts.longest, body.length);
    check('standardwebhooks', () => new Standard(secret).verify(body, request.headers));
    check('svix', () => new Svix(secret).verify(body, request.headers));
    check('byHand', () => byHand(secret, request.headers['x-service-signature'], body));
    const id = JSON.parse(body.toString('utf8')).id;
    if (id !== request.headers['webhook-id']) {
        counts.problems.push('the id is not that of the header');
    }
    ids.add(id);
    return 200;
}

const tls = { cert: readFileSync(process.env.CERT), key: readFileSync(process.env.KEY) };
const server = createServer(tls, (request, response) => {
    const chunks = [];
    request.on('data', chunk => chunks.push(chunk));
    request.on('end', () => {
        if (request.method === 'POST') {
            response.statusCode = take(request, Buffer.concat(chunks));
        }
        response.end();
    });
});
server.listen(0, '127.0.0.1', () => console.log(`listening ${server.address().port}`));
createInterface({ input: process.stdin }).on('line', line => {
    if (line === 'report') {
        console.log(JSON.stringify({ ...counts, events: ids.size, problems: counts.problems.slice(0, 10) }));
    } else {
        secrets.set(...line.split(' '));
    }
});
