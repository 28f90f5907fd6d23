"""B1. The real binary killed at its system calls that write: of downloads, of deletions, of a compaction.

The calls are counted over all threads by tools/kill-sweep_parts/kill-at.c: `strace -e inject=CALL:when=N` counts for
each thread alone, and so never meets some calls of a program with many.
"""

import pathlib
import random
import shutil
import signal
import subprocess
import sys
import time

from smoke_parts import checks
from smoke_parts.program import Program

from . import oracle
from .interruption import take_down
from .sources import Sources

KILL_AT = pathlib.Path(__file__).resolve().parent.parent / "kill-sweep_parts" / "kill-at.c"
# Of these an architecture may lack some; it has others in their place.
CALLS = ("write,pwrite64,writev,fdatasync,fsync,rename,renameat,renameat2,unlink,unlinkat,ftruncate,fallocate,mkdir,"
         "mkdirat,openat")
KILLED = 137
CALLS_MAX = 1 << 14
CASES_FOR_EACH_LOOK_AT_A_LIVE_HOLDER = 10

GET = ("get", "-s", "2", "-j", "4", "--json", "-i")
# What is killed in each stage. "resume" begins with parts that the log claims; those after it with all downloaded.
STAGES = {
    "get": GET,
    "resume": GET,
    "trash": ("delete", "1", "2", "--json"),
    "purge": ("delete", "3", "4", "--purge", "--json"),
    "compact": ("compact", "--keep-events", "0", "--json"),
}
ACTS = {"get": "enqueued", "resume": "enqueued", "trash": "deleted", "purge": "deleted"}
GONE = {"trash": (1, 2), "purge": (3, 4)}
SIZES = (0, 1, 511, 4096, 65_537)
LARGE_SIZES = (150_000, 600_000)
# So that "resume" finds parts: how fast the first attempt is, and when it is asked to leave.
FIRST_BYTES_PER_SECOND = "200K"
FIRST_SECONDS = 0.3


def run(torture, layer):
    killer = torture.place / "kill-at"
    subprocess.run(["cc", "-O2", "-Wall", "-o", str(killer), str(KILL_AT)], check=True)
    probe = subprocess.run([killer, "1", CALLS, "/bin/true"], check=False, capture_output=True, text=True)
    if probe.returncode != KILLED:
        return layer.skip("a process can not be traced here: allow ptrace; in a container, --cap-add SYS_PTRACE "
                          f"(exit {probe.returncode}: {probe.stderr.strip()})")
    sweep = Sweep(torture, layer, killer)
    if torture.case is not None:
        stage, nth, variant = torture.case.split(":")
        return sweep.kill(stage, int(nth), int(variant))
    counts = {stage: sweep.count(stage) for stage in STAGES}
    layer.figure("calls that write", ", ".join(f"{stage} {count}" for stage, count in counts.items()))
    print(f"ledger-torture: B1: calls that write: {counts}", file=sys.stderr, flush=True)
    places = [(stage, nth) for stage, count in counts.items() for nth in range(1, count + 1)]
    if not places:
        return layer.skip("none of the calls that write was met")
    # Spread over all of them; when there are fewer than kills, all of them, again and again with other files.
    step = max(1.0, len(places) / layer.total)
    made = 0
    while layer.cases < layer.total:
        turn = int(made * step)
        sweep.kill(*places[turn % len(places)], turn // len(places))
        made += 1
        if made > 2 * layer.total:
            return layer.breach(f"only {layer.cases} of {made} runs had so many calls that they were killed")


class Sweep:
    def __init__(self, torture, layer, killer):
        self.torture = torture
        self.layer = layer
        self.killer = killer

    def count(self, stage):
        """How many calls a stage makes, about: their number depends on how its threads take turns."""
        few, many = 0, 1
        while self.is_killed(stage, many):
            few, many = many, many * 2
            if many > CALLS_MAX:
                raise RuntimeError(f"'{stage}' makes more than {CALLS_MAX} calls")
        while many - few > max(1, many // 32):
            middle = (few + many) // 2
            few, many = (middle, many) if self.is_killed(stage, middle) else (few, middle)
        return many - 1

    def is_killed(self, stage, nth):
        with Trial(self, stage, nth, 0) as trial:
            trial.prepare()
            ended = trial.killed()
        if ended.code not in (KILLED, 0):
            raise RuntimeError(f"'{stage}' was not killed at call {nth}, and ended so: {ended}")
        return ended.code == KILLED

    def kill(self, stage, nth, variant):
        number = f"{stage}:{nth}:{variant}"
        case = self.layer.case(number, f"killed at call {nth} of '{stage}', files {variant}")
        was_killed = False
        with Trial(self, stage, nth, variant) as trial, case.survives(trial.program.home, trial.program.files):
            was_killed = trial.run(case, self.layer.cases % CASES_FOR_EACH_LOOK_AT_A_LIVE_HOLDER == 0)
        # One that made fewer calls this time than N is no case, unless it went wrong.
        if was_killed or case.is_broken:
            self.layer.count(case)


class Trial:
    """One run of a stage in a folder of its own."""

    def __init__(self, sweep, stage, nth, variant):
        self.stage = stage
        self.nth = nth
        self.origin = sweep.torture.origin
        self.folder = sweep.torture.place / "trial"
        self.folder.mkdir()
        self.program = Program(sweep.torture.ledger, self.folder / "home", self.folder / "files")
        self.killer = Program(sweep.killer, self.program.home, self.program.files)
        self.witness = oracle.Witness(self.origin)
        chance = random.Random(f"{sweep.torture.seed} B1 {variant}")
        self.origin.clear()
        sources = Sources(self.origin, chance)
        sizes = [*SIZES, *(chance.randint(*LARGE_SIZES) for _ in range(2))]
        names = [sources.make(f"call-{number}.bin", size) for number, size in enumerate(sizes, 1)]
        self.get = (*GET, sources.listing(self.folder / "list.txt", names), "-d", self.program.files)
        self.command = self.get if STAGES[stage] is GET else STAGES[stage]

    def __enter__(self):
        return self

    def __exit__(self, *_):
        take_down(self.killer, self.program)
        shutil.rmtree(self.folder)

    def prepare(self):
        """What a stage begins with."""
        if self.stage == "get":
            return
        if self.stage == "resume":
            running = self.program.start(*self.get, "--max-rate", FIRST_BYTES_PER_SECOND)
            time.sleep(FIRST_SECONDS)
            running.kill(signal.SIGTERM)
            ended = running.wait()
        else:
            ended = self.program.run(*self.get)
            if ended.code != 0:
                raise RuntimeError(f"get, not killed: {ended}")
        self.witness.hear(ended.out)
        self.witness.lines = self.program.run("replay", "--json").out.splitlines()

    def killed(self):
        return self.killer.run(self.nth, CALLS, self.program.path, *self.command, seconds=60)

    def run(self, case, looks_at_holder):
        """Kills it, judges, takes the command to its end, and judges again. Returns whether it was killed."""
        self.prepare()
        ended = self.killed()
        act, gone = ACTS.get(self.stage), GONE.get(self.stage, ())
        if act:
            self.witness.hear(ended.out, act)
        was_killed = ended.code == KILLED
        case.expect(was_killed or ended.code == 0, f"it was not killed, and ended so: {ended}")
        before = oracle.check(self.program, self.witness, case) or {}
        again = self.program.run(*self.command)
        # A deletion that was recorded before the kill is refused the second time.
        is_done = act == "deleted" and all(before[id].phase == "deleted" for id in gone)
        case.expect(again.code == (1 if is_done else 0), f"the same command again: {again}")
        idle = self.program.run("run", "--no-api", "--until-idle", "--quiet")
        case.expect(idle.code == 0, f"run --until-idle: {idle}")
        after = oracle.check(self.program, self.witness, case, was_cut=False)
        oracle.finished(self.program, self.witness, case, after or {}, gone)
        if looks_at_holder:
            checks.digests(self.program, case)
        return was_killed
