"""`--enable-rpc`: `ledger run` with its API, which answers aria2's JSON-RPC."""

import contextlib
import http.client
import json
import os
import pathlib
import re
import signal
import ssl
import subprocess
import time

from . import codes, jobs
from .codes import Refused
from .flags import ITEM

PORT = 6800
TOKEN_NAME = "aria2c"
START_SECONDS_MAX = 60
# No client may name a file of this machine, nor may one say for all that certificates are not to be checked.
NOT_FOR_CLIENTS = ("load-cookies", "ca-certificate", "certificate", "private-key", "netrc-path")
# A name and a sum are of one download; the directory is told at the start.
FOR_ALL = [name for name in ITEM if name not in (*NOT_FOR_CLIENTS, "check-certificate", "out", "checksum", "dir")]
FOR_ALL += ["split", "max-connection-per-server", "auto-file-renaming"]


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


def refuse_unsettled(given):
    """Refuses what would hold for the downloads of the command line, and not for those that clients add later."""
    names = [name for name in NOT_FOR_CLIENTS if given[name]]
    if given["check-certificate"] == "false":
        names.append("check-certificate=false")
    if names:
        raise Refused(f"'--{names[0]}' can not be had with '--enable-rpc': it would not hold for what clients add")


def settle(given, process, port):
    """Tells the server what holds for every download that is added, once it answers; refuses when it does not."""
    values = {name: given[name] for name in FOR_ALL if given[name] is not None}
    if given.headers:
        values["header"] = given.headers
    if not values:
        return
    token = [f"token:{given['rpc-secret']}"] if given["rpc-secret"] else []
    body = json.dumps({"id": 1, "method": "aria2.changeGlobalOption", "params": [*token, values]})
    own = certificate(given["rpc-certificate"]) if given.on("rpc-secure") else None
    deadline = time.monotonic() + START_SECONDS_MAX
    while process.poll() is None:
        try:
            answer = ask(port, body, own)
        except (OSError, http.client.HTTPException, ValueError) as error:
            # Not there yet.
            if time.monotonic() > deadline:
                raise Refused(
                    f"the server does not take what is to hold for all downloads, after {START_SECONDS_MAX} s: {error}",
                    codes.TIMEOUT) from None
            time.sleep(0.05)
            continue
        if not isinstance(answer, dict) or answer.get("result") != "OK":
            raise Refused(f"the server refuses what is to hold for all downloads: {words(answer)}")
        return


def words(answer):
    """Why it is none that agrees: an error of the call, a problem of the server, or what another program says."""
    error = answer.get("error", answer) if isinstance(answer, dict) else answer
    found = error.get("message", error.get("detail")) if isinstance(error, dict) else None
    return found or json.dumps(answer)[:200]


def ask(port, body, own):
    """What the server answers to a call; with its own certificate, nobody but who has that is told."""
    if own is None:
        connection = http.client.HTTPConnection("127.0.0.1", port, timeout=START_SECONDS_MAX)
    else:
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
        # Neither its name nor its signer matters: it is compared as a whole.
        context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
        connection = http.client.HTTPSConnection("127.0.0.1", port, timeout=START_SECONDS_MAX, context=context)
    with contextlib.closing(connection):
        connection.connect()
        if own is not None and connection.sock.getpeercert(True) != own:
            raise ConnectionError(f"who answers at port {port} has another certificate")
        connection.request("POST", "/jsonrpc", body)
        return json.loads(connection.getresponse().read())


def certificate(path):
    """The first certificate of a chain, as a server sends it."""
    try:
        text = pathlib.Path(path).read_text(encoding="utf-8", errors="replace")
        found = re.search(f"{ssl.PEM_HEADER}.*?{ssl.PEM_FOOTER}", text, re.DOTALL)
        return ssl.PEM_cert_to_DER_cert(found[0])
    except (OSError, TypeError, ValueError) as error:
        raise Refused(f"'--rpc-certificate={path}' can not be read: {error}") from None


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
    refuse_unsettled(given)
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
