// The audit and the events of the workspace as one list, newest first.
import { call } from './api.js';
import { entryOf } from './sentences.js';
import { compact } from './parts.js';

const PAGE = 200;

// Pages of the audit.
function audit(filter) {
  let cursor;
  return async () => {
    const body = await call('AC_Audit', { ...filter, page: compact({ limit: PAGE, cursor }) });
    cursor = body.next_cursor;
    return { items: body.entries, more: Boolean(cursor) };
  };
}

// Pages of the feed. It is read from its end, which its numbers allow: they have no gaps.
function events({ since, until }) {
  let upper;
  let oldest = 1;
  return async () => {
    if (upper === undefined) {
      const body = await call('WH_Feed', { limit: 1 });
      upper = body.latest;
      oldest = body.oldest ?? 1;
    }
    const first = Math.max(upper - PAGE, oldest - 1);
    const found = [];
    for (let after = first; after < upper;) {
      const body = await call('WH_Feed', { after, limit: Math.min(PAGE, upper - after) });
      if (!body.events.length) break;
      found.push(...body.events);
      after = body.next_after;
    }
    upper = first;
    const items = found
      .reverse()
      .map(entryOf)
      .filter(
        (entry) =>
          (!since || Date.parse(entry.at) >= Date.parse(since)) && (!until || Date.parse(entry.at) < Date.parse(until)),
      );
    return {
      items,
      more: upper >= oldest && found.length > 0 && !(since && Date.parse(found.at(-1).created_at) < Date.parse(since)),
    };
  };
}

// Newest first. The sources give times of different precision, which as texts would not compare.
const newer = (a, b) => Date.parse(b) - Date.parse(a) || (a < b ? 1 : a > b ? -1 : 0);

const none = async () => ({ items: [], more: false });

// How many pages of each source are read for one page of the list: of many events, few may be wanted.
const PAGES = 5;

// @param show all (the calls, and what the service did by itself), calls or events
// @return what reads the next entries; reads tells how many pages of the sources that took
export function timeline(filter, show) {
  const sources = [show === 'events' ? none : audit(filter), show === 'calls' ? none : events(filter)].map((read) => ({
    read,
    items: [],
    more: true,
  }));
  return async () => {
    const found = [];
    let reads = 0;
    for (let pages = 0; pages < PAGES && !found.length; pages++) {
      for (const source of sources) {
        if (source.items.length || !source.more) continue;
        const page = await source.read();
        reads += 1;
        source.items.push(...page.items.filter((entry) => show === 'events' || !entry.event || entry.own));
        Object.assign(source, { more: page.more, to: page.items.at(-1)?.at ?? source.to });
      }
      // What is older than any source was read down to may still get something before it.
      const open = sources.filter((source) => source.more);
      if (open.some((source) => !source.to)) continue;
      const [floor] = open.map((source) => source.to).sort(newer);
      for (;;) {
        const [first] = sources
          .filter((source) => source.items.length && (!floor || newer(source.items[0].at, floor) <= 0))
          .sort((a, b) => newer(a.items[0].at, b.items[0].at));
        if (!first) break;
        found.push(first.items.shift());
      }
    }
    return { items: found, more: sources.some((source) => source.items.length || source.more), reads };
  };
}
