// Adds the header in ADD_HEADER ("Name: value") to every request that this Node.js process sends: the referee has no
// option for a credential. Loaded with NODE_OPTIONS=--import.
import channels from 'node:diagnostics_channel';

const [name, ...rest] = (process.env.ADD_HEADER ?? '').split(':');
const value = rest.join(':').trim();
if (value) {
  channels.subscribe('undici:request:create', ({ request }) => request.addHeader(name.trim(), value));
  channels.subscribe('http.client.request.created', ({ request }) => {
    if (!request.headersSent) request.setHeader(name.trim(), value);
  });
}
