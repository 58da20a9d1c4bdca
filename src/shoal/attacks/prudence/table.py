"""Everybody's instances of knowledge in one table, for sizes of which nobody has too many.

Whoever matches an instance of some size could give it of themselves, because the instances of a person are all that the
person's records hold, of that size. So an instance is matched by as many people as have it in the table, and the worst
one of each person is a matter of sorting: nothing is searched. The same goes for places, for places with values, for
places in their order and for proportions; only tolerances break it.
"""

from typing import NamedTuple

import numpy as np

from shoal.attacks.crowd import Ints
from shoal.attacks.packing import distinct, keys

MOST_ROWS = 1 << 22
"""Of a table; some hundred megabytes while it is sorted."""

ROWS_PER_TARGET = 2_000
"""A search takes no longer than sorting so many rows."""

LARGEST = 4
"""Size of the instances. Of larger ones even those with few records have many."""


class Units(NamedTuple):
    """What an instance is put together from: rows of many people, one person after the other.

    Attributes
    ----------
    offsets
        Where each person starts; one more entry than people.
    what
        The number of the item of each row. The same items are the same instance if their rows have the same order.
    visits
        Where proportions are known: how often each person was there. Of these only the ratios count.
    """

    offsets: Ints
    what: Ints
    visits: Ints | None = None


def fewest_by_table(units: Units, size: int | None, targets: Ints, effort: int) -> Ints:
    """Count for each person those who match the instance with the fewest; 0 for whom the table does not tell.

    It tells nothing of people with fewer rows than ``size``, who are attacked with all of them, and nothing at all
    where it would be larger than what ``effort`` allows for the targets.

    >>> three = Units(np.array([0, 2, 4, 5]), np.array([0, 1, 0, 1, 1]))
    >>> fewest_by_table(three, 2, np.arange(3), 100)
    array([2, 2, 0])
    """
    fewest = np.zeros(units.offsets.size - 1, np.int64)
    if size is None or size > LARGEST:
        return fewest
    per_person = _instances(np.diff(units.offsets), size)
    if not 0 < per_person.sum() <= min(MOST_ROWS, min(effort, ROWS_PER_TARGET) * targets.size):
        return fewest
    owner, columns = _all_instances(units, size)
    (instance,) = keys(columns)
    instance, owner, _ = distinct((instance, owner))
    first = np.flatnonzero(np.concatenate(([True], instance[1:] != instance[:-1])))
    holders = np.diff(np.concatenate((first, [instance.size])))
    fewest[per_person > 0] = fewest.size
    np.minimum.at(fewest, owner, np.repeat(holders, holders))
    return fewest


def _instances(rows: Ints, size: int) -> Ints:
    """Count how many sets of ``size`` rows there are of each person; far too many are told as too many."""
    count = np.ones(rows.size)
    for taken in range(size):
        count *= np.maximum(rows - taken, 0) / (taken + 1)
    return np.rint(np.minimum(count, MOST_ROWS + 1)).astype(np.int64)


def _all_instances(units: Units, size: int) -> tuple[Ints, tuple[Ints, ...]]:
    """Return the owner of each instance, and what it holds."""
    lengths = np.diff(units.offsets)
    owner = np.repeat(np.arange(lengths.size), lengths)
    ends = np.repeat(units.offsets[1:], lengths)
    chosen = [np.arange(owner.size)]
    for _ in range(size - 1):
        # After the last row of each so far, every later one of the same person.
        last = chosen[-1]
        later = ends[last] - last - 1
        starts = np.cumsum(later) - later
        following = np.arange(int(later.sum())) - np.repeat(starts - last - 1, later)
        chosen = [*(np.repeat(rows, later) for rows in chosen), following]
    columns = [units.what[rows] for rows in chosen]
    if units.visits is not None:
        visits = [units.visits[rows] for rows in chosen]
        shared = np.gcd.reduce(visits)
        columns += [each // shared for each in visits]
    return owner[chosen[0]], tuple(columns)
