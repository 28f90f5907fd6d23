"""The tools, each called as its users call it to get a file over a bad line."""

SILENCE_SECONDS = 2


class Tool:
    name = program = package = ""
    # What lies beside a download that is not finished.
    leftovers = ()
    can_check = can_mirror = can_split = can_expect_type = False

    def __init__(self, ledger):
        pass

    def command(self, job):
        raise NotImplementedError


class Ledger(Tool):
    name = "ledger"
    leftovers = (".part", ".rejected")
    can_check = can_mirror = can_split = can_expect_type = True

    def __init__(self, ledger):
        self.program = ledger

    def command(self, job):
        arguments = [
            "get", "--home", str(job.scratch / "home"), "-d", str(job.directory), "--retries", "4",
            "--timeout", str(SILENCE_SECONDS), "--cacert", str(job.certificate)]
        for header in job.headers:
            arguments += ["-H", header]
        if job.user:
            arguments += ["--user", job.user]
        if job.sha256:
            arguments += ["--checksum", f"sha-256={job.sha256}"]
        for mirror in job.mirrors:
            arguments += ["--mirror", mirror]
        if job.ranges:
            arguments += ["-s", str(job.ranges)]
        if job.media_type:
            arguments += ["--expect-type", job.media_type]
        return [self.program, *arguments, job.url]


class Aria2(Tool):
    name = program = "aria2c"
    package = "aria2"
    leftovers = (".aria2",)
    can_check = can_mirror = can_split = True

    def command(self, job):
        arguments = [
            "-d", str(job.directory), "--continue=true", "--max-tries=4", "--retry-wait=1", "--no-conf",
            f"--timeout={SILENCE_SECONDS}", f"--connect-timeout={SILENCE_SECONDS}", "--lowest-speed-limit=16",
            f"--ca-certificate={job.certificate}", "--console-log-level=warn", "--summary-interval=0"]
        arguments += [f"--header={header}" for header in job.headers]
        if job.user:
            name, password = job.user.split(":")
            arguments += [f"--http-user={name}", f"--http-passwd={password}"]
        if job.sha256:
            arguments += [f"--checksum=sha-256={job.sha256}", "--check-integrity=true"]
        if job.ranges:
            arguments += [f"-x{job.ranges}", f"-s{job.ranges}", "-k1M"]
        return [self.program, *arguments, job.url, *job.mirrors]


class Curl(Tool):
    name = program = package = "curl"

    def command(self, job):
        # curl takes the server's name (-J) or continues a file (-C), not both.
        name = ["-OJ"] if job.is_about_names else ["-O", "-C", "-"]
        arguments = [
            "-fsSL", *name, "--output-dir", str(job.directory), "--retry", "3", "--connect-timeout",
            str(SILENCE_SECONDS), "--speed-limit", "16", "--speed-time", str(SILENCE_SECONDS), "--cacert",
            str(job.certificate)]
        for header in job.headers:
            arguments += ["-H", header]
        if job.user:
            arguments += ["-u", job.user]
        return [self.program, *arguments, job.url]


class Wget2(Tool):
    name = program = package = "wget2"
    can_split = True

    def command(self, job):
        arguments = [
            "-q", "-P", str(job.directory), "--tries=4", "--waitretry=1", f"--timeout={SILENCE_SECONDS}",
            f"--ca-certificate={job.certificate}", "--no-config", "--no-hsts", "--no-robots"]
        arguments += ["--content-disposition"] if job.is_about_names else ["-c"]
        arguments += [f"--header={header}" for header in job.headers]
        if job.user:
            name, password = job.user.split(":")
            arguments += [f"--http-user={name}", f"--http-password={password}", "--auth-no-challenge"]
        if job.ranges:
            arguments += ["--chunk-size=200K", f"--max-threads={job.ranges}"]
        return [self.program, *arguments, job.url]


class Axel(Tool):
    name = program = package = "axel"
    leftovers = (".st",)
    can_mirror = can_split = True

    def command(self, job):
        arguments = ["-q", f"--timeout={SILENCE_SECONDS}", "-n", str(job.ranges or 1), "-k"]
        for header in job.headers:
            arguments += ["-H", header]
        if job.user:
            url = job.url.replace("://", f"://{job.user}@")
        else:
            url = job.url
        return [self.program, *arguments, url, *job.mirrors]


TOOLS = {tool.name: tool for tool in (Ledger, Aria2, Curl, Wget2, Axel)}
