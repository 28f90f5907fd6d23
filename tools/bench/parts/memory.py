"""Free memory, which a virtual machine may give back to its host while nobody has it."""

import contextlib
import pathlib

# The smallest free piece that is given back, as a power of two pages: Linux, mm/page_reporting.c.
ORDER = pathlib.Path("/sys/module/page_reporting/parameters/page_reporting_order")
# More than any free piece has.
ORDER_NEVER = "11"


@contextlib.contextmanager
def kept(report):
    """Has the machine keep what is free as long as it measures, and gives the setting back.

    Else whoever happens to get pages that went back to the host waits for each of them, in the kernel, where it counts
    as processor time: one loop of read and write took 0.8 to 3.3 s for 2 GiB on tmpfs.
    """
    try:
        before = ORDER.read_text().strip()
        ORDER.write_text(ORDER_NEVER)
    except FileNotFoundError:
        # Nothing is given back.
        yield
        return
    except OSError as error:
        report.note("memory", f"what is free goes back to the host, and times are apart by more than that: {error}")
        yield
        return
    try:
        yield
    finally:
        ORDER.write_text(before)
