"""5. A disk without room: the download waits and nothing is tried for nothing, the log takes commands, room ends it."""

import os
import random
import shutil
import signal
import subprocess
import time

from . import checks
from .program import Program, same

DISK_MIB = 48
FILE_BYTES = 16 << 20
FREE_BYTES = 4 << 20
# The first look comes 30 seconds after the failure; then there are several.
WAIT_SECONDS = 45
ROOM_SECONDS_MAX = 15


class OnDisk(Program):
    """A program whose home and files are on the small disk, and whose output is not."""

    def __init__(self, path, disk, scratch):
        super().__init__(path, disk / "home", disk / "files")
        self.folder = scratch

    def scratch(self):
        self.count += 1
        return self.folder / f"output-{os.getpid()}-{self.count}"


def run(program, origin, options, report):
    if os.geteuid() != 0:
        report.figure("left out", "mounting a tmpfs needs root")
        return
    folder = program.home.parent
    disk = folder / "disk"
    disk.mkdir()
    subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={DISK_MIB}m", "tmpfs", str(disk)], check=True)
    small = OnDisk(program.path, disk, folder)
    try:
        scenario(small, disk, origin, options, report)
    finally:
        small.end()
        subprocess.run(["umount", "--lazy", str(disk)], check=True)


def scenario(program, disk, origin, options, report):
    chance = random.Random(options.seed + 5)
    origin.clear()
    (origin.files / "big.bin").write_bytes(chance.randbytes(FILE_BYTES))
    (origin.files / "small.bin").write_bytes(b"small")
    program.files.mkdir()
    ended = program.run("add", origin.url("big.bin"), "-d", program.files)
    report.expect(ended.code == 0, f"add: {ended}")
    fill(disk, leaving=FREE_BYTES)
    origin.begin()
    holder = program.start("run", "--no-api")
    checks.until(lambda: state(program) == "waiting", 20)
    row = program.run("list", "--json").rows[0]
    report.expect((row["error"] or {}).get("code") == "disk-full", f"it waits for {row['error']}")
    fill(disk, leaving=0)
    ended = program.run("add", origin.url("small.bin"), "-d", disk.parent, "--not-before", "1h")
    report.expect(ended.code == 0, f"add on a full disk: {ended}")
    time.sleep(WAIT_SECONDS)
    failures = [event for event in program.events() if event["type"] == "failed"]
    report.expect(len(failures) == 1, f"{len(failures)} failures are on record")
    report.expect(len(origin.requests()) == 1, f"the origin was asked {len(origin.requests())} times")
    report.figure(f"failures in {WAIT_SECONDS} s without room", len(failures), "= 1")

    start = time.monotonic()
    (disk / "filler").unlink()
    checks.until(lambda: state(program) == "completed", ROOM_SECONDS_MAX)
    report.figure("completed after there was room", f"{time.monotonic() - start:.1f} s", f"< {ROOM_SECONDS_MAX} s")
    report.expect(same(origin.files / "big.bin", program.files / "big.bin"), "the file is not what the origin holds")
    report.expect(os.listdir(program.files) == ["big.bin"], f"there are {os.listdir(program.files)}")
    holder.kill(signal.SIGTERM)
    report.expect(holder.wait(10).code == 0, "run after SIGTERM")
    checks.audit(program, report)


def state(program):
    ended = program.run("list", "--json")
    return ended.rows[0]["state"] if ended.code == 0 and ended.rows else None


def fill(disk, leaving):
    """Grows a file until so many bytes are free, or until no byte more can be written."""
    with open(disk / "filler", "ab", buffering=0) as file:
        while (count := shutil.disk_usage(disk).free - leaving) > 0:
            try:
                file.write(bytes(min(count, 1 << 20)))
            except OSError:
                return
