"""One program, started, waited for, and measured: wall, CPU seconds and peak memory, of it and of what it started."""

import contextlib
import os
import pathlib
import signal
import subprocess
import tempfile
import time

SECONDS_MAX = 900
# Between two looks at the peak of memory: some five milliseconds.
PEAK_TURNS = 10
ENVIRONMENT = {
    "PATH": os.environ.get("PATH", "/usr/bin:/bin") + ":/usr/sbin", "LANG": "C.UTF-8", "NO_COLOR": "1",
    **{name: os.environ[name] for name in ("LD_LIBRARY_PATH",) if name in os.environ},
}


class Broken(Exception):
    """A contestant that did not do its work: nothing is measured of it."""


def run(command, home, *, seconds=SECONDS_MAX, cwd=None, stdin=None, environment=()):
    """Runs a command to its end, which has to be 0; returns its figures, and what it printed as `output`.

    A command started by a shell is measured too, as `wait4(2)` counts. The peak is that of the largest single process,
    as `VmHWM` told it last.
    """
    with tempfile.TemporaryFile() as output:
        begin = time.monotonic()
        process = subprocess.Popen(
            [str(part) for part in command], stdin=stdin or subprocess.DEVNULL, stdout=output, stderr=subprocess.STDOUT,
            cwd=cwd, env={**ENVIRONMENT, "HOME": str(home), **dict(environment)}, start_new_session=True)
        status, usage, peak = wait(process, begin + seconds)
        wall = time.monotonic() - begin
        output.seek(0)
        words = output.read().decode("utf-8", "replace")
    if status != 0:
        raise Broken(f"'{pathlib.Path(str(command[0])).name}' ended with {status}: {words.strip()[-600:]}")
    return {
        "wallSeconds": wall, "cpuSeconds": usage.ru_utime + usage.ru_stime, "peakBytes": peak,
        "output": words,
    }


def wait(process, deadline):
    """The exit code of a process, and what it used; it is killed, with its session, when it takes too long."""
    peak = turn = 0
    while True:
        if turn % PEAK_TURNS == 0:
            # Not what wait4 says: its peak begins with the memory that this Python had before exec, vfork or not.
            peak = max(peak, *(peak_now(pid) for pid in (process.pid, *children(process.pid))))
        turn += 1
        pid, status, usage = os.wait4(process.pid, os.WNOHANG if deadline else 0)
        if pid:
            process.returncode = os.waitstatus_to_exitcode(status)
            return process.returncode, usage, peak
        if time.monotonic() > deadline:
            os.killpg(process.pid, signal.SIGKILL)
            os.wait4(process.pid, 0)
            process.returncode = -signal.SIGKILL
            raise Broken(f"'{process.args[0]}' did not end in time")
        # Far below what is measured: the shortest work here takes 10 ms.
        time.sleep(0.0005)


def children(pid):
    with contextlib.suppress(OSError), open(f"/proc/{pid}/task/{pid}/children", encoding="ascii") as file:
        return file.read().split()
    return []


def peak_now(pid):
    # One that has just ended has no memory any more, or no file.
    with contextlib.suppress(OSError, StopIteration):
        return memory(pid, "VmHWM")
    return 0


def memory(pid, field="VmRSS"):
    """A figure of a running process's memory, in bytes: `VmRSS` now, `VmHWM` at its peak."""
    with open(f"/proc/{pid}/status", encoding="ascii") as status:
        return next(int(line.split()[1]) << 10 for line in status if line.startswith(field))
