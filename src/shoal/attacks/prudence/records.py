"""What all families start from: who was where, and when."""

from dataclasses import dataclass

import numpy as np

from shoal.attacks.crowd import ByPerson, Ints
from shoal.attacks.packing import keys


@dataclass(frozen=True, slots=True, eq=False)
class Records(ByPerson):
    """The records of many people, sorted by (person, time, place). Repeated records stay: places are multisets.

    Attributes
    ----------
    offsets
        Where the records of each person start; one more entry than people.
    place
        The number of each record's place, 0, 1, …
    t
        Its time in seconds since the epoch.
    """

    place: Ints
    t: Ints

    @property
    def places(self) -> int:
        """How many places there are."""
        return int(self.place.max()) + 1 if self.place.size else 0


def records_from(owner: Ints, t: Ints, place: Ints, people: int) -> Records:
    """Sort records. At equal times the number of the place decides, so the order of the input never does.

    >>> found = records_from(np.array([1, 0, 1]), np.array([9, 5, 7]), np.array([0, 1, 1]), 2)
    >>> found.offsets, found.place, found.t
    (array([0, 1, 3]), array([1, 1, 0]), array([5, 7, 9]))
    """
    (key,) = keys((owner, t, place))
    order = np.argsort(key, kind="stable")
    offsets = np.searchsorted(owner[order], np.arange(people + 1)).astype(np.int64)
    return Records(offsets, place[order].astype(np.int64), t[order].astype(np.int64))
