// Rare actions behind one button. A choice, Escape, or the focus elsewhere closes the menu.
import { html } from '../lit-html.js';

const close = (menu) => {
  menu.open = false;
};

// The button has the focus before the chosen action begins: a dialog gives it back to what is still in sight.
const chosen = {
  handleEvent({ currentTarget, target }) {
    if (!target.closest('.menu-items :is(a, button)')) return;
    currentTarget.querySelector('summary').focus();
    close(currentTarget);
  },
  capture: true,
};

function escaped(event) {
  const { key, currentTarget } = event;
  if (key !== 'Escape' || !currentTarget.open) return;
  event.stopPropagation();
  close(currentTarget);
  currentTarget.querySelector('summary').focus();
}

function left({ currentTarget, relatedTarget }) {
  if (relatedTarget && !currentTarget.contains(relatedTarget)) close(currentTarget);
}

document.addEventListener('click', ({ target }) => {
  for (const menu of document.querySelectorAll('details.menu[open]')) if (!menu.contains(target)) close(menu);
});

export const menu = (label, items) =>
  html`<details class="menu" @click=${chosen} @keydown=${escaped} @focusout=${left}>
    <summary class="button quiet">${label}</summary>
    <div class="menu-items">${items}</div>
  </details>`;
