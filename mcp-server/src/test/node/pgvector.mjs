// PostgreSQL with pgvector, in memory. Prints its port, and ends with its input.
import { PGlite } from '@electric-sql/pglite';
import { vector } from '@electric-sql/pglite-pgvector';
import { createServer } from 'node:net';

const PROTOCOL = 196608;
const CANCELLATION = 80877102;
const db = await PGlite.create({ extensions: { vector } });

// There is one session. A connection has it for its messages up to Sync, and until the end of its transaction; others wait.
const waiting = [];
let owner = null;

function take(socket) {
  if (owner === null) {
    owner = socket;
    return Promise.resolve();
  }
  return new Promise(resolve => waiting.push({ socket, resolve }));
}

function give() {
  const next = waiting.shift();
  owner = next?.socket ?? null;
  next?.resolve();
}

// The settings of the connection that the session works for.
let settings = '';

// Settings last until a connection is closed. Here another connection may have set others since.
async function use(socket) {
  if (socket.settings && socket.settings !== settings) await db.query(socket.settings);
  settings = socket.settings ?? settings;
}

function keepSettings(socket, message) {
  const statement = /SELECT set_config\([^$\0]*, false\)/.exec(message.toString('latin1'))?.[0];
  if (statement) settings = socket.settings = statement;
}

// The session has what all connections listen to, and would notify whichever connection it works for.
const listeners = new Map();

function listen(socket, message) {
  const name = /\bLISTEN (\w+)/.exec(message.toString('latin1'))?.[1];
  if (name) listeners.set(name, [...(listeners.get(name) ?? []), socket]);
}

// Passes notifications to the connections that listen, and everything else to the one that sent the message.
function pass(output, socket) {
  for (let at = 0; at < output.length;) {
    const message = output.subarray(at, at + 1 + output.readInt32BE(at + 1));
    at += message.length;
    const receivers = message[0] === 'A'.charCodeAt(0) ? listeners.get(message.toString('latin1', 9, message.indexOf(0, 9))) ?? [] : [socket];
    receivers.filter(receiver => receiver.writable).forEach(receiver => receiver.write(message));
  }
}

function serve(socket) {
  let input = Buffer.alloc(0);
  let started = false;
  let batch = [];
  let work = Promise.resolve();

  const run = messages => {
    work = work.then(async () => {
      if (owner !== socket) {
        await take(socket);
        await use(socket);
      }
      for (const message of messages) {
        keepSettings(socket, message);
        listen(socket, message);
        pass(Buffer.from(await db.execProtocolRaw(message)), socket);
      }
      if (!db.isInTransaction()) give();
    });
  };

  const end = () => {
    work = work.then(async () => {
      if (owner === socket) {
        await db.exec('ROLLBACK');
        give();
      }
    });
  };

  const start = message => {
    const code = message.readInt32BE(4);
    started = code === PROTOCOL;
    if (started) run([message]);
    else if (code === CANCELLATION) socket.end();
    else socket.write('N'); // Neither TLS nor GSSAPI.
  };

  const receive = message => {
    const type = String.fromCharCode(message[0]);
    if (type === 'X') return socket.end();
    batch.push(message);
    if ('QSp'.includes(type)) {
      run(batch);
      batch = [];
    }
  };

  socket.on('data', data => {
    input = Buffer.concat([input, data]);
    for (;;) {
      const at = started ? 1 : 0; // Before the length is the type, except at the start.
      if (input.length < at + 4 || input.length < at + input.readInt32BE(at)) return;
      const message = input.subarray(0, at + input.readInt32BE(at));
      input = input.subarray(message.length);
      if (started) receive(message);
      else start(message);
    }
  });
  socket.on('error', () => {});
  socket.on('close', end);
}

const server = createServer(serve);
server.listen(0, '127.0.0.1', () => console.log(server.address().port));
process.stdin.resume().on('end', () => process.exit());
