"""A cheap guess at the value of a group: where its members are in each of some slots of time, and how often seen.

In a slot the boxes of a group are taken to be as wide as the members' mean places lie apart, and to last as long as
it takes to see the rarest member once. Where somebody is not seen, the nearest slot in time says where they are.
Guesses decide only who is tried with whom; what is kept is decided by values (`shoal.kernels.regroup.value`).
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from shoal.kernels.common.jit import kernel

SLOTS = 56
"""Of six hours each in two weeks: day and night can be told apart."""

MOST_SEEN = 1_024
"""Seen more often in a slot than that is seen all the time."""


class Sketch(NamedTuple):
    """Per person or core and slot: the box of the mean places, the weight of all samples, how often the rarest is seen.

    ``lasts[n]`` is the root of the time that it takes to see somebody who is seen n times in a slot.
    """

    x0: NDArray[np.float32]
    x1: NDArray[np.float32]
    y0: NDArray[np.float32]
    y1: NDArray[np.float32]
    weight: NDArray[np.float32]
    seen: NDArray[np.int32]
    lasts: NDArray[np.float32]


@kernel
def draw_people(crowd, first, step, x, y, seen):  # type: ignore[no-untyped-def]
    """Mean places of everybody in every slot, in units of space, and how often they are seen there.

    Parameters
    ----------
    crowd
        Everybody.
    first, step
        Slots begin at ``first`` and last ``step``.
    x, y, seen
        Written; zero before.
    """
    slots = x.shape[1]
    for p in range(x.shape[0]):
        for i in range(crowd.offsets[p], crowd.offsets[p + 1]):
            s = min(slots - 1, np.int64((crowd.t[i] - first) / step))
            x[p, s] += crowd.x[i] / crowd.space_unit
            y[p, s] += crowd.y[i] / crowd.space_unit
            seen[p, s] += 1
        for s in range(slots):
            if seen[p, s] > 0:
                x[p, s] /= seen[p, s]
                y[p, s] /= seen[p, s]
        for s in range(slots):
            away = 0
            while seen[p, s] == 0:
                away += 1
                if s - away >= 0 and seen[p, s - away] > 0:
                    x[p, s], y[p, s] = x[p, s - away], y[p, s - away]
                    break
                if s + away < slots and seen[p, s + away] > 0:
                    x[p, s], y[p, s] = x[p, s + away], y[p, s + away]
                    break


def sketched_cores(people: Sketch, core_at: NDArray[np.int64], core: NDArray[np.int64]) -> Sketch:
    """What the members of a core have together; core c has the people ``core[core_at[c]:core_at[c + 1]]``."""
    starts = core_at[:-1]
    least = [np.minimum.reduceat(values[core], starts) for values in (people.x0, people.y0, people.seen)]
    most = [np.maximum.reduceat(values[core], starts) for values in (people.x1, people.y1)]
    weight = np.add.reduceat(people.weight[core], starts)
    return Sketch(least[0], most[0], least[1], most[1], weight, least[2], people.lasts)


@kernel
def guess(low, high, people, person, cores, near, least, out):  # type: ignore[no-untyped-def]
    """How much dearer cores would get by one more person.

    Parameters
    ----------
    low, high
        Rows that are looked at.
    people, cores
        Sketches.
    person, near
        Row r asks for ``person[r]`` with each of the cores ``near[r]``.
    least
        The space that the smallest box takes.
    out
        Written: the difference, beside each of ``near``.
    """
    slots = people.x0.shape[1]
    for r in range(low, high):
        p = person[r]
        for b in range(near.shape[1]):
            c, total = near[r, b], np.float32(0)
            for s in range(slots):
                before = cores.x1[c, s] - cores.x0[c, s] + cores.y1[c, s] - cores.y0[c, s] + least
                across = max(cores.x1[c, s], people.x1[p, s]) - min(cores.x0[c, s], people.x0[p, s])
                up = max(cores.y1[c, s], people.y1[p, s]) - min(cores.y0[c, s], people.y0[p, s])
                with_p = np.sqrt(across + up + least) + people.lasts[min(cores.seen[c, s], people.seen[p, s])]
                total += (cores.weight[c, s] + people.weight[p, s]) * with_p
                total -= cores.weight[c, s] * (np.sqrt(before) + people.lasts[cores.seen[c, s]])
            out[r, b] = total
