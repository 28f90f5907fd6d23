"""`ledger run` with its API, and what the test asks it beside the page."""

import json
import os
import signal
import subprocess
import time
import urllib.request

START_SECONDS_MAX = 20
END_SECONDS_MAX = 10


class Daemon:
    def __init__(self, program, place, *arguments):
        self.program, self.place, self.arguments = program, place, arguments
        self.files = place / "files"
        self.files.mkdir(parents=True, exist_ok=True)

    def __enter__(self):
        self.output = open(self.place / "output", "ab+")
        self.output.truncate(0)
        self.process = subprocess.Popen(
            [str(self.program), "run", "--home", str(self.place / "home"), "--listen", "127.0.0.1:0", "-d",
             str(self.files), "--allow-private", *self.arguments],
            stdin=subprocess.DEVNULL, stdout=self.output, stderr=self.output,
            env={"PATH": "/usr/bin:/bin", "HOME": str(self.place), "LANG": "C.UTF-8"})
        deadline = time.monotonic() + START_SECONDS_MAX
        while "serving " not in (words := self.words()):
            if time.monotonic() > deadline or self.process.poll() is not None:
                self.__exit__()
                raise RuntimeError(f"the daemon does not serve: {words}")
            time.sleep(0.02)
        self.url = words.split("serving ")[1].split()[0].rstrip("/")
        return self

    def words(self):
        self.output.seek(0)
        return self.output.read().decode("utf-8", "replace")

    def __exit__(self, *_):
        if self.process.poll() is None:
            os.kill(self.process.pid, signal.SIGTERM)
            try:
                self.process.wait(END_SECONDS_MAX)
            except subprocess.TimeoutExpired:
                self.process.kill()
                self.process.wait()
        self.output.close()

    def ask(self, path, body=None, method=None):
        """What a route answers, as JSON."""
        data = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(
            self.url + path, data, {"Content-Type": "application/json"} if data else {}, method=method)
        with urllib.request.urlopen(request, timeout=60) as answer:
            return json.loads(answer.read())

    def rows(self, query=""):
        return self.ask("/v1/downloads?limit=1000" + query)["downloads"]

    def wait(self, what, seconds=60):
        """The first true value of `what()`."""
        deadline = time.monotonic() + seconds
        while not (value := what()):
            if time.monotonic() > deadline:
                raise AssertionError(f"not within {seconds} s: {what.__doc__ or what}")
            time.sleep(0.05)
        return value
