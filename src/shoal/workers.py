"""Threads to work with, and how many there may be.

Whoever starts a piece of work opens workers for it; kernels and drivers take what they are given and open none of
their own. So an engine decides how many threads there are, and whose they are.
"""

import os
from collections.abc import Iterator
from concurrent.futures import Executor, ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Workers:
    """A pool, and how many of its threads to count on.

    Work that runs in the pool must not wait for other work in it: with all threads waiting, nobody would be left.
    """

    pool: Executor
    threads: int


def processors() -> int:
    """How many processors this process may use, at least 1."""
    if hasattr(os, "sched_getaffinity"):  # not on macOS, not on Windows
        return max(len(os.sched_getaffinity(0)), 1)
    return os.cpu_count() or 1


@contextmanager
def workers(threads: int | None = None) -> Iterator[Workers]:
    """Open workers, as many as there are processors by default; what has not begun when they close is dropped.

    >>> with workers(2) as two:
    ...     two.threads, two.pool.submit(max, 3, 4).result()
    (2, 4)
    """
    count = processors() if threads is None else threads
    pool = ThreadPoolExecutor(count)
    try:
        yield Workers(pool, count)
    finally:
        pool.shutdown(cancel_futures=True)
