"""How fast -s 8 is where the origin limits each connection, and what it costs where it allows only one."""

import random
import shutil

from smoke_parts.program import Program

from . import judge, sources

SLOW_BYTES_PER_SECOND = 1 << 20
SLOW_FILE_BYTES = {True: 32 << 20, False: 256 << 20}
SPLIT = 8
# A quick file takes 4 s in ranges, of which starting and finishing the program are a part that counts.
FASTER_MIN = {True: 6, False: 7}

ONE_FILE_BYTES = 64 << 20
ONE_BYTES_PER_SECOND = 8 << 20
# nginx paces a connection in steps of some tenths of a second, and two runs of one command differ by that.
SLOWER_MAX = 1.05
SLOWER_SECONDS_MAX = 0.5


def run(ledger, server, place, options, scenario):
    chance = random.Random(options.seed + 1)
    slow = sources.random_file(server.files / "slow.bin", SLOW_FILE_BYTES[options.quick], chance)
    server.limit(SLOW_BYTES_PER_SECOND)
    seconds = {split: fetch(ledger, server, place, slow, split, scenario) for split in (1, SPLIT, None)}
    faster = seconds[1] / seconds[SPLIT]
    bound = FASTER_MIN[options.quick]
    scenario.figure("1 MiB/s a connection: file", f"{slow.size >> 20} MiB")
    scenario.figure("  -s 1", f"{seconds[1]:.1f} s")
    scenario.figure(f"  -s {SPLIT}", f"{seconds[SPLIT]:.1f} s")
    scenario.figure(f"  -s {SPLIT} is faster", f"{faster:.2f} times", f">= {bound}")
    scenario.figure("  without -s", f"{seconds[None]:.1f} s", f"{seconds[1] / seconds[None]:.2f} times as fast")
    scenario.expect(faster >= bound, f"-s {SPLIT} is only {faster:.2f} times as fast as -s 1")

    one = sources.random_file(server.files / "one.bin", ONE_FILE_BYTES, chance)
    for what, status in (("503", 503), ("closed", 444)):
        server.limit(ONE_BYTES_PER_SECOND, "limit_conn address 1", f"limit_conn_status {status}")
        only = {split: fetch(ledger, server, place, one, split, scenario) for split in (1, SPLIT, None)}
        bound = only[1] * SLOWER_MAX + SLOWER_SECONDS_MAX
        scenario.figure(f"one connection ({what}): -s 1", f"{only[1]:.1f} s")
        for split in (SPLIT, None):
            words = f"-s {split}" if split else "without -s"
            scenario.figure(f"  {words}", f"{only[split]:.1f} s", f"<= {bound:.1f} s")
            scenario.expect(
                only[split] <= bound,
                f"{words} takes {only[split]:.1f} s where one connection is allowed ({what}), -s 1 {only[1]:.1f} s")
    server.limit()


def fetch(ledger, server, place, source, split, scenario):
    """Seconds of one `get` with a ledger of its own, start and end of the program included."""
    folder = place / "fetch"
    folder.mkdir()
    program = Program(ledger, folder / "home", folder / "files")
    try:
        ranges = ["-s", split] if split else []
        ended = program.run("get", server.url(source.name), "-d", program.files, "--quiet", *ranges)
        scenario.expect(ended.code == 0, f"get with {ranges}: {ended}")
        judge.equal(program, [source], scenario.expect)
        return ended.seconds
    finally:
        program.end()
        shutil.rmtree(folder)
