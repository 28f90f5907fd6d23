"""Figures and breaches of each scenario."""

import time


class Scenario:
    def __init__(self, tool, key, title):
        self.tool = tool
        self.key = key
        self.title = title
        self.figures = []
        self.columns = []
        self.rows = []
        self.skipped = []
        self.breaches = []
        self.start = time.monotonic()
        print(f"{tool}: {key}. {title}", flush=True)

    def figure(self, name, value, bound=""):
        self.figures.append((name, str(value), bound))

    def row(self, **cells):
        """A line of the scenario's table; the first one names the columns."""
        self.columns = self.columns or list(cells)
        self.rows.append([str(cells[column]) for column in self.columns])

    def skip(self, words):
        self.skipped.append(words)
        print(f"{self.tool}: {self.key}. SKIPPED ({words})", flush=True)

    def breach(self, words):
        self.breaches.append(words)
        print(f"{self.tool}: {self.key}. BREACH: {words}", flush=True)

    def expect(self, holds, words):
        if not holds:
            self.breach(words)
        return holds

    def print(self):
        print(f"{self.key}. {self.title}")
        for name, value, bound in self.figures:
            print(f"   {name:<34}{value:>14}  {bound}".rstrip())
        table = [self.columns, *self.rows] if self.rows else []
        widths = [max(map(len, column)) for column in zip(*table)]
        for line in table:
            first, *rest = (cell.ljust(width) if n == 0 else cell.rjust(width)
                            for n, (cell, width) in enumerate(zip(line, widths)))
            print("   " + "  ".join([first, *rest]).rstrip())


class Report:
    """All scenarios of a tool; `titles` holds the title of each key."""

    def __init__(self, tool, titles):
        self.tool = tool
        self.titles = titles
        self.scenarios = {}

    def scenario(self, key):
        if key not in self.scenarios:
            self.scenarios[key] = Scenario(self.tool, key, self.titles[key])
        return self.scenarios[key]

    @property
    def breaches(self):
        return [(s.key, words) for s in self.scenarios.values() for words in s.breaches]

    @property
    def skipped(self):
        return [(s.key, words) for s in self.scenarios.values() for words in s.skipped]

    def print(self, seconds, seed):
        print()
        for scenario in self.scenarios.values():
            scenario.print()
        print(f"\n{seconds:.0f} s, seed {seed}")
        for key, words in self.skipped:
            print(f"SKIPPED in {key}: {words}")
        for key, words in self.breaches:
            print(f"BREACH in {key}: {words}")
        left_out = f", {len(self.skipped)} SKIPPED" if self.skipped else ""
        print(f"{self.tool}: failed{left_out}" if self.breaches else f"{self.tool}: passed{left_out}")
