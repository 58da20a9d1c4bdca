"""Who merges with whom in a round (Algorithm 2, lines 12 to 30)."""

from fractions import Fraction

import numpy as np

from shoal.kernels.common.jit import kernel
from shoal.kernels.primule.closer import slacks
from shoal.kernels.primule.groups import Floats, Groups, Ints


def in_order(groups: Groups, unsafe: Ints, nearest: Ints, distance: Floats, scale: int) -> Ints:
    """Sort pairs by (squared distance, number of the unsafe group), exactly.

    Parameters
    ----------
    groups
        All.
    unsafe
        Groups, ascending.
    nearest, distance
        Of each its nearest, and the computed squared distance.
    scale
        As everywhere.
    """
    order = np.argsort(distance, kind="stable")
    sorted_, slack = distance[order], np.empty(order.size)
    slacks(sorted_, groups.points.shape[1], float(scale), slack)
    rough = ~(groups.plain[unsafe] & groups.plain[nearest])[order]
    # Runs of distances so close that rounding may have put them into a wrong order; most are all of one exact value.
    close = sorted_[1:] - sorted_[:-1] <= slack[1:]
    starts = np.flatnonzero(np.concatenate(([True], ~close)))
    has_rough = np.add.reduceat(rough, starts) > 0 if order.size else np.zeros(0, np.bool_)
    ends = np.concatenate((starts[1:], [order.size]))
    for start, end in zip(starts[has_rough].tolist(), ends[has_rough].tolist(), strict=True):
        if end - start > 1:
            run = order[start:end]
            keys = [(_exact(groups, unsafe[i], nearest[i]), i) for i in run.tolist()]
            order[start:end] = [i for _, i in sorted(keys)]
    return order


def _exact(groups: Groups, one: int, other: int) -> Fraction:
    """The squared distance of two groups as it is."""
    a, b = int(groups.sizes[one]), int(groups.sizes[other])
    pairs = zip(groups.sums[one].tolist(), groups.sums[other].tolist(), strict=True)
    return Fraction(sum((s * b - t * a) ** 2 for s, t in pairs), (a * b) ** 2)


@kernel
def merge(unsafe, nearest, order, sums, sizes, alive, into, changed):  # type: ignore[no-untyped-def]
    """Merge pairs in order, unless either side was changed in this round; the nearest keeps its number.

    Parameters
    ----------
    unsafe, nearest, order
        Pairs, and the order to take them in.
    sums, sizes, alive, into
        As in `Groups`. Written to.
    changed
        Of each group whether it was changed in this round, all False. Written to.
    """
    for i in order:
        one, other = unsafe[i], nearest[i]
        if changed[one] or changed[other]:
            continue
        changed[one] = changed[other] = True
        sums[other] += sums[one]
        sizes[other] += sizes[one]
        alive[one] = False
        into[one] = other
