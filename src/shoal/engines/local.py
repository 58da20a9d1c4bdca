"""The engine that works in this process, in threads."""

from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import CancelledError, Future, ThreadPoolExecutor
from contextlib import AbstractContextManager, ExitStack
from dataclasses import dataclass
from functools import partial
from queue import SimpleQueue
from threading import Event
from typing import NamedTuple

from shoal.engines import Part, Result
from shoal.engines.together import Together
from shoal.errors import ParameterError, given
from shoal.progress import Progress, silent
from shoal.workers import Workers, processors, workers


class Told(NamedTuple):
    """A part's message to the calling thread."""

    part: int
    phase: str
    done: int
    total: int


@dataclass(frozen=True)
class Local:
    """The engine that works in this process.

    Attributes
    ----------
    threads
        How many to use; as many as there are processors by default.
    beside
        How many parts to work on at once, with the threads divided among them; as many as there are threads by
        default. Each takes its own memory.
    """

    threads: int | None = None
    beside: int | None = None

    def __post_init__(self) -> None:
        for name in ("threads", "beside"):
            value = getattr(self, name)
            if value is None or (isinstance(value, int) and not isinstance(value, bool) and value >= 1):
                continue
            raise ParameterError(
                given(name, value), expected="a whole number from 1", hint="leave it out to use all processors"
            )

    def facts(self) -> dict[str, object]:
        """Nothing to say: the result does not depend on it, and nothing of it lies on a disk."""
        return {}

    def workers(self) -> AbstractContextManager[Workers]:
        """Threads for work that is one piece."""
        return workers(self.threads)

    def map(
        self,
        work: Callable[[Part, Workers, Progress], Result],
        parts: Iterable[Part],
        *,
        progress: Progress | None = None,
        phase: str = "",
        sizes: Sequence[int] | None = None,
    ) -> list[Result]:
        """Do the work for every part, some of them side by side: see `shoal.engines.Engine.map`.

        An error in one part stops the others: at the next step that they tell of, or hand to their threads.

        Parameters
        ----------
        work, parts, progress, phase, sizes
            As there.

        Examples
        --------
        >>> Local(threads=2).map(lambda part, workers, tell: part * part, [1, 2, 3])
        [1, 4, 9]
        """
        if sizes is None:
            parts = list(parts)
            sizes = [1] * len(parts)
        if not sizes:
            return []
        tell, together = progress or silent, Together(sizes, phase)
        messages: SimpleQueue[Told | Future[Result]] = SimpleQueue()
        running: dict[Future[Result], tuple[int, Workers]] = {}
        results: dict[int, Result] = {}
        over = Event()

        def say(part: int, phase: str, done: int, total: int) -> None:
            if over.is_set():
                raise CancelledError
            messages.put(Told(part, phase, done, total))

        with ExitStack() as stack:
            idle = [stack.enter_context(workers(threads)) for threads in self._shares(len(sizes))]
            # Each part has a thread besides, which leads: it may wait for the part's workers, as it is none of them.
            leaders = stack.enter_context(ThreadPoolExecutor(len(idle)))
            for crew in idle:
                stack.callback(crew.pool.shutdown, wait=False)  # takes nothing more: whoever still leads has to stop
            stack.callback(over.set)
            todo = iter(zip(range(len(sizes)), parts, strict=True))
            while True:
                while idle and (taken := next(todo, None)) is not None:
                    number, part = taken
                    crew = idle.pop()
                    future = leaders.submit(work, part, crew, partial(say, number))
                    running[future] = number, crew
                    future.add_done_callback(messages.put)
                if not running:
                    break
                message = messages.get()
                if isinstance(message, Told):
                    tell(*together.told(*message))
                    continue
                number, crew = running.pop(message)
                results[number] = message.result()
                idle.append(crew)
                for line in together.finished(number):
                    tell(*line)
        return [results[number] for number in range(len(sizes))]

    def _shares(self, parts: int) -> list[int]:
        """How many threads each of the parts gets that run side by side."""
        threads = self.threads or processors()
        beside = min(self.beside or threads, parts)
        return [max(1, threads // beside + (place < threads % beside)) for place in range(beside)]
