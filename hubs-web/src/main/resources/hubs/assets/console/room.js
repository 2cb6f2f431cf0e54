// A room: what is said in a zone, a thread beside it, and where to write.
import { call, may } from './api.js';
import { Composer } from './composer.js';
import { Conversation } from './conversation.js';
import { finder } from './messages.js';
import { button, el, html, nothing } from './parts.js';

const PAGE = 50;
const SEEK_PAGES = 7; // As many as are kept.
const THREAD_PAGES = 10;

export class Room {
  #target;
  #changed;
  #sought;
  #composer;
  #find;
  #found;
  #thread = null;
  #isOutside = false;

  constructor({ domain, zone, sought, changed }) {
    this.domain = domain;
    this.zone = zone;
    this.#target = { target: { domain, zone } };
    this.#changed = changed;
    this.#sought = sought;
    this.talk = this.#conversation({
      label: 'Messages',
      load: (cursor) => call('ZN_Read', { ...this.#target, page: { limit: PAGE, ...(cursor && { cursor }) } }),
      reply: (message) => this.#composer.reply(message),
      empty: 'No messages yet. Write the first one.',
    });
    this.#composer = this.#writer({
      label: `Message to ${domain}/${zone}`,
      placeholder: `Message ${zone}…`,
      args: (content) => ({ ...this.#target, content }),
      sent: (message) => {
        if (message) this.#said(message);
        this.talk.toEnd();
      },
    });
    this.#find = el('input', {
      type: 'search',
      placeholder: 'Find in this room',
      'aria-label': 'Find in this room',
      maxlength: 2000,
    });
    this.#found = el('div', {
      class: 'found-messages',
      hidden: true,
      tabindex: '0',
      role: 'region',
      'aria-label': 'Messages found in this room',
    });
    finder(this.#find, this.#found, this.#target);
  }

  #conversation(options) {
    return new Conversation({
      one: (id) => call('ZN_Read', { ...this.#target, thread: id, page: { limit: 1 } }).then((body) => body.content[0]),
      thread: (message) => this.openThread(this.talk.messages.rootOf(message.id)),
      changed: this.#changed,
      ...options,
    });
  }

  #writer = (options) => new Composer({ changed: this.#changed, attaches: true, ...options });

  // Reads the newest messages; and down to the message of the address, or, where that is far back, its thread.
  async open() {
    try {
      await this.talk.older();
      const { messages } = this.talk;
      const isMissing = () => this.#sought && !messages.has(this.#sought);
      for (let pages = 1; isMissing() && this.talk.cursor && pages < SEEK_PAGES; pages++) await this.talk.older();
      if (isMissing()) await this.openThread(this.#sought, this.#sought);
      else if (this.#sought) this.talk.seek(this.#sought);
    } catch (error) {
      this.#isOutside = error.error === 'conflict'; // The caller has no agent in the room.
      this.problem = this.#isOutside
        ? 'Only members read the messages. Accept an invitation, or ask to join.'
        : error.message;
      this.#composer.isDisabled = this.#isOutside;
    }
  }

  // @param sought the message of it that has the focus, if one was looked for
  async openThread(root, sought) {
    const thread = this.#conversation({
      label: 'Thread',
      load: async () => ({ content: await this.#threadOf(root) }),
      thread: null,
      reply: null,
      empty: 'This message is gone, or you may not read it.',
    });
    if (sought) thread.seek(sought);
    const composer = this.#writer({
      label: `Answer in the thread, in ${this.domain}/${this.zone}`,
      placeholder: 'Answer in the thread…',
      args: (content) => ({ ...this.#target, content, reply_to: root }),
      sent: (message) => {
        if (message) this.#said(message);
        thread.toEnd();
      },
    });
    this.#thread = { root, talk: thread, composer };
    this.#changed();
    await thread.older().catch((error) => this.#closeIfMissing(thread, error));
    if (this.#thread?.talk === thread) this.#changed();
    thread.reveal();
  }

  #closeIfMissing(thread, error) {
    if (error.error !== 'not_found') throw error;
    if (this.#thread?.talk === thread) this.#changed();
  }

  async #threadOf(root) {
    const found = [];
    let cursor;
    for (let pages = 0; pages < THREAD_PAGES; pages++) {
      const body = await call('ZN_Read', {
        ...this.#target,
        thread: root,
        page: { limit: PAGE, ...(cursor && { cursor }) },
      });
      found.push(...body.content);
      cursor = body.next_cursor;
      if (!cursor) break;
    }
    return found;
  }

  closeThread = () => {
    this.#thread = null;
    this.#changed();
    this.#composer.focus();
  };

  get hasThread() {
    return this.#thread !== null;
  }

  // What is said in this room now, by whomever.
  #said(message) {
    this.talk.add([message]);
    if (this.#thread?.talk.messages.has(message.reply_to)) this.#thread.talk.add([message]);
  }

  heard(message) {
    if (message.domain === this.domain && message.zone === this.zone) this.#said(message);
  }

  // Something may have been missed. Where all is new, so is the transcript. What is being written stays.
  async reset() {
    const body = await call('ZN_Read', { ...this.#target, page: { limit: PAGE } });
    const { messages } = this.talk;
    if (messages.size && body.content.length && !body.content.some((one) => messages.has(one.id)))
      this.talk.replaceAll(body);
    else this.talk.add(body.content);
  }

  reveal() {
    if (this.#thread && this.#sought && !this.talk.messages.has(this.#sought)) this.#thread.talk.reveal();
    else this.talk.reveal();
  }

  view() {
    return html`<section class="chat${this.#isOutside ? ' is-outside' : ''}" aria-label="${this.domain}/${this.zone}">
      <header class="chat-head">
        <h2>${this.domain} <span class="soft"># ${this.zone}</span></h2>
        ${may('AP_Search') ? this.#find : nothing}
      </header>
      ${this.#found}
      ${
        this.problem
          ? html`<div class="transcript" role="group" aria-label="Messages" tabindex="0">
              <p class="none soft${this.#isOutside ? ' outside' : ''}" role="alert">${this.problem}</p>
            </div>`
          : this.talk.view()
      }
      ${this.#composer.view()}
    </section>`;
  }

  threadView() {
    const { talk, composer } = this.#thread;
    return html`<section class="chat thread" aria-label="Thread">
      <header class="chat-head">
        <h2>Thread <span class="soft"># ${this.zone}</span></h2>
        ${button('Close', this.closeThread, { about: 'the thread' })}
      </header>
      ${talk.view()} ${composer.view()}
    </section>`;
  }
}
