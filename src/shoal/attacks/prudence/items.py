"""Who holds what: the index from people to what is known of them, and back."""

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from shoal.attacks.crowd import ByPerson, Ints
from shoal.attacks.packing import distinct, keys
from shoal.attacks.prudence.records import Records

Values = NDArray[Any]
"""Whole numbers (visits) or fractions (shares of visits)."""


@dataclass(frozen=True, slots=True, eq=False)
class Items(ByPerson):
    """People and the items they hold, each with a value; and for each item its holders.

    Attributes
    ----------
    offsets, item, value
        What each person holds, by person; items ascending.
    starts, holder, held
        Who holds each item, by item, people ascending; ``held`` is the holder's value.
    """

    item: Ints
    value: Values
    starts: Ints
    holder: Ints
    held: Values

    @property
    def holders(self) -> Ints:
        """How many hold the item of each row."""
        return np.diff(self.starts)[self.item]

    def of(self, person: int) -> tuple[Ints, Values]:
        """Return what one person holds, and the values."""
        here = slice(int(self.offsets[person]), int(self.offsets[person + 1]))
        return self.item[here], self.value[here]

    def who(self, item: int) -> slice:
        """Return where the holders of an item stand."""
        return slice(int(self.starts[item]), int(self.starts[item + 1]))

    def table(self, own: Ints, people: Ints) -> Values:
        """Return the values that some people have for some items: items × people, 0 where they do not hold one."""
        offsets, rows = self.rows_of(people)
        item = self.item[rows]
        at = np.minimum(np.searchsorted(own, item), own.size - 1)
        hit = own[at] == item
        result = np.zeros((own.size, people.size), self.value.dtype)
        result[at[hit], np.repeat(np.arange(people.size), np.diff(offsets))[hit]] = self.value[rows[hit]]
        return result


def arranged(owner: Ints, item: Ints, value: Values, people: int) -> Items:
    """Index rows that are sorted by (person, item) and distinct."""
    offsets = np.searchsorted(owner, np.arange(people + 1)).astype(np.int64)
    order = np.argsort(item, kind="stable")
    starts = np.concatenate(([0], np.cumsum(np.bincount(item)))).astype(np.int64)
    return Items(offsets, item, value, starts, owner[order], value[order])


def visits(records: Records, step_s: int | None = None) -> Items:
    """Count the records of each person at each place, or at each place and time step.

    >>> two = Records(np.array([0, 2, 3]), np.array([0, 0, 1]), np.array([5, 65, 5]))
    >>> visits(two).value, visits(two, 60).value
    (array([2, 1]), array([1, 1, 1]))
    """
    what: Ints = records.place
    if step_s is not None:
        (moment,) = keys((records.place, records.t // step_s))
        what = np.unique(moment, return_inverse=True)[1].astype(np.int64)
    owner, item, count = distinct((records.owner, what))
    return arranged(owner, item, count, len(records))


def exactly(items: Items) -> Items:
    """Make each pair of item and value an item of its own, for knowledge that must match to the last visit.

    >>> two = visits(Records(np.array([0, 2, 3]), np.array([0, 0, 0]), np.array([5, 65, 5])))
    >>> exactly(two).holders
    array([1, 1])
    """
    values, rank = np.unique(items.value, return_inverse=True)
    _, what = np.unique(items.item * values.size + rank, return_inverse=True)
    return arranged(items.owner, what.astype(np.int64), np.ones(what.size, np.int64), len(items))


def shares(items: Items) -> Items:
    """Turn visits into each person's share of visits.

    >>> two = shares(visits(Records(np.array([0, 4, 5]), np.array([0, 0, 0, 1, 0]), np.arange(5))))
    >>> two.value, two.held
    (array([0.75, 0.25, 1.  ]), array([0.75, 1.  , 0.25]))
    """
    total = np.bincount(items.owner, weights=items.value, minlength=len(items))
    return replace(items, value=items.value / total[items.owner], held=items.held / total[items.holder])
