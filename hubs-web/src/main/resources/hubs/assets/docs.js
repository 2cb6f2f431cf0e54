// The documentation's pages: copying code, the way to the search, commands under the addresses of the page of all commands.

// A box that can be moved aside is reached by keyboard.
for (const box of document.querySelectorAll('.prose pre, .prose .scroll')) {
  if (box.scrollWidth > box.clientWidth) box.tabIndex = 0;
}

for (const code of document.querySelectorAll('.prose pre')) {
  const frame = document.createElement('div');
  frame.className = 'code';
  code.replaceWith(frame);
  const button = document.createElement('button');
  button.type = 'button';
  button.className = 'quiet';
  button.textContent = 'Copy';
  button.addEventListener('click', async () => {
    try {
      await navigator.clipboard.writeText(code.textContent);
      button.textContent = 'Copied';
    } catch {
      button.textContent = 'Not allowed';
    }
    setTimeout(() => { button.textContent = 'Copy'; }, 2000);
  });
  frame.append(code, button);
}

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
