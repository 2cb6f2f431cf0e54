// Sections, one at a time: without scripts, and in print, all of them are there. The one that the address
// names is chosen, else the one that was chosen last on any page; whoever chooses another has the address name that one.
import { el } from './dom.js';

export function tabs(group) {
  const sections = [...group.children];
  const list = el('div', { role: 'tablist', 'aria-label': group.dataset.label });
  const buttons = sections.map((section) => {
    const button = el(
      'button',
      { type: 'button', role: 'tab', id: `${section.id}-tab`, 'aria-controls': section.id },
      section.dataset.tab,
    );
    section.setAttribute('role', 'tabpanel');
    section.setAttribute('aria-labelledby', button.id);
    button.addEventListener('click', () => pick(button));
    return button;
  });

  function choose(chosen) {
    buttons.forEach((button, index) => {
      const here = button === chosen;
      button.setAttribute('aria-selected', String(here));
      button.tabIndex = here ? 0 : -1;
      sections[index].hidden = !here;
    });
    try {
      localStorage.setItem(`tab:${group.dataset.label}`, chosen.textContent);
    } catch {
      // Only for this page, then.
    }
  }

  function pick(button) {
    choose(button);
    history.replaceState(null, '', `#${button.getAttribute('aria-controls')}`);
  }

  const steps = { ArrowRight: 1, ArrowLeft: -1, Home: -Infinity, End: Infinity };
  list.addEventListener('keydown', (event) => {
    const step = steps[event.key];
    if (!step) return;
    event.preventDefault();
    const at = buttons.indexOf(document.activeElement);
    const last = buttons.length - 1;
    const next = Number.isFinite(step) ? (at + step + buttons.length) % buttons.length : step < 0 ? 0 : last;
    buttons[next].focus();
    pick(buttons[next]);
  });
  list.append(...buttons);
  (document.getElementById(group.dataset.listIn) ?? group).prepend(list);
  const linked = () => buttons[sections.findIndex((section) => `#${section.id}` === location.hash)];
  addEventListener('hashchange', () => linked() && choose(linked()));
  choose(linked() ?? buttons.find((button) => button.textContent === remembered(group)) ?? buttons[0]);
}

function remembered(group) {
  try {
    return localStorage.getItem(`tab:${group.dataset.label}`);
  } catch {
    return null;
  }
}
