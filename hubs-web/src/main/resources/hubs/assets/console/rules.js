// Rules: what is refused or noted, how often; written in CEL or made from templates; tried on a request and on what was done.
import { all, me } from './api.js';
import {
  action,
  ago,
  ask,
  back,
  DANGER,
  draw,
  empty,
  enc,
  facts,
  head,
  html,
  link,
  nothing,
  number,
  problem,
  tag,
  toast,
  sample,
} from './parts.js';
import { code } from '../dom.js';
import { editor, templates, trial } from './rule-editor.js';

const effect = (rule) => tag(rule.effect, rule.effect === 'deny' ? 'destroys' : 'changes');
const inForce = (rule) =>
  rule.enabled ? (rule.mode === 'shadow' ? tag('shadow', 'changes') : tag('in force', 'reads')) : tag('off');

export async function show({ at, view, go }) {
  const title = head('Rules', {
    sub: 'Calls and documents that are refused, or marked in the audit.',
    actions: [
      action('RL_Templates', 'From a template', () => go('/console/rules/templates')),
      action('RL_Create', 'New rule', () => go('/console/rules/new'), ''),
    ],
  });
  draw(html`${title}${await content(at.parts, go)}`, view);
}

async function content([word, what], go) {
  if (!me.tools.has('RL_List')) return empty('Not for this key', 'Rules are for keys with the capability rule:read.');
  const rules = await all('RL_List', {}, (body) => body.rules);
  if (!rules.length && !word)
    return html`${empty(
      'No rules yet',
      'A rule refuses calls and documents, or marks them in the audit. Start from a template, and replay it over past calls before you enforce it.',
      action('RL_Templates', 'Choose a template', () => go('/console/rules/templates'), ''),
      html`<a class="button quiet" href="/docs/rules">How rules work</a>`,
    )}
    ${sample(
      { title: 'nobody-deletes-decisions', meta: '1 matched', state: ['deny', 'destroys'], text: 'MB_Delete' },
      { title: 'short-messages', meta: 'none matched', state: ['audit', 'changes'], text: 'AP_Chat' },
    )}`;
  return html`${word ? back('/console/rules', 'All rules') : nothing}
    <div class="split${word ? ' chosen' : ''}">
      <ul class="side endpoints" aria-label="Rules">
        ${rules.map((rule) => entry(rule, rule.id === word))}
        ${rules.length ? nothing : html`<li class="soft pad">No rules yet.</li>`}
      </ul>
      <div class="detail" tabindex="-1">${await detail(rules, word, what, go)}</div>
    </div>`;
}

function detail(rules, word, what, go) {
  if (word === 'templates') return templates(what, go);
  if (word === 'new') return editor(null, go);
  if (!word) return html`<p class="soft pick">Select a rule to see what it matched, and to try it.</p>`;
  const rule = rules.find((one) => one.id === word);
  if (!rule) return problem(new Error('There is no such rule, or it was deleted.'));
  return what === 'edit' ? editor(rule, go) : one(rule, go);
}

const entry = (rule, isChosen) =>
  html`<li>
    <a href="/console/rules/${enc(rule.id)}" data-go="true" aria-current=${isChosen ? 'true' : nothing}
      ><b dir="auto" class="clip">${rule.name}</b>
      <span class="soft clip">${rule.applies_to.join(', ')}</span>
      <span
        >${effect(rule)} ${inForce(rule)}
        <span class="soft">${rule.matches.count ? `${number(rule.matches.count)} matched` : 'none matched'}</span></span
      ></a
    >
  </li>`;

function one(rule, go) {
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
  return [
    html`<header class="detail-head">
      <div>
        <h2 dir="auto" class="breaks">${rule.name}</h2>
        ${rule.description ? html`<p dir="auto" class="soft">${rule.description}</p>` : nothing}
      </div>
      <div class="head-actions">
        ${action('RL_Update', 'Edit', () => go(`/console/rules/${enc(rule.id)}/edit`))}${
          rule.enabled
            ? change('Switch off', { enabled: false }, 'It stops matching within a second.')
            : change('Switch on', { enabled: true }, 'It is in force within a second.')
        }${
          rule.mode === 'shadow'
            ? change(
                'Enforce',
                { mode: 'enforce' },
                `Its effect then applies. In shadow it matched ${number(rule.matches.count)} times.`,
              )
            : change('To shadow', { mode: 'shadow' }, 'It then only counts what it matches.')
        }${action(
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
              done: () => {
                go('/console/rules');
                toast(`The rule ${rule.name} is deleted.`);
              },
            }),
          DANGER,
        )}
      </div>
    </header>`,
    html`<p class="tagline">
      ${effect(rule)}${inForce(rule)}${rule.template ? tag(`from ${rule.template}`) : nothing}${rule.priority ? tag(`priority ${rule.priority}`) : nothing}
    </p>`,
    html`<section>
      <h3>Condition</h3>
      ${code(rule.when, 'The condition')}
    </section>`,
    rule.message
      ? html`<section>
          <h3>Message to refused callers</h3>
          <p dir="auto" class="note">${rule.message}</p>
        </section>`
      : nothing,
    html`<div class="figures">
      ${figure('Matched', number(rule.matches.count))}${figure('Failed', number(rule.matches.failures))}${figure('Since', ago(rule.matches.since))}${figure('Last', rule.matches.last_at ? ago(rule.matches.last_at) : 'never')}
    </div>`,
    rule.matches.last_failure
      ? html`<p class="note bad">It could not be evaluated: ${rule.matches.last_failure}</p>`
      : nothing,
    trial(() => ({ rule: rule.id }), rule.examples[0]?.request),
    html`<section>
      <h3>Record</h3>
      ${facts([
        ['Applies to', rule.applies_to.join(', ')],
        ['Parameters', rule.parameters ? html`<code class="breaks">${JSON.stringify(rule.parameters)}</code>` : null],
        ['Changed', ago(rule.updated_at)],
        ['Revision', number(rule.revision)],
        ['Changes', link(`/console/activity?target=${enc(`rule:${rule.id}`)}`, 'in the activity')],
      ])}
    </section>`,
  ];
}

const figure = (name, value) => html`<div class="figure"><span class="soft">${name}</span><b>${value}</b></div>`;
