"""A long queue: how soon ledger serves it, what it takes in memory, and what its length costs; and doing nothing."""

import json
import pathlib
import shutil
import time
import urllib.request

from daemon import Daemon

from .appends import figures
from .measure import memory as resident
from .measure import run
from .servers import Aria2

MANY, SOME = 1_000_000, 100_000
PART = 10_000
URL_BYTES = 80
HOSTS = 100
LENGTHS, LENGTHS_QUICK = (1_000, 10_000, 100_000, 1_000_000), (1_000, 100_000)
# The head of a log is written five seconds after the last event, and threads that have nothing to do end after five.
SETTLE_SECONDS = 12
# Beyond so many aria2c would need more memory than machines have: 12 KiB each.
PEER_MAX = 100_000


def url(number):
    """A URL of 80 bytes, at one of 100 hosts."""
    start = f"https://files{number % HOSTS}.example.org/a/place/of/files/"
    return start + str(number).rjust(URL_BYTES - len(start), "-")


def asked(port, path, body=None):
    request = urllib.request.Request(
        f"http://127.0.0.1:{port}{path}", None if body is None else json.dumps(body).encode(),
        {"Content-Type": "application/json"})
    with urllib.request.urlopen(request, timeout=300) as answer:
        return answer.read()


def queued(stage, count):
    """A place for a daemon whose ledger has so many downloads that wait, made once and kept."""
    place = stage.cache / f"queue-{count}"
    if not (place / "made").exists():
        stage.clear(place)
        with Daemon(stage.ledger, place) as daemon:
            for start in range(0, count, PART):
                # Far in the future: in the queue, and nothing is fetched.
                asked(daemon.port, "/v1/downloads", [
                    {"url": url(number), "notBefore": "2199-01-01T00:00:00Z"}
                    for number in range(start, min(count, start + PART))])
        (place / "made").touch()
    return place


def copied(stage, count, name):
    """A copy of such a place for one work."""
    place = stage.disk / name / f"queue-{count}"
    shutil.rmtree(place, ignore_errors=True)
    shutil.copytree(queued(stage, count), place, ignore=shutil.ignore_patterns("ledger.sock"))
    return place


def session(stage, name, count):
    """The same downloads as aria2c reads them."""
    path = stage.clear(stage.disk / name / f"aria2-{count}") / "session"
    path.write_text("".join(f"{url(number)}\n pause=true\n" for number in range(count)))
    return path


def aria2(program, path):
    return Aria2(program, path.parent, f"--input-file={path}")


def start(stage):
    """From the start of the program to the first answer of its API, with so many downloads in the queue."""
    name = "start"
    for count in ((SOME,) if stage.quick else (SOME, MANY)):
        work = f"start, {count:,} queued"
        place = copied(stage, count, name)
        bare = copied(stage, count, f"{name}-bare")

        def ledger(place=place):
            begin = time.monotonic()
            with Daemon(stage.ledger, place) as daemon:
                asked(daemon.port, "/v1/downloads?limit=100")
                answered = time.monotonic()
                # What finds downloads by their names is made beside all else, and the first order needs it.
                asked(daemon.port, "/v1/downloads", [{"url": url(MANY), "notBefore": "2199-01-01T00:00:00Z"}])
                return {"wallSeconds": answered - begin, "firstOrderSeconds": time.monotonic() - answered,
                        "peakBytes": resident(daemon.process.pid, "VmHWM")}

        def from_log(bare=bare):
            # An orderly end saves one; what a crash leaves may have none.
            for snapshot in (bare / "home" / "snapshots").iterdir():
                snapshot.unlink()
            return ledger(bare)

        contestants = {"ledger, from a snapshot": ledger, "ledger, from the log alone": from_log}
        program = stage.peer(work, "aria2c", "aria2") if count <= PEER_MAX else None
        if program:
            path = session(stage, name, count)

            def peer(path=path):
                with aria2(program, path) as server:
                    return {"wallSeconds": server.took, "peakBytes": resident(server.process.pid, "VmHWM")}
            contestants["aria2c"] = peer
        stage.race(work, contestants)
        shutil.rmtree(place)
        shutil.rmtree(bare)
    start_aims(stage.report)


def start_aims(report):
    work = f"start, {MANY:,} queued"
    for who, most in (("ledger, from a snapshot", 1.0), ("ledger, from the log alone", 4.0)):
        series = report.series.get((work, who))
        report.target(work, f"{who}: first answer within {most:.0f} s", series and series.median("wallSeconds"),
                      most=most, unit=" s")
    work = f"start, {SOME:,} queued"
    report.target(work, "ledger answers that much sooner than aria2c",
                  report.ratio(work, "wallSeconds", "aria2c", "ledger, from a snapshot"), least=4.0, unit="x")


def memory(stage):
    """What one more queued download takes of the whole process, all told."""
    work, count = "memory", SOME if stage.quick else MANY
    place = copied(stage, count, work)

    def taken(place):
        with Daemon(stage.ledger, place) as daemon:
            asked(daemon.port, "/v1/downloads?limit=100")
            # What finds downloads by their names is in memory from the first order on.
            asked(daemon.port, "/v1/downloads", [{"url": url(count), "notBefore": "2199-01-01T00:00:00Z"}])
            return resident(daemon.process.pid)

    def ledger():
        empty, full = taken(stage.clear(stage.disk / work / "empty")), taken(place)
        return {"downloads": count, "residentBytes": full, "bytesEach": (full - empty) / count}

    contestants = {"ledger": ledger}
    if program := stage.peer(work, "aria2c", "aria2"):
        path, few = session(stage, work, min(count, PEER_MAX)), session(stage, work, 1)

        def peer():
            with aria2(program, few) as server:
                empty = resident(server.process.pid)
            with aria2(program, path) as server:
                full = resident(server.process.pid)
            return {"downloads": min(count, PEER_MAX), "residentBytes": full,
                    "bytesEach": (full - empty) / min(count, PEER_MAX)}
        contestants["aria2c"] = peer
    stage.race(work, contestants, runs=1 if stage.quick else min(stage.runs, 3))
    shutil.rmtree(place)
    series = stage.report.series.get((work, "ledger"))
    stage.report.target(work, f"bytes for each of {count:,} queued downloads, all told",
                        series and series.median("bytesEach"), most=600)


def length(stage):
    """What is to run next, one more, the last page of the list: whatever the length of the queue."""
    lengths = LENGTHS_QUICK if stage.quick else LENGTHS

    def at(count):
        home = stage.clear(stage.disk / "length") / "home"
        return figures(stage, [stage.bench, "length", "--home", home, "--downloads", count])

    work = "length"
    stage.race(work, {f"{count:,} queued": (lambda count=count: at(count)) for count in lengths},
               runs=1 if stage.quick else min(stage.runs, 3))
    shutil.rmtree(stage.disk / "length")
    for words, figure in (
            ("what is to run next", "planMicroseconds"), ("one more", "enqueueMicroseconds"),
            ("one more, durably", "durableEnqueueMicroseconds"), ("the last page as it runs", "pageMicroseconds"),
            ("the last page by id", "pageByNumberMicroseconds")):
        stage.report.target(
            work, f"{words}: {lengths[-1]:,} queued beside {lengths[0]:,}",
            stage.report.ratio(work, figure, f"{lengths[-1]:,} queued", f"{lengths[0]:,} queued"), most=2.0, unit="x")


def switches(pid):
    """How often each of its threads was woken, or made to wait."""
    return {
        thread.name: sum(int(line.split()[1]) for line in (thread / "status").read_text(encoding="ascii").splitlines()
                         if "ctxt_switches" in line)
        for thread in pathlib.Path(f"/proc/{pid}/task").iterdir()}


def idle(stage):
    """A version, and a server that nobody asks anything."""
    seconds = 5 if stage.quick else 10

    def rest(pid):
        time.sleep(SETTLE_SECONDS)
        before = switches(pid)
        time.sleep(seconds)
        # What a thread that ended meanwhile did before is no part of this time; one that began did all of it in it.
        woken = sum(count - before.get(thread, 0) for thread, count in switches(pid).items())
        return {"wakeupsPerSecond": woken / seconds, "residentBytes": resident(pid)}

    def ledger():
        with Daemon(stage.ledger, stage.clear(stage.disk / "idle")) as daemon:
            return rest(daemon.process.pid)

    def version(program):
        return lambda: {"wallSeconds": run([program, "--version"], stage.disk)["wallSeconds"]}

    contestants, versions = {"ledger": ledger}, {"ledger": version(stage.ledger)}
    if program := stage.peer("idle", "aria2c", "aria2"):
        versions["aria2c"] = version(program)

        def peer():
            with Aria2(program, stage.clear(stage.disk / "idle-aria2")) as server:
                return rest(server.process.pid)
        contestants["aria2c"] = peer
    stage.race("version", versions, runs=5 * stage.runs)
    # Waiting is all it does: a run more says nothing more.
    stage.race("idle", contestants, runs=1 if stage.quick else 2)
    report = stage.report
    series = report.series.get(("version", "ledger"))
    report.target("version", "within 30 ms", series and series.median("wallSeconds") * 1000, most=30, unit=" ms")
    series = report.series.get(("idle", "ledger"))
    report.target("idle", "memory", series and series.median("residentBytes") / (1 << 20), most=40, unit=" MiB")
    report.target("idle", "wake-ups a second", series and series.median("wakeupsPerSecond"), most=0.1)
