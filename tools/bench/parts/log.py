"""A long log: read, folded, verified and compacted, beside what its peers do with theirs."""

import os
import shutil
import statistics
import time

from .appends import figures
from .measure import run
from .servers import Redis, resp

EVENTS, EVENTS_QUICK = 10_000_000, 500_000
# A longer log is one of so many, several times over.
EVENTS_MADE = 1_000_000
COMPACTED, COMPACTED_QUICK = 1_000_000, 200_000
# An event for each tenth has a download, and a key in the logs of the peers.
PER_DOWNLOAD = 10
BYTES = 100
# Reading or loading ten million of anything takes long: these are as many runs as say how far they lie apart.
RUNS_LONG = 3


def made(stage, events):
    """The home of a ledger with so many events, made once and kept."""
    home = stage.cache / f"log-{events}"
    if (home / "made").exists():
        return home
    # In memory: what is measured is how it is read, and each of its commits would wait for a disk.
    draft = stage.tmpfs / "draft"
    if events > EVENTS_MADE:
        # The simulation that makes a log takes five times as long as having it several times over.
        command = [stage.bench, "repeat-log", "--from", made(stage, EVENTS_MADE), "--times", events // EVENTS_MADE]
    else:
        command = [stage.bench, "make-log", "--events", events, "--downloads", events // PER_DOWNLOAD]
    run([*command, "--home", draft], stage.tmpfs)
    stage.clear(home)
    shutil.copytree(draft, home, dirs_exist_ok=True)
    shutil.rmtree(draft)
    (home / "made").touch()
    return home


def replay(stage):
    """From the first event to the last, from a log that is in the page cache."""
    work, events = "replay", EVENTS_QUICK if stage.quick else EVENTS
    home = made(stage, events)
    place = stage.clear(stage.disk / "replay")
    contestants = {
        "ledger, read": lambda: passed(stage, home, "read"),
        "ledger, folded": lambda: passed(stage, home, "fold"),
        # On two, each waits for memory that the other has just written: that is how long it takes, not what a core does.
        "ledger, folded on one core": lambda: passed(stage, home, "fold-on-one-core"),
        "redis, append-only file": redis_load(stage, work, place, events),
        "rocksdb, write-ahead log": rocksdb_recovery(stage, place, events),
        "sqlite, scan": sqlite_scan(stage, place, events),
    }
    stage.race(work, contestants, runs=None if stage.quick else min(stage.runs, RUNS_LONG))
    shutil.rmtree(place)
    report = stage.report
    for who, least in (("ledger, read", 5e6), ("ledger, folded on one core", 2e6)):
        series = report.series.get((work, who))
        report.target(work, f"{who}: events a second of processor time",
                      series and series.median("eventsPerCpuSecond"), least=least)
    for peer in list(contestants)[3:]:
        report.target(work, f"ledger folds as fast as {peer}",
                      report.ratio(work, "eventsPerSecond", "ledger, folded", peer), least=1.0, unit="x")


def passed(stage, home, what):
    return figures(stage, [stage.bench, "replay", "--home", home, "--pass", what])


def redis_load(stage, work, place, events):
    """How long Redis takes from its start until it answers, less what it takes without anything to load."""
    server = stage.peer(work, "redis-server", "redis-server")
    if server is None:
        return None
    full, empty = place / "redis", place / "redis-empty"
    write_appended(full / "appendonlydir", events)

    def load():
        with Redis(server, empty) as nothing:
            pass
        with Redis(server, full) as loaded:
            return {"eventsPerSecond": events / (loaded.took - nothing.took)}
    return load


def write_appended(directory, events):
    """The log of a Redis that was sent so many SETs."""
    directory.mkdir(parents=True)
    value = b"x" * BYTES
    with open(directory / "appendonly.aof.1.incr.aof", "wb") as log:
        log.write(resp("SELECT", 0))
        for start in range(0, events, 10_000):
            log.write(b"".join(
                resp("SET", b"key:%012d" % (number % (events // PER_DOWNLOAD)), value)
                for number in range(start, min(events, start + 10_000))))
    (directory / "appendonly.aof.manifest").write_text("file appendonly.aof.1.incr.aof seq 1 type i\n")


def rocksdb_recovery(stage, place, events):
    program = stage.floor("rocksdb", "-lrocksdb")
    if program is None:
        return None
    filled, copy = place / "rocksdb", place / "rocksdb-copy"
    run([program, "fill", filled, events, BYTES], place)

    def recover():
        # A recovery leaves tables where there was a log: each is of its own copy.
        shutil.rmtree(copy, ignore_errors=True)
        shutil.copytree(filled, copy)
        seconds = figures(stage, [program, "recover", copy])["seconds"]
        shutil.rmtree(copy)
        return {"eventsPerSecond": events / seconds}
    return recover


def sqlite_scan(stage, place, events):
    program = stage.floor("sqlite", "-lsqlite3")
    if program is None:
        return None
    run([program, "fill", place / "sqlite.db", events, BYTES], place)
    return lambda: figures(stage, [program, "scan", place / "sqlite.db"])


def verify(stage):
    """Every checksum, chain and seal, and the tree's root in every batch: what `ledger verify` does by itself."""
    work, events = "verify", EVENTS_QUICK if stage.quick else EVENTS
    home = made(stage, events)

    def verified():
        seen = run([stage.ledger, "verify", "--home", home], stage.disk)
        return {"wallSeconds": seen["wallSeconds"], "cpuSeconds": seen["cpuSeconds"],
                "eventsPerCpuSecond": events / seen["cpuSeconds"]}

    stage.race(work, {"ledger": verified}, runs=None if stage.quick else min(stage.runs, RUNS_LONG))
    series = stage.report.series.get((work, "ledger"))
    stage.report.target(work, "events a second on one core, every root among it",
                        series and series.median("eventsPerCpuSecond"), least=2e6)


def compact(stage):
    """What one caller that appends waits while everything leaves the log, and while nothing does."""
    work, events = "compact", COMPACTED_QUICK if stage.quick else COMPACTED
    seconds = 1 if stage.quick else 5
    home, place = made(stage, events), stage.clear(stage.disk / "compact")

    def ledger():
        copy = place / "ledger"
        shutil.rmtree(copy, ignore_errors=True)
        shutil.copytree(home, copy)
        # What was copied is written out first, or the first syncs would wait for that.
        os.sync()
        return figures(stage, [stage.bench, "compact", "--home", copy, "--seconds", seconds])

    stage.race(work, {"ledger": ledger, "redis": redis_rewrite(stage, work, place, events, seconds)})
    shutil.rmtree(place)
    series = stage.report.series.get((work, "ledger"))
    longest = [beside - alone for beside, alone in zip(
        series.values("besideMaxMilliseconds"), series.values("aloneMaxMilliseconds"))] if series else []
    stage.report.target(work, "an append waits no longer than without it, by", statistics.median(longest) if longest
                        else None, most=20, unit=" ms")


def redis_rewrite(stage, work, place, events, seconds):
    server = stage.peer(work, "redis-server", "redis-server")
    if server is None:
        return None
    full, copy = place / "redis", place / "redis-copy"
    write_appended(full / "appendonlydir", events)

    def rewrite():
        shutil.rmtree(copy, ignore_errors=True)
        shutil.copytree(full, copy)
        os.sync()
        with Redis(server, copy) as redis:
            deadline = time.monotonic() + seconds
            alone = waits(redis, lambda: time.monotonic() < deadline)
            begin = time.monotonic()
            redis.ask("BGREWRITEAOF")
            state = {"looked": time.monotonic()}

            def goes_on():
                # INFO costs time too: a look now and then.
                if time.monotonic() < state["looked"] + 0.05:
                    return True
                state["looked"] = time.monotonic()
                return redis.info("aof_rewrite_in_progress") == "1" or redis.info("aof_rewrite_scheduled") == "1"

            beside = waits(redis, goes_on)
            took = time.monotonic() - begin
        return {"events": events, "compactSeconds": took, "appendsBeside": len(beside),
                "aloneP999Milliseconds": quantile(alone, 0.999), "aloneMaxMilliseconds": max(alone),
                "besideP999Milliseconds": quantile(beside, 0.999), "besideMaxMilliseconds": max(beside)}
    return rewrite


def waits(redis, goes_on):
    """How long each of the SETs of one caller took, in milliseconds."""
    times, value = [], b"x" * BYTES
    while goes_on():
        begin = time.perf_counter()
        redis.ask("SET", f"new:{len(times)}", value)
        times.append((time.perf_counter() - begin) * 1000)
    return times


def quantile(values, part):
    return sorted(values)[min(len(values) - 1, int(part * len(values)))]
