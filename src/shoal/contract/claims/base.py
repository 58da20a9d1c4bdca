"""What all claims are."""

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any, ClassVar

from shoal.contract.promise import Promise

SIDE_CHANNELS = "side channels and the publisher's own host"
"""What no claim covers."""


@dataclass(frozen=True)
class Claim(ABC):
    """What a release promises.

    Attributes
    ----------
    name
        As in the manifest.
    kinds
        Names of the kinds of release about which the claim can be made.
    budgets
        Names of the composed budgets that the manifest tells beside it.
    called
        What the mechanism's parameter is called that a parameter of the claim is, where the names differ.
    """

    name: ClassVar[str]
    kinds: ClassVar[tuple[str, ...]]
    budgets: ClassVar[tuple[str, ...]] = ()
    called: ClassVar[Mapping[str, str]] = {}

    def to_dict(self) -> dict[str, Any]:
        """Return the name and the parameters, as the manifest has them."""
        return {"name": self.name, **asdict(self)}

    @abstractmethod
    def promise(self, parameters: Mapping[str, Any]) -> Promise:
        """Put the claim into words; ``parameters`` are those that the manifest publishes."""
