"""The origin that misbehaves: started, asked, ended."""

import json
import subprocess
import urllib.error
import urllib.request

ANSWER_SECONDS_MAX = 30


class Fixture:
    def __init__(self, program, tls=False):
        self.program = program
        self.tls = tls
        self.cases = [json.loads(line) for line in self._ask("--list", "--json").splitlines()]
        self.certificate = self._ask("--certificate")

    def __enter__(self):
        self.process = subprocess.Popen(
            [self.program, *(["--tls"] if self.tls else [])], stdout=subprocess.PIPE, text=True)
        line = self.process.stdout.readline().strip()
        self.base = line.removeprefix("listening on ")
        if not self.base.startswith("http"):
            raise RuntimeError(f"the fixture server said '{line}'")
        self.host = self.base.split("://")[1]
        return self

    def __exit__(self, *_):
        self.process.terminate()
        self.process.wait()

    def bytes(self, case, token):
        return self._get(f"/_bytes/{case['case']}/{token}")

    def seen(self, case, token):
        return json.loads(self._get(f"/_seen/{case['case']}/{token}"))

    def _get(self, path):
        context = None
        if self.tls:
            import ssl
            context = ssl.create_default_context()
            context.check_hostname = False
            context.verify_mode = ssl.CERT_NONE
        with urllib.request.urlopen(self.base + path, timeout=ANSWER_SECONDS_MAX, context=context) as answer:
            return answer.read()

    def _ask(self, *arguments):
        return subprocess.run([self.program, *arguments], check=True, capture_output=True, text=True).stdout
