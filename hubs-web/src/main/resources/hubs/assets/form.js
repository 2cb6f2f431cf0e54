// A form made from a JSON Schema of the service's own kind: objects, strings, integers, booleans, choices and lists.
import { el } from './dom.js';
import { pick } from './picker.js';

const LONG = 1000;

// The values of a schema by their paths; what objects hold is listed, not they themselves.
function leaves(schema, prefix = '', needed = true) {
  return Object.entries(schema.properties ?? {}).flatMap(([name, inner]) => {
    const here = needed && (schema.required ?? []).includes(name);
    const path = prefix + name;
    return inner.properties ? leaves(inner, `${path}.`, here) : [{ path, schema: inner, required: here }];
  });
}

// Its parts: element, read() for the arguments or null when a field is wrong, fill(arguments), which tells what has no field,
// mark(note) for what the service said, and path by path what went wrong.
export function formOf(schema, example) {
  const fields = leaves(schema).map((leaf) => field(leaf));
  const first = (one) => one.required || at(example, one.path) !== undefined;
  const folded = fields.filter((one) => !first(one));
  const details = folded.length
    ? el('details', {}, el('summary', {}, `Optional fields (${folded.length})`), ...folded.map((one) => one.element))
    : null;
  const none = fields.length ? null : el('p', { class: 'hint' }, 'It takes no fields.');
  for (const one of fields)
    pick(one.path, one.control, (path) => fields.find((other) => other.path === path)?.control.value.trim());
  const element = el('div', { class: 'form' }, ...fields.filter(first).map((one) => one.element), none, details);

  function reveal(wrong) {
    if (details?.contains(wrong.element)) details.open = true;
    wrong.control.focus();
  }

  return {
    element,
    read() {
      const wrong = fields.filter((one) => !one.check());
      if (wrong.length) {
        reveal(wrong[0]);
        return null;
      }
      const read = {};
      for (const one of fields) {
        const value = one.value();
        if (value !== undefined) put(read, one.path, value);
      }
      return read;
    },
    fill(values) {
      for (const one of fields) one.show(at(values, one.path));
      const names = new Set(fields.map((one) => one.path));
      return paths(values).filter(
        (path) => !names.has(path) && ![...names].some((other) => path.startsWith(`${other}.`)),
      );
    },
    mark(note) {
      const named = fields.find((one) => note.startsWith(`${one.path} `) || note.startsWith(`${one.path}[`));
      named?.say(note);
      if (named) reveal(named);
    },
  };
}

function at(object, path) {
  return path.split('.').reduce((value, name) => value?.[name], object);
}

function put(object, path, value) {
  const names = path.split('.');
  const last = names.pop();
  let inner = object;
  for (const name of names) inner = inner[name] ??= {};
  inner[last] = value;
}

function paths(value, prefix = '') {
  return Object.entries(value).flatMap(([name, inner]) =>
    inner !== null && typeof inner === 'object' && !Array.isArray(inner) && Object.keys(inner).length
      ? paths(inner, `${prefix}${name}.`)
      : [prefix + name],
  );
}

// One value: its label, its control, what it means, and what is wrong with it.
function field({ path, schema, required }) {
  const id = `field-${path.replaceAll('.', '-')}`;
  const kind = kindOf(schema);
  const control = kind.control(schema, { id, 'aria-describedby': `${id}-hint ${id}-problem`, required });
  const problem = el('p', { class: 'problem', id: `${id}-problem` });
  const element = el(
    'div',
    { class: 'field' },
    el('label', { for: id }, el('code', {}, path), required ? el('span', { class: 'type' }, ' required') : null),
    control,
    el('p', { class: 'hint', id: `${id}-hint` }, [schema.description, kind.hint].filter(Boolean).join(' ')),
    problem,
  );

  function say(what) {
    problem.textContent = what;
    if (what) control.setAttribute('aria-invalid', 'true');
    else control.removeAttribute('aria-invalid');
  }
  control.addEventListener('input', () => say(''));
  return {
    path,
    required,
    element,
    control,
    say,
    check() {
      say(control.validationMessage || (control.value === '' ? '' : kind.wrong(control.value)));
      return !problem.textContent;
    },
    value: () => (control.value === '' ? undefined : kind.read(control.value)),
    show: (value) => {
      control.value = value === undefined ? '' : kind.write(value);
      say('');
    },
  };
}

const PLAIN = { read: (text) => text, write: (value) => String(value), wrong: () => '' };
const JSON_TEXT = {
  control: (_, attributes) => el('textarea', { ...attributes, rows: 3, spellcheck: 'false', placeholder: '{}' }),
  hint: 'As JSON.',
  read: (text) => JSON.parse(text),
  write: (value) => JSON.stringify(value, null, 2),
  wrong: (text) => wrongJson(text),
};

export function wrongJson(text) {
  try {
    JSON.parse(text);
    return '';
  } catch (error) {
    return `This is not JSON: ${error.message}`;
  }
}

function kindOf(schema) {
  if (schema.enum) return { ...PLAIN, control: (_, attributes) => choice(attributes, schema.enum) };
  switch (schema.type) {
    case 'integer':
      return {
        ...PLAIN,
        read: Number,
        control: ({ minimum, maximum }, attributes) =>
          el('input', { ...attributes, type: 'number', step: 1, min: minimum, max: maximum }),
      };
    case 'boolean':
      return {
        ...PLAIN,
        read: (text) => text === 'true',
        control: (_, attributes) => choice(attributes, ['true', 'false']),
      };
    case 'array':
      if (schema.items?.type !== 'string') return JSON_TEXT;
      return {
        ...PLAIN,
        hint: 'One on each line.',
        control: (_, attributes) => el('textarea', { ...attributes, rows: 2, spellcheck: 'false' }),
        read: (text) =>
          text
            .split('\n')
            .map((line) => line.trim())
            .filter(Boolean),
        write: (value) => value.join('\n'),
      };
    case 'object':
      return JSON_TEXT;
    default:
      return { ...PLAIN, control: text };
  }
}

function choice(attributes, values) {
  return el(
    'select',
    attributes,
    el('option', { value: '' }, attributes.required ? 'Choose…' : 'Left out'),
    ...values.map((value) => el('option', { value }, value)),
  );
}

function text({ maxLength, format }, attributes) {
  return maxLength >= LONG && !attributes.id.endsWith('cursor')
    ? el('textarea', { ...attributes, rows: 3, maxlength: maxLength })
    : el('input', {
        ...attributes,
        type: 'text',
        maxlength: maxLength,
        autocomplete: 'off',
        spellcheck: 'false',
        placeholder: format === 'date-time' ? '2026-05-25T12:00:00.000Z' : null,
      });
}
