import { createHmac, timingSafeEqual } from "node:crypto";
import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";

const secret = (process.env.WEBHOOK_SECRET ?? "").trim();
const maxBody = 1 << 20;
const seen = new Set<string>(); // In production, use a table with a unique id.

/** Returns whether one of the signatures matches the raw body and is at most 300 seconds old. */
function verify(header: string, body: Buffer): boolean {
  const parts = header.split(",").map((part) => part.trim().split("="));
  const times = parts.filter(([name]) => name === "t").map(([, value]) => value);
  const time = times[0] ?? "";
  if (times.length !== 1 || !/^[0-9]+$/.test(time) || Math.abs(Date.now() / 1000 - Number(time)) > 300) return false;
  const expected = createHmac("sha256", secret).update(time + ".").update(body).digest();
  return parts
    .filter(([name, value]) => name === "v1" && /^[0-9a-f]{64}$/.test(value ?? ""))
    .some(([, value]) => timingSafeEqual(expected, Buffer.from(value ?? "", "hex")));
}

async function read(request: IncomingMessage): Promise<Buffer | undefined> {
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of request) {
    length += chunk.length;
    if (length > maxBody) return undefined;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

const server = createServer(async (request, response) => {
  const body = await read(request);
  if (!body) return response.writeHead(413).end();
  if (!verify(String(request.headers["x-service-signature"] ?? ""), body)) return response.writeHead(400).end();
  const event: { id: string; type: string; data: object } = JSON.parse(body.toString("utf8"));
  if (!seen.has(event.id)) {
    seen.add(event.id);
    console.log(event.type, JSON.stringify(event.data)); // Queue it here; do the work elsewhere.
  }
  response.writeHead(200).end();
});
server.listen(Number(process.env.PORT ?? 8000), "127.0.0.1", () =>
  console.log("listening on port", (server.address() as AddressInfo).port));
