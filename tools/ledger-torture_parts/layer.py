"""A layer and its cases: how many there were, how many were survived, and what reproduces one that was not."""

import collections
import contextlib
import pathlib
import shutil
import sys
import time

from smoke_parts.report import Report, Scenario

SECONDS_BETWEEN_WORDS = 5
KEPT_MAX = 10


class Layer(Scenario):
    """One layer. What its cases leave behind when they break is kept under `evidence`."""

    def __init__(self, key, title, total, again, evidence):
        super().__init__("ledger-torture", key, title)
        self.total = total
        self.again = again
        self.evidence = pathlib.Path(evidence)
        self.cases = 0
        self.survived = 0
        self.kept = 0
        self.seconds = 0.0
        # What was met on the way, to show that the cases are not empty.
        self.tally = collections.Counter()
        self.said = time.monotonic()

    def case(self, number, schedule):
        return Case(self, number, schedule)

    def count(self, case):
        """Takes a case into account that is over."""
        self.cases += 1
        self.survived += not case.is_broken
        if time.monotonic() - self.said > SECONDS_BETWEEN_WORDS:
            self.said = time.monotonic()
            print(f"{self.tool}: {self.key}: {self.cases} of {self.total} cases, {self.survived} survived, "
                  f"{time.monotonic() - self.start:.0f} s", file=sys.stderr, flush=True)

    def end(self):
        self.seconds = time.monotonic() - self.start
        for name, count in sorted(self.tally.items()):
            self.figure(f"{name:<60}", count)

    def row_of_table(self):
        skipped = f"SKIPPED ({'; '.join(self.skipped)})" if self.skipped else None
        return {"layer": self.key, "what": self.title, "cases": self.cases, "survived": self.survived,
                "skipped": skipped, "seconds": round(self.seconds, 1)}


class Case:
    """One kill or cut. Takes the place of a scenario in what tools/smoke checks; a breach says its schedule."""

    def __init__(self, layer, number, schedule):
        self.layer = layer
        self.number = number
        self.schedule = schedule
        self.is_broken = False
        self.is_kept = False

    def expect(self, holds, words):
        if not holds:
            self.is_broken = True
            self.layer.breach(f"{words} [{self.schedule}; again: "
                              f"{self.layer.again} --only {self.layer.key} --case {self.number}]")
        return holds

    @contextlib.contextmanager
    def survives(self, *folders):
        """What happens in a case: whatever it breaks off with is a breach of it, and the folders are kept then."""
        try:
            yield
        except Exception as error:
            self.expect(False, f"broke off: {type(error).__name__}: {error}")
        self.keep(*folders)

    def figure(self, *_):
        """Figures of single cases are for nobody."""

    def keep(self, *folders):
        """Keeps a copy of what a case that broke has to show, once."""
        if self.is_kept or not self.is_broken or self.layer.kept == KEPT_MAX:
            return
        self.is_kept = True
        self.layer.kept += 1
        target = self.layer.evidence / f"{self.layer.key}-{self.number}-{self.layer.cases}"
        for folder in folders:
            # It copies what it can, and says then what a broken disk did not give.
            with contextlib.suppress(OSError):
                shutil.copytree(folder, target / folder.name, ignore=shutil.ignore_patterns("*.sock"), symlinks=True,
                                dirs_exist_ok=True)
        print(f"ledger-torture: what case {self.number} left is kept in '{target}'", file=sys.stderr, flush=True)


class Layers(Report):
    """All layers of a run."""

    def __init__(self, titles, again, evidence):
        super().__init__("ledger-torture", titles)
        self.again = again
        self.evidence = evidence

    def layer(self, key, total):
        self.scenarios[key] = Layer(key, self.titles[key], total, self.again, self.evidence)
        return self.scenarios[key]

    def table(self):
        """The table at the end, in lines."""
        lines = [("layer", "what", "cases", "survived", "seconds")]
        for layer in self.scenarios.values():
            row = layer.row_of_table()
            survived = row["skipped"] or str(row["survived"])
            lines.append((row["layer"], row["what"], str(row["cases"]), survived, f"{row['seconds']:.1f}"))
        widths = [max(map(len, column)) for column in zip(*lines)]
        return ["  ".join(cell.ljust(width) for cell, width in zip(line, widths)).rstrip() for line in lines]
