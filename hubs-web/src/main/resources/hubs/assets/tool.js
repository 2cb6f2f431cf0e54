// Trying a tool: a form made from its schema, or plain JSON; what it answered; the same request as curl.
import { csrf, forget, signIn, signedIn } from './account.js';
import { answer } from './answer.js';
import { keep, linkTo, linked, show as showCalls } from './calls.js';
import { code, dialog, el, ended, holdsKey, isEnter } from './dom.js';
import { formOf, wrongJson } from './form.js';

const { tool, base, loses, next } = document.querySelector('[data-tool]').dataset;
const example = JSON.parse(document.getElementById('example').textContent);
const form = formOf(JSON.parse(document.getElementById('input-schema').textContent), example);
const result = document.getElementById('try-result');

const raw = el('textarea', { id: 'raw', rows: 10, spellcheck: 'false', 'aria-describedby': 'raw-problem' });
const rawProblem = el('p', { class: 'problem', id: 'raw-problem' });
const rawField = el(
  'div',
  { class: 'field', hidden: true },
  el('label', { for: 'raw' }, 'Arguments as JSON'),
  raw,
  rawProblem,
);
const asJson = el('input', { type: 'checkbox', id: 'as-json', change: change });
const run = el('button', { type: 'submit' });
const element = el(
  'form',
  { novalidate: true, submit: start },
  el(
    'div',
    { class: 'row' },
    Object.keys(example).length
      ? el('button', { type: 'button', class: 'quiet', click: () => fill(example) }, 'Fill in the example')
      : null,
    el('label', { class: 'check' }, asJson, ' As JSON'),
  ),
  form.element,
  rawField,
  el('div', { class: 'row' }, run, el('span', { class: 'hint keys' }, 'or Ctrl+Enter')),
);

function label() {
  run.textContent = signedIn() ? `Run ${tool}` : 'Sign in to run';
  run.classList.toggle('danger', signedIn() && Boolean(loses));
}

// Between the form and JSON, with what stands in the one carried over to the other.
function change() {
  if (asJson.checked) {
    const args = form.read();
    if (args) raw.value = JSON.stringify(args, null, 2);
    else if (!raw.value) raw.value = JSON.stringify(example, null, 2);
  } else {
    const args = parsed();
    const lost = args ? form.fill(args) : [];
    if (!args || lost.length) {
      asJson.checked = true;
      if (lost.length) rawProblem.textContent = `The form has no field for ${lost.join(', ')}.`;
      return;
    }
  }
  rawField.hidden = !asJson.checked;
  form.element.hidden = asJson.checked;
}

function fill(args) {
  raw.value = JSON.stringify(args, null, 2);
  rawProblem.textContent = '';
  form.fill(args);
}

function parsed() {
  const text = raw.value.trim() || '{}';
  const value = wrongJson(text) ? undefined : JSON.parse(text);
  const fits = value !== null && typeof value === 'object' && !Array.isArray(value);
  rawProblem.textContent = wrongJson(text) || (fits ? '' : 'The arguments are one JSON object.');
  return fits ? value : null;
}

async function start(event) {
  event.preventDefault();
  if (run.disabled) return;
  const args = asJson.checked ? parsed() : form.read();
  if (!args) {
    // The answer to an earlier request is none to this one. A key stays: it is shown only once.
    if (!holdsKey(result.textContent)) result.replaceChildren();
    return;
  }
  if (!signedIn()) {
    signIn(() => {
      label();
      document.getElementById('obstacle')?.remove();
      run.focus();
    });
  } else if (!loses || (await confirmed(args))) {
    await invoke(args);
  }
}

// Whether somebody who has read what will be lost still wants it.
function confirmed(args) {
  return new Promise((resolve) => {
    const box = dialog(
      `Run ${tool}?`,
      el('p', {}, loses),
      code(JSON.stringify(args, null, 2), 'The arguments'),
      el(
        'div',
        { class: 'row' },
        el('button', { type: 'button', class: 'danger', click: () => box.close('run') }, `Run ${tool}`),
        el('button', { type: 'button', class: 'quiet', autofocus: true, click: () => box.close() }, 'Cancel'),
      ),
    );
    box.addEventListener('close', () => resolve(box.returnValue === 'run'));
  });
}

async function invoke(args) {
  run.disabled = true;
  result.replaceChildren(el('p', { class: 'hint' }, 'Running…'));
  const began = performance.now();
  try {
    const response = await fetch(`/api/mcp/tools/${tool}/invoke`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', 'X-CSRF-Token': await csrf() },
      body: JSON.stringify(args),
    });
    const text = await response.text();
    show(args, response.status, Math.round(performance.now() - began), text);
  } catch (error) {
    result.replaceChildren(el('p', { class: 'note bad' }, `The service could not be asked: ${error.message}`));
  } finally {
    run.disabled = false;
  }
}

function show(args, status, duration, text) {
  const envelope = wrongJson(text) ? null : JSON.parse(text);
  const done = envelope?.status?.success === true;
  const note = envelope?.status?.note ?? envelope?.detail;
  const outcome = done ? 'Done' : (envelope?.status?.error ?? envelope?.error ?? 'Refused');
  result.replaceChildren(
    ...[
      el(
        'h3',
        {},
        el('span', { class: done ? 'tag reads' : 'tag destroys' }, outcome),
        ` HTTP ${status} `,
        el('span', { class: 'count' }, `${duration} ms`),
      ),
      note ? el('p', { class: done ? 'note' : 'note bad' }, note) : null,
      ...(done ? answer(envelope) : []),
      done ? suggestions(args, envelope) : null,
      el(
        'details',
        { class: 'whole' },
        el('summary', {}, 'The whole answer'),
        code(envelope ? JSON.stringify(envelope, null, 2) : text, 'The whole answer'),
      ),
      el(
        'details',
        { class: 'as-curl' },
        el('summary', {}, 'The request as curl'),
        code(curl(args), 'The request as curl'),
      ),
      share(args),
    ].filter(Boolean),
  );
  keep(tool, args, outcome);
  if (ended(envelope)) {
    forget();
    label();
  }
  if (!done && note && !asJson.checked) form.mark(note);
}

// What callers often do next, with the names that this call was about.
function suggestions(args, envelope) {
  if (!next) return null;
  const made = { AP: ['agent', envelope.agent], DM: ['domain', envelope.domain], MB: ['bank', envelope.bank] }[
    tool.slice(0, 2)
  ];
  const target = { ...args.target };
  if (typeof made?.[1]?.name === 'string') target[made[0]] ??= made[1].name;
  const carried = Object.keys(target).length ? { target } : {};
  return el(
    'p',
    { class: 'row next-row' },
    el('span', { class: 'hint' }, 'Next'),
    ...next
      .split(' ')
      .map((name) => el('a', { class: 'button quiet', href: linkTo(name, carried) ?? `/mcp-hub/tools/${name}` }, name)),
  );
}

// A link to this page with the form filled in as it is now; it runs nothing by itself.
function share(args) {
  const link = linkTo(tool, args);
  if (!link) return null;
  const button = el('button', { type: 'button', class: 'quiet' }, 'Copy a link to this call');
  button.addEventListener('click', async () => {
    history.replaceState(null, '', link);
    try {
      await navigator.clipboard.writeText(location.href);
      button.textContent = 'Copied';
    } catch {
      button.textContent = 'The address bar has it';
    }
  });
  return el('p', { class: 'row' }, button);
}

function curl(args) {
  const body = JSON.stringify(args).replaceAll("'", "'\\''");
  return `curl -s '${base}/api/mcp/tools/${tool}/invoke' \\\n  -H "X-Api-Key: $ENGINE_KEY" \\\n  -H 'Content-Type: application/json' \\\n  -d '${body}'`;
}

element.addEventListener('keydown', (event) => {
  if (isEnter(event) && (event.ctrlKey || event.metaKey)) {
    event.preventDefault();
    element.requestSubmit();
  }
});
// From a link: what the form has no field for is shown as JSON.
function take() {
  const args = linked();
  if (!args) return;
  fill(args);
  asJson.checked ||= form.fill(args).length > 0;
  rawField.hidden = !asJson.checked;
  form.element.hidden = asJson.checked;
}

label();
document.getElementById('try-form').append(element);
addEventListener('hashchange', take);
take();
showCalls();
