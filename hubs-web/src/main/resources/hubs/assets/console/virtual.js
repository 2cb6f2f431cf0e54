// A list of which only the rows in sight are elements, however long it is. The height of a row is known before it is drawn; more are fetched
// as the end comes near.
// It scrolls by itself, within what the window has left below its beginning; on a phone the page scrolls instead.
import { announce, button, draw, el, html, nothing, number, repeat } from './parts.js';

const MORE = 8;
const MOST_PAGES = 60; // That are fetched one after another to reach a place far down.

/**
 * @param height of each row, or of that of an item, in px
 * @param reader returns what reads one page after another: a promise of items, and whether there are more
 * @param key what tells one item from another, so that its row keeps its element when the list is read again
 * @param row an item as a template
 * @param isWanted whether the page of the list is still shown
 */
export function virtualList({ height, row, key = (item) => item, label, reader, empty, isWanted = () => true }) {
  const box = el('div', { class: 'virtual', tabindex: '0', role: 'group', 'aria-label': label });
  const heightOf = typeof height === 'function' ? height : () => height;
  let items = [];
  let tops = [0]; // Where each row begins, and where the last one ends.
  let fetching = null;
  let failed = null;
  let through = false;
  let read = reader();
  let reads = 0; // How often the list was begun.
  let currentRead = 0; // Which of these is shown.
  let placing = null; // It is scrolled to where it was.
  let isBack = false; // Whether it is to be where it was because somebody went back.

  // How much of the rows is above what can be seen of them, and where that ends.
  function seen() {
    const { top, bottom } = box.getBoundingClientRect();
    const start = box.firstElementChild.getBoundingClientRect().top;
    return [Math.max(top, 0) - start, Math.min(bottom, innerHeight) - start];
  }

  // Which row is at a place, in px from the beginning of the first.
  function rowAt(place) {
    let first = 0;
    let last = items.length;
    while (first < last) {
      const middle = (first + last + 1) >> 1;
      if (tops[middle] <= place) first = middle;
      else last = middle - 1;
    }
    return first;
  }

  // In the order of reading, which is that of the Tab key. The row with the focus stays, wherever it is.
  function places() {
    const [above, end] = seen();
    const first = Math.max(0, Math.min(rowAt(above) - MORE, items.length - 2 * MORE));
    const last = Math.min(items.length, Math.max(rowAt(end) + 1 + MORE, 2 * MORE));
    const found = Array.from({ length: Math.max(0, last - first) }, (_, i) => first + i);
    const had = box.contains(document.activeElement) && document.activeElement.closest('.virtual-row')?.item;
    const focused = had ? items.findIndex((item) => key(item) === key(had)) : -1;
    if (focused >= 0 && focused < first) found.unshift(focused);
    if (focused >= last) found.push(focused);
    return found;
  }

  const line = (i) =>
    html`<div
      class="virtual-row"
      role="listitem"
      aria-setsize=${through ? items.length : -1}
      aria-posinset=${i + 1}
      .style="transform: translateY(${tops[i]}px); height: ${tops[i + 1] - tops[i]}px"
      .item=${items[i]}
    >
      ${row(items[i])}
    </div>`;

  function rows() {
    if (items.length) return repeat(places(), (i) => key(items[i]), line);
    return through && empty ? html`<p class="soft pad" role="listitem">${empty()}</p>` : nothing;
  }

  function drawn() {
    if (box.isConnected && !box.offsetParent) return; // It is not shown.
    tops = [0];
    for (const item of items) tops.push(tops.at(-1) + heightOf(item));
    if (box.isConnected) box.style.setProperty('--from', `${Math.round(box.getBoundingClientRect().top + scrollY)}px`);
    draw(
      html`<div class="virtual-inner" role="list" aria-label=${label} .style="height: ${tops.at(-1)}px">
          ${box.firstElementChild ? rows() : nothing}
        </div>
        ${
          failed
            ? html`<p dir="auto" class="problem" role="alert">${failed.message} ${button('Try again', again)}</p>`
            : nothing
        }`,
      box,
    );
    // A list that is not in the page, or no longer, fetches nothing but its first entries.
    const last = Number(box.querySelector('.virtual-row:last-child')?.ariaPosInSet ?? 0);
    if (box.isConnected && currentRead && !through && !failed && last > items.length - 40) fetch();
  }

  const fetch = () => (fetching ??= nextPage());

  async function nextPage() {
    const mine = currentRead;
    let page;
    try {
      page = await read();
    } catch (error) {
      page = { error };
    }
    if (mine !== currentRead) return;
    fetching = null;
    take(page, items);
  }

  function take(page, before) {
    failed = page.error ?? null;
    items = before.concat(page.items ?? []);
    if (!failed) through = !page.more;
    drawn();
  }

  async function begin(isReplaced) {
    const mine = ++reads;
    const next = reader();
    const page = await next().catch((error) => ({ error }));
    if (mine < currentRead || !isWanted()) return true;
    if (!isReplaced(page)) return false;
    currentRead = mine;
    read = next;
    fetching = null;
    take(page, []);
    return true;
  }

  // What is shown stays; the rest is fetched when the reader asks for it again.
  function again() {
    failed = null;
    drawn();
    fetch();
  }

  // Fetches until there is enough, or no more, while the list is in sight.
  async function until(isEnough) {
    await ready;
    for (let pages = 0; pages < MOST_PAGES && box.offsetParent && !through && !failed && !isEnough(); pages++)
      await fetch();
  }

  function center(index) {
    drawn(); // It has its height then.
    const [top, end] = tops.slice(index, index + 2);
    if (top < box.scrollTop || end > box.scrollTop + box.clientHeight)
      box.scrollTop = (top + end - box.clientHeight) / 2;
  }

  async function reach(element, top) {
    const before = element.scrollTop;
    // A list that scrolls by itself makes no page taller.
    if (element === box || getComputedStyle(box).overflowY !== 'auto')
      await until(() => element.scrollHeight - element.clientHeight >= top);
    if (box.isConnected && element.scrollTop === before) element.scrollTop = top;
  }

  // Who goes back is where they were, also far down: what scrolls is the list, or the page. Unless somebody scrolls meanwhile.
  box.addEventListener('reach', ({ detail }) => {
    isBack = detail.isBack;
    placing = Promise.all([placing, reach(detail.element, detail.top)]);
  });

  const isAtTop = () => seen()[0] < 40;
  const soon = () => requestAnimationFrame(drawn);
  box.addEventListener('scroll', soon, { passive: true });
  // Of the page; a list that is no longer in it is not listened for.
  const scrolled = () => (box.isConnected ? soon() : removeEventListener('scroll', scrolled));
  new ResizeObserver(() => {
    addEventListener('scroll', scrolled, { passive: true });
    drawn();
  }).observe(box);
  drawn();
  let ready = begin(() => true); // Once its first rows are drawn, or could not be read.

  // What a screen reader reads out after the list was filtered.
  function summary() {
    if (failed || (!items.length && !through)) return '';
    return items.length ? `${label}: ${number(items.length)}${through ? '' : ' or more'}` : empty();
  }

  const list = {
    element: box,
    // Reads another list, as a filter asks for it. A screen reader reads out what was found.
    fill() {
      box.scrollTop = 0;
      ready = begin(() => true);
      if (box.isConnected) list.settled().then(() => box.isConnected && announce(summary()));
    },
    // Reads the list again. Returns whether it is up to date: while somebody reads further down, or if it cannot be read, nothing is replaced.
    async refresh() {
      return isAtTop() && begin((page) => !page.error && isAtTop());
    },
    // Draws the rows again, whose items have changed.
    draw: drawn,
    get ready() {
      return ready;
    },
    unshift(item) {
      items = [item, ...items];
      const added = heightOf(item);
      if (box.scrollTop > 0) box.scrollTop += added;
      else if (seen()[0] > added) scrollBy(0, added); // What is being read stays where it is.
      drawn();
    },
    // Scrolls to an entry of a list in the page, unless it is in sight or somebody went back. It is looked for until an entry comes after it.
    async seek(fits, isAfter) {
      await until(() => items.some(fits) || (items.length && isAfter(items.at(-1))));
      await placing;
      const index = items.findIndex(fits);
      if (index >= 0 && !isBack && box.isConnected) center(index);
    },
    get items() {
      return items;
    },
    get isEmpty() {
      return through && !items.length;
    },
    // Once an entry was found, or there is none: pages may be empty although there are more.
    settled: () => until(() => items.length > 0),
  };
  return list;
}
