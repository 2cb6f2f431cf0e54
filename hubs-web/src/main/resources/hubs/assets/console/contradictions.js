// Pairs of memories of a bank that differ in a value: the wrong one of each goes to the trash.
import { call, may } from './api.js';
import { action, ago, DANGER, enc, html, link, nothing, number, problem, repeat, toast } from './parts.js';
import { backTo } from './memory-one.js';
import { memoriesOf, memoryTitle, restored } from './memory-words.js';

// Returns view, the part of the page.
export function contradictionsOf(bank, { isHere, drawn }) {
  const target = { bank: bank.name };
  let found = null;
  let failed = null;

  const read = () =>
    call('MB_Evaluate', { target, report: 'contradictions' })
      .then(
        (body) => (found = body.contradictions),
        (error) => (failed = error),
      )
      .then(() => isHere() && drawn());
  read();

  async function remove(side) {
    const { changed } = await call('MB_Delete', { target, memory: side.id });
    if (!changed) toast('It was in the trash already.');
    else
      toast(`${memoryTitle(side)} is in the trash for 30 days.`, async () => {
        toast(restored(await call('MB_Restore', { target, memory: side.id })));
        await read();
      });
    await read();
  }

  const one = (side, label) =>
    html`<p>
        ${link(`/console/memory/${enc(bank.name)}/${enc(side.name ?? side.id)}`, html`<b>${side.value}</b>`)}
        <span class="soft">${label}, ${ago(side.updated_at)}</span>
      </p>
      <p dir="auto" class="clip2">${side.text}</p>
      ${
        may('MB_Delete')
          ? action('MB_Delete', `Move the ${label} to the trash`, () => remove(side), DANGER, memoryTitle(side))
          : nothing
      }`;
  const pair = ({ subject, newer, older }) =>
    html`<li>
      <h3 dir="auto">${subject}</h3>
      ${one(newer, 'newer')} ${one(older, 'older')}
    </li>`;
  const report = () =>
    html`<p class="soft">
        ${found.pairs.length ? `${number(found.pairs.length)} found` : 'None found'} in
        ${memoriesOf(found.compared)}${found.more ? ', the newest. There may be more.' : '.'}
      </p>
      <ul class="trash contradictions">
        ${repeat(found.pairs, (each) => `${each.newer.id} ${each.older.id}`, pair)}
      </ul>`;

  return () =>
    html`${backTo(bank)}
      <header class="detail-head">
        <div>
          <h2>Contradictions</h2>
          <p class="soft">
            Memories about the same that differ in a number, a date, a name or a state. Found by rules, which miss some
            and can be wrong: read both.
          </p>
        </div>
      </header>
      <div aria-live="polite">
        ${failed ? problem(failed) : found ? report() : html`<p class="soft">Comparing…</p>`}
      </div>`;
}
