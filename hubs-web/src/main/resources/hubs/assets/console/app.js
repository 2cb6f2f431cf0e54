// The console: who is signed in, which page is shown, what is live, what the keyboard does.
import { signIn, signedIn } from '../account.js';
import { identify, made, onSessionLost } from './api.js';
import * as live from './live.js';
import { announce, draw, el, head, html, nothing, problem, render } from './parts.js';
import { follow, title as tabTitle } from './needs.js';
import { apply, banner } from './view-as.js';

const main = document.getElementById('main');
const rail = document.querySelector('.rail nav');
const welcome = document.getElementById('welcome'); // The page has it for its first paint, and it is shown again after a sign-out.
let leave = () => {};
let current = 0;
let currentPage = null; // The address and the element of the page that is shown.

// Before a page is drawn, there is what the server sent.
let isBlank = true;
function fill(content) {
  if (isBlank) main.replaceChildren();
  isBlank = false;
  draw(content, main);
}

const MODULES = {
  world: () => import('./world.js'),
  inbox: () => import('./inbox.js'),
  agents: () => import('./agents.js'),
  spaces: () => import('./spaces.js'),
  memory: () => import('./memory.js'),
  documents: () => import('./documents.js'),
  keys: () => import('./keys.js'),
  webhooks: () => import('./webhooks.js'),
  upstreams: () => import('./upstreams.js'),
  rules: () => import('./rules.js'),
  activity: () => import('./activity.js'),
  settings: () => import('./settings.js'),
};

export function go(path, replace = false) {
  if (path === location.pathname + location.search && !replace) return;
  // How far this page and its lists are scrolled: whoever goes back is there again.
  if (!replace) history.replaceState({ scrolled: scrollY, lists: scrolledLists(main) }, '');
  history[replace ? 'replaceState' : 'pushState'](null, '', path);
  show(replace ? { page: null } : {});
}

// Which lists scroll by themselves and how far they are scrolled, by their labels. What is said last stays in sight by itself.
function scrolledLists(place) {
  const lists = [...place.querySelectorAll('[aria-label]:not(.transcript)')].filter((one) => one.scrollTop > 0);
  return Object.fromEntries(lists.map((one) => [one.getAttribute('aria-label'), one.scrollTop]));
}

// A list of which only the beginning is there first fetches the rest.
function reach(list, element, top, isBack) {
  if (list.matches('.virtual')) list.dispatchEvent(new CustomEvent('reach', { detail: { element, top, isBack } }));
  else element.scrollTop = top;
}

function place() {
  const [page, ...rest] = location.pathname.slice('/console/'.length).split('/');
  return {
    page,
    parts: rest.map((part) => {
      try {
        return decodeURIComponent(part);
      } catch {
        return part;
      }
    }),
    query: new URLSearchParams(location.search),
  };
}

// On another page of the same kind: the link to the same place, or the only control of this name.
function findAgain(had) {
  if (had.classList.contains('danger')) return null; // It may be that of something else.
  const name = (one) => one.getAttribute('href') ?? one.getAttribute('aria-label') ?? one.textContent.trim();
  const alike = [...main.querySelectorAll(had.tagName)].filter((one) => name(one) === name(had));
  return alike.length === 1 || had.hasAttribute('href') ? alike[0] : null;
}

// The title of a page, without what its entry counts.
const titleOf = (entry) => entry.querySelector('span').textContent;
function currentTitle() {
  const entry = rail.querySelector('[aria-current]');
  return entry ? titleOf(entry) : 'Console';
}

// Scrolls to the given place of the page, if there is one, and of its lists.
async function show({ page: scrolled = 0, lists } = {}) {
  const at = place();
  const turn = ++current;
  const load = MODULES[at.page];
  if (!load) return go('/console/world', true);
  for (const entry of rail.children) {
    if (entry.dataset.page !== at.page) {
      entry.removeAttribute('aria-current');
      continue;
    }
    entry.setAttribute('aria-current', 'page');
    if (main.dataset.page === at.page) continue;
    // On a phone the rail is wider than the window. Only the rail scrolls: scrollIntoView would scroll the page, too.
    const [inside, around] = [entry.getBoundingClientRect(), rail.getBoundingClientRect()];
    rail.scrollLeft += inside.left + inside.width / 2 - around.left - around.width / 2;
  }
  const module = await load();
  if (turn !== current) return;
  const title = currentTitle();
  let words = [...at.parts].reverse().concat(title).filter(Boolean).join(' · ');
  tabTitle(`${words} · Agent Workspace Engine`);
  leave();
  leave = () => {};
  made.length = 0;
  const wasPage = main.dataset.page;
  main.dataset.page = at.page;
  const path = location.pathname + location.search;
  // A page that is read again is drawn over what it was: its elements stay, and with them the focus and what is being written.
  const view = currentPage?.path === path ? currentPage.view : el('div', { class: `view page-${at.page}` });
  delete view.dataset.title;
  const offs = [];
  const isHere = () => turn === current;
  // A page that was left while it was read listens to nothing.
  const on = (topic, listener) => {
    if (isHere()) offs.push(live.on(topic, listener));
  };
  const context = { at, view, go, on, isHere };
  leave = () => {
    for (const off of offs) off();
  };
  main.setAttribute('aria-busy', 'true');
  try {
    await module.show(context);
  } catch (error) {
    render(html`${head(title)} ${problem(error)}`, view);
  }
  if (!isHere()) return;
  if (view.dataset.title) {
    // A part of the page that its address does not name.
    words = `${view.dataset.title} · ${words}`;
    tabTitle(`${words} · Agent Workspace Engine`);
  }
  // On the same page, the list from which something was chosen stays where it is.
  const kept = lists ?? (wasPage !== at.page ? {} : scrolledLists(main));
  const isKept = (list) => lists || scrolled === null || list.closest('.side');
  const had = main.contains(document.activeElement) ? document.activeElement : null;
  currentPage = { path: location.pathname + location.search, view };
  fill(html`${banner(go) ?? nothing}${view}`);
  if (had && !had.isConnected) findAgain(had)?.focus({ preventScroll: true });
  main.removeAttribute('aria-busy');
  // The title of a new page gets the focus, so that a screen reader begins there. On the same page the focus stays if its element is still
  // there, and the screen reader reads only what was chosen.
  if (wasPage && (wasPage !== at.page || document.activeElement === main) && !document.querySelector('dialog[open]'))
    view.querySelector('h1')?.focus({ preventScroll: true });
  else if (wasPage && scrolled !== null) announce(words);
  if (scrolled !== null) scrollTo(0, scrolled);
  const pageList = main.querySelector('.virtual');
  if (scrolled > scrollY && pageList) reach(pageList, document.documentElement, scrolled, true);
  for (const list of main.querySelectorAll('[aria-label]')) {
    const top = kept[list.getAttribute('aria-label')];
    if (top && isKept(list)) reach(list, list, top, Boolean(lists));
  }
  view.dispatchEvent(new Event('shown'));
}

function strangers() {
  live.stop();
  leave();
  leave = () => {};
  current += 1;
  delete main.dataset.page;
  welcome.querySelector('h1').textContent = currentTitle();
  welcome.querySelector('button').disabled = false;
  welcome.hidden = false;
  currentPage = null;
  fill(html`${welcome}`);
  main.removeAttribute('aria-busy');
}

async function boot() {
  if (!signedIn()) return strangers();
  MODULES[place().page]?.(); // It is evaluated while the service answers.
  live.start(); // Before anything is read: what happens meanwhile is not missed.
  try {
    if (!(await identify())) return strangers();
  } catch (error) {
    fill(problem(error));
    main.removeAttribute('aria-busy');
    return;
  }
  apply();
  follow();
  await live.ready();
  await show();
}

welcome.querySelector('button').addEventListener('click', () => signIn(boot));
onSessionLost(strangers);
live.onEnded(() => {
  document.getElementById('account-button').dispatchEvent(new CustomEvent('forget'));
  location.reload();
});

history.scrollRestoration = 'manual'; // Each page is read anew: the browser would scroll before it is drawn.
addEventListener('popstate', (event) => show({ page: event.state?.scrolled, lists: event.state?.lists ?? {} }));
// The link to the content would be an address of its own, and going to it would draw the page anew.
document.querySelector('.skip').addEventListener('click', (event) => {
  event.preventDefault();
  main.focus();
});
document.addEventListener('click', (event) => {
  const link = event.target.closest('a[href^="/console/"]');
  if (
    !link ||
    event.defaultPrevented ||
    event.button ||
    event.metaKey ||
    event.ctrlKey ||
    event.shiftKey ||
    link.target
  )
    return;
  event.preventDefault();
  go(link.getAttribute('href'));
});

// ⌘K anywhere; g and a letter for the pages, unless there was a click in between.
let isAfterG = false;
document.addEventListener('pointerdown', () => (isAfterG = false));
document.addEventListener('keydown', (event) => {
  if ((event.metaKey || event.ctrlKey) && event.key.toLowerCase() === 'k') {
    event.preventDefault();
    find();
    return;
  }
  if (event.metaKey || event.ctrlKey || event.altKey || event.target.closest('input, textarea, select, dialog')) return;
  if (event.key === 'g') isAfterG = true;
  else if (isAfterG) {
    const all = [...rail.children].filter((one) =>
      [one.dataset.page, one.textContent.trim().toLowerCase()].some((name) => name.startsWith(event.key)),
    );
    const entry = all[(all.findIndex((one) => one.hasAttribute('aria-current')) + 1) % all.length]; // On such a page already: the next one.
    isAfterG = false;
    if (entry && signedIn()) go(entry.getAttribute('href'));
  } else if (event.key === '/') {
    event.preventDefault();
    (main.querySelector('input[type="search"]') ?? document.getElementById('find')).focus();
  }
});

async function find() {
  if (!signedIn() || document.querySelector('dialog[open]')) return;
  (await import('./search.js')).open(
    go,
    [...rail.children].map((entry) => ({ title: titleOf(entry), path: entry.getAttribute('href') })),
  );
}

document.getElementById('find').addEventListener('click', find);
if (!/Mac|iPhone|iPad/.test(navigator.platform)) document.querySelector('#find kbd').textContent = 'Ctrl K';
boot();
