"""Who hides whom within a class, given everybody's candidates.

Everybody needs ``need`` hiders, and hides as many as long as that is possible: an attacker who guesses that the
tightest fit is the person himself wins where some hide many and others nobody.
"""

import numpy as np
from numpy.typing import NDArray

from shoal.kernels.common.jit import helper, kernel
from shoal.kernels.kte.hiders import NOBODY, Candidates

FAR = 2**62


@kernel
def keep_enough(hider, need, live):  # type: ignore[no-untyped-def]
    """Remove people with fewer than ``need`` candidates among those who are left, until all who are left have enough.

    Parameters
    ----------
    hider
        Candidates of each, as numbers of others.
    need
        How many each needs.
    live
        Changed: who is left.
    """
    changed = True
    while changed:
        changed = False
        for i in range(live.size):
            if not live[i]:
                continue
            enough = 0
            for j in hider[i]:
                enough += j != NOBODY and live[j]
            if enough < need:
                live[i], changed = False, True


@helper
def holds(row, j):  # type: ignore[no-untyped-def]
    """Whether j is in a row of numbers."""
    found = False
    for other in row:
        found |= other == j
    return found


@helper
def replace(row, old, new):  # type: ignore[no-untyped-def]
    """Put ``new`` into the first place that holds ``old``."""
    for place in range(row.size):
        if row[place] == old:
            row[place] = new
            return


@helper
def make_room(i, need, found, live, chosen, hides, load):  # type: ignore[no-untyped-def]
    """Give i a hider who is taken: somebody whom that one hides takes another who is free. Whether there was one."""
    best, best_j, best_other, best_new = np.int64(FAR), NOBODY, NOBODY, NOBODY
    for c in range(found.hider.shape[1]):
        j = found.hider[i, c]
        if j == NOBODY or found.cost[i, c] >= best:
            break
        if not live[j] or holds(chosen[i], j):
            continue
        for other in hides[j]:
            given_up = np.int64(0)
            for d in range(found.hider.shape[1]):
                if found.hider[other, d] == j:
                    given_up = found.cost[other, d]
            for d in range(found.hider.shape[1]):
                new = found.hider[other, d]
                if new == NOBODY:
                    break
                if live[new] and load[new] < need and not holds(chosen[other], new):
                    total = found.cost[i, c] + found.cost[other, d] - given_up
                    if total < best:
                        best, best_j, best_other, best_new = total, j, other, new
                    break  # the others cost more
    if best_j == NOBODY:
        return False
    replace(chosen[best_other], best_j, best_new)
    replace(chosen[i], NOBODY, best_j)
    replace(hides[best_j], best_other, i)
    replace(hides[best_new], NOBODY, best_other)
    load[best_new] += 1
    return True


@kernel
def assign(edges, found, need, live):  # type: ignore[no-untyped-def]
    """Hiders of everybody who is left: cheapest first, none hiding more than ``need`` where that can be avoided.

    What the cheapest leave without is given room by moving one other; where that fails too, those who hide fewest hide
    one more.

    Parameters
    ----------
    edges
        Places in the candidates, taken flat, the cheapest first.
    found
        The candidates.
    need
        Hiders of each.
    live
        Who is left; each has as many candidates.

    Returns
    -------
    chosen
        Of each, the numbers of the hiders.
    """
    n, most = found.hider.shape
    chosen, hides = np.full((n, need), NOBODY, np.int32), np.full((n, need), NOBODY, np.int32)
    got, load = np.zeros(n, np.int64), np.zeros(n, np.int64)
    for edge in edges:
        i, j = edge // most, found.hider[edge // most, edge % most]
        if j != NOBODY and live[i] and live[j] and got[i] < need and load[j] < need:
            chosen[i, got[i]], hides[j, load[j]] = j, i
            got[i] += 1
            load[j] += 1
    for i in range(n):
        while live[i] and got[i] < need and make_room(i, need, found, live, chosen, hides, load):
            got[i] += 1
    for i in range(n):
        while live[i] and got[i] < need:
            best = NOBODY
            for j in found.hider[i]:
                if j == NOBODY:
                    break
                if live[j] and not holds(chosen[i], j) and (best == NOBODY or load[j] < load[best]):
                    best = j
            chosen[i, got[i]] = best
            got[i] += 1
            load[best] += 1
    return chosen


def enough_candidates(found: Candidates, need: int) -> NDArray[np.bool_]:
    """Who has ``need`` candidates among those of whom this is true as well."""
    live = np.ones(found.hider.shape[0], np.bool_)
    keep_enough(found.hider, need, live)
    return live


def assigned(found: Candidates, need: int, live: NDArray[np.bool_]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Who hides whom: numbers of hiders and of the hidden."""
    cost = np.where(found.hider == NOBODY, FAR, found.cost)
    edges = np.argsort(cost, axis=None, kind="stable")
    chosen = assign(edges, found, need, live)
    hidden = np.repeat(np.flatnonzero(live), need)
    return chosen[live].reshape(-1).astype(np.int64), hidden
