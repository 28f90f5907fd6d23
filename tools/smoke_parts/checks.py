"""What holds after every scenario."""

import shutil
import signal
import socket
import time

HOLDER_SECONDS_MAX = 30


def until(holds, seconds):
    """Waits until something holds, looking ten times a second."""
    deadline = time.monotonic() + seconds
    while not holds():
        if time.monotonic() > deadline:
            raise TimeoutError(f"what was waited for did not come in {seconds} s")
        time.sleep(0.1)


def serves(path):
    """Whether somebody answers at a socket: one of a process that was killed may be left."""
    with socket.socket(socket.AF_UNIX) as client:
        try:
            client.connect(str(path))
        except OSError:
            return False
        return True


def audit(program, report, kept=()):
    """Verifies the log, its numbers, and that the live state is what the log folds to. Returns the events."""
    verified = program.run("verify", "--json")
    report.expect(verified.code in (0, *kept), f"verify: {verified}")
    report.figure("verify exits with", verified.code)
    events = program.events()
    numbers = [event["seq"] for event in events]
    gaps = sum(1 for place, number in enumerate(numbers, 1) if place != number)
    report.expect(gaps == 0, f"the log's numbers are not 1 to {len(numbers)}")
    report.figure("events", len(numbers))
    report.figure("numbers lost", gaps, "= 0")
    digests(program, report)
    return events


def folded_anew(program):
    """The digest of the log without its snapshots."""
    copy = program.scratch()
    shutil.copytree(program.home, copy, ignore=shutil.ignore_patterns("*.sock", "*.snap", "ballast"))
    try:
        return program.digest(home=copy)
    finally:
        shutil.rmtree(copy)


def digests(program, report):
    """The digest of a live holder, of the closed ledger, and of its log folded anew without snapshots."""
    holder = program.start("run", "--no-api")
    try:
        # It holds the ledger, and heeds signals, once its socket is there.
        until(lambda: serves(program.home / "ledger.sock"), HOLDER_SECONDS_MAX)
        live = program.digest()
    finally:
        holder.kill(signal.SIGTERM)
    ended = holder.wait(10)
    report.expect(ended.code == 0, f"run after SIGTERM: {ended}")
    closed, folded = program.digest(), folded_anew(program)
    report.expect(
        live == closed == folded, f"digests differ: live {live}, closed {closed}, folded anew {folded}")
    report.figure("digest, live and folded anew", folded[-12:])
