"""4. Bad input: each a sentence with the cause and the next step, the right exit code, and nothing lost."""

import contextlib
import fcntl
import os
import pwd
import shutil
import subprocess

from . import checks
from .program import ENVIRONMENT

FULL_DISK_BYTES = 16 << 20
ADDS_PER_TRY = 500
TRIES_MAX = 200


def run(program, origin, options, report):
    origin.clear()
    (origin.files / "one.bin").write_bytes(b"one" * 1000)
    program.files.mkdir()
    ended = program.run("get", origin.url("one.bin"), "-d", program.files, "--quiet")
    report.expect(ended.code == 0, f"get before all: {ended}")
    before = program.digest()

    refused(program, report, 64, "an invalid URL", "get", "http://", "-d", program.files)
    refused(program, report, 64, "an invalid URL to add", "add", "not a url", "-d", program.files)
    refused(program, report, 64, "a scheme it does not speak", "get", "gopher://example.org/x", "-d", program.files)
    blocked = program.home.parent / "blocked"
    blocked.write_text("a file where a directory should be")
    refused(program, report, 74, "an unwritable directory", "get", origin.url("one.bin"), "-d", blocked / "below")
    refused(program, report, 64, "an unknown flag", "get", "--no-such-flag", origin.url("one.bin"))
    refused(program, report, 10, "no ledger here", "replay", home=program.home.parent / "nowhere")
    without_home(program, report)
    held_home(program, origin, report)
    report.expect(program.digest() == before, "the state changed though everything was refused")
    damaged_log(program, origin, report)
    full_disk(program, origin, report)
    checks.audit(program, report)


def refused(program, report, code, what, *arguments, home=None):
    """Runs a command that must be refused with this code, in words."""
    ended = program.run(*arguments, home=home, seconds=60)
    report.figure(what, f"exit {ended.code}", f"= {code}")
    report.expect(ended.code == code, f"{what}: exit {code} expected, {ended}")
    # What was found is what verify is asked for, so its words are on standard output.
    words = ended.err + ended.out
    report.expect(
        "next:" in words or code == 64 and "--help" in words, f"{what}: the words name no next step: {ended}")
    report.expect("Fatal error" not in ended.err and ended.code >= 0, f"{what}: the program crashed: {ended}")
    return ended


def without_home(program, report):
    """Nothing in the environment says where the user's home is: the user database does."""
    environment = {name: value for name, value in ENVIRONMENT.items() if name != "HOME"}
    ended = subprocess.run(
        [program.path, "show", "1", "--home", "~/.ledger-smoke-none"], env=environment, capture_output=True, text=True,
        timeout=60, check=False)
    place = f"'{pwd.getpwuid(os.geteuid()).pw_dir}/.ledger-smoke-none'"
    report.expect(
        ended.returncode == 10 and place in ended.stderr,
        f"without HOME: {place} expected, {ended.returncode}: {ended.stderr}")


def held_home(program, origin, report):
    """Another process holds the lock and serves no socket."""
    with open(program.home / "ledger.lock", "rb+") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        refused(program, report, 11, "a home that is held", "add", origin.url("one.bin"), "-d", program.files)


def damaged_log(program, origin, report):
    """A byte of an acknowledged record is changed, in a copy."""
    copy = program.home.parent / "damaged"
    shutil.copytree(program.home, copy, ignore=shutil.ignore_patterns("*.sock", "*.snap"))
    segment = sorted((copy / "log").glob("*.seg"))[0]
    with open(segment, "rb+") as file:
        content = file.read()
        place = content.index(b"http://127.0.0.1")
        file.seek(place)
        file.write(b"j")
    refused(program, report, 21, "a damaged log, verify", "verify", home=copy)
    refused(program, report, 21, "a damaged log, add", "add", origin.url("one.bin"), "-d", program.files, home=copy)
    report.expect(segment.read_bytes()[:len(content)][place:place + 1] == b"j", "the damaged log was changed")
    shutil.rmtree(copy)


@contextlib.contextmanager
def small_disk(place):
    """A file system of its own that can be filled; nil when this user may not mount one."""
    place.mkdir()
    mounted = os.geteuid() == 0 and subprocess.run(
        ["mount", "-t", "tmpfs", "-o", f"size={FULL_DISK_BYTES}", "tmpfs", str(place)],
        stderr=subprocess.DEVNULL, check=False).returncode == 0
    try:
        yield place if mounted else None
    finally:
        if mounted:
            subprocess.run(["umount", "-l", str(place)], check=False)


def full_disk(program, origin, report):
    """The disk of the ledger fills up: the add that does not fit says so, and what was printed is there."""
    with small_disk(program.home.parent / "disk") as place:
        if place is None:
            return report.figure("a full disk", "SKIPPED", "(mounting needs root)")
        home = place / "home"
        printed = fill(program, origin, report, home)
        (place / "filler").unlink()
        ended = program.run("replay", "--json", home=home)
        report.expect(ended.code == 0, f"replay after a full disk: {ended}")
        there = {row["id"] for row in ended.rows if row["type"] == "enqueued"}
        lost = printed - there
        report.figure("a full disk: printed ids lost", len(lost), f"= 0 of {len(printed)}")
        report.expect(not lost, f"a full disk lost printed ids: {sorted(lost)[:5]}")
        ended = program.run("add", origin.url("after"), "-d", program.files, home=home)
        report.expect(ended.code == 0, f"add once there is space again: {ended}")
        verified = program.run("verify", home=home)
        report.expect(verified.code in (0, 20), f"verify after a full disk: {verified}")


def fill(program, origin, report, home):
    """Adds until the disk is full. Returns the ids that were printed."""
    first = program.run("add", origin.url("first"), "-d", program.files, home=home)
    report.expect(first.code == 0, f"add on a small disk: {first}")
    printed = {int(word) for word in first.out.split()}
    with open(home.parent / "filler", "wb") as filler, contextlib.suppress(OSError):
        while True:
            filler.write(bytes(1 << 16))
            filler.flush()
    for number in range(TRIES_MAX):
        listing = program.home.parent / "list.txt"
        listing.write_text("".join(f"{origin.url(f'full-{number}-{n}')}\n" for n in range(ADDS_PER_TRY)))
        ended = program.run("add", "-i", listing, "-d", program.files, home=home, seconds=120)
        printed |= {int(word) for word in ended.out.split()}
        if ended.code != 0:
            report.figure("a full disk", f"exit {ended.code}", "= 74")
            report.expect(ended.code == 74 and "next:" in ended.err, f"a full disk: {ended}")
            return printed
    report.breach(f"{TRIES_MAX * ADDS_PER_TRY} adds went onto a full disk")
    return printed
