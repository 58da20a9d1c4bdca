"""What all mechanisms share: parameters that are checked once, a promise, and ``protect``."""

from abc import ABC, abstractmethod
from dataclasses import asdict, dataclass
from typing import Any, ClassVar

from shoal.data import Traces, read
from shoal.data.screen import active_enough
from shoal.errors import DataError, ParameterError
from shoal.progress import Progress
from shoal.release import Promise, Release
from shoal.release import suppressed as withheld


@dataclass(frozen=True)
class Local:
    """The engine that works in this process, with so many threads; as many as there are processors by default."""

    threads: int | None = None

    def __post_init__(self) -> None:
        if self.threads is not None and self.threads < 1:
            raise ParameterError(
                f"--threads {self.threads}", expected="a whole number from 1", hint="leave it out to use all processors"
            )


@dataclass(frozen=True, kw_only=True)
class Mechanism(ABC):
    """A way to protect people: parameters only; what it did is in the release.

    Attributes
    ----------
    min_per_day
        People with fewer samples per day of the data are left out before anything else, and listed as screened.
    """

    name: ClassVar[str]
    min_per_day: float = 0

    @property
    @abstractmethod
    def promise(self) -> Promise:
        """What the release will promise, with these parameters."""

    def parameters(self) -> dict[str, Any]:
        return asdict(self)

    def protect(
        self, data: Any, *, engine: Local | None = None, progress: Progress | None = None, seed: int | None = None
    ) -> Release:
        """Protect people; nothing is written yet.

        Parameters
        ----------
        data
            Traces, or anything that :func:`shoal.read` takes.
        engine
            Where the work is done; this process by default.
        progress
            Told about phases as they go on.
        seed
            Makes the release repeatable, and stamps it as not for release: whoever knows the seed can undo the
            pseudonyms.
        """
        traces = data if isinstance(data, Traces) else read(data)
        keep = active_enough(traces, self.min_per_day)
        if not keep.any():
            raise DataError("nobody left after screening", expected="people to protect", hint="lower --min-per-day")
        screened = withheld.whole_people(traces.select(~keep).people, "screened")
        kept = traces if keep.all() else traces.select(keep)
        return self._protect(kept, screened, engine=engine or Local(), progress=progress or _silent, seed=seed)

    def run_facts(self, traces: Traces, screened: Any) -> dict[str, Any]:
        """Say what went in, exactly, for the publisher's own records."""
        start, end = traces.span_s
        return {
            "mechanism": self.name,
            "parameters": self.parameters(),
            "grid": traces.grid.to_dict(),
            "people": len(traces),
            "samples": traces.samples,
            "screened": screened.num_rows,
            "span_s": [start, end],
        }

    @abstractmethod
    def _protect(
        self, traces: Traces, screened: Any, *, engine: Local, progress: Progress, seed: int | None
    ) -> Release:
        """Protect the people who passed the screening; ``screened`` lists the others."""


def _silent(_phase: str, _done: int, _total: int) -> None:
    """Tell nobody."""
