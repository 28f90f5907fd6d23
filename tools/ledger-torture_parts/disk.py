"""An ext4 file system in a file, on a loop device: mounted, cut from its power, checked."""

import contextlib
import fcntl
import os
import pathlib
import shutil
import struct
import subprocess
import sys
import time

from .interruption import take_down, undisturbed

EXT4_IOC_SHUTDOWN = 0x8004587D
NO_LOG_FLUSH = 2
FITRIM = 0xC0185879
# Bytes and files that use every block of a journal of 4 MiB and of a table of 256 inodes at least once.
PRIMING_BYTES, PRIMING_FILES = 6 << 20, 240
UMOUNT_SECONDS_MAX = 5
CANARY = "canary"
PAGE_BYTES = os.sysconf("SC_PAGE_SIZE")


PACKAGES = {"mkfs.ext4": "e2fsprogs", "e2fsck": "e2fsprogs", "mount": "mount", "losetup": "mount"}
TRIAL_BYTES = 8 << 20
# Said to itself: it has a mount namespace of its own already.
STANDS_APART = "LEDGER_TORTURE_STANDS_APART"


def reason_to_skip(place):
    """Why no such disk can be had here, tried out at `place`; nil when it can."""
    if os.geteuid() != 0:
        return "mounting needs root: run it with sudo"
    for program, package in PACKAGES.items():
        if find(program) is None:
            return f"{program} is missing: apt-get install {package}"
    if not os.path.exists("/dev/loop-control"):
        return "there are no loop devices: modprobe loop; in a container, --privileged"
    trial = Disk(place / "trial", place / "trial-disk")
    try:
        trial.make(TRIAL_BYTES)
        trial.attach("data=ordered")
    except RuntimeError as error:
        return f"ext4 in a file can not be mounted here: {error}"
    finally:
        take_down(trial)
    return None


def stand_apart():
    """Goes on in a mount namespace of its own, where one can be had.

    Whoever else makes one meanwhile takes a copy of what is mounted, and a disk that was cut lives on in it: mounting
    its image again finds that one, and every write to it fails. What others unmount goes from here, too.
    """
    unshare = find("unshare")
    if os.geteuid() != 0 or unshare is None or STANDS_APART in os.environ:
        return
    command = [unshare, "--mount", "--propagation", "slave"]
    if subprocess.run([*command, "true"], capture_output=True, check=False).returncode == 0:
        os.environ[STANDS_APART] = "yes"
        os.execv(unshare, [*command, sys.executable, *sys.argv])


def find(program):
    return shutil.which(program, path=os.environ.get("PATH", "") + ":/usr/sbin:/sbin")


def call(*command):
    """Runs a tool that must succeed, and says what it said when it does not."""
    with undisturbed():
        ended = subprocess.run([find(command[0]) or command[0], *map(str, command[1:])], capture_output=True, text=True,
                               check=False, stdin=subprocess.DEVNULL)
    if ended.returncode != 0:
        raise RuntimeError(f"{' '.join(map(str, command))}: {ended.stderr.strip() or ended.returncode}")
    return ended.stdout


class Mount:
    """Something mounted at a directory of its own; taken down by `end`, whatever state it is in."""

    def __init__(self, place):
        self.place = place
        self.place.mkdir(exist_ok=True)

    @property
    def is_mounted(self):
        """The system is asked: an interruption may come between mount(8) and any note of it."""
        return os.path.ismount(self.place)

    def mount(self, *arguments):
        call("mount", *arguments, self.place)

    def umount(self):
        """Unmounts; waits a little for processes that were killed and are not gone yet."""
        deadline = time.monotonic() + UMOUNT_SECONDS_MAX
        while True:
            try:
                return call("umount", self.place)
            except RuntimeError:
                if time.monotonic() > deadline:
                    raise
                time.sleep(0.02)

    def end(self):
        if self.is_mounted:
            try:
                self.umount()
            except RuntimeError:
                subprocess.run(["umount", "--lazy", str(self.place)], check=False)


class Disk(Mount):
    """The file system in the file `image`."""

    def __init__(self, image, place):
        super().__init__(place)
        self.image = image

    def make(self, size, *options):
        with open(self.image, "wb") as file:
            file.truncate(size)
        call("mkfs.ext4", "-q", "-F", *options, self.image)

    def attach(self, options):
        self.mount("-t", "ext4", "-o", f"loop,{options}", self.image)

    def take_pages_singly(self):
        """Has the loop device write one page at a time.

        The driver takes a write that its file took only in part for one that succeeded. A file on a full tmpfs takes
        the pages that it has already and no others, so that the disk would lie about its syncs.
        """
        for device in self.devices():
            pathlib.Path(f"/sys/block/{device.name}/queue/max_sectors_kb").write_text(f"{PAGE_BYTES >> 10}")

    def devices(self):
        found = call("losetup", "--noheadings", "--output", "NAME", "-j", self.image).split()
        return [pathlib.Path(name) for name in found]

    def cut(self):
        """Cuts the power: nothing more reaches the file, not even the journal's last transaction.

        Bytes that nobody synced are written just before, to show that a cut takes away something.
        """
        (self.place / CANARY).write_bytes(CANARY.encode())
        descriptor = os.open(self.place, os.O_RDONLY)
        try:
            fcntl.ioctl(descriptor, EXT4_IOC_SHUTDOWN, struct.pack("I", NO_LOG_FLUSH))
        finally:
            os.close(descriptor)

    def has_canary(self):
        """Whether what was written before the cut is there after all; it is removed."""
        path = self.place / CANARY
        there = path.exists() and path.read_bytes() == CANARY.encode()
        path.unlink(missing_ok=True)
        return there

    def prime(self):
        """Gives the journal and the inodes a place in the image, while there is room, and takes it from all else."""
        with open(self.place / "priming", "wb", buffering=0) as file:
            for _ in range(PRIMING_BYTES >> 20):
                file.write(bytes(range(256)) * 4096)
                os.fsync(file.fileno())
        for number in range(PRIMING_FILES):
            (self.place / f"priming-{number}").touch()
        os.sync()
        for path in self.place.glob("priming*"):
            path.unlink()

    def trim(self):
        """Gives back what free blocks take up in the image."""
        descriptor = os.open(self.place, os.O_RDONLY)
        try:
            os.fsync(descriptor)
            fcntl.ioctl(descriptor, FITRIM, bytearray(struct.pack("QQQ", 0, 1 << 60, 0)))
        finally:
            os.close(descriptor)

    def check(self):
        """What e2fsck finds on the disk, which is not mounted; nil when nothing."""
        ended = subprocess.run([find("e2fsck"), "-f", "-n", str(self.image)], capture_output=True, text=True,
                               check=False, stdin=subprocess.DEVNULL)
        return None if ended.returncode == 0 else ended.stdout.strip()[-400:]

    def end(self):
        super().end()
        # `umount` detaches the device by itself; after a lazy one it may still be there.
        with contextlib.suppress(RuntimeError):
            for device in self.devices():
                call("losetup", "-d", device)
