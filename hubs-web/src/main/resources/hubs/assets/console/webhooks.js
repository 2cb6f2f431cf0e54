// Webhooks: endpoints and whether they work, deliveries with their attempts, sending again, trying a receiver.
import { all, call, may } from './api.js';
import {
  action,
  ago,
  asCode,
  ask,
  back,
  bars,
  choose,
  DANGER,
  el,
  empty,
  enc,
  facts,
  given,
  head,
  link,
  number,
  problem,
  put,
  redrawn,
  secret,
  tag,
  toast,
  whileBusy,
} from './ui.js';
import { code, dialog } from '../dom.js';
import { listPlace, virtualList } from './virtual.js';

const events = (one) => (one.events.includes('*') ? 'all events' : one.events.join(', '));
const OFTEN = 1500;
// What failed is red, whether it is tried again or not.
const STATES = { delivered: 'reads', failed: 'destroys', exhausted: 'destroys', pending: '', delivering: '' };
const REASONS = { manual: 'disabled', gone: 'disabled: gone', failing: 'disabled: failing' };

// Whether nothing succeeded since the last failure.
const failedLast = ({ last_failure_at: bad, last_success_at: good }) =>
  Boolean(bad && (!good || Date.parse(bad) > Date.parse(good)));

// Whether an endpoint works, in a word: whether it is enabled, and what became of the attempts of the last day.
function condition({ enabled, disabled_reason: reason, health = {} }) {
  if (!enabled) return tag(REASONS[reason] ?? 'disabled', reason === 'manual' ? '' : 'destroys');
  const [good, bad] = [health.succeeded ?? 0, health.failed ?? 0];
  if (health.circuit === 'open' || (bad && !good) || failedLast(health)) return tag('failing', 'destroys');
  if (bad) return tag('degraded', 'changes');
  return good ? tag('healthy', 'reads') : tag('enabled');
}

const attempts = ({ succeeded = 0, failed = 0 } = {}) =>
  succeeded + failed
    ? `${number(succeeded)} of ${number(succeeded + failed)} attempts succeeded in 24 h`
    : 'nothing sent in 24 h';

// All types, with what each is for.
const ALL = '*';
async function create(go) {
  const { events: types } = await call('WH_Events');
  return ask({
    title: 'New endpoint',
    text: 'Events of the tenant are sent to this URL, signed, at least once.',
    verb: 'Create',
    tool: 'WH_Create',
    fields: [
      { name: 'url', label: 'URL', type: 'url', required: true, hint: 'https, public.' },
      {
        name: 'events',
        label: 'Events',
        options: [ALL, ...types.map((one) => one.type)],
        labels: { [ALL]: 'All events, also those of later versions' },
        multiple: true,
        value: [ALL],
        hint: 'Uncheck the first to choose some.',
      },
      { name: 'description', label: 'Description' },
    ],
    args: ({ events: chosen, ...rest }) => given({ ...rest, events: chosen.includes(ALL) ? [ALL] : chosen }),
    done: (answer) => {
      secret(
        'The signing secret',
        'Your receiver uses it to verify deliveries. It is shown only this once.',
        answer.endpoint.secret ?? answer.secret,
      );
      go(`/console/webhooks/${enc(answer.endpoint.id)}`, true);
    },
  });
}

export async function show({ at, view, on, go, isHere }) {
  view.append(
    head('Webhooks', {
      sub: 'Events that are sent to your systems, and how they were received.',
      actions: may('WH_Create') ? [action('WH_Create', 'New endpoint', () => create(go), '')] : [],
    }),
  );
  if (!may('WH_List')) {
    view.append(empty('For admins', 'Events cover the whole tenant, so only its admins see endpoints and deliveries.'));
    return;
  }
  const endpoints = await all('WH_List', {}, (body) => body.endpoints);
  const known = new Set(endpoints.map((one) => one.id));
  if (!endpoints.length && !at.parts[0]) {
    const { deliveries: sent } = await call('WH_Deliveries', { page: { limit: 1 } });
    view.append(
      empty(
        sent.length ? 'No endpoints' : 'Nothing is sent anywhere yet',
        'An endpoint is an address of yours that receives signed events: agents that are created and deleted, quotas that fill up, documents that are validated.',
        action('WH_Create', 'Create an endpoint', () => create(go), ''),
        el('a', { class: 'button quiet', href: '/docs/webhooks' }, 'How to verify them'),
      ),
    );
    if (sent.length) deliveries({ known }, view, { on, isHere });
    return;
  }
  const wanted = endpoints.find((one) => one.id === at.parts[0]);
  const side = el('ul', { class: 'side endpoints', 'aria-label': 'Endpoints', tabindex: '-1' });
  const listed = (all_) =>
    side.replaceChildren(
      ...all_.map((one) => {
        const entry = link(
          `/console/webhooks/${enc(one.id)}`,
          el('b', { class: 'clip' }, one.url),
          el('span', { class: 'soft clip' }, events(one)),
          el('span', {}, condition(one), ' ', el('span', { class: 'soft' }, attempts(one.health))),
        );
        if (one.id === wanted?.id) entry.setAttribute('aria-current', 'true');
        return el('li', {}, entry);
      }),
    );
  listed(endpoints);
  choose(side, view);
  const detail = el('div', { class: 'detail' });
  put(
    view,
    wanted ? back('/console/webhooks', 'All endpoints') : null,
    el('div', { class: `split wide-side${wanted ? ' chosen' : ''}` }, side, detail),
  );
  if (wanted) endpoint(wanted, detail, go);
  else if (at.parts[0])
    detail.append(
      el(
        'p',
        { class: 'note' },
        'There is no such endpoint, or it was deleted. Deliveries of a deleted one stay listed.',
      ),
    );
  // What was just delivered counts in the health, too: of the endpoint that is shown, or of all.
  async function again() {
    const now = await (
      wanted
        ? call('WH_Read', { id: wanted.id }).then((body) => [body.endpoint])
        : all('WH_List', {}, (body) => body.endpoints)
    ).catch(() => null);
    if (!now || !isHere()) return;
    redrawn(side, () => listed(wanted ? endpoints.map((one) => (one.id === wanted.id ? now[0] : one)) : now));
    if (!wanted) return;
    detail.querySelector('.tagline').replaceWith(states(now[0]));
    detail.querySelector('.figures').replaceWith(figures(now[0].health));
  }
  deliveries({ id: at.parts[0], known, again }, detail, { on, isHere });
}

function endpoint(one, place, go) {
  const again = () => go(location.pathname, true);
  const health = one.health ?? {};
  put(
    place,
    el(
      'header',
      { class: 'detail-head' },
      el('div', {}, el('h2', { class: 'breaks' }, one.url), el('p', { class: 'soft' }, one.description ?? events(one))),
      el(
        'div',
        { class: 'head-actions' },
        action('WH_Test', 'Test', () => test(one)),
        action('WH_Grade', 'Grade my receiver', () => grade(one)),
        action('WH_RedeliverFailed', 'Send failed ones again', () =>
          ask({
            title: 'Send failed deliveries again',
            verb: 'Send again',
            tool: 'WH_RedeliverFailed',
            fields: [{ name: 'hours', label: 'From the last hours', type: 'number', value: 24, required: true }],
            args: ({ hours }) => ({ id: one.id, since: new Date(Date.now() - hours * 3_600_000).toISOString() }),
            done: (answer) => toast(`${number(answer.queued ?? answer.deliveries?.length)} queued.`),
          }),
        ),
        action('WH_RotateSecret', 'Rotate secret', () =>
          ask({
            title: 'Rotate the signing secret',
            text: 'During the overlap, each delivery has two signatures.',
            verb: 'Rotate',
            tool: 'WH_RotateSecret',
            fields: [
              { name: 'overlap_seconds', label: 'The old one works for, in seconds', type: 'number', value: 86400 },
            ],
            args: ({ overlap_seconds: overlap }) => ({ id: one.id, overlap_seconds: overlap }),
            done: (answer) => {
              secret('The new signing secret', 'It is shown only this once.', answer.secret ?? answer.endpoint.secret);
              again();
            },
          }),
        ),
        action('WH_Update', one.enabled ? 'Disable' : 'Enable', () =>
          ask({
            title: `${one.enabled ? 'Disable' : 'Enable'} this endpoint?`,
            text: one.enabled
              ? 'Events are not queued for it until you enable it again. This page then shows which ones it missed.'
              : 'Events from now on are sent to it.',
            verb: one.enabled ? 'Disable' : 'Enable',
            tool: 'WH_Update',
            args: () => ({ id: one.id, enabled: !one.enabled }),
            done: again,
          }),
        ),
        action(
          'WH_Delete',
          'Delete',
          () =>
            ask({
              title: 'Delete this endpoint?',
              text: 'Its pending deliveries are dropped. Earlier deliveries stay listed.',
              verb: 'Delete',
              danger: true,
              tool: 'WH_Delete',
              args: () => ({ id: one.id }),
              done: () => go('/console/webhooks'),
            }),
          DANGER,
        ),
      ),
    ),
    states(one),
    one.missed
      ? el(
          'p',
          { class: 'note' },
          gap(one.missed),
          asCode('Reading the missed events', () => [{ tool: 'WH_Feed', args: { after: one.missed.after } }]),
        )
      : null,
    figures(health),
    one.preflight
      ? el(
          'p',
          { class: 'soft' },
          `Last check: ${one.preflight.detail ?? (one.preflight.ok ? 'fine' : 'not reachable')} · `,
          ago(one.preflight.checked_at),
        )
      : null,
  );
}

// The circuit matters only when it is not closed: then deliveries wait.
const CIRCUITS = { open: 'paused after failures', 'half-open': 'testing with one delivery' };
const states = (one) =>
  el(
    'p',
    { class: 'tagline' },
    condition(one),
    ...(one.health?.circuit && one.health.circuit !== 'closed'
      ? [
          tag(
            CIRCUITS[one.health.circuit] ?? one.health.circuit,
            one.health.circuit === 'open' ? 'destroys' : 'changes',
          ),
        ]
      : []),
  );

// The events that an endpoint did not receive. The button beside them shows as code how to read them.
const gap = ({ after, until }) =>
  until
    ? `Events ${number(after + 1)} to ${number(until)} were not sent while it was disabled. The event feed still has them. `
    : `Events after number ${number(after)} are not sent while it is disabled. The event feed will have them. `;

// Each type has an example, which is what is sent.
async function test(one) {
  const { events: types } = await call('WH_Events');
  const sent = types.filter((each) => one.events.includes('*') || one.events.includes(each.type));
  return ask({
    title: 'Send a test',
    text: 'One delivery with example data is queued, signed like any other.',
    verb: 'Send',
    tool: 'WH_Test',
    fields: [{ name: 'event_type', label: 'Event', options: sent.map((each) => each.type) }],
    args: ({ event_type: type }) => ({
      event_type: type,
      data: types.find((each) => each.type === type).example.data,
      endpoint_id: one.id,
    }),
    done: () => toast('Queued. It appears below.'),
  });
}

const figures = (health) =>
  el(
    'div',
    { class: 'figures' },
    figure('Delivered', number(health.succeeded)),
    figure('Failed', number(health.failed), health.failed ? 'bad' : ''),
    figure('Success', health.success_percent === undefined ? '–' : `${health.success_percent} %`),
    figure('Median', health.p50_ms === undefined ? '–' : `${health.p50_ms} ms`),
    figure('p95', health.p95_ms === undefined ? '–' : `${health.p95_ms} ms`),
  );

const figure = (name, value, kind = '') =>
  el('div', { class: `figure ${kind}` }, el('span', { class: 'soft' }, name), el('b', {}, value));

// Of one endpoint, or of all; known are the endpoints that are not deleted; again is called when there are new ones.
function deliveries({ id, known, again: happened }, place, { on, isHere }) {
  const state = el(
    'select',
    { 'aria-label': 'State' },
    ...['', 'pending', 'delivering', 'delivered', 'failed', 'exhausted'].map((one) =>
      el('option', { value: one }, one || 'every state'),
    ),
  );
  const chosen = new Set();
  const again = action('WH_Redeliver', 'Send selected again', async () => {
    if (!chosen.size) return toast('Select deliveries first.');
    const sent = await whileBusy(again, async () => {
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
      return count;
    });
    return sent === undefined ? sent : list();
  });
  const offer = () => again.setAttribute('aria-disabled', String(!chosen.size || 'refused' in again.dataset));
  const chart = el('div', {});
  const holder = el('div', { class: 'deliveries', tabindex: '-1' });
  place.append(
    el(
      'section',
      {},
      el(
        'div',
        { class: 'section-head' },
        el('h2', {}, 'Deliveries'),
        state,
        again,
        asCode('Sending again', () =>
          (chosen.size ? [...chosen] : ['<delivery>']).map((one) => ({ tool: 'WH_Redeliver', args: { id: one } })),
        ),
      ),
      chart,
      holder,
    ),
  );

  function row(one) {
    const box = el('input', {
      type: 'checkbox',
      'aria-label': `Select delivery ${one.sequence}`,
      change: () => {
        if (box.checked) chosen.add(one.id);
        else chosen.delete(one.id);
        offer();
      },
    });
    const last = one.attempts?.at(-1);
    const attempts = one.attempts?.length
      ? `${number(one.attempts.length)} ${one.attempts.length === 1 ? 'attempt' : 'attempts'}${last.status ? `, ${last.status}` : ''}`
      : 'not tried yet';
    return el(
      'div',
      { class: 'delivery' },
      box,
      el(
        'button',
        { type: 'button', class: 'plain', 'data-key': one.id, click: () => open(one) },
        el('span', { class: 'plain-head' }, el('b', {}, one.event_type), tag(one.state, STATES[one.state] ?? '')),
        el(
          'span',
          { class: 'soft clip' },
          `#${one.sequence} · ${attempts} · `,
          ago(one.created_at),
          id ? '' : ` · ${one.url}`,
          known.has(one.endpoint_id) ? '' : ' · deleted endpoint',
        ),
      ),
    );
  }
  function make() {
    let cursor;
    return virtualList({
      height: 58,
      row,
      label: 'Deliveries',
      empty: () => (state.value ? 'No delivery is in this state.' : 'Nothing was sent yet. Test sends an event now.'),
      more: async (first) => {
        const body = await call(
          'WH_Deliveries',
          given({ endpoint: id, state: state.value, page: given({ limit: 100, cursor }) }),
        );
        cursor = body.next_cursor;
        if (first) chart.replaceChildren(...(body.deliveries.length ? [byTime(body.deliveries)] : []));
        return { items: body.deliveries, more: Boolean(cursor) };
      },
    });
  }
  const shown = listPlace(holder, make, () => isHere() && !chosen.size);
  function list() {
    chosen.clear();
    offer();
    shown.fill();
  }
  state.addEventListener('change', list);
  list();
  // However many there are, they are read at most once in a while.
  let due;
  const later = () => {
    due ??= setTimeout(() => {
      due = undefined;
      if (!isHere()) return;
      happened?.();
      if (!chosen.size) shown.refresh();
    }, OFTEN);
  };
  on('deliveries', later);
  on('reset', later);
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
  return el(
    'figure',
    { class: 'by-time' },
    el(
      'figcaption',
      { class: 'soft' },
      el('span', {}, about),
      el('span', { class: 'key' }, 'all'),
      el('span', { class: 'key bad' }, 'failed'),
    ),
    bars(points, about),
    el(
      'p',
      { class: 'ticks soft', 'aria-hidden': 'true' },
      ...Array.from({ length: TICKS }, (_, i) => el('span', {}, named(from + (i * span) / TICKS))),
      el('span', {}, 'now'),
    ),
  );
}

async function open(one) {
  const body = await call('WH_Delivery', { id: one.id });
  const { delivery } = body;
  const box = dialog(
    `${delivery.event_type} #${delivery.sequence}`,
    facts([
      ['State', tag(delivery.state, STATES[delivery.state])],
      ['To', delivery.url],
      ['Next attempt', delivery.next_attempt_at ? ago(delivery.next_attempt_at) : null],
    ]),
    el(
      'table',
      {},
      el(
        'thead',
        {},
        el(
          'tr',
          {},
          ...['Attempt', 'Status', 'Took', 'Error and response'].map((word) => el('th', { scope: 'col' }, word)),
        ),
      ),
      el(
        'tbody',
        {},
        ...delivery.attempts.map((attempt) =>
          el(
            'tr',
            {},
            el('td', {}, ago(attempt.at)),
            el('td', {}, attempt.status ?? '–'),
            el('td', {}, `${attempt.duration_ms} ms`),
            el(
              'td',
              {},
              attempt.error ?? '',
              attempt.response
                ? el(
                    'pre',
                    { class: 'wraps', tabindex: '0', 'aria-label': 'The beginning of the response' },
                    attempt.response,
                  )
                : null,
            ),
          ),
        ),
      ),
    ),
    code(JSON.stringify(body.event, null, 2), 'What is sent'),
    el(
      'div',
      { class: 'row' },
      action(
        'WH_Redeliver',
        'Send again',
        (event) =>
          whileBusy(event.target, async () => {
            await call('WH_Redeliver', { id: one.id });
            toast('Queued.');
            box.close();
          }),
        '',
      ),
      asCode('Sending again', () => [{ tool: 'WH_Redeliver', args: { id: one.id } }]),
      el('button', { type: 'button', class: 'quiet', click: () => box.close() }, 'Close'),
    ),
  );
  box.classList.add('wide');
}

async function grade(one) {
  const place = el('div', {}, el('p', { class: 'soft' }, 'Sending nine test requests…'));
  const box = dialog(
    'Grade my receiver',
    place,
    el(
      'div',
      { class: 'row' },
      asCode('Grading', () => [{ tool: 'WH_Grade', args: { id: one.id } }]),
      el('button', { type: 'button', class: 'quiet', click: () => box.close() }, 'Close'),
    ),
  );
  try {
    const body = await call('WH_Grade', { id: one.id });
    place.replaceChildren(
      el('p', { class: 'score' }, el('b', {}, `${body.score} %`)),
      el(
        'ul',
        { class: 'why trials' },
        ...body.trials.map((trial) =>
          el(
            'li',
            {},
            tag(trial.ok ? 'right' : 'wrong', trial.ok ? 'reads' : 'destroys'),
            el('span', {}, trial.delivery),
            el(
              'span',
              { class: 'soft' },
              `${trial.status ?? trial.error}${trial.ok ? '' : `, expected ${trial.expected}`}`,
            ),
          ),
        ),
      ),
    );
  } catch (error) {
    place.replaceChildren(problem(error));
  }
}
