"""Debian's nginx on loopback, with its own configuration, ports and log, and limits that can be set while it runs."""

import os
import signal
import time

from .server import Request, Server

CONFIGURATION = """
daemon off;
worker_processes 1;
pid {place}/nginx.pid;
error_log {place}/error.log warn;
{user}
events {{ worker_connections 1024; }}
http {{
    log_format origin '$msec $request_time $request_method $request_uri $status $body_bytes_sent "$http_range"';
    access_log {place}/access.log origin;
    client_body_temp_path {place}/t1; proxy_temp_path {place}/t2; fastcgi_temp_path {place}/t3;
    uwsgi_temp_path {place}/t4; scgi_temp_path {place}/t5;
    types {{ }}
    default_type application/octet-stream;
    sendfile on;
    limit_conn_zone $binary_remote_addr zone=address:1m;
    server {{
        listen 127.0.0.1:{port};
        {secure}
        root {place}/files;
        include {place}/limit.conf;
    }}
}}
"""
SECURE = "listen 127.0.0.1:{port} ssl; ssl_certificate {certificate.path}; ssl_certificate_key {certificate.key};"


class Origin(Server):
    program = "nginx"
    package = "nginx-light"
    configuration = CONFIGURATION

    def configure(self):
        (self.place / "limit.conf").write_text("")
        secure = SECURE.format(port=self.secure_port, certificate=self.certificate) if self.certificate else ""
        user = "user root;" if os.geteuid() == 0 else ""
        path = self.place / "nginx.conf"
        path.write_text(
            self.configuration.format(place=self.place, port=self.port, secure=secure, user=user))
        return ["-p", str(self.place), "-c", str(path)]

    def parse(self, line):
        end, seconds, method, target, status, count, span = line.split(" ", 6)
        return Request(float(end) - float(seconds), method, target, status, count, span.strip('"'))

    def limit(self, bytes_per_second=0, *directives):
        """Sets the rate of each connection, 0 for none, and other limits. Waits until the new worker serves them."""
        rate = [f"limit_rate {bytes_per_second}"] if bytes_per_second else []
        (self.place / "limit.conf").write_text("".join(f"{one};\n" for one in [*rate, *directives]))
        self.process.send_signal(signal.SIGHUP)
        time.sleep(0.5)
        self.wait()
