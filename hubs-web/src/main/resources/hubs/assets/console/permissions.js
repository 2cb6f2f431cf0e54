// Agents by banks: a click on a permission shows the others, a click on one of them sets it.
import { all, call, mayChange, whyNot } from './api.js';
import { asCode, empty, enc, guarded, html, link, nothing, toast } from './parts.js';

const PERMISSIONS = ['none', 'read', 'append', 'write', 'manage'];
const BANKS = 30;
const AGENTS = 200;

/** Returns view, the part of the page; drawn draws the page. */
export async function permissions(banks, drawn) {
  const agents = await all('AP_List', {}, (body) => body.profile, 2);
  const columns = banks.slice(0, BANKS);
  const grants = new Map();
  const key = (bank, agent) => `${bank.name}\n${agent.name}`;
  await Promise.all(
    columns.map(async (bank) => {
      const body = await call('MB_Permissions', { target: { bank: bank.name }, page: { limit: 200 } }).catch(() => ({
        permissions: [],
      }));
      for (const one of body.permissions) grants.set(`${bank.name}\n${one.agent}`, one);
    }),
  );
  if (!agents.length || !columns.length)
    return () =>
      empty(
        'Nothing to share yet',
        'Create agents and banks first. This table then shows the permission of each agent on each bank.',
        link('/console/agents', 'Agents'),
      );
  const of = (bank, agent) => grants.get(key(bank, agent)) ?? { permission: 'none' };
  let chosen = null; // Whose permission is being changed: its cell, bank and agent.

  const cell = (bank, agent) => {
    const one = of(bank, agent);
    return html`<button
      type="button"
      class="cell p-${one.permission}"
      ?disabled=${!mayChange('MB_Permissions')}
      title=${[one.why ?? 'No permission.', whyNot('MB_Permissions')].filter(Boolean).join(' ')}
      aria-haspopup="true"
      aria-label="${agent.name} on ${bank.name}: ${one.permission}"
      @click=${({ currentTarget }) => choose(currentTarget, bank, agent)}
    >
      ${one.permission === 'none' ? '–' : one.permission}
    </button>`;
  };

  function choose(button, bank, agent) {
    chosen = { button, bank, agent };
    drawn();
    const choices = button.closest('.view').querySelector('.choices');
    choices.showPopover();
    const place = button.getBoundingClientRect();
    choices.style.left = `${Math.max(8, Math.min(place.left, innerWidth - choices.offsetWidth - 8))}px`;
    choices.style.top = `${place.bottom + choices.offsetHeight + 12 > innerHeight ? place.top - choices.offsetHeight - 4 : place.bottom + 4}px`;
    choices.querySelector('[aria-pressed="true"]').focus();
  }

  const set = (access) =>
    guarded(async ({ currentTarget }) => {
      const { button, bank, agent } = chosen;
      currentTarget.closest('.choices').hidePopover();
      const body = await call('MB_Permissions', { target: { bank: bank.name, agent: agent.name }, vx: { access } });
      const now = body.permissions.find((each) => each.agent === agent.name);
      if (now) grants.set(key(bank, agent), now);
      drawn();
      button.focus();
      toast(`${agent.name} on ${bank.name}: ${now?.permission ?? access}.`);
    });

  function choices({ bank, agent }) {
    const { permission } = of(bank, agent);
    return html`${PERMISSIONS.map(
      (access) =>
        html`<button type="button" class="cell p-${access}" aria-pressed=${access === permission} @click=${set(access)}>
          ${access}
        </button>`,
    )}${asCode('The permission', () => [
      { tool: 'MB_Permissions', args: { target: { bank: bank.name, agent: agent.name }, vx: { access: permission } } },
    ])}`;
  }

  return () =>
    html`<p class="soft">
        ${
          mayChange('MB_Permissions')
            ? 'Select a permission to change it. It applies at once.'
            : `What each agent may do with each bank. ${whyNot('MB_Permissions')}.`
        }
      </p>
      <div
        class="choices"
        popover="auto"
        role="group"
        aria-label=${chosen ? `${chosen.agent.name} on ${chosen.bank.name}` : nothing}
      >
        ${chosen ? choices(chosen) : nothing}
      </div>
      <div class="scroll" tabindex="0" role="region" aria-label="Permissions">
        <table class="matrix">
          <thead>
            <tr>
              <th scope="col">Agent</th>
              ${columns.map((bank) => html`<th scope="col">${link(`/console/memory/${enc(bank.name)}`, bank.name)}</th>`)}
            </tr>
          </thead>
          <tbody>
            ${agents.slice(0, AGENTS).map(
              (agent) =>
                html`<tr>
                  <th scope="row">${agent.name}</th>
                  ${columns.map((bank) => html`<td>${cell(bank, agent)}</td>`)}
                </tr>`,
            )}
          </tbody>
        </table>
      </div>`;
}
