"""Which mechanisms are run, with which parameters, and on how many people."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal

from shoal.mechanisms import registry

if TYPE_CHECKING:
    from shoal.mechanisms.base import Mechanism

Scale = Literal["small", "paper"]
KS = (10, 20, 50, 100)
EPSILONS = (1, 2, 3, 10)
WEEKS = 4
FIGURE_8 = ("k = 20", "ε = 10")
FIGURE_4 = ("k = 10", "k = 50", "k = 100", "ε = 1", "ε = 2", "ε = 10")
SEEDS = 3


@dataclass(frozen=True)
class Size:
    """How many people in how many municipalities; fewer than in the paper, but municipalities nearly as large."""

    users: int
    municipalities: int


SIZES: dict[Scale, Size] = {"small": Size(20_000, 4), "paper": Size(500_000, 20)}
"""The paper has 3 million people in 139 municipalities, 30,000 to 350,000 profiles each."""


@dataclass(frozen=True)
class Job:
    """One mechanism with its parameter."""

    words: str
    mechanism: str
    parameters: Mapping[str, Any] = field(hash=False)

    @property
    def name(self) -> str:
        """Name of its file.

        >>> jobs()[0].name, jobs()[-1].name
        ('primule-10', 'laplace-10')
        """
        return f"{self.mechanism}-{self.words.split()[-1]}"

    def made(self) -> "Mechanism":
        return registry.find(self.mechanism)(**self.parameters)


def jobs() -> list[Job]:
    """Everything that the figures show."""
    return [
        *(Job(f"k = {k}", "primule", {"k": k}) for k in KS),
        *(Job(f"ε = {epsilon}", "laplace", {"epsilon": float(epsilon)}) for epsilon in EPSILONS),
    ]
