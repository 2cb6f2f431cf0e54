// What a conversation shows: node --test unit/*.test.mjs
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { byTime, dayWords, Messages, notices, places, rows, sizeWords, withoutIds } from '../../../../../hubs-web/src/main/resources/hubs/assets/console/transcript-model.js';

const message = (seq, more = {}) => ({ id: `m${seq}`, seq, from: 'Ada', from_kind: 'agent', content: `${seq}`, created_at: `2026-03-02T10:00:${String(seq).padStart(2, '0')}Z`, ...more });
const ids = (list) => list.map((one) => one.id);

test('messages are in order, each once, whichever comes first', () => {
  const messages = new Messages();
  assert.deepEqual(ids(messages.add([message(3), message(4)])), ['m3', 'm4']);
  assert.deepEqual(ids(messages.add([message(1), message(3)])), ['m1']);
  assert.deepEqual(ids(messages.list), ['m1', 'm3', 'm4']);
});

test('the oldest are forgotten, and can be added again', () => {
  const messages = new Messages();
  messages.add([1, 2, 3].map((seq) => message(seq)));
  assert.equal(messages.keepLatest(3), false);
  assert.equal(messages.keepLatest(2), true);
  assert.equal(messages.has('m1'), false);
  assert.deepEqual(ids(messages.add([message(1)])), ['m1']);
});

test('an answer is counted at what it answers, and belongs to the thread of its first message', () => {
  const messages = new Messages();
  messages.add([message(1), message(2, { reply_to: 'm1' }), message(3, { reply_to: 'm2' })]);
  messages.countAnswer(message(3, { reply_to: 'm2' }));
  assert.equal(messages.get('m2').replies, 1);
  assert.equal(messages.rootOf('m3'), 'm1');
  assert.equal(messages.rootOf('m1'), 'm1');
  messages.add([message(4, { reply_to: 'far' })]);
  assert.equal(messages.rootOf('m4'), 'far');
});

test('who answers whom, whatever their names contain', () => {
  const messages = new Messages();
  messages.add([message(1, { from: 'Bo\n"' }), message(2, { reply_to: 'm1' }), message(3, { reply_to: 'm2' }), message(4, { chain: ['Cy'] })]);
  assert.deepEqual(messages.answers(), [{ from: 'Ada', to: 'Bo\n"', times: 1 }, { from: 'Ada', to: 'Cy', times: 1 }]);
});

test('each day has a line, and only the first of a group shows its author', () => {
  const list = [message(1), message(2), message(3, { from: 'Bo' }), message(4, { from: 'Bo', created_at: '2026-03-02T10:09:00Z' }), message(5, { from: 'Bo', created_at: '2026-03-04T10:00:00Z' })];
  const entries = rows(list, new Date('2026-03-05T09:00:00Z'));
  assert.deepEqual(entries.map((row) => row.day ?? (row.isFirst ? 'first' : 'next')), ['Monday 2 March', 'first', 'next', 'first', 'first', 'Yesterday', 'first']);
});

test('an answer and a question begin a group', () => {
  const entries = rows([message(1), message(2, { reply_to: 'm1' }), message(3, { question: {} }), message(4)]).filter((row) => row.message);
  assert.deepEqual(entries.map((row) => row.isFirst), [true, true, true, true]);
});

test('the same author in another place or by another key begins a group', () => {
  const entries = rows([message(1), message(2, { by_key: 'ci' }), message(3, { by_key: 'ci' }), message(4, { domain: 'd', zone: 'z' })]).filter((row) => row.message);
  assert.deepEqual(entries.map((row) => row.isFirst), [true, true, false, true]);
});

test('a day is named, with its year where that is another one', () => {
  const now = new Date(2026, 2, 5, 9);
  assert.equal(dayWords(new Date(2026, 2, 5, 1).toISOString(), now), 'Today');
  assert.equal(dayWords(new Date(2026, 2, 4, 23).toISOString(), now), 'Yesterday');
  assert.match(dayWords(new Date(2025, 11, 31, 12).toISOString(), now), /31 December 2025/);
});

test('direct conversations and rooms are kept apart', () => {
  const list = [message(1, { from: 'ann', from_kind: 'user', to: 'Ada' }), message(2, { to: 'Bo' }), message(3, { from: 'Bo', to: 'Ada' }), message(4, { domain: 'den', zone: 'main' })];
  assert.deepEqual(places('Ada', list, 'ann').map((each) => [each.title, ids(each.messages)]), [['With you', ['m1']], ['With Bo', ['m2', 'm3']], ['In rooms', ['m4']]]);
  assert.deepEqual(places('Ada', [], 'ann').map((each) => each.title), ['With you', 'In rooms']);
});

test('messages of several places are in the order of time', () => {
  const messages = new Messages(byTime);
  messages.add([message(9, { created_at: '2026-03-02T10:00:00Z' }), message(1, { created_at: '2026-03-02T10:00:00.5Z' })]);
  assert.deepEqual(ids(messages.list), ['m9', 'm1']);
});

test('sizes are in words', () => {
  assert.deepEqual([12, 2048, 3_500_000].map(sizeWords), ['12 bytes', '2 KB', '3.3 MB']);
});

test('an announcement names its task by the title, whatever is in it', () => {
  const id = '0b602ada-003d-4937-a27b-b56f641cd7cb';
  const blocked = `Blocked: 'Lay the "keel" (it's new)' (task ${id}): which wood?`;
  assert.deepEqual(notices(blocked), [{ words: 'Blocked: ', title: 'Lay the "keel" (it\'s new)', task: id, rest: ': which wood?', domain: undefined }]);
  assert.equal(notices(`For Ben: 'Paint' (task ${id}), in the domain 'Yard'`)[0].domain, 'Yard');
  assert.deepEqual(notices(`${blocked}; For Ben: 'Paint' (task ${id})`).map((one) => one.title), ['Lay the "keel" (it\'s new)', 'Paint']);
  assert.deepEqual(notices(`What about ${id}?`), []);
  assert.equal(withoutIds(blocked), `Blocked: 'Lay the "keel" (it's new)': which wood?`);
  assert.equal(withoutIds('As it is.'), 'As it is.');
});
