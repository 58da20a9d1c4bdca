"""Columns worked on chunk by chunk, by all processors: what is made on the way stays in the processor's cache."""

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor

from shoal.workers import processors

CACHED_ROWS = 12_500
"""Numbers of 8 bytes of which several columns fit into the cache, and none is so large that the system is asked for
memory each time one is made (128 kB)."""


def in_chunks(work: Callable[[slice], None], size: int, chunk: int) -> None:
    """Call ``work`` with one slice of the rows after the other, in threads.

    >>> seen = []
    >>> in_chunks(lambda part: seen.append((part.start, part.stop)), 5, 3)
    >>> sorted(seen)
    [(0, 3), (3, 5)]
    """
    side_by_side(work, [slice(start, min(start + chunk, size)) for start in range(0, size, chunk)])


def side_by_side(work: Callable[[slice], None], parts: Sequence[slice]) -> None:
    """Call ``work`` with each of some slices, in threads; small data, of one slice, do not wait for any to start."""
    if len(parts) == 1:
        work(parts[0])
        return
    with ThreadPoolExecutor(processors()) as pool:
        list(pool.map(work, parts))
