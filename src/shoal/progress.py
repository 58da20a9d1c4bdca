"""How long work tells how far it is."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager

Progress = Callable[[str, int, int], None]
"""Called with a phase, how much of it is done, and of how much; of 0 where nobody knows.

What a phase has behind a dot ("searching · 3 found") may change on the way.
"""

COMPILING = "compiling kernels (once)"
"""A phase that may come in the middle of any other: code is compiled when it is first needed, and kept."""

_told_of_compiling: list[Progress] = []


def silent(_phase: str, _done: int, _total: int) -> None:
    """Tell nobody."""


@contextmanager
def told_of_compiling(progress: Progress) -> Iterator[None]:
    """Have somebody told of what is compiled meanwhile, in the thread that compiles.

    >>> with told_of_compiling(print):
    ...     compiling(3, 0)
    compiling kernels (once) 3 0
    """
    _told_of_compiling.append(progress)
    try:
        yield
    finally:
        _told_of_compiling.remove(progress)


def compiling(done: int, total: int) -> None:
    """Tell how many functions have been compiled."""
    for progress in tuple(_told_of_compiling):
        progress(COMPILING, done, total)
