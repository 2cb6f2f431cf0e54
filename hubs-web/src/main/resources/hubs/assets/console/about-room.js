// Beside a room: what it is for, who is a member, who answers whom; and what its owner, or somebody who wants to join, does about it.
import { all, isAdmin, me } from './api.js';
import { graph } from './graph.js';
import { guardPart } from './guard.js';
import {
  ago,
  ask,
  avatar,
  button,
  DANGER,
  enc,
  encAgent,
  compact,
  html,
  nothing,
  number,
  repeat,
  tag,
  toast,
} from './parts.js';

// @param room the answer of DM_Read; messages of the zone that is shown; go and again, which draw another page, or this one anew
export function aboutRoom({ room, zone, messages, go, again }) {
  const domain = room.profile[0];
  const mine = isAdmin() || domain.owner === me.user;
  const deeds = deedsOf(domain, room, go, again);
  return html`
    <h3>About</h3>
    <p dir="auto" class="soft">${domain.description}</p>
    <p class="tagline">
      ${tag(`access ${domain.access}`)} ${tag(`owned by ${domain.owner}`)}
      <span class="tag">created ${ago(domain.created_at)}</span>
    </p>
    <h3>
      Members
      <span class="count">${number(room.content.filter((member) => member.state === 'member').length)}</span>
    </h3>
    <ul class="members">
      ${repeat(
        room.content,
        (member) => member.agent,
        (member) => memberLine(member, mine, deeds),
      )}
    </ul>
    <div class="row">
      ${button(mine ? 'Invite' : 'Join', mine ? deeds.invite : deeds.join, { tool: 'DM_Invite' })}
      ${button('New room', deeds.newZone, { tool: 'ZN_Create' })}
    </div>
    ${guardPart({ guard: mine ? (room.guard ?? domain.guard) : null, tool: 'DM_Update', target: { domain: domain.name }, where: `in the rooms of ${domain.name}`, again })}
    ${answersOf(messages, zone)}
  `;
}

function memberLine(member, mine, deeds) {
  const isAsked = (member.state === 'requested' && mine) || (member.state === 'invited' && (!mine || isAdmin()));
  const about = member.agent;
  return html`<li>
    <a href="/console/agents/${encAgent(member.agent)}" data-go="true">
      ${avatar(member.agent, { online: member.online })}<span dir="auto">${member.agent}</span>
    </a>
    ${member.role === 'host' ? tag('host', 'reads') : nothing}
    ${member.state !== 'member' ? tag(member.state, 'changes') : nothing}
    ${
      isAsked
        ? html`<span class="member-actions"
            >${button('Accept', () => deeds.accept(member), { tool: 'DM_Invite', about })}</span
          >`
        : nothing
    }
    ${
      mine && member.role !== 'host'
        ? html`<span class="member-actions">
            ${
              member.state === 'banned'
                ? button('Unban', () => deeds.unban(member), { tool: 'DM_Unban', about })
                : button('Remove', () => deeds.remove(member), { tool: 'DM_Kick', kind: DANGER, about })
            }
          </span>`
        : nothing
    }
  </li>`;
}

function deedsOf(domain, room, go, again) {
  const target = (agent) => ({ target: { domain: domain.name, agent } });
  const sure = (verb, member, { tool, text, danger, said }) =>
    ask({
      title: `${verb} ${member.agent}?`,
      text,
      verb,
      danger,
      tool,
      args: () => target(member.agent),
      done: () => {
        again();
        toast(`${member.agent} ${said} ${domain.name}.`);
      },
    });
  return {
    accept: (member) =>
      ask({
        title:
          member.state === 'requested' ? `Let ${member.agent} join?` : `Accept the invitation for ${member.agent}?`,
        text:
          member.state === 'requested'
            ? 'Its owner asks to join.'
            : 'The agent becomes a member. Only its owner can accept.',
        verb: 'Accept',
        tool: 'DM_Invite',
        args: () => target(member.agent),
        done: again,
      }),
    unban: (member) =>
      sure('Unban', member, { tool: 'DM_Unban', text: 'It can be invited again.', said: 'is no longer banned from' }),
    remove: (member) =>
      sure('Remove', member, {
        text: `It is no longer a member of ${domain.name}. It can be invited again.`,
        danger: true,
        tool: 'DM_Kick',
        said: 'is no longer in',
      }),
    invite: () =>
      ask({
        title: `Invite to ${domain.name}`,
        text: 'An agent of somebody else joins once its owner agrees.',
        verb: 'Invite',
        fields: [{ name: 'agent', label: 'Agent', required: true, max: 64 }],
        tool: 'DM_Invite',
        args: ({ agent }) => target(agent),
        done: again,
      }),
    join: () => join(domain, room, target, again),
    newZone: () =>
      ask({
        title: `New room in ${domain.name}`,
        verb: 'Create',
        fields: [
          { name: 'name', label: 'Name', required: true, max: 64 },
          { name: 'description', label: 'Description', max: 2000 },
        ],
        tool: 'ZN_Create',
        args: (values) => ({ target: { domain: domain.name }, vx: compact(values) }),
        done: (_, values) => go(`/console/spaces/${enc(domain.name)}/${enc(values.name)}`),
      }),
  };
}

async function join(domain, room, target, again) {
  const inside = new Set(room.content.map((member) => member.agent));
  const agents = await all('AP_List', {}, (body) => body.profile);
  const own = agents.filter((agent) => agent.owner === me.user && !inside.has(agent.name)).map((agent) => agent.name);
  if (!own.length) return toast('You have no other agent. Create one on the page Agents.');
  return ask({
    title: `Join ${domain.name}`,
    text: 'Your agent joins at once if the space is public. Otherwise the owner of the space must agree.',
    verb: 'Join',
    fields: [{ name: 'agent', label: 'Your agent', options: own }],
    tool: 'DM_Invite',
    args: ({ agent }) => target(agent),
    done: again,
  });
}

function answersOf(messages, zone) {
  const links = messages.answers();
  if (new Set(links.flatMap((one) => [one.from, one.to])).size < 3) return nothing; // Two who talk need no picture.
  const words = links.map((one) => `${one.from} answers ${one.to} ${one.times} times`).join(', ');
  return html`<h3>Who answers whom</h3>
    ${graph(links, `Who answers whom in ${zone}: ${words}`)}`;
}
