"""Files for the origin to serve, all their bytes from the seed."""

BLOCK_BYTES = 1 << 20


class Sources:
    """Makes files from one random block; each is told apart by its name at its start and by where its bytes begin."""

    def __init__(self, origin, chance):
        self.origin = origin
        self.block = chance.randbytes(BLOCK_BYTES)
        self.chance = chance

    def make(self, name, size):
        with open(self.origin.files / name, "wb") as file:
            file.write(name.encode()[:size])
            while (rest := size - file.tell()) > 0:
                offset = self.chance.randrange(len(self.block))
                file.write(self.block[offset:offset + rest])
        return name

    def listing(self, path, names):
        """Writes an input file with the URLs of these names."""
        path.write_text("".join(self.origin.url(name) + "\n" for name in names))
        return path
