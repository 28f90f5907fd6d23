"""`ledger run` with its API on a port of loopback that was free."""

import os
import re
import signal
import subprocess
import time

START_SECONDS_MAX = 60
END_SECONDS_MAX = 30
WAIT_SECONDS_MAX = 60


def environment():
    """No configuration of whoever runs this takes part."""
    kept = {name: value for name, value in os.environ.items() if name in ("PATH", "HOME", "LD_LIBRARY_PATH", "TMPDIR")}
    return {**kept, "LANG": "C.UTF-8", "NO_COLOR": "1", "SWIFT_BACKTRACE": "enable=no"}


def until(holds, what, seconds=WAIT_SECONDS_MAX):
    """Waits until something holds; returns it."""
    deadline = time.monotonic() + seconds
    while not (found := holds()):
        if time.monotonic() > deadline:
            raise TimeoutError(f"{what}: it did not come in {seconds} s")
        time.sleep(0.02)
    return found


class Program:
    """The program under test; what it says goes to a file, where it also tells its port."""

    def __init__(self, ledger, place):
        self.ledger = ledger
        self.home = place / "home"
        self.files = place / "files"
        self.files.mkdir()
        self.output = place / "output"
        self.process = None
        self.port = None

    def run(self, *arguments):
        """A command that ends by itself."""
        return subprocess.run(
            [self.ledger, *arguments, "--home", self.home], env=environment(), capture_output=True, text=True,
            timeout=WAIT_SECONDS_MAX)

    def __enter__(self):
        command = [
            self.ledger, "run", "--home", self.home, "-d", self.files, "--listen", "127.0.0.1:0", "--allow-private",
            "--retry-wait", "1ms", "--jobs", "2",
        ]
        with open(self.output, "wb") as output:
            self.process = subprocess.Popen(
                command, env=environment(), stdin=subprocess.DEVNULL, stdout=output, stderr=output)
        self.port = until(self.told_port, "the program serves its API", START_SECONDS_MAX)
        return self

    def told_port(self):
        if self.process.poll() is not None:
            raise RuntimeError(f"the program ended: {self.output.read_text()[-600:]}")
        found = re.search(r"http://127\.0\.0\.1:(\d+)", self.output.read_text())
        return int(found[1]) if found else None

    def __exit__(self, *_):
        if self.process.poll() not in (None, 0):
            print(f"the program ended with {self.process.returncode}: {self.output.read_text()[-3000:]}")
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGTERM)
            try:
                self.process.wait(END_SECONDS_MAX)
            except subprocess.TimeoutExpired:
                self.process.kill()
                self.process.wait()
