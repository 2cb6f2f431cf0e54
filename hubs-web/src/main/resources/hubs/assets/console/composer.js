// Where a message is written: to a room, a thread or an agent. What is being written stays when the page is drawn.
import { isEnter } from '../dom.js';
import { all, call, may } from './api.js';
import { allowed, asCode, ask, createRef, html, nothing, ref, toast, whileBusy } from './parts.js';

export class Composer {
  #options;
  #say = createRef();
  #send = createRef();
  #code;
  #attached = [];
  #wrong = '';
  #waiting = [];

  // @param options label, placeholder; args, which makes the arguments of AP_Chat of a text; sent, called with the message; changed; attaches
  constructor(options) {
    this.#options = options;
    this.#code = asCode('The message', () => [{ tool: 'AP_Chat', args: this.#args(this.#text() || 'Hello.') }]);
    this.replying = null;
    this.isDisabled = false;
  }

  #text = () => this.#say.value?.value.trim() ?? '';

  #args(content) {
    const names = this.#attached;
    return {
      ...this.#options.args(content),
      ...(this.replying && { reply_to: this.replying.id }),
      ...(names.length && { attach: names }),
    };
  }

  reply(message) {
    this.replying = message;
    this.#options.changed();
    this.focus();
  }

  focus() {
    this.#say.value?.focus();
  }

  #endReply = () => {
    this.replying = null;
    this.#options.changed();
    this.focus();
  };

  // A message leaves the box at once, and is sent after those before it.
  #submit = (event) => {
    event.preventDefault();
    const content = this.#text();
    if (!content || !may('AP_Chat')) return;
    this.#waiting.push({ content, args: this.#args(content), replying: this.replying, attached: this.#attached });
    this.#hold({ content: '', replying: null, attached: [] });
    whileBusy(this.#send.value, async () => {
      while (this.#waiting.length) await this.#sendNext();
    });
  };

  async #sendNext() {
    this.#wrong = '';
    const body = await call('AP_Chat', this.#waiting[0].args).catch((error) => this.#putBack(error.message));
    if (body) {
      this.#waiting.shift();
      this.#options.sent(body.content?.[0]);
    }
    this.#options.changed();
  }

  // What was not sent is before what was written meanwhile.
  #putBack(wrong) {
    const [{ replying, attached }] = this.#waiting;
    const content = [...this.#waiting.splice(0).map((one) => one.content), this.#text()].filter(Boolean).join('\n');
    this.#wrong = wrong;
    if (!this.#say.value) return toast(`Not sent: ${wrong}: ${content}`);
    return this.#hold({
      content,
      replying: this.replying ?? replying,
      attached: [...new Set([...attached, ...this.#attached])],
    });
  }

  #hold({ content, replying, attached }) {
    this.#say.value.value = content;
    this.replying = replying;
    this.#attached = attached;
    this.#options.changed();
  }

  #key = (event) => {
    if (!isEnter(event) || event.shiftKey) return;
    event.preventDefault();
    this.#send.value.click();
  };

  async #choose() {
    const documents = await all('DC_List', { newest: true }, (body) => body.documents, 1);
    const names = documents.filter((one) => one.state === 'accepted').map((one) => one.name);
    if (!names.length) return toast('There are no documents yet. Hand one in on the page Documents.');
    return ask({
      title: 'Attach documents',
      text: 'Whoever may read the message may read them as they are now.',
      verb: 'Attach',
      fields: [{ name: 'documents', label: 'Documents', options: names, multiple: true, value: this.#attached }],
      done: (_, values) => {
        this.#attached = values.documents.slice(0, 10);
        this.#options.changed();
      },
    });
  }

  view() {
    const { label, placeholder, attaches } = this.#options;
    const mayWrite = may('AP_Chat') && !this.isDisabled;
    const refused = allowed('AP_Chat');
    return html`<div class="composer-place">
      ${
        this.replying
          ? html`<p class="quote soft" dir="auto">
              Answering ${this.replying.from}: ${this.replying.content.slice(0, 80)}
              <button type="button" class="quiet" @click=${this.#endReply}>Cancel</button>
            </p>`
          : nothing
      }
      ${
        this.#attached.length
          ? html`<ul class="attached pad-side" aria-label="To be attached">
              ${this.#attached.map(
                (name) =>
                  html`<li>
                    ${name}
                    <button
                      type="button"
                      class="quiet"
                      aria-label="Do not attach ${name}"
                      @click=${() => this.#without(name)}
                    >
                      ×
                    </button>
                  </li>`,
              )}
            </ul>`
          : nothing
      }
      <form class="composer" @submit=${this.#submit}>
        ${
          attaches && mayWrite && may('DC_List')
            ? html`<button
                type="button"
                class="quiet icon"
                aria-label="Attach documents"
                title="Attach documents"
                @click=${() => this.#choose().catch((error) => toast(error.message))}
              >
                <svg
                  viewBox="0 0 24 24"
                  width="16"
                  height="16"
                  fill="none"
                  stroke="currentColor"
                  stroke-width="1.75"
                  stroke-linecap="round"
                  aria-hidden="true"
                >
                  <path
                    d="M20 11.5 12 19.5a5 5 0 0 1-7-7l8.5-8.5a3.3 3.3 0 0 1 4.7 4.7l-8.4 8.4a1.6 1.6 0 0 1-2.3-2.3l7.6-7.6"
                  ></path>
                </svg>
              </button>`
            : nothing
        }
        <textarea
          rows="1"
          dir="auto"
          maxlength="64000"
          aria-label=${label}
          placeholder=${may('AP_Chat') ? placeholder : 'You may only read here'}
          ?disabled=${!mayWrite}
          @keydown=${this.#key}
          ${ref(this.#say)}
        ></textarea>
        <button
          type="submit"
          ?disabled=${this.isDisabled}
          aria-disabled=${refused['aria-disabled'] ?? nothing}
          ?data-refused=${refused['data-refused']}
          title=${refused.title ?? nothing}
          ${ref(this.#send)}
        >
          Send
        </button>
        ${this.#code}
      </form>
      <p class="problem" role="alert">${this.#wrong}</p>
    </div>`;
  }

  #without(name) {
    this.#attached = this.#attached.filter((one) => one !== name);
    this.#options.changed();
    this.focus();
  }
}
