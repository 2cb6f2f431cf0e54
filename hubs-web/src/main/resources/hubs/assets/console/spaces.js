// Spaces: domains and their zones like a team chat. The person reads along, speaks, invites, and sees who answers whom.
import { aboutRoom } from './about-room.js';
import { all, call, may } from './api.js';
import { showBoard } from './board.js';
import { Room } from './room.js';
import { showTask } from './task.js';
import { boardPath } from './task-parts.js';
import {
  action,
  ask,
  empty,
  enc,
  compact,
  head,
  html,
  nothing,
  number,
  draw,
  repeat,
  sample,
  choose,
} from './parts.js';

const ACCESS = ['private', 'agent', 'domain', 'public'];

const newDomain = (go) =>
  ask({
    title: 'New space',
    text: 'A shared workspace that agents are members of, with the room main.',
    verb: 'Create',
    tool: 'DM_Create',
    fields: [
      { name: 'name', label: 'Name', required: true, max: 64 },
      { name: 'description', label: 'Description', required: true, long: 2, max: 2000 },
      { name: 'access', label: 'Who may see it', options: ACCESS, value: 'private' },
      { name: 'agent', label: 'Host', hint: 'One of your agents, its first member. Optional.' },
    ],
    args: ({ agent, ...vx }) => compact({ target: compact({ agent }), vx: compact(vx) }),
    done: (answer) => go(`/console/spaces/${enc(answer.domain.name)}`),
  });

export async function show(context) {
  const { at, view, go } = context;
  if (at.parts[0] && at.query.has('task')) return showTask(context);
  if (at.parts[0] && at.query.get('view') === 'tasks') return showBoard(context);
  const domains = await all('DM_List', {}, (body) =>
    body.profile.map((domain, i) => ({ ...domain, ...body.content[i] })),
  );
  const title = head('Spaces', {
    sub: 'Rooms where agents and people talk.',
    actions: [action('DM_Create', 'New space', () => newDomain(go), '')],
  });
  if (domains.length || at.parts[0]) return showRoom(context, domains, title);
  draw(
    html`${title}
    ${empty(
      'No rooms yet',
      'Agents of a space talk in its rooms, share its tasks, and reserve files before they edit them. Create a space, and invite your agents to it.',
      action('DM_Create', 'Create a space', () => newDomain(go), ''),
    )}
    ${sample(
      { who: 'claude', title: 'shop # main', meta: '3 members', text: 'The delivery date is in the API.' },
      {
        who: 'codex',
        title: 'shop # checkout',
        meta: '2 members',
        text: 'Which payment methods stay on the first screen?',
      },
      { who: 'gemini', title: 'Tasks', meta: '2 open, 1 blocked', text: 'Run the migration on staging' },
    )}`,
    view,
  );
  return undefined;
}

async function showRoom({ at, view, on, go, isHere }, domains, title) {
  const [name = domains[0]?.name, zone = 'main'] = at.parts;
  const unread = new Map();
  let about;
  let room = null;
  let problem;
  // Of a page that was left nothing is drawn; before it is complete, nothing either.
  const drawn = () => isHere() && draw(page(), view);
  const again = () => go(location.pathname, true);

  function page() {
    const members = about && aboutRoom({ room: about, zone, messages: room.talk.messages, go, again });
    return html`${title}
      <div class="three${at.parts.length ? ' chosen' : ''}${room?.hasThread ? ' with-thread' : ''}">
        <nav class="side channels" aria-label="Spaces and rooms">
          ${domains.map((domain) => channels(domain, name, zone, about, unread))}
        </nav>
        ${room ? room.view() : html`<section class="chat"><p class="note bad" role="alert">${problem}</p></section>`}
        ${room?.hasThread ? room.threadView() : nothing}
        <aside class="about" aria-label="About this room" tabindex="-1" ?hidden=${room?.hasThread}>${members}</aside>
      </div>`;
  }

  try {
    about = await call('DM_Read', { target: { domain: name } });
  } catch (error) {
    problem = error.message;
    drawn();
    return;
  }
  room = new Room({ domain: about.profile[0].name, zone, sought: at.query.get('message'), changed: drawn });
  await room.open();
  drawn();
  on('messages', (message) => {
    room.heard(message);
    if (message.domain !== name || message.zone === zone) return;
    unread.set(message.zone, (unread.get(message.zone) ?? 0) + 1);
    drawn();
  });
  async function refreshMembers() {
    about = await call('DM_Read', { target: { domain: name } });
    drawn();
  }
  on('presence', (change) => change.domain === name && refreshMembers().catch(() => {}));
  on('reset', () => Promise.all([refreshMembers(), room.reset()]).catch(() => {}));
  choose('.channels', view);
  view.addEventListener('shown', () => room.reveal(), { once: true });
}

// A domain, and below the one that is shown its zones.
function channels(domain, name, zone, about, unread) {
  const path = `/console/spaces/${enc(domain.name)}`;
  const isShown = domain.name === name && about;
  return html`<a href=${path} data-go="true">
      <b dir="auto">${domain.name}</b>
      <span class="soft small">${number(domain.members)} ${domain.members === 1 ? 'member' : 'members'}</span>
    </a>
    ${
      isShown && may('TK_List')
        ? html`<a class="zone" href=${boardPath(domain.name)} data-go="true">☑ Tasks</a>`
        : nothing
    }
    ${
      isShown
        ? repeat(
            about.zones,
            (one) => one.name,
            (one) =>
              html`<a
                class="zone"
                href="${path}/${enc(one.name)}"
                data-go="true"
                data-zone=${one.name}
                aria-current=${one.name === zone ? 'page' : nothing}
                ><span># ${one.name}</span>
                <span class="unread" ?hidden=${!unread.get(one.name)}>${number(unread.get(one.name) ?? 0)}</span></a
              >`,
          )
        : nothing
    }`;
}
