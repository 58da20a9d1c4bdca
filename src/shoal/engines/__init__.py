"""Where the work is done: an engine maps it over parts, and gives it threads.

An engine is handed to whatever has work; kernels never see one. `shoal.engines.local.Local` works in this process,
`shoal.engines.spark.Spark` on other machines: for that, work is a function of a module (or a ``functools.partial`` of
one) and every part has all that the work needs to know. `shoal.engines.chosen` finds the one that somebody means.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import AbstractContextManager
from typing import Protocol, TypeVar

from shoal.progress import Progress
from shoal.workers import Workers

Part = TypeVar("Part")
Result = TypeVar("Result")


class Engine(Protocol):
    """What an engine can do."""

    def facts(self) -> Mapping[str, object]:
        """What there is to say of it in the publisher's own record of a run."""

    def workers(self) -> AbstractContextManager[Workers]:
        """Threads for work that is one piece."""

    def map(
        self,
        work: Callable[[Part, Workers, Progress], Result],
        parts: Iterable[Part],
        *,
        progress: Progress | None = None,
        phase: str = "",
        sizes: Sequence[int] | None = None,
    ) -> list[Result]:
        """Do the work for every part, and return the results in the order of the parts.

        Parameters
        ----------
        work
            Called as ``work(part, workers, progress)``; the threads are the part's own as long as it runs.
        parts
            Taken one by one as there is room for them, so that they need not all be in memory.
        progress
            Called in the calling thread; may raise to interrupt. What the parts tell adds up, phase by phase: it never
            goes back, and its total is that of all sizes.
        phase
            Under which a finished part counts, even if it told nothing; none by default.
        sizes
            What the parts count for; 1 each by default. Needed where ``parts`` does not know its length.
        """
