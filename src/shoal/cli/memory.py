"""How a command's process treats memory: what was freed is kept for the next array.

The C library gives large blocks back to the system as soon as they are freed, and every new array then has its pages
mapped and zeroed again. With arrays of a hundred megabytes, one after the other, that was a third of the time of an
audit. Commands end soon anyway, so they keep what they had: the peak stays the same.

Python looks for objects that only refer to each other whenever there are some hundred new ones. Loading a command makes
hundreds of thousands, none of which goes away: looking took a tenth of the time of a small command. So it looks seldom.

Commands that work on parts of people ask for columns of a part over and over, and keep those. Columns of everybody they
have few, for long: those are given back, since between two that stay a third, larger one would find no room.
"""

import ctypes
import gc
import sys

_TRIM_THRESHOLD, _MMAP_THRESHOLD = -1, -3
_LARGEST = 1 << 30

OF_A_PART = 1 << 22
"""Bytes; a column of a part of people takes half of them."""


_NEW_OBJECTS = 100_000
"""So many more than before, and Python looks for those that can go."""


def collect_seldom() -> None:
    """Let Python look seldom for what only refers to itself; all else is freed at once, as ever."""
    gc.set_threshold(_NEW_OBJECTS)


def keep_what_is_freed(up_to: int = _LARGEST) -> None:
    """Ask the C library to keep freed blocks of up to so many bytes.

    Elsewhere than on Linux with glibc nothing changes.
    """
    if not sys.platform.startswith("linux"):
        return
    try:
        mallopt = ctypes.CDLL(None).mallopt
    except (OSError, AttributeError):
        return
    mallopt(_MMAP_THRESHOLD, up_to)
    mallopt(_TRIM_THRESHOLD, _LARGEST)
