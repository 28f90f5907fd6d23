"""The origin of every transfer: nginx on loopback, which counts what it sent, and a long way to it."""

import contextlib
import itertools
import os
import signal
import subprocess
import time
import urllib.request

from smoke_parts import origin
from smoke_parts.server import Missing, free_ports

from .measure import Broken

CONFIGURATION = """
daemon off;
worker_processes 1;
pid {place}/nginx.pid;
error_log {place}/error.log warn;
{user}
worker_rlimit_nofile 8192;
events {{ worker_connections 4096; }}
http {{
    log_format origin '$msec $request_time $request_method $request_uri $status $bytes_sent "$http_range"';
    access_log {place}/access.log origin buffer=256k;
    client_body_temp_path {place}/t1; proxy_temp_path {place}/t2; fastcgi_temp_path {place}/t3;
    uwsgi_temp_path {place}/t4; scgi_temp_path {place}/t5;
    types {{ }}
    default_type application/octet-stream;
    sendfile on;
    tcp_nopush on;
    keepalive_requests 100000;
    # As Debian's own configuration has it: this nginx offers no TLS 1.3 where it is not told to.
    ssl_protocols TLSv1.2 TLSv1.3;
    server {{
        listen 127.0.0.1:{port} backlog=4096;
        {secure}
        root {place}/files;
        include {place}/limit.conf;
    }}
}}
"""
LOG_SECONDS_MAX = 10
PATTERN_BYTES = 1 << 20


class Origin(origin.Origin):
    """One worker, so that of two cores the client has one; the log counts heads as well as bodies."""

    configuration = CONFIGURATION
    marks = 0

    def parse(self, line):
        request = super().parse(line)
        request.end = float(line.split(" ", 1)[0])
        return request

    def flush(self):
        """Has the worker write what it keeps of its log: all that came before a request that is known by its name."""
        self.marks += 1
        mark = f"/ready?{self.marks} "
        urllib.request.urlopen(self.url("") + mark.strip("/ "), timeout=LOG_SECONDS_MAX).close()
        self.process.send_signal(signal.SIGUSR1)
        deadline = time.monotonic() + LOG_SECONDS_MAX
        while mark not in self.tail():
            if time.monotonic() > deadline:
                raise Broken(f"nginx does not write its log: {self.words()}")
            time.sleep(0.002)

    def tail(self):
        with open(self.log, "rb") as log:
            log.seek(max(0, log.seek(0, os.SEEK_END) - 4096))
            return log.read().decode()

    def sent(self):
        """What was sent since `begin`: bytes, in how many requests, and how many of them there were at once."""
        asked = [request for request in self.requests() if not request.name.startswith("ready")]
        # An end comes before a beginning in the same millisecond: one connection may have had both.
        changes = sorted([(round(one.start, 3), 1) for one in asked] + [(round(one.end, 3), -1) for one in asked])
        most = max(itertools.accumulate((change for _, change in changes), initial=0))
        return {"sentBytes": sum(one.bytes for one in asked), "requests": len(asked), "requestsAtOnce": most}

    def make(self, name, size):
        """A file of the origin in which no two MiB are the same, so that one in a wrong place is seen."""
        pattern = os.urandom(min(PATTERN_BYTES, size))
        with open(self.files / name, "wb") as file:
            for number in range(0, size, PATTERN_BYTES):
                file.write((number.to_bytes(8, "big") + pattern[8:])[:size - number])
        return self.files / name


@contextlib.contextmanager
def served(stage, work, certificate=None):
    """An origin out of memory, with nothing to serve yet; None, with a note, where there is no nginx."""
    try:
        Origin.path()
    except Missing as missing:
        stage.report.note(work, str(missing))
        yield None
        return
    place = stage.clear(stage.tmpfs / "origin")
    place.rmdir()
    with Origin(place, certificate) as origin_:
        yield origin_
    stage.clear(place)


@contextlib.contextmanager
def delayed(stage, port, milliseconds):
    """The port of a relay to `port` behind which everything comes so much later; None where it can not be built."""
    program = stage.floor("delay")
    if program is None:
        yield None
        return
    own, = free_ports(1)
    relay = subprocess.Popen(
        [str(program), str(own), str(port), str(milliseconds)], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
        start_new_session=True)
    try:
        if relay.stdout.readline() != b"ready\n":
            raise Broken("the relay does not listen")
        yield own
    finally:
        relay.terminate()
        relay.wait()
        relay.stdout.close()
