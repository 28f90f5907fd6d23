"""Debian's Apache."""

import os

from smoke_parts.server import Request, Server

MODULES = "/usr/lib/apache2/modules"
CONFIGURATION = """
ServerRoot {place}
DefaultRuntimeDir {place}
PidFile {place}/apache.pid
Mutex file:{place} default
ServerName localhost
{user}
LoadModule mpm_event_module {modules}/mod_mpm_event.so
LoadModule authz_core_module {modules}/mod_authz_core.so
LoadModule socache_shmcb_module {modules}/mod_socache_shmcb.so
LoadModule ssl_module {modules}/mod_ssl.so
Listen 127.0.0.1:{port}
Listen 127.0.0.1:{secure_port}
ErrorLog {place}/error.log
LogFormat "%{{begin:msec}}t %s %B %{{Range}}i %r" origin
CustomLog {place}/access.log origin
DocumentRoot {place}/files
<Directory {place}/files>
    Require all granted
</Directory>
<VirtualHost 127.0.0.1:{secure_port}>
    SSLEngine on
    SSLCertificateFile {certificate.path}
    SSLCertificateKeyFile {certificate.key}
</VirtualHost>
"""


class Apache(Server):
    program = "apache2"
    package = "apache2-bin"

    def configure(self):
        # Apache serves nobody as root: the user Debian has for it, who may pass the directories down to the files.
        user = "User www-data\nGroup www-data" if os.geteuid() == 0 else ""
        self.place.chmod(0o711)
        configuration = self.place / "apache.conf"
        configuration.write_text(CONFIGURATION.format(
            place=self.place, port=self.port, secure_port=self.secure_port, certificate=self.certificate, user=user,
            modules=MODULES))
        return ["-DFOREGROUND", "-f", str(configuration)]

    def parse(self, line):
        begin, status, count, span, method, target = line.split(" ")[:6]
        return Request(int(begin) / 1000, method, target, status, count, span)
