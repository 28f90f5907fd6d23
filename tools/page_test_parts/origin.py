"""A web server on loopback whose files can be made slow."""

import http.server
import mimetypes
import pathlib
import threading
import time

CHUNK = 32 << 10


class Origin:
    """Serves a directory with Range and ETag; what is named `slow-...` comes at `rate` bytes a second."""

    def __init__(self, place):
        self.place = pathlib.Path(place)
        self.place.mkdir(parents=True, exist_ok=True)
        self.rate = 1 << 20
        origin = self

        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def log_message(self, *_):
                pass

            def do_HEAD(self):
                self.answer(False)

            def do_GET(self):
                self.answer(True)

            def answer(self, hasBody):
                path = origin.place / pathlib.PurePosixPath(self.path.split("?")[0]).name
                if not path.is_file():
                    return self.send_error(404)
                data = path.read_bytes()
                begin, end, status = 0, len(data), 200
                span = self.headers.get("Range", "")
                if span.startswith("bytes=") and "," not in span:
                    first, _, last = span[6:].partition("-")
                    if first and int(first) < len(data):
                        begin, end, status = int(first), min(len(data), int(last) + 1 if last else len(data)), 206
                self.send_response(status)
                self.send_header("Content-Type", mimetypes.guess_type(path.name)[0] or "application/octet-stream")
                self.send_header("ETag", f'"{len(data)}-{path.stat().st_mtime_ns}"')
                self.send_header("Accept-Ranges", "bytes")
                self.send_header("Content-Length", str(end - begin))
                if status == 206:
                    self.send_header("Content-Range", f"bytes {begin}-{end - 1}/{len(data)}")
                self.end_headers()
                if not hasBody:
                    return
                try:
                    for start in range(begin, end, CHUNK):
                        part = data[start:min(start + CHUNK, end)]
                        self.wfile.write(part)
                        if path.name.startswith("slow-"):
                            time.sleep(len(part) / origin.rate)
                except OSError:
                    pass

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.server.daemon_threads = True
        self.port = self.server.server_address[1]

    def url(self, name):
        return f"http://127.0.0.1:{self.port}/{name}"

    def __enter__(self):
        threading.Thread(target=self.server.serve_forever, daemon=True).start()
        return self

    def __exit__(self, *_):
        self.server.shutdown()
        self.server.server_close()
