"""B2. SIGKILL at random moments: `get` of 16 files from a slow origin, started again until all of them are there."""

import random
import shutil

from smoke_parts import checks
from smoke_parts.kills import kill_or_wait
from smoke_parts.program import Program

from . import oracle
from .interruption import take_down
from .sources import Sources

FILES = 16
FILE_BYTES_MAX = 3 << 20
KILLS_PER_SET = 25
BYTES_PER_SECOND = 1 << 20
SECONDS_BETWEEN_KILLS = (0.05, 1)
# Progress goes on record once a second: some kills come late enough that it does.
SECONDS_OF_LATE_KILLS = (1, 2.5)
LATE_PART = 0.15
KILLS_FOR_EACH_LOOK_AT_A_LIVE_HOLDER = 10
SETS_MAX = 10_000


def run(torture, layer):
    torture.origin.limit(BYTES_PER_SECOND)
    try:
        sets = range(SETS_MAX) if torture.case is None else [int(torture.case)]
        for number in sets:
            if layer.cases >= layer.total:
                return
            one_set(torture, layer, number)
    finally:
        torture.origin.limit()


def one_set(torture, layer, number):
    """Downloads one set of files through up to 25 kills."""
    chance = random.Random(f"{torture.seed} B2 {number}")
    torture.origin.clear()
    sources = Sources(torture.origin, chance)
    sizes = [0, 1, 4096, FILE_BYTES_MAX, *(int(FILE_BYTES_MAX ** chance.random()) for _ in range(FILES - 4))]
    names = [sources.make(f"set-{number}-{place}.bin", size) for place, size in enumerate(sizes)]
    folder = torture.place / f"set-{number}"
    folder.mkdir()
    program = Program(torture.ledger, folder / "home", folder / "files")
    witness = oracle.Witness(torture.origin)
    split = chance.choice((1, 2, 4))
    get = ("get", "-i", sources.listing(folder / "list.txt", names), "-d", program.files, "-j", FILES, "--per-host",
           FILES, "-s", split, "--json")
    for kill in range(1, KILLS_PER_SET + 2):
        seconds = chance.uniform(*SECONDS_OF_LATE_KILLS if chance.random() < LATE_PART else SECONDS_BETWEEN_KILLS)
        case = layer.case(number, f"set {number}, -s {split}, kill {kill} after {seconds:.3f} s")
        ended = None
        is_last = layer.cases >= layer.total or kill > KILLS_PER_SET
        try:
            with case.survives(program.home, program.files):
                running = program.start(*get)
                ended = kill_or_wait(running, None if is_last else seconds)
                witness.hear(running.ended.out)
                downloads = oracle.check(program, witness, case)
                if ended is None and kill % KILLS_FOR_EACH_LOOK_AT_A_LIVE_HOLDER == 0:
                    oracle.live(program, case)
                if ended is not None:
                    case.expect(ended.code == 0, f"get: {ended}")
                    oracle.finished(program, witness, case, downloads or {})
                    checks.digests(program, case)
        finally:
            take_down(program)
        if ended is None or case.is_broken:
            layer.count(case)
        if ended is not None:
            break
    shutil.rmtree(folder)
