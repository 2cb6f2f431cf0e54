// What pages do beside drawing: dialogs, toasts, downloads.
import { code, dialog, el } from '../dom.js';
import { render } from '../lit-html.js';
import { asCurl, asMcp, call, mcpEndpoint, whyNot } from './api.js';
import { number, since } from './words.js';

export { el };
export * from './words.js';

setInterval(() => {
  for (const one of document.querySelectorAll('time[data-ago]'))
    one.textContent = since(new Date(one.dateTime), one.dataset.ago === 'short');
}, 20_000);

// What a client calls itself, in a word: browsers say much more.
export function client(text) {
  if (!text?.startsWith('Mozilla/')) return text;
  return /Firefox|Edg|Chrome|Safari/.exec(text)?.[0].replace('Edg', 'Edge') ?? 'a browser';
}

// The number of memories in a bank. The server counts only up to 1,000.
export const memoryCount = (value) => (value > 1_000 ? '1,000+' : number(value));

function snippets(one) {
  if (one.curl)
    return el(
      'details',
      { class: 'as-code' },
      el('summary', {}, `${one.title} as curl`),
      code(one.curl, `${one.title} as curl`),
    ); // A route without a tool.
  return el(
    'details',
    { class: 'as-code' },
    el('summary', {}, `${one.tool} as curl, as MCP`),
    code(asCurl(one), `${one.tool} as curl`),
    code(`POST ${mcpEndpoint}\n${asMcp(one)}`, `${one.tool} over MCP`),
  );
}

export function showCalls(title, calls) {
  const box = dialog(
    title,
    el('p', { class: 'hint' }, 'Everything that the console does is a call that you can make too.'),
    ...calls.map(snippets),
    el('div', { class: 'row' }, el('button', { type: 'button', class: 'quiet', click: () => box.close() }, 'Close')),
  );
  box.classList.add('wide');
  if (calls.length === 1) box.querySelector('details').open = true;
}

const toastPlace = document.getElementById('toast');
let toastEnds;
let toasted = [];

// Says what was done. undo takes it back, where it can be.
export function toast(text, undo) {
  const takeBack = guarded(async () => {
    endToast();
    await undo();
  });
  toasted = undo ? [text, ' ', el('button', { type: 'button', class: 'quiet', click: takeBack }, 'Undo')] : [text];
  moveToFront();
  toastPlace.replaceChildren(...toasted);
  toastPlace.classList.add('shown');
  clearTimeout(toastEnds);
  toastEnds = setTimeout(endToast, undo ? 10_000 : 4000);
}

// What is no longer seen cannot be pressed.
function endToast() {
  toastPlace.classList.remove('shown');
  toastPlace.querySelector('button')?.remove();
}

// Moves the toast into the open dialog. Outside, it is behind the backdrop, and screen readers skip it.
function moveToFront() {
  const box = [...document.querySelectorAll('dialog[open]')].at(-1);
  if (toastPlace.parentElement === (box ?? document.body)) return;
  (box ?? document.body).append(toastPlace);
  toastPlace.textContent = '';
  requestAnimationFrame(() => toastPlace.replaceChildren(...toasted)); // Screen readers read only changes.
  box?.addEventListener('close', moveToFront, { once: true });
}

const saidPlace = document.getElementById('said');

// Lets screen readers read out a change that others see.
export function announce(text) {
  saidPlace.textContent = '';
  requestAnimationFrame(() => (saidPlace.textContent = text)); // So the same text counts as a change, too.
}

// A handler that tells the user what went wrong.
export const guarded = (work) => async (event) => {
  try {
    await work(event);
  } catch (error) {
    toast(error.message);
  }
};

// Saves a text as a file of the reader.
export function download(name, type, text) {
  const anchor = el('a', { href: URL.createObjectURL(new Blob([text], { type })), download: name });
  anchor.click();
  setTimeout(() => URL.revokeObjectURL(anchor.href), 1000);
}

// The kind of a button that leads to something which cannot be undone, or takes away what others have.
export const DANGER = 'quiet danger';

// The attributes of a button for a tool. If the caller may not run it, the button looks disabled, can still have the focus, and shows the reason.
export const allowed = (tool) => disabledFor(whyNot(tool));
export const disabledFor = (reason) => ({
  'aria-disabled': reason ? 'true' : null,
  'data-refused': Boolean(reason),
  title: reason,
});

document.addEventListener(
  'click',
  (event) => {
    const button = event.target.closest('[data-refused]');
    if (!button) return;
    event.preventDefault();
    event.stopImmediatePropagation();
    toast(`${button.title}.`);
  },
  { capture: true },
);

// Runs the work of a button, which cannot be pressed again until then. It keeps the focus, which a disabled button would lose.
export async function whileBusy(button, work) {
  if (button.getAttribute('aria-disabled') === 'true') return undefined;
  button.setAttribute('aria-disabled', 'true');
  try {
    return await work();
  } finally {
    button.removeAttribute('aria-disabled');
  }
}

let fields = 0;

function control(field) {
  const id = `console-field-${++fields}`;
  const hint = field.hint ? el('p', { class: 'hint', id: `${id}-hint` }, field.hint) : null;
  const attributes = {
    id,
    name: field.name,
    required: field.required,
    maxlength: field.max,
    'aria-describedby': hint ? `${id}-hint` : null,
    dir: field.type ? null : 'auto',
  };
  let input;
  if (field.options && field.multiple) {
    const boxes = field.options.map((option) =>
      el(
        'label',
        { class: 'check' },
        el('input', { type: 'checkbox', value: option, checked: (field.value ?? []).includes(option) }),
        ` ${field.labels?.[option] ?? option}`,
      ),
    );
    return {
      name: field.name,
      element: el(
        'fieldset',
        { class: `field checks ${field.name}` },
        el('legend', {}, field.label),
        hint,
        el('div', { class: 'check-grid' }, ...boxes),
      ),
      value: () =>
        boxes
          .map((box) => box.firstChild)
          .filter((box) => box.checked)
          .map((box) => box.value),
    };
  }
  if (field.options)
    input = el(
      'select',
      attributes,
      ...field.options.map((option) =>
        el('option', { value: option, selected: option === field.value }, field.labels?.[option] ?? (option || '—')),
      ),
    );
  else if (field.long) input = el('textarea', { ...attributes, rows: field.long });
  else input = el('input', { ...attributes, type: field.type ?? 'text', autocomplete: 'off' });
  if (!field.options) input.value = field.value ?? '';
  return {
    name: field.name,
    element: el('div', { class: 'field' }, el('label', { for: id }, field.label), input, hint),
    value: () => (field.type === 'number' && input.value !== '' ? Number(input.value) : input.value.trim()),
    input,
  };
}

// A template as nodes, for what takes only these.
export function nodes(template) {
  const fragment = document.createDocumentFragment();
  render(template, fragment);
  return fragment;
}

const paragraph = (one) => (typeof one === 'string' ? el('p', {}, one) : one instanceof Node ? one : nodes(one));

// A dialog that makes one call: its fields become arguments, which can be shown as code; it closes once the call is done.
export function ask({ title, text, fields: definitions = [], verb, danger, tool, args, done, changed }) {
  return new Promise((resolve) => {
    const controls = definitions.map(control);
    const values = () => Object.fromEntries(controls.map((one) => [one.name, one.value()]));
    const wrong = el('p', { class: 'problem', role: 'alert' });
    const submit = el('button', { type: 'submit', class: danger ? 'danger' : '' }, verb);
    const codeButton = el(
      'button',
      {
        type: 'button',
        class: 'quiet',
        click: () => showCalls('The same as a call', [{ tool, args: args(values()) }]),
      },
      'As code',
    );
    const form = el(
      'form',
      {},
      ...(text ? [text].flat().map(paragraph) : []),
      ...controls.map((one) => one.element),
      wrong,
      el(
        'div',
        { class: 'row' },
        submit,
        el('button', { type: 'button', class: 'quiet', click: () => box.close() }, 'Cancel'),
        tool ? codeButton : null,
      ),
    );
    const box = dialog(title, form);
    if (changed) {
      form.addEventListener('change', () => changed(values()));
      changed(values());
    }
    form.addEventListener('submit', (event) => {
      event.preventDefault();
      whileBusy(submit, async () => {
        wrong.textContent = '';
        try {
          const input = values();
          const answer = tool ? await call(tool, args(input)) : input;
          await done?.(answer, input);
          resolve(answer);
          box.close();
        } catch (error) {
          wrong.textContent = error.message;
        }
      });
    });
    box.addEventListener('close', () => resolve(null));
  });
}

// A secret that is shown this once.
export function secret(title, text, value, ...more) {
  const box = dialog(
    title,
    el('p', {}, text),
    code(value, title),
    ...more,
    el('div', { class: 'row' }, el('button', { type: 'button', click: () => box.close() }, 'I have kept it')),
  );
}

// The object without what is empty.
export function compact(object) {
  return Object.fromEntries(
    Object.entries(object).filter(
      ([, value]) =>
        value !== undefined &&
        value !== '' &&
        value !== null &&
        !(typeof value === 'object' && !Array.isArray(value) && Object.keys(value).length === 0),
    ),
  );
}

const SVG = 'http://www.w3.org/2000/svg';
export function svg(name, attributes = {}, ...children) {
  const element = document.createElementNS(SVG, name);
  for (const [key, value] of Object.entries(attributes))
    if (value !== null && value !== undefined) element.setAttribute(key, value);
  element.append(...children.filter(Boolean));
  return element;
}

// Small bars over time: [{label, value, bad}], where bad is how many of the value are failures.
export function bars(points, label) {
  const most = Math.max(1, ...points.map((point) => point.value));
  const width = 100 / Math.max(16, points.length);
  const bar = (i, value, kind, title) => {
    const height = Math.max(value ? 1.5 : 0.5, (38 * value) / most);
    return svg(
      'rect',
      { x: i * width + width * 0.12, width: width * 0.76, y: 40 - height, height, class: kind },
      svg('title', {}, title),
    );
  };
  const shapes = points.flatMap(({ label: at, value, bad }, i) => {
    const title = `${at}: ${value}${bad ? `, failed ${bad}` : ''}`;
    return [bar(i, value, '', title), ...(bad ? [bar(i, bad, 'bad', title)] : [])];
  });
  return svg(
    'svg',
    { class: 'bars', viewBox: '0 0 100 40', preserveAspectRatio: 'none', role: 'img', 'aria-label': label },
    ...shapes,
  );
}

// How much of a limit is used; a quota warns where it is near, another limit may be full.
export function meter(value, limit, label, warning) {
  const share = limit ? Math.min(1, value / limit) : 0;
  const state = warning ?? (share >= 1 ? 'full' : share >= 0.8 ? 'near' : '');
  return svg(
    'svg',
    { class: `meter ${state}`, viewBox: '0 0 100 6', preserveAspectRatio: 'none', role: 'img', 'aria-label': label },
    svg('rect', { class: 'track', width: 100, height: 6 }),
    svg('rect', { class: 'value', width: share * 100, height: 6 }),
  );
}

export const enc = encodeURIComponent;
// The name of a sub-agent has a slash, and so has its address.
export const encAgent = (name) => enc(name).replaceAll('%2F', '/');

// Where a list scrolls by itself, its chosen entry is in sight once the page is shown. If it is already, the list stays where it is.
export function choose(selector, view) {
  const reveal = () => {
    const list = view.querySelector(selector);
    const entry = list?.querySelector('[aria-current]');
    if (!entry) return;
    if (list.scrollWidth > list.clientWidth)
      list.scrollLeft +=
        entry.getBoundingClientRect().left -
        list.getBoundingClientRect().left -
        list.clientWidth / 2 +
        entry.offsetWidth / 2;
    const top = entry.getBoundingClientRect().top - list.getBoundingClientRect().top;
    if (top < 0 || top + entry.offsetHeight > list.clientHeight)
      list.scrollTop += top - (list.clientHeight - entry.offsetHeight) / 2;
  };
  view.addEventListener('shown', reveal, { once: true });
}
