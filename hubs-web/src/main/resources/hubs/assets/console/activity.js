// Activity: who did what, as a timeline, as the story of an agent's day, as CSV.
import { all, call, may } from './api.js';
import { avatar, client, clock, el, empty, given, head, number, tag } from './ui.js';
import { virtualList } from './virtual.js';

const VERBS = {
  AP_Create: 'created', AP_Update: 'updated', AP_Modify: 'changed', AP_Destroy: 'ended', AP_Chat: 'spoke in', AP_LogOn: 'logged on as', AP_LogOff: 'logged off', AP_Add: 'added', AP_Remove: 'removed', AP_Select: 'turned to',
  DM_Create: 'created', DM_Invite: 'invited into', DM_Kick: 'put out of', DM_Ban: 'banned from', DM_Unban: 'unbanned in', ZN_Create: 'created', ZN_Enter: 'entered', ZN_Leave: 'left',
  MB_Create: 'created', MB_Store: 'remembered something in', MB_Load: 'loaded', MB_Permissions: 'set permissions of', MB_Censor: 'censored', MB_Delete: 'put in the trash', MB_Restore: 'restored', MB_Destroy: 'destroyed',
  WH_Create: 'created', WH_Update: 'changed', WH_Delete: 'deleted', WH_Test: 'sent a test to', WH_RotateSecret: 'rotated the secret of', DC_Submit: 'handed in', DC_Delete: 'deleted', RL_Create: 'wrote', RL_Update: 'changed', RL_Delete: 'deleted', SK_Install: 'installed', US_Create: 'added', US_Update: 'changed', US_Remove: 'removed',
  AK_Create: 'made', AK_Rotate: 'rotated', AK_Revoke: 'revoked', AK_Update: 'changed', 'session.start': 'signed in', 'session.end': 'signed out',
};

const sentence = (entry) => [el('b', {}, entry.agent ?? entry.user), entry.agent ? el('span', { class: 'soft' }, ` for ${entry.user}`) : null, ` ${entry.result === 'done' || entry.target ? VERBS[entry.tool] ?? entry.tool : `called ${entry.tool}`} `, entry.target_kind !== 'session' && (entry.target ?? entry.target_id) ? el('span', { class: 'thing' }, `${entry.target_kind === 'agent' ? '' : `${entry.target_kind} `}${entry.target ?? entry.target_id}`) : null,
  entry.member ? el('span', { class: 'soft' }, ` (${entry.member})`) : null].filter(Boolean);

export async function show({ at, view, on, isHere }) {
  const inputs = Object.fromEntries([['user', 'Person'], ['agent', 'Agent'], ['tool', 'Tool'], ['target', 'Thing, kind:name']].map(([name, label]) => [name, el('input', { type: 'search', name, placeholder: label, 'aria-label': label, value: at.query.get(name) })]));
  const result = el('select', { name: 'result', 'aria-label': 'Result' }, ...[['', 'every result'], ['done', 'done'], ['refused', 'refused']].map(([value, label]) => el('option', { value, selected: value === at.query.get('result') }, label)));
  const day = el('input', { type: 'date', name: 'day', 'aria-label': 'Day', value: at.query.get('day') });
  // The service filters by all but the agent.
  const agent = () => inputs.agent.value.trim().toLowerCase();
  const fits = (entry) => !agent() || (entry.agent ?? '').toLowerCase() === agent();
  const filter = () => {
    const of = day.value ? { since: new Date(`${day.value}T00:00:00`).toISOString(), until: new Date(Date.parse(`${day.value}T00:00:00`) + 86_400_000).toISOString() } : {};
    return given({ ...Object.fromEntries(Object.entries(inputs).filter(([name]) => name !== 'agent').map(([name, input]) => [name, input.value.trim()])), result: result.value, ...of });
  };
  const exported = el('button', { type: 'button', class: 'quiet', click: () => csv(filter(), fits) }, 'Export as CSV');
  const story = el('button', { type: 'button', class: 'quiet', click: () => tell() }, 'As a story');
  view.append(head('Activity', { sub: 'Who did what to which thing, and the result, but never the content.', actions: may('AC_Audit') ? [story, exported] : [] }));
  if (!may('AC_Audit')) {
    view.append(empty('For admins', 'The audit covers everybody in the tenant. The first page shows what happens around you.', el('a', { class: 'button quiet', href: '/console/world' }, 'World')));
    return;
  }
  const place = el('div', { class: 'timeline' });
  view.append(el('form', { class: 'filters', role: 'search', submit: (event) => event.preventDefault() }, ...Object.values(inputs), result, day), place);

  function row(entry) {
    return el('div', { class: 'entry-row' }, avatar(entry.agent ?? entry.user, { kind: entry.agent ? 'agent' : 'user' }), el('span', { class: 'clip' }, ...sentence(entry)),
      entry.result === 'done' ? null : tag(entry.result, 'destroys'), el('span', { class: 'soft where clip' }, [entry.door, client(entry.client), entry.key_name].filter(Boolean).join(' · ')), el('code', { class: 'tool' }, entry.tool), clock(entry.at));
  }
  let list;
  function listing() {
    let cursor;
    const wanted = filter();
    list = virtualList({ height: 46, row, label: 'What happened', empty: () => el('p', { class: 'soft pad' }, 'Nothing happened that fits.'), more: async () => {
      const body = await call('AC_Audit', { ...wanted, page: given({ limit: 200, cursor }) });
      cursor = body.next_cursor;
      return { items: body.entries.filter(fits), more: Boolean(cursor) };
    } });
    place.replaceChildren(list.element);
    const query = new URLSearchParams(given({ ...Object.fromEntries(Object.entries(inputs).map(([name, input]) => [name, input.value.trim()])), result: result.value, day: day.value }));
    history.replaceState(null, '', `/console/activity${query.size ? `?${query}` : ''}`);
  }
  async function tell() {
    story.disabled = true;
    const wanted = filter();
    const entries = (await all('AC_Audit', wanted.since ? wanted : { ...wanted, since: new Date(new Date().setHours(0, 0, 0, 0)).toISOString() }, (body) => body.entries, 10)).filter(fits).reverse();
    story.disabled = false;
    const byHour = new Map();
    for (const entry of entries) {
      const hour = new Date(entry.at).toLocaleTimeString([], { hour: '2-digit', minute: '2-digit' }).slice(0, 2);
      const said = `${entry.agent ?? entry.user}\n${entry.tool}\n${entry.target ?? ''}\n${entry.result}`;
      const group = byHour.get(hour) ?? new Map();
      const known = group.get(said);
      group.set(said, known ? { ...known, times: known.times + 1 } : { entry, times: 1 });
      byHour.set(hour, group);
    }
    const chapters = [...byHour].map(([hour, group]) => el('section', {}, el('h2', {}, `${hour}:00`), el('p', {}, ...[...group.values()].flatMap(({ entry, times }) => [...sentence(entry), times > 1 ? `, ${number(times)} times` : '', entry.result === 'done' ? '. ' : `, which was refused (${entry.result}). `]))));
    place.replaceChildren(el('article', { class: 'story' }, el('p', { class: 'soft' }, `${number(entries.length)} entries${agent() ? ` of ${inputs.agent.value.trim()}` : wanted.user ? ` of ${wanted.user}` : ''}${wanted.since ? '' : ' today'}. `, el('button', { type: 'button', class: 'quiet', click: listing }, 'Back to the list')), ...(chapters.length ? chapters : [el('p', {}, 'Nothing happened.')])));
  }
  let waiting;
  for (const input of [...Object.values(inputs), result, day]) {
    input.addEventListener('input', () => {
      clearTimeout(waiting);
      waiting = setTimeout(listing, 300);
    });
  }
  listing();
  if (at.query.has('story')) await tell();
  on('audit', (entry) => {
    if (isHere() && place.contains(list.element) && Object.keys(filter()).length === 0 && fits(entry)) list.unshift(entry);
  });
}

async function csv(filter, fits) {
  const entries = (await all('AC_Audit', filter, (body) => body.entries, 50)).filter(fits);
  const columns = ['at', 'user', 'agent', 'tool', 'target_kind', 'target', 'target_id', 'result', 'door', 'client', 'key_name', 'request_id'];
  // A leading sign that a spreadsheet would run as a formula is made text.
  const cell = (value) => `"${String(value ?? '').replace(/^[=+\-@\t\r]/, "'$&").replaceAll('"', '""')}"`;
  const text = [columns.join(','), ...entries.map((entry) => columns.map((name) => cell(entry[name])).join(','))].join('\r\n');
  const anchor = el('a', { href: URL.createObjectURL(new Blob([text], { type: 'text/csv' })), download: 'activity.csv' });
  anchor.click();
  setTimeout(() => URL.revokeObjectURL(anchor.href), 1000);
}
