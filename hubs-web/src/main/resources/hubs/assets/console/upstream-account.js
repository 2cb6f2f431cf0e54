// The account of one's own at an upstream server: it is connected in this browser, and disconnected.
import { call, isAdmin, may, request } from './api.js';
import { action, ago, button, DANGER, draw, enc, head, html, nothing, toast, whileBusy } from './parts.js';

export async function account({ at, view, isHere }) {
  const [name] = at.parts;
  const path = `/api/mcp/upstreams/${enc(name)}/connect`;
  const connect = ({ currentTarget }) =>
    whileBusy(currentTarget, async () => {
      const { authorize_url: url } = await request(path, 'POST');
      location.assign(url);
    });
  const disconnect = ({ currentTarget }) =>
    whileBusy(currentTarget, async () => {
      const { revoked } = await request(path, 'DELETE');
      toast(
        revoked ? 'Disconnected, and revoked there.' : 'Disconnected. Revoke the access in your account there, too.',
      );
      await again();
    });
  const refresh = ({ currentTarget }) =>
    whileBusy(currentTarget, async () => {
      const { upstream } = await call('UP_Refresh', { name });
      toast(upstream.failing_since ? upstream.last_error : 'Its tools were read.');
    });
  async function again() {
    const found = await request(path);
    if (!isHere()) return;
    draw(
      html`${head('Connect', { sub: `Your own account at the server ${name}.` })}
        <section class="panel account-panel">
          <p dir="auto" class="breaks"><b>${name}</b> <span class="soft">${found.url}</span></p>
          ${
            found.connected
              ? html`<p>
                  Your account was connected ${ago(found.connected_at)}. Your agents can use the server with it.
                </p>`
              : html`<p>
                  Your agents use this server with an account of yours. You sign in there and come back here. The engine
                  encrypts the tokens it gets, and uses them only for you.
                </p>`
          }
          <p class="row">
            ${button(found.connected ? 'Connect again' : 'Connect', connect, { kind: found.connected ? 'quiet' : '' })}
            ${found.connected ? button('Disconnect', disconnect, { kind: DANGER }) : nothing}
            ${found.connected && isAdmin() && may('UP_Refresh') ? action('UP_Refresh', 'Read its tools', refresh) : nothing}
          </p>
        </section>`,
      view,
    );
  }
  await again();
}
