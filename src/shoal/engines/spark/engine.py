"""The engine that works on Spark: parts of a list are tasks, one thread each."""

import atexit
import secrets
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from contextlib import AbstractContextManager, ExitStack
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple

from shoal.data import ReadOptions
from shoal.data.call_profiles import CallProfiles
from shoal.engines import Part, Result
from shoal.engines.spark.failures import carried, failures_told
from shoal.engines.spark.session import check_session, is_encrypted, open_session, stop
from shoal.engines.together import Together
from shoal.errors import ParameterError, given
from shoal.files.roots import Root
from shoal.progress import Progress, silent
from shoal.workers import Workers, workers

if TYPE_CHECKING:
    from types import TracebackType

    from pyspark.sql import SparkSession

BUNDLE_BYTES = 16 << 20
"""Small parts go together up to so much: a job of its own for each would cost more than the work."""

ROWS_PER_TASK = 500_000
"""About, of tables: what a worker with 2 GB has room for many times over."""

IN_FLIGHT = 4
"""Of the driver's heap one part in so many may be taken by parts that are on their way or worked on: Spark keeps each
until it is done, and copies it several times while it is sent."""

_TASKS_PER_SLOT = 4
_LOOK_S = 0.5


class _Bundle(NamedTuple):
    """Parts that are one task: their numbers, and each as bytes."""

    numbers: list[int]
    parts: list[bytes]

    @property
    def size(self) -> int:
        return sum(map(len, self.parts))


class Spark:
    """The engine that works on Spark.

    Parameters
    ----------
    session
        One that is open: it is used, and left open. Without it, one of ours is opened when there is work for it.
    master
        Where to open it: ``local[4]``, ``spark://host:7077``, ``yarn``, ``k8s://…``; what ``spark-submit`` says, or
        this machine, by default.
    partitions
        Tasks that tables are divided into; as many as suit their size by default.
    allow_unencrypted_spill
        Work in a session that writes what it shuffles to disk as it is. The run's record says so.

    Examples
    --------
    >>> Spark(master="local[2]").facts()["engine"]
    'spark'
    """

    def __init__(
        self,
        session: "SparkSession | None" = None,
        *,
        master: str | None = None,
        partitions: int | None = None,
        allow_unencrypted_spill: bool = False,
    ) -> None:
        if partitions is not None and (not isinstance(partitions, int) or partitions < 1):
            raise ParameterError(
                given("partitions", partitions), expected="a whole number from 1", hint="leave it out to suit the data"
            )
        self.partitions, self._master, self._unencrypted = partitions, master, allow_unencrypted_spill
        self._given, self._session = session, session
        self._root: Root | None = None
        if session is not None:
            check_session(session, unencrypted=allow_unencrypted_spill)

    def __repr__(self) -> str:
        return f"Spark({'a given session' if self._given is not None else self._master or ''})"

    def __enter__(self) -> "Spark":
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: "TracebackType | None"
    ) -> None:
        self.close()

    @property
    def session(self) -> "SparkSession":
        """The session, opened where it is not yet."""
        if self._session is None:
            self._root = Root()
            self._session = open_session(self._master, self._root, unencrypted=self._unencrypted)
            atexit.register(self.close)
        return self._session

    @property
    def slots(self) -> int:
        """How many tasks can run at once."""
        return max(1, int(self.session.sparkContext.defaultParallelism))

    def tasks_for(self, rows: int) -> int:
        """How many tasks a table of so many rows is divided into."""
        return self.partitions or max(self.slots, -(-rows // ROWS_PER_TASK))

    def close(self) -> None:
        """Stop the session if it is ours, and remove what it left on the disk here."""
        if self._given is None and self._session is not None:
            atexit.unregister(self.close)
            stop(self._session)
            self._session = None
        if self._root is not None:
            self._root.remove()
            self._root = None

    def facts(self) -> dict[str, object]:
        """What the run's record says of it."""
        encrypted = True if self._session is None else is_encrypted(self._session)
        return {"engine": "spark", "spill_encrypted": encrypted}

    def call_profiles(self, source: Any, options: ReadOptions) -> CallProfiles | None:
        """Build call profiles where the calls are; None where Spark cannot read them itself."""
        from shoal.engines.spark import calls, rows

        return calls.call_profiles(self, source, options) if rows.can_be_read(source, options) else None

    def workers(self) -> AbstractContextManager[Workers]:
        """Threads for work that is one piece: those of the driver."""
        return workers()

    def map(
        self,
        work: Callable[[Part, Workers, Progress], Result],
        parts: Iterable[Part],
        *,
        progress: Progress | None = None,
        phase: str = "",
        sizes: Sequence[int] | None = None,
    ) -> list[Result]:
        """Do the work for every part, a task for each or for some together: see `shoal.engines.Engine.map`.

        Parts travel with their task and are made as there is room for them: for as many as can run, and no more than
        the driver's heap has room for.
        What a part tells while it runs stays there: it counts once it is finished.

        Parameters
        ----------
        work, parts, progress, phase, sizes
            As there. Functions of modules that the executors have too, and parts that can be pickled.
        """
        if sizes is None:
            parts = list(parts)
            sizes = [1] * len(parts)
        if not sizes:
            return []
        tell, together = progress or silent, Together(sizes, phase)
        results: dict[int, Result] = {}
        group = f"shoal-{secrets.token_hex(8)}"
        running: dict[Future[list[Any]], _Bundle] = {}
        with failures_told(), ExitStack() as stack:
            slots, room = self.slots, self._heap_bytes() // IN_FLIGHT
            todo = _bundles(parts, sizes, max(1, sum(sizes) // (_TASKS_PER_SLOT * slots)))
            # One more than can run: the next is on its way while others work.
            jobs = stack.enter_context(ThreadPoolExecutor(slots + 1))
            stack.callback(self.session.sparkContext.cancelJobGroup, group)
            while True:
                while _can_take_more(running.values(), slots, room) and (bundle := next(todo, None)) is not None:
                    running[jobs.submit(self._job, work, bundle, group)] = bundle
                if not running:
                    break
                finished, _ = wait(running, timeout=_LOOK_S, return_when=FIRST_COMPLETED)
                for future in finished:
                    bundle = running.pop(future)
                    results.update(zip(bundle.numbers, future.result(), strict=True))
                    for number in bundle.numbers:
                        for line in together.finished(number):
                            tell(*line)
        return [results[number] for number in range(len(sizes))]

    def _heap_bytes(self) -> int:
        """How large the driver's heap may become."""
        return int(self.session.sparkContext._jvm.java.lang.Runtime.getRuntime().maxMemory())  # type: ignore[union-attr]

    def _job(self, work: Callable[..., Any], bundle: _Bundle, group: str) -> list[Any]:
        """Run one bundle as a job; called in a thread of its own, as Spark's jobs are."""
        context = self.session.sparkContext
        context.setJobGroup(group, "parts", interruptOnCancel=True)
        done: list[Any] = context.parallelize(bundle.parts, 1).map(partial(_done, work)).collect()
        return done


def _can_take_more(running: Collection[_Bundle], slots: int, room: int) -> bool:
    """Whether there is somebody for another bundle, one more than can run, and room for it; for one there always is."""
    return not running or (len(running) <= slots and sum(bundle.size for bundle in running) < room)


def _bundles(parts: Iterable[Any], sizes: Sequence[int], most: int) -> Iterator[_Bundle]:
    """Put small parts together: up to a size that leaves enough for all slots, and up to `BUNDLE_BYTES`."""
    from pyspark import cloudpickle

    numbers: list[int] = []
    pickled: list[bytes] = []
    for number, (part, _) in enumerate(zip(parts, sizes, strict=True)):
        numbers.append(number)
        pickled.append(cloudpickle.dumps(part))  # type: ignore[no-untyped-call]
        if sum(sizes[n] for n in numbers) >= most or sum(map(len, pickled)) >= BUNDLE_BYTES:
            yield _Bundle(numbers, pickled)
            numbers, pickled = [], []
    if numbers:
        yield _Bundle(numbers, pickled)


def _done(work: Callable[..., Any], pickled: bytes) -> Any:
    """Do the work for one part: what a task does."""
    from pyspark import cloudpickle

    try:
        with workers(1) as one:
            return work(cloudpickle.loads(pickled), one, silent)
    except Exception as error:
        raise carried(error) from None
