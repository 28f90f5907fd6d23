"""Durable appends a second: ledger beside what people log to, and beside a file that is synced."""

import base64
import contextlib
import json
import re
import time

from daemon import Daemon

from .measure import Broken, run
from .servers import Etcd, Redis

AT_ONCE = (1, 16, 256)
AT_ONCE_QUICK = (1, 256)
BYTES = 100
PEERS = ("redis", "sqlite", "rocksdb", "etcd")


def appends(stage):
    """Records of about 100 bytes, each durable before whoever asked for it asks for the next, on a disk."""
    seconds = 0.7 if stage.quick else 3.0
    callers = AT_ONCE_QUICK if stage.quick else AT_ONCE
    place = stage.clear(stage.disk / "appends")
    with contextlib.ExitStack() as servers:
        contestants = start(stage, servers, place, seconds)
        for count in callers:
            stage.race(f"appends, {count} at once", {
                who: (lambda does=does, count=count: does(count)) for who, does in contestants.items()
                if does and (who != "fdatasync" or count == 1)})
    aims(stage, callers)


def start(stage, servers, place, seconds):
    """What each contestant does with so many callers; the servers among them serve from now on."""
    work = "appends"
    numbers = iter(range(1 << 30))

    def fresh(name):
        return stage.clear(place / f"{name}-{next(numbers)}")

    def bench(count, *arguments):
        home = fresh("ledger") / "home"
        return figures(stage, [stage.bench, "appends", "--home", home, "--at-once", count, "--bytes", BYTES,
                               "--seconds", seconds, *arguments])

    daemon = servers.enter_context(Daemon(stage.ledger, fresh("daemon")))

    def over_socket(count):
        return figures(stage, [stage.bench, "appends", "--home", daemon.home, "--at-once", count, "--bytes", BYTES,
                               "--seconds", seconds, "--socket"])

    # As an app asks, from Swift's shared threads; and as the pool does, from the ledger's own.
    contestants = {"ledger": lambda count: bench(count, "--elsewhere"), "ledger, from its own thread": bench,
                   "ledger, over its socket": over_socket}
    if floor := stage.floor("syncs"):
        contestants["fdatasync"] = lambda _: figures(stage, [floor, fresh("raw") / "file", BYTES, seconds])
    if server := stage.peer(work, "redis-server", "redis-server"):
        redis = servers.enter_context(Redis(server, fresh("redis")))
        if client := stage.peer(work, "redis-benchmark", "redis-tools"):
            contestants["redis"] = lambda count: asked(stage, client, redis, count, seconds)
    for name, library in (("sqlite", "-lsqlite3"), ("rocksdb", "-lrocksdb")):
        if program := stage.floor(name, library):
            contestants[name] = lambda count, name=name, program=program: figures(
                stage, [program, "appends", fresh(name) / "data", count, BYTES, seconds])
    if (server := stage.peer(work, "etcd", "etcd-server")) and (asks := stage.floor("asks")):
        etcd = servers.enter_context(Etcd(server, fresh("etcd")))
        body = json.dumps({"key": coded(b"key"), "value": coded(b"x" * BYTES)})
        contestants["etcd"] = lambda count: figures(
            stage, [asks, etcd.port, "/v3/kv/put", body, count, seconds])
    return contestants


def coded(data):
    return base64.b64encode(data).decode()


def figures(stage, command):
    """Runs what prints its figures as a line of JSON."""
    output = run(command, stage.disk)["output"]
    try:
        return json.loads(output.strip().splitlines()[-1])
    except (ValueError, IndexError):
        raise Broken(f"'{command[0]}' printed no figures: {output[-300:]}") from None


def asked(stage, client, redis, count, seconds):
    """Redis's own benchmark, told how many to send: as many as come in the time, by a short run before."""
    def sets(requests):
        begin = time.monotonic()
        output = run([client, "-s", redis.path, "-c", count, "-n", requests, "-d", BYTES, "-r", 1_000_000, "-t", "set",
                      "--csv"], stage.disk)["output"]
        found = re.search(r'"SET[^"]*","([0-9.]+)"', output)
        if not found:
            raise Broken(f"redis-benchmark printed no figures: {output[-300:]}")
        return float(found[1]), time.monotonic() - begin

    rate, _ = sets(count * 40)
    return {"appendsPerSecond": sets(max(count * 40, int(rate * seconds)))[0]}


def aims(stage, callers):
    report, figure = stage.report, "appendsPerSecond"
    if 1 in callers:
        report.target(
            "appends, 1 at once", "ledger as often as fdatasync alone",
            report.ratio("appends, 1 at once", figure, "ledger", "fdatasync"), least=0.95, unit="x")
    most = max(callers)
    work = f"appends, {most} at once"
    ratios = [report.ratio(work, figure, "ledger", peer) for peer in PEERS]
    report.target(work, "ledger ahead of every peer", min(filter(None, ratios), default=None), least=1.0, unit="x")
    ledger = report.series.get((work, "ledger"))
    shared = ledger.median("appendsPerSync") / most if ledger else None
    report.target(work, "appends that share a sync, of those that could", shared, least=0.8)
