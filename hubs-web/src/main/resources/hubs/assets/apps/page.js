// What the pages of MCP Apps share: where they draw, a button that works once at a time, and words for a failure.
import { html, nothing, render } from '../lit-html.js';
import { problem } from '../console/text.js';
import { bodyOf, connect } from './host.js';

// Shows a page. It is drawn again after each answer and each press. view draws it; take keeps what the tool answered; asked, its arguments.
export function show(name, { view, take, asked = () => {} }) {
  const place = document.getElementById('page');
  let isRead = false;
  let failure = null;

  const draw = () =>
    render(
      html`${isRead ? view() : html`<p class="soft" role="status">Reading…</p>`}${failure ? problem(failure) : nothing}`,
      place,
    );

  async function attempt(work) {
    failure = null;
    try {
      await work();
    } catch (error) {
      failure = error;
    }
    draw();
  }

  const answered = (result) =>
    attempt(() => {
      isRead = true;
      take(bodyOf(result));
    });

  // The listener of a button.
  const press =
    (work) =>
    async ({ currentTarget }) => {
      currentTarget.disabled = true;
      await attempt(() => work(currentTarget));
      currentTarget.disabled = false;
    };

  // A box to write in, whose text stays until work is done. It is no form: frames of hosts may not send any.
  const box = (label, verb, work) => {
    const send = press(async (button) => {
      const say = button.closest('.box').querySelector('textarea');
      const text = say.value.trim();
      if (!text) return say.focus();
      await work(text);
      say.value = '';
    });
    return html`<div class="box">
      <label>${label} <textarea rows="2" dir="auto" maxlength="64000"></textarea></label>
      <p class="row"><button type="button" @click=${send}>${verb}</button></p>
    </div>`;
  };

  draw();
  connect(name, { asked, answered }).catch(() => {}); // Without a host there is nothing to show.
  return { press, box };
}
