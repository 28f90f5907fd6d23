"""The table: a row of BEHAVIOURS a line, a tool a column."""

import itertools


def print_table(cases, tools, verdicts, markdown):
    names = list(tools)
    if markdown:
        print("| row | cases | " + " | ".join(names) + " |")
        print("|---|---|" + "---|" * len(names))
    else:
        print(f"{'row':>4} {'cases':>5}  " + " ".join(f"{name:>7}" for name in names))
    totals = {name: [0, 0] for name in names}
    for row, group in itertools.groupby(cases, key=lambda case: case["row"]):
        group = list(group)
        marks = [mark(group, name, verdicts, totals) for name in names]
        if markdown:
            print(f"| {row} | {len(group)} | " + " | ".join(marks) + " |")
        else:
            print(f"{row:>4} {len(group):>5}  " + " ".join(f"{text:>7}" for text in marks))
    sums = [f"{right}/{played}" for right, played in totals.values()]
    if markdown:
        print(f"| all | {len(cases)} | " + " | ".join(sums) + " |")
        return
    print(f"{'all':>4} {len(cases):>5}  " + " ".join(f"{text:>7}" for text in sums))
    print()
    for case in cases:
        for name in names:
            verdict = verdicts[case["case"], name]
            if verdict.is_wrong:
                print(f"- {case['case']:<24} {name:<7} {verdict.how}")


def mark(group, name, verdicts, totals):
    """`+` when every case of the row is right, `-` when none is, else how many; `.` when it can not be had."""
    played = [verdict for case in group if not (verdict := verdicts[case["case"], name]).is_absent]
    right = sum(not verdict.is_wrong for verdict in played)
    totals[name][0] += right
    totals[name][1] += len(played)
    if not played:
        return "."
    return "+" if right == len(played) else "-" if right == 0 else f"{right}/{len(played)}"
