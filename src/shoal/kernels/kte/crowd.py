"""The samples that are merged into the boxes of a cell: its person's, and those of everybody whom the person hides."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from shoal.kernels.common.jit import helper, maker
from shoal.kernels.kmerge.solve import solve
from shoal.kernels.kmerge.stamps import Plans, Stamps, find_ends, find_stamps, new_plans, new_stamps
from shoal.kernels.kte.lives import first_from


class Crowd(NamedTuple):
    """Room for samples in the order of time, whose each is, and for the merging of them."""

    t: NDArray[np.int32]
    x: NDArray[np.int32]
    y: NDArray[np.int32]
    member: NDArray[np.int32]
    who: NDArray[np.int64]
    stamps: Stamps
    plans: Plans


@maker
def new_crowd(samples):  # type: ignore[no-untyped-def]
    """Room for so many samples, each of which may be another member's."""
    return Crowd(
        np.empty(samples, np.int32),
        np.empty(samples, np.int32),
        np.empty(samples, np.int32),
        np.empty(samples, np.int32),
        np.empty(samples, np.int64),
        new_stamps(samples, samples),
        new_plans(samples),
    )


@helper
def merge_in(crowd, n, member, lives, low, high):  # type: ignore[no-untyped-def]
    """Merge the samples ``low .. high - 1`` of one more member into the n that are there; from behind, in place."""
    place, before, new = n + high - low - 1, n - 1, high - 1
    while new >= low:
        if before >= 0 and crowd.t[before] > lives.t[new]:
            crowd.t[place], crowd.x[place], crowd.y[place] = crowd.t[before], crowd.x[before], crowd.y[before]
            crowd.member[place] = crowd.member[before]
            before -= 1
        else:
            crowd.t[place], crowd.x[place], crowd.y[place] = lives.t[new], lives.x[new], lives.y[new]
            crowd.member[place] = member
            new -= 1
        place -= 1


@helper
def gather(p, e, reach, lives, alive, hides, crowd):  # type: ignore[no-untyped-def]
    """Fill in the crowd of the cell (p, e): p itself, and the others whom p hides and who are published there.

    Parameters
    ----------
    p, e
        The cell.
    reach, lives, alive, hides
        As in `draw_people`.
    crowd
        Written.

    Returns
    -------
    n, members
        Samples and members. If n is more than there is room for, nothing is of use.
    """
    low = first_from(lives.epoch, lives.offsets[p], lives.offsets[p + 1], e)
    high = first_from(lives.epoch, low, lives.offsets[p + 1], e + 1)
    room, n, members = crowd.t.size, high - low, 1
    if n > room:
        return n, members
    crowd.who[0] = p
    merge_in(crowd, np.int64(0), 0, lives, low, high)
    for row in range(first_from(hides.window, hides.at[p], hides.at[p + 1], e - reach), hides.at[p + 1]):
        if hides.window[row] > e:
            break
        q = hides.other[row]
        known = not alive[q, e]
        for m in range(members):
            known |= crowd.who[m] == q
        if known:
            continue
        low = first_from(lives.epoch, lives.offsets[q], lives.offsets[q + 1], e)
        high = first_from(lives.epoch, low, lives.offsets[q + 1], e + 1)
        if n + high - low > room:
            return 2 * room + high - low, members
        crowd.who[members] = q
        merge_in(crowd, n, members, lives, low, high)
        n += high - low
        members += 1
    return n, members


@maker
def merge(crowd, n, members, rule):  # type: ignore[no-untyped-def]
    """Merge the crowd: the number of stamps; what to do with them, and what it costs, is in ``crowd.plans``."""
    count = find_stamps(crowd.t, crowd.x, crowd.y, np.int64(0), n, crowd.stamps)
    find_ends(crowd.member, members, count, crowd.stamps)
    solve(count, rule, np.int64(-1), crowd.stamps, crowd.plans)
    return count
