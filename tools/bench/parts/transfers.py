"""Bytes from an origin to a file: ledger beside what people download with, and beside a loop of read and write."""

import itertools
import os
import random
import shutil
import subprocess

from matrix_parts.certificate import Certificate

from .link import NEAR, wire
from .measure import Broken, run
from .origin import delayed, served

GB = 1e9
GIB = 1 << 30
PLACES = ("tmpfs", "disk")
PEERS = {"curl": "curl", "aria2c": "aria2", "wget2": "wget2", "axel": "axel"}
AT_ONCE = 16
# From how many files on it is of matter what becomes of them.
MANY = 1000


class Track:
    """Where one work's files go, and how a contestant is run over it: what it fetched is compared and removed.

    Of many files on a disk the bytes go, and the names are put aside until the race is over: for minutes ext4 gives the
    inode of what was deleted to no new file, and looks at all such for each (`recently_deleted`). Whoever comes next
    would pay for that, seconds for thousands.
    """

    def __init__(self, stage, origin, where, wanted, counts=("sentBytes",)):
        self.aside = itertools.count() if where == "disk" and len(wanted) >= MANY else None
        self.stage, self.origin, self.wanted, self.counts = stage, origin, wanted, counts
        self.place = stage.clear(stage.place(where) / "transfer")
        self.files, self.home = self.place / "files", self.place / "home"
        self.bytes = sum(source.stat().st_size for source in wanted)
        self.compared = set()
        self.warm()

    def warm(self):
        """Has the memory that the files will take been used once: a virtual machine gets it from its host only then,
        which takes longer than the first download itself."""
        self.stage.clear(self.files)
        for source in self.wanted:
            shutil.copyfile(source, self.files / source.name)
        self.empty()

    def empty(self):
        """Leaves no file."""
        if self.aside:
            for file in self.files.iterdir():
                os.truncate(file, 0)
            self.files.rename(self.place / f"aside-{next(self.aside)}")
        self.stage.clear(self.files)

    def contestant(self, who, command):
        """What runs `command` once, and tells its figures; None where it has no command."""
        return command and (lambda: self.once(who, command))

    def once(self, who, command):
        self.empty()
        self.stage.clear(self.home)
        # What the one before wrote is on the disk, so that nobody waits for the bytes of another.
        os.sync()
        self.origin.begin()
        figures = run(command, self.home)
        self.check(who)
        figures["cpuSecondsPerGB"] = figures.pop("cpuSeconds") / self.bytes * GB
        sent = self.origin.sent()
        figures |= {count: sent[count] for count in self.counts}
        self.empty()
        self.stage.clear(self.home)
        return figures

    def check(self, who):
        """All lengths after each run; all bytes after the first, for that takes as long as the run."""
        for source in self.wanted:
            file = self.files / source.name
            if not file.is_file() or file.stat().st_size != source.stat().st_size:
                raise Broken(f"'{source.name}' is not there whole")
        if who not in self.compared:
            for source in self.wanted:
                if not same(source, self.files / source.name):
                    raise Broken(f"'{source.name}' has other bytes than the origin's")
            self.compared.add(who)


def same(one, other):
    with open(one, "rb") as left, open(other, "rb") as right:
        while True:
            parts = left.read(GIB >> 10), right.read(GIB >> 10)
            if parts[0] != parts[1]:
                return False
            if not parts[0]:
                return True


def synced(command, *sync):
    """The command, and then `sync`, as one: what a script does that has to know that the bytes are there to stay."""
    return command and ["sh", "-c", '"$@" && sync ' + " ".join(f"'{word}'" for word in sync), "sh", *command]


def found(stage, work):
    return {name: stage.peer(work, name, package) for name, package in PEERS.items()}


def aria2(program, *arguments):
    return program and [program, "-q", "--no-conf", "--disable-ipv6", "--file-allocation=none", *arguments]


def wget2(program, *arguments):
    return program and [program, "-q", "--no-config", "--no-hsts", "--no-robots", *arguments]


def get(stage, track, *arguments):
    return [stage.ledger, "get", "--quiet", "--home", track.home / "ledger", "-d", track.files, *arguments]


def receiver(stage):
    """The floor of a download; None where it can not be built."""
    return stage.floor("recv", "-pthread", "-lssl", "-lcrypto")


def plain(stage):
    """One large file over plain HTTP: what each costs that moves bytes."""
    with served(stage, "plain") as origin:
        if origin:
            large(stage, "plain", origin, receiver(stage))


def tls(stage):
    """One large file over TLS: what each costs that decrypts them."""
    if stage.peer("tls", "openssl", "openssl"):
        with served(stage, "tls", certificate(stage)) as origin:
            if origin:
                large(stage, "tls", origin, receiver(stage), origin.certificate.path)


def certificate(stage):
    place = stage.tmpfs / "certificate"
    shutil.rmtree(place, ignore_errors=True)
    return Certificate(place)


def large(stage, kind, origin, floor, authority=None):
    source = origin.make("large.bin", GIB // 4 if stage.quick else 2 * GIB)
    url, port = origin.url(source.name, authority is not None), origin.secure_port if authority else origin.port
    peers = found(stage, kind)
    for where in PLACES:
        work = f"{kind}, {where}"
        track = Track(stage, origin, where, [source])
        to = track.files / source.name
        bare = floor and [floor, *(["--tls"] if authority else [])]
        # axel can be told no authority: it checks nothing.
        commands = {
            "ledger": get(stage, track, *(["--cacert", authority] if authority else []), url),
            "curl": peers["curl"] and [
                peers["curl"], "-sSf", *(["--cacert", authority] if authority else []), "-o", to, url],
            "aria2c": aria2(peers["aria2c"], *([f"--ca-certificate={authority}"] if authority else []), "-x1", "-s1",
                            "-d", track.files, url),
            "wget2": wget2(peers["wget2"], *([f"--ca-certificate={authority}"] if authority else []), "-P",
                           track.files, url),
            "axel": peers["axel"] and [peers["axel"], "-q", *(["-k"] if authority else []), "-o", to, url],
            "floor": bare and [*bare, "127.0.0.1", port, f"/{source.name}", to],
            "floor, SHA-256": bare and [*bare, "--sha256", "127.0.0.1", port, f"/{source.name}", to],
        }
        if where == "disk":
            # ledger's bytes are on the disk when it ends; of the others so are those that somebody syncs.
            commands |= {f"{who} + sync": synced(command, to) for who, command in commands.items() if who != "ledger"}
        stage.race(work, {who: track.contestant(who, command) for who, command in commands.items()})
        large_aims(stage.report, kind, where, work)
        shutil.rmtree(track.place)


def large_aims(report, kind, where, work):
    wall, cpu = "wallSeconds", "cpuSecondsPerGB"
    if where == "disk":
        durable_aim(report, work, "the fastest that is synced")
        return
    report.target(work, "ledger faster than aria2c", report.ratio(work, wall, "aria2c", "ledger"), least=2.0, unit="x")
    report.target(work, "ledger faster than curl", report.ratio(work, wall, "curl", "ledger"),
                  least=1.5 if kind == "plain" else 1.4, unit="x")
    if kind == "plain":
        report.target(work, "ledger's CPU seconds per GB, of curl's", report.ratio(work, cpu, "ledger", "curl"),
                      most=0.5, unit="x")
    report.target(work, "ledger's time, of the floor's", report.ratio(work, wall, "ledger", "floor"),
                  most=1.2 if kind == "plain" else 1.0, unit="x")


def durable_aim(report, work, words):
    times = [series.median("wallSeconds") for (of, who), series in report.series.items()
             if of == work and who.endswith(" + sync") and not who.startswith("floor")]
    ledger = report.series.get((work, "ledger"))
    value = ledger.median("wallSeconds") / min(times) if ledger and times else None
    report.target(work, f"ledger's time, of {words}", value, most=1.0, unit="x")


def small(stage):
    """Many small files: what each costs that asks, opens, names and records."""
    with served(stage, "small") as origin:
        if not origin:
            return
        chance = random.Random(20)
        sources = [origin.make(f"{number:05}.bin", chance.randrange(4 << 10, (64 << 10) + 1))
                   for number in range(1000 if stage.quick else 10_000)]
        peers = found(stage, "small")
        for where in PLACES:
            race_small(stage, f"small, {where}", where, Track(stage, origin, where, sources), peers)


def race_small(stage, work, where, track, peers):
    urls = [track.origin.url(source.name) for source in track.wanted]
    urls_file, curl_file = track.place / "urls", track.place / "curl"
    urls_file.write_text("".join(f"{url}\n" for url in urls))
    curl_file.write_text("".join(
        f'url = "{url}"\noutput = "{track.files / source.name}"\n' for url, source in zip(urls, track.wanted)))
    commands = {
        "ledger": get(stage, track, "-i", urls_file, "-j", AT_ONCE, "--per-host", AT_ONCE),
        "curl": peers["curl"] and [
            peers["curl"], "-sSf", "--parallel", "--parallel-max", AT_ONCE, "-K", curl_file],
        "aria2c": aria2(peers["aria2c"], f"-j{AT_ONCE}", "-x1", "-i", urls_file, "-d", track.files),
        "wget2": wget2(peers["wget2"], f"--max-threads={AT_ONCE}", "-i", urls_file, "-P", track.files),
    }
    if where == "disk":
        commands |= {f"{who} + sync": synced(commands[who], "-f", track.files) for who in ("curl", "aria2c")}
    stage.race(work, {who: track.contestant(who, command) for who, command in commands.items()})
    report, wall = stage.report, "wallSeconds"
    if where == "tmpfs":
        report.target(work, "ledger faster than curl", report.ratio(work, wall, "curl", "ledger"), least=1.3, unit="x")
        report.target(work, "ledger faster than aria2c", report.ratio(work, wall, "aria2c", "ledger"), least=3.5,
                      unit="x")
        report.target(work, "ledger's peak of memory, of aria2c's",
                      report.ratio(work, "peakBytes", "ledger", "aria2c"), most=1 / 6, unit="x")
    else:
        report.target(work, "ledger faster than curl + sync", report.ratio(work, wall, "curl + sync", "ledger"),
                      least=1.0, unit="x")
    shutil.rmtree(track.place)


LIMITED_AT_ONCE = 5
LIMITED_SPLIT = 8
LIMITED_RUNS = 3
# 40 connections bring 80 MiB a second: 64 files of 16 MiB take 13 seconds.
LIMITED_BYTES_PER_SECOND = 2 << 20
DELAY_MILLISECONDS = 25


def limited(stage):
    """Files in several ranges each, where a connection is slow by itself, and where the origin is far away."""
    with served(stage, "limited") as origin:
        if not origin:
            return
        sources = [origin.make(f"{number:02}.bin", (4 if stage.quick else 16) << 20)
                   for number in range(8 if stage.quick else 64)]
        peers = found(stage, "limited")
        # In small steps: nginx would else let a second's worth of each request through at once, which is a whole range.
        origin.limit(LIMITED_BYTES_PER_SECOND, "sendfile_max_chunk 64k")
        race_ranges(stage, "limited, 2 MiB/s each", origin, origin.port, sources, peers,
                    ("sentBytes", "requests", "requestsAtOnce"))
        origin.limit()
        with delayed(stage, origin.port, DELAY_MILLISECONDS) as port:
            if port:
                # Not how many at once: the relay has taken a range before the client sees its first byte.
                race_ranges(stage, "limited, 50 ms away", origin, port, sources, peers, ("sentBytes", "requests"))


def race_ranges(stage, work, origin, port, sources, peers, counts):
    track = Track(stage, origin, "tmpfs", sources, counts)
    urls_file = track.place / "urls"
    urls_file.write_text("".join(f"http://127.0.0.1:{port}/{source.name}\n" for source in sources))
    jobs = ["-j", LIMITED_AT_ONCE, "--per-host", LIMITED_AT_ONCE]
    # -k: without it aria2c reads files of less than 40 MiB over one connection each.
    commands = {
        "ledger": get(stage, track, "-i", urls_file, *jobs),
        "ledger -s 8": get(stage, track, "-i", urls_file, *jobs, "-s", LIMITED_SPLIT),
        "aria2c": aria2(peers["aria2c"], f"-x{LIMITED_SPLIT}", f"-s{LIMITED_SPLIT}", "-k1M", f"-j{LIMITED_AT_ONCE}",
                        "-i", urls_file, "-d", track.files),
    }
    racers = {who: track.contestant(who, command) for who, command in commands.items()}
    stage.race(work, racers, runs=min(stage.runs, LIMITED_RUNS))
    for who in ("ledger", "ledger -s 8"):
        stage.report.target(work, f"{who} as fast as aria2c -x8 -s8",
                            stage.report.ratio(work, "wallSeconds", "aria2c", who), least=1.0, unit="x")
    shutil.rmtree(track.place)


# Below 5 Gbit/s, and below what one core hashes.
HASHED_BITS_PER_SECOND = 4_000_000_000


def digest(stage):
    """One large file with the SHA-256 of all its bytes; what that costs where it is paid for on the way."""
    with served(stage, "digest") as origin:
        if not origin:
            return
        source = origin.make("large.bin", GIB // 4 if stage.quick else 2 * GIB)
        digest_race(stage, "digest, tmpfs", origin, source)
        source.unlink()
        source = origin.make("large.bin", GIB // 4 if stage.quick else GIB)
        work = "digest, below 5 Gbit/s"
        with wire(stage.report, work, HASHED_BITS_PER_SECOND) as inside:
            if inside:
                origin.limit(0, f"listen {NEAR}:{origin.port}")
                paced_race(stage, work, origin, source, inside)
                origin.limit()


def digest_race(stage, work, origin, source):
    peers = found(stage, work)
    floor = receiver(stage)
    summed = subprocess.run(["sha256sum", source], capture_output=True, text=True, check=True).stdout.split()[0]
    track = Track(stage, origin, "tmpfs", [source])
    url, to = origin.url(source.name), track.files / source.name
    commands = {
        "ledger --checksum": get(stage, track, "--checksum", f"sha-256={summed}", url),
        "ledger": get(stage, track, url),
        "aria2c --checksum": aria2(peers["aria2c"], f"--checksum=sha-256={summed}", "-x1", "-s1", "-d", track.files,
                                   url),
        "curl and sha256sum": peers["curl"] and [
            "sh", "-c", 'curl -sSf -o "$1" "$2" && echo "$3  $1" | sha256sum -c --quiet', "sh", to, url, summed],
        "floor": floor and [floor, "127.0.0.1", origin.port, f"/{source.name}", to],
    }
    stage.race(work, {who: track.contestant(who, command) for who, command in commands.items()})
    report, wall = stage.report, "wallSeconds"
    report.target(work, "ledger faster than aria2c --checksum",
                  report.ratio(work, wall, "aria2c --checksum", "ledger --checksum"), least=2.0, unit="x")
    shutil.rmtree(track.place)


def paced_race(stage, work, origin, source, inside):
    """Where the network is slower than the hash, the hash has to cost no time: it is paid for while one waits."""
    floor = receiver(stage)
    track = Track(stage, origin, "tmpfs", [source])
    commands = {
        "ledger": [*inside, *get(stage, track, "-s", 1, f"http://{NEAR}:{origin.port}/{source.name}")],
        "floor": floor and [*inside, floor, NEAR, origin.port, f"/{source.name}", track.files / source.name],
    }
    stage.race(work, {who: track.contestant(who, command) for who, command in commands.items()})
    stage.report.target(work, "ledger's time, of the floor's",
                        stage.report.ratio(work, "wallSeconds", "ledger", "floor"), most=1.05, unit="x")
    shutil.rmtree(track.place)
