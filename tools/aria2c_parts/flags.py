"""aria2c's flags: which there are, what they take, and what becomes of them."""

import os
import pathlib

from .codes import TORRENT, Refused

SHORT = {
    "a": "file-allocation", "c": "continue", "d": "dir", "D": "daemon", "h": "help", "i": "input-file",
    "j": "max-concurrent-downloads", "k": "min-split-size", "l": "log", "M": "metalink-file", "m": "max-tries",
    "n": "no-netrc", "O": "index-out", "o": "out", "P": "parameterized-uri", "p": "ftp-pasv", "q": "quiet",
    "R": "remote-time", "S": "show-files", "s": "split", "T": "torrent-file", "t": "timeout", "U": "user-agent",
    "u": "max-upload-limit", "V": "check-integrity", "v": "version", "x": "max-connection-per-server",
    "Z": "force-sequential",
}

# A flag needs no value: alone it is 'true'.
FLAGS = set(
    """allow-overwrite allow-piece-length-change always-resume async-dns auto-file-renaming bt-detach-seed-only
    bt-enable-hook-after-hash-check bt-enable-lpd bt-force-encryption bt-hash-check-seed bt-load-saved-metadata
    bt-metadata-only bt-remove-unselected-file bt-require-crypto bt-save-metadata bt-seed-unverified check-certificate
    check-integrity conditional-get content-disposition-default-utf8 continue daemon deferred-input disable-ipv6 dry-run
    enable-async-dns6 enable-color enable-dht enable-dht6 enable-http-keep-alive enable-http-pipelining enable-mmap
    enable-peer-exchange enable-rpc force-save force-sequential ftp-pasv ftp-reuse-connection hash-check-only
    http-accept-gzip http-auth-challenge http-no-cache human-readable keep-unfinished-download-result
    metalink-enable-unique-protocol no-conf no-netrc parameterized-uri pause pause-metadata quiet
    realtime-chunk-checksum remote-time remove-control-file reuse-uri rpc-allow-origin-all rpc-listen-all
    rpc-save-upload-metadata rpc-secure save-not-found show-console-readout show-files stderr
    truncate-console-readout use-head""".split())

# Each download is told of these, in the words of aria2's input files.
ITEM = """dir out header referer user-agent checksum max-download-limit max-tries timeout http-user http-passwd
    http-no-cache http-accept-gzip all-proxy all-proxy-user all-proxy-passwd http-proxy http-proxy-user
    http-proxy-passwd https-proxy https-proxy-user https-proxy-passwd no-proxy load-cookies conditional-get
    allow-overwrite remote-time check-certificate ca-certificate certificate private-key""".split()

# The program is told of these.
OURS = """input-file max-concurrent-downloads split max-connection-per-server max-overall-download-limit retry-wait
    continue auto-file-renaming force-sequential quiet netrc-path no-netrc follow-metalink metalink-file enable-rpc
    rpc-listen-port rpc-listen-all rpc-allow-origin-all rpc-secret rpc-secure rpc-certificate rpc-private-key
    daemon log conf-path no-conf pause help version""".split()

# They steer how aria2 goes about it, or are about other protocols: the same file comes without them.
NEEDLESS = """allow-piece-length-change always-resume async-dns async-dns-server auto-save-interval check-integrity
    connect-timeout console-log-level content-disposition-default-utf8 deferred-input disable-ipv6 disk-cache
    download-result dscp enable-async-dns6 enable-color enable-http-keep-alive enable-http-pipelining enable-mmap
    enable-peer-exchange event-poll file-allocation follow-torrent force-save gid http-auth-challenge human-readable
    index-out keep-unfinished-download-result listen-port log-level max-download-result max-file-not-found
    max-mmap-limit max-overall-upload-limit max-resume-failure-tries max-upload-limit min-split-size min-tls-version
    no-file-allocation-limit optimize-concurrent-downloads pause-metadata piece-length proxy-method
    realtime-chunk-checksum remove-control-file reuse-uri rlimit-nofile rpc-max-request-size rpc-save-upload-metadata
    save-not-found save-session save-session-interval select-file server-stat-if server-stat-of server-stat-timeout
    show-console-readout socket-recv-buffer-size stderr stream-piece-selector summary-interval
    truncate-console-readout uri-selector use-head""".split()
NEEDLESS_STARTS = ("bt-", "dht-", "enable-dht", "ftp-", "metalink-", "peer-", "seed-", "ssh-")

# What would change the outcome and is not had here, with the values that ask for nothing.
UNDONE = {
    "dry-run": ("false",), "hash-check-only": ("false",), "parameterized-uri": ("false",), "show-files": ("false",),
    "lowest-speed-limit": ("0",), "stop": ("0",), "save-cookies": (), "interface": (), "multiple-interface": (),
    "rpc-user": (), "rpc-passwd": (),
}
CHOICES = {"follow-metalink": ("true", "false", "mem")}


class Given:
    """What was asked for: the last value of each flag, all headers, and the URLs."""

    def __init__(self):
        self.values = {}
        self.headers = []
        self.metalinks = []
        self.urls = []

    def __getitem__(self, name):
        return self.values.get(name)

    def on(self, name):
        return self.values.get(name) == "true"

    def number(self, name, smallest=1):
        """A whole number, or None."""
        text = self.values.get(name)
        if text is None:
            return None
        if not text.isdecimal() or int(text) < smallest:
            raise Refused(f"'--{name}={text}': a whole number from {smallest} on is expected")
        return int(text)

    def take(self, name, value):
        """Notes a flag; refuses what can not be had."""
        if name.startswith("on-"):
            raise Refused(f"'--{name}' would run a program: 'ledger run --on EVENT=PROGRAM' does that, with care")
        if any(character in value for character in "\r\n\0"):
            raise Refused(f"'--{name}': a value is one line")
        if name in FLAGS and value not in ("true", "false"):
            raise Refused(f"'--{name}={value}': 'true' or 'false' is expected")
        if value not in CHOICES.get(name, (value,)):
            raise Refused(f"'--{name}={value}': one of {', '.join(CHOICES[name])} is expected")
        if name == "torrent-file":
            raise Refused("BitTorrent is not spoken here: this program downloads over HTTP and HTTPS", TORRENT)
        if value not in UNDONE.get(name, (value,)):
            raise Refused(f"'--{name}' is not had here")
        if name == "header":
            self.headers.append(value)
        elif name == "metalink-file":
            self.metalinks.append(value)
        else:
            self.values[name] = value


def is_known(name):
    return (
        name in FLAGS or name in ITEM or name in OURS or name in NEEDLESS or name in UNDONE
        or name == "torrent-file" or name.startswith(("on-download-", "on-bt-download-"))
        or name.startswith(NEEDLESS_STARTS) and name != "metalink-file")


def parse(arguments):
    """The flags of a command line, over those of aria2's configuration file."""
    line = Given()
    rest = list(arguments)
    while rest:
        word = rest.pop(0)
        if word == "--":
            line.urls += rest
            break
        if word.startswith("--"):
            name, equals, value = word[2:].partition("=")
            take(line, name, value if equals else None, rest)
        elif word.startswith("-") and word != "-":
            short(line, word[1:], rest)
        else:
            line.urls.append(word)
    given = Given()
    if not line.on("no-conf"):
        configure(given, line["conf-path"])
    given.values.update(line.values)
    given.headers += line.headers
    given.metalinks += line.metalinks
    given.urls = line.urls
    return given


def take(given, name, value, rest):
    if not is_known(name) and name not in ("help", "version"):
        raise Refused(f"'--{name}' is no flag of aria2c's: '-h' lists what there is")
    if value is None:
        if name in FLAGS or name in ("help", "version"):
            value = "true"
        elif not rest:
            raise Refused(f"'--{name}' needs a value")
        else:
            value = rest.pop(0)
    given.take(name, value)


def short(given, letters, rest):
    """`-c`, `-x4`, `-x 4`, `-cq`."""
    while letters:
        letter, letters = letters[0], letters[1:]
        name = SHORT.get(letter)
        if name is None:
            raise Refused(f"'-{letter}' is no flag of aria2c's: '-h' lists what there is")
        if name in FLAGS or name in ("help", "version"):
            if letters.startswith(("true", "false", "=")) or name == "help" and letters:
                return take(given, name, letters.lstrip("="), rest)
            take(given, name, "true", rest)
        else:
            return take(given, name, letters or None, rest)


def configure(given, path):
    """Reads aria2.conf, where it is: NAME=VALUE in each line."""
    home = pathlib.Path.home()
    config = pathlib.Path(os.environ.get("XDG_CONFIG_HOME") or home / ".config")
    places = [pathlib.Path(path)] if path else [home / ".aria2" / "aria2.conf", config / "aria2" / "aria2.conf"]
    for place in places:
        try:
            text = place.read_text(encoding="utf-8")
        except FileNotFoundError:
            if path:
                raise Refused(f"'{place}' can not be read") from None
            continue
        except OSError as error:
            raise Refused(f"'{place}' can not be read: {error.strerror}") from None
        for number, line in enumerate(text.splitlines(), 1):
            name, equals, value = line.strip().partition("=")
            if not name or name.startswith("#"):
                continue
            try:
                take(given, name.strip(), value.strip() if equals else None, [])
            except Refused as refused:
                raise Refused(f"'{place}', line {number}: {refused}", refused.code) from None
        return
