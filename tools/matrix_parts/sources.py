"""Files for an origin to serve: of many sizes and names, or large and mostly holes, with what they must hash to."""

import hashlib
import math
import os
import time

BLOCK_BYTES = 4 << 20
MARK_BYTES = 4096
SECONDS_OLD = 3600
NAMES = (
    "plain-{}.bin", "with a space {}.bin", "100% of {}%20.bin", "Grüße-日本-{}.bin", "a+b&c=d;e,{}.bin",
    "what#is;it={}.bin", "~(it)'s [{}]!.bin",
)


class Source:
    """One file; its digest as the catalog writes it."""

    def __init__(self, path):
        self.path = path
        self.name = path.name
        self.size = path.stat().st_size
        self.digest = digest(path)
        # Older than a second, so that every server gives a strong validator.
        then = time.time() - SECONDS_OLD
        os.utime(path, (then, then))


def digest(path):
    summed = hashlib.sha256()
    with open(path, "rb") as file:
        while block := file.read(BLOCK_BYTES):
            summed.update(block)
    return f"sha-256:{summed.hexdigest()}"


def mixed(folder, count, bytes_max, chance):
    """`count` files of 0 bytes to `bytes_max`: half of them small, a quarter large."""
    sizes = [0, 1, 511, 512, 4096, 65_536, 1 << 20, bytes_max][:count]
    while len(sizes) < count:
        if len(sizes) % 4 == 0:
            sizes.append(chance.randrange(bytes_max // 8, bytes_max))
        else:
            sizes.append(int(math.exp(chance.uniform(0, math.log(bytes_max)))))
    chance.shuffle(sizes)
    sources = []
    for number, size in enumerate(sizes):
        path = folder / NAMES[number % len(NAMES)].format(number)
        path.write_bytes(chance.randbytes(size))
        sources.append(Source(path))
    return sources


def sparse(path, size, marks, chance):
    """A file of holes with `marks` random blocks, so that bytes at a wrong offset are seen."""
    with open(path, "wb") as file:
        file.truncate(size)
        for mark in range(marks):
            file.seek(mark * (size // marks))
            file.write(chance.randbytes(MARK_BYTES))
        file.seek(size - MARK_BYTES)
        file.write(chance.randbytes(MARK_BYTES))
    return Source(path)


def random_file(path, size, chance):
    with open(path, "wb") as file:
        while (rest := size - file.tell()) > 0:
            file.write(chance.randbytes(min(rest, BLOCK_BYTES)))
    return Source(path)
