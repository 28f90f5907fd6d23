"""The most memory `get` has resident: for one large file, and for 64 files at once in four ranges each."""

import pathlib
import random
import shutil
import time

from smoke_parts.program import Program

from . import judge, sources

ONE_FILE_BYTES = {True: 1 << 30, False: 4 << 30}
ONE_SPLIT = 8
ONE_MIB_MAX = 64
MANY = 64
MANY_FILE_BYTES = {True: 8 << 20, False: 64 << 20}
MANY_SPLIT = 4
MANY_MIB_MAX = 128
MARKS = 64


def run(ledger, server, place, options, scenario):
    if not pathlib.Path("/proc/self/status").exists():
        return scenario.skip("memory is read from /proc, which is not here")
    chance = random.Random(options.seed + 2)
    server.limit()
    large = [sources.sparse(server.files / "large.bin", ONE_FILE_BYTES[options.quick], MARKS, chance)]
    many = [sources.sparse(server.files / f"many-{n:02}.bin", MANY_FILE_BYTES[options.quick], MARKS, chance)
            for n in range(MANY)]
    for secure in (False, True):
        way = "TLS" if secure else "plain"
        measure(ledger, server, place, secure, large, f"one file, -s {ONE_SPLIT}, {way}", ONE_MIB_MAX, scenario,
                "-s", ONE_SPLIT)
        measure(ledger, server, place, secure, many, f"{MANY} files, -s {MANY_SPLIT}, {way}", MANY_MIB_MAX, scenario,
                "-s", MANY_SPLIT, "-j", MANY, "--per-host", MANY)


def measure(ledger, server, place, secure, found, what, mib_max, scenario, *arguments):
    folder = place / "measure"
    folder.mkdir()
    program = Program(ledger, folder / "home", folder / "files")
    listing = folder / "list.txt"
    listing.write_text("".join(server.url(source.name, secure) + "\n" for source in found))
    try:
        server.begin()
        start = time.monotonic()
        ended = program.run(
            "get", "-i", listing, "-d", program.files, "--quiet", "--cacert", server.certificate.path, *arguments)
        seconds = time.monotonic() - start
        scenario.expect(ended.code == 0, f"{what}: {ended}")
        same = judge.equal(program, found, scenario.expect)
        total = sum(source.size for source in found)
        scenario.row(
            what=what, MiB=total >> 20, requests=len(server.requests()), peak=f"{ended.peak_mib:.0f} MiB",
            bound=f"< {mib_max} MiB", equal="all" if same else "NO", wall=f"{seconds:.1f} s",
            rate=f"{total / seconds / (1 << 20):.0f} MiB/s")
        scenario.expect(0 < ended.peak_mib < mib_max, f"{what}: memory reached {ended.peak_mib:.0f} MiB of {mib_max}")
    finally:
        program.end()
        shutil.rmtree(folder)
