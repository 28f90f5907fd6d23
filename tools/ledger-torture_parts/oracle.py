"""What holds after every kill and every cut: see PROOF.md."""

import json
import signal

from smoke_parts.checks import HOLDER_SECONDS_MAX, folded_anew, serves, until
from smoke_parts.program import same

from .fold import fold

# What `verify` may say of a log that was cut short, and of one that was not; 10 where no ledger was made yet.
DONE, NO_LEDGER, TORN = 0, 10, 20


class Witness:
    """What was seen of a ledger from outside: what its commands acknowledged, and its log when it was last read."""

    def __init__(self, origin):
        self.origin = origin
        self.urls = {}
        self.acts = set()
        self.completed = set()
        self.lines = []

    def source(self, name):
        """The file that a download of this name is compared with."""
        return self.origin.files / name

    @property
    def has_seen(self):
        return bool(self.urls or self.acts or self.completed or self.lines)

    def hear(self, out, act="enqueued"):
        """Takes what a command printed with `--json`: each row stands for an event that is durable.

        A command that was killed may have left half a line, which acknowledges nothing. What was refused has no state.
        """
        for line in out.splitlines(keepends=True):
            row = json.loads(line) if line.endswith("\n") else {}
            if "state" not in row:
                continue
            self.acts.add((row["id"], act))
            if act == "enqueued":
                self.urls[row["id"]] = row["url"]
            if row["state"] == "completed":
                self.completed.add(row["id"])


def check(program, witness, case, was_cut=True):
    """The oracle, on a ledger that nobody holds. Returns what is known of each download, nil without a ledger."""
    # They only read, so they can go beside each other.
    verifying, replaying = program.start("verify", "--json"), program.start("replay", "--json")
    verified, replayed = verifying.wait(), replaying.wait()
    if verified.code == NO_LEDGER and not witness.has_seen:
        return None
    allowed = (DONE, TORN) if was_cut else (DONE,)
    case.expect(verified.code in allowed, f"verify: {verified}")
    tally = case.layer.tally
    tally["torn tails"] += verified.code == TORN
    if not case.expect(replayed.code == 0, f"replay: {replayed}"):
        return None
    lines = replayed.out.splitlines()
    events = [json.loads(line) for line in lines]
    history(lines, events, witness, case)
    acknowledged(events, witness, case)
    downloads = fold(events)
    for download in downloads.values():
        files(download, witness.source(download.name), case)
        tally["bytes of parts compared"] += sum(end - start for start, end in download.ranges)
        tally["finished files compared"] += download.phase == "completed"
    tally["acknowledgements looked up"] += len(witness.acts) + len(witness.completed)
    digests(program, case)
    witness.lines = lines
    return downloads


def history(lines, events, witness, case):
    """The numbers are 1 to n, and what was there before begins what is there now, to the letter."""
    case.expect([event["seq"] for event in events] == list(range(1, len(events) + 1)),
                f"the log's numbers are not 1 to {len(events)}")
    before = witness.lines
    if lines[:len(before)] != before:
        place = next((n for n, (old, new) in enumerate(zip(before, lines)) if old != new), len(lines))
        case.expect(False, f"event {place + 1} of the {len(before)} that were there is another one or gone")


def acknowledged(events, witness, case):
    """Whatever a command printed is in the log."""
    urls = {event["id"]: event["url"] for event in events if event["type"] == "enqueued"}
    lost = [id for id, url in witness.urls.items() if urls.get(id) != url]
    case.expect(not lost, f"ids were printed and are not there: {sorted(lost)[:5]}")
    there = {(event["id"], event["type"]) for event in events}
    done = witness.acts | {(id, "completed") for id in witness.completed}
    case.expect(done <= there, f"acknowledged and not in the log: {sorted(done - there)[:5]}")
    # The program noticed by itself that a file or a part holds less than it had on record.
    told = [event for event in events
            if event["type"] in ("missing", "altered") or event.get("error", {}).get("code") == "part-lost"]
    case.expect(not told, f"the log claimed more than the disk held: {told[:1]}")


def files(download, source, case):
    """The part file holds what the log claims, byte for byte; a finished file is its source."""
    if download.phase == "completed":
        case.expect(same(source, download.path), f"'{download.path}' is on record as completed and differs")
    elif download.phase == "publishing":
        # Between `verified` and `completed` the rename may or may not have been done.
        part = download.part()
        case.expect(same(source, download.path) or part is not None and same(source, part),
                    f"'{download.path}' is on record as whole, and neither it nor its part is")
    elif download.ranges:
        part = download.part()
        if case.expect(part is not None, f"the part of download {download.id} is gone: {download.ranges}"):
            wrong = [span for span in download.ranges if not holds(part, source, *span)]
            case.expect(not wrong, f"'{part}' does not hold the bytes {wrong[:3]} that the log claims")


def holds(part, source, start, end):
    """Whether a stretch of a part file is that of its source."""
    with open(part, "rb") as left, open(source, "rb") as right:
        left.seek(start)
        right.seek(start)
        found = left.read(end - start)
        return len(found) == end - start and found == right.read(end - start)


def digests(program, case):
    """The state is the same when it is folded without the snapshots; without any it is folded the same way."""
    if not any((program.home / "snapshots").glob("*.snap")):
        return
    closed, folded = program.digest(), folded_anew(program)
    case.expect(closed == folded, f"digests differ: {closed}, and folded anew {folded}")


def live(program, case, *arguments):
    """What a holder at work has in memory is what the log folds to; then it leaves when it is asked to.

    `checks.digests` is for one that has nothing to do: it compares digests of different moments.
    """
    holder = program.start("run", "--no-api", *arguments)
    try:
        until(lambda: serves(program.home / "ledger.sock"), HOLDER_SECONDS_MAX)
        checked = program.run("replay", "--check")
        case.expect(checked.code == 0, f"replay --check: {checked}")
    finally:
        holder.kill(signal.SIGTERM)
    ended = holder.wait(10)
    case.expect(ended.code == 0, f"run after SIGTERM: {ended}")
    digests(program, case)


def finished(program, witness, case, downloads, gone=()):
    """At the end: everything but what was deleted is complete and equals its source, and nothing else lies about."""
    left = {id: download.phase for id, download in downloads.items()
            if download.phase not in (("completed",) if id not in gone else ("deleted",))}
    case.expect(not left, f"at the end there are {sorted(left.items())[:5]}")
    wanted = {download.path.name for id, download in downloads.items() if id not in gone and download.path}
    there = {path.name for path in program.files.iterdir()} if program.files.is_dir() else set()
    case.expect(there == wanted, f"files are missing or nobody asked for them: {sorted(there ^ wanted)[:5]}")
    stray = [path.name for path in program.home.rglob("*.new")]
    case.expect(not stray, f"left behind in the home: {stray[:5]}")
    missing = [id for id in witness.urls if id not in downloads]
    case.expect(not missing, f"downloads that are nowhere: {missing[:5]}")
