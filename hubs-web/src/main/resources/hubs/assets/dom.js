// Elements, made without any markup: whatever comes from outside becomes text.

// A property that is a function is a listener; true sets an attribute without a value, false and null leave it out.
export function el(tag, properties = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(properties)) {
    if (typeof value === 'function') element.addEventListener(name, value);
    else if (value === true) element.setAttribute(name, '');
    else if (value !== false && value !== null && value !== undefined) element.setAttribute(name, value);
  }
  element.append(...children.filter((child) => child !== null && child !== undefined));
  return element;
}

// Code with a button that copies it.
export function code(text, label) {
  const pre = el('pre', { tabindex: '0', 'aria-label': label }, el('code', {}, text));
  return copied(pre);
}

// What PowerShell runs instead of the line that joins in a shell.
export function inPowershell(command) {
  const [address, rest] = command.replace('curl -fsS ', '').split('/join | sh -s -- ');
  return [
    el('p', { class: 'hint' }, 'In PowerShell on Windows:'),
    code(`& ([scriptblock]::Create((irm ${address}/join.ps1))) ${rest}`, 'The line that joins, in PowerShell'),
  ];
}

export function copied(pre) {
  const isLine = !pre.textContent.trim().includes('\n');
  const box = el('div', { class: isLine ? 'copied line' : 'copied' });
  const button = el(
    'button',
    { type: 'button', class: 'quiet copy', 'aria-label': `Copy: ${pre.getAttribute('aria-label')}` },
    'Copy',
  );
  button.addEventListener('click', async () => {
    try {
      await navigator.clipboard.writeText(pre.textContent);
      button.textContent = 'Copied';
    } catch {
      getSelection().selectAllChildren(pre);
      button.textContent = 'Selected';
    }
    setTimeout(() => (button.textContent = 'Copy'), 2000);
  });
  pre.replaceWith(box);
  box.append(...(isLine ? [pre, button] : [button, pre]));
  return box;
}

// What a refusal says, whatever its form, and whether it says that the session has ended.
export async function refusal(response) {
  const body = await response.json().catch(() => null);
  return { note: body?.detail ?? body?.status?.note ?? `The service answered ${response.status}.`, ended: ended(body) };
}

// The status tells too little: routes of commands answer 401 also for what the key may not do.
export function ended(body) {
  return (body?.status?.error ?? body?.error) === 'unauthenticated';
}

export async function said(response) {
  return (await refusal(response)).note;
}

// Whether a key press is Enter, and none that ends a composition. Safari says so by the key code alone, since it has ended it by then.
// eslint-disable-next-line no-restricted-syntax
export const isEnter = (event) => event.key === 'Enter' && !event.isComposing && event.keyCode !== 229;

// Whether a text holds what an API key begins with: such a one is not put into an address.
export function holdsKey(text) {
  return text.includes('ek_');
}

// What is below the results of a search: its state, and beside that the keys, which a phone has not.
export const searchFoot = (state) =>
  el(
    'div',
    { class: 'search-foot' },
    state,
    el('p', { class: 'hint keys' }, 'Arrows to choose, Enter to open, Escape to close.'),
  );

let dialogs = 0;
const openers = new WeakMap(); // What had the focus before a dialog opened, and what is around that.

// What led to a dialog may be drawn anew by now, or gone: then what looks the same, else what is around it, has the focus.
function focusAfter(box) {
  let [opener, around] = openers.get(box);
  const before = opener.closest('dialog');
  if (before && !before.isConnected) [opener, around] = openers.get(before) ?? [opener, around];
  const name = (one) => one.getAttribute('aria-label') ?? one.textContent;
  const alike =
    opener.isConnected || opener.classList.contains('danger')
      ? [opener]
      : [...document.querySelectorAll(opener.tagName)].filter((one) => name(one) === name(opener));
  const all = [
    ...(alike.length === 1 ? alike : []),
    ...around.filter((one) => one.tabIndex >= 0 || one.hasAttribute('tabindex')),
    document.getElementById('main'),
  ];
  for (const one of all) {
    if (one?.isConnected) one.focus({ preventScroll: true });
    if (document.activeElement !== document.body) return;
  }
}

// A dialog that is gone once it is closed; another may be open beneath it.
export function dialog(title, ...children) {
  const id = `dialog-${++dialogs}-title`;
  const heading = el('h2', { id }, title);
  const box = el('dialog', { 'aria-labelledby': id }, heading, ...children);
  const around = [];
  const opener = document.activeElement ?? document.body;
  for (let one = opener.parentElement; one; one = one.parentElement) around.push(one);
  openers.set(box, [opener, around]);
  box.addEventListener('close', () => {
    box.remove();
    if (document.activeElement === document.body) focusAfter(box);
  });
  document.body.append(box);
  box.showModal();
  return box;
}
