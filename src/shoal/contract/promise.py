"""A promise in words that can be checked: a value apart from the code that keeps it."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any


@dataclass(frozen=True, slots=True)
class Promise:
    """What holds, against whom, for what unit, and what does not hold.

    Attributes
    ----------
    claim
        The same for machines: a name and parameters.
    holds
        The statement that holds, parameters filled in.
    attacker
        What the attacker is assumed to know.
    unit
        What is protected: a person, a point, a cell of a profile.
    not_covered
        What readers might expect and do not get. Never empty in an honest release.

    >>> Promise({"name": "nothing"}, "nothing", "nobody", "person", ("everything",)).to_dict()["not_covered"]
    ['everything']
    """

    claim: Mapping[str, Any] = field(hash=False)
    holds: str
    attacker: str
    unit: str
    not_covered: tuple[str, ...]

    def __post_init__(self) -> None:
        object.__setattr__(self, "claim", MappingProxyType(dict(self.claim)))
        object.__setattr__(self, "not_covered", tuple(self.not_covered))

    def to_dict(self) -> dict[str, Any]:
        return {
            "claim": dict(self.claim),
            "holds": self.holds,
            "attacker": self.attacker,
            "unit": self.unit,
            "not_covered": list(self.not_covered),
        }
