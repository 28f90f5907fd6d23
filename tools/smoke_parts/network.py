"""8. A lost network: the cable between two network namespaces is pulled while files come, for longer than retries last."""

import contextlib
import os
import random
import shlex
import shutil
import subprocess
import time

from . import checks
from .program import Program, same
from .server import Missing

BIG_BYTES = 24 << 20
BYTES_PER_SECOND = 2 << 20
SMALL_FILES = 6
# Five retries are spent in about 30 s: the waits double from one second on, and each look at a dead cable takes three.
LOST_SECONDS = 60
BACK_SECONDS_MAX = 45
HERE, THERE = "10.213.77.1", "10.213.77.2"
PORT = 8080
CONFIGURATION = """
daemon off;
worker_processes 1;
user root;
pid {place}/nginx.pid;
error_log {place}/error.log warn;
events {{ worker_connections 1024; }}
http {{
    access_log off;
    client_body_temp_path {place}/t1; proxy_temp_path {place}/t2; fastcgi_temp_path {place}/t3;
    uwsgi_temp_path {place}/t4; scgi_temp_path {place}/t5;
    types {{ }}
    default_type application/octet-stream;
    limit_rate {rate};
    server {{ listen {address}:{port}; root {place}/files; }}
}}
"""


class Ip(Missing):
    def __init__(self):
        Exception.__init__(self, "ip is not here: apt-get install iproute2")


def run(program, origin, options, report):
    if os.geteuid() != 0:
        report.figure("left out", "making network namespaces needs root")
        return
    ip = shutil.which("ip", path="/usr/sbin:/sbin:/usr/bin:/bin")
    if ip is None:
        raise Ip
    near, far = (f"ledger-smoke-{os.getpid()}-{side}" for side in ("near", "far"))

    def do(*words):
        subprocess.run([ip, *words], check=True)

    with contextlib.ExitStack() as stack:
        for name in (near, far):
            do("netns", "add", name)
            stack.callback(do, "netns", "delete", name)
            do("-n", name, "link", "set", "lo", "up")
        do("link", "add", "near", "netns", near, "type", "veth", "peer", "name", "far", "netns", far)
        for name, end, address in ((near, "near", HERE), (far, "far", THERE)):
            do("-n", name, "address", "add", f"{address}/30", "dev", end)
            do("-n", name, "link", "set", end, "up")
        server = stack.enter_context(serving(ip, far, program.home.parent / "far", origin, options))
        inside = Program(program.home.parent / "ledger", program.home, program.files)
        stack.callback(inside.end)
        inside.path.write_text(f"#!/bin/sh\nexec {ip} netns exec {near} {shlex.quote(str(program.path))} \"$@\"\n")
        inside.path.chmod(0o755)
        scenario(inside, server, lambda state: do("-n", far, "link", "set", "far", state), report)


@contextlib.contextmanager
def serving(ip, namespace, place, origin, options):
    """nginx at the far end. Gives the directory of its files."""
    chance = random.Random(options.seed + 8)
    files = place / "files"
    files.mkdir(parents=True)
    (files / "big.bin").write_bytes(chance.randbytes(BIG_BYTES))
    for number in range(SMALL_FILES):
        (files / f"small-{number}.bin").write_bytes(chance.randbytes(1000))
    path = place / "nginx.conf"
    path.write_text(CONFIGURATION.format(place=place, rate=BYTES_PER_SECOND, address=THERE, port=PORT))
    with open(place / "output", "wb") as output:
        process = subprocess.Popen(
            [ip, "netns", "exec", namespace, origin.path(), "-p", str(place), "-c", str(path)],
            stdin=subprocess.DEVNULL, stdout=output, stderr=output, start_new_session=True)
    try:
        checks.until(lambda: (place / "nginx.pid").exists() and (place / "nginx.pid").read_text(), 10)
        yield files
    finally:
        process.terminate()
        process.wait(10)


def scenario(program, files, cable, report):
    url = f"http://{THERE}:{PORT}/"
    # One stream, and little patience: it is the loss that is looked at, and not how soon it is found.
    order = ("-d", program.files, "--timeout", "3s", "-s", "1")
    ended = program.run("add", url + "big.bin", *order)
    report.expect(ended.code == 0, f"add: {ended}")
    holder = program.start("run", "--no-api", "--until-idle")
    checks.until(lambda: received(program) > BYTES_PER_SECOND, 20)
    cable("down")
    names = [f"small-{number}.bin" for number in range(SMALL_FILES)]
    ended = program.run("add", *(url + name for name in names), *order)
    report.expect(ended.code == 0, f"add without a network: {ended}")
    time.sleep(LOST_SECONDS)
    rows = program.run("list", "--json").rows
    states = {row["state"] for row in rows}
    report.expect(states == {"waiting"}, f"without a network they are {states}")
    told = sum(1 for row in rows if "no network" in (row["error"] or {}).get("message", ""))
    report.figure("that say why they wait", told, f"= {len(rows)}")
    report.expect(told == len(rows), f"{told} of {len(rows)} say that there is no network")
    failures = sum(1 for event in program.events() if event["type"] == "failed")
    report.figure(f"failures in {LOST_SECONDS} s without a network", failures)
    report.expect(failures <= 2 * len(rows), f"{failures} failures are on record")

    start = time.monotonic()
    cable("up")
    ended = holder.wait(BACK_SECONDS_MAX)
    report.expect(ended.code == 0, f"run: {ended}")
    report.figure("done after it was back", f"{time.monotonic() - start:.1f} s", f"< {BACK_SECONDS_MAX} s")
    for name in ["big.bin", *names]:
        report.expect(same(files / name, program.files / name), f"'{name}' is not what the origin holds")
    checks.audit(program, report)


def received(program):
    ended = program.run("list", "--json")
    return ended.rows[0]["received"] if ended.code == 0 and ended.rows else 0
