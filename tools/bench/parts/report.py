"""What was measured: a JSON line for each run, a table of medians, and what was aimed at."""

import json
import re
import statistics
import sys


class Series:
    """All runs of one contestant at one work."""

    def __init__(self, work, who):
        self.work, self.who, self.runs = work, who, []

    def values(self, figure):
        return [run[figure] for run in self.runs if figure in run]

    def median(self, figure):
        values = self.values(figure)
        return statistics.median(values) if values else None

    def spread(self, figure):
        """How far the runs lie apart: the largest less the smallest, as a part of the median."""
        values = self.values(figure)
        middle = statistics.median(values)
        return (max(values) - min(values)) / middle if middle else 0.0


class Report:
    """Takes figures as they come, and tells them: lines for machines into a file, words for people on stderr."""

    def __init__(self, path):
        self.series, self.targets, self.notes = {}, [], []
        self.lines = open(path, "w", encoding="utf-8")

    def add(self, work, who, number, figures):
        figures = {name: value for name, value in figures.items() if isinstance(value, (int, float))}
        self.series.setdefault((work, who), Series(work, who)).runs.append(figures)
        self.line({"work": work, "who": who, "run": number, **figures})

    def line(self, row):
        self.lines.write(json.dumps(row) + "\n")
        self.lines.flush()

    def note(self, work, words):
        """What a reader of a work's figures has to know: a peer that is missing, a contestant that broke."""
        self.notes.append((work, words))
        self.line({"work": work, "note": words})
        print(f"bench: {work}: {words}", file=sys.stderr, flush=True)

    def ratio(self, work, figure, one, other):
        """The median of `one` divided by that of `other`; None when one of them has none."""
        pair = [self.series.get((work, who)) for who in (one, other)]
        if not all(pair):
            return None
        above, below = (series.median(figure) for series in pair)
        return above / below if above is not None and below else None

    def target(self, work, words, value, least=None, most=None, unit=""):
        """What was aimed at, and what came of it; a value of None says that it could not be measured."""
        holds = None if value is None else (least is None or value >= least) and (most is None or value <= most)
        row = {"work": work, "target": words, "value": value, "least": least, "most": most, "holds": holds}
        self.targets.append({**row, "unit": unit})
        self.line(row)

    def table(self):
        lines = []
        for work in dict.fromkeys(work for work, _ in self.series):
            rows = [series for (of, _), series in self.series.items() if of == work]
            figures = list(dict.fromkeys(name for series in rows for run in series.runs for name in run))
            lines += [f"", f"### {work}", "", "| who | runs | " + " | ".join(map(title, figures)) + " |",
                      "| --- | ---: |" + " ---: |" * len(figures)]
            for series in rows:
                cells = [cell(series, figure) for figure in figures]
                lines.append(f"| {series.who} | {len(series.runs)} | " + " | ".join(cells) + " |")
            lines += [f"\n{words}" for of, words in self.notes if of == work]
        known = {work for work, _ in self.series}
        lines += [f"\n{work}: {words}" for work, words in self.notes if work not in known]
        lines += ["", "### What was aimed at", "", "| work | target | seen | holds |", "| --- | --- | ---: | --- |"]
        for row in self.targets:
            seen = "-" if row["value"] is None else f"{short(row['value'])}{row['unit']}"
            holds = {True: "yes", False: "**no**", None: "not measured"}[row["holds"]]
            lines.append(f"| {row['work']} | {row['target']} | {seen} | {holds} |")
        return "\n".join(lines).strip() + "\n"


UNITS = {"Seconds": "s", "Milliseconds": "ms", "Bytes": "MiB"}


def title(figure):
    """`wallSeconds` as 'wall s'."""
    for suffix, unit in UNITS.items():
        if figure.endswith(suffix):
            return f"{words(figure[:-len(suffix)])} {unit}"
    return words(figure)


def words(name):
    """`cpuSecondsPerGB` as 'cpu seconds per GB'."""
    return re.sub("[A-Z]+", lambda found: " " + (found[0] if len(found[0]) > 1 else found[0].lower()), name)


def cell(series, figure):
    middle = series.median(figure)
    if middle is None:
        return ""
    scale = 1 << 20 if figure.endswith("Bytes") else 1
    spread = f" ±{series.spread(figure) * 50:.0f}%" if len(series.values(figure)) > 1 else ""
    return short(middle / scale) + spread


def short(value):
    """A number in three digits, in groups of thousands where there are more."""
    if abs(value) >= 1000 or value == int(value):
        return f"{value:,.0f}"
    return f"{value:.3g}"
