"""What a release promises, in words that can be checked: a value apart from the code that keeps it."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType


@dataclass(frozen=True, slots=True)
class Promise:
    """What holds, against whom, for what unit, and what does not hold.

    Attributes
    ----------
    name
        A short name, for instance ``k-anonymity``.
    holds
        The statement that holds, parameters filled in.
    attacker
        What the attacker is assumed to know.
    unit
        What is protected: a person, a point, a cell of a profile.
    not_covered
        What readers might expect and do not get. Never empty in an honest release.
    budgets
        Composed privacy budgets, where the promise has any: name to value.

    >>> Promise("none", "nothing", "nobody", "person", ("everything",)).to_dict()["not_covered"]
    ['everything']
    """

    name: str
    holds: str
    attacker: str
    unit: str
    not_covered: tuple[str, ...]
    budgets: Mapping[str, float] = field(default_factory=dict, hash=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "not_covered", tuple(self.not_covered))
        object.__setattr__(self, "budgets", MappingProxyType(dict(self.budgets)))

    def to_dict(self) -> dict[str, object]:
        return {
            "name": self.name,
            "holds": self.holds,
            "attacker": self.attacker,
            "unit": self.unit,
            "not_covered": list(self.not_covered),
            "budgets": dict(self.budgets),
        }
