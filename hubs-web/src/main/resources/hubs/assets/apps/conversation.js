// A conversation of an agent or a zone, with a box to answer. An agent has an owner; a zone has none.
import { html, nothing, repeat } from '../lit-html.js';
import { avatar, clock, rich, tag } from '../console/text.js';
import { call, canCall, tell } from './host.js';
import { show } from './page.js';

const MOST_SHOWN = 50;

let messages = [];
let place = null; // The target of AP_Chat.
let reading = null; // The tool that reads the conversation, and its arguments.
let answering = null;

// An answer goes where its message is. Without one, the message goes to the zone or agent that was read.
const { press, box } = show('conversation', {
  asked: (args) => (place = args.target ?? null),
  take(body) {
    messages = (body.content ?? []).slice(-MOST_SHOWN);
    const one = body.profile?.[0];
    const isZone = one && !one.owner;
    if (isZone) place = { domain: place?.domain ?? messages[0]?.domain, zone: one.name };
    else if (one) place = { agent: one.name };
    reading = isZone ? ['ZN_Read', { target: place }] : ['AP_Read', one ? { target: place } : {}];
  },
  view: () => html`
    <ol class="bubbles" aria-label="Messages">
      ${messages.length ? repeat(messages, (message) => message.id, bubble) : html`<li class="soft">No messages yet.</li>`}
    </ol>
    ${canCall() && (answering || place?.agent || place?.domain) ? answerBox() : nothing}
  `,
});

const bubble = (message) =>
  html`<li class="bubble">
    ${avatar(message.from, { kind: message.from_kind })}
    <div>
      <p class="bubble-head">
        <b dir="auto">${message.from}</b
        >${message.to ? html`<span class="soft">to <bdi>${message.to}</bdi></span>` : nothing}<span class="soft"
          >${clock(message.created_at)}</span
        >${message.question ? tag(`question: ${message.question.state}`) : nothing}
      </p>
      ${rich(message.content)}
      ${canCall() ? html`<button type="button" class="quiet" aria-label="Answer ${message.from}" @click=${choose(message)}>Answer</button>` : nothing}
    </div>
  </li>`;

const choose = (message) =>
  press(() => {
    answering = message;
    document.querySelector('textarea')?.focus();
  });

const answerBox = () =>
  box(answering ? html`Answer <bdi>${answering.from}</bdi>` : html`Message to <bdi>${where()}</bdi>`, 'Send', send);

const where = () => (place.domain ? `${place.domain}/${place.zone ?? 'main'}` : place.agent);

async function send(content) {
  await call('AP_Chat', answering ? { reply_to: answering.id, content } : { target: place, content });
  answering = null;
  const body = await call(...reading);
  messages = (body.content ?? []).slice(-MOST_SHOWN);
  await tell(`The person wrote in the conversation: ${JSON.stringify(content.slice(0, 500))}`);
}
