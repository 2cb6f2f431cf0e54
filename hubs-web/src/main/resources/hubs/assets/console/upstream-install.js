// Installing another MCP server: where it is, how the engine signs in there, and what it offers.
import { ask as send } from './api.js';
import { action, asCode, el, enc, compact, guarded, html, nothing, number, render, toast, whileBusy } from './parts.js';

const SECRETS = ['value', 'client_secret'];

let fields = 0;
function field(label, input, hint) {
  const id = `upstream-field-${++fields}`;
  input.id = id;
  if (hint) input.setAttribute('aria-describedby', `${id}-hint`);
  return html`<div class="field">
    <label for=${id}>${label}</label>${input}${hint ? html`<p class="hint" id="${id}-hint">${hint}</p>` : nothing}
  </div>`;
}
const input = (name, more = {}) =>
  el('input', { name, type: 'text', autocomplete: 'off', spellcheck: 'false', ...more });

// The form to install a server, after a look at what it offers.
export function install(go) {
  const names = {
    none: 'none',
    header: 'a header',
    client_credentials: 'OAuth client credentials',
    token_exchange: 'OAuth token exchange, for the calling user',
    id_jag: 'OAuth with an ID-JAG, for the calling user',
    user_oauth: 'an account that each user connects',
  };
  const kind = el(
    'select',
    { name: 'kind' },
    ...Object.entries(names).map(([value, label]) => el('option', { value }, label)),
  );
  const oauth = () => [
    field('Token URL', input('token_url', { type: 'url' })),
    field('Client id', input('client_id')),
    field('Client secret', input('client_secret', { type: 'password' })),
    field('Scope', input('scope')),
  ];
  const parts = {
    header: [
      field('Header', input('header', { value: 'Authorization' })),
      field(
        'Value',
        input('value', { type: 'password' }),
        'It is encrypted, never shown, and sent only to this server.',
      ),
    ],
    client_credentials: oauth(),
    token_exchange: oauth(),
    user_oauth: [
      field('Client id', input('client_id'), 'Only if the engine cannot register itself there.'),
      field('Client secret', input('client_secret', { type: 'password' })),
      field('Issuer', input('audience'), 'The only one that gets the client secret.'),
      field('Scope', input('scope'), 'Default: what the server requests.'),
    ],
    id_jag: [...oauth(), field('Issuer', input('audience'), 'That the token URL belongs to. Default: its origin.')],
  };
  const more = el('div', {});
  const offer = el('div', { class: 'offer', role: 'status' });
  const wrong = el('p', { class: 'problem', role: 'alert' });
  kind.addEventListener('change', () => render(parts[kind.value] ?? nothing, more));
  const args = (form) => {
    const { kind: chosen, name, url, ...credential } = Object.fromEntries(new FormData(form));
    return {
      name: name.trim(),
      url: url.trim(),
      ...(chosen === 'none' ? {} : { credential: { kind: chosen, ...compact(credential) } }),
    };
  };
  // These calls are not kept among those of the page: they have a secret.
  const run = (pressed, work) =>
    whileBusy(pressed, async () => {
      wrong.textContent = '';
      try {
        await work();
      } catch (error) {
        wrong.textContent = error.message;
      }
    });
  let turn = 0; // An offer is that of the form as it is.
  const changed = () => {
    turn += 1;
    render(nothing, offer);
  };
  const probe = ({ currentTarget }) => {
    const { form } = currentTarget;
    if (!form.reportValidity()) return undefined;
    return run(currentTarget, async () => {
      const mine = ++turn;
      render(html`<p class="soft">Asking the server…</p>`, offer);
      try {
        const { upstream } = await send('UP_Install', { ...args(form), dry_run: true });
        if (mine === turn) render(offered(upstream), offer);
      } catch (error) {
        render(nothing, offer);
        throw error;
      }
    });
  };
  const submit = guarded((event) => {
    event.preventDefault();
    const form = event.currentTarget;
    return run(form.querySelector('[type="submit"]'), async () => {
      const { upstream } = await send('UP_Install', args(form));
      toast(`Installed. ${number(upstream.counts.held)} tools wait for approval.`);
      const isOwn = upstream.credential.kind === 'user_oauth';
      go(`/console/upstreams/${enc(upstream.name)}${isOwn ? '/connect' : ''}`);
    });
  });
  const name = input('name', { required: true, maxlength: 20, pattern: '[a-z0-9][a-z0-9\\-]{0,19}' });
  return html`<h2>Install a server</h2>
    <form class="panel upstream-form" @submit=${submit} @input=${changed}>
      ${field('Name', name, 'It begins the names of its tools: github gives github_create_issue.')}
      ${field('URL', input('url', { type: 'url', required: true }), 'Of its MCP endpoint, over Streamable HTTP.')}
      ${field('Credential', kind)} ${more} ${wrong}
      <div class="row">
        ${action('UP_Install', 'Show what it offers', probe)}
        <button type="submit">Install</button>
        ${asCode('Installing', () => [{ tool: 'UP_Install', args: hidden(args(name.form)) }])}
      </div>
    </form>
    ${offer}`;
}

function hidden(args) {
  if (!args.credential) return args;
  return {
    ...args,
    credential: Object.fromEntries(
      Object.entries(args.credential).map(([name, value]) => [name, SECRETS.includes(name) ? '…' : value]),
    ),
  };
}

function offered(upstream) {
  if (upstream.last_error)
    return [
      html`<p class="note bad">
        It does not answer: ${upstream.last_error}. You can install it nevertheless, and read its tools later.
      </p>`,
    ];
  return [
    html`<h3>It offers ${number(upstream.tools.length)} ${upstream.tools.length === 1 ? 'tool' : 'tools'}</h3>`,
    html`<p class="soft">It speaks MCP ${upstream.era}. Nothing is installed yet.</p>`,
    html`<ul class="held-tools">
      ${upstream.tools.map(
        (tool) =>
          html`<li class="panel">
            <h4 class="breaks"><code>${tool.name}</code></h4>
            <p dir="auto" class="breaks">${tool.description || 'Without a description.'}</p>
            ${tool.reason === 'it is new' ? nothing : html`<p dir="auto" class="note">${tool.reason}</p>`}
          </li>`,
      )}
    </ul>`,
  ];
}
