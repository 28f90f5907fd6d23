"""`--enable-rpc`: `ledger run` with its API, which answers aria2's JSON-RPC."""

import json
import os
import signal
import subprocess
import time
import urllib.error
import urllib.request

from . import codes, jobs
from .codes import Refused
from .flags import ITEM

PORT = 6800
TOKEN_NAME = "aria2c"
START_SECONDS_MAX = 60


def admit(secret, ledger):
    """Lets a secret open the API, as a token that 'ledger token' lists and revokes."""
    ended = subprocess.run(
        [ledger, "token", TOKEN_NAME, "--given", "--quiet"], input=secret.encode(), stderr=subprocess.PIPE, check=False)
    if ended.returncode:
        raise Refused(f"--rpc-secret can not be used: {ended.stderr.decode(errors='replace').strip()}")


def command(given, ledger, port):
    words = [ledger, "run", "-d", given["dir"] or "."]
    words += ["--listen", f"{'0.0.0.0' if given.on('rpc-listen-all') else '127.0.0.1'}:{port}"]
    if given.number("max-concurrent-downloads"):
        words += ["--jobs", given["max-concurrent-downloads"]]
    if given["max-overall-download-limit"] not in (None, "0"):
        words += ["--max-rate", given["max-overall-download-limit"]]
    if given["retry-wait"] not in (None, "0"):
        words += ["--retry-wait", f"{given.number('retry-wait')}s"]
    if given.on("rpc-allow-origin-all"):
        words += ["--allow-origin", "*"]
    if given.on("rpc-secure"):
        if not given["rpc-certificate"] or not given["rpc-private-key"]:
            raise Refused("'--rpc-secure' goes with '--rpc-certificate' and '--rpc-private-key', both PEM")
        words += ["--tls-cert", given["rpc-certificate"], "--tls-key", given["rpc-private-key"]]
    if given["log"] not in (None, "-", ""):
        words += ["--log-file", given["log"]]
    if given.on("quiet"):
        words.append("--quiet")
    return words


def settle(given, process, port):
    """Tells the server what holds for every download that is added, once it answers."""
    values = {name: given[name] for name in [*ITEM, "split", "max-connection-per-server"] if given[name] is not None}
    for name in ("out", "checksum", "dir", "load-cookies", "ca-certificate", "certificate", "private-key"):
        values.pop(name, None)
    if given.headers:
        values["header"] = given.headers
    if not values or given.on("rpc-secure"):
        return
    token = [f"token:{given['rpc-secret']}"] if given["rpc-secret"] else []
    body = {"id": 1, "method": "aria2.changeGlobalOption", "params": [*token, values]}
    request = urllib.request.Request(f"http://127.0.0.1:{port}/jsonrpc", json.dumps(body).encode())
    opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
    deadline = time.monotonic() + START_SECONDS_MAX
    while process.poll() is None and time.monotonic() < deadline:
        try:
            opener.open(request, timeout=START_SECONDS_MAX).close()
            return
        except urllib.error.HTTPError as error:
            words = json.loads(error.read()).get("error", {}).get("message", str(error))
            raise Refused(f"the server refuses what is to hold for all downloads: {words}") from None
        except OSError:
            # Not there yet.
            time.sleep(0.05)


def detach():
    """Goes on in the background, without a terminal."""
    if os.fork():
        os._exit(codes.DONE)
    os.setsid()
    nothing = os.open(os.devnull, os.O_RDWR)
    for number in range(3):
        os.dup2(nothing, number)


def serve(given, ledger):
    """Serves until it is told to end. Returns aria2's exit code."""
    port = given.number("rpc-listen-port") or PORT
    words = command(given, ledger, port)
    if given["rpc-secret"]:
        admit(given["rpc-secret"], ledger)
    if given.urls or given["input-file"] or given.metalinks:
        code, rows, wanted = jobs.enter(given, ledger, "add")
        if code:
            return codes.of_run(code, rows, wanted)
    if given.on("daemon"):
        detach()
    process = subprocess.Popen(words, stdin=subprocess.DEVNULL)
    signal.signal(signal.SIGINT, lambda *_: None)
    signal.signal(signal.SIGTERM, lambda *_: process.send_signal(signal.SIGTERM))
    try:
        settle(given, process, port)
    except Refused:
        process.send_signal(signal.SIGTERM)
        process.wait()
        raise
    code = process.wait()
    return codes.EXITS.get(code, code if code in (0, 1) else codes.UNKNOWN)
