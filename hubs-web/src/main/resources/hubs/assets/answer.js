// What a tool answered, for people: lists as tables, records as facts, texts as texts.
import { el } from './dom.js';

const COLUMNS = 5;
const LONG = 160;
// What most readers look for comes first; what only programs need is left to the whole answer.
const FIRST = [
  'name',
  'title',
  'text',
  'snippet',
  'from',
  'user',
  'agent',
  'bank',
  'domain',
  'zone',
  'description',
  'state',
  'access',
  'created_at',
  'at',
];
const ASIDE = new Set(['header', 'status', 'next_cursor']);

const words = (name) => name.replaceAll('_', ' ');
const isRecord = (value) => value !== null && typeof value === 'object' && !Array.isArray(value);
const place = (name) => (FIRST.includes(name) ? FIRST.indexOf(name) : FIRST.length);

function plain(value) {
  if (value === null || value === undefined || value === '') return '–';
  if (Array.isArray(value)) return value.length ? value.map(plain).join(', ') : '–';
  if (isRecord(value))
    return (
      value.name ??
      value.id ??
      Object.entries(value)
        .map(([name, inner]) => `${words(name)} ${plain(inner)}`)
        .join(', ')
    );
  if (value === true) return 'yes';
  if (value === false) return 'no';
  const text = String(value);
  if (/^\d{4}-\d\d-\d\dT[\d:.]+Z$/.test(text)) return new Date(text).toLocaleString();
  return text.length > LONG ? `${text.slice(0, LONG)}…` : text;
}

function table(name, rows) {
  const names = [...new Set(rows.flatMap((row) => Object.keys(row)))]
    .sort((one, other) => place(one) - place(other))
    .filter((column) => rows.some((row) => plain(row[column]) !== '–'))
    .slice(0, COLUMNS);
  return el(
    'div',
    { class: 'scroll', tabindex: '0', role: 'region', 'aria-label': words(name) },
    el(
      'table',
      {},
      el('thead', {}, el('tr', {}, ...names.map((column) => el('th', { scope: 'col' }, words(column))))),
      el(
        'tbody',
        {},
        ...rows.map((row) =>
          el('tr', {}, ...names.map((column) => el('td', { 'data-head': words(column) }, plain(row[column])))),
        ),
      ),
    ),
  );
}

function facts(record) {
  return el(
    'dl',
    { class: 'facts' },
    ...Object.entries(record)
      .filter(([, value]) => plain(value) !== '–')
      .flatMap(([name, value]) => [
        el('dt', {}, words(name)),
        el('dd', {}, typeof value === 'string' && value.length > LONG ? value : plain(value)),
      ]),
  );
}

function part(name, value) {
  if (Array.isArray(value) && value.length === 0) return el('p', { class: 'hint' }, `${words(name)}: none`);
  if (Array.isArray(value) && value.length === 1 && isRecord(value[0]))
    return el('div', { class: 'card' }, facts(value[0]));
  if (Array.isArray(value) && value.every(isRecord)) return table(name, value);
  if (isRecord(value)) return el('div', { class: 'card' }, facts(value));
  return el('p', {}, el('b', {}, `${words(name)}: `), plain(value));
}

// The parts of an envelope that carry what was asked for.
export function answer(envelope) {
  return Object.entries(envelope)
    .filter(([name, value]) => !ASIDE.has(name) && value !== null)
    .map(([name, value]) => part(name, value));
}
