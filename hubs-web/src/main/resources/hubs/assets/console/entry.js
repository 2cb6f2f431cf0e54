// One entry of the audit, opened: all that is known of the call, what it wrote, and how to allow what was refused.
import { dialog } from '../dom.js';
import { may } from './api.js';
import { button, client, el, enc, encAgent, html, link, nodes, nothing, render, tag, wholeTime } from './parts.js';
import { isOfMemory, sentence } from './sentences.js';

const DOORS = { mcp: 'MCP', rest: 'REST' };

export function showEntry(entry) {
  const place = el('div', { class: 'entry' });
  const box = dialog(entry.tool, place, nodes(html`<div class="row">${button('Close', () => box.close())}</div>`));
  box.classList.add('wide');
  box.addEventListener('click', (event) => event.target.closest('a') && box.close());
  render(view(entry), place);
}

function view(entry) {
  const isRefused = entry.result !== 'done';
  const facts = [
    ['Result', tag(entry.result, isRefused ? 'destroys' : 'reads')],
    ['When', html`<time datetime=${entry.at}>${wholeTime(entry.at)}</time>`],
    ['Person', entry.acting_for ? `${entry.user}, for ${entry.acting_for}` : entry.user],
    ['Agent', entry.agent && link(`/console/agents/${encAgent(entry.agent)}`, entry.agent)],
    ['Key', entry.key_id && link(`/console/keys/${enc(entry.key_id)}`, entry.key_name ?? entry.key_id)],
    ['From', [DOORS[entry.door] ?? entry.door, client(entry.client), entry.address].filter(Boolean).join(' · ')],
    ['Thing', thing(entry)],
    [isOfMemory(entry) ? 'Memory' : 'Wrote', wrote(entry)],
    [
      'Arguments',
      entry.arguments?.length && entry.arguments.map((name) => html`<code class="argument">${name}</code> `),
    ],
    ['Rules', entry.rules?.length && entry.rules.map((rule) => html`${link('/console/rules', rule)} `)],
    ['Details', entry.details],
    ['Calls', entry.times && `${entry.times} in a minute; the words are those of the last one`],
    ['Request', html`<code>${entry.request_id}</code>`],
  ];
  return html`<p dir="auto">${sentence(entry)}</p>
    ${entry.note ? html`<p dir="auto" class="note${isRefused ? ' bad' : ''}">${entry.note}</p>` : nothing}
    ${
      isRefused
        ? html`<h3>How to allow it</h3>
            <p>${howToAllow(entry)}</p>`
        : nothing
    }
    <dl class="facts">
      ${facts
        .filter(([, value]) => value)
        .map(
          ([name, value]) =>
            html`<dt>${name}</dt>
              <dd>${value}</dd>`,
        )}
    </dl>
    ${entry.arguments?.length ? html`<p class="hint">Arguments are kept by name, without what they contained.</p>` : nothing}`;
}

const PATHS = {
  agent: 'agents',
  bank: 'memory',
  document: 'documents',
  key: 'keys',
  endpoint: 'webhooks',
  upstream: 'upstreams',
  domain: 'spaces',
};

function thing(entry) {
  const name = entry.target ?? entry.target_id;
  if (!name) return null;
  const [domain, zone] = name.split('/');
  if (entry.target_kind === 'zone' && zone) return link(`/console/spaces/${enc(domain)}/${enc(zone)}`, name);
  const page = PATHS[entry.target_kind];
  const id = ['key', 'endpoint'].includes(entry.target_kind) ? (entry.target_id ?? name) : name;
  const words = `${entry.target_kind} ${name}`;
  return page && entry.result !== 'not_found' ? link(`/console/${page}/${enc(id)}`, words) : words;
}

// The message or the memory, where it can be read.
function wrote(entry) {
  if (!entry.item || !entry.target) return null;
  const id = enc(entry.item);
  if (entry.target_kind === 'zone') {
    const [domain, zone] = entry.target.split('/');
    return link(`/console/spaces/${enc(domain)}/${enc(zone)}?message=${id}`, 'the message in its room');
  }
  if (isOfMemory(entry) && ['MB_Delete', 'MB_Destroy'].includes(entry.tool)) {
    const place = html`<code>${entry.item}</code>`;
    return entry.tool === 'MB_Destroy'
      ? place
      : html`${place} ${link(`/console/memory/${enc(entry.target)}?view=trash`, 'in the trash of the bank')}`;
  }
  if (entry.target_kind === 'bank') return link(`/console/memory/${enc(entry.target)}/${id}`, 'the memory');
  const agent = entry.target_kind === 'agent' ? entry.target : entry.agent;
  return agent ? link(`/console/agents/${encAgent(agent)}?message=${id}`, 'the message in its conversation') : null;
}

// What the loop guard stops is right in itself: there is too much of it, without a person or progress.
const pastTheGuard = (entry) =>
  html`The loop guard stopped it: agents answered each other too often or too fast. It lets them go on when a person
    writes there, when a task of the space moves on, or at the time that the note names. The owner of the
    ${entry.target_kind === 'zone' ? 'space' : 'agent'} and admins can allow more messages, or change the limit: see
    ${link('/console/inbox', 'Needs you')}, or the field <code>guard</code> of
    <code>${entry.target_kind === 'zone' ? 'DM_Update' : 'AP_Modify'}</code>.`;

// What an admin can do so that the same call is accepted.
export function howToAllow(entry) {
  const key =
    entry.key_id && may('AK_Update')
      ? link(`/console/keys/${enc(entry.key_id)}`, `the key ${entry.key_name ?? entry.key_id}`)
      : 'the key';
  if (/\bguard\b/i.test(entry.note ?? '') && entry.result === 'conflict') return pastTheGuard(entry);
  const capability = /\b[a-z]+:[a-z]+\b/.exec(entry.note ?? '')?.[0];
  switch (entry.result) {
    case 'not_permitted':
      if (capability) return html`Give ${key} the capability <code>${capability}</code>.`;
      if (entry.target_kind === 'bank')
        return html`Give the agent a permission on the bank: open ${thing(entry)} and choose Permissions.`;
      return html`The owner of the thing and admins may do it; or change who owns it, or the role of ${entry.user} under
      ${link('/console/settings', 'Settings')}.`;
    case 'rule_refused':
      return html`A rule refuses it. Change it or switch it off under ${link('/console/rules', 'Rules')}; there it can
      be tried on this request first.`;
    case 'not_found':
      return html`It does not exist, or ${entry.agent ?? entry.user} may not see it. If it exists, its owner can widen
      its access, or invite the agent.`;
    case 'rate_limited':
    case 'quota_exceeded':
      return html`A limit is reached. ${link('/console/settings', 'Settings')} shows the limits of the plan.`;
    default:
      return `Nothing forbids it: the call itself has to change${entry.note ? ', as the note says' : ''}.`;
  }
}
