// Parts of the memory page: what an agent would load, and what a censorship would hide.
import { call } from './api.js';
import {
  html,
  nothing,
  action,
  ask,
  el,
  enc,
  compact,
  link,
  memoryCount,
  meter,
  number,
  render,
  tag,
  toast,
} from './parts.js';
import { backTo, tokens } from './memory-one.js';
import { memoriesOf } from './memory-words.js';

const ROOM = 4000;

// What MB_Load would answer, and does not attach.
export async function loading(bank, { go }) {
  const { content: loaded, tokens: sum } = await call('MB_Load', { vx: { name: bank.name }, dry_run: true });
  return () => [
    backTo(bank),
    html`<header class="detail-head">
      <div>
        <h2>What an agent loads</h2>
        <p class="soft">Pinned memories first, then the newest, up to ${number(ROOM)} tokens.</p>
      </div>
      <div class="head-actions">
        ${action(
          'MB_Load',
          'Load into an agent',
          () =>
            ask({
              title: `Load ${bank.name} into an agent`,
              text: 'The bank becomes its working memory until it is unloaded.',
              verb: 'Load',
              tool: 'MB_Load',
              fields: [{ name: 'agent', label: 'Agent', required: true, max: 64 }],
              args: ({ agent }) => ({ target: { agent }, vx: { name: bank.name } }),
              done: (answer) => {
                toast(`${number(answer.content?.length)} memories, ${number(answer.tokens ?? sum)} tokens.`);
                go(location.pathname, true);
              },
            }),
          '',
        )}
      </div>
    </header>`,
    html`<p class="load-sum">
      <b>${number(sum)} of ${number(ROOM)} tokens</b
      ><span class="soft"> ${number(loaded.length)} of ${memoryCount(bank.memories)} memories</span
      >${meter(sum, ROOM, `${sum} of ${ROOM} tokens`, '')}
    </p>`,
    loaded.length
      ? html`<ol class="load">
          ${loaded.map(
            (one) =>
              html`<li>
                <p class="load-head">
                  ${link(
                    `/console/memory/${enc(bank.name)}/${enc(one.name ?? one.id)}`,
                    html`<b dir="auto">${one.name ?? 'unnamed'}</b>`,
                  )}${one.pinned ? tag('pinned', 'reads') : nothing}<span class="soft"
                    >${number(tokens(one.text))} tokens</span
                  >
                </p>
                <p dir="auto" class="clip2">${one.text}</p>
              </li>`,
          )}
        </ol>`
      : html`<p class="soft">
          ${
            bank.memories
              ? `Nothing: every memory is larger than ${number(ROOM)} tokens.`
              : 'Nothing: the bank is empty.'
          }
        </p>`,
  ];
}

function affected(body, agent) {
  const all = body.affected ?? [];
  const isDerived = (one) => agent && one.author !== agent;
  const derived = all.filter(isDerived).length;
  return html`<p class="preview-count">
      <b>Hides ${memoriesOf(body.hidden)}</b>${derived ? `, ${number(derived)} derived` : ''}.
    </p>
    ${
      all.length
        ? html`<ul class="preview">
            ${all
              .slice(0, 40)
              .map(
                (one) =>
                  html`<li>
                    <b dir="auto">${one.name ?? 'unnamed'}</b><span class="soft"> by ${one.author}</span>${
                      isDerived(one) ? tag('derived', 'changes') : nothing
                    }
                  </li>`,
              )}
          </ul>`
        : nothing
    }
    ${body.hidden > all.length ? html`<p class="soft">The first ${number(all.length)} of them.</p>` : nothing}`;
}

// What it would hide, before it is done. The answer to an earlier choice may come after that to the latest one, and is not shown.
async function preview(bank, agent, place, isLatest) {
  render(html`<p class="soft">Counting…</p>`, place);
  const preview = await call('MB_Censor', { target: compact({ bank, agent }), dry_run: true }).then(
    (body) => affected(body, agent),
    (error) => html`<p dir="auto" class="problem">${error.message}</p>`,
  );
  if (isLatest()) render(preview, place);
}

export async function censor(bank, again) {
  const listed = await call('MB_AgentList', { target: { bank: bank.name }, page: { limit: 200 } }).catch(() => ({
    content: [],
  }));
  const authors = listed.content.filter((one) => one.memories > 0).map((one) => one.agent);
  const place = el('div', { class: 'note', role: 'status' });
  let choices = 0;
  await ask({
    title: `Censor ${bank.name}`,
    text: [
      'Censored memories are hidden from every read and search, and kept for audit. Lifting the censorship shows them again. New memories of a censored agent go into quarantine.',
      place,
    ],
    verb: 'Censor',
    danger: true,
    tool: 'MB_Censor',
    fields: [
      {
        name: 'agent',
        label: 'Whose memories',
        options: ['', ...authors],
        labels: { '': 'Everybody: the whole bank' },
      },
    ],
    changed: ({ agent }) => {
      const choice = ++choices;
      return preview(bank.name, agent, place, () => choice === choices);
    },
    args: ({ agent }) => ({ target: compact({ bank: bank.name, agent }) }),
    done: ({ changed, hidden }, { agent }) => {
      const all = agent ? `What ${agent} wrote in ${bank.name}` : `The bank ${bank.name}`;
      toast(`${all} is ${changed ? 'hidden' : 'hidden already'}: ${memoriesOf(hidden)}.`);
      again();
    },
  });
}
