// The field in which a condition is written: tried as it is typed, with an error shown at its line and column.
import { call, may } from './api.js';
import { el, html, render } from './parts.js';

const PLACE = /line (\d+), column (\d+): ?/;

export function celEditor(value, appliesTo) {
  const input = el('textarea', {
    rows: 4,
    id: 'rule-when',
    class: 'code',
    spellcheck: 'false',
    required: true,
    maxlength: 4000,
    'aria-describedby': 'rule-when-state',
  });
  input.value = value;
  const state = el('div', { id: 'rule-when-state', class: 'cel-state', role: 'status' });
  const element = html`<div class="field cel">
    <label for="rule-when">Condition, in CEL</label>
    ${input}${state}
  </div>`;
  let turn = 0;
  let waiting;

  function fine() {
    input.removeAttribute('aria-invalid');
    render(html`<p class="soft">It compiles.</p>`, state);
  }

  // The line that is meant, with a mark below the place.
  function wrong(note) {
    const place = PLACE.exec(note);
    input.setAttribute('aria-invalid', 'true');
    if (!place) {
      render(html`<p class="problem">${note}</p>`, state);
      return;
    }
    const [line, column] = [Number(place[1]), Number(place[2])];
    const words = input.value.split('\n')[line - 1] ?? '';
    const from = Math.max(0, column - 50);
    const mark = `${words.slice(from, from + 100)}\n${' '.repeat(column - 1 - from)}^`;
    render(
      html`<pre class="cel-place" aria-hidden="true">${mark}</pre>
        <p class="problem">
          Line ${line}, column ${column}: ${note.slice(place.index + place[0].length)}
          <button type="button" class="quiet" @click=${() => goTo(line, column)}>Go there</button>
        </p>`,
      state,
    );
  }

  function goTo(line, column) {
    const at =
      input.value
        .split('\n')
        .slice(0, line - 1)
        .reduce((sum, one) => sum + one.length + 1, 0) +
      column -
      1;
    input.focus();
    input.setSelectionRange(at, Math.min(at + 1, input.value.length));
  }

  async function check() {
    const mine = ++turn;
    if (!may('RL_Check') || !input.value.trim()) return;
    try {
      await call('RL_Check', { when: input.value, applies_to: appliesTo() });
      if (mine === turn) fine();
    } catch (error) {
      if (mine === turn) wrong(error.message);
    }
  }

  input.addEventListener('input', () => {
    clearTimeout(waiting);
    waiting = setTimeout(check, 350);
  });
  check();
  return {
    element,
    check,
    value: () => input.value,
    // Whether the error is one of the condition, which then shows it.
    shows(error) {
      if (!PLACE.test(error.message)) return false;
      wrong(error.message);
      input.focus();
      return true;
    },
  };
}
