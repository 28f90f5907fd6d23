"""Debian's lighttpd."""

import os
import signal
import time

from smoke_parts.server import Request, Server

CONFIGURATION = """
server.modules = ( "mod_openssl", "mod_accesslog" )
server.bind = "127.0.0.1"
server.port = {port}
server.document-root = "{place}/files"
server.pid-file = "{place}/lighttpd.pid"
server.errorlog = "{place}/error.log"
server.upload-dirs = ( "{place}" )
mimetype.assign = ( "" => "application/octet-stream" )
accesslog.filename = "{place}/access.log"
accesslog.format = "%{{begin:msec}}t %s %B %{{Range}}i %r"
$SERVER["socket"] == "127.0.0.1:{secure_port}" {{
    ssl.engine = "enable"
    ssl.pemfile = "{certificate.path}"
    ssl.privkey = "{certificate.key}"
}}
"""


class Lighttpd(Server):
    program = "lighttpd"
    package = "lighttpd lighttpd-mod-openssl"

    def configure(self):
        configuration = self.place / "lighttpd.conf"
        configuration.write_text(CONFIGURATION.format(
            place=self.place, port=self.port, secure_port=self.secure_port, certificate=self.certificate))
        return ["-D", "-f", str(configuration)]

    def flush(self):
        # Lines are kept for seconds; opening the logs anew writes them.
        os.kill(self.process.pid, signal.SIGHUP)
        time.sleep(1.5)

    def parse(self, line):
        begin, status, count, span, method, target = line.split(" ")[:6]
        return Request(int(begin) / 1000, method, target, status, count, span)
