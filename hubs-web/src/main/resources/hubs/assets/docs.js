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
  const seen = new IntersectionObserver(
    (entries) => {
      for (const entry of entries) {
        if (!entry.isIntersecting) continue;
        for (const link of contents.values()) link.removeAttribute('aria-current');
        contents.get(entry.target.id).setAttribute('aria-current', 'true');
      }
    },
    { rootMargin: '-10% 0px -75% 0px' },
  );
  for (const id of contents.keys()) seen.observe(document.getElementById(id));
}

// The page of all commands has each as a line that leads to its page in the hub.
if (location.pathname === '/docs/commands' && location.hash) {
  const command = document.getElementById(location.hash.slice(1));
  if (command instanceof HTMLAnchorElement && command.pathname !== location.pathname) location.replace(command.href);
}
