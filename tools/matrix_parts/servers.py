"""100 files each way, over one connection and in ranges, plain and TLS, while `get` is killed again and again."""

import random
import shutil
import time

from smoke_parts import checks
from smoke_parts.kills import kill_or_wait
from smoke_parts.program import Program

from . import judge, sources

FILES = 100
FILE_BYTES_MAX = 8 << 20
JOBS = 4
SPLITS = (1, 8)
SECONDS_BETWEEN_KILLS = (0.1, 2)
SECONDS_MAX_BEYOND_PLAN = 120


def run(ledger, server, place, options, scenario):
    chance = random.Random(options.seed)
    found = sources.mixed(server.files, FILES, FILE_BYTES_MAX, chance)
    for secure in (False, True):
        for split in SPLITS:
            cell = Cell(scenario, f"{server.program} {'TLS' if secure else 'plain'} -s {split}")
            folder = place / f"{secure}-{split}"
            folder.mkdir()
            program = Program(ledger, folder / "home", folder / "files")
            try:
                transfer(program, server, secure, split, found, options.kills, chance, cell)
            finally:
                program.end()
                shutil.rmtree(folder)


class Cell:
    """One line of the table: a scenario whose breaches say which way they were seen on."""

    def __init__(self, scenario, label):
        self.scenario = scenario
        self.label = label

    def expect(self, holds, words):
        return self.scenario.expect(holds, f"{self.label}: {words}")

    def figure(self, name, value, bound=""):
        """The audit's figures have no column: what it expects is what counts here."""


def transfer(program, server, secure, split, found, kills_wanted, chance, cell):
    total = sum(source.size for source in found)
    planned = kills_wanted * sum(SECONDS_BETWEEN_KILLS) / 2
    # So slow that the downloads outlast the kills, whatever the machine and the server.
    rate = int(total / planned / 1.3)
    listing = program.home.parent / "list.txt"
    listing.write_text("".join(server.url(source.name, secure) + "\n" for source in found))
    program.files.mkdir()
    server.begin()
    start = time.monotonic()
    complete = {}
    kills = peak = 0
    while True:
        running = program.start(
            "get", "-i", listing, "-d", program.files, "-j", JOBS, "-s", split, "--max-rate", rate, "--quiet",
            "--cacert", server.certificate.path)
        ended = kill_or_wait(running, chance.uniform(*SECONDS_BETWEEN_KILLS) if kills < kills_wanted else None)
        peak = max(peak, running.ended.peak_mib)
        if ended is not None:
            break
        kills += 1
        now = time.time()
        for source in found:
            if source.name not in complete and (program.files / source.name).exists():
                complete[source.name] = now
        if time.monotonic() - start > planned * 5 + SECONDS_MAX_BEYOND_PLAN:
            return cell.expect(False, f"not done after {kills} kills and {time.monotonic() - start:.0f} s")
    seconds = time.monotonic() - start
    cell.expect(ended.code == 0, f"the last get: {ended}")
    cell.expect(kills >= kills_wanted, f"done after {kills} kills already: too fast for this test")
    same = judge.equal(program, found, cell.expect)
    requests, again, ranged = origin_saw(server, split, complete, cell)
    events = checks.audit(program, cell)
    completed = [event["id"] for event in events if event["type"] == "completed"]
    cell.expect(
        len(completed) == len(set(completed)) == len(found), f"{len(completed)} completed of {len(found)} files")
    sent = sum(request.bytes for request in requests if request.method == "GET")
    cell.scenario.row(
        way=cell.label, files=len(found), MiB=total >> 20, kills=kills, equal="all" if same else "NO", again=again,
        requests=len(requests), ranges=ranged, twice=f"{max(0, sent - total) * 100 / total:.1f} %",
        peak=f"{peak:.0f} MiB", wall=f"{seconds:.1f} s")


def origin_saw(server, split, complete, cell):
    """The requests, how many were for what was complete already, and the most at once for one file."""
    time.sleep(0.5)
    requests = server.requests()
    again = sorted({
        request.name for request in requests
        if request.bytes > 0 and request.start > complete.get(request.name, float("inf"))})
    cell.expect(not again, f"complete files were fetched again: {again[:3]}")
    ranged = sum(request.status == 206 for request in requests)
    cell.expect(split == 1 or ranged > len(complete) / 8, f"-s {split} and only {ranged} answers are ranges")
    return requests, len(again), ranged
