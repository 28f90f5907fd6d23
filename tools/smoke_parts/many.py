"""3. `get -i` of 10,000 URLs of 16 KiB: one durable batch, none lost, bounded memory."""

import random
import struct
import time

from . import checks
from .program import different

FILES = 10_000
FILE_BYTES = 16 << 10
MEMORY_MIB_MAX = 150
# Log format 1: the first batch follows a segment's header; its count of records stands behind length, CRC and chain.
SEGMENT_HEADER_BYTES = 64
BATCH_COUNT_OFFSET = 12


def run(program, origin, options, report):
    chance = random.Random(options.seed + 2)
    origin.clear()
    block = chance.randbytes(1 << 20)
    names = [f"small-{number:05}.bin" for number in range(FILES)]
    for number, name in enumerate(names):
        offset = number * 97 % (len(block) - FILE_BYTES)
        (origin.files / name).write_bytes((name.encode() + block[offset:offset + FILE_BYTES])[:FILE_BYTES])
    listing = program.home.parent / "list.txt"
    listing.write_text("".join(origin.url(name) + "\n" for name in names))
    program.files.mkdir()
    origin.begin()
    start = time.monotonic()
    ended = program.run("get", "-i", listing, "-d", program.files, "--quiet")
    report.expect(ended.code == 0, f"get: {ended}")
    report.figure("wall", f"{time.monotonic() - start:.1f} s")
    report.figure("memory at its peak", f"{ended.peak_mib:.0f} MiB", f"< {MEMORY_MIB_MAX} MiB")
    report.expect(ended.peak_mib < MEMORY_MIB_MAX, f"memory reached {ended.peak_mib:.0f} MiB")
    wrong = different(origin, program.files, names)
    report.expect(not wrong, f"{len(wrong)} files differ from their source, the first is {wrong[:1]}")
    events = checks.audit(program, report)
    first = first_batch(program.home)
    report.figure("records of the first batch", first, f"= {FILES}")
    report.expect(first == FILES, f"the first durable batch holds {first} records, not every order")
    completed = {event["id"] for event in events if event["type"] == "completed"}
    report.figure("completed", len(completed), f"= {FILES}")
    report.expect(len(completed) == FILES, f"{len(completed)} of {FILES} completed")
    origin.clear()


def first_batch(home):
    """How many records the log's first batch holds."""
    segment = sorted((home / "log").glob("*.seg"))[0]
    with open(segment, "rb") as file:
        file.seek(SEGMENT_HEADER_BYTES + BATCH_COUNT_OFFSET)
        return struct.unpack("<I", file.read(4))[0]
