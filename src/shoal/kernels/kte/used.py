"""A set of pairs of people, for tens of millions of them: whoever hid somebody once never does so again."""

import numpy as np
from numpy.typing import NDArray

from shoal.kernels.common.jit import helper, kernel

EMPTY = -1
LEAST_ROOM = 1 << 10


@helper
def pair_key(a, b):  # type: ignore[no-untyped-def]
    """The same number for (a, b) and (b, a)."""
    return np.int64(min(a, b)) << 32 | np.int64(max(a, b))


@helper
def place_of(table, key):  # type: ignore[no-untyped-def]
    """Where a key is, or where it would be put; the table's size is a power of two and never full."""
    mask = np.uint64(table.size - 1)
    mixed = np.uint64(key) * np.uint64(0x9E3779B97F4A7C15)
    place = (mixed ^ (mixed >> np.uint64(32))) & mask
    while table[place] != EMPTY and table[place] != key:
        place = (place + np.uint64(1)) & mask
    return place


@helper
def is_used(table, a, b):  # type: ignore[no-untyped-def]
    """Whether this pair is in the table."""
    key = pair_key(a, b)
    return table[place_of(table, key)] == key


@kernel
def insert_pairs(table, a, b):  # type: ignore[no-untyped-def]
    """Put pairs into the table, which has room; returns how many were not there before."""
    fresh = 0
    for i in range(a.size):
        key = pair_key(a[i], b[i])
        place = place_of(table, key)
        fresh += table[place] == EMPTY
        table[place] = key
    return fresh


@kernel
def insert_keys(table, keys):  # type: ignore[no-untyped-def]
    """Put the keys of another table into this one."""
    for key in keys:
        if key != EMPTY:
            table[place_of(table, key)] = key


class UsedPairs:
    """The pairs used so far, in either direction; it grows as needed."""

    def __init__(self) -> None:
        self.table = np.full(LEAST_ROOM, EMPTY, np.int64)
        self.count = 0

    def add(self, a: NDArray[np.int64], b: NDArray[np.int64]) -> None:
        """Add the pairs (a[i], b[i]); some may be there already, or come twice."""
        room = self.table.size
        while 2 * (self.count + a.size) > room:
            room *= 2
        if room > self.table.size:
            table = np.full(room, EMPTY, np.int64)
            insert_keys(table, self.table)
            self.table = table
        self.count += int(insert_pairs(self.table, a, b))
