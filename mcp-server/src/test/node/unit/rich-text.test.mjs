// How what somebody wrote is read: node --test unit/*.test.mjs
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { blocks, inline } from '../../../../../hubs-web/src/main/resources/hubs/assets/console/rich-text.js';

const item = (text, ...lists) => ({ text, lists });
const bullets = (...items) => ({ ordered: false, start: 1, items });
const numbers = (start, ...items) => ({ ordered: true, start, items });
const links = (text) => inline(text).filter((one) => one.href).map((one) => one.href);

test('what is between lines of three backticks is code', () => {
  assert.deepEqual(blocks('Look:\n```js\nconst a = 1;\n\nconst b = 2;\n```\nDone.'), [
    { text: 'Look:' },
    { code: 'const a = 1;\n\nconst b = 2;' },
    { text: 'Done.' },
  ]);
  assert.deepEqual(blocks('```\nnever closed'), [{ code: 'never closed' }]);
  assert.deepEqual(blocks('```\n- no list\n```'), [{ code: '- no list' }]);
  assert.deepEqual(blocks('a\n\n  b'), [{ text: 'a\n\n  b' }]);
  assert.deepEqual(blocks('no ``` code ```'), [{ text: 'no ``` code ```' }]);
  assert.deepEqual(blocks(' \n'), []);
});

test('lists are lists, and their numbers stay', () => {
  assert.deepEqual(blocks('To do:\n- one\n* two\n• three\nThen rest.'), [
    { text: 'To do:' },
    { list: bullets(item('one'), item('two'), item('three')) },
    { text: 'Then rest.' },
  ]);
  assert.deepEqual(blocks('3. three\n4) four'), [{ list: numbers(3, item('three'), item('four')) }]);
  assert.deepEqual(blocks('- a\n1. b'), [{ list: bullets(item('a')) }, { list: numbers(1, item('b')) }]);
  assert.deepEqual(blocks('- a\n  goes on\n  - b\n    - c\n- d'), [
    { list: bullets(item('a\ngoes on', bullets(item('b', bullets(item('c'))))), item('d')) },
  ]);
});

test('what only looks like a list is text', () => {
  for (const text of ['-no', '2026-01-02 it rained', '1.5 litres', '-', '- ', '--- a ---', '*bold* words', '20261. no'])
    assert.deepEqual(blocks(text), text.trim() ? [{ text: text.trim() }] : [], text);
});

test('addresses are links, without what ends the sentence', () => {
  assert.deepEqual(inline('See https://example.com/a, or (http://example.com/b_(c)).'), [
    { text: 'See ' },
    { href: 'https://example.com/a', text: 'https://example.com/a' },
    { text: ', or (' },
    { href: 'http://example.com/b_(c)', text: 'http://example.com/b_(c)' },
    { text: ').' },
  ]);
  assert.deepEqual(links('HTTPS://Example.com/X?a=1&b=2#c!'), ['https://example.com/X?a=1&b=2#c']);
  assert.deepEqual(links('**https://example.com** and <https://example.org>'), ['https://example.com/', 'https://example.org/']);
});

test('a link with words says where it leads', () => {
  assert.deepEqual(inline('[https://bank.example](https://evil.example/x) `[a](https://b.example)`'), [
    { href: 'https://evil.example/x', text: 'https://bank.example', host: 'evil.example' },
    { text: ' ' },
    { code: '[a](https://b.example)' },
  ]);
});

test('everything else is text', () => {
  for (const text of [
    'javascript:alert(1)',
    '[a](javascript:alert(1))',
    '[a](data:text/html,x)',
    'ftp://example.com',
    'file:///etc/passwd',
    'https://user:secret@example.com/',
    'https://good.example@evil.example/',
    'https://example.com/\u202egnp.exe',
    'https://exa\u200bmple.com',
    'https://good.example\\@evil.example',
    'https://',
    'http://.',
    '<img src=x onerror=alert(1)>',
  ])
    assert.deepEqual(links(text), [], text);
  assert.equal(inline('<b>https://example.com</b>').map((one) => one.text).join(''), '<b>https://example.com</b>');
});

test('long texts are read in time that grows with them', () => {
  for (const text of ['- '.repeat(32_000), '[a]('.repeat(16_000), 'https://'.repeat(8_000), '`'.repeat(64_000), '\n'.repeat(64_000), `https://a.example/${')'.repeat(60_000)}`]) {
    assert.equal(blocks(text).length < 64_000, true);
    inline(text);
  }
});
