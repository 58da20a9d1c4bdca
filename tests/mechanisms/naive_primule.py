"""PRIMULE, straight from the paper (Algorithms 1 and 2) with the decisions that it leaves open; slow and exact.

Calls none of the package's code, and must never start to.

Decisions: groups are numbered by content, in lexicographic order, and a merged group keeps the number of the second
(line 26 updates g2). Nearest by (squared distance, size, number). Pairs by (squared distance, number of the first).
Repairs: a group is unsafe below k (line 27 says at or below), and either side of a pair may have been changed (line 17
checks the second only).
"""

from dataclasses import dataclass
from fractions import Fraction

import numpy as np


@dataclass
class Group:
    number: int
    members: list
    mean: list

    @property
    def size(self):
        return len(self.members)


def naive_primule(profiles, known, k):
    """Return the new profiles, or None where there are fewer than k; ``profiles`` are rows of Fractions."""
    if len(profiles) < k:
        return None
    contents = sorted({tuple(row[cell] for cell in known) for row in profiles})
    groups = {
        number: Group(
            number,
            [i for i, row in enumerate(profiles) if tuple(row[cell] for cell in known) == content],
            list(content),
        )
        for number, content in enumerate(contents)
    }
    while unsafe := [group for group in groups.values() if group.size < k]:
        pairs = []
        for one in unsafe:
            others = [group for group in groups.values() if group is not one]
            other = min(others, key=lambda group: (_squared(one, group), group.size, group.number))
            pairs.append((_squared(one, other), one.number, other.number))
        changed = set()
        for _, first, second in sorted(pairs):
            if first in changed or second in changed:
                continue
            one, other = groups.pop(first), groups[second]
            size = one.size + other.size
            other.mean = [
                (one.size * a + other.size * b) / Fraction(size) for a, b in zip(one.mean, other.mean, strict=True)
            ]
            other.members += one.members
            changed |= {first, second}
    published = [list(row) for row in profiles]
    for group in groups.values():
        for member in group.members:
            for cell, value in zip(known, group.mean, strict=True):
                published[member][cell] = value
    return published


def _squared(one, other):
    return sum((a - b) ** 2 for a, b in zip(one.mean, other.mean, strict=True))


def brute_force(rows, k):
    """The same on whole numbers with numpy, for thousands of rows; return the group of each row by its sum and size.

    Distances are computed for all pairs in float64, and whatever comes within a billionth of the least is compared as
    Fractions.
    """
    contents, number = np.unique(rows, axis=0, return_inverse=True)
    number = number.ravel()
    sizes = np.bincount(number)
    sums = contents * sizes[:, None]
    alive = np.ones(sizes.size, bool)
    into = np.arange(sizes.size)
    while (unsafe := np.flatnonzero(alive & (sizes < k))).size:
        others = np.flatnonzero(alive)
        points = sums[others] / sizes[others, None]
        pairs = []
        for one in unsafe.tolist():
            off = points - sums[one] / sizes[one]
            d = np.einsum("ij,ij->i", off, off)
            d[others == one] = np.inf
            near = others[d <= d.min() * (1 + 1e-9) + 1e-12].tolist()
            distances = {group: _exact(sums, sizes, one, group) for group in near}
            other = min(near, key=lambda group: (distances[group], sizes[group], group))
            pairs.append((distances[other], one, other))
        changed = set()
        for _, one, other in sorted(pairs):
            if one in changed or other in changed:
                continue
            changed |= {one, other}
            sums[other] += sums[one]
            sizes[other] += sizes[one]
            alive[one], into[one] = False, other
    while (into[into] != into).any():
        into = into[into]
    final = into[number]
    return sums[final], sizes[final]


def _exact(sums, sizes, one, other):
    a, b = int(sizes[one]), int(sizes[other])
    pairs = zip(sums[one].tolist(), sums[other].tolist(), strict=True)
    return Fraction(sum((s * b - t * a) ** 2 for s, t in pairs), (a * b) ** 2)
