// A conversation as a list that follows its end: day lines, messages grouped by author, questions that can be answered, attachments.
import { call, may, me } from './api.js';
import { followEnd } from './follow-end.js';
import { reveal } from './messages.js';
import {
  announce,
  avatar,
  button,
  clock,
  enc,
  guarded,
  hour,
  html,
  line,
  link,
  nothing,
  number,
  ref,
  repeat,
  rich,
  tag,
  toast,
  whileBusy,
} from './parts.js';
import { taskPath } from './task-parts.js';
import { bySeq, Messages, notices, rows, sizeWords, withoutIds } from './transcript-model.js';

const MOST = 400;
const MOST_PAGES = 20; // That are read to find one that is not known.
const APART = { context: 'engine-console-reads' }; // The person answers, whoever the caller is logged on as.

export class Conversation {
  #options;
  #end;
  #unseen = 0;
  #sought;

  /**
   * @param options label; load, which reads a page ({content, next_cursor}) before a cursor; one, which reads a message anew; changed, which
   *   draws the page; reply and thread, which are called with a message; place, what to show of where a message is; empty, what to show instead
   *   of none; compare, their order
   */
  constructor(options) {
    this.#options = options;
    this.messages = new Messages(options.compare ?? bySeq);
    this.cursor = undefined;
    this.hasOlder = false;
  }

  #attach = (box) => {
    this.#end?.end();
    this.#end = box
      ? followEnd(box, { isAtEnd: !this.#sought, moved: () => this.#moved(), nearTop: () => this.#nearTop(box) })
      : undefined;
    this.box = box;
  };

  #moved() {
    if (this.#end.isAtEnd) this.#unseen = 0;
    this.#options.changed();
  }

  // Who scrolls up to the beginning reads on.
  #nearTop(box) {
    const more = box.querySelector('.more button');
    if (more) more.click();
  }

  // Reads the newest, or the next older ones.
  async older() {
    let body;
    let pages = 0;
    do {
      body = await this.#options.load(this.cursor);
      this.cursor = body.next_cursor;
      pages += 1;
    } while (this.cursor && pages < MOST_PAGES && body.content.every((message) => this.messages.has(message.id)));
    this.hasOlder = Boolean(this.cursor);
    this.#keep(() => this.messages.add(body.content));
  }

  #keep(work) {
    const draw = () => {
      work();
      this.#options.changed();
    };
    if (this.#end) this.#end.keep(draw);
    else draw();
  }

  // What is said now.
  add(messages) {
    const fresh = this.messages.add(messages);
    if (!fresh.length) return;
    for (const message of fresh) {
      this.messages.countAnswer(message);
      this.#refreshQuestion(message);
    }
    const others = fresh.filter((message) => !isWrittenByMe(message));
    for (const message of others) announce(`${message.from}: ${withoutIds(message.content)}`);
    if (!this.#end || this.#end.isAtEnd) this.#trim();
    else this.#unseen += others.length;
    this.#options.changed();
  }

  // A busy room does not grow for ever: what was taken away can be read again.
  #trim() {
    if (this.messages.list.length <= MOST) return;
    this.messages.keepLatest(MOST - 100);
    this.cursor = undefined;
    this.hasOlder = true;
  }

  // An answer may have closed the question.
  #refreshQuestion(message) {
    const question = this.messages.get(message.reply_to);
    if (question?.question?.state === 'open') this.refresh(question.id).catch(() => {});
  }

  async refresh(id) {
    const message = await this.#options.one(id);
    if (!message) return;
    this.messages.replace(message);
    this.#options.changed();
  }

  toEnd() {
    this.#unseen = 0;
    this.#end?.toEnd();
    this.#options.changed();
  }

  // The message of an address has the focus, and is in sight once the page is shown.
  seek(id) {
    this.#sought = id;
  }

  reveal() {
    if (!this.#sought || !this.box) return;
    this.#end.leave();
    reveal(this.box, this.#sought);
    this.#options.changed();
  }

  // Forgets everything for what is read anew.
  replaceAll(body) {
    this.messages.clear();
    this.messages.add(body.content);
    this.cursor = body.next_cursor;
    this.hasOlder = Boolean(this.cursor);
    this.#options.changed();
  }

  view() {
    const { label, empty } = this.#options;
    const lines = rows(this.messages.list);
    const isAway = this.#end && !this.#end.isAtEnd;
    return html`<div class="transcript-place">
      <div class="transcript" tabindex="0" role="group" aria-label=${label} ${ref(this.#attach)}>
        <ol>
          ${this.hasOlder ? this.#more() : nothing}
          ${!lines.length && empty && !this.hasOlder ? html`<li class="none soft">${empty}</li>` : nothing}
          ${repeat(
            lines,
            (row) => row.key,
            (row) => (row.day ? html`<li class="day"><span>${row.day}</span></li>` : this.#line(row)),
          )}
        </ol>
      </div>
      ${isAway ? this.#jump() : nothing}
    </div>`;
  }

  #jump() {
    const words = this.#unseen ? `${number(this.#unseen)} new ↓` : 'Latest ↓';
    return html`<button type="button" class="jump${this.#unseen ? '' : ' quiet'}" @click=${() => this.toEnd()}>
      ${words}
    </button>`;
  }

  #more() {
    const read = guarded((event) => {
      const { currentTarget } = event;
      const had = currentTarget === document.activeElement;
      return whileBusy(currentTarget, async () => {
        await this.older();
        if (had && !this.hasOlder) this.box.focus({ preventScroll: true });
      });
    });
    return html`<li class="more"><button type="button" class="quiet" @click=${read}>Earlier messages</button></li>`;
  }

  #line({ message, isFirst }) {
    const isOwn = message.from === me.user && message.from_kind === 'user';
    const kind = [
      isFirst ? 'first' : 'next',
      isOwn ? 'own' : '',
      message.id === this.#sought ? 'sought' : '',
      message.question?.state === 'open' ? 'asks' : '',
    ];
    return html`<li class=${kind.filter(Boolean).join(' ')} data-id=${message.id}>
      ${
        isFirst
          ? avatar(message.from, { kind: message.from_kind })
          : html`<span class="when soft" aria-hidden="true">${hour(message.created_at)}</span>`
      }
      <div>
        ${isFirst ? this.#head(message) : html`<span dir="auto" class="unseen">${message.from}, ${hour(message.created_at)}</span>`}
        ${this.#answered(message)} ${this.#said(message)} ${attachments(message)} ${this.#question(message)}
        ${this.#replies(message)}
      </div>
      ${this.#actions(message)}
    </li>`;
  }

  #head(message) {
    const hops = message.chain?.length ?? 0;
    const place = this.#options.place?.(message);
    return html`<p class="bubble-head">
      <b dir="auto">${message.from}</b>
      ${message.person ? tag('person') : message.by_key ? tag(`by the key ${message.by_key}`) : nothing}
      <span class="soft">${place ? html`${place} · ` : nothing}${clock(message.created_at)}</span>
      ${
        hops
          ? html`<span class="hops" title="Answers ${message.chain.join(' → ')}. The loop guard limits such chains."
              >${number(hops)} ${hops === 1 ? 'hop' : 'hops'}</span
            >`
          : nothing
      }
    </p>`;
  }

  #answered(message) {
    const answered = message.reply_to && this.messages.get(message.reply_to);
    return answered
      ? html`<p class="answered soft clip" dir="auto">${answered.from}: ${withoutIds(answered.content)}</p>`
      : nothing;
  }

  // An announcement of a task leads to it by its title. Of several, each has a line.
  #linked(text, message) {
    const found = notices(text);
    const domain = message.domain ?? found.at(-1)?.domain;
    if (!found.length || !domain) return line(text);
    return found.map(
      ({ words, title, task, rest }, i) =>
        html`${i ? html`<br />` : nothing}${words}${link(taskPath({ domain, id: task }), title)}${rest}`,
    );
  }

  #said(message) {
    return html`<div class="said" tabindex="-1">
      ${rich(message.content, (text) => this.#linked(text, message))}
      ${
        message.truncated
          ? html`<button
              type="button"
              class="quiet"
              @click=${guarded((event) => this.#whole(message, event.currentTarget))}
            >
              Show all ${number(message.length)} characters
            </button>`
          : nothing
      }
    </div>`;
  }

  async #whole(message, pressed) {
    const said = pressed.closest('.said');
    const had = pressed === document.activeElement;
    await whileBusy(pressed, () => this.refresh(message.id));
    if (had) said.focus({ preventScroll: true });
  }

  // A question is a card: who may answer chooses, others see what was decided.
  #question(message) {
    const { question } = message;
    if (!question) return nothing;
    if (question.state !== 'open') return html`<p class="question-ended">${outcome(question)}</p>`;
    const isOwn = message.from === me.user && message.from_kind === 'user';
    if (isOwn || !may('AP_Answer')) {
      return html`<div class="question">
        <p class="soft">Waits for an answer: ${question.choices.join(' · ') || 'any text'}</p>
      </div>`;
    }
    const answer = (more, pressed) =>
      whileBusy(pressed, async () => {
        const body = await call('AP_Answer', { question: question.id, target: APART, ...more });
        this.messages.replace({ ...message, question: body.question });
        this.add([body.message].filter(Boolean));
        this.#options.changed();
        toast(`Answered: ${body.question.answer}`);
      });
    return html`<div class="question" role="group" aria-label="${message.from} asks">
      ${question.choices.map(
        (choice) =>
          html`<button
            type="button"
            class="choice"
            @click=${guarded(({ currentTarget }) => answer({ choice }, currentTarget))}
          >
            ${choice}
          </button>`,
      )}
      ${question.choices.length ? nothing : answerForm(message, answer)}
      ${question.expires_at ? html`<span class="soft small">until ${clock(question.expires_at)}</span>` : nothing}
    </div>`;
  }

  #replies(message) {
    if (!message.replies || !this.#options.thread) return nothing;
    const words = `${number(message.replies)} ${message.replies === 1 ? 'answer' : 'answers'}`;
    return html`<button
      type="button"
      class="quiet replies"
      aria-label="${words} to ${message.from}"
      @click=${guarded(() => this.#options.thread(message))}
    >
      ${words}
    </button>`;
  }

  #actions(message) {
    const { reply, thread } = this.#options;
    return html`<span class="line-actions">
      ${reply && may('AP_Chat') ? button('Answer', () => reply(message), { kind: 'quiet reply', about: message.from }) : nothing}
      ${
        thread ? button('Thread', () => thread(message), { kind: 'quiet reply', about: `of ${message.from}` }) : nothing
      }
    </span>`;
  }
}

// What a program of mine wrote by a key, I have not seen.
const isWrittenByMe = (message) => message.from === me.user && message.from_kind === 'user' && !message.by_key;

function outcome(question) {
  if (question.state === 'answered')
    return html`<b>✓ ${question.answer}</b> <span class="soft">decided by ${question.answered_by}</span>`;
  return html`<span class="soft">${question.state === 'withdrawn' ? 'Taken back' : 'Expired without an answer'}</span>`;
}

function answerForm(message, answer) {
  const submit = guarded((event) => {
    event.preventDefault();
    const form = event.currentTarget;
    const content = form.elements.content.value.trim();
    return content ? answer({ content }, form.querySelector('button')) : form.elements.content.focus();
  });
  return html`<form class="need-form" @submit=${submit}>
    <textarea
      name="content"
      rows="1"
      dir="auto"
      maxlength="64000"
      aria-label="Answer ${message.from}"
      placeholder="Your answer…"
    ></textarea>
    <button type="submit">Answer</button>
  </form>`;
}

function attachments({ attachments: attached }) {
  if (!attached?.length) return nothing;
  return html`<ul class="attached" aria-label="Attachments">
    ${attached.map(
      (one) =>
        html`<li>
          <a href="/console/documents/${enc(one.document)}" data-go="true">${one.document}</a>
          <span class="soft">version ${one.version} · ${sizeWords(one.size)}</span>
        </li>`,
    )}
  </ul>`;
}
