"""Being asked to end: all that was mounted and started goes first."""

import contextlib
import os
import pathlib
import signal
import sys

SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


def heed():
    for number in SIGNALS:
        signal.signal(number, end_in_order)


def end_in_order(number, _):
    """So that whatever asks it to end, all that it mounted and started goes first, and is not interrupted again."""
    for other in SIGNALS:
        signal.signal(other, signal.SIG_IGN)
    sys.exit(128 + number)


@contextlib.contextmanager
def undisturbed():
    """An interruption waits until this is through: it comes between any two lines otherwise."""
    before = signal.pthread_sigmask(signal.SIG_BLOCK, SIGNALS)
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def take_down(*things):
    """Ends one after the other, each whatever became of those before it."""
    # An interruption may have come just when a process was waited for and that was not noted yet.
    with undisturbed(), contextlib.suppress(ChildProcessError), contextlib.ExitStack() as stack:
        for thing in reversed(things):
            stack.callback(thing.end)


def end_orphans():
    """Ends what nobody knows of: a process whose start was interrupted before it was noted."""
    for pid in map(int, pathlib.Path(f"/proc/self/task/{os.getpid()}/children").read_text().split()):
        os.kill(pid, signal.SIGKILL)
        os.waitpid(pid, 0)
