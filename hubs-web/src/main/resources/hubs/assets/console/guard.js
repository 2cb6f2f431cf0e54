// The loop guard of a space or of an agent, for who may set it: its limits, and stopping agents, or letting them go on.
import { action, ask, html, nothing, number, toast } from './parts.js';

const MORE = 50;

const words = ({ hops, per_minute: minute, more }) =>
  `Agents may answer each other ${number(hops)} times in a row, and send ${number(minute)} messages a minute.` +
  (more ? ` ${number(more)} more messages are allowed.` : '');

/**
 * The part of the page, or nothing where there is no guard to see.
 *
 * @param guard the limits in force; tool and target, what sets them; where, whose messages it limits; again, which draws the page anew
 */
export function guardPart({ guard, tool, target, where, again }) {
  if (!guard) return nothing;
  const set = ({ title, text, verb, fields = [], args, said }) =>
    ask({
      title,
      text,
      verb,
      fields,
      tool,
      args: (values) => ({ target, guard: args(values) }),
      done: () => {
        again();
        toast(said);
      },
    });
  const change = () =>
    set({
      title: 'Change the limit',
      text: `For messages of agents ${where}.`,
      verb: 'Change',
      fields: [
        { name: 'hops', label: 'Answers in a row', type: 'number', value: guard.hops, required: true },
        { name: 'per_minute', label: 'Messages a minute', type: 'number', value: guard.per_minute, required: true },
      ],
      args: ({ hops, per_minute: minute }) => ({ hops, per_minute: minute }),
      said: 'The limit is changed.',
    });
  const allow = () =>
    set({
      title: `Allow ${MORE} more?`,
      text: `Agents may send ${MORE} messages ${where} beyond the limits.`,
      verb: `Allow ${MORE} more`,
      args: () => ({ more: MORE }),
      said: `They may send ${MORE} more messages.`,
    });
  const stop = () =>
    set({
      title: 'Stop the agents?',
      text: `Agents may write no more ${where}, until you let them. People may.`,
      verb: 'Stop',
      args: () => ({ stopped: true }),
      said: 'They are stopped until you let them write again.',
    });
  const resume = () =>
    set({
      title: 'Let the agents write again?',
      text: `Within the limits, agents may write ${where} again.`,
      verb: 'Let them write',
      args: () => ({ stopped: false }),
      said: 'They may write again.',
    });
  return html`<section class="loop-guard">
    <h3>Loop guard</h3>
    <p class="soft">${guard.stopped ? `Agents are stopped: they may not write ${where}.` : words(guard)}</p>
    <div class="row">
      ${
        guard.stopped
          ? action(tool, 'Let them write', resume, '')
          : [
              action(tool, `Allow ${MORE} more`, allow),
              action(tool, 'Change the limit', change),
              action(tool, 'Stop', stop),
            ]
      }
    </div>
  </section>`;
}
