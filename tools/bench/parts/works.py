"""The works, by name, in the order in which they are done."""

from . import appends, log, queue, transfers

WORKS = {
    "plain": transfers.plain,
    "tls": transfers.tls,
    "small": transfers.small,
    "limited": transfers.limited,
    "digest": transfers.digest,
    "appends": appends.appends,
    "replay": log.replay,
    "verify": log.verify,
    "compact": log.compact,
    "start": queue.start,
    "memory": queue.memory,
    "length": queue.length,
    "idle": queue.idle,
}
