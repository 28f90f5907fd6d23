"""tools/aria2c: aria2c's flags and exit codes over the program."""

import contextlib
import json
import os
import pathlib
import signal
import socket
import subprocess
import urllib.request

import aria2p

from daemon import END_SECONDS_MAX, WAIT_SECONDS_MAX, environment, until
from matrix_parts.certificate import Certificate

from .checks import expect
from .origin import SLOW_BYTES, content

PATH = pathlib.Path(__file__).resolve().parent.parent / "aria2c"


def start(ledger, folder, *arguments, feed=None):
    """The command, in a home and a directory of its own."""
    process = subprocess.Popen(
        [PATH, *map(str, arguments)], cwd=folder, text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
        stdin=subprocess.PIPE if feed is not None else subprocess.DEVNULL,
        env={**environment(folder), "LEDGER": str(ledger), "LEDGER_HOME": str(folder / "home")})
    if feed is not None:
        process.stdin.write(feed)
        process.stdin.close()
        process.stdin = None
    return process


def run(ledger, folder, code, *arguments, feed=None):
    """Runs the command to its end, which must have this code; returns what it said."""
    process = start(ledger, folder, *arguments, feed=feed)
    out, err = process.communicate(timeout=WAIT_SECONDS_MAX)
    expect(process.returncode, code, f"exit code of {' '.join(map(str, arguments))} ({err.strip()[-300:]})")
    return out + err


def downloading(ledger, origin, folder):
    """aria2c: one file, from several places, from a list"""
    a = content("s1", SLOW_BYTES)
    run(ledger, folder, 0, "-d", "in", "-o", "one", "-x4", "-s", "4", "-k1M", "-c", "--header=X-Shim: 1",
        "--http-user=ada", "--http-passwd=pw", "-U", "shim/1", origin.url("/fast/s1"), origin.url("/fast/s1?b"))
    expect((folder / "in" / "one").read_bytes(), a, "bytes")
    seen = [fields for path, fields in origin.requests if path == "/fast/s1"]
    expect({fields.get("X-Shim") for fields in seen}, {"1"}, "header")
    expect({fields.get("User-Agent") for fields in seen}, {"shim/1"}, "user agent")
    expect({fields.get("Authorization") for fields in seen}, {"Basic YWRhOnB3"}, "credentials")
    run(ledger, folder, 0, "-Z", "-q", origin.url("/fast/s2"), origin.url("/fast/s3"))
    expect((folder / "s3").read_bytes(), content("s3", SLOW_BYTES), "bytes")
    listed = f"{origin.url('/fast/s4')}\n out=named\n# no more\n{origin.url('/fast/s5')}\n"
    run(ledger, folder, 0, "-i", "-", "--dir=list", "-j2", "--max-overall-download-limit=100M", feed=listed)
    expect(sorted(os.listdir(folder / "list")), ["named", "s5"], "files")
    (folder / "aria2.conf").write_text("dir=conf\n# none\nmax-tries=2\n")
    run(ledger, folder, 0, "--conf-path=aria2.conf", origin.url("/fast/s6"))
    expect((folder / "conf" / "s6").is_file(), True, "as the configuration says")


def exits(ledger, origin, folder):
    """aria2c: exit codes, and what is refused"""
    for status, code in ((404, 3), (401, 24), (403, 22), (503, 29)):
        run(ledger, folder, code, "-m1", origin.url(f"/status/{status}"))
    run(ledger, folder, 32, "--checksum=sha-256=" + "0" * 64, origin.url("/fast/e1"))
    run(ledger, folder, 1, "-m1", "http://127.0.0.1:1/x")
    run(ledger, folder, 19, "-m1", "http://no-such-host.invalid/x")
    url = origin.url("/fast/e2")
    for words, flags in (
            ("no flag", ["--no-such"]), ("no flag", ["-Y"]), ("run a program", ["--on-download-complete=/bin/true"]),
            ("run a program", ["--on-download-stop", "/bin/true"]), ("not had here", ["-P"]),
            ("not had here", ["--dry-run"]), ("expected", ["--split=many"]), ("expected", ["--allow-overwrite=maybe"]),
            ("one line", ["--header=A: 1\nout=x"]), ("needs a value", ["--dir"])):
        arguments = [url, *flags]
        expect(words in run(ledger, folder, 28, *arguments), True, f"'{words}' for {flags}")
    run(ledger, folder, 28)
    run(ledger, folder, 27, "magnet:?xt=urn:btih:00")
    run(ledger, folder, 26, "-T", "x.torrent")
    run(ledger, folder, 21, "ftp://example.org/x")
    run(ledger, folder, 0, "-o", "there", url)
    run(ledger, folder, 13, "-o", "there", "--auto-file-renaming=false", url)
    run(ledger, folder, 0, "-o", "there", "--allow-overwrite=true", url)
    expect(sorted(path.name for path in folder.glob("there*")), ["there"], "files")
    expect("1.36.0" in run(ledger, folder, 0, "-v"), True, "version")
    expect("usage" in run(ledger, folder, 0, "-h"), True, "help")


def interrupted(ledger, origin, folder):
    """aria2c: interrupted, and carried on"""
    process = start(ledger, folder, origin.url("/slow/i"))
    until(lambda: any(path == "/slow/i" for path, _ in origin.requests), "it is asked for")
    process.send_signal(signal.SIGTERM)
    process.communicate(timeout=WAIT_SECONDS_MAX)
    expect(process.returncode, 7, "exit code")
    origin.release("/slow/i")
    run(ledger, folder, 0, "-c", origin.url("/slow/i"))
    expect((folder / "i").read_bytes(), content("i", SLOW_BYTES), "bytes")


@contextlib.contextmanager
def server(ledger, folder, *arguments):
    """The command with `--enable-rpc` on a port that was free, and the port; it has ended after that."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    process = start(ledger, folder, "--enable-rpc", f"--rpc-listen-port={port}", *arguments)
    try:
        yield process, port
    finally:
        if process.poll() is None:
            process.send_signal(signal.SIGTERM)
        process.communicate(timeout=WAIT_SECONDS_MAX)


def is_there(process, holds):
    """Waits until the server answers, and what it answers holds."""
    def answers():
        try:
            return holds()
        except OSError:
            expect(process.poll(), None, "the end of the server")
            return False

    until(answers, "the server answers")


def serving(ledger, origin, folder):
    """aria2c: --enable-rpc, with a secret"""
    with server(
            ledger, folder, "--rpc-secret=s3cret-of-ours", "-j", "3", "--split=2", "--user-agent=shim/2",
            "--header=X-Shim: 2", "--auto-file-renaming=false", origin.url("/fast/r")) as (process, port):
        client = aria2p.Client(host="http://127.0.0.1", port=port, secret="s3cret-of-ours")
        is_there(process, lambda: client.get_global_option()["user-agent"] == "shim/2")
        shown = client.get_global_option()
        expect((shown["split"], shown["max-concurrent-downloads"]), ("2", "3"), "options")
        expect(shown["auto-file-renaming"], "false", "renaming")
        until(lambda: (folder / "r").is_file(), "what was given beside it")
        try:
            aria2p.Client(host="http://127.0.0.1", port=port, secret="wrong").get_version()
        except aria2p.ClientException as error:
            expect(error.message, "Unauthorized", "message")
        else:
            raise AssertionError("a wrong secret opens it")
        expect((folder / "home" / "tokens").stat().st_mode & 0o777, 0o600, "mode of the tokens")
        expect("s3cret" in (folder / "home" / "tokens").read_text(), False, "the secret is written down")
        client.shutdown()
        expect(process.wait(END_SECONDS_MAX), 0, "exit code")


def serving_encrypted(ledger, origin, folder):
    """aria2c: --enable-rpc over TLS, and what can not hold for clients"""
    own = Certificate(folder / "own")
    with server(
            ledger, folder, "--rpc-secure", f"--rpc-certificate={own.path}", f"--rpc-private-key={own.key}",
            "--user-agent=shim/3") as (process, port):
        url = f"https://127.0.0.1:{port}/jsonrpc?method=aria2.getGlobalOption&id=1"

        def holds():
            with urllib.request.urlopen(url, context=own.trust()) as answer:
                return json.loads(answer.read())["result"]["user-agent"] == "shim/3"

        is_there(process, holds)
    for flag in ("--load-cookies=x", "--ca-certificate=x", "--netrc-path=x", "--check-certificate=false"):
        said = run(ledger, folder, 28, "--enable-rpc", flag)
        expect("can not be had with '--enable-rpc'" in said, True, f"a refusal of {flag}")


ALL = [downloading, exits, interrupted, serving, serving_encrypted]
