// The demo's bar: how far it is, pausing, answering, playing again, taking it all away.
import { call, isAdmin, request, routeAsCurl, whyNot } from './api.js';
import { allowed, asCode, DANGER, disabledFor, el, enc, link, redrawn, toast, whileBusy } from './ui.js';

const EVERY = 1000;
let poll = () => {};
let starting = false; // The page may be drawn anew meanwhile.

const START = 'Start the demo';
const STARTING = 'Starting…';

// It creates agents, rooms, banks and keys, and so needs every right.
const NEEDED = ['AP_Create', 'DM_Create', 'MB_Create', 'MB_Store', 'AK_Create'];
const rights = () => disabledFor(NEEDED.map(whyNot).find(Boolean) ?? null);

export const startButton = (properties) =>
  el(
    'button',
    {
      type: 'button',
      ...properties,
      class: `start-demo ${properties.class ?? ''}`,
      ...(starting ? { 'aria-disabled': 'true' } : rights()),
      click: startDemo,
    },
    starting ? STARTING : START,
  );

// Its agents, rooms and memories appear while it is being set up: until it begins, the button does nothing.
function show(isStarting) {
  starting = isStarting;
  for (const button of document.querySelectorAll('.start-demo')) {
    button.setAttribute('aria-disabled', String(isStarting));
    button.textContent = isStarting ? STARTING : START;
  }
}

async function startDemo() {
  if (starting) return;
  show(true);
  try {
    await request('/api/demo', 'POST', {});
    toast('Three agents are working on an incident.');
    await poll();
    if (document.activeElement.matches('body, main, .world-grid')) document.querySelector('.demo-place')?.focus(); // Its button is gone.
  } catch (error) {
    toast(error.message);
  } finally {
    show(false);
  }
}

async function act(action) {
  try {
    await request('/api/demo', 'POST', { action });
  } catch (error) {
    toast(error.message);
  }
  poll();
}

async function remove(after) {
  try {
    await request('/api/demo', 'DELETE');
    toast('The demo and everything it created is removed.');
  } catch (error) {
    toast(error.message);
  }
  poll();
  after();
}

// What its buttons call. An answer is a message to the room.
const calls = (demo) => [
  ...[
    ['Start', 'POST', {}],
    ['Pause', 'POST', { action: 'pause' }],
    ['Resume', 'POST', { action: 'resume' }],
    ['Replay', 'POST', { action: 'replay' }],
    ['Remove', 'DELETE'],
  ].map(([title, method, given]) => ({ title, curl: routeAsCurl(method, '/api/demo', given) })),
  {
    tool: 'AP_Chat',
    args: { target: { domain: demo.domain, zone: demo.zone }, content: demo.answers?.[0] ?? '<answer>' },
  },
];

// Shows the demo while there is one. Reports each call of an agent once to acted.
export function demoBar(place, on, isHere, changed, acted) {
  if (!isAdmin()) return;
  let timer;
  let drawn = '';
  let last; // The step that was shown last. What was done before the first look is not reported.
  let answered; // The question that the person has answered.

  async function look() {
    clearTimeout(timer);
    if (!isHere() || (!place.isConnected && drawn)) return;
    const demo = await request('/api/demo').catch(() => null);
    if (!demo || !isHere()) return;
    draw(demo);
    if (demo.state !== 'none' && demo.state !== 'finished') timer = setTimeout(look, EVERY);
  }

  function draw(demo) {
    const same = JSON.stringify([demo.state, demo.step, demo.question, demo.doing]);
    if (same === drawn) return;
    const had = drawn.startsWith('["none"') || !drawn;
    drawn = same;
    document.getElementById('start-demo')?.toggleAttribute('hidden', demo.state !== 'none');
    if (demo.state === 'none') {
      last = '';
      redrawn(place, () => place.replaceChildren());
      return;
    }
    const doing = JSON.stringify(demo.doing ?? null);
    if (demo.doing && last !== undefined && doing !== last && demo.state !== 'finished') acted(demo.doing);
    last = doing;
    const bar = el('progress', { max: demo.steps, value: demo.step, 'aria-label': 'How far the demo is' });
    const text = {
      running: 'Three agents handle an incident over MCP.',
      paused: demo.question ? 'Paused. Your answer resumes it.' : 'Paused.',
      waiting: 'The agents ask you to decide.',
      finished: 'The incident is over.',
    }[demo.state];
    const buttons = [];
    if (demo.state === 'running' || demo.state === 'waiting')
      buttons.push(
        el(
          'button',
          { type: 'button', class: 'quiet', ...rights(), 'data-key': 'pause', click: () => act('pause') },
          'Pause',
        ),
      );
    if (demo.state === 'paused')
      buttons.push(
        el(
          'button',
          {
            type: 'button',
            class: demo.question ? 'quiet' : null,
            ...rights(),
            'data-key': 'pause',
            click: () => act('resume'),
          },
          'Resume',
        ),
      );
    if (demo.state === 'finished' || demo.state === 'paused')
      buttons.push(
        el('button', { type: 'button', class: 'quiet', ...rights(), click: () => act('replay') }, 'Play again'),
      );
    buttons.push(el('button', { type: 'button', class: DANGER, ...rights(), click: () => remove(changed) }, 'Remove'));
    buttons.push(asCode('The demo', () => calls(demo)));
    const section = el(
      'section',
      { class: `demo ${demo.state}`, 'aria-label': 'Demo' },
      el(
        'div',
        { class: 'demo-words' },
        el('b', {}, 'Demo'),
        ' ',
        el('span', {}, text),
        ' ',
        link(`/console/spaces/${enc(demo.domain)}/${enc(demo.zone)}`, 'Open the room'),
        demo.doing && demo.state !== 'finished'
          ? el(
              'p',
              { class: 'demo-doing' },
              el('b', {}, demo.doing.agent),
              ` ${demo.doing.words} `,
              el('code', {}, demo.doing.tool),
            )
          : null,
      ),
      bar,
      el('div', { class: 'head-actions' }, ...buttons),
      demo.question
        ? el(
            'div',
            { class: 'demo-question' },
            el('p', {}, demo.question),
            el(
              'div',
              { class: 'row' },
              ...demo.answers.map((answer) =>
                el(
                  'button',
                  {
                    type: 'button',
                    ...allowed('AP_Chat'),
                    click: (event) =>
                      whileBusy(event.target, async () => {
                        if (answered === demo.question) return; // The demo has not gone on yet.
                        await call('AP_Chat', {
                          target: { domain: demo.domain, zone: demo.zone },
                          content: answer,
                        }).then(
                          () => (answered = demo.question),
                          (error) => toast(error.message),
                        );
                        if (demo.state === 'paused') await act('resume');
                        else await look();
                      }),
                  },
                  answer,
                ),
              ),
            ),
          )
        : null,
    );
    redrawn(place, () => place.replaceChildren(section));
    if (had) changed();
  }

  poll = look;
  look();
  on('messages', () => setTimeout(look, 200));
}
