// The documentation's pages: the part that is read, and the addresses of commands.
import './prose.js';

// A key that was pasted there is not sent along in an address.
const words = document.getElementById('q');
words?.addEventListener('input', () =>
  words.setCustomValidity(/ek_\w{16}/.test(words.value) ? 'This looks like an API key; it is not sent.' : ''),
);

// Which part of the page is being read.
const contents = new Map([...document.querySelectorAll('.contents a')].map((link) => [link.hash.slice(1), link]));
if (contents.size > 0) {
  const above = new Set(); // Those that begin above a quarter of the window: the last of them is read.
  const seen = new IntersectionObserver(
    (entries) => {
      for (const { isIntersecting, target } of entries) above[isIntersecting ? 'add' : 'delete'](target.id);
      const read = [...contents.keys()].filter((id) => above.has(id)).at(-1);
      for (const [id, link] of contents)
        if (id === read) link.setAttribute('aria-current', 'true');
        else link.removeAttribute('aria-current');
    },
    { rootMargin: '1000000px 0px -75% 0px' },
  );
  for (const id of contents.keys()) seen.observe(document.getElementById(id));
}

// The page of all commands has each as a line that leads to its page in the hub.
if (location.pathname === '/docs/commands' && location.hash) {
  const command = document.getElementById(location.hash.slice(1));
  if (command instanceof HTMLAnchorElement && command.pathname !== location.pathname) location.replace(command.href);
}
