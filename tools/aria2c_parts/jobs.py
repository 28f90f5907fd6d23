"""The downloads: what they are is written in aria2's own input grammar, and `ledger` reads it from its standard input,
so that no password stands in a list of processes."""

import gzip
import json
import os
import pathlib
import signal
import subprocess
import sys

from . import codes
from .codes import FTP, MAGNET, Refused
from .flags import ITEM

RANGES_MAX = 16
SCHEMES = ("http://", "https://")


def options(given, is_one):
    """The options that each download has; a name and a sum are of one."""
    lines = [f"header={header}" for header in given.headers]
    for name in ITEM:
        if given[name] is not None and (is_one or name not in ("out", "checksum")):
            lines.append(f"{name}={given[name]}")
    ranges = [count for count in (given.number("split"), given.number("max-connection-per-server")) if count]
    if ranges:
        lines.append(f"split={min(*ranges, RANGES_MAX)}")
    return lines


def check(urls):
    for url in urls:
        if url.lower().startswith("magnet:"):
            raise Refused("magnet links are not followed here: this program downloads over HTTP and HTTPS", MAGNET)
        if url.lower().startswith(("ftp://", "sftp://")):
            raise Refused(f"'{url.split(':')[0]}' is not spoken here, only HTTP and HTTPS", FTP)
        if any(character in url for character in "\r\n\t "):
            raise Refused("a URL holds no space")


def read(path):
    """The lines of an input file, unpacked; '-' is standard input."""
    try:
        content = sys.stdin.buffer.read() if path == "-" else pathlib.Path(path).read_bytes()
    except OSError as error:
        raise Refused(f"'{path}' can not be read: {error.strerror}") from None
    if content[:2] == b"\x1f\x8b":
        content = gzip.decompress(content)
    return content.decode("utf-8", "surrogateescape").splitlines()


def items(given):
    """The list that is handed over, and how many downloads it has."""
    is_one = not given["input-file"] and not given.on("force-sequential")
    check(given.urls)
    # Several URLs are one file from several places, unless they are to be fetched one after another.
    groups = [given.urls] if is_one and given.urls else [[url] for url in given.urls]
    own = [" " + line for line in options(given, is_one)]
    lines = []
    for group in groups:
        lines += ["\t".join(group), *own]
    count = len(groups)
    for line in read(given["input-file"]) if given["input-file"] else []:
        lines.append(line)
        if line.strip() and not line.startswith(("#", " ", "\t")):
            count += 1
            # Before the item's own, which count instead.
            lines += own
    return lines, count


def command(given, ledger, verb):
    """What is to be run for the downloads."""
    words = [ledger, verb]
    jobs = 1 if given.on("force-sequential") else given.number("max-concurrent-downloads")
    if verb == "get":
        if jobs:
            words += ["--jobs", str(jobs)]
        if given["max-overall-download-limit"] not in (None, "0"):
            words += ["--max-rate", given["max-overall-download-limit"]]
        if given["retry-wait"] not in (None, "0"):
            words += ["--retry-wait", f"{given.number('retry-wait')}s"]
    if given["netrc-path"]:
        words += ["--netrc", given["netrc-path"]]
    if given.on("no-netrc"):
        words.append("--no-netrc")
    if given["follow-metalink"] == "false":
        words.append("--no-follow-metalink")
    if given.on("allow-overwrite"):
        # What was fetched before is fetched anew, as aria2 does.
        words.append("--again")
    elif given["auto-file-renaming"] == "false":
        words.append("--skip")
    if given.on("quiet"):
        words.append("--quiet")
    return words


def refuse_taken(given):
    """aria2 gives up where a file stands that it may neither replace, nor rename, nor go on with."""
    free = any(map(given.on, ("allow-overwrite", "continue", "conditional-get")))
    if given["auto-file-renaming"] != "false" or free or not given["out"]:
        return
    path = pathlib.Path(given["dir"] or ".") / given["out"].lstrip("/")
    if os.path.lexists(path):
        raise Refused(f"'{path}' exists, and may neither be replaced nor be given another name", codes.FILE_EXISTS)


def enter(given, ledger, verb):
    """Hands the downloads over; returns the process's end, its rows, and how many downloads were asked for."""
    lines, count = items(given)
    words = command(given, ledger, verb)
    if lines:
        words += ["-i", "-"]
    for metalink in given.metalinks:
        words += ["--metalink", metalink]
    process = subprocess.Popen([*words, "--json"], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    # Ctrl-C reaches both: the other one records what has come, and then this one says how it went.
    signal.signal(signal.SIGINT, lambda *_: None)
    signal.signal(signal.SIGTERM, lambda *_: process.send_signal(signal.SIGTERM))
    content = "\n".join(lines) + "\n" if lines else ""
    output, _ = process.communicate(content.encode("utf-8", "surrogateescape"))
    rows = [json.loads(line) for line in output.decode().splitlines() if line]
    return process.returncode, rows, count + len(given.metalinks)


def get(given, ledger):
    """Downloads, and says how it went. Returns aria2's exit code."""
    refuse_taken(given)
    code, rows, wanted = enter(given, ledger, "get")
    if rows and not given.on("quiet"):
        print("\nDownload Results:")
        for row in rows:
            if row["state"] == "completed":
                print(f"OK   {row['path']}")
            else:
                print(f"ERR  {row['url']}: {(row['error'] or {}).get('message', row['state'])}")
    return codes.of_run(code, rows, wanted)
