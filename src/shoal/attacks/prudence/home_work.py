"""The attacker who knows the two places where a person is most often."""

import numpy as np

from shoal.attacks.crowd import Ints
from shoal.attacks.prudence.items import Items


def two_most_visited(items: Items) -> Ints:
    """Count for each person those whose two most visited places include theirs; ties go to the smaller number.

    People with one place are known by that place alone. scikit-mobility 1.3.1 means to do the same, and takes the two
    *least* visited places: its vector of visits is sorted the other way round.

    >>> from shoal.attacks.prudence.items import visits
    >>> from shoal.attacks.prudence.records import Records
    >>> three = Records(np.array([0, 3, 6, 7]), np.array([0, 1, 1, 0, 0, 1, 1]), np.arange(7))
    >>> two_most_visited(visits(three))
    array([2, 2, 3])
    """
    # By person, then the most visited first. The items of a person ascend already, and a stable sort keeps them so.
    order = np.argsort(items.owner * int(items.value.max()) - items.value, kind="stable")
    first = items.offsets[:-1]
    lengths = np.diff(items.offsets)
    top = items.item[order[first]]
    second = np.where(lengths > 1, items.item[order[np.minimum(first + 1, order.size - 1)]], -1)
    low, high = np.minimum(top, second), np.maximum(top, second)
    pair = (low + 1) * (int(items.item.max()) + 2) + high
    _, back, same = np.unique(pair, return_inverse=True, return_counts=True)
    on_top = np.bincount(np.concatenate((top, second[second >= 0])), minlength=int(items.item.max()) + 1)
    return np.where(lengths > 1, same[back], on_top[top]).astype(np.int64)
