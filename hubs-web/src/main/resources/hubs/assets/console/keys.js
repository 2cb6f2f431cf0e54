// Keys: which there are and whose children, what each is used for, and making, narrowing, rotating and revoking them.
import { all } from './api.js';
import { create, invite, rotate } from './key-dialogs.js';
import { one } from './key-one.js';
import { html, nothing, action, ago, ask, back, choose, client, draw, empty, enc, head, number, tag } from './parts.js';

// Which key to rotate.
function chooseKey(keys, go) {
  const active = keys.filter((key) => key.state === 'active');
  const labels = Object.fromEntries(active.map((key) => [key.id, `${key.name} (${key.id})`]));
  return ask({
    title: 'Rotate key',
    verb: 'Continue',
    fields: [{ name: 'id', label: 'Key', options: active.map((key) => key.id), labels }],
    done: (_, { id }) => go(`/console/keys/${enc(id)}?rotate`),
  });
}

// What the address asks for, which is done once.
function begins(at, view, word, work) {
  if (!at.query.has(word)) return;
  const start = () => {
    history.replaceState(history.state, '', location.pathname);
    work();
  };
  view.addEventListener('shown', start, { once: true });
}

export async function show({ at, view, go, isHere }) {
  const keys = await all('AK_List', {}, (body) => body.keys);
  const [keyId] = at.parts;
  begins(at, view, 'invite', () => invite(go));
  if (!keyId) begins(at, view, 'rotate', () => chooseKey(keys, go));
  choose('.key-list', view);
  let isRead = false;
  const drawn = () => isHere() && isRead && draw(page(), view);
  const detail = keyId
    ? await one(keys, keyId, go, drawn)
    : () => html`<p class="soft pick">Select a key to see how it is used.</p>`;
  const chosen = keys.find((key) => key.id === keyId);
  if (chosen) begins(at, view, 'rotate', () => rotate(chosen, () => go(location.pathname, true)));
  isRead = true;
  const filter = { text: at.query.get('q') ?? '', hasEnded: at.query.has('ended') };
  const filtered = ({ currentTarget: form }) => {
    filter.text = form.elements.q.value;
    filter.hasEnded = form.elements.ended.checked;
    const query = new URLSearchParams({
      ...(filter.text && { q: filter.text }),
      ...(filter.hasEnded && { ended: '1' }),
    });
    history.replaceState(history.state, '', `${location.pathname}${query.size ? `?${query}` : ''}`);
    drawn();
  };
  drawn();

  // Those that match, and the one that is shown. What has ended is listed only if it is looked for.
  function listed() {
    const words = filter.text.toLowerCase().split(/\s+/).filter(Boolean);
    return keys.filter((key) => {
      if (key.id === keyId) return true;
      const text = [
        key.name,
        key.id,
        key.user,
        key.agent,
        key.environment,
        key.last_client,
        ...key.capabilities,
        ...(key.toolset ?? []),
      ];
      const all_ = text.filter(Boolean).join(' ').toLowerCase();
      return (filter.hasEnded || key.state === 'active') && words.every((word) => all_.includes(word));
    });
  }

  function filters(count) {
    const ended = keys.filter((key) => key.state !== 'active').length;
    return html`<form class="filters" role="search" @submit=${(event) => event.preventDefault()} @input=${filtered}>
      <input
        type="search"
        name="q"
        dir="auto"
        placeholder="Name, agent, capability"
        aria-label="Find keys"
        .value=${filter.text}
        maxlength="100"
      />
      <label class="check"
        ><input type="checkbox" name="ended" .checked=${filter.hasEnded} /> Revoked and expired
        (${number(ended)})</label
      >
      <span class="soft" role="status">${number(count)} of ${number(keys.length)} keys</span>
    </form>`;
  }

  function page() {
    const matching = listed();
    const title = head('Keys', {
      sub: 'Who has access, and with which capabilities.',
      actions: [
        action('AK_Create', 'New key', () => create(go), 'quiet'),
        action('AK_Invite', 'Invite an agent', () => invite(go), ''),
      ],
    });
    if (!keys.length)
      return html`${title}
      ${empty(
        'No keys that you manage',
        'Clients and agents authenticate with a key. A key can be limited to capabilities, bound to an agent, and given an expiry.',
        action('AK_Invite', 'Invite an agent', () => invite(go), ''),
      )}`;
    return html`${title} ${keyId ? back('/console/keys', 'All keys') : nothing} ${filters(matching.length)}
      <div class="split wide-side${keyId ? ' chosen' : ''}">
        <ul class="side key-list" aria-label="Keys">
          ${tree(matching).map(([key, depth]) => keyRow(key, depth, key.id === keyId))}
          ${matching.length ? nothing : html`<li class="soft pad">No key matches.</li>`}
        </ul>
        <div class="detail" tabindex="-1">${detail()}</div>
      </div>`;
  }
}

// Each key after its parent, with how deep it is below one that nobody here is the parent of.
function tree(keys) {
  const ids = new Set(keys.map((key) => key.id));
  const walk = (key, depth) => [
    [key, depth],
    ...keys.filter((other) => other.parent === key.id).flatMap((child) => walk(child, depth + 1)),
  ];
  return keys.filter((key) => !key.parent || !ids.has(key.parent)).flatMap((key) => walk(key, 0));
}

const allowances = ({ capabilities: words }) =>
  words.includes('*') ? 'everything' : words.length === 1 ? words[0] : `${words.length} capabilities`;

const keyRow = (key, depth, isChosen) =>
  html`<li>
    <a class="key-row" href="/console/keys/${enc(key.id)}" data-go="true" aria-current=${isChosen ? 'true' : nothing}
      ><span class="key-name d${Math.min(depth, 4)}"><b dir="auto">${key.name}</b><code>${key.id}</code></span>
      ${tag(key.state, key.state === 'active' ? 'reads' : 'destroys')}
      <span dir="auto" class="soft key-who">${key.agent ? `${key.user} as ${key.agent}` : key.user}</span>
      <span class="soft">${allowances(key)}</span>
      <span class="soft"
        >${key.last_used_at ? html`used ${ago(key.last_used_at)}` : 'never used'}${
          key.last_client ? ` by ${client(key.last_client)}` : ''
        }</span
      ></a
    >
  </li>`;
