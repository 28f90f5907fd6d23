"""2. 1,000 `ledger add` calls from 16 shells while `ledger run` is killed and started again."""

import random
import threading
import time

from . import checks
from .program import different

ADDS = 1000
SHELLS = 16
FILE_BYTES = 4096
SECONDS_BETWEEN_KILLS = (0.2, 1.0)
ADDS_SECONDS_MAX = 600
RUNS_ENDED_MAX = 20


def run(program, origin, options, report):
    chance = random.Random(options.seed + 1)
    origin.clear()
    names = [f"add-{number:04}.bin" for number in range(ADDS)]
    for name in names:
        (origin.files / name).write_bytes(name.encode() + chance.randbytes(FILE_BYTES))
    program.files.mkdir()
    origin.begin()
    start = time.monotonic()
    shells = Shells(program, origin, names)
    kills, peak = kill_runs(program, shells, chance, options.kills)
    shells.join()
    report.figure("adds answered", f"{len(shells.printed)}", f"= {ADDS}")
    report.expect(not shells.failures, f"{len(shells.failures)} adds failed, the first so: {shells.failures[:1]}")
    report.expect(
        not shells.runs_ended,
        f"{len(shells.runs_ended)} times run ended by itself, first so: {', '.join(map(str, shells.runs_ended[:1]))}")
    report.figure("kills survived", kills, f">= {options.kills}")
    report.expect(kills >= options.kills, f"only {kills} kills")
    adding = time.monotonic() - start
    ended = program.run("run", "--no-api", "--until-idle", "--quiet")
    report.expect(ended.code == 0, f"run --until-idle: {ended}")
    report.figure("wall: adding, then all", f"{adding:.1f} s, {time.monotonic() - start:.1f} s")
    report.figure("memory at its peak", f"{max(peak, ended.peak_mib):.0f} MiB")
    wrong = different(origin, program.files, names)
    report.expect(not wrong, f"{len(wrong)} files differ from their source, the first is {wrong[:1]}")

    events = checks.audit(program, report)
    enqueued = {event["id"]: event["url"] for event in events if event["type"] == "enqueued"}
    lost = [id for id, url in shells.printed.items() if enqueued.get(id) != url]
    report.figure("printed ids lost", len(lost), "= 0")
    report.expect(not lost, f"ids were printed and are not there: {sorted(lost)[:5]}")
    report.expect(len(enqueued) == ADDS, f"{len(enqueued)} downloads of {ADDS} URLs")
    origin.clear()


def kill_runs(program, shells, chance, wanted):
    """Kills `run` at random moments; after `wanted` kills the last one lives until every add was answered."""
    kills = 0
    peak = 0
    while shells.alive or kills < wanted:
        running = program.start("run", "--no-api", "--quiet")
        shells.begin()
        time.sleep(chance.uniform(*SECONDS_BETWEEN_KILLS))
        if kills + 1 >= wanted:
            shells.join(running)
        if running.kill():
            kills += 1
        else:
            shells.runs_ended.append(running.ended)
            if len(shells.runs_ended) > RUNS_ENDED_MAX:
                break
        peak = max(peak, running.ended.peak_mib)
    return kills, peak


class Shells:
    """16 threads, each of which adds its share of the URLs one after another."""

    def __init__(self, program, origin, names):
        self.program = program
        self.origin = origin
        self.printed = {}
        self.failures = []
        self.runs_ended = []
        self.lock = threading.Lock()
        self.threads = [threading.Thread(target=self.add, args=(names[n::SHELLS],), daemon=True) for n in range(SHELLS)]
        self.begun = False

    def begin(self):
        if not self.begun:
            self.begun = True
            for thread in self.threads:
                thread.start()

    @property
    def alive(self):
        return not self.begun or any(thread.is_alive() for thread in self.threads)

    def join(self, running=None):
        """Waits for the threads, or for the end of a command that should outlive them."""
        deadline = time.monotonic() + ADDS_SECONDS_MAX
        while self.alive and time.monotonic() < deadline and (running is None or running.poll() is None):
            time.sleep(0.05)

    def add(self, names):
        for name in names:
            url = self.origin.url(name)
            with self.lock:
                running = self.program.start("add", url, "-d", self.program.files)
            ended = running.wait(120)
            with self.lock:
                for line in ended.out.split():
                    self.printed[int(line)] = url
                if ended.code != 0:
                    self.failures.append(f"add: {ended}")
