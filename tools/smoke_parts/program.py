"""The program under test: started, killed, measured."""

import contextlib
import json
import os
import pathlib
import signal
import subprocess
import time

COMMAND_SECONDS_MAX = 600
ENVIRONMENT = {
    "PATH": "/usr/bin:/bin", "HOME": "/nonexistent", "LANG": "C.UTF-8", "NO_COLOR": "1", "SWIFT_BACKTRACE": "enable=no",
    **{name: value for name, value in os.environ.items() if name in ("LD_LIBRARY_PATH", "TMPDIR")},
}


class Ended:
    """How a command ended."""

    def __init__(self, code, out, err, seconds, peak_kib=0):
        self.code = code
        self.out = out
        self.err = err
        self.seconds = seconds
        self.peak_mib = peak_kib / 1024

    @property
    def rows(self):
        return [json.loads(line) for line in self.out.splitlines() if line]

    def __str__(self):
        return f"exit {self.code}: {self.err.strip()[-600:] or self.out.strip()[-200:]}"


class Running:
    """A command under way; its output goes to files, so that no pipe can fill."""

    def __init__(self, program, arguments):
        self.out = open(program.scratch(), "w+b")
        self.err = open(program.scratch(), "w+b")
        self.start = time.monotonic()
        self.peak_kib = 0
        self.process = subprocess.Popen(
            [str(program.path), *arguments], stdin=subprocess.DEVNULL, stdout=self.out, stderr=self.err,
            env=ENVIRONMENT, cwd=program.home.parent)
        self.ended = None

    def poll(self):
        """`Ended` once it has; nil before."""
        if self.ended is None:
            self._measure()
        return self.ended or self._reap(os.WNOHANG)

    def wait(self, seconds=COMMAND_SECONDS_MAX):
        """Waits for its end, and kills it when that does not come in time."""
        deadline = time.monotonic() + seconds
        while (ended := self.poll()) is None:
            if time.monotonic() > deadline:
                self.kill()
                raise TimeoutError(f"'{' '.join(self.process.args[1:4])} ...' did not end in {seconds} s")
            time.sleep(0.005)
        return ended

    def kill(self, number=signal.SIGKILL):
        """Signals it; after SIGKILL it has ended when this returns. False when it had ended by itself."""
        if self.poll() is not None:
            return False
        os.kill(self.process.pid, number)
        if number == signal.SIGKILL:
            self._reap(0)
            return self.ended.code == -signal.SIGKILL
        return True

    def _measure(self):
        """The peak so far. Not what wait4 says: that counts the memory of this Python before exec, too."""
        with contextlib.suppress(OSError), open(f"/proc/{self.process.pid}/status", encoding="ascii") as status:
            peaks = [int(line.split()[1]) for line in status if line.startswith("VmHWM:")]
            self.peak_kib = max(peaks, default=self.peak_kib)

    def _reap(self, flags):
        pid, status = os.waitpid(self.process.pid, flags)
        if pid == 0:
            return None
        self.process.returncode = os.waitstatus_to_exitcode(status)
        texts = []
        for file in (self.out, self.err):
            file.seek(0)
            texts.append(file.read().decode("utf-8", "replace"))
            file.close()
            os.unlink(file.name)
        self.ended = Ended(
            self.process.returncode, *texts, time.monotonic() - self.start, peak_kib=self.peak_kib)
        return self.ended


class Program:
    def __init__(self, path, home, files):
        self.path = path
        self.home = home
        self.files = files
        self.count = 0
        self.started = []

    def scratch(self):
        self.count += 1
        return self.home.parent / f"output-{os.getpid()}-{self.count}"

    def start(self, *arguments, home=None):
        running = Running(self, [*map(str, arguments), "--home", str(home or self.home)])
        self.started = [one for one in self.started if one.ended is None] + [running]
        return running

    def run(self, *arguments, home=None, seconds=COMMAND_SECONDS_MAX):
        return self.start(*arguments, home=home).wait(seconds)

    def end(self):
        """Ends what a broken scenario left running."""
        for running in self.started:
            running.kill()

    def events(self):
        """Every event of the log; raises when the log can not be replayed."""
        ended = self.run("replay", "--json")
        if ended.code != 0:
            raise RuntimeError(f"replay: {ended}")
        return ended.rows

    def digest(self, home=None):
        ended = self.run("replay", "--state", "digest", "--json", home=home)
        if ended.code != 0:
            raise RuntimeError(f"replay --state digest: {ended}")
        return ended.rows[-1]["digest"]


def same(one, other):
    """Whether two files hold the same bytes."""
    if not other.is_file() or one.stat().st_size != other.stat().st_size:
        return False
    with open(one, "rb") as left, open(other, "rb") as right:
        while True:
            block = left.read(1 << 20)
            if block != right.read(1 << 20):
                return False
            if not block:
                return True


def different(origin, files, names):
    """The names whose downloaded file is not what the origin holds."""
    return [name for name in names if not same(origin.files / name, pathlib.Path(files) / name)]
