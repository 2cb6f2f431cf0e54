// What happens, as it happens. One tab of the browser holds the stream and passes it on to the others: browsers open few
// connections to one address.
const badge = document.getElementById('live');
const listeners = new Map();
const channel = 'BroadcastChannel' in globalThis ? new BroadcastChannel('engine-live') : null;
let source;
let release;
let queued; // Ends the waiting for the stream.
let refused = 0;
let missed = false; // Whether something may have happened that no event reported.
let followed = false; // Whether this tab got its events from another one.

// Calls the listener for each event of a topic ('*': all; 'reset': read everything again). Returns what ends that.
export function on(topic, listener) {
  missed ||= badge.dataset.state !== 'on';
  if (!listeners.has(topic)) listeners.set(topic, new Set());
  listeners.get(topic).add(listener);
  return () => listeners.get(topic).delete(listener);
}

let resolveStart;
const beginning = new Promise((resolve) => {
  resolveStart = resolve;
});

// When the stream has begun. One that takes long is not waited for: the pages then read everything again once it has.
export const ready = () =>
  Promise.race([
    beginning,
    new Promise((resolve) => {
      setTimeout(resolve, 500);
    }),
  ]);

function tell(topic, data) {
  for (const listener of [...(listeners.get(topic) ?? [])]) listener(data);
  if (topic !== 'reset' && topic !== 'state')
    for (const listener of [...(listeners.get('*') ?? [])]) listener(topic, data);
}

function show(state) {
  badge.dataset.state = state;
  badge.textContent = { on: 'Live', wait: 'Connecting…', off: 'Not live' }[state];
}

function pass(topic, data) {
  channel?.postMessage({ topic, data });
  tell(topic, data);
}

// A stream that is resumed may repeat its last events. Their ids only tell from where to resume, so they are compared as a whole.
const KEPT = 500;
const passed = new Set();

function isRepeated(topic, text) {
  const event = `${topic} ${text}`;
  if (passed.has(event)) return true;
  passed.add(event);
  if (passed.size > KEPT) passed.delete(passed.values().next().value);
  return false;
}

const TOPICS = ['presence', 'messages', 'memories', 'deliveries', 'handshakes', 'documents', 'audit'];

function open() {
  source = new EventSource('/api/stream');
  source.addEventListener('open', (event) => {
    if (event.data === undefined) return; // Of the connection: the stream's own event follows, which reports that nothing more is missed.
    refused = 0;
    show('on');
    resolveStart();
    channel?.postMessage({ topic: 'state', data: 'on' });
    if (missed) pass('reset', {});
    missed = false;
  });
  source.addEventListener('reset', () => pass('reset', {}));
  for (const topic of TOPICS)
    source.addEventListener(topic, (event) => isRepeated(topic, event.data) || pass(topic, JSON.parse(event.data)));
  source.addEventListener('error', () => {
    show('wait');
    channel?.postMessage({ topic: 'state', data: 'wait' });
    // Refused: the session may have ended, as the next look shows.
    if (source.readyState === EventSource.CLOSED) {
      refused += 1;
      missed = true;
      resolveStart();
      setTimeout(look, Math.min(30_000, 500 * 2 ** refused));
    }
  });
}

async function look() {
  if (!source) return;
  const session = await fetch('/api/auth/session')
    .then((response) => response.json())
    .catch(() => null);
  if (session && !session.signed_in) ended();
  else if (source) open();
}

let whenEnded = () => {};

export function onEnded(work) {
  whenEnded = work;
}

function ended() {
  stop();
  channel?.postMessage({ topic: 'ended' });
  whenEnded();
}

export function start() {
  if (source || queued) return;
  show('wait');
  if (channel && navigator.locks) {
    queued = new AbortController();
    const { signal } = queued;
    navigator.locks
      .request(
        'engine-live',
        { signal },
        () =>
          new Promise((done) => {
            if (signal.aborted) return done(); // It was granted while it was given up.
            release = done;
            missed ||= followed; // The tab that held the stream is gone.
            open();
          }),
      )
      .catch((error) => {
        if (error.name !== 'AbortError') throw error;
      });
    channel.postMessage({ topic: 'ask' });
  } else {
    open();
  }
}

export function stop() {
  source?.close();
  source = undefined;
  queued?.abort();
  queued = undefined;
  release?.();
  release = undefined;
  show('off');
}

channel?.addEventListener('message', ({ data: { topic, data } }) => {
  if (topic === 'ended') {
    stop();
    whenEnded();
  } else if (topic === 'ask') {
    if (source && badge.dataset.state === 'on') channel.postMessage({ topic: 'state', data: 'on' });
  } else if (topic === 'state') {
    followed ||= !source;
    if (!source) show(data);
    if (data === 'on') resolveStart();
  } else if (!source) {
    tell(topic, data);
  }
});
