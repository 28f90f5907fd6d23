"""An origin on loopback: files of known bytes, with ranges, some of them slow until they are let go."""

import hashlib
import http.server
import re
import threading

SLOW_BYTES = 1 << 20
CHUNK_BYTES = 16 << 10
CHUNKS_BEFORE_GATE = 8
GATE_SECONDS_MAX = 120


def content(name, count):
    """The bytes of a file: other ones for each name."""
    block = hashlib.sha256(name.encode()).digest()
    return (block * (count // len(block) + 1))[:count]


class Origin:
    """Serves `/fast/NAME` at once; `/slow/NAME` stops after a part of each answer until `release` is called."""

    def __init__(self):
        self.gates = {}
        self.lock = threading.Lock()
        self.requests = []
        handler = type("Handler", (Handler,), {"origin": self})
        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler)
        self.server.daemon_threads = True

    def __enter__(self):
        threading.Thread(target=self.server.serve_forever, daemon=True).start()
        return self

    def __exit__(self, *_):
        for gate in list(self.gates.values()):
            gate.set()
        self.server.shutdown()
        self.server.server_close()

    def url(self, path):
        return f"http://127.0.0.1:{self.server.server_address[1]}{path}"

    def gate(self, path):
        with self.lock:
            return self.gates.setdefault(path, threading.Event())

    def release(self, path):
        self.gate(path).set()


class Handler(http.server.BaseHTTPRequestHandler):
    """One connection of the origin."""

    protocol_version = "HTTP/1.1"
    origin = None

    def log_message(self, *_):
        """Nothing is said of requests."""

    def handle(self):
        try:
            super().handle()
        except ConnectionResetError:
            # A client that has what it wanted, or is told to leave.
            self.close_connection = True

    def do_GET(self):
        self.origin.requests.append((self.path, dict(self.headers)))
        folder, _, name = self.path.lstrip("/").partition("/")
        if folder == "status":
            return self.answer(int(name), b"")
        if folder not in ("fast", "slow"):
            return self.answer(404, b"")
        body = content(name, SLOW_BYTES)
        status, fields = 200, {"Accept-Ranges": "bytes", "ETag": f'"{name}"'}
        span = re.fullmatch(r"bytes=(\d+)-(\d*)", self.headers.get("Range", ""))
        if span and self.headers.get("If-Range", fields["ETag"]) == fields["ETag"]:
            first, last = int(span[1]), min(int(span[2] or len(body)), len(body) - 1)
            fields["Content-Range"] = f"bytes {first}-{last}/{len(body)}"
            status, body = 206, body[first:last + 1]
        return self.answer(status, body, fields, self.origin.gate(self.path) if folder == "slow" else None)

    def answer(self, status, body, fields=None, gate=None):
        self.send_response(status)
        for name, value in {**(fields or {}), "Content-Length": str(len(body))}.items():
            self.send_header(name, value)
        self.end_headers()
        try:
            for number, start in enumerate(range(0, len(body), CHUNK_BYTES)):
                if gate and number == CHUNKS_BEFORE_GATE:
                    gate.wait(GATE_SECONDS_MAX)
                self.wfile.write(body[start:start + CHUNK_BYTES])
        except (BrokenPipeError, ConnectionResetError):
            self.close_connection = True
