"""Groups of profiles: sums, sizes, and points that floats show as well as they can."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Mask = NDArray[np.bool_]

_FRACTION_BITS = 53
"""Bits of a float: sums of squares that need no more of them are exact."""


class Groups(NamedTuple):
    """All groups there ever are, by number; those that were merged into another are no longer alive.

    Attributes
    ----------
    sums
        Of the members' rows, a column per cell, in units of 1 / scale.
    sizes
        Members.
    points
        ``sums / sizes`` in float64.
    plain
        Whether squared distances between this point and any other plain one are exact in float64.
    alive
        Whether the group still is one.
    into
        Where the group went; itself as long as it is alive.
    """

    sums: Ints
    sizes: Ints
    points: Floats
    plain: Mask
    alive: Mask
    into: Ints


def equal_rows(rows: Ints) -> tuple[Ints, Ints]:
    """Number the distinct rows in lexicographic order; return the number of each row, and a row of each number.

    >>> equal_rows(np.array([[2, 1], [1, 3], [2, 1]]))
    (array([1, 0, 1]), array([1, 0]))
    """
    order = np.lexsort(rows.T[::-1])
    fresh = np.ones(order.size, np.bool_)
    ordered = rows[order]
    fresh[1:] = (ordered[1:] != ordered[:-1]).any(axis=1)
    number = np.empty(order.size, np.int64)
    number[order] = np.cumsum(fresh) - 1
    return number, order[fresh]


def groups_of(rows: Ints, scale: int) -> tuple[Groups, Ints]:
    """Make a group of each set of equal rows; return the group of each row as well."""
    number, first = equal_rows(rows)
    sizes = np.bincount(number)
    sums = rows[first] * sizes[:, None]
    everyone = np.arange(sizes.size)
    points = rows[first].astype(np.float64)
    plain = np.full(sizes.size, _bits(rows.shape[1], scale, 1))
    return Groups(sums, sizes, points, plain, np.ones(sizes.size, np.bool_), everyone), number


def renew(groups: Groups, changed: Ints, scale: int) -> None:
    """Compute the points of groups whose members are others now."""
    sums, sizes = groups.sums[changed], groups.sizes[changed]
    groups.points[changed] = sums / sizes[:, None]
    finest = finest_fraction(sums.shape[1], scale)
    groups.plain[changed] = ((sums * finest) % sizes[:, None] == 0).all(axis=1)


def finest_fraction(cells: int, scale: int) -> int:
    """The largest power of two by which points may be divided so that squared distances stay exact; at least 1.

    >>> finest_fraction(24, 60) >= 2**14, finest_fraction(24, 3_000_000)
    (True, 4)
    """
    fraction = 1
    while fraction < 1 << 20 and _bits(cells, scale, 2 * fraction):
        fraction *= 2
    return fraction


def _bits(cells: int, scale: int, fraction: int) -> bool:
    """Whether a sum of squares of multiples of 1 / fraction is exact."""
    return (cells * (scale * fraction) ** 2).bit_length() <= _FRACTION_BITS
