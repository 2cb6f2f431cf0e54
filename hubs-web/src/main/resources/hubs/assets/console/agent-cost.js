// What an agent costs: its calls, and the characters that its model sent and received through them, by day.
import { call } from './api.js';
import { asCode, bars, html, number } from './parts.js';

const DAY = 86_400_000;

const figure = (name, value, hint) =>
  html`<div class="figure" title=${hint}><span class="soft">${name}</span><b>${value}</b></div>`;

// All days that are kept, those without any call too.
function days({ days: count, daily }) {
  const byDay = new Map(daily.map((one) => [one.day, one]));
  return Array.from({ length: count }, (_, i) => {
    const day = new Date(Date.now() - (count - 1 - i) * DAY).toISOString().slice(0, 10);
    return {
      day,
      ...(byDay.get(day) ?? { calls: 0, characters_sent: 0, characters_received: 0, estimated_tokens: 0 }),
    };
  });
}

/** Reads it and returns the part of the page. */
export async function costOf(agent) {
  const args = { target: { agent } };
  const used = await call('AP_Usage', args);
  const { total } = used;
  const code = asCode('Reading what it costs', () => [{ tool: 'AP_Usage', args }]);
  if (!total.calls) return html`<p class="soft">It has called no tool in the last ${used.days} days. ${code}</p>`;
  const points = days(used).map((one) => ({ label: one.day, value: one.estimated_tokens }));
  const label = `Estimated tokens on each day: ${used.daily.map((one) => `${one.day} ${number(one.estimated_tokens)}`).join(', ')}`;
  return html`<p class="soft">
      The last ${used.days} days, by what it sent to tools and received from them. Four characters count as a token.
      What its model reads and writes elsewhere is not known here. ${code}
    </p>
    <div class="figures">
      ${figure('Calls', number(total.calls), 'Tools that it called')}
      ${figure('Characters sent', number(total.characters_sent), 'In arguments')}
      ${figure('Characters received', number(total.characters_received), 'In responses')}
      ${figure('Estimated tokens', number(total.estimated_tokens), 'Both, divided by four')}
    </div>
    <figure class="by-day">
      ${bars(points, label)}
      <figcaption class="soft">
        <span>${points[0].label}</span
        ><span>most in a day: ${number(Math.max(...points.map((point) => point.value)))} tokens</span><span>today</span>
      </figcaption>
    </figure>
    <details>
      <summary>By day</summary>
      <div class="scroll" tabindex="0" role="region" aria-label="What it costs, by day">
        <table>
          <thead>
            <tr>
              <th scope="col">Day</th>
              <th scope="col">Calls</th>
              <th scope="col">Sent</th>
              <th scope="col">Received</th>
              <th scope="col">Tokens</th>
            </tr>
          </thead>
          <tbody>
            ${[...used.daily].reverse().map(
              (one) =>
                html`<tr>
                  <td>${one.day}</td>
                  <td>${number(one.calls)}</td>
                  <td>${number(one.characters_sent)}</td>
                  <td>${number(one.characters_received)}</td>
                  <td>${number(one.estimated_tokens)}</td>
                </tr>`,
            )}
          </tbody>
        </table>
      </div>
    </details>`;
}
