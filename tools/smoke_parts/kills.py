"""1. `get -i` of 200 files of 0 bytes to 64 MiB and one of 512 MiB, killed at random moments until it ends with 0."""

import math
import random
import time

from . import checks
from .program import different

FILES = 200
FILE_BYTES_MAX = 64 << 20
BIG_FILE_BYTES = 512 << 20
JOBS = 4
# As many as are asked for, and no more: left to itself it takes up to 8 where each connection is slow, as it is here.
STREAMS = 2
CONNECTIONS = JOBS * STREAMS
SECONDS_BETWEEN_KILLS = (0.05, 6)
REFETCHED_PART_MAX = 0.02


def run(program, origin, options, report):
    chance = random.Random(options.seed)
    names, total = make_files(origin, chance)
    # Slow enough that the downloads outlast the kills, whatever the machine.
    seconds = options.kills * sum(SECONDS_BETWEEN_KILLS) / 2
    rate = max(1 << 20, int(total / seconds / CONNECTIONS / 1.2))
    origin.limit(rate)
    listing = program.home.parent / "list.txt"
    listing.write_text("".join(origin.url(name) + "\n" for name in names))
    program.files.mkdir()
    origin.begin()

    start = time.monotonic()
    complete = {}
    kills = 0
    peak = 0
    while True:
        running = program.start("get", "-i", listing, "-d", program.files, "-j", JOBS, "-s", STREAMS,
                                "--quiet")
        ended = kill_or_wait(running, chance.uniform(*SECONDS_BETWEEN_KILLS) if kills < options.kills else None)
        peak = max(peak, running.ended.peak_mib)
        if ended is not None:
            break
        kills += 1
        now = time.time()
        for name in names:
            if name not in complete and (program.files / name).exists():
                complete[name] = now
        if time.monotonic() - start > 60 + seconds * 10:
            return report.breach(f"not done after {kills} kills and {time.monotonic() - start:.0f} s")
    wall = time.monotonic() - start
    report.expect(ended.code == 0, f"the last get: {ended}")
    report.expect(kills >= options.kills, f"done after {kills} kills already: the origin is too fast for this test")
    report.figure("files, MiB", f"{len(names)}, {total >> 20}")
    report.figure("kills survived", kills, f">= {options.kills}")
    report.figure("wall", f"{wall:.1f} s")
    report.figure("memory at its peak", f"{peak:.0f} MiB")
    judge(origin, names, total, complete, kills, rate, report)
    wrong = different(origin, program.files, names)
    report.expect(not wrong, f"{len(wrong)} files differ from their source, the first is {wrong[:1]}")
    extra = {path.name for path in program.files.iterdir()} - set(names)
    report.expect(not extra, f"files that nobody asked for: {sorted(extra)[:5]}")
    checks.audit(program, report)
    origin.limit(0)
    origin.clear()


def kill_or_wait(running, seconds):
    """How the command ended by itself, or nil once it was killed."""
    if seconds is None:
        return running.wait()
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        if running.poll() is not None:
            return running.ended
        time.sleep(0.002)
    return None if running.kill() else running.ended


def judge(origin, names, total, complete, kills, rate, report):
    """What the origin's log says about bytes and requests."""
    time.sleep(0.5)
    requests = origin.requests()
    sent = sum(request.bytes for request in requests if request.method == "GET")
    twice = max(0, sent - total)
    allowed = total * REFETCHED_PART_MAX + kills * rate * CONNECTIONS
    report.figure(
        "fetched twice", f"{100 * twice / total:.2f} %",
        f"<= {100 * allowed / total:.2f} % (2 % and a second of transfer for each kill)")
    report.figure("fetched twice for each kill", f"{twice / max(1, kills) / (rate * CONNECTIONS):.2f} s of transfer")
    report.expect(twice <= allowed, f"{twice} bytes were fetched twice, {allowed:.0f} are allowed")
    again = [r.name for r in requests if r.bytes > 0 and r.start > complete.get(r.name, math.inf)]
    report.expect(not again, f"complete files were fetched again: {sorted(set(again))[:5]}")
    report.figure("complete files fetched again", len(again), "= 0")
    report.figure("requests", len(requests))


def make_files(origin, chance):
    """Files of every size, from one random block, each told apart by its name at its start."""
    origin.clear()
    block = chance.randbytes(8 << 20)
    sizes = [0, 1, 511, 512, 4096, 65_536, FILE_BYTES_MAX]
    while len(sizes) < FILES:
        sizes.append(int(math.exp(chance.uniform(0, math.log(FILE_BYTES_MAX)))))
    chance.shuffle(sizes)
    sizes.append(BIG_FILE_BYTES)
    names = []
    for number, size in enumerate(sizes):
        name = f"file-{number:03}.bin"
        names.append(name)
        with open(origin.files / name, "wb") as file:
            file.write(name.encode()[:size])
            while (rest := size - file.tell()) > 0:
                offset = chance.randrange(len(block))
                file.write(block[offset:offset + rest])
    return names, sum(sizes)
