"""The claim that promises nothing."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

from shoal.contract.claims.base import Claim
from shoal.contract.kinds import KINDS
from shoal.contract.promise import Promise


@dataclass(frozen=True)
class Nothing(Claim):
    """No promise.

    >>> Nothing().promise({}).holds
    'Nothing is promised.'
    """

    name: ClassVar[str] = "nothing"
    kinds: ClassVar[tuple[str, ...]] = tuple(KINDS)

    def promise(self, parameters: Mapping[str, Any]) -> Promise:  # noqa: ARG002
        return Promise(
            claim=self.to_dict(),
            holds="Nothing is promised.",
            attacker="None is considered.",
            unit="person",
            not_covered=(
                "anyone who knows a little of what a person's rows tell can single them out",
                "home and work stand out as the most frequent places",
                "two releases of the same people can be joined",
            ),
        )
