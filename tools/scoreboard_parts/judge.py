"""One tool, one case: run, and judged by what lies on the disk, what was printed and what the origin saw."""

import dataclasses
import hashlib
import os
import shutil
import signal
import subprocess
import time
import uuid

RUNS_MAX = 3
RUN_SECONDS_MAX = 40
SECRETS = ("pa55w0rd", "c00kie", "t0ken", "t0ps3cret")


@dataclasses.dataclass
class Job:
    url: str
    scratch: object
    directory: object
    certificate: object
    is_about_names: bool = False
    headers: tuple = ()
    user: str = ""
    sha256: str = ""
    media_type: str = ""
    mirrors: tuple = ()
    ranges: int = 0


@dataclasses.dataclass
class Verdict:
    is_wrong: bool
    how: str = ""
    is_absent: bool = False


def play(case, tool, fixture, place, certificate, keep):
    """Plays a case with a tool, and says whether it was right."""
    client = case.get("client") or ""
    wants = [("SHA-256", tool.can_check), ("four ranges", tool.can_split), ("--expect-type", tool.can_expect_type)]
    if any(words in client and not can for words, can in wants):
        return Verdict(False, is_absent=True)
    token = uuid.uuid4().hex[:12]
    scratch = place / f"{case['case']}-{tool.name}"
    directory = scratch / "a" / "b"
    directory.mkdir(parents=True)
    (scratch / "person").mkdir()
    whole = fixture.bytes(case, token)
    job = Job(
        fixture.base + case["path"].replace("TOKEN", token), scratch, directory, certificate,
        is_about_names=case["row"] in (31, 32, 33))
    if "SHA-256" in client:
        job.sha256 = hashlib.sha256(whole).hexdigest()
    if "--expect-type" in client:
        job.media_type = client.split("the type ")[1].split()[0]
    if "X-Token" in client:
        job.headers = (f"Cookie: id={SECRETS[1]}", f"X-Token: {SECRETS[2]}")
        job.user = f"ada:{SECRETS[0]}"
    if "mirror" in client and tool.can_mirror:
        job.mirrors = tuple(fixture.base + path.replace("TOKEN", token) for path in case["mirrors"])
    if "four ranges" in client:
        job.ranges = 4
    stranger = plant(client, scratch, directory)
    verdict = run(case, tool, job, fixture, token, whole, stranger)
    if not (keep and verdict.is_wrong):
        shutil.rmtree(scratch, ignore_errors=True)
    return verdict


def plant(client, scratch, directory):
    """What stands in the way before the tool comes; returns the file that must stay as it is."""
    if "file of your own" in client:
        (directory / "disk.iso").write_bytes(b"a stranger's")
        return directory / "disk.iso"
    if "symbolic link" in client:
        (scratch / "victim").write_bytes(b"a stranger's")
        (directory / "disk.iso").symlink_to(scratch / "victim")
        return scratch / "victim"
    return None


def run(case, tool, job, fixture, token, whole, stranger):
    output = b""
    start = time.monotonic()
    code = None
    runs = 1 if case["result"] == "waits" else RUNS_MAX
    for _ in range(runs):
        limit = case["waitSeconds"] - 1 if case["result"] == "waits" else RUN_SECONDS_MAX
        code, printed, timed_out = once(tool.command(job), job, limit, twice="twice" in (case.get("client") or ""))
        output += printed
        if case["result"] == "waits":
            requests = len(fixture.seen(case, token)["requests"])
            return Verdict(requests > 1 or code == 0, f"asked {requests} times within {limit} s")
        if code == 0:
            break
        if timed_out:
            return Verdict(True, f"no end within {RUN_SECONDS_MAX} s")
    seconds = time.monotonic() - start
    how = complaint(case, tool, job, fixture, token, whole, stranger, code, output, seconds)
    return Verdict(how is not None, how or "")


def once(command, job, seconds, twice=False):
    """Runs a command, or two of it at once, to the end or for so long."""
    environment = {"PATH": os.environ["PATH"], "HOME": str(job.scratch / "person"), "LANG": "C.UTF-8", "NO_COLOR": "1"}
    processes = []
    with open(job.scratch / "output", "w+b") as output:
        for _ in range(2 if twice else 1):
            processes.append(subprocess.Popen(
                command, cwd=job.directory, stdin=subprocess.DEVNULL, stdout=output, stderr=output, env=environment,
                start_new_session=True))
        deadline = time.monotonic() + seconds
        codes = []
        timed_out = False
        for process in processes:
            try:
                codes.append(process.wait(max(0.1, deadline - time.monotonic())))
            except subprocess.TimeoutExpired:
                timed_out = True
                os.killpg(process.pid, signal.SIGKILL)
                codes.append(process.wait())
        output.seek(0)
        return max(codes, key=abs), output.read(), timed_out


def complaint(case, tool, job, fixture, token, whole, stranger, code, output, seconds):
    """What is wrong; None when nothing is."""
    seen = fixture.seen(case, token)
    if stranger and (not stranger.exists() or stranger.read_bytes() != b"a stranger's"):
        return "wrote over a stranger's file"
    outside = [path for path in (job.directory.parent, job.scratch) for path in path.iterdir()
               if path.is_file() and path.name not in ("output", "victim")]
    if outside:
        return f"wrote outside its directory: {outside[0].name}"
    if case["withholds"] and (leak := leaked(seen, fixture.host)):
        return f"{leak} sent to another origin"
    if case["row"] == 44 and (found := [secret for secret in SECRETS if secret.encode() in output]):
        return f"prints {found[0]}"
    files = [path for path in sorted(job.directory.iterdir())
             if path != stranger and not path.name.endswith(tool.leftovers or ("\0",)) and not path.is_symlink()]
    if case["result"] == "refused":
        if code == 0:
            return "success though " + case["what"]
        most = case.get("requestsMax")
        if most and len(seen["requests"]) > most * RUNS_MAX:
            return f"asked {len(seen['requests'])} times"
        return None
    if code != 0:
        return f"gave up (exit {code})"
    if len(files) != 1:
        return f"{len(files)} files instead of one"
    if not files[0].is_file():
        return "no plain file"
    held = files[0].read_bytes()
    if held != whole:
        return difference(held, whole, fixture, case, token)
    if case["names"] and files[0].name not in case["names"]:
        return f"named '{files[0].name}'"
    wait = case.get("waitSeconds")
    if wait and seconds < wait:
        return f"came back after {seconds:.1f} s instead of {wait}"
    return None


def leaked(seen, host):
    for request in seen["requests"]:
        fields = {name.lower(): value for name, value in request["fields"]}
        if fields.get("host") != host:
            for name in ("authorization", "cookie", "x-token"):
                if name in fields:
                    return name
    return None


def difference(held, whole, fixture, case, token):
    if len(held) < len(whole) and whole.startswith(held):
        return f"calls {len(held)} of {len(whole)} bytes a success"
    if len(held) == len(whole):
        return "spliced: right length, wrong bytes, exit 0"
    return f"{len(held)} bytes where {len(whole)} are right, exit 0"
