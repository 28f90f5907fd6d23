"""The servers that are measured beside ledger, each started on a place of its own and ended by its number."""

import json
import os
import pathlib
import socket
import subprocess
import time
import urllib.request

from .measure import ENVIRONMENT, Broken

START_SECONDS_MAX = 300
END_SECONDS_MAX = 20


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


class Server:
    """A process that serves until it is ended; `begin` is when it was started."""

    # How long between two looks at whether it serves: short, for some works measure when it does.
    pause = 0.002

    def __init__(self, place, command):
        self.place, self.command, self.process = place, [str(word) for word in command], None

    def __enter__(self):
        self.place.mkdir(parents=True, exist_ok=True)
        self.begin = time.monotonic()
        with open(self.place / "output", "wb") as output:
            self.process = subprocess.Popen(
                self.command, cwd=self.place, stdin=subprocess.DEVNULL, stdout=output, stderr=output,
                env={**ENVIRONMENT, "HOME": str(self.place)})
        try:
            self.wait()
        except BaseException:
            self.__exit__()
            raise
        self.took = time.monotonic() - self.begin
        return self

    def __exit__(self, *_):
        process, self.process = self.process, None
        if process is None or process.poll() is not None:
            return
        process.terminate()
        try:
            process.wait(END_SECONDS_MAX)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()

    def serves(self):
        """Whether it answers; OSError when it does not yet."""
        raise NotImplementedError

    def wait(self):
        deadline = self.begin + START_SECONDS_MAX
        while True:
            try:
                if self.serves():
                    return
            except OSError:
                pass
            if self.process.poll() is not None or time.monotonic() > deadline:
                words = (self.place / "output").read_text(encoding="utf-8", errors="replace")
                raise Broken(f"'{pathlib.Path(self.command[0]).name}' does not serve: {words[-600:]}")
            time.sleep(self.pause)


class Redis(Server):
    """Redis with everything durable before it is answered, on a Unix socket."""

    def __init__(self, program, place):
        self.path = place / "redis.sock"
        super().__init__(place, [
            program, "--port", 0, "--unixsocket", self.path.name, "--dir", place, "--appendonly", "yes", "--appendfsync",
            "always", "--save", "", "--auto-aof-rewrite-percentage", 0, "--daemonize", "no"])
        self.connection = None

    def __exit__(self, *_):
        if self.connection:
            self.connection.close()
            self.connection = None
        super().__exit__()

    def serves(self):
        return self.ask("PING") == b"+PONG"

    def ask(self, *words):
        """One command; the first line of its answer."""
        if self.connection is None:
            client = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
            client.settimeout(START_SECONDS_MAX)
            client.connect(short(self.path))
            self.connection = client
        self.connection.sendall(resp(*words))
        answer = b""
        while not answer.endswith(b"\r\n"):
            part = self.connection.recv(65536)
            if not part:
                raise Broken("redis hung up")
            answer += part
        return answer.split(b"\r\n")[0]

    def info(self, name):
        """A field of INFO persistence."""
        self.connection.sendall(resp("INFO", "persistence"))
        answer = self.connection.recv(65536).decode()
        return next(line.partition(":")[2] for line in answer.splitlines() if line.startswith(name + ":"))


def short(path):
    """A path to the same file that fits the address of a socket, which has 107 bytes: from where this process is."""
    near = os.path.relpath(path)
    return near if len(near) < len(str(path)) else str(path)


def resp(*words):
    """A command as Redis reads it, from a client and from its log."""
    parts = [word if isinstance(word, bytes) else str(word).encode() for word in words]
    return b"*%d\r\n" % len(parts) + b"".join(b"$%d\r\n%b\r\n" % (len(part), part) for part in parts)


class Etcd(Server):
    """A single etcd, with its JSON gateway."""

    def __init__(self, program, place):
        self.port, peer = free_port(), free_port()
        super().__init__(place, [
            program, "--data-dir", place / "data", "--listen-client-urls", f"http://127.0.0.1:{self.port}",
            "--advertise-client-urls", f"http://127.0.0.1:{self.port}", "--listen-peer-urls",
            f"http://127.0.0.1:{peer}", "--initial-advertise-peer-urls", f"http://127.0.0.1:{peer}",
            "--initial-cluster", f"default=http://127.0.0.1:{peer}"])

    def serves(self):
        with urllib.request.urlopen(f"http://127.0.0.1:{self.port}/health", timeout=5) as answer:
            return json.load(answer)["health"] == "true"


class Aria2(Server):
    """aria2c that waits for its RPC, with the downloads of a file where one is given."""

    def __init__(self, program, place, *arguments):
        self.port = free_port()
        super().__init__(place, [
            program, "--no-conf", "--enable-rpc", f"--rpc-listen-port={self.port}", "--rpc-listen-all=false",
            "--dir", place, "--quiet", "--disable-ipv6", *arguments])

    def serves(self):
        return "result" in self.ask("aria2.getGlobalStat")

    def ask(self, method, *parameters):
        body = json.dumps({"jsonrpc": "2.0", "id": "1", "method": method, "params": list(parameters)}).encode()
        request = urllib.request.Request(f"http://127.0.0.1:{self.port}/jsonrpc", body)
        with urllib.request.urlopen(request, timeout=START_SECONDS_MAX) as answer:
            return json.load(answer)
