// The documentation's pages: the way to the search, the part that is read, commands under the addresses of the page of all commands.
import './prose.js';

// "/" leads to the search, as long as nothing is being written.
document.addEventListener('keydown', (event) => {
  const writes = event.target.closest?.('input, textarea, select, [contenteditable]');
  const search = document.getElementById('q');
  if (event.key === '/' && !writes && search && !event.ctrlKey && !event.metaKey && !event.altKey) {
    event.preventDefault();
    search.focus();
    search.select();
  }
});

// A key that was pasted there is not sent along in an address.
const words = document.getElementById('q');
words?.addEventListener('input', () => words.setCustomValidity(/ek_\w{16}/.test(words.value) ? 'This looks like an API key; it is not sent.' : ''));

// Which part of the page is being read.
const contents = new Map([...document.querySelectorAll('.contents a')].map((link) => [link.hash.slice(1), link]));
if (contents.size > 0) {
  const seen = new IntersectionObserver((entries) => {
    for (const entry of entries) {
      if (!entry.isIntersecting) continue;
      for (const link of contents.values()) link.removeAttribute('aria-current');
      contents.get(entry.target.id).setAttribute('aria-current', 'true');
    }
  }, { rootMargin: '-10% 0px -75% 0px' });
  for (const id of contents.keys()) seen.observe(document.getElementById(id));
}

// The page of all commands has each as a line that leads to the page of its family.
if (location.pathname === '/docs/commands' && location.hash) {
  const command = document.getElementById(location.hash.slice(1));
  if (command instanceof HTMLAnchorElement && command.pathname !== location.pathname) location.replace(command.href);
}
