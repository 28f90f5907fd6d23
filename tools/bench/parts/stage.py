"""Where the works are run: what there is on this machine, where files go, and the interleaving of the runs."""

import contextlib
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import time

from .measure import Broken
from .memory import kept

ROOT = pathlib.Path(__file__).resolve().parents[3]


class Stage:
    """What every work is given.

    `ledger` and `bench` are the built programs, `floor(name)` a built C floor; `tmpfs` and `disk` are directories of
    this run, removed at its end; `runs` is how often each contestant runs; `quick` asks for less of everything.
    """

    def __init__(self, report, ledger, bench, *, quick, runs):
        self.report, self.ledger, self.bench, self.quick, self.runs = report, ledger, bench, quick, runs
        self.stack = contextlib.ExitStack()
        self.cache = ROOT / ".build" / "bench"
        self.cache.mkdir(parents=True, exist_ok=True)

    def __enter__(self):
        self.stack.enter_context(kept(self.report))
        self.disk = pathlib.Path(self.stack.enter_context(
            tempfile.TemporaryDirectory(prefix="ledger-bench-", dir=self.cache)))
        self.tmpfs = pathlib.Path(self.stack.enter_context(
            tempfile.TemporaryDirectory(prefix="ledger-bench-", dir="/dev/shm")))
        return self

    def __exit__(self, *_):
        self.stack.close()

    def place(self, where):
        return {"tmpfs": self.tmpfs, "disk": self.disk}[where]

    def peer(self, work, program, package):
        """The path of a peer; None, with a note, when it is not here: nothing is installed in silence."""
        found = shutil.which(program, path=os.environ.get("PATH", "") + ":/usr/sbin")
        if found is None:
            self.report.note(work, f"{program} is not here, and not measured: apt-get install {package}")
        return found

    def floor(self, name, *libraries):
        """A C floor, built from tools/bench/floor when it is older than its source; None where there is no compiler."""
        source = ROOT / "tools" / "bench" / "floor" / f"{name}.c"
        built = self.cache / name
        if not built.exists() or built.stat().st_mtime < source.stat().st_mtime:
            if shutil.which("cc") is None:
                self.report.note("floors", "there is no C compiler: apt-get install gcc libc6-dev")
                return None
            ended = subprocess.run(
                ["cc", "-O2", "-Wall", "-Wextra", "-o", built, source, *libraries], capture_output=True, text=True)
            if ended.returncode:
                self.report.note("floors", f"{name}.c can not be built (libssl-dev?): {ended.stderr.strip()[-400:]}")
                return None
        return built

    def race(self, work, contestants, runs=None):
        """Runs each contestant `runs` times, in turn, a different one first each time; a broken one runs no more.

        A contestant is a function that does the work once and returns its figures by name; what it does before and
        after what is measured costs nothing.
        """
        runs = runs or self.runs
        left = {who: does for who, does in contestants.items() if does is not None}
        for number in range(1, runs + 1):
            names = list(left)
            turn = number % len(names) if names else 0
            for who in names[turn:] + names[:turn]:
                begin = time.monotonic()
                try:
                    figures = left[who]()
                except Broken as broken:
                    self.report.note(work, f"{who}: {broken}")
                    del left[who]
                    continue
                self.report.add(work, who, number, figures)
                print(f"bench: {work}: {who}: run {number} of {runs}: {time.monotonic() - begin:.1f} s",
                      file=sys.stderr, flush=True)

    def clear(self, path):
        """Empties a directory, and makes it when it is not there."""
        shutil.rmtree(path, ignore_errors=True)
        path.mkdir(parents=True)
        return path
