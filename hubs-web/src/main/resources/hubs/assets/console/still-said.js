// Memories that still say what a correction replaced: the correction replaces them too, or they go to the trash. Both can be undone.
import { dialog } from '../dom.js';
import { call } from './api.js';
import { action, DANGER, draw, el, enc, html, repeat, toast, whileBusy } from './parts.js';
import { memoriesOf, memoryTitle } from './memory-words.js';

// Each does it to memories of one bank, and returns what takes it back. In its own bank, the new memory replaces the correction as well, so
// that no two say the same.
const replaced = (correction) => async (target, ids) => {
  const { memory } = await call('MB_Store', {
    target,
    content: correction.text,
    supersedes: target.bank === correction.bank ? [correction.id, ...ids] : ids,
    reason: 'It said what was replaced.',
  });
  return () => call('MB_Delete', { target, memory: memory.id });
};
const removed = async (target, memories) => {
  await call('MB_Delete', { target, memories });
  return () => call('MB_Restore', { target, memories });
};

// Opens a dialog with the memories; done follows each change.
export function stillSaid(copies, correction, done) {
  let left = copies.map((copy) => ({ ...copy, isChosen: true }));
  let wrong = '';
  const place = el('div', { class: 'still-said' });
  const box = dialog('Other memories still say what was replaced', place);

  async function each(work, words) {
    const undo = [];
    let count = 0;
    wrong = '';
    try {
      for (const bank of new Set(left.map((one) => one.bank))) {
        const ids = left.filter((one) => one.bank === bank && one.isChosen).map((one) => one.id);
        if (!ids.length) continue;
        undo.push(await work({ bank }, ids));
        count += ids.length;
        left = left.filter((one) => !ids.includes(one.id));
      }
    } catch (error) {
      wrong = error.message;
    }
    if (!left.length) box.close();
    drawn();
    if (!count) return;
    toast(`${memoriesOf(count)} ${words}.`, async () => {
      for (const one of undo) await one();
      toast(`${memoriesOf(count)} as before.`);
      done();
    });
    done();
  }

  const press =
    (work, words) =>
    ({ currentTarget }) =>
      whileBusy(currentTarget, () => each(work, words));
  const row = (one) =>
    html`<li>
      <label class="check"
        ><input
          type="checkbox"
          .checked=${one.isChosen}
          @change=${({ currentTarget }) => (one.isChosen = currentTarget.checked)}
        />
        <b dir="auto">${memoryTitle(one)}</b></label
      >
      <p dir="auto">${one.text}</p>
      <a class="soft" href="/console/memory/${enc(one.bank)}/${enc(one.name ?? one.id)}" target="_blank"
        >Read it in ${one.bank}</a
      >
    </li>`;

  function drawn() {
    draw(
      html`<p>Read them, and choose those that are wrong. The correction replaces a memory with all of its text.</p>
        <ul class="trash">
          ${repeat(left, (one) => one.id, row)}
        </ul>
        <p class="problem" role="alert">${wrong}</p>
        <div class="row">
          ${action('MB_Store', 'Replace the chosen', press(replaced(correction), 'replaced by the correction'), '')}
          ${action('MB_Delete', 'Move the chosen to the trash', press(removed, 'moved to the trash for 30 days'), DANGER)}
          <button type="button" class="quiet" @click=${() => box.close()}>Leave them</button>
        </div>`,
      place,
    );
  }
  drawn();
}
