// A list of which only the rows in sight are elements, however long it is. Rows have one height; more are fetched as the end comes near.
// It scrolls by itself, within what the window has left below its beginning; on a phone the page scrolls instead.
import { el } from '../dom.js';
import { announce, number, redrawn } from './ui.js';

const MORE = 8;
const MOST_PAGES = 60; // That are fetched one after another to reach a place far down.

export function virtualList({ height, row, label, more, empty }) {
  const inner = el('div', { class: 'virtual-inner', role: 'list', 'aria-label': label });
  const box = el('div', { class: 'virtual', tabindex: '0', role: 'group', 'aria-label': label }, inner);
  let items = [];
  let shown = new Map();
  let fetching = null;
  let failed = null;
  let through = !more;
  let placing = null; // It is scrolled to where it was.
  let isBack = false; // Whether it is to be where it was because somebody went back.

  // How much of the rows is above what can be seen of them, and where that ends.
  function seen() {
    const { top, bottom } = box.getBoundingClientRect();
    const start = inner.getBoundingClientRect().top;
    return [Math.max(top, 0) - start, Math.min(bottom, innerHeight) - start];
  }

  function draw() {
    if (box.isConnected && !box.offsetParent) return; // It is not shown.
    if (box.isConnected) box.style.setProperty('--from', `${Math.round(box.getBoundingClientRect().top + scrollY)}px`);
    const [above, end] = seen();
    const first = Math.max(0, Math.min(Math.floor(above / height) - MORE, items.length - 2 * MORE));
    const last = Math.min(items.length, Math.max(Math.ceil(end / height) + MORE, 2 * MORE));
    inner.style.height = `${items.length * height}px`;
    const places = Array.from({ length: Math.max(0, last - first) }, (_, i) => first + i);
    // The row with the focus stays, wherever it is.
    const focused = items.indexOf([...shown].find(([, element]) => element.contains(document.activeElement))?.[0]);
    if (focused >= 0 && focused < first) places.unshift(focused);
    if (focused >= last) places.push(focused);
    const next = new Map(places.map((i) => [items[i], shown.get(items[i])]));
    for (const [item, element] of shown) if (!next.has(item)) element.remove();
    let before = null;
    for (const i of places) {
      // In the order of reading, which is that of the Tab key. What is there is not moved: that would take its focus.
      const known = next.get(items[i]);
      const element = known ?? el('div', { class: 'virtual-row', role: 'listitem' }, row(items[i]));
      element.style.transform = `translateY(${i * height}px)`;
      element.style.height = `${height}px`;
      element.setAttribute('aria-setsize', through ? items.length : -1);
      element.setAttribute('aria-posinset', i + 1);
      if (!known) inner.insertBefore(element, before ? before.nextSibling : inner.firstChild);
      next.set(items[i], element);
      before = element;
    }
    shown = next;
    // A list that is not in the page, or no longer, fetches nothing but its first entries.
    if (box.isConnected && !through && !fetching && !failed && last > items.length - 40) fetch();
  }

  const fetch = () => (fetching ??= nextPage());

  async function nextPage() {
    try {
      const page = await more(items.length === 0);
      items = items.concat(page.items);
      through = !page.more;
    } catch (error) {
      failed = el(
        'p',
        { class: 'problem', role: 'alert' },
        `${error.message} `,
        el('button', { type: 'button', class: 'quiet', click: again }, 'Try again'),
      );
      box.append(failed);
    } finally {
      fetching = null;
    }
    if (!items.length && through && empty)
      inner.replaceChildren(el('p', { class: 'soft pad', role: 'listitem' }, empty()));
    else draw();
  }

  // Fetches until there is enough, or no more, while the list is in sight.
  async function until(isEnough) {
    await ready;
    for (let pages = 0; pages < MOST_PAGES && box.offsetParent && !through && !failed && !isEnough(); pages++)
      await fetch();
  }

  function center(index) {
    draw(); // It has its height then.
    const top = index * height;
    if (top < box.scrollTop || top + height > box.scrollTop + box.clientHeight)
      box.scrollTop = top - (box.clientHeight - height) / 2;
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

  // What is shown stays; the rest is fetched when the reader asks for it again.
  function again() {
    if (failed.contains(document.activeElement)) box.focus();
    failed.remove();
    failed = null;
    fetch();
  }

  box.addEventListener('scroll', () => requestAnimationFrame(draw), { passive: true });
  // Of the page; a list that is no longer in it is not listened for.
  const scrolled = () => (box.isConnected ? requestAnimationFrame(draw) : removeEventListener('scroll', scrolled));
  new ResizeObserver(() => {
    addEventListener('scroll', scrolled, { passive: true });
    draw();
  }).observe(box);
  const ready = more ? fetch() : null;
  return {
    element: box,
    ready, // Once its first rows are drawn, or could not be read.
    isAtTop: () => seen()[0] < 40,
    unshift(item) {
      if (!items.length) inner.replaceChildren();
      items = [item, ...items];
      if (box.scrollTop > 0) box.scrollTop += height;
      else if (seen()[0] > height) scrollBy(0, height); // What is being read stays where it is.
      draw();
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
    get isFailed() {
      return Boolean(failed);
    },
    // Once an entry was found, or there is none: pages may be empty although there are more.
    settled: () => until(() => items.length > 0),
    // What a screen reader reads out after the list was filtered.
    get summary() {
      if (failed || (!items.length && !through)) return '';
      return items.length ? `${label}: ${number(items.length)}${through ? '' : ' or more'}` : empty();
    },
  };
}

// Puts a list into its place. If the page is shown already, somebody has filtered the list, and a screen reader reads out what was found.
export function showList(place, list) {
  const isShown = place.isConnected;
  redrawn(place, () => place.replaceChildren(list.element));
  if (isShown) list.settled().then(() => list.element.isConnected && announce(list.summary));
}

// A place for a list that is read again and again. What is shown stays until there is what replaces it, so that the focus finds its control.
export function listPlace(place, make, isWanted) {
  let list;
  let reads = 0;
  let shown = 0;
  return {
    fill() {
      shown = ++reads;
      list = make();
      showList(place, list);
    },
    seek: (fits, isAfter) => list.seek(fits, isAfter),
    get ready() {
      return list.ready;
    },
    get items() {
      return list.items;
    },
    get isEmpty() {
      return list.isEmpty;
    },
    // Returns whether it is up to date: while somebody reads further down, or if it cannot be read, nothing is replaced.
    async refresh() {
      if (!list.isAtTop()) return false;
      const read = ++reads;
      const next = make();
      await next.ready;
      if (read < shown || !isWanted()) return true;
      if (next.isFailed || !list.isAtTop()) return false;
      shown = read;
      list = next;
      redrawn(place, () => place.replaceChildren(list.element));
      return true;
    },
  };
}
