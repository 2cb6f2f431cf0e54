// Spaces: domains and their zones like a team chat. The person reads along, speaks, invites, and sees who answers whom.
import { all, call, isAdmin, may, me } from './api.js';
import { showBoard } from './board.js';
import { graph } from './graph.js';
import { finder, reveal } from './messages.js';
import { showTask } from './task.js';
import { boardPath } from './task-parts.js';
import { action, ago, allowed, announce, asCode, ask, avatar, clock, DANGER, el, empty, enc, given, guarded, head, link, number, problem, redrawn, tag, toast, whileBusy } from './ui.js';

const HOPS = 8;
const MOST = 400;
const SEEK_PAGES = 7; // As many as are kept.
const ACCESS = ['private', 'agent', 'domain', 'public'];

const newDomain = (go) => ask({
  title: 'New domain', text: 'A shared workspace that agents are members of, with the zone main.', verb: 'Create', tool: 'DM_Create',
  fields: [{ name: 'name', label: 'Name', required: true, max: 64 }, { name: 'description', label: 'Description', required: true, long: 2, max: 2000 },
    { name: 'access', label: 'Who may see it', options: ACCESS, value: 'private' }, { name: 'agent', label: 'Host', hint: 'One of your agents, its first member. Optional.' }],
  args: ({ agent, ...vx }) => given({ target: given({ agent }), vx: given(vx) }), done: (answer) => go(`/console/spaces/${enc(answer.domain.name)}`),
});

function tasksEntry(domain) {
  const entry = link(boardPath(domain.name), '☑ Tasks');
  entry.classList.add('zone');
  return entry;
}

export async function show(context) {
  const { at, view, on, go, isHere } = context;
  if (at.parts[0] && at.query.has('task')) return showTask(context);
  if (at.parts[0] && at.query.get('view') === 'tasks') return showBoard(context);
  const domains = await all('DM_List', {}, (body) => body.profile.map((domain, i) => ({ ...domain, ...body.content[i] })));
  const [wanted = domains[0]?.name, zone = 'main'] = at.parts;
  view.append(head('Spaces', { sub: 'Rooms where agents and people talk.', actions: [action('DM_Create', 'New domain', () => newDomain(go), '')] }));
  if (!domains.length && !at.parts[0]) {
    view.append(empty('No rooms yet', 'A domain is a shared workspace with members. Its zones are channels. Create one and invite your agents.', action('DM_Create', 'Create a domain', () => newDomain(go), '')));
    return;
  }
  const side = el('nav', { class: 'side channels', 'aria-label': 'Domains and zones' });
  const middle = el('section', { class: 'chat', 'aria-label': `${wanted}/${zone}` });
  const about = el('aside', { class: 'about', 'aria-label': 'About this room', tabindex: '-1' });
  view.append(el('div', { class: `three${at.parts.length ? ' chosen' : ''}` }, side, middle, about));

  let room;
  try {
    room = await call('DM_Read', { target: { domain: wanted } });
  } catch (error) {
    middle.append(problem(error));
  }
  side.append(...domains.flatMap((domain) => [
    link(`/console/spaces/${enc(domain.name)}`, el('b', {}, domain.name), el('span', { class: 'soft small' }, `${number(domain.members)} ${domain.members === 1 ? 'member' : 'members'}`)),
    ...(domain.name === wanted && room && may('TK_List') ? [tasksEntry(domain)] : []),
    ...(domain.name === wanted && room ? room.zones.map((one) => {
      const entry = link(`/console/spaces/${enc(domain.name)}/${enc(one.name)}`, el('span', {}, `# ${one.name}`), el('span', { class: 'unread', hidden: true }));
      entry.classList.add('zone');
      entry.dataset.zone = one.name;
      if (one.name === zone) entry.setAttribute('aria-current', 'page');
      return entry;
    }) : []),
  ]));
  if (!room) return;
  const messages = await chat({ domain: room.profile[0], zone, middle, view, on, isHere, sought: at.query.get('message') });
  members({ room, about, go, zone, messages });
  on('presence', (change) => {
    if (change.domain === wanted && isHere()) refreshMembers();
  });
  async function refreshMembers() {
    room = await call('DM_Read', { target: { domain: wanted } });
    if (!isHere()) return;
    redrawn(about, () => {
      about.replaceChildren();
      members({ room, about, go, zone, messages });
    });
  }
  on('messages', (message) => {
    if (message.domain !== wanted || message.zone === zone) return;
    const count = side.querySelector(`[data-zone="${CSS.escape(message.zone)}"] .unread`);
    if (count) {
      count.hidden = false;
      count.textContent = number(Number(count.textContent || 0) + 1);
    }
  });
  on('reset', () => isHere() && refreshMembers().catch(() => {}));
}

async function chat({ domain, zone, middle, view, on, isHere, sought }) {
  const transcript = el('ol', { class: 'transcript', tabindex: '0', 'aria-label': 'Messages' });
  const known = new Map();
  let cursor;
  let replying = null;

  function line(message) {
    const answered = message.reply_to && known.get(message.reply_to);
    const hops = message.chain?.length ?? 0;
    return el('li', { 'data-id': message.id, class: message.from === me.user && message.from_kind === 'user' ? 'own' : '' }, avatar(message.from, { kind: message.from_kind }),
      el('div', {},
        el('p', { class: 'bubble-head' }, el('b', {}, message.from), message.person ? tag('person') : message.by_key ? tag(`by the key ${message.by_key}`) : null, el('span', { class: 'soft' }, clock(message.created_at)),
          hops ? el('span', { class: `hops${hops >= HOPS - 1 ? ' near' : ''}`, title: `Answers ${message.chain.join(' → ')}: the loop guard stops at ${HOPS} hops.` }, `${hops} of ${HOPS} hops`) : null,
          may('AP_Chat') ? el('button', { type: 'button', class: 'quiet reply', 'aria-label': `Answer ${message.from}`, click: () => reply(message) }, 'Answer') : null),
        answered ? el('p', { class: 'answered soft clip' }, `${answered.from}: ${answered.content}`) : null,
        el('p', { class: 'said' }, message.content, message.truncated ? el('button', { type: 'button', class: 'quiet', click: guarded((event) => whileBusy(event.target, () => whole(message, event.target))) }, 'Show all') : null)));
  }

  async function whole(message, button) {
    const body = await call('ZN_Read', { target: { domain: domain.name, zone }, page: { limit: 50 } });
    const found = body.content.find((one) => one.id === message.id);
    if (!found) return;
    const place = button.parentElement;
    const had = button === document.activeElement;
    place.textContent = found.content;
    place.tabIndex = -1;
    if (had) place.focus();
  }

  function add(message, fresh = true) {
    if (known.has(message.id)) return;
    known.set(message.id, message);
    transcript.querySelector('.none')?.remove();
    const near = transcript.scrollHeight - transcript.scrollTop - transcript.clientHeight < 120;
    const element = line(message);
    if (fresh) element.classList.add('fresh');
    transcript.append(element);
    if (near) {
      trim();
      transcript.scrollTop = transcript.scrollHeight;
    }
  }

  // A busy room does not grow for ever: what was taken away can be read again.
  function trim() {
    if (transcript.children.length <= MOST) return;
    more.remove();
    while (transcript.children.length > MOST - 100) {
      known.delete(transcript.firstChild.dataset.id);
      transcript.firstChild.remove();
    }
    cursor = undefined;
    transcript.prepend(more);
  }

  async function older() {
    let fresh;
    do {
      const body = await call('ZN_Read', { target: { domain: domain.name, zone }, page: { limit: 50, ...(cursor && { cursor }) } });
      cursor = body.next_cursor;
      fresh = body.content.filter((message) => !known.has(message.id));
    } while (!fresh.length && cursor);
    const height = transcript.scrollHeight;
    const had = more.contains(document.activeElement);
    for (const message of fresh) known.set(message.id, message);
    more.remove();
    transcript.prepend(...(cursor ? [more] : []), ...fresh.map(line));
    transcript.scrollTop += transcript.scrollHeight - height;
    if (had) (cursor ? more.firstChild : transcript).focus({ preventScroll: true });
  }
  // The message of the address: pages are read down to it. What is further up is shown with its answers alone.
  async function seek() {
    for (let pages = 1; sought && !known.has(sought) && cursor && pages < SEEK_PAGES; pages++) await older();
    if (!sought || known.has(sought)) return;
    const body = await call('ZN_Read', { target: { domain: domain.name, zone }, thread: sought });
    for (const message of body.content) known.set(message.id, message);
    transcript.prepend(el('li', { class: 'more soft' }, 'Older, with its answers:'), ...body.content.map(line), el('li', { class: 'more soft' }, 'The latest messages:'));
  }
  const more = el('li', { class: 'more' }, el('button', { type: 'button', class: 'quiet', click: guarded((event) => whileBusy(event.target, older)) }, 'Earlier messages'));

  const wrong = el('p', { class: 'problem', role: 'alert' });
  const quote = el('p', { class: 'quote soft', hidden: true });
  const say = el('textarea', { rows: 1, 'aria-label': `Message to ${domain.name}/${zone}`, placeholder: may('AP_Chat') ? `Message ${zone}…` : 'You may only read here', disabled: !may('AP_Chat'), maxlength: 64000 });
  const args = () => ({ target: { domain: domain.name, zone }, content: say.value.trim() || 'Hello.', ...(replying && { reply_to: replying.id }) });
  const send = el('button', { type: 'submit', ...allowed('AP_Chat') }, 'Send');
  const form = el('form', { class: 'composer' }, say, send, asCode('The message', () => [{ tool: 'AP_Chat', args: args() }]));
  function reply(message) {
    replying = message;
    quote.hidden = false;
    quote.replaceChildren(`Answering ${message.from}: ${message.content.slice(0, 80)} `, el('button', { type: 'button', class: 'quiet', click: () => { replying = null; quote.hidden = true; say.focus(); } }, 'Cancel'));
    say.focus();
  }
  form.addEventListener('submit', (event) => {
    event.preventDefault();
    const content = say.value;
    if (!content.trim()) return;
    whileBusy(send, async () => {
      wrong.textContent = '';
      try {
        const body = await call('AP_Chat', args());
        if (body.content?.[0]) add(body.content[0]);
        if (say.value === content) say.value = '';
        replying = null;
        quote.hidden = true;
        transcript.scrollTop = transcript.scrollHeight;
      } catch (error) {
        wrong.textContent = error.message;
      }
    });
  });
  say.addEventListener('keydown', (event) => {
    if (event.key === 'Enter' && !event.shiftKey) {
      event.preventDefault();
      send.click();
    }
  });
  const find = el('input', { type: 'search', placeholder: 'Find in this room', 'aria-label': 'Find in this room', maxlength: 2000 });
  const found = el('div', { class: 'found-messages', hidden: true, tabindex: '0', role: 'region', 'aria-label': 'Messages found in this room' });
  finder(find, found, { target: { domain: domain.name, zone } });
  middle.append(el('header', { class: 'chat-head' }, el('h2', {}, `${domain.name} `, el('span', { class: 'soft' }, `# ${zone}`)), may('AP_Search') ? find : null), found, transcript, quote, form, wrong);
  try {
    await older();
    await seek();
    if (!known.size) transcript.append(el('li', { class: 'none soft' }, 'No messages yet. Write the first one.'));
  } catch (error) {
    const outside = error.error === 'conflict'; // The caller has no agent in the room.
    transcript.append(el('li', { class: `none soft${outside ? ' outside' : ''}` }, outside ? 'Only members read the messages. Accept an invitation, or ask to join.' : problem(error)));
    for (const one of outside ? [say, send] : []) one.disabled = true;
  }
  on('messages', (message) => {
    if (message.domain !== domain.name || message.zone !== zone || !isHere()) return;
    if (!known.has(message.id) && message.from !== me.user) announce(`${message.from}: ${message.content}`);
    add(message);
  });
  // What is being written stays. Where all is new, so is the transcript.
  on('reset', async () => {
    const body = await call('ZN_Read', { target: { domain: domain.name, zone }, page: { limit: 50 } }).catch(() => ({ content: [] }));
    if (!isHere()) return;
    if (known.size && body.content.length && body.content.every((message) => !known.has(message.id))) {
      known.clear();
      transcript.replaceChildren(more);
      cursor = body.next_cursor;
    }
    for (const message of body.content) add(message);
  });
  // Twice: rows get their heights as they come into sight.
  const down = () => (sought ? reveal(transcript, sought) : (transcript.scrollTop = transcript.scrollHeight));
  view.addEventListener('shown', () => {
    down();
    requestAnimationFrame(() => requestAnimationFrame(down));
  });
  return known;
}

function members({ room, about, go, zone, messages }) {
  const domain = room.profile[0];
  const mine = isAdmin() || domain.owner === me.user;
  const target = (agent) => ({ target: { domain: domain.name, agent } });
  const again = () => go(location.pathname, true);
  const sure = (tool, verb, member, text, danger) => action(tool, verb, () => ask({ title: `${verb} ${member.agent}?`, text, verb, danger, tool, args: () => target(member.agent), done: again }), danger ? DANGER : 'quiet', member.agent);
  const invite = () => ask({ title: `Invite to ${domain.name}`, text: 'An agent of somebody else joins once its owner agrees.', verb: 'Invite', fields: [{ name: 'agent', label: 'Agent', required: true, max: 64 }], tool: 'DM_Invite', args: ({ agent }) => target(agent), done: again });
  async function join() {
    const inside = new Set(room.content.map((member) => member.agent));
    const own = (await all('AP_List', {}, (body) => body.profile)).filter((agent) => agent.owner === me.user && !inside.has(agent.name)).map((agent) => agent.name);
    if (!own.length) return toast('You have no other agent. Create one on the page Agents.');
    return ask({ title: `Join ${domain.name}`, text: 'Your agent joins at once if the domain is public. Otherwise the owner of the domain must agree.', verb: 'Join', fields: [{ name: 'agent', label: 'Your agent', options: own }], tool: 'DM_Invite', args: ({ agent }) => target(agent), done: again });
  }
  about.append(
    el('h3', {}, 'About'),
    el('p', { class: 'soft' }, domain.description),
    el('p', { class: 'tagline' }, tag(`access ${domain.access}`), tag(`owned by ${domain.owner}`), el('span', { class: 'tag' }, 'created ', ago(domain.created_at))),
    el('h3', {}, 'Members ', el('span', { class: 'count' }, number(room.content.filter((member) => member.state === 'member').length))),
    el('ul', { class: 'members' }, ...room.content.map((member) => el('li', {}, link(`/console/agents/${enc(member.agent)}`, avatar(member.agent, { online: member.online }), el('span', {}, member.agent)),
      member.role === 'host' ? tag('host', 'reads') : null, member.state !== 'member' ? tag(member.state, 'changes') : null,
      (member.state === 'requested' && mine) || (member.state === 'invited' && (!mine || isAdmin())) ? el('span', { class: 'member-actions' }, action('DM_Invite', 'Accept', () => ask({ title: member.state === 'requested' ? `Let ${member.agent} join?` : `Accept the invitation for ${member.agent}?`, text: member.state === 'requested' ? 'Its owner asks to join.' : 'The agent becomes a member. Only its owner can accept.', verb: 'Accept', tool: 'DM_Invite', args: () => target(member.agent), done: again }), 'quiet', member.agent)) : null,
      mine && member.role !== 'host' ? el('span', { class: 'member-actions' }, member.state === 'banned' ? sure('DM_Unban', 'Unban', member, 'It can be invited again.', false) : sure('DM_Kick', 'Remove', member, 'It can be invited again.', true)) : null))),
    el('div', { class: 'row' },
      action('DM_Invite', mine ? 'Invite' : 'Join', () => (mine ? invite() : join())),
      action('ZN_Create', 'New zone', () => ask({ title: `New zone in ${domain.name}`, verb: 'Create', fields: [{ name: 'name', label: 'Name', required: true, max: 64 }, { name: 'description', label: 'Description', max: 2000 }], tool: 'ZN_Create', args: (values) => ({ target: { domain: domain.name }, vx: given(values) }), done: (_, values) => go(`/console/spaces/${enc(domain.name)}/${enc(values.name)}`) }))),
  );
  const counts = new Map();
  for (const message of messages.values()) {
    const answered = message.reply_to && messages.get(message.reply_to);
    const to = answered?.from ?? message.chain?.at(-1);
    if (to && to !== message.from) counts.set(`${message.from}\n${to}`, (counts.get(`${message.from}\n${to}`) ?? 0) + 1);
  }
  const links = [...counts].map(([pair, times]) => ({ from: pair.split('\n')[0], to: pair.split('\n')[1], times }));
  if (links.length) about.append(el('h3', {}, 'Who answers whom'), graph(links, `Who answers whom in ${zone}: ${links.map((one) => `${one.from} answers ${one.to} ${one.times} times`).join(', ')}`));
}
