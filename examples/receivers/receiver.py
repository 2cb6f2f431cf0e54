import hashlib, hmac, json, os, time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

SECRET = os.environ["WEBHOOK_SECRET"].strip().encode()
MAX_BODY = 1 << 20
seen = set()  # In production, use a table with a unique id.


def verify(header: str, body: bytes) -> bool:
    """Returns whether one of the signatures matches the raw body and is at most 300 seconds old."""
    parts = [part.strip().split("=", 1) for part in header.split(",") if "=" in part]
    times = [value for name, value in parts if name == "t"]
    if len(times) != 1 or not times[0].isascii() or not times[0].isdigit() or abs(time.time() - int(times[0])) > 300:
        return False
    expected = hmac.new(SECRET, times[0].encode() + b"." + body, hashlib.sha256).hexdigest().encode()
    return any(hmac.compare_digest(expected, value.encode()) for name, value in parts if name == "v1")


class Receiver(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_POST(self):
        length = int(self.headers.get("Content-Length") or 0)
        if length > MAX_BODY:
            self.close_connection = True
            return self.answer(413)
        body = self.rfile.read(length)
        if not verify(self.headers.get("X-Service-Signature", ""), body):
            return self.answer(400)
        event = json.loads(body)
        if event["id"] not in seen:
            seen.add(event["id"])
            print(event["type"], event["data"], flush=True)  # Queue it here; do the work elsewhere.
        return self.answer(200)

    def answer(self, status: int):
        self.send_response(status)
        self.send_header("Content-Length", "0")
        self.end_headers()

    def log_message(self, *_):
        pass


server = ThreadingHTTPServer(("127.0.0.1", int(os.environ.get("PORT", "8000"))), Receiver)
print("listening on port", server.server_port, flush=True)
server.serve_forever()
