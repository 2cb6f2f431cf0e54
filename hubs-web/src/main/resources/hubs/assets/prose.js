// Written pages: code that can be copied, and boxes that can be moved aside by keyboard.
import { copied } from './dom.js';

for (const code of document.querySelectorAll('.prose pre')) {
  code.setAttribute('aria-label', 'Code');
  copied(code);
}

// A box that can be moved aside is reached by keyboard.
for (const box of document.querySelectorAll('.prose pre, .prose .scroll')) {
  if (box.scrollWidth > box.clientWidth) box.tabIndex = 0;
}
