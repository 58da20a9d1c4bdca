"""Work that can be done part by part: here, or wherever whoever asks for the audit has machines.

Engines belong to what makes releases, so the auditor imports none. It is given one, and asks of it no more than `Maps`:
what a part is, what is done with it and what comes of it is the auditor's own.
"""

from collections.abc import Callable, Iterable, Sequence
from functools import partial
from typing import Any, NamedTuple, Protocol, TypeVar

from shoal.progress import Progress
from shoal.workers import Workers, workers

Part = TypeVar("Part")
Result = TypeVar("Result")


class Maps(Protocol):
    """What is asked of an engine: to do work for parts, and to return the results in the order of the parts."""

    def map(
        self,
        work: Callable[[Any, Workers, Progress], Any],
        parts: Iterable[Any],
        *,
        sizes: Sequence[int] | None = None,
    ) -> list[Any]:
        """Call ``work(part, workers, progress)`` for each; parts are made as there is room for them."""


class Here:
    """In this process, one part after the other."""

    def map(
        self,
        work: Callable[[Any, Workers, Progress], Any],
        parts: Iterable[Any],
        *,
        sizes: Sequence[int] | None = None,  # noqa: ARG002
    ) -> list[Any]:
        with workers(1) as one:
            return [work(part, one, _silent) for part in parts]


class _Failed(NamedTuple):
    """What a part's work failed with: its text could quote the data."""

    name: str


def mapped(engine: Maps, work: Callable[[Part], Result], parts: Iterable[Part], sizes: Sequence[int]) -> list[Result]:
    """Do the work for each part. A failure has the same name wherever it happened: the verdict tells it.

    Parameters
    ----------
    engine
        Who does it.
    work
        A function of a module.
    parts
        Made one by one.
    sizes
        What they count for.

    Examples
    --------
    >>> mapped(Here(), str, [1, 2], [1, 1])
    ['1', '2']
    """
    results: list[Any] = engine.map(partial(_done, work), parts, sizes=sizes)
    for result in results:
        if isinstance(result, _Failed):
            raise type(result.name, (Exception,), {})
    return results


def _done(work: Callable[[Any], Any], part: Any, _workers: Workers, _progress: Progress) -> Any:
    try:
        return work(part)
    except Exception as fault:
        return _Failed(type(fault).__name__)


def _silent(_phase: str, _done: int, _total: int) -> None:
    """Nobody is told how far a part is."""
