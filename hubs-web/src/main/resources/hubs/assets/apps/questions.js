// Questions that wait for a person, with a button for each choice.
import { html, nothing, repeat } from '../lit-html.js';
import { avatar, clock, rich } from '../console/text.js';
import { call, canCall, tell } from './host.js';
import { show } from './page.js';

let items = [];
let others = 0;
const answered = new Map(); // The answers that were given here, by question.

const { press, box } = show('questions', {
  take(body) {
    items = body.question ? [asked(body)] : body.content.filter((item) => item.kind === 'question');
    others = body.question ? 0 : body.content.length - items.length;
  },
  view: () => html`
    <ol class="needs" aria-label="Questions">
      ${items.length ? repeat(items, (item) => item.id, need) : html`<li class="soft">No question waits for you.</li>`}
    </ol>
    ${others ? html`<p class="soft">${others} more ${others === 1 ? 'thing waits' : 'things wait'} in the console.</p>` : nothing}
  `,
});

// What AP_Ask answers, as an item of US_Inbox.
function asked({ content, question }) {
  const message = content.find((one) => one.question?.id === question.id) ?? content[0];
  if (question.state === 'answered') answered.set(question.id, question.answer);
  return {
    id: question.id,
    at: message.created_at,
    from: message.from,
    to: message.to,
    text: message.content,
    actions: [],
  };
}

const need = (item) =>
  html`<li class="need">
    <p class="bubble-head">
      ${avatar(item.from)}<b dir="auto">${item.from}</b>
      <span class="soft">${item.to ? html`asks <bdi>${item.to}</bdi>` : 'asks you'}</span
      ><span class="soft">${clock(item.at)}</span>
    </p>
    ${rich(item.text ?? '')}
    ${answered.has(item.id) ? html`<p role="status">Answered: <b dir="auto">${answered.get(item.id)}</b></p>` : answers(item)}
  </li>`;

function answers(item) {
  if (!canCall()) return nothing;
  const choices = item.actions.filter((action) => action.tool === 'AP_Answer' && !action.add);
  const free = item.actions.find((action) => action.tool === 'AP_Answer' && action.add);
  return html`
    ${choices.length ? html`<p class="row">${choices.map((action) => html`<button type="button" @click=${press(() => give(item, action))}>${action.name}</button>`)}</p>` : nothing}
    ${free ? box('Your answer', 'Answer', (content) => give(item, free, { content })) : nothing}
  `;
}

async function give(item, action, more = {}) {
  const { question } = await call(action.tool, { ...action.arguments, ...more });
  answered.set(item.id, question.answer);
  await tell(`The person answered question ${item.id}: ${JSON.stringify(question.answer)}`);
}
