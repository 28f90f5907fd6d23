"""One picture of a run: how far each target was met or missed."""

import html
import math

from .report import short

WIDTH, ROW, TOP, LABEL, RIGHT = 960, 26, 64, 520, 90
# What the scale shows, as times of what was aimed at.
LEAST, MOST = 0.25, 16.0


def draw(report):
    """The SVG: a bar for each target, to the right of the line when it holds, on a logarithmic scale."""
    rows = [row for row in report.targets if row["value"] is not None]
    height = TOP + ROW * len(rows) + 20
    line = place(1.0)
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" role="img" '
        'font-family="system-ui, sans-serif" font-size="13">',
        "<title>What was aimed at, and what was seen</title>",
        f'<rect width="{WIDTH}" height="{height}" fill="#fff"/>',
        f'<text x="16" y="24" font-size="16" font-weight="600">What was aimed at, and what was seen</text>',
    ]
    for times in (0.25, 0.5, 1, 2, 4, 8, 16):
        x = place(times)
        parts.append(f'<line x1="{x:.0f}" y1="{TOP - 8}" x2="{x:.0f}" y2="{height - 16}" stroke="#ddd"/>')
        parts.append(f'<text x="{x:.0f}" y="{TOP - 14}" text-anchor="middle" fill="#555">{times:g}×</text>')
    for number, row in enumerate(rows):
        y = TOP + ROW * number
        end = place(times_better(row))
        colour = "#2a7a4b" if row["holds"] else "#b3541e"
        label = html.escape(f"{row['work']}: {row['target']}")
        parts += [
            f'<text x="{LABEL - 8}" y="{y + 16}" text-anchor="end">{label}</text>',
            f'<rect x="{min(line, end):.0f}" y="{y + 5}" width="{max(1, abs(end - line)):.0f}" height="14" '
            f'fill="{colour}"/>',
            f'<text x="{WIDTH - RIGHT + 8}" y="{y + 16}">{seen(row)}</text>',
        ]
    parts += [f'<line x1="{line:.0f}" y1="{TOP - 8}" x2="{line:.0f}" y2="{height - 16}" stroke="#333"/>', "</svg>"]
    return "\n".join(parts) + "\n"


def times_better(row):
    """How many times better than aimed at, whichever way better is."""
    if row["least"] is not None:
        return row["value"] / row["least"]
    return row["most"] / row["value"] if row["value"] else MOST


def place(times):
    share = math.log(min(max(times, LEAST), MOST) / LEAST) / math.log(MOST / LEAST)
    return LABEL + share * (WIDTH - LABEL - RIGHT)


def seen(row):
    return html.escape(short(row["value"]) + row["unit"])
