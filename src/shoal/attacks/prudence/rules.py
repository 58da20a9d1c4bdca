"""When somebody else fits what is known: the matching rules of the families."""

from dataclasses import dataclass
from typing import ClassVar, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from shoal.attacks.crowd import Ints
from shoal.attacks.prudence.items import Values

Mask = NDArray[np.bool_]


class Question(NamedTuple):
    """Who fits each item, known at a level?

    Attributes
    ----------
    own
        The person's values, by item.
    table
        The values of others: items × people, 0 where they do not hold one.
    level
        One for all items, or a column with one for each.
    anchor
        An item that is known as well.
    """

    own: Values
    table: Values
    level: int | Ints
    anchor: int


class Rule(Protocol):
    """How values of others are compared with a person's own."""

    @property
    def anchored(self) -> bool:
        """Whether it matters which other item is known."""

    def levels(self, own: Values) -> Ints:
        """Return how many records of knowledge each item can give."""

    def fits(self, asked: Question) -> Mask:
        """Tell who fits: items × people."""


@dataclass(frozen=True, slots=True)
class AtLeast:
    """Each record known is one visit: whoever was there as often or more fits. (Locations, locations and times.)"""

    anchored: ClassVar[bool] = False

    def levels(self, own: Values) -> Ints:
        return np.asarray(own, np.int64)

    def fits(self, asked: Question) -> Mask:
        return np.asarray(asked.table >= asked.level)


@dataclass(frozen=True, slots=True)
class Within:
    """The value is known up to a share of the other's value. (Frequencies and probabilities.)"""

    tolerance: float
    anchored: ClassVar[bool] = False

    def levels(self, own: Values) -> Ints:
        return np.ones(own.size, np.int64)

    def fits(self, asked: Question) -> Mask:
        return np.asarray((asked.table > 0) & within(asked.own[:, None], asked.table, self.tolerance))


@dataclass(frozen=True, slots=True)
class Proportional:
    """The ratio of visits to those at the anchor is known, exactly. (Proportions.)"""

    anchored: ClassVar[bool] = True

    def levels(self, own: Values) -> Ints:
        return np.ones(own.size, np.int64)

    def fits(self, asked: Question) -> Mask:
        own, theirs, anchor = asked.own, asked.table, asked.anchor
        return np.asarray((theirs > 0) & (theirs * own[anchor] == own[:, None] * theirs[anchor]))


def within(own: Values, other: Values, tolerance: float) -> Mask:
    """Compare as scikit-mobility does: the known value lies within a share of the other's, both ends included."""
    slack = other * tolerance
    return np.asarray((own >= other - slack) & (own <= other + slack))
