// Webhooks: endpoints and whether they work, trying a receiver; what was sent is in deliveries.js.
import { dialog } from '../dom.js';
import { all, call, may } from './api.js';
import { deliveries } from './deliveries.js';
import {
  action,
  ago,
  asCode,
  ask,
  back,
  choose,
  DANGER,
  draw,
  el,
  empty,
  enc,
  compact,
  head,
  html,
  nodes,
  nothing,
  number,
  problem,
  render,
  repeat,
  secret,
  tag,
  toast,
  sample,
} from './parts.js';

const events = (one) => (one.events.includes('*') ? 'all events' : one.events.join(', '));
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

// What can be sent: each type of event, and when.
// What agents do comes before what the service reports about itself.
const FIRST = ['question.', 'message.', 'task.', 'memory.', 'document.', 'agent.'];
const place = ({ type }) => {
  const at = FIRST.findIndex((family) => type.startsWith(family));
  return at < 0 ? FIRST.length : at;
};

const catalogue = (kinds) =>
  html`<section class="events" aria-labelledby="event-types">
    <h2 id="event-types">What can be sent</h2>
    <dl>
      ${[...kinds]
        .sort((a, b) => place(a) - place(b))
        .map(
          ({ type, description }) =>
            html`<dt><code>${type}</code></dt>
              <dd>${description}</dd>`,
        )}
    </dl>
  </section>`;

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
    args: ({ events: chosen, ...rest }) => compact({ ...rest, events: chosen.includes(ALL) ? [ALL] : chosen }),
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
  const title = head('Webhooks', {
    sub: 'Events that are sent to your systems, and how they were received.',
    actions: may('WH_Create') ? [action('WH_Create', 'New endpoint', () => create(go), '')] : [],
  });
  if (!may('WH_List')) {
    const none = empty('For admins', 'Events cover the whole tenant, so only its admins see endpoints and deliveries.');
    return draw(html`${title}${none}`, view);
  }
  const [id] = at.parts;
  let endpoints = await all('WH_List', {}, (body) => body.endpoints);
  const endpointIds = new Set(endpoints.map((one) => one.id));
  const isEmpty = !endpoints.length && !id;
  const wasUsed = isEmpty && (await call('WH_Deliveries', { page: { limit: 1 } })).deliveries.length > 0;
  choose('.endpoints', view);
  let isRead = false;
  const sent = isEmpty && !wasUsed ? null : deliveries({ id, endpointIds, on, isHere, drawn, happened });
  await sent?.ready;
  const kinds = isEmpty && !wasUsed ? (await call('WH_Events')).events : [];
  isRead = true;
  return drawn();

  function drawn() {
    if (isHere() && isRead) draw(html`${title}${isEmpty ? none() : split()}`, view);
  }

  function none() {
    return html`${empty(
      wasUsed ? 'No endpoints' : 'Get a ping when an agent asks you',
      'An endpoint is your address that receives signed events: a question to you, a blocked task, a full quota. Let it post to your chat or your phone.',
      action('WH_Create', 'Create an endpoint', () => create(go), ''),
      html`<a class="button quiet" href="/docs/webhooks">How to verify them</a>`,
    )}${
      wasUsed
        ? nothing
        : sample(
            { title: 'question.asked', meta: '1 attempt, 200 · now', state: ['delivered', 'reads'] },
            { title: 'task.changed', meta: '3 attempts, 503 · 4m ago', state: ['failed', 'destroys'] },
          )
    }${sent ? sent.view() : catalogue(kinds)}`;
  }

  function split() {
    const selection = endpoints.find((one) => one.id === id);
    return html`${selection ? back('/console/webhooks', 'All endpoints') : nothing}
      <div class="split wide-side${selection ? ' chosen' : ''}">
        <ul class="side endpoints" aria-label="Endpoints" tabindex="-1">
          ${repeat(
            endpoints,
            (one) => one.id,
            (one) => entry(one, one === selection),
          )}
        </ul>
        <div class="detail" tabindex="-1">
          ${selection ? endpoint(selection, go) : nothing}
          ${
            id && !selection
              ? html`<p class="note">
                  There is no such endpoint, or it was deleted. Deliveries of a deleted one stay listed.
                </p>`
              : nothing
          }
          ${sent.view()}
        </div>
      </div>`;
  }

  // What was just delivered counts in the health, too: of the endpoint that is shown, or of all.
  async function happened() {
    const isKnown = endpointIds.has(id);
    const now = await (
      isKnown ? call('WH_Read', { id }).then((body) => [body.endpoint]) : all('WH_List', {}, (body) => body.endpoints)
    ).catch(() => null);
    if (!now || !isHere()) return;
    endpoints = isKnown ? endpoints.map((one) => (one.id === id ? now[0] : one)) : now;
    drawn();
  }
}

const entry = (one, isChosen) =>
  html`<li>
    <a href="/console/webhooks/${enc(one.id)}" data-go="true" aria-current=${isChosen ? 'true' : nothing}
      ><b dir="auto" class="clip">${one.url}</b>
      <span class="soft clip">${events(one)}</span>
      <span>${condition(one)} <span class="soft">${attempts(one.health)}</span></span></a
    >
  </li>`;

function endpoint(one, go) {
  const again = () => go(location.pathname, true);
  const health = one.health ?? {};
  return [
    html`<header class="detail-head">
      <div>
        <h2 dir="auto" class="breaks">${one.url}</h2>
        <p dir="auto" class="soft">${one.description ?? events(one)}</p>
      </div>
      <div class="head-actions">
        ${action('WH_Test', 'Test', () => test(one))}${action('WH_Grade', 'Grade my receiver', () => grade(one))}${action(
          'WH_RedeliverFailed',
          'Send failed ones again',
          () =>
            ask({
              title: 'Send failed deliveries again',
              verb: 'Send again',
              tool: 'WH_RedeliverFailed',
              fields: [{ name: 'hours', label: 'From the last hours', type: 'number', value: 24, required: true }],
              args: ({ hours }) => ({ id: one.id, since: new Date(Date.now() - hours * 3_600_000).toISOString() }),
              done: (answer) => toast(`${number(answer.queued ?? answer.deliveries?.length)} queued.`),
            }),
        )}${action('WH_RotateSecret', 'Rotate secret', () =>
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
        )}${action('WH_Update', one.enabled ? 'Disable' : 'Enable', () =>
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
        )}${action(
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
              done: () => {
                go('/console/webhooks');
                toast(`The endpoint ${one.url} is deleted.`);
              },
            }),
          DANGER,
        )}
      </div>
    </header>`,
    states(one),
    one.missed
      ? html`<p class="note">
          ${gap(one.missed)}${asCode('Reading the missed events', () => [{ tool: 'WH_Feed', args: { after: one.missed.after } }])}
        </p>`
      : nothing,
    figures(health),
    one.preflight
      ? html`<p class="soft">
          Last check: ${one.preflight.detail ?? (one.preflight.ok ? 'fine' : 'not reachable')} ·
          ${ago(one.preflight.checked_at)}
        </p>`
      : nothing,
  ];
}

// The circuit matters only when it is not closed: then deliveries wait.
const CIRCUITS = { open: 'paused after failures', 'half-open': 'testing with one delivery' };
const states = (one) =>
  html`<p class="tagline">
    ${condition(one)}${
      one.health?.circuit && one.health.circuit !== 'closed'
        ? tag(
            CIRCUITS[one.health.circuit] ?? one.health.circuit,
            one.health.circuit === 'open' ? 'destroys' : 'changes',
          )
        : nothing
    }
  </p>`;

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
  html`<div class="figures">
    ${figure('Delivered', number(health.succeeded))}${figure('Failed', number(health.failed), health.failed ? 'bad' : '')}${figure('Success', health.success_percent === undefined ? '–' : `${health.success_percent} %`)}${figure('Median', health.p50_ms === undefined ? '–' : `${health.p50_ms} ms`)}${figure('p95', health.p95_ms === undefined ? '–' : `${health.p95_ms} ms`)}
  </div>`;

const figure = (name, value, kind = '') =>
  html`<div class="figure ${kind}"><span dir="auto" class="soft">${name}</span><b>${value}</b></div>`;

async function grade(one) {
  const place = el('div', {});
  render(html`<p class="soft">Sending nine test requests…</p>`, place);
  const box = dialog(
    'Grade my receiver',
    place,
    nodes(
      html`<div class="row">
        ${asCode('Grading', () => [{ tool: 'WH_Grade', args: { id: one.id } }])}<button
          type="button"
          class="quiet"
          @click=${() => box.close()}
        >
          Close
        </button>
      </div>`,
    ),
  );
  try {
    const body = await call('WH_Grade', { id: one.id });
    render(
      html`<p class="score"><b>${body.score} %</b></p>
        <ul class="why trials">
          ${body.trials.map(
            (trial) =>
              html`<li>
                ${tag(trial.ok ? 'right' : 'wrong', trial.ok ? 'reads' : 'destroys')}<span>${trial.delivery}</span
                ><span class="soft"
                  >${trial.status ?? trial.error}${trial.ok ? '' : `, expected ${trial.expected}`}</span
                >
              </li>`,
          )}
        </ul>`,
      place,
    );
  } catch (error) {
    render(problem(error), place);
  }
}
