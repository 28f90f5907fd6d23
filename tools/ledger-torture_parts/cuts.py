"""C1. Real power cuts: home and files on ext4 on a loop device, whose power is cut while the ledger works on it.

What the commands printed is kept outside the disk. A round is up to 20 cuts of one ledger, then everything is
finished and compared; each round has the next of the mount options, and each of them has a round.
"""

import math
import random
import shutil
import time

from smoke_parts.checks import serves
from smoke_parts.full_disk import OnDisk

from . import oracle
from .disk import Disk
from .interruption import take_down
from .sources import Sources

OPTIONS = [f"data={data},commit={commit}" for data in ("ordered", "writeback", "journal") for commit in (1, 5, 1000)]
CUTS_PER_ROUND_MAX = 20
# Bytes that nobody synced are there after a cut only if a sync of the ledger's came between the two: 4 times in 1,000.
# If cuts had no effect with one of the mount options, the bytes would be there after one cut in nine.
TOOK_PART_MIN = 0.95
TOOK = "cuts that took unsynced bytes"
IMAGE_BYTES = 128 << 20
# With data=journal all bytes go through the journal. Small blocks tear a batch in more places.
MKFS = ("-J", "size=16", "-b")
BLOCK_BYTES = ("1024", "4096")
FILES = 120
FILE_BYTES_MAX = 600_000
# Some take long enough that their progress goes on record.
LARGE_FILES, LARGE_FILE_BYTES = 12, 3 << 20
# Orders of one batch that is large enough to be torn; they are never begun, and deleted at the end.
LATER, LATER_ORDERS = "later-", 150
BYTES_PER_SECOND_MAX = "1500K"
JOBS = ("-j", "8", "--per-host", "8")
EVENTS = {"add": "enqueued", "many": "enqueued", "pause": "paused", "resume": "resumed", "delete": "deleted",
          "purge": "deleted"}
HOLDER_SECONDS_MAX = 20
CUTS_FOR_EACH_LOOK_AT_A_LIVE_HOLDER = 10


class Schedule:
    """What happens before one cut: how long it takes to come, and which commands are given when."""

    # Progress goes on record once a second: some cuts come late enough that it does.
    LATE_PART, LATE_SECONDS = 0.08, (1.0, 1.4)
    RECOVERY_PART, RECOVERY_SECONDS = 0.3, (0, 0.06)
    SECONDS = (0, 0.4)
    ACTS = {"add": 6, "many": 2, "pause": 2, "resume": 2, "delete": 1, "purge": 1, "compact": 1}

    def __init__(self, chance, is_first):
        kind = chance.random()
        # In recovery: counted from the start of the process and not from when it serves its socket.
        self.is_in_recovery = not is_first and kind < self.RECOVERY_PART
        if self.is_in_recovery:
            self.seconds = chance.uniform(*self.RECOVERY_SECONDS)
        else:
            self.seconds = chance.uniform(*self.LATE_SECONDS if kind > 1 - self.LATE_PART else self.SECONDS)
        self.acts = sorted((chance.uniform(0, self.seconds), act) for act in chance.choices(
            list(self.ACTS), list(self.ACTS.values()), k=chance.randint(1, 3)))
        if is_first:
            self.acts.insert(0, (0, "add"))

    def __str__(self):
        acts = ", ".join(f"{act} at {1000 * at:.0f} ms" for at, act in self.acts)
        return f"cut {'in recovery ' if self.is_in_recovery else ''}after {1000 * self.seconds:.0f} ms; {acts}"


def run(torture, layer):
    cuts = min(CUTS_PER_ROUND_MAX, math.ceil(layer.total / len(OPTIONS)))
    rounds = max(len(OPTIONS), math.ceil(layer.total / cuts))
    layer.total = rounds * cuts
    for number in range(rounds) if torture.case is None else [int(torture.case)]:
        one_round = Round(torture, layer, number)
        try:
            one_round.run(cuts)
        finally:
            one_round.end()
    took = layer.tally[TOOK]
    layer.expect(took >= TOOK_PART_MIN * layer.cases, f"only {took} of {layer.cases} cuts took unsynced bytes")


class Round:
    """One ledger on one disk."""

    def __init__(self, torture, layer, number):
        self.layer = layer
        self.number = number
        self.options = OPTIONS[number % len(OPTIONS)]
        self.chance = random.Random(f"{torture.seed} C1 {number}")
        self.folder = torture.place / f"round-{number}"
        self.folder.mkdir()
        self.disk = Disk(self.folder / "image", self.folder / "disk")
        self.program = OnDisk(torture.ledger, self.disk.place, self.folder)
        self.witness = oracle.Witness(torture.origin)
        self.gone = set()
        torture.origin.clear()
        sources = Sources(torture.origin, self.chance)
        sizes = [int(FILE_BYTES_MAX ** self.chance.random()) for _ in range(FILES)] + [LARGE_FILE_BYTES] * LARGE_FILES
        self.chance.shuffle(sizes)
        self.later = 0
        self.names = [sources.make(f"cut-{place}.bin", size) for place, size in enumerate(sizes)]

    def end(self):
        take_down(self.program, self.disk)
        shutil.rmtree(self.folder)

    def run(self, cuts):
        self.disk.make(IMAGE_BYTES, *MKFS, BLOCK_BYTES[self.number % len(BLOCK_BYTES)])
        self.disk.attach(self.options)
        for cut in range(1, cuts + 1):
            schedule = Schedule(self.chance, is_first=cut == 1)
            case = self.layer.case(self.number, f"round {self.number}, {self.options}, cut {cut}: {schedule}")
            with case.survives(self.program.home, self.program.files):
                self.cut(schedule, case)
                # A disk that is not mounted again without e2fsck raises here: that is a breach, too.
                self.disk.attach(self.options)
                self.layer.tally[TOOK] += not self.disk.has_canary()
                oracle.check(self.program, self.witness, case)
                if cut == cuts:
                    self.finish(case)
                elif cut % CUTS_FOR_EACH_LOOK_AT_A_LIVE_HOLDER == 0:
                    oracle.live(self.program, case, *JOBS)
            self.layer.count(case)
            if not self.disk.is_mounted:
                return

    def cut(self, schedule, case):
        """Starts the ledger, gives it its commands, and cuts the power."""
        holder = self.program.start("run", "--no-api", "--quiet", *JOBS, "--max-rate", BYTES_PER_SECOND_MAX)
        if not schedule.is_in_recovery:
            self.wait(holder, case)
        begin = time.monotonic()
        commands = []
        for at, act in schedule.acts:
            time.sleep(max(0, begin + at - time.monotonic()))
            commands.append((act, self.command(act)))
        time.sleep(max(0, begin + schedule.seconds - time.monotonic()))
        ended = holder.poll()
        case.expect(ended is None, f"run ended by itself before the cut: {ended}")
        self.disk.cut()
        holder.kill()
        for act, running in commands:
            if running is not None:
                running.kill()
                self.hear(act, running.ended)
        self.disk.umount()

    def wait(self, holder, case):
        """Waits until the holder has recovered and serves its socket."""
        deadline = time.monotonic() + HOLDER_SECONDS_MAX
        while not serves(self.program.home / "ledger.sock"):
            if holder.poll() is not None or time.monotonic() > deadline:
                return case.expect(False, f"it does not recover: {holder.ended or 'no socket'}")
            time.sleep(0.002)

    def command(self, act):
        """Starts a command; none when nothing is there to act upon."""
        ids = sorted(set(self.witness.urls) - self.gone)
        if act == "add":
            count = min(len(self.names), self.chance.randint(1, 3))
            urls = [self.witness.origin.url(self.names.pop()) for _ in range(count)]
            return self.program.start("add", *urls, "-d", self.program.files, "--json") if urls else None
        if act == "many":
            self.later += 1
            urls = [self.witness.origin.url(f"{LATER}{self.later}-{n}") for n in range(LATER_ORDERS)]
            return self.program.start("add", *urls, "-d", self.program.files, "--not-before", "1h", "--json")
        if act == "compact":
            return self.program.start("compact", "--keep-events", "0", "--quiet")
        if not ids:
            return None
        id = self.chance.choice(ids)
        if act in ("delete", "purge"):
            # Whether it is acknowledged or not: from here on, either is right.
            self.gone.add(id)
            return self.program.start("delete", id, "--json", *["--purge"] * (act == "purge"))
        return self.program.start(act, "--all" if self.chance.random() < 0.5 else id, "--json")

    def hear(self, act, ended):
        if act in EVENTS:
            self.witness.hear(ended.out, EVENTS[act])

    def finish(self, case):
        """Downloads all that is left, at full speed, and compares everything."""
        before = oracle.check(self.program, self.witness, case) or {}
        # A deletion that was not acknowledged may not be there: it is made now.
        self.gone &= set(before)
        self.gone |= {id for id, download in before.items() if download.name.startswith(LATER)}
        open_deletions = [id for id in self.gone if before[id].phase != "deleted"]
        if open_deletions:
            ended = self.program.run("delete", *open_deletions, "--purge", "--quiet")
            case.expect(ended.code == 0, f"delete: {ended}")
        self.program.run("resume", "--all", "--quiet")
        ended = self.program.run("run", "--no-api", "--until-idle", "--quiet", *JOBS)
        case.expect(ended.code == 0, f"run --until-idle: {ended}")
        oracle.live(self.program, case)
        after = oracle.check(self.program, self.witness, case, was_cut=False) or {}
        oracle.finished(self.program, self.witness, case, after, self.gone)
        self.disk.umount()
        found = self.disk.check()
        case.expect(found is None, f"e2fsck finds: {found}")
