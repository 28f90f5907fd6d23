"""Debian's nginx on loopback, with its own configuration, port and log."""

import os
import pathlib
import shutil
import socket
import subprocess
import time
import urllib.request

CONFIGURATION = """
daemon off;
worker_processes 1;
pid {place}/nginx.pid;
error_log {place}/error.log warn;
{user}
events {{ worker_connections 1024; }}
http {{
    log_format origin '$msec $request_time $request_method $uri $status $body_bytes_sent "$http_range"';
    access_log {place}/access.log origin;
    client_body_temp_path {place}/t1; proxy_temp_path {place}/t2; fastcgi_temp_path {place}/t3;
    uwsgi_temp_path {place}/t4; scgi_temp_path {place}/t5;
    types {{ }}
    default_type application/octet-stream;
    sendfile on;
    server {{
        listen 127.0.0.1:{port};
        root {place}/files;
        include {place}/limit.conf;
    }}
}}
"""


class Request:
    """One line of the access log."""

    def __init__(self, line):
        end, seconds, self.method, uri, status, count, self.range = line.split(" ", 6)
        self.start = float(end) - float(seconds)
        self.name = uri.lstrip("/")
        self.status = int(status)
        self.bytes = int(count)


class Origin:
    def __init__(self, place):
        self.place = place
        self.files = place / "files"
        self.process = None
        self.mark = 0

    def __enter__(self):
        self.files.mkdir(parents=True)
        program = shutil.which("nginx", path=os.environ.get("PATH", "") + ":/usr/sbin")
        if program is None:
            raise SystemExit("smoke: nginx is not here: apt-get install nginx-light")
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            self.port = probe.getsockname()[1]
        (self.place / "limit.conf").write_text("")
        configuration = self.place / "nginx.conf"
        user = "user root;" if os.geteuid() == 0 else ""
        configuration.write_text(CONFIGURATION.format(place=self.place, port=self.port, user=user))
        self.process = subprocess.Popen(
            [program, "-p", str(self.place), "-c", str(configuration)], stderr=subprocess.DEVNULL)
        self.wait()
        return self

    def __exit__(self, *_):
        self.process.terminate()
        self.process.wait(10)

    def wait(self):
        (self.files / "ready").write_bytes(b"")
        deadline = time.monotonic() + 10
        while True:
            try:
                urllib.request.urlopen(self.url("ready"), timeout=1).close()
                return
            except OSError:
                if time.monotonic() > deadline or self.process.poll() is not None:
                    raise SystemExit("smoke: nginx does not answer: " + self.errors())
                time.sleep(0.05)

    def errors(self):
        log = self.place / "error.log"
        return log.read_text()[-500:] if log.exists() else "it said nothing"

    def limit(self, bytes_per_second):
        """Sets the rate of each connection; 0 for none. Waits until the new worker serves it."""
        (self.place / "limit.conf").write_text(f"limit_rate {bytes_per_second};\n" if bytes_per_second else "")
        self.process.send_signal(1)
        time.sleep(0.5)
        self.wait()

    def url(self, name):
        return f"http://127.0.0.1:{self.port}/{name}"

    def begin(self):
        """From here on, `requests` counts."""
        self.mark = (self.place / "access.log").stat().st_size

    def requests(self):
        with open(self.place / "access.log", encoding="utf-8", errors="replace") as log:
            log.seek(self.mark)
            return [Request(line.rstrip("\n")) for line in log if line.endswith("\n")]

    def clear(self):
        shutil.rmtree(self.files)
        self.files.mkdir()
