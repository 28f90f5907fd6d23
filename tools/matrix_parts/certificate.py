"""A certificate for loopback that signs itself, made by `openssl` for one run."""

import shutil
import ssl
import subprocess

COMMAND = [
    "openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "2",
    "-subj", "/CN=localhost", "-addext", "subjectAltName=DNS:localhost,IP:127.0.0.1",
]


class Certificate:
    def __init__(self, place):
        place.mkdir()
        self.path = place / "certificate.pem"
        self.key = place / "key.pem"
        if shutil.which("openssl") is None:
            raise SystemExit("matrix: openssl is not here: apt-get install openssl")
        made = subprocess.run(
            [*COMMAND, "-keyout", str(self.key), "-out", str(self.path)], capture_output=True, check=False)
        if made.returncode != 0:
            raise SystemExit(f"matrix: openssl made no certificate: {made.stderr.decode()[-300:]}")

    def trust(self):
        return ssl.create_default_context(cafile=str(self.path))
