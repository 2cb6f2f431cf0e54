// The demo's bar: how far it is, pausing, answering, playing again, taking it all away.
import { call, isAdmin, request, routeAsCurl, whyNot } from './api.js';
import { asCode, button, DANGER, enc, html, link, nothing, toast, whileBusy } from './parts.js';

const EVERY = 1000;
let current; // The demo of the page that is shown.
let isStarting = false; // The page may be drawn anew meanwhile.

// It creates agents, rooms, banks and keys, and so needs every right.
const NEEDED = ['AP_Create', 'DM_Create', 'MB_Create', 'MB_Store', 'AK_Create'];
const reason = () => NEEDED.map(whyNot).find(Boolean) ?? null;

// Its agents, rooms and memories appear while it is being set up: until it begins, the button does nothing.
export const startButton = ({ kind = '', id } = {}) =>
  button(isStarting ? 'Starting…' : 'Start the demo', start, {
    reason: isStarting ? 'The demo is being set up' : reason(),
    kind: `start-demo ${kind}`,
    id,
  });

async function start() {
  if (isStarting) return;
  isStarting = true;
  current?.drawn();
  try {
    await request('/api/demo', 'POST', {});
    toast('Three agents are working on an incident.');
    await current?.look();
  } finally {
    isStarting = false;
    current?.drawn();
  }
}

const WORDS = {
  running: 'Three agents handle an incident over MCP.',
  paused: 'Paused.',
  waiting: 'The agents ask you to decide.',
  finished: 'The incident is over.',
};

// What its buttons call. An answer is a message to the room.
const calls = (demo) => [
  ...[
    ['Start', 'POST', {}],
    ['Pause', 'POST', { action: 'pause' }],
    ['Resume', 'POST', { action: 'resume' }],
    ['Replay', 'POST', { action: 'replay' }],
    ['Remove', 'DELETE'],
  ].map(([title, method, body]) => ({ title, curl: routeAsCurl(method, '/api/demo', body) })),
  {
    tool: 'AP_Chat',
    args: { target: { domain: demo.domain, zone: demo.zone }, content: demo.answers?.[0] ?? '<answer>' },
  },
];

export class Demo {
  #page;
  #demo = { state: 'none' };
  #timer;
  #last; // The step that was shown last. What was done before the first look is not reported.
  #answered; // The question that the person has answered.

  /** @param page drawn, which draws it; changed, when there is another demo or none; acted, which gets each call of an agent once; on, isHere */
  constructor(page) {
    this.#page = page;
  }

  get isThere() {
    return this.#demo.state !== 'none';
  }

  // Shows the demo while there is one.
  follow() {
    if (!isAdmin()) return;
    current = this;
    this.look();
    this.#page.on('messages', () => setTimeout(() => this.look(), 200));
  }

  drawn() {
    this.#page.drawn();
  }

  async look() {
    clearTimeout(this.#timer);
    if (!this.#page.isHere()) return;
    const demo = await request('/api/demo').catch(() => null);
    if (!demo || !this.#page.isHere()) return;
    this.#take(demo);
    if (demo.state !== 'none' && demo.state !== 'finished') this.#timer = setTimeout(() => this.look(), EVERY);
  }

  #take(demo) {
    const wasThere = this.isThere;
    this.#demo = demo;
    const doing = demo.state === 'none' ? '' : JSON.stringify(demo.doing ?? null);
    if (demo.doing && this.#last !== undefined && doing !== this.#last && demo.state !== 'finished')
      this.#page.acted(demo.doing);
    this.#last = doing;
    this.drawn();
    if (this.isThere && !wasThere) this.#page.changed();
  }

  async #act(action) {
    await request('/api/demo', 'POST', { action }).catch((error) => toast(error.message));
    await this.look();
  }

  async #remove() {
    await request('/api/demo', 'DELETE').then(
      () => toast('The demo and everything it created is removed.'),
      (error) => toast(error.message),
    );
    await this.look();
    this.#page.changed();
  }

  #answer = (answer) => (event) =>
    whileBusy(event.currentTarget, async () => {
      const { domain, zone, question, state } = this.#demo;
      if (this.#answered === question) return; // The demo has not gone on yet.
      await call('AP_Chat', { target: { domain, zone }, content: answer });
      this.#answered = question;
      if (state === 'paused') await this.#act('resume');
      else await this.look();
    });

  view() {
    const demo = this.#demo;
    if (!this.isThere) return nothing;
    const isPaused = demo.state === 'paused';
    const isOver = demo.state === 'finished';
    const act = (label, name, kind) => button(label, () => this.#act(name), { reason: reason(), kind });
    return html`<section class="demo ${demo.state}" aria-label="Demo">
      <div class="demo-words">
        <b>Demo</b>
        <span dir="auto">${isPaused && demo.question ? 'Paused. Your answer resumes it.' : WORDS[demo.state]}</span>
        ${link(`/console/spaces/${enc(demo.domain)}/${enc(demo.zone)}`, 'Open the room')}
        ${
          demo.doing && !isOver
            ? html`<p class="demo-doing">
                <b dir="auto">${demo.doing.agent}</b> ${demo.doing.words} <code>${demo.doing.tool}</code>
              </p>`
            : nothing
        }
      </div>
      <progress max=${demo.steps} value=${demo.step} aria-label="How far the demo is"></progress>
      <div class="head-actions">
        ${
          isOver
            ? nothing
            : isPaused
              ? act('Resume', 'resume', demo.question ? 'quiet' : '')
              : act('Pause', 'pause', 'quiet')
        }
        ${isOver || isPaused ? act('Play again', 'replay') : nothing}
        ${button('Remove', () => this.#remove(), { reason: reason(), kind: DANGER })}
        ${asCode('The demo', () => calls(demo))}
      </div>
      ${
        demo.question
          ? html`<div class="demo-question">
              <p dir="auto">${demo.question}</p>
              <div class="row">
                ${demo.answers.map((answer) => button(answer, this.#answer(answer), { tool: 'AP_Chat', kind: '' }))}
              </div>
            </div>`
          : nothing
      }
    </section>`;
  }
}
