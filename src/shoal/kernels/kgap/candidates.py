"""Candidates of the search, laid out so that most are dropped without being looked at, or at a glance.

They stand by home, within a home the longest fingerprints first, in *blocks* of a few who share a home. Of a block it
is known how much of its people's time is spent at home and around it at least, and how far a newcomer to their lists
may be away at most: where home is too far for that, the whole block is left alone. Of each candidate a *sketch* has the
sites with most samples in one line of memory: whatever is looked up elsewhere has to be waited for.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from shoal.kernels.kgap.digest import Digest
from shoal.kernels.kgap.nearest import Bars

BLOCK = 8
"""Candidates in a block at most."""

SKETCHED = 8
"""Sites in a sketch; most people have no more."""

GLANCE = 4
"""Sites looked at first: they hold most samples of nearly everybody."""

ROUNDED = 1 - 1e-6
"""What is known of blocks is kept in 32 bits, and a trifle less of it."""


class Candidates(NamedTuple):
    """Whom owners are compared with."""

    member: NDArray[np.int32]
    rank: NDArray[np.int32]
    """Of the member's content."""
    samples: NDArray[np.int32]
    sketch: NDArray[np.uint16]
    """Sites in the first row, samples there in the second; no samples where there are fewer sites."""
    block_start: NDArray[np.int64]
    """One more at the end."""
    block_home: NDArray[np.int16]
    block_region: NDArray[np.int16]
    at_home: NDArray[np.float32]
    """Least share of samples at home in a block."""
    around: NDArray[np.float32]
    """The same for home's region, home included."""


def sketch_people(digest: Digest) -> NDArray[np.uint16]:
    """Everybody's sketch; very many samples at a site count as fewer, which is no less true of a bound."""
    start, entries = digest.start, digest.entries
    sketch = np.zeros((start.size - 1, 2, SKETCHED), np.uint16)
    known = np.diff(start)
    for column in range(SKETCHED):
        has = np.flatnonzero(known > column)
        entry = entries[start[has] + column]
        sketch[has, 0, column], sketch[has, 1, column] = entry[:, 0], np.minimum(entry[:, 1], 2**16 - 1)
    return sketch


def cut_blocks(home: NDArray[np.int16]) -> NDArray[np.int64]:
    """Where blocks start, and the end, for candidates with these homes."""
    homes = np.flatnonzero(np.concatenate(([True], home[1:] != home[:-1])))
    lengths = np.diff(homes, append=home.size)
    within = np.arange(home.size) - np.repeat(homes, lengths)
    return np.append(np.flatnonzero(within % BLOCK == 0), home.size)


def block_bars(bars: Bars, candidates: Candidates) -> NDArray[np.float32]:
    """How far, per sample, a newcomer to a list of each block may be away at most."""
    each = (bars.limit / candidates.samples).astype(np.float32)
    return np.asarray(np.maximum.reduceat(each, candidates.block_start[:-1]))
