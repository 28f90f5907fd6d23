"""aria2's exit codes, and what of ledger's makes which of them."""

import re

DONE, UNKNOWN, TIMEOUT, UNFINISHED, FILE_EXISTS, IO, FTP, TORRENT, MAGNET, USAGE = 0, 1, 2, 7, 13, 17, 21, 26, 27, 28

ERRORS = {
    "unreachable": 1, "name-not-resolved": 19, "connect-timeout": 2, "silence": 2, "low-speed": 5,
    "connection-lost": 6, "tls": 1, "protocol": 22, "redirect": 23, "digest-mismatch": 32, "entity-changed": 8,
    "suspicious": 1, "disk-full": 9, "disk": 17, "destination-taken": 13, "secrets-missing": 24, "part-lost": 15,
    "unsupported": 22, "evicted": 31,
}
STATUSES = {401: 24, 407: 24, 404: 3, 410: 3, 502: 29, 503: 29, 504: 29}
EXITS = {64: USAGE, 74: IO}


class Refused(Exception):
    """What ends the program with a code and a sentence."""

    def __init__(self, words, code=USAGE):
        super().__init__(words)
        self.code = code


def of_row(row):
    """aria2's number for the end of a download, as `ledger get --json` prints it."""
    if row["state"] == "completed":
        return DONE
    if row["state"] in ("cancelled", "deleted"):
        return 31
    error = row["error"]
    if error is None:
        return UNFINISHED
    if error["code"] == "status":
        status = re.search(r"\b([1-5]\d\d)\b", error["message"])
        return STATUSES.get(int(status[1]), 22) if status else 22
    return ERRORS.get(error["code"], UNKNOWN)


def of_run(exit_code, rows, wanted):
    """The exit code of a run: that of the last download that failed, as aria2 has it."""
    failed = [code for code in map(of_row, rows) if code]
    if exit_code == 0:
        return DONE
    if exit_code in EXITS:
        return EXITS[exit_code]
    if failed:
        return failed[-1]
    return UNFINISHED if len(rows) < wanted or exit_code < 0 else UNKNOWN
