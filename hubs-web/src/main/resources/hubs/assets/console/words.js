// Words for times, numbers and names. They need no server.
const UNITS = [
  ['year', 31536000],
  ['month', 2592000],
  ['day', 86400],
  ['hour', 3600],
  ['minute', 60],
];
const relative = new Intl.RelativeTimeFormat('en', { numeric: 'auto', style: 'narrow' });

// In a narrow column, what has just happened is now.
export function since(date, isShort) {
  const seconds = Math.round((date - Date.now()) / 1000);
  for (const [unit, size] of UNITS)
    if (Math.abs(seconds) >= size) return relative.format(Math.trunc(seconds / size), unit);
  return isShort ? 'now' : 'just now';
}

const TIME = { hour: '2-digit', minute: '2-digit', hourCycle: 'h23' };
export const timeWords = (iso) => new Date(iso).toLocaleTimeString([], TIME);

// A day that no country reads as another one.
export const dateWords = (iso) =>
  new Date(iso).toLocaleDateString('en-GB', { day: 'numeric', month: 'short', year: 'numeric' });
export const wholeTime = (iso) => `${dateWords(iso)}, ${timeWords(iso)}`;

// The time of today, or the day and the time.
export function clockWords(iso) {
  const date = new Date(iso);
  const isToday = date.toDateString() === new Date().toDateString();
  return isToday ? timeWords(iso) : date.toLocaleString('en-GB', { day: 'numeric', month: 'short', ...TIME });
}

// What stands for somebody who has no picture.
export function face(name) {
  let sum = 0;
  for (const sign of name.toLowerCase()) sum = (sum * 31 + sign.codePointAt(0)) >>> 0;
  const words = (name.match(/[\p{L}\p{N}]+/gu) ?? [name]).slice(0, 2);
  return {
    initials: words
      .map((word) => [...word][0])
      .join('')
      .toUpperCase(),
    colour: sum % 8,
  };
}

export const number = (value) => Number(value ?? 0).toLocaleString('en');
