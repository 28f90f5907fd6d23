"""A network that is slower than loopback: two ends of a wire in namespaces of their own, with a rate (tc-tbf(8))."""

import contextlib
import os
import shutil
import subprocess

# Of a block that is for tests of networks (RFC 2544): no machine is reached there.
NEAR, FAR, PREFIX = "198.18.254.1", "198.18.254.2", 30
BURST_BYTES = 1 << 20
LATENCY_MILLISECONDS = 20


@contextlib.contextmanager
def wire(report, work, bits_per_second):
    """What to put before a command so that all that it gets from `NEAR` comes at that rate at most, however it is sent
    off; None, with a note, where such a network can not be made (it takes root, iproute2 and a kernel that has it).

    A server that counts what it sends, as nginx does, waits after each piece for as long as that may take: whoever
    takes a piece a moment later gets the next one as much later, which no network does.
    """
    name = f"ledger-bench-{os.getpid()}"
    near, far = f"lb{os.getpid()}", "far"
    steps = [
        ["ip", "netns", "add", name],
        ["ip", "link", "add", near, "type", "veth", "peer", "name", far, "netns", name],
        ["ip", "addr", "add", f"{NEAR}/{PREFIX}", "dev", near],
        ["ip", "link", "set", near, "up"],
        ["ip", "-n", name, "addr", "add", f"{FAR}/{PREFIX}", "dev", far],
        ["ip", "-n", name, "link", "set", far, "up"],
        ["tc", "qdisc", "add", "dev", near, "root", "tbf", "rate", f"{bits_per_second}bit", "burst", str(BURST_BYTES),
         "latency", f"{LATENCY_MILLISECONDS}ms"],
    ]
    try:
        failed = "ip or tc is not here: apt-get install iproute2" if None in map(tool, ("ip", "tc")) else next(
            filter(None, map(attempt, steps)), None)
        if failed:
            report.note(work, f"there is no slower network, and it is not measured: {failed}")
        yield None if failed else [tool("ip"), "netns", "exec", name]
    finally:
        if tool("ip"):
            # The other end goes with its namespace, and this one with it.
            attempt(["ip", "link", "del", near])
            attempt(["ip", "netns", "del", name])


def tool(name):
    return shutil.which(name, path=os.environ.get("PATH", "") + ":/usr/sbin:/sbin")


def attempt(step):
    """Does a step; what went wrong, None when nothing did."""
    ended = subprocess.run([tool(step[0]), *step[1:]], capture_output=True, text=True)
    return f"{' '.join(step)}: {ended.stderr.strip()}" if ended.returncode else None
