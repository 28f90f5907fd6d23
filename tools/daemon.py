"""`ledger run` with its API on a port of loopback that was free: started, waited for, and ended by its number."""

import os
import re
import subprocess
import sys
import time

START_SECONDS_MAX = 60
END_SECONDS_MAX = 30
WAIT_SECONDS_MAX = 60


def environment(home):
    """No configuration of whoever runs this takes part; `home` is where a user's own files would be."""
    kept = {name: os.environ[name] for name in ("PATH", "LD_LIBRARY_PATH", "TMPDIR") if name in os.environ}
    return {**kept, "HOME": str(home), "LANG": "C.UTF-8", "NO_COLOR": "1", "SWIFT_BACKTRACE": "enable=no"}


def until(holds, what, seconds=WAIT_SECONDS_MAX):
    """Waits until something holds; returns it."""
    deadline = time.monotonic() + seconds
    while not (found := holds()):
        if time.monotonic() > deadline:
            raise TimeoutError(f"{what}: it did not come in {seconds} s")
        time.sleep(0.02)
    return found


class Daemon:
    """The program on a home of its own, which goes on from one start to the next."""

    def __init__(self, program, place, *arguments):
        self.program, self.place, self.arguments = program, place, arguments
        self.home, self.files, self.output = place / "home", place / "files", place / "output"
        self.files.mkdir(parents=True, exist_ok=True)
        self.process = None

    def __enter__(self):
        try:
            self.start()
        except BaseException:
            self.stop()
            raise
        return self

    def __exit__(self, *_):
        self.stop()

    def start(self):
        """Starts it, and returns when it serves: at `url`, on `port`."""
        command = [
            self.program, "run", "--home", self.home, "-d", self.files, "--listen", "127.0.0.1:0", "--allow-private",
            *self.arguments,
        ]
        with open(self.output, "wb") as output:
            self.process = subprocess.Popen(
                command, env=environment(self.place), stdin=subprocess.DEVNULL, stdout=output, stderr=output)
        self.port = self.told_port()
        self.url = f"http://127.0.0.1:{self.port}"

    def told_port(self):
        deadline = time.monotonic() + START_SECONDS_MAX
        while not (found := re.search(r"serving http://127\.0\.0\.1:(\d+)", self.words())):
            if time.monotonic() > deadline or self.process.poll() is not None:
                raise RuntimeError(f"the daemon does not serve: {self.words()[-2000:]}")
            # Short: tools/api-load measures how long a start takes.
            time.sleep(0.001)
        return int(found[1])

    def stop(self, seconds=END_SECONDS_MAX):
        """Asks it to leave. False when it had to be killed; says so when it did not end well by itself."""
        process, self.process = self.process, None
        if process is None:
            return True
        if process.poll() is not None:
            if process.returncode:
                self.complain(f"the daemon ended with {process.returncode}")
            return True
        process.terminate()
        try:
            process.wait(seconds)
            return True
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
            self.complain(f"the daemon did not end within {seconds} s, and was killed")
            return False

    def complain(self, what):
        print(f"{what}: {self.words()[-3000:]}", file=sys.stderr, flush=True)

    def words(self):
        """What it has said since its start."""
        return self.output.read_text(encoding="utf-8", errors="replace")

    def run(self, *arguments):
        """A command on the same home, which ends by itself."""
        return subprocess.run(
            [self.program, *arguments, "--home", self.home], env=environment(self.place), capture_output=True,
            text=True, timeout=WAIT_SECONDS_MAX)
