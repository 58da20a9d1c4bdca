"""What all mechanisms share: parameters that are checked once, a claim, and ``protect``."""

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple

from shoal.contract.claims import Claim
from shoal.contract.kinds import Kind
from shoal.contract.promise import Promise
from shoal.mechanisms.options import check_options, real
from shoal.mechanisms.randomness import Chance
from shoal.progress import Progress

if TYPE_CHECKING:
    from shoal.engines import Engine
    from shoal.release import Protected, Release


class Run(NamedTuple):
    """How a mechanism is run, besides its parameters.

    Attributes
    ----------
    engine
        Where the work is done.
    progress
        Told about phases as they go on.
    seed
        Makes the result repeatable, hence not for release; None takes the operating system's randomness.
    key
        Of a run whose work may be done twice: what is random follows from it and the person.
    """

    engine: "Engine"
    progress: Progress
    seed: int | None = None
    key: bytes | None = None

    @property
    def chance(self) -> Chance:
        """Randomness for each person."""
        return Chance.of_seed(self.seed) if self.key is None else Chance(self.key)


@dataclass(frozen=True, kw_only=True)
class Mechanism(ABC):
    """A way to protect people: parameters only; what it did is in the release.

    A subclass is a frozen dataclass whose fields are declared with :mod:`shoal.mechanisms.options`. It says in class
    variables what it is, and in two methods what it claims and what it does. CONTRIBUTING.md walks through one.

    Attributes
    ----------
    name
        As on the command line and in the manifest.
    summary, example
        A sentence, and options that make a sensible call, for people.
    takes
        The class of data that it works on: ``Traces``, ``Fixes`` or ``Profiles``.
    gives
        The kind of release.
    compiles
        Whether it needs kernels, which are compiled once per machine.
    suits
        The natures of data that it is made for, of :data:`shoal.measurement.nature.NATURES`.
    typical
        Parameters worth trying, the strictest first: what ``compare`` and ``choose`` run.
    in_a_crowd
        Whether more people make it more accurate.
    loses
        Its parameter that says which share of the samples may be left out, if it has one.
    min_per_day
        People with fewer samples per day of the data are left out before anything else, and listed as screened.
    """

    name: ClassVar[str]
    summary: ClassVar[str]
    example: ClassVar[str]
    takes: ClassVar[type[Any]]
    gives: ClassVar[Kind]
    compiles: ClassVar[bool] = False
    suits: ClassVar[tuple[str, ...]] = ()
    typical: ClassVar[tuple[Mapping[str, Any], ...]] = ()
    in_a_crowd: ClassVar[bool] = False
    loses: ClassVar[str | None] = None

    min_per_day: float = real(
        help="Leave out people with fewer samples a day.", low=0, default=0.0, unit="N", hint="0 keeps everybody"
    )

    def __post_init__(self) -> None:
        check_options(self)
        self._check_together()

    def _check_together(self) -> None:  # noqa: B027  # most have nothing to add
        """Refuse parameters that do not go together; each alone is within its limits."""

    @property
    @abstractmethod
    def claim(self) -> Claim:
        """What the release will claim, with these parameters."""

    def claim_about(self, people: Any) -> Claim:  # noqa: ARG002
        """What the release of these people will claim: more than :attr:`claim` where that depends on the data."""
        return self.claim

    @property
    def promise(self) -> Promise:
        """The claim in words."""
        return self.claim.promise(self.parameters())

    def parameters(self) -> dict[str, Any]:
        return asdict(self)

    def protect(
        self,
        data: Any,
        *,
        engine: Any = None,
        progress: Progress | None = None,
        seed: int | None = None,
    ) -> "Release":
        """Protect people; nothing is written yet.

        Parameters
        ----------
        data
            What the mechanism takes, or anything that can be read as such.
        engine
            Where the work is done; this process by default. Also a ``SparkSession``, or the URL of a master.
        progress
            Told about phases as they go on.
        seed
            Makes the release repeatable, and stamps it as not for release: whoever knows the seed can undo the
            pseudonyms.
        """
        from shoal.engines.chosen import engine_for
        from shoal.mechanisms.run import made

        with engine_for(engine) as chosen:
            return made(self, data, engine=chosen, progress=progress, seed=seed)

    @abstractmethod
    def _protect(self, people: Any, run: Run) -> "Protected":
        """Protect the people who passed the screening; ``people`` is what the mechanism takes."""
