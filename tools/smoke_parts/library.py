"""6. The library alone: ten tasks that want one file of 200 MB, and an app killed 50 times during 300 downloads."""

import json
import random
import subprocess
import time

from . import checks
from .program import ENVIRONMENT, different, same

BIG_FILE_BYTES = 200 * 1000 * 1000
TASKS = 10
FILES = 300
KILLS_FULL = 50
SECONDS_BETWEEN_KILLS = (0.05, 1.2)
APP_SECONDS_MAX = 300


def run(program, origin, options, report):
    app = program.path.parent / "embedded-app"
    if not app.exists():
        return report.breach(f"'{app}' is not there: build it with 'swift build -c release --product embedded-app'")
    chance = random.Random(options.seed + 6)
    ten(app, program, origin, chance, report)
    killed(app, program, origin, chance, KILLS_FULL if options.kills > 20 else options.kills, report)


def ten(app, program, origin, chance, report):
    """One request, ten results, ten whole streams of progress."""
    origin.clear()
    with open(origin.files / "big.bin", "wb") as file:
        block = chance.randbytes(8 << 20)
        for _ in range(BIG_FILE_BYTES // len(block)):
            file.write(block)
        file.write(block[:BIG_FILE_BYTES % len(block)])
    origin.begin()
    home = program.home.parent / "ten"
    start = time.monotonic()
    ended = subprocess.run(
        [app, "ten", home, origin.url("big.bin")], env=ENVIRONMENT, capture_output=True, text=True,
        timeout=APP_SECONDS_MAX, check=False)
    report.expect(ended.returncode == 0, f"the app: exit {ended.returncode}: {ended.stderr[-300:]}")
    rows = [json.loads(line) for line in ended.stdout.splitlines()]
    time.sleep(0.5)
    requests = [request for request in origin.requests() if request.method == "GET"]
    report.figure("requests for ten tasks", len(requests), "= 1")
    report.expect(len(requests) == 1, f"{len(requests)} requests were made for one file")
    whole = [row for row in rows if row["finished"] and row["received"] == BIG_FILE_BYTES and row["updates"] > 1]
    report.figure("whole streams of progress", len(whole), f"= {TASKS}")
    report.expect(len(whole) == TASKS, f"{len(whole)} of {TASKS} streams went to their end: {rows[:2]}")
    report.figure("updates of each", f"{min(r['updates'] for r in rows)} to {max(r['updates'] for r in rows)}")
    files = {row["file"] for row in rows}
    report.expect(len(files) == 1 and sum(not row["joined"] for row in rows) == 1, f"results: {files}")
    report.expect(
        all(same(origin.files / "big.bin", home / "downloads" / "big.bin") for _ in files), "the file is another")
    report.figure("wall", f"{time.monotonic() - start:.1f} s")


def killed(app, program, origin, chance, kills, report):
    """What the app was told is durable survives every kill, and all of it arrives."""
    origin.clear()
    names = [f"item-{number:03}.bin" for number in range(FILES)]
    for name in names:
        (origin.files / name).write_bytes(name.encode() + chance.randbytes(chance.randrange(400_000)))
    # Slow enough that the downloads outlast the kills.
    total = sum(path.stat().st_size for path in origin.files.iterdir())
    origin.limit(int(total / (kills * sum(SECONDS_BETWEEN_KILLS) / 2) / 16))
    listing = program.home.parent / "list.txt"
    listing.write_text("".join(origin.url(name) + "\n" for name in names))
    acknowledged = {}
    survived = 0
    start = time.monotonic()
    while True:
        out = program.scratch()
        with open(out, "w+b") as file:
            process = subprocess.Popen(
                [app, "work", program.home, program.files, listing], env=ENVIRONMENT, stdout=file,
                stderr=subprocess.PIPE)
            try:
                seconds = chance.uniform(*SECONDS_BETWEEN_KILLS) if survived < kills else APP_SECONDS_MAX
                _, words = process.communicate(timeout=seconds)
            except subprocess.TimeoutExpired:
                process.kill()
                _, words = process.communicate()
        lines = out.read_text().splitlines()
        out.unlink()
        for line in lines:
            number, _, url = line.partition(" ")
            if not url:
                continue
            report.expect(
                acknowledged.setdefault(url, number) == number, f"'{url}' was {acknowledged[url]} and is {number}")
        if process.returncode >= 0:
            break
        survived += 1
        if time.monotonic() - start > APP_SECONDS_MAX:
            return report.breach(f"not done after {survived} kills and {APP_SECONDS_MAX} s")
    report.expect(process.returncode == 0, f"the last life: exit {process.returncode}: {words[-300:]!r}")
    report.expect(survived >= kills, f"done after {survived} kills already")
    report.figure("kills of the app survived", survived, f">= {kills}")
    report.figure("downloads acknowledged", len(acknowledged), f"= {FILES}")
    report.expect(len(acknowledged) == FILES, f"{len(acknowledged)} of {FILES} were acknowledged")
    wrong = different(origin, program.files, names)
    report.expect(not wrong, f"{len(wrong)} files differ from their source, the first is {wrong[:1]}")
    extra = {path.name for path in program.files.iterdir()} - set(names)
    report.expect(not extra, f"files that nobody asked for: {sorted(extra)[:5]}")
    events = checks.audit(program, report)
    enqueued = [event for event in events if event["type"] == "enqueued"]
    report.expect(len(enqueued) == FILES, f"{len(enqueued)} were enqueued")
    report.figure("wall of the kills", f"{time.monotonic() - start:.1f} s")
    origin.limit(0)
    origin.clear()
