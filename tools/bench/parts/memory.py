"""Free memory, which a virtual machine may give back to its host while nobody has it."""

import contextlib
import pathlib

# The smallest free piece that is given back, as a power of two pages, and how it is said that none is (by a kernel that
# takes it: Linux, mm/page_reporting.c).
ORDER = pathlib.Path("/sys/module/page_reporting/parameters/page_reporting_order")
ORDER_NEVER = "11"


@contextlib.contextmanager
def kept(report):
    """Has the machine keep what is free as long as it measures, and gives the setting back.

    Else whoever happens to get pages that went back to the host waits for each of them, in the kernel, where it counts
    as processor time: one loop of read and write took 0.8 to 3.3 s for 2 GiB on tmpfs. Where it can not be had, that is
    a note, and times are apart by as much.
    """
    before = setting()
    # Where there is no such thing, or no host that takes it, nothing is given back.
    is_changed = before not in (None, "-1", ORDER_NEVER) and change(report, ORDER_NEVER)
    try:
        yield
    finally:
        if is_changed:
            change(report, before)


def setting():
    try:
        return ORDER.read_text().strip()
    except OSError:
        return None


def change(report, order):
    try:
        ORDER.write_text(order)
        return True
    except OSError as error:
        report.note("memory", f"{ORDER} can not be set to {order}, free memory goes back to the host: {error}")
        return False
