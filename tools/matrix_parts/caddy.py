"""Debian's Caddy."""

import json

from smoke_parts.server import Request, Server

CONFIGURATION = """
{{
    admin off
    auto_https off
    storage file_system {place}/storage
    servers {{
        protocols h1
    }}
    log default {{
        output file {place}/error.log
        exclude http.log.access
    }}
}}
(origin) {{
    bind 127.0.0.1
    root * {place}/files
    file_server
    log {{
        output file {place}/access.log {{
            roll_disabled
        }}
        format json
    }}
}}
http://127.0.0.1:{port} {{
    import origin
}}
https://127.0.0.1:{secure_port} {{
    tls {certificate.path} {certificate.key}
    import origin
}}
"""


class Caddy(Server):
    program = "caddy"
    package = "caddy"

    def configure(self):
        configuration = self.place / "Caddyfile"
        configuration.write_text(CONFIGURATION.format(
            place=self.place, port=self.port, secure_port=self.secure_port, certificate=self.certificate))
        return ["run", "--adapter", "caddyfile", "--config", str(configuration)]

    def parse(self, line):
        entry = json.loads(line)
        request = entry["request"]
        span = request["headers"].get("Range", ["-"])[0]
        return Request(
            entry["ts"] - entry["duration"], request["method"], request["uri"], entry["status"], entry["size"], span)
