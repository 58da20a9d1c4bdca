"""Columns worked on chunk by chunk, by all processors: what is made on the way stays in the processor's cache."""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

from shoal.workers import processors


def in_chunks(work: Callable[[slice], None], size: int, chunk: int) -> None:
    """Call ``work`` with one slice of the rows after the other, in threads.

    >>> seen = []
    >>> in_chunks(lambda part: seen.append((part.start, part.stop)), 5, 3)
    >>> sorted(seen)
    [(0, 3), (3, 5)]
    """
    with ThreadPoolExecutor(processors()) as pool:
        list(pool.map(work, (slice(start, min(start + chunk, size)) for start in range(0, size, chunk))))
