// Where a rule is written: in CEL or from a template, and tried on a request and on what was done.
import { code } from '../dom.js';
import { call, mayChange, whyNot } from './api.js';
import { celEditor } from './cel.js';
import {
  action,
  ago,
  allowed,
  asCode,
  el,
  enc,
  compact,
  html,
  link,
  nothing,
  problem,
  render,
  tag,
  toast,
  whileBusy,
} from './parts.js';

const EXAMPLE = { service: 'MB_Destroy', target: { bank: 'Ledger' }, principal: { user: 'ann', role: 'member' } };

const words = (text) => text.split(/[,\s]+/).filter(Boolean);

// Tries what is written on a request, and on the audited commands of the last days.
export function trial(rule, example) {
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
    render(html`<p class="soft">Trying…</p>`, result);
    try {
      const answer = await call('RL_Check', { ...rule(), ...args() });
      render(outcome(answer), result);
    } catch (error) {
      render(problem(error), result);
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
  return html`<section class="panel trial">
    <h3>Try it</h3>
    <div class="trial-ways">
      <div>
        <p class="soft">On a request: a call, and what the rule examines.</p>
        ${request}
        <div class="row">
          ${action('RL_Check', 'Try the request', () => run(asRequest))}${asCode('The trial', () => [{ tool: 'RL_Check', args: { ...rule(), ...asRequest() } }])}
        </div>
      </div>
      <div>
        <p class="soft">On past calls from the audit.</p>
        <div class="row">
          ${days}${action('RL_Check', 'Replay', () => run(replay))}${asCode('Past calls', () => [{ tool: 'RL_Check', args: { ...rule(), ...replay() } }])}
        </div>
      </div>
    </div>
    ${result}
  </section>`;
}

function outcome(answer) {
  const found = answer.replayed;
  if (!found)
    return [
      html`<p>
        ${
          answer.outcome
            ? tag(answer.outcome.matches ? 'matches' : 'passes', answer.outcome.matches ? 'destroys' : 'reads')
            : nothing
        }
        ${answer.summary}.
      </p>`,
      answer.outcome?.failure ? html`<p class="note bad">${answer.outcome.failure}</p>` : '',
    ];
  return [
    html`<p>
      <b>${answer.summary[0].toUpperCase()}${answer.summary.slice(1)}.</b
      >${found.truncated ? ' There was more than could be tried.' : ''}
    </p>`,
    found.examples.length
      ? html`<div class="scrolls" tabindex="0" role="group" aria-label="What it matches">
          <table>
            <thead>
              <tr>
                ${['When', 'Who', 'Command', 'What'].map((title) => html`<th scope="col">${title}</th>`)}
              </tr>
            </thead>
            <tbody>
              ${found.examples.map(
                (example) =>
                  html`<tr>
                    <td>${ago(example.at)}</td>
                    <td dir="auto">${example.agent ? `${example.user} as ${example.agent}` : example.user}</td>
                    <td>${example.tool}</td>
                    <td class="breaks">${example.target_kind} ${example.target ?? ''}</td>
                  </tr>`,
              )}
            </tbody>
          </table>
        </div>`
      : '',
  ];
}

const field = (label, input, hint) => {
  const id = `rule-${label.toLowerCase().replaceAll(' ', '-')}`;
  input.id = id;
  return html`<div class="field">
    <label for=${id}>${label}</label>${input}${hint ? html`<p class="hint">${hint}</p>` : nothing}
  </div>`;
};
const text = (value, attributes = {}) =>
  Object.assign(el('input', { autocomplete: 'off', ...attributes }), { value: value ?? '' });
const choice = (options, value) =>
  el('select', {}, ...options.map(([word, title]) => el('option', { value: word, selected: word === value }, title)));
const EFFECTS = [
  ['deny', 'deny: refuse it'],
  ['audit', 'audit: mark it'],
];
const MODES = [
  ['shadow', 'shadow: only count'],
  ['enforce', 'enforce'],
];

const submitButton = (tool, label) => {
  const refused = allowed(tool);
  return html`<button
    type="submit"
    aria-disabled=${refused['aria-disabled'] ?? nothing}
    ?data-refused=${refused['data-refused']}
    title=${refused.title ?? nothing}
  >
    ${label}
  </button>`;
};

// A condition is tried while it is written: an error shows where it is.
export function editor(rule, go) {
  const fields = {
    name: text(rule?.name, { required: true, maxlength: 64 }),
    applies: text(rule?.applies_to.join(', ') ?? 'bank', { required: true }),
    message: text(rule?.message, { maxlength: 500 }),
    description: text(rule?.description, { maxlength: 2000 }),
    effect: choice(EFFECTS, rule?.effect),
    mode: choice(MODES, rule?.mode ?? 'shadow'),
    priority: text(rule?.priority ?? 0, { type: 'number', min: -1000, max: 1000 }),
  };
  const cel = celEditor(rule?.when ?? 'command.effect == "destroys" && principal.role != "owner"', () =>
    words(fields.applies.value),
  );
  fields.applies.addEventListener('change', cel.check);
  const args = () =>
    compact({
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
  const submit = (event) => {
    event.preventDefault();
    return whileBusy(event.submitter, async () => {
      render(nothing, wrong);
      try {
        const answer = await call(tool, saved());
        toast(rule ? 'Saved.' : 'Created.');
        go(`/console/rules/${enc(answer.rule.id)}`);
      } catch (error) {
        if (!cel.shows(error)) render(problem(error), wrong);
      }
    });
  };
  return html`<h2 dir="auto">${rule ? `Edit ${rule.name}` : 'New rule'}</h2>
    ${mayChange(tool) ? nothing : html`<p class="note">${whyNot(tool)}. You can still try it.</p>`}
    <form class="rule-form" @submit=${submit}>
      ${field('Name', fields.name)}
      ${field('Applies to', fields.applies, 'Commands (AP_Destroy), families (bank), documents. Comma-separated.')}
      ${cel.element}
      <div class="field-row">
        ${field('Effect', fields.effect)} ${field('Mode', fields.mode)} ${field('Priority', fields.priority)}
      </div>
      ${field('Message', fields.message, 'Shown to refused callers. Say how to correct the request.')}
      ${field('Description', fields.description)} ${wrong}
      <div class="row">
        ${submitButton(tool, rule ? 'Save' : 'Create')}
        <a class="button quiet" href=${rule ? `/console/rules/${enc(rule.id)}` : '/console/rules'}>Cancel</a>
        ${asCode('The rule', () => [{ tool, args: saved() }])}
      </div>
    </form>
    ${trial(
      () => ({ when: cel.value(), applies_to: words(fields.applies.value), effect: fields.effect.value }),
      rule?.examples[0]?.request,
    )}`;
}

// A template has only its word as a name.
const sentenceCase = (word) => `${word[0].toUpperCase()}${word.slice(1).replaceAll(/[-_]/g, ' ')}`;
const heading = ({ name }) => sentenceCase(name);

export async function templates(name, go) {
  const { templates: found } = await call('RL_Templates');
  const chosen = found.find((template) => template.name === name);
  if (chosen) return fillIn(chosen, go);
  return html`<h2>Templates</h2>
    <ul class="templates">
      ${found.map(
        (template) =>
          html`<li>
            ${link(
              `/console/rules/templates/${enc(template.name)}`,
              html`<b dir="auto">${heading(template)}</b>
                <span dir="auto">${template.description}</span>
                <span class="soft">For ${template.applies_to.join(', ')} · <code>${template.name}</code></span>`,
            )}
          </li>`,
      )}
    </ul>`;
}

// A template as a form: a field for each parameter.
function fillIn(template, go) {
  const name = text(heading(template), { required: true, maxlength: 64 });
  const message = text('', { maxlength: 500, placeholder: template.message });
  const mode = choice(MODES, 'shadow');
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
    compact({
      name: name.value.trim(),
      template: template.name,
      parameters: parameters(),
      mode: mode.value,
      message: message.value.trim(),
    });
  const wrong = el('div', { role: 'alert' });
  const submit = (event) => {
    event.preventDefault();
    return whileBusy(event.submitter, async () => {
      render(nothing, wrong);
      try {
        const answer = await call('RL_Create', args());
        toast('Created.');
        go(`/console/rules/${enc(answer.rule.id)}`);
      } catch (error) {
        render(problem(error), wrong);
      }
    });
  };
  const hint = ({ description, type }) => `${description}${type === 'texts' ? ' Comma-separated.' : ''}`;
  return html`<h2 dir="auto">${heading(template)}</h2>
    <p dir="auto">${template.description}</p>
    <form class="rule-form" @submit=${submit}>
      ${field('Name', name)}
      ${inputs.map(([parameter, input]) => field(sentenceCase(parameter.name), input, hint(parameter)))}
      <div class="field-row">${field('Mode', mode)} ${field('Message', message, 'Shown to refused callers.')}</div>
      ${wrong}
      <div class="row">
        ${submitButton('RL_Create', 'Create')} ${link('/console/rules/templates', 'All templates')}
        ${asCode('The rule', () => [{ tool: 'RL_Create', args: args() }])}
      </div>
    </form>
    <section>
      <h3>Its condition</h3>
      ${code(template.when, 'The condition')}
    </section>
    ${trial(
      () => ({ template: template.name, parameters: parameters() }),
      template.examples.find((example) => example.expected === 'matches')?.request,
    )}`;
}
