"""What the greedy's heap holds, in exact order, and what it notes of each merge."""

from typing import NamedTuple

from shoal.kernels.glove.query import NOBODY
from shoal.kernels.glove.store import Store


class Merge(NamedTuple):
    """One merge: the groups (numbers as in `Grouping`), and Delta as the fraction total / divisor."""

    first: int
    second: int
    total: int
    divisor: int


class Pair:
    """An entry of the heap: a group and its nearest, or, where ``other`` is nobody, a group that must look anew.

    Parameters
    ----------
    store
        Knows the groups' contents, which settle ties.
    group, other
        The two.
    total, divisor
        Their stretch, or a bound of it.
    last
        Whom a bound was taken from; ``other`` by default.
    """

    __slots__ = ("divisor", "group", "last", "other", "store", "total")

    def __init__(self, store: Store, group: int, other: int, total: int, divisor: int, last: int | None = None) -> None:
        self.store, self.group, self.other = store, group, other
        self.total, self.divisor = total, divisor
        self.last = other if last is None else last

    def key(self) -> tuple[int, int]:
        """The two, whoever's entry it is."""
        return min(self.group, self.other), max(self.group, self.other)

    def __lt__(self, than: "Pair") -> bool:
        """Exact order of entries whose Delta is the same float; ``last`` is whom a bound was taken from."""
        mine, theirs = self.total * than.divisor, than.total * self.divisor
        if mine != theirs:
            return mine < theirs
        compare = self.store.compare
        a, b = (self.group, self.last) if compare(self.group, self.last) <= 0 else (self.last, self.group)
        c, d = (than.group, than.last) if compare(than.group, than.last) <= 0 else (than.last, than.group)
        order = compare(a, c) or compare(b, d)
        if order != 0:
            return order < 0
        if (self.other == NOBODY) != (than.other == NOBODY):
            return than.other == NOBODY
        # Interchangeable; yet whoever is at the top now must be there again after a look ahead.
        return self.key() < than.key()
