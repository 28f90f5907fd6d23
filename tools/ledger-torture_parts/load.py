"""The load test: a long queue, 16 clients that steer it through the command line, and a holder that is killed."""

import hashlib
import itertools
import os
import pathlib
import random
import shutil
import signal
import statistics
import threading
import time

from smoke_parts.checks import serves
from smoke_parts.program import Program

from . import oracle
from .interruption import take_down
from .sources import Sources

CLIENTS = 16
SECONDS_BETWEEN_KILLS = 5
# A client that found nobody may hold the ledger for as long as it needs it.
TAKEOVER_SECONDS_MAX = 60
SECONDS_BETWEEN_LOOKS = 0.25
SECONDS_BETWEEN_REPLAYS = 60
FILE_BYTES = 16 << 10
BYTES_PER_SECOND = 64 << 10
JOBS = ("-j", "4", "--per-host", "4")
ACTS = {"add": 4, "pause": 2, "resume": 2, "cancel": 1, "delete": 1}
EVENTS = {"add": "enqueued", "pause": "paused", "resume": "resumed", "cancel": "cancelled", "delete": "deleted"}
# Done; refused, as that download is cancelled already and such; nobody could be reached.
UNREACHABLE = 11
CODES = (0, 1, UNREACHABLE)
COMMAND_SECONDS_MAX = 120
DRAIN_SECONDS_MAX = 5
MEMORY_GROWTH_MAX = 1.10
# Each client may be connected, and each download has a few files and sockets.
DESCRIPTORS_SWING_MAX = 2 * CLIENTS + 16


def run(torture, layer):
    source = Sources(torture.origin, random.Random(f"{torture.seed} load")).make("source.bin", FILE_BYTES)
    # All URLs are of one file: the origin should not be what fills the disk.
    torture.origin.limit(BYTES_PER_SECOND, f"rewrite ^/load- /{source} break")
    program = Program(torture.ledger, torture.place / "home", torture.place / "files")
    witness = LoadWitness(torture.origin, source)
    clients = Clients(torture, program, witness)
    case = layer.case(0, f"{torture.downloads} downloads, {torture.minutes} minutes")
    try:
        with case.survives(program.home):
            enqueue(torture, program, witness, layer, case)
            holders = Holders(program, witness, layer, case)
            holders.begin()
            clients.start()
            holders.run(torture.minutes * 60)
            clients.stop()
            holders.leave()
            judge(program, witness, clients, holders, layer, case)
    finally:
        clients.stop()
        take_down(program)
        torture.origin.limit()
    layer.count(case)
    shutil.rmtree(torture.place)


class LoadWitness(oracle.Witness):
    def __init__(self, origin, name):
        super().__init__(origin)
        self.name = name

    def source(self, _):
        return self.origin.files / self.name


def enqueue(torture, program, witness, layer, case):
    """The queue, in one command."""
    urls = [torture.origin.url(f"load-{number}.bin") for number in range(torture.downloads)]
    listing = torture.place / "list.txt"
    listing.write_text("".join(url + "\n" for url in urls))
    ended = program.run("add", "-i", listing, "-d", program.files)
    ids = [int(line) for line in ended.out.split()]
    case.expect(ended.code == 0 and len(ids) == len(urls), f"add -i: {len(ids)} numbers, {ended}")
    witness.urls.update(zip(ids, urls))
    layer.figure("enqueued by one command", f"{len(ids)} in {ended.seconds:.1f} s")


class Clients:
    """Threads that give one command after another."""

    def __init__(self, torture, program, witness):
        self.program = program
        self.witness = witness
        self.origin = torture.origin
        self.lock = threading.Lock()
        self.is_stopped = threading.Event()
        self.commands = self.acknowledged = self.unreachable = 0
        self.failures = []
        self.threads = [
            threading.Thread(
                target=self.work, args=(number, random.Random(f"{torture.seed} load {number}")), daemon=True)
            for number in range(CLIENTS)]

    def start(self):
        self.ids = sorted(self.witness.urls)
        for thread in self.threads:
            thread.start()

    def stop(self):
        self.is_stopped.set()
        for thread in self.threads:
            if thread.ident is not None:
                thread.join(COMMAND_SECONDS_MAX)

    def work(self, number, chance):
        made = 0
        while not self.is_stopped.is_set():
            act = chance.choices(list(ACTS), list(ACTS.values()))[0]
            made += 1
            what = chance.choice(self.ids)
            if act == "add":
                what = self.origin.url(f"load-{number}-{made}.bin")
            self.give(act, what)

    def give(self, act, what):
        place = ("-d", self.program.files) if act == "add" else ()
        with self.lock:
            running = self.program.start(act, what, "--json", *place)
        deadline = time.monotonic() + COMMAND_SECONDS_MAX
        # Seldom enough that 16 of these loops leave the processors to what is tested.
        while running.poll() is None and time.monotonic() < deadline:
            time.sleep(0.03)
        with self.lock:
            ended = running.ended
            self.commands += 1
            if ended is None:
                running.kill()
                self.failures.append(f"{act} {what} did not end in {COMMAND_SECONDS_MAX} s")
                return
            self.acknowledged += ended.code == 0
            self.unreachable += ended.code == UNREACHABLE
            # What it printed counts, whatever became of it then.
            self.witness.hear(ended.out, EVENTS[act])
            if ended.code not in CODES:
                self.failures.append(f"{act} {what}: {ended}")


class Holders:
    """`run`, killed every five seconds and started again, and what it takes meanwhile."""

    def __init__(self, program, witness, layer, case):
        self.program = program
        self.witness = witness
        self.layer = layer
        self.case = case
        self.peaks = []
        self.resident = []
        self.descriptors = []
        self.starts = []
        self.kills = []
        self.running = None
        self.unreachable = 0
        self.looked = time.monotonic()

    def run(self, seconds):
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            if self.running.poll() is not None and not self.begin():
                return
            self.watch()
            if time.monotonic() < end:
                self.case.expect(self.running.kill(), f"run ended by itself: {self.running.ended}")
                self.kills.append(time.monotonic())
                self.peaks.append(self.running.ended.peak_mib)
            if time.monotonic() - self.looked > SECONDS_BETWEEN_REPLAYS:
                self.replay()

    def begin(self):
        """Starts it, and waits until it holds the ledger and serves its socket.

        With a long queue a client that took the ledger over reads it for a second or more before it answers anyone:
        `run` may say meanwhile that nobody can be reached, and is started again.
        """
        start = begun = time.monotonic()
        running = self.start()
        while not (holds(running.process.pid) and serves(self.program.home / "ledger.sock")):
            ended = running.poll()
            if time.monotonic() - start > TAKEOVER_SECONDS_MAX or ended and ended.code != UNREACHABLE:
                return self.case.expect(False, f"run does not take the ledger in {TAKEOVER_SECONDS_MAX} s: {ended}")
            if ended:
                self.unreachable += 1
                begun = time.monotonic()
                running = self.start()
            time.sleep(0.01)
        self.starts.append(time.monotonic() - begun)
        return True

    def start(self):
        self.running = self.program.start("run", "--no-api", "--quiet", *JOBS)
        return self.running

    def watch(self):
        end = time.monotonic() + SECONDS_BETWEEN_KILLS
        counts = []
        resident = 0
        while time.monotonic() < end and self.running.poll() is None:
            place = pathlib.Path(f"/proc/{self.running.process.pid}")
            try:
                counts.append(len(os.listdir(place / "fd")))
                resident = int((place / "statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE") >> 20
            except OSError:
                break
            time.sleep(SECONDS_BETWEEN_LOOKS)
        if counts:
            self.descriptors.append((counts[0], max(counts), counts[-1]))
            self.resident.append(resident)

    def replay(self):
        """What the log shows now begins what it shows later."""
        self.looked = time.monotonic()
        ended = self.program.run("replay", "--json")
        self.case.expect(ended.code == 0, f"replay beside the clients: {ended}")
        lines = ended.out.splitlines()
        before = self.witness.lines
        self.case.expect(lines[:len(before)] == before, "the log does not begin as it did before")
        self.witness.lines = lines

    def leave(self):
        """The last one leaves when it is asked to; the time may have been over just when one was killed."""
        if self.running.poll() is not None and not self.begin():
            return
        start = time.monotonic()
        self.running.kill(signal.SIGTERM)
        ended = self.running.wait(60)
        seconds = time.monotonic() - start
        self.peaks.append(ended.peak_mib)
        self.layer.figure("SIGTERM to the end", f"{seconds:.2f} s", f"< {DRAIN_SECONDS_MAX} s")
        self.case.expect(ended.code == 0 and seconds < DRAIN_SECONDS_MAX, f"SIGTERM: {seconds:.1f} s, {ended}")


def holds(pid):
    """Whether a process has the lock of a ledger."""
    with open("/proc/locks", encoding="ascii") as locks:
        return any("FLOCK" in line and line.split()[4] == str(pid) for line in locks)


def judge(program, witness, clients, holders, layer, case):
    layer.figure("commands, acknowledged, exit 11",
                 f"{clients.commands}, {clients.acknowledged}, {clients.unreachable}")
    gaps = [after - before for before, after in itertools.pairwise(holders.kills)]
    if case.expect(gaps, f"{len(holders.kills)} kills are too few"):
        layer.figure("kills", len(holders.kills))
        layer.figure("kills a minute", f"{60 / statistics.mean(gaps):.1f}")
        layer.figure("seconds between kills, median", f"{statistics.median(gaps):.1f}")
    layer.figure("run found nobody to reach (exit 11)", holders.unreachable)
    case.expect(not clients.failures, f"{len(clients.failures)} commands failed, first so: {clients.failures[:2]}")
    few = max(1, min(3, len(holders.peaks) // 2))
    first, last = statistics.median(holders.peaks[:few]), statistics.median(holders.peaks[-few:])
    layer.figure("memory at its peak, first, last", f"{first:.0f}, {last:.0f} MiB", f"<= {MEMORY_GROWTH_MAX:.2f} times")
    layer.figure("memory before the kill, first, last", f"{holders.resident[0]}, {holders.resident[-1]} MiB")
    case.expect(last <= first * MEMORY_GROWTH_MAX, f"memory grew from {first:.0f} to {last:.0f} MiB")
    layer.figure("descriptors: begin, most, end", f"{holders.descriptors[0]} to {holders.descriptors[-1]}")
    swing = max(end for _, _, end in holders.descriptors) - min(begin for begin, _, _ in holders.descriptors)
    case.expect(swing <= DESCRIPTORS_SWING_MAX, f"descriptors swing by {swing}: {holders.descriptors[-5:]}")
    layer.figure("start to serving: alone, median, most",
                 f"{holders.starts[0]:.2f}, {statistics.median(holders.starts):.2f}, {max(holders.starts):.2f} s")
    start = time.monotonic()
    downloads = oracle.check(program, witness, case) or {}
    phases = [download.phase for download in downloads.values()]
    layer.figure("downloads: all, completed", f"{len(phases)}, {phases.count('completed')}")
    layer.figure("events", len(witness.lines))
    layer.figure("sum over the events", hashlib.sha256("\n".join(witness.lines).encode()).hexdigest()[:12])
    layer.figure("the oracle took", f"{time.monotonic() - start:.1f} s")
