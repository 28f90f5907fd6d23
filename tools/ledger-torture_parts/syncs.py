"""C2. A sync that fails once and would succeed if it was asked again.

The disk is ext4 in a sparse file on a tmpfs that is smaller. Once the tmpfs is full, what is written over blocks that
have no place in it yet is lost on its way to the disk: `fdatasync` says ENOSPC, once, and from then on the kernel calls
the lost pages clean. With a second ext4 between the two it says EIO, because there it is the flush that fails.
"""

import random
import shutil
import time

from smoke_parts.checks import serves, until
from smoke_parts.full_disk import OnDisk, fill

from . import oracle
from .disk import Disk, Mount
from .interruption import take_down
from .sources import Sources

TMPFS_BYTES = 56 << 20
OUTER_BYTES, INNER_BYTES = 160 << 20, 128 << 20
MKFS = ("-b", "4096", "-N", "256", "-E", "lazy_itable_init=0")
JOURNAL = ("-J", "size=4")
# The inner of two has none, as its journal would see the error first, and make the disk read-only.
NO_JOURNAL = ("-O", "^has_journal")
OPTIONS = "data=ordered,errors=continue"
FILES = 8
FILE_BYTES_MAX = 1_000_000
BYTES_PER_SECOND = 300_000
# What the log has written zeros over has its place: it takes many orders until it grows, and then it is the zeros
# ahead whose sync fails. A batch that is longer than the zeros is the first to be written there, and fails by itself.
ORDERS_PER_ADD = (400, 4000)
ADDS_MAX = 80
FILLER = "full-"
# Progress goes on record once a second.
SECONDS_MAX = 1.8
END_SECONDS_MAX = 5
KINDS = ("add", "run", "recovery")


def run(torture, layer):
    torture.origin.limit(BYTES_PER_SECOND)
    try:
        for number in range(layer.total) if torture.case is None else [int(torture.case)]:
            one = Failure(torture, layer, number)
            try:
                with one.case.survives(one.program.home, one.program.files):
                    one.run()
            finally:
                one.end()
            layer.count(one.case)
    finally:
        torture.origin.limit()


class Failure:
    """One case: `kind` is who meets the failure, `stacked` whether it is EIO, `is_cut` whether a power cut follows."""

    def __init__(self, torture, layer, number):
        self.chance = random.Random(f"{torture.seed} C2 {number}")
        self.kind = KINDS[number % len(KINDS)]
        self.is_stacked = number // len(KINDS) % 2 == 1
        # Without a journal a power cut takes more than the ledger can answer for.
        self.is_cut = not self.is_stacked and self.chance.random() < 0.5
        self.seconds = self.chance.uniform(0, SECONDS_MAX)
        self.orders = self.chance.choice(ORDERS_PER_ADD)
        self.case = layer.case(
            number, f"'{self.kind}' meets {'EIO' if self.is_stacked else 'ENOSPC'} after {1000 * self.seconds:.0f} ms, "
                    f"{self.orders} orders a batch"
                    f"{', then a power cut' if self.is_cut else ''}")
        self.origin = torture.origin
        self.folder = torture.place / f"failure-{number}"
        self.folder.mkdir()
        self.small = Mount(self.folder / "small")
        self.outer = Disk(self.small.place / "outer", self.folder / "outer") if self.is_stacked else None
        image = (self.outer or self.small).place / "image"
        self.disk = Disk(image, self.folder / "disk")
        self.mounts = [mount for mount in (self.disk, self.outer, self.small) if mount]
        self.program = OnDisk(torture.ledger, self.disk.place, self.folder)
        self.witness = oracle.Witness(self.origin)
        self.origin.clear()
        sources = Sources(self.origin, self.chance)
        self.names = [sources.make(f"sync-{place}.bin", int(FILE_BYTES_MAX ** self.chance.uniform(0.3, 1)))
                      for place in range(FILES)]
        self.listing = self.folder / "list.txt"

    def end(self):
        take_down(self.program, *self.mounts)
        shutil.rmtree(self.folder)

    def set_up(self):
        self.small.mount("-t", "tmpfs", "-o", f"size={TMPFS_BYTES}", "tmpfs")
        disks = [(self.outer, OUTER_BYTES, JOURNAL), (self.disk, INNER_BYTES, NO_JOURNAL)] if self.is_stacked else [
            (self.disk, INNER_BYTES, JOURNAL)]
        for disk, size, journal in disks:
            disk.make(size, *MKFS, *journal)
            # In this mode all bytes go through the journal, and so round it once.
            disk.attach("data=journal" if journal is JOURNAL else "nodiscard")
            disk.prime()
            disk.umount()
            disk.attach(OPTIONS if journal is JOURNAL else "errors=continue")
        (self.outer or self.disk).take_pages_singly()
        for disk, *_ in reversed(disks):
            disk.trim()

    def run(self):
        self.set_up()
        urls = [self.origin.url(name) for name in self.names]
        ended = self.program.run("add", *urls, "-d", self.program.files, "--json")
        self.case.expect(ended.code == 0, f"add while there is room: {ended}")
        self.witness.hear(ended.out)
        holder = None if self.kind == "add" else self.hold()
        time.sleep(self.seconds if holder else 0)
        if self.kind == "recovery":
            holder.kill()
            oracle.check(self.program, self.witness, self.case)
        fill(self.small.place, leaving=0)
        if self.kind == "recovery":
            holder = self.hold()
        self.fail(holder)
        downloads = self.recover(holder)
        if downloads is not None:
            self.finish(downloads)

    def hold(self):
        """Starts a holder; it may have met the failure before it serves anyone."""
        holder = self.program.start("run", "--no-api", "--quiet")
        until(lambda: holder.poll() is not None or serves(self.program.home / "ledger.sock"), END_SECONDS_MAX)
        return holder

    def fail(self, holder):
        """Adds until the failure is met: whoever meets it ends with 74, and says why; so does the holder."""
        for number in range(ADDS_MAX):
            if holder and holder.poll() is not None:
                break
            self.listing.write_text("".join(
                f"{self.origin.url(f'{FILLER}{number}-{n}')}\n" for n in range(self.orders)))
            ended = self.program.run(
                "add", "-i", self.listing, "-d", self.program.files, "--not-before", "1h", "--json", seconds=60)
            self.witness.hear(ended.out)
            if ended.code != 0:
                self.tally("add", ended)
                # Who asks a holder that ends just then is told that, or takes over and meets the disk by itself.
                self.case.expect(ended.code == 74 and "next:" in ended.err, f"add on the disk that failed: {ended}")
                self.case.expect('"state"' not in ended.out, f"it failed and acknowledged: {ended.out[:100]}")
                if not holder:
                    return
                break
        else:
            self.case.expect(False, f"{ADDS_MAX} adds went onto a disk that takes nothing")
        if holder:
            self.fail_holder(holder)

    def fail_holder(self, holder):
        """A holder whose batch could not be synced ends with 74. One that found no room for zeros goes on: nothing
        of what was asked had been written yet, and it refuses what comes until there is room (see Recovery)."""
        deadline = time.monotonic() + END_SECONDS_MAX
        while holder.poll() is None and time.monotonic() < deadline:
            time.sleep(0.05)
        ended = holder.ended
        if ended is None:
            self.case.layer.tally["run went on, and had refused for lack of room"] += 1
            self.case.expect(not self.is_stacked, "a sync failed with EIO and run goes on")
        else:
            self.tally("run", ended)
            self.case.expect(ended.code == 74 and "next:" in ended.err, f"run on the disk that failed: {ended}")

    def tally(self, command, ended):
        """Counts what failed by what the command says: `... what it was to do`, `cause: CALL 'PATH': WHY`."""
        lines = ended.err.splitlines()
        step = next((line.rpartition(" to ")[2] for line in lines if " to " in line and "next:" not in line), "?")
        why = next((line.rpartition(": ")[2] for line in lines if "cause:" in line), "?")
        self.case.layer.tally[f"{command}, exit {ended.code}: {step}: {why}"] += 1

    def recover(self, holder):
        """Makes room. What a recovery vouches for, or what was acknowledged before, is there after a power cut."""
        (self.small.place / "filler").unlink()
        goes_on = holder is not None and holder.poll() is None
        if self.is_cut or goes_on:
            ended = self.program.run("add", self.origin.url(f"{FILLER}after"), "-d", self.program.files,
                                     "--not-before", "1h", "--json")
            self.case.expect(ended.code == 0, f"add once there is room: {ended}")
            self.witness.hear(ended.out)
        if self.is_cut:
            if not goes_on:
                oracle.check(self.program, self.witness, self.case)
            self.disk.cut()
        if goes_on:
            holder.kill()
        self.mount_again()
        return oracle.check(self.program, self.witness, self.case)

    def mount_again(self):
        """What the kernel only calls clean is gone when the disk is mounted again, and what a cut takes, too."""
        self.disk.umount()
        if self.is_stacked:
            self.outer.umount()
            self.outer.attach(OPTIONS)
        self.disk.attach("errors=continue" if self.is_stacked else OPTIONS)
        if self.is_cut:
            self.case.expect(not self.disk.has_canary(), "the cut took nothing: bytes are there that nobody synced")

    def finish(self, downloads):
        gone = {id for id, download in downloads.items() if download.name.startswith(FILLER)}
        if gone:
            ended = self.program.run("delete", *sorted(gone), "--purge", "--quiet")
            self.case.expect(ended.code == 0, f"delete once there is room: {ended}")
        # A download that met a full disk looks again after 30 seconds; one that is resumed does at once.
        for act in ("pause", "resume"):
            self.program.run(act, "--all", "--quiet")
        ended = self.program.run("run", "--no-api", "--until-idle", "--quiet")
        self.case.expect(ended.code == 0, f"run --until-idle once there is room: {ended}")
        oracle.live(self.program, self.case)
        oracle.check(self.program, self.witness, self.case, was_cut=False)
        # So far all that was read came from memory.
        if self.is_cut:
            self.disk.cut()
        self.mount_again()
        after = oracle.check(self.program, self.witness, self.case, was_cut=self.is_cut) or {}
        oracle.finished(self.program, self.witness, self.case, after, gone)
