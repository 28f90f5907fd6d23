"""A web server of Debian in the foreground, on loopback, with all it writes under one directory."""

import os
import shutil
import socket
import ssl
import subprocess
import time
import urllib.parse
import urllib.request

START_SECONDS_MAX = 10
END_SECONDS_MAX = 10


class Missing(Exception):
    """A server that is not installed."""

    def __init__(self, server):
        super().__init__(f"{server.program} is not here: apt-get install {server.package}")


class Request:
    """One request as the server logged it; '-' where nothing was sent."""

    def __init__(self, start, method, target, status, count, span):
        self.start = start
        self.method = method
        self.name = urllib.parse.unquote(target).lstrip("/")
        self.status = 0 if status == "-" else int(status)
        self.bytes = 0 if count == "-" else int(count)
        self.range = None if span in ("", "-") else span


class Server:
    """What all kinds share; each kind names its program and package, writes its configuration and reads its log."""

    program = package = None

    def __init__(self, place, certificate=None):
        self.place = place
        self.certificate = certificate
        self.files = place / "files"
        self.log = place / "access.log"
        self.process = None
        self.mark = 0

    @classmethod
    def path(cls):
        found = shutil.which(cls.program, path=os.environ.get("PATH", "") + ":/usr/sbin")
        if found is None:
            raise Missing(cls)
        return found

    def __enter__(self):
        path = self.path()
        self.files.mkdir(parents=True)
        self.log.touch()
        self.port, self.secure_port = free_ports(2)
        command = [path, *self.configure()]
        with open(self.place / "output", "wb") as output:
            # A session of its own: Ctrl-C is for the test, which then ends the server by its number.
            self.process = subprocess.Popen(
                command, stdin=subprocess.DEVNULL, stdout=output, stderr=output, start_new_session=True,
                cwd=self.place, env={"PATH": os.environ.get("PATH", ""), "HOME": str(self.place)})
        try:
            self.wait()
        except BaseException:
            self.__exit__()
            raise
        return self

    def __exit__(self, *_):
        self.process.terminate()
        try:
            self.process.wait(END_SECONDS_MAX)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()

    def configure(self):
        """Writes the configuration and returns the program's arguments."""
        raise NotImplementedError

    def parse(self, line):
        """A `Request` of a line of the log."""
        raise NotImplementedError

    def flush(self):
        """Makes the server write what it keeps of its log."""

    def wait(self):
        """Waits until both ports answer."""
        (self.files / "ready").write_bytes(b"")
        deadline = time.monotonic() + START_SECONDS_MAX
        for secure in (False, True) if self.certificate else (False,):
            trust = self.certificate.trust() if secure else None
            while True:
                try:
                    urllib.request.urlopen(self.url("ready", secure), timeout=1, context=trust).close()
                    break
                except (OSError, ssl.SSLError) as error:
                    if time.monotonic() > deadline or self.process.poll() is not None:
                        raise RuntimeError(f"{self.program} does not answer ({error}): {self.words()}") from error
                    time.sleep(0.05)

    def words(self):
        """The last it said."""
        said = [path.read_text(errors="replace") for path in (self.place / "output", self.place / "error.log")
                if path.exists()]
        return " ".join(said).strip()[-500:] or "it said nothing"

    def url(self, name, secure=False):
        scheme, port = ("https", self.secure_port) if secure else ("http", self.port)
        return f"{scheme}://127.0.0.1:{port}/{urllib.parse.quote(name)}"

    def begin(self):
        """From here on, `requests` counts."""
        self.flush()
        self.mark = self.log.stat().st_size

    def requests(self):
        self.flush()
        with open(self.log, encoding="utf-8", errors="replace") as log:
            log.seek(self.mark)
            return [self.parsed(line.rstrip("\n")) for line in log if line.endswith("\n")]

    def parsed(self, line):
        try:
            return self.parse(line)
        except (ValueError, LookupError) as error:
            raise RuntimeError(f"a line of {self.program}'s log is not understood: {line}") from error

    def clear(self):
        shutil.rmtree(self.files)
        self.files.mkdir()


def free_ports(count):
    """Ports of loopback that nobody has now."""
    probes = [socket.socket() for _ in range(count)]
    try:
        for probe in probes:
            probe.bind(("127.0.0.1", 0))
        return [probe.getsockname()[1] for probe in probes]
    finally:
        for probe in probes:
            probe.close()
