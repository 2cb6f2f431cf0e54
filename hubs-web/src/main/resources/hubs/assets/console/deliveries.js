// What was sent to webhook endpoints: each delivery with its attempts, and sending it again.
import { code, dialog } from '../dom.js';
import { call } from './api.js';
import {
  action,
  ago,
  asCode,
  bars,
  facts,
  compact,
  html,
  nodes,
  nothing,
  number,
  tag,
  toast,
  whileBusy,
} from './parts.js';
import { virtualList } from './virtual.js';

const OFTEN = 1500;
// What failed is red, whether it is tried again or not.
const STATES = { delivered: 'reads', failed: 'destroys', exhausted: 'destroys', pending: '', delivering: '' };

const tried = ({ attempts = [] }) => {
  if (!attempts.length) return 'not tried yet';
  const { status } = attempts.at(-1);
  return `${number(attempts.length)} ${attempts.length === 1 ? 'attempt' : 'attempts'}${status ? `, ${status}` : ''}`;
};

/** Of one endpoint, or of all; endpointIds are the endpoints that are not deleted; happened is called when there are new ones. Returns view and ready. */
export function deliveries({ id, endpointIds, on, isHere, drawn, happened }) {
  const chosen = new Set();
  let state = '';
  let first = []; // The newest ones, which are in the picture.
  const list = virtualList({
    height: 58,
    key: (one) => one.id,
    row,
    label: 'Deliveries',
    empty: () => (state ? 'No delivery is in this state.' : 'Nothing was sent yet. Test sends an event now.'),
    isWanted: () => isHere() && !chosen.size,
    reader: () => {
      let cursor;
      return async () => {
        const body = await call(
          'WH_Deliveries',
          compact({ endpoint: id, state, page: compact({ limit: 100, cursor }) }),
        );
        if (!cursor) first = body.deliveries;
        cursor = body.next_cursor;
        return { items: body.deliveries, more: Boolean(cursor) };
      };
    },
  });
  const fill = async () => {
    chosen.clear();
    list.fill();
    await list.ready;
    drawn();
  };
  const again = async ({ currentTarget }) => {
    if (!chosen.size) return toast('Select deliveries first.');
    return whileBusy(currentTarget, async () => {
      let count = 0;
      try {
        for (const one of chosen) {
          await call('WH_Redeliver', { id: one });
          count += 1;
        }
        toast(`${count} queued.`);
      } catch (error) {
        toast(error.message);
      }
      await fill();
    });
  };

  function row(one) {
    const select = ({ currentTarget }) => {
      if (currentTarget.checked) chosen.add(one.id);
      else chosen.delete(one.id);
    };
    return html`<div class="delivery">
      <input
        type="checkbox"
        aria-label="Select delivery ${one.sequence}"
        .checked=${chosen.has(one.id)}
        @change=${select}
      /><button type="button" class="plain" data-id=${one.id} @click=${() => open(one)}>
        <span class="plain-head"><b>${one.event_type}</b> ${tag(one.state, STATES[one.state] ?? '')}</span>
        <span class="soft clip"
          >#${one.sequence} · ${tried(one)} ·
          ${ago(one.created_at)}${id ? nothing : html` · <bdi>${one.url}</bdi>`}${
            endpointIds.has(one.endpoint_id) ? '' : ' · deleted endpoint'
          }</span
        >
      </button>
    </div>`;
  }

  // However many there are, they are read at most once in a while.
  let due;
  const soon = () => {
    due ??= setTimeout(async () => {
      due = undefined;
      if (!isHere()) return;
      happened();
      if (!chosen.size && (await list.refresh())) drawn();
    }, OFTEN);
  };
  on('deliveries', soon);
  on('reset', soon);

  const choose = ({ currentTarget }) => {
    state = currentTarget.value;
    return fill();
  };
  const view = () =>
    html`<section>
      <div class="section-head">
        <h2>Deliveries</h2>
        <select aria-label="State" @change=${choose}>
          ${['', ...Object.keys(STATES)].map((one) => html`<option value=${one}>${one || 'Every state'}</option>`)}
        </select>
        ${action('WH_Redeliver', 'Send selected again', again)}
        ${asCode('Sending again', () =>
          (chosen.size ? [...chosen] : ['<delivery>']).map((one) => ({ tool: 'WH_Redeliver', args: { id: one } })),
        )}
      </div>
      <div>${first.length ? byTime(first) : nothing}</div>
      <div class="deliveries" tabindex="-1">${list.element}</div>
    </section>`;
  return { view, ready: list.ready };
}

const MINUTE = 60_000;
const BARS = 30;
// How much time the picture covers: the least of these in which all listed deliveries are.
const SPANS = [60, 6 * 60, 24 * 60, 7 * 24 * 60, 30 * 24 * 60, 90 * 24 * 60].map((minutes) => minutes * MINUTE);
const TICKS = 4;

// The latest deliveries over the last hour, or over as long as it takes. The last bar is the one in which now is.
function byTime(listed) {
  const times = listed.map((one) => Date.parse(one.created_at));
  const age = Date.now() - Math.min(...times);
  const span = SPANS.find((one) => (one * (BARS - 1)) / BARS > age) ?? age * 1.1;
  const size = span / BARS;
  const from = (Math.floor(Date.now() / size) + 1) * size - span;
  const isDays = span > SPANS[2];
  const named = (at) =>
    new Date(at).toLocaleString(
      [],
      isDays ? { day: 'numeric', month: 'short' } : { hour: '2-digit', minute: '2-digit', hourCycle: 'h23' },
    );
  const points = Array.from({ length: BARS }, (_, i) => ({ label: named(from + i * size), value: 0, bad: 0 }));
  listed.forEach((one, i) => {
    const point = points[Math.max(0, Math.min(BARS - 1, Math.floor((times[i] - from) / size)))];
    point.value += 1;
    point.bad += STATES[one.state] === 'destroys' ? 1 : 0;
  });
  const failed = points.reduce((sum, point) => sum + point.bad, 0);
  const about = `The latest ${number(listed.length)} ${listed.length === 1 ? 'delivery' : 'deliveries'}, ${failed ? `${number(failed)} failed` : 'none failed'}`;
  return html`<figure class="by-time">
    <figcaption class="soft">
      <span>${about}</span><span class="key">all</span><span class="key bad">failed</span>
    </figcaption>
    ${bars(points, about)}
    <p class="ticks soft" aria-hidden="true">
      ${Array.from({ length: TICKS }, (_, i) => html`<span>${named(from + (i * span) / TICKS)}</span>`)}<span>now</span>
    </p>
  </figure>`;
}

async function open(one) {
  const body = await call('WH_Delivery', { id: one.id });
  const { delivery } = body;
  const box = dialog(
    `${delivery.event_type} #${delivery.sequence}`,
    nodes(
      html`${facts([
          ['State', tag(delivery.state, STATES[delivery.state])],
          ['To', delivery.url],
          ['Next attempt', delivery.next_attempt_at ? ago(delivery.next_attempt_at) : null],
        ])}
        <table>
          <thead>
            <tr>
              ${['Attempt', 'Status', 'Took', 'Error and response'].map((word) => html`<th scope="col">${word}</th>`)}
            </tr>
          </thead>
          <tbody>
            ${delivery.attempts.map(
              (attempt) =>
                html`<tr>
                  <td>${ago(attempt.at)}</td>
                  <td>${attempt.status ?? '–'}</td>
                  <td>${attempt.duration_ms} ms</td>
                  <td>
                    ${attempt.error ?? ''}${
                      attempt.response
                        ? html`<pre class="wraps" tabindex="0" aria-label="The beginning of the response">
${attempt.response}</pre>`
                        : nothing
                    }
                  </td>
                </tr>`,
            )}
          </tbody>
        </table>`,
    ),
    code(JSON.stringify(body.event, null, 2), 'What is sent'),
    nodes(
      html`<div class="row">
        ${action(
          'WH_Redeliver',
          'Send again',
          (event) =>
            whileBusy(event.target, async () => {
              await call('WH_Redeliver', { id: one.id });
              toast('Queued.');
              box.close();
            }),
          '',
        )}${asCode('Sending again', () => [{ tool: 'WH_Redeliver', args: { id: one.id } }])}<button
          type="button"
          class="quiet"
          @click=${() => box.close()}
        >
          Close
        </button>
      </div>`,
    ),
  );
  box.classList.add('wide');
}
