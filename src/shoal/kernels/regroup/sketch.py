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


class Sketch(NamedTuple):
    """Per person or core and slot: the box of the mean places, the weight of all samples, how long boxes last.

    ``waits`` is the root of the time that it takes to see whoever is seen least. Of all slots together, ``weighs`` is
    the weight of all samples, and ``room`` what their space counts beyond that.
    """

    x0: NDArray[np.float32]
    x1: NDArray[np.float32]
    y0: NDArray[np.float32]
    y1: NDArray[np.float32]
    weight: NDArray[np.float32]
    waits: NDArray[np.float32]
    weighs: NDArray[np.float32]
    room: NDArray[np.float32]


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
    x0, y0 = (np.minimum.reduceat(values[core], starts) for values in (people.x0, people.y0))
    x1, y1, waits = (np.maximum.reduceat(values[core], starts) for values in (people.x1, people.y1, people.waits))
    weight, weighs, room = (
        np.add.reduceat(values[core], starts) for values in (people.weight, people.weighs, people.room)
    )
    return Sketch(x0, x1, y0, y1, weight, waits, weighs, room)


def guessed_values(cores: Sketch, least: np.float32) -> NDArray[np.float32]:
    """What cores cost as they are; ``least`` is the space that the smallest box takes."""
    across = cores.x1 - cores.x0 + cores.y1 - cores.y0 + least
    wide = (np.float32(1) + cores.room / cores.weighs)[:, None]
    return np.asarray((cores.weight * (wide * np.sqrt(across) + cores.waits)).sum(axis=1))


@kernel
def guess(low, high, people, person, cores, alone, near, least, out):  # type: ignore[no-untyped-def]
    """How much dearer cores would get by one more person.

    Parameters
    ----------
    low, high
        Rows that are looked at.
    people, cores, alone
        Sketches, and what the cores cost as they are.
    person, near
        Row r asks for ``person[r]`` with each of the cores ``near[r]``.
    least
        The space that the smallest box takes.
    out
        Written: the difference, beside each of ``near``.
    """
    # Slots are looked at side by side and added up in a loop of their own: only so are several done at once.
    slot = np.empty(people.x0.shape[1], np.float32)
    for r in range(low, high):
        p = person[r]
        x0, x1, y0, y1 = people.x0[p], people.x1[p], people.y0[p], people.y1[p]
        weight, waits = people.weight[p], people.waits[p]
        for b in range(near.shape[1]):
            c, total = near[r, b], np.float32(0)
            cx0, cx1, cy0, cy1 = cores.x0[c], cores.x1[c], cores.y0[c], cores.y1[c]
            inside, longest = cores.weight[c], cores.waits[c]
            wide = np.float32(1) + (cores.room[c] + people.room[p]) / (cores.weighs[c] + people.weighs[p])
            for s in range(slot.size):
                across = max(cx1[s], x1[s]) - min(cx0[s], x0[s]) + max(cy1[s], y1[s]) - min(cy0[s], y0[s])
                slot[s] = (inside[s] + weight[s]) * (wide * np.sqrt(across + least) + max(longest[s], waits[s]))
            for s in range(slot.size):
                total += slot[s]
            out[r, b] = total - alone[c]
