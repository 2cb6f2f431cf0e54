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

function serve(socket) {
  let input = Buffer.alloc(0);
  let started = false;
  let batch = [];
  let work = Promise.resolve();

  const run = messages => {
    work = work.then(async () => {
      if (owner !== socket) await take(socket);
      for (const message of messages) {
        const output = await db.execProtocolRaw(message);
        if (output.length > 0 && socket.writable) socket.write(output);
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
