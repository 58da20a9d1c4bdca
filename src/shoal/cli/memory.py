"""How a command's process treats memory: what was freed is kept for the next array.

The C library gives large blocks back to the system as soon as they are freed, and every new array then has its pages
mapped and zeroed again. With arrays of a hundred megabytes, one after the other, that was a third of the time of an
audit. Commands end soon anyway, so they keep what they had: the peak stays the same.
"""

import ctypes
import sys

_TRIM_THRESHOLD, _MMAP_THRESHOLD = -1, -3
_LARGEST = 1 << 30


def keep_what_is_freed() -> None:
    """Ask the C library to keep freed memory; elsewhere than on Linux with glibc nothing changes."""
    if not sys.platform.startswith("linux"):
        return
    try:
        mallopt = ctypes.CDLL(None).mallopt
    except (OSError, AttributeError):
        return
    mallopt(_MMAP_THRESHOLD, _LARGEST)
    mallopt(_TRIM_THRESHOLD, _LARGEST)
