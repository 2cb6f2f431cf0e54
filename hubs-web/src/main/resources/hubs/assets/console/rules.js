// Rules: what is refused or noted, how often; written in CEL or made from templates; tried on a request and on what was done.
import { all, call, mayChange, me, whyNot } from './api.js';
import { celEditor } from './cel.js';
import {
  action,
  ago,
  allowed,
  asCode,
  ask,
  back,
  DANGER,
  el,
  empty,
  enc,
  facts,
  given,
  head,
  link,
  number,
  problem,
  put,
  tag,
  toast,
  whileBusy,
} from './ui.js';
import { code } from '../dom.js';

const EXAMPLE = { service: 'MB_Destroy', target: { bank: 'Ledger' }, principal: { user: 'ann', role: 'member' } };

const words = (text) => text.split(/[,\s]+/).filter(Boolean);
const effect = (rule) => tag(rule.effect, rule.effect === 'deny' ? 'destroys' : 'changes');
const inForce = (rule) =>
  rule.enabled ? (rule.mode === 'shadow' ? tag('shadow', 'changes') : tag('in force', 'reads')) : tag('off');

export async function show({ at, view, go }) {
  view.append(
    head('Rules', {
      sub: 'Calls and documents that are refused, or marked in the audit.',
      actions: [
        action('RL_Templates', 'From a template', () => go('/console/rules/templates')),
        action('RL_Create', 'New rule', () => go('/console/rules/new'), ''),
      ],
    }),
  );
  if (!me.tools.has('RL_List')) {
    view.append(empty('Not for this key', 'Rules are for keys with the capability rule:read.'));
    return;
  }
  const [word, what] = at.parts;
  const rules = await all('RL_List', {}, (body) => body.rules);
  if (!rules.length && !word) {
    view.append(
      empty(
        'No rules yet',
        'A rule refuses calls and documents, or marks them in the audit. Start from a template, and replay it over past calls before you enforce it.',
        action('RL_Templates', 'Choose a template', () => go('/console/rules/templates'), ''),
        el('a', { class: 'button quiet', href: '/docs/rules' }, 'How rules work'),
      ),
    );
    return;
  }
  const detail = el('div', { class: 'detail' });
  put(
    view,
    word ? back('/console/rules', 'All rules') : null,
    el(
      'div',
      { class: `split${word ? ' chosen' : ''}` },
      el(
        'ul',
        { class: 'side endpoints', 'aria-label': 'Rules' },
        ...rules.map((rule) => entry(rule, word)),
        ...(rules.length ? [] : [el('li', { class: 'soft pad' }, 'No rules yet.')]),
      ),
      detail,
    ),
  );
  if (word === 'templates') await templates(what, detail, go);
  else if (word === 'new') editor(null, detail, go);
  else if (word)
    await one(
      rules.find((rule) => rule.id === word),
      what,
      detail,
      go,
    );
  else detail.append(el('p', { class: 'soft pick' }, 'Select a rule to see what it matched, and to try it.'));
}

function entry(rule, current) {
  const shown = link(
    `/console/rules/${enc(rule.id)}`,
    el('b', { class: 'clip' }, rule.name),
    el('span', { class: 'soft clip' }, rule.applies_to.join(', ')),
    el(
      'span',
      {},
      effect(rule),
      ' ',
      inForce(rule),
      ' ',
      el('span', { class: 'soft' }, rule.matches.count ? `${number(rule.matches.count)} matched` : 'none matched'),
    ),
  );
  if (rule.id === current) shown.setAttribute('aria-current', 'true');
  return el('li', {}, shown);
}

async function one(rule, part, place, go) {
  if (!rule) {
    place.append(problem(new Error('There is no such rule, or it was deleted.')));
    return;
  }
  if (part === 'edit') {
    editor(rule, place, go);
    return;
  }
  const again = () => go(location.pathname, true);
  const change = (label, args, text) =>
    action('RL_Update', label, () =>
      ask({
        title: `${label}: ${rule.name}?`,
        text,
        verb: label,
        tool: 'RL_Update',
        args: () => ({ id: rule.id, if_revision: rule.revision, ...args }),
        done: again,
      }),
    );
  put(
    place,
    el(
      'header',
      { class: 'detail-head' },
      el(
        'div',
        {},
        el('h2', { class: 'breaks' }, rule.name),
        rule.description ? el('p', { class: 'soft' }, rule.description) : null,
      ),
      el(
        'div',
        { class: 'head-actions' },
        action('RL_Update', 'Edit', () => go(`/console/rules/${enc(rule.id)}/edit`)),
        rule.enabled
          ? change('Switch off', { enabled: false }, 'It stops matching within a second.')
          : change('Switch on', { enabled: true }, 'It is in force within a second.'),
        rule.mode === 'shadow'
          ? change(
              'Enforce',
              { mode: 'enforce' },
              `Its effect then applies. In shadow it matched ${number(rule.matches.count)} times.`,
            )
          : change('To shadow', { mode: 'shadow' }, 'It then only counts what it matches.'),
        action(
          'RL_Delete',
          'Delete',
          () =>
            ask({
              title: `Delete ${rule.name}?`,
              text: 'It is deleted permanently. The audit keeps its text.',
              verb: 'Delete',
              danger: true,
              tool: 'RL_Delete',
              args: () => ({ id: rule.id, if_revision: rule.revision }),
              done: () => go('/console/rules'),
            }),
          DANGER,
        ),
      ),
    ),
    el(
      'p',
      { class: 'tagline' },
      effect(rule),
      inForce(rule),
      rule.template ? tag(`from ${rule.template}`) : null,
      rule.priority ? tag(`priority ${rule.priority}`) : null,
    ),
    el('section', {}, el('h3', {}, 'Condition'), code(rule.when, 'The condition')),
    rule.message
      ? el('section', {}, el('h3', {}, 'Message to refused callers'), el('p', { class: 'note' }, rule.message))
      : null,
    el(
      'div',
      { class: 'figures' },
      figure('Matched', number(rule.matches.count)),
      figure('Failed', number(rule.matches.failures)),
      figure('Since', ago(rule.matches.since)),
      figure('Last', rule.matches.last_at ? ago(rule.matches.last_at) : 'never'),
    ),
    rule.matches.last_failure
      ? el('p', { class: 'note bad' }, `It could not be evaluated: ${rule.matches.last_failure}`)
      : null,
    trial(() => ({ rule: rule.id }), rule.examples[0]?.request),
    el(
      'section',
      {},
      el('h3', {}, 'Record'),
      facts([
        ['Applies to', rule.applies_to.join(', ')],
        ['Parameters', rule.parameters ? el('code', { class: 'breaks' }, JSON.stringify(rule.parameters)) : null],
        ['Changed', ago(rule.updated_at)],
        ['Revision', number(rule.revision)],
        ['Changes', link(`/console/activity?target=${enc(`rule:${rule.id}`)}`, 'in the activity')],
      ]),
    ),
  );
}

const figure = (name, value) => el('div', { class: 'figure' }, el('span', { class: 'soft' }, name), el('b', {}, value));

// Tries what is written on a request, and on the audited commands of the last days.
function trial(rule, example) {
  const request = el('textarea', { rows: 11, class: 'code', 'aria-label': 'A request', spellcheck: 'false' });
  request.value = JSON.stringify(example ?? EXAMPLE, null, 2);
  const days = el(
    'select',
    { 'aria-label': 'Days' },
    ...[1, 7, 30, 90].map((one_) =>
      el('option', { value: one_, selected: one_ === 7 }, one_ === 1 ? 'the last day' : `the last ${one_} days`),
    ),
  );
  const result = el('div', { class: 'outcome', role: 'status' });
  const run = async (args) => {
    result.replaceChildren(el('p', { class: 'soft' }, 'Trying…'));
    try {
      const answer = await call('RL_Check', { ...rule(), ...args() });
      result.replaceChildren(...outcome(answer));
    } catch (error) {
      result.replaceChildren(problem(error));
    }
  };
  const replay = () => ({ replay: { days: Number(days.value) } });
  const asRequest = () => {
    try {
      return { request: JSON.parse(request.value) };
    } catch {
      throw new Error('The request is not JSON.');
    }
  };
  return el(
    'section',
    { class: 'panel trial' },
    el('h3', {}, 'Try it'),
    el(
      'div',
      { class: 'trial-ways' },
      el(
        'div',
        {},
        el('p', { class: 'soft' }, 'On a request: a call, and what the rule examines.'),
        request,
        el(
          'div',
          { class: 'row' },
          action('RL_Check', 'Try the request', () => run(asRequest)),
          asCode('The trial', () => [{ tool: 'RL_Check', args: { ...rule(), ...asRequest() } }]),
        ),
      ),
      el(
        'div',
        {},
        el('p', { class: 'soft' }, 'On past calls from the audit.'),
        el(
          'div',
          { class: 'row' },
          days,
          action('RL_Check', 'Replay', () => run(replay)),
          asCode('Past calls', () => [{ tool: 'RL_Check', args: { ...rule(), ...replay() } }]),
        ),
      ),
    ),
    result,
  );
}

function outcome(answer) {
  const found = answer.replayed;
  if (!found)
    return [
      el(
        'p',
        {},
        answer.outcome
          ? tag(answer.outcome.matches ? 'matches' : 'passes', answer.outcome.matches ? 'destroys' : 'reads')
          : null,
        ` ${answer.summary}.`,
      ),
      answer.outcome?.failure ? el('p', { class: 'note bad' }, answer.outcome.failure) : '',
    ];
  return [
    el(
      'p',
      {},
      el('b', {}, `${answer.summary[0].toUpperCase()}${answer.summary.slice(1)}.`),
      found.truncated ? ' There was more than could be tried.' : '',
    ),
    found.examples.length
      ? el(
          'div',
          { class: 'scrolls', tabindex: '0', role: 'group', 'aria-label': 'What it matches' },
          el(
            'table',
            {},
            el(
              'thead',
              {},
              el('tr', {}, ...['When', 'Who', 'Command', 'What'].map((title) => el('th', { scope: 'col' }, title))),
            ),
            el(
              'tbody',
              {},
              ...found.examples.map((example) =>
                el(
                  'tr',
                  {},
                  el('td', {}, ago(example.at)),
                  el('td', {}, example.agent ? `${example.user} as ${example.agent}` : example.user),
                  el('td', {}, example.tool),
                  el('td', { class: 'breaks' }, `${example.target_kind} ${example.target ?? ''}`),
                ),
              ),
            ),
          ),
        )
      : '',
  ];
}

const field = (label, input, hint) => {
  const id = `rule-${label.toLowerCase().replaceAll(' ', '-')}`;
  input.id = id;
  return el(
    'div',
    { class: 'field' },
    el('label', { for: id }, label),
    input,
    hint ? el('p', { class: 'hint' }, hint) : null,
  );
};
const text = (value, attributes = {}) =>
  Object.assign(el('input', { autocomplete: 'off', ...attributes }), { value: value ?? '' });
const choice = (options, value) =>
  el('select', {}, ...options.map(([word, title]) => el('option', { value: word, selected: word === value }, title)));

// A condition is tried while it is written: an error shows where it is.
function editor(rule, place, go) {
  const fields = {
    name: text(rule?.name, { required: true, maxlength: 64 }),
    applies: text(rule?.applies_to.join(', ') ?? 'bank', { required: true }),
    message: text(rule?.message, { maxlength: 500 }),
    description: text(rule?.description, { maxlength: 2000 }),
    effect: choice(
      [
        ['deny', 'deny: refuse it'],
        ['audit', 'audit: mark it'],
      ],
      rule?.effect,
    ),
    mode: choice(
      [
        ['shadow', 'shadow: only count'],
        ['enforce', 'enforce'],
      ],
      rule?.mode ?? 'shadow',
    ),
    priority: text(rule?.priority ?? 0, { type: 'number', min: -1000, max: 1000 }),
  };
  const cel = celEditor(rule?.when ?? 'command.effect == "destroys" && principal.role != "owner"', () =>
    words(fields.applies.value),
  );
  fields.applies.addEventListener('change', cel.check);
  const args = () =>
    given({
      name: fields.name.value.trim(),
      description: fields.description.value.trim(),
      applies_to: words(fields.applies.value),
      ...(rule && cel.value() === rule.when ? {} : { when: cel.value() }),
      effect: fields.effect.value,
      mode: fields.mode.value,
      message: fields.message.value.trim(),
      priority: Number(fields.priority.value),
    });
  const tool = rule ? 'RL_Update' : 'RL_Create';
  const saved = () => ({ ...args(), ...(rule && { id: rule.id, if_revision: rule.revision }) });
  const wrong = el('div', { role: 'alert' });
  const form = el(
    'form',
    { class: 'rule-form' },
    field('Name', fields.name),
    field('Applies to', fields.applies, 'Commands (AP_Destroy), families (bank), documents. Comma-separated.'),
    cel.element,
    el(
      'div',
      { class: 'field-row' },
      field('Effect', fields.effect),
      field('Mode', fields.mode),
      field('Priority', fields.priority),
    ),
    field('Message', fields.message, 'Shown to refused callers. Say how to correct the request.'),
    field('Description', fields.description),
    wrong,
    el(
      'div',
      { class: 'row' },
      el('button', { type: 'submit', ...allowed(tool) }, rule ? 'Save' : 'Create'),
      el('a', { class: 'button quiet', href: rule ? `/console/rules/${enc(rule.id)}` : '/console/rules' }, 'Cancel'),
      asCode('The rule', () => [{ tool, args: saved() }]),
    ),
  );
  form.addEventListener('submit', (event) => {
    event.preventDefault();
    whileBusy(event.submitter, async () => {
      wrong.replaceChildren();
      try {
        const answer = await call(tool, saved());
        toast(rule ? 'Saved.' : 'Created.');
        go(`/console/rules/${enc(answer.rule.id)}`);
      } catch (error) {
        if (!cel.shows(error)) wrong.replaceChildren(problem(error));
      }
    });
  });
  put(
    place,
    el('h2', {}, rule ? `Edit ${rule.name}` : 'New rule'),
    mayChange(tool) ? null : el('p', { class: 'note' }, `${whyNot(tool)}. You can still try it.`),
    form,
    trial(
      () => ({ when: cel.value(), applies_to: words(fields.applies.value), effect: fields.effect.value }),
      rule?.examples[0]?.request,
    ),
  );
}

// A template has only its word as a name.
const sentenceCase = (word) => `${word[0].toUpperCase()}${word.slice(1).replaceAll(/[-_]/g, ' ')}`;
const heading = ({ name }) => sentenceCase(name);

async function templates(name, place, go) {
  const { templates: found } = await call('RL_Templates');
  const chosen = found.find((template) => template.name === name);
  if (chosen) return fillIn(chosen, place, go);
  return put(
    place,
    el('h2', {}, 'Templates'),
    el(
      'ul',
      { class: 'templates' },
      ...found.map((template) =>
        el(
          'li',
          {},
          link(
            `/console/rules/templates/${enc(template.name)}`,
            el('b', {}, heading(template)),
            el('span', {}, template.description),
            el('span', { class: 'soft' }, `For ${template.applies_to.join(', ')} · `, el('code', {}, template.name)),
          ),
        ),
      ),
    ),
  );
}

// A template as a form: a field for each parameter.
function fillIn(template, place, go) {
  const name = text(heading(template), { required: true, maxlength: 64 });
  const message = text('', { maxlength: 500, placeholder: template.message });
  const mode = choice(
    [
      ['shadow', 'shadow: only count'],
      ['enforce', 'enforce'],
    ],
    'shadow',
  );
  const inputs = template.parameters.map((parameter) => {
    const value = parameter.defaults[parameter.name];
    return [
      parameter,
      text(Array.isArray(value) ? value.join(', ') : value, parameter.type === 'number' ? { type: 'number' } : {}),
    ];
  });
  const parameters = () =>
    Object.fromEntries(
      inputs.map(([parameter, input]) => [
        parameter.name,
        parameter.type === 'number'
          ? Number(input.value)
          : parameter.type === 'texts'
            ? input.value
                .split(',')
                .map((one_) => one_.trim())
                .filter(Boolean)
            : input.value,
      ]),
    );
  const args = () =>
    given({
      name: name.value.trim(),
      template: template.name,
      parameters: parameters(),
      mode: mode.value,
      message: message.value.trim(),
    });
  const wrong = el('div', { role: 'alert' });
  const form = el(
    'form',
    { class: 'rule-form' },
    field('Name', name),
    ...inputs.map(([parameter, input]) =>
      field(
        sentenceCase(parameter.name),
        input,
        `${parameter.description}${parameter.type === 'texts' ? ' Comma-separated.' : ''}`,
      ),
    ),
    el('div', { class: 'field-row' }, field('Mode', mode), field('Message', message, 'Shown to refused callers.')),
    wrong,
    el(
      'div',
      { class: 'row' },
      el('button', { type: 'submit', ...allowed('RL_Create') }, 'Create'),
      link('/console/rules/templates', 'All templates'),
      asCode('The rule', () => [{ tool: 'RL_Create', args: args() }]),
    ),
  );
  form.addEventListener('submit', (event) => {
    event.preventDefault();
    whileBusy(event.submitter, async () => {
      wrong.replaceChildren();
      try {
        const answer = await call('RL_Create', args());
        toast('Created.');
        go(`/console/rules/${enc(answer.rule.id)}`);
      } catch (error) {
        wrong.replaceChildren(problem(error));
      }
    });
  });
  put(
    place,
    el('h2', {}, heading(template)),
    el('p', {}, template.description),
    form,
    el('section', {}, el('h3', {}, 'Its condition'), code(template.when, 'The condition')),
    trial(
      () => ({ template: template.name, parameters: parameters() }),
      template.examples.find((example) => example.expected === 'matches')?.request,
    ),
  );
}
