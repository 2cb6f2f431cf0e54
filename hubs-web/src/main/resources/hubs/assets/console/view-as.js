// The console as a key would find it: what the key may not do is greyed out. What is shown stays what you may see.
import { me } from './api.js';
import { enc, html, link } from './parts.js';

const KEPT = 'engine-view-as';

export function begin(key, go) {
  sessionStorage.setItem(
    KEPT,
    JSON.stringify({
      id: key.id,
      name: key.name,
      capabilities: key.capabilities,
      user: key.user,
      readOnly: key.toolset?.includes?.('readonly') ?? false,
    }),
  );
  apply();
  go('/console/world');
}

export function end(go) {
  sessionStorage.removeItem(KEPT);
  apply();
  go(location.pathname + location.search, true);
}

const read = () => {
  try {
    return JSON.parse(sessionStorage.getItem(KEPT));
  } catch {
    return null;
  }
};

function allows(key, tool) {
  if (key.readOnly && tool.effect !== 'reads') return false;
  return key.capabilities.includes('*') || key.capabilities.includes(tool.capability);
}

// Narrows what the page offers; the rights of the session stay as they are.
export function apply() {
  const key = read();
  me.viewing = key;
  me.tools = new Set((me.all ?? []).filter((tool) => !key || allows(key, tool)).map((tool) => tool.name));
}

export function banner(go) {
  const key = me.viewing;
  if (!key) return null;
  return html`<div class="viewing" role="status">
    <span
      >You see what the key ${link(`/console/keys/${enc(key.id)}`, key.name)} may do: ${me.tools.size} of your
      ${me.all.length} tools. The rest is greyed out.</span
    ><button type="button" class="quiet" @click=${() => end(go)}>Stop</button>
  </div>`;
}
