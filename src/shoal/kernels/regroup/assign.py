"""Deal everybody who is out to the cores, so that all together are best off: an auction (Bertsekas 1988).

Whoever has no core bids for the one that is cheapest for them, prices included, and raises its price until it is no
better than their next best, and a least step more. Whoever had that core before is out again. Steps get smaller from
auction to auction, and prices are kept. At the end nobody would be better off elsewhere by more than the last step, so
the total is above the best by less than the number of people times that step.

All numbers are whole: every bid raises a price by 1 or more, so that an auction ends, also where many costs are equal.
"""

import numpy as np
from numpy.typing import NDArray

from shoal.kernels.common.jit import kernel

COARSEST, FINEST = 2, 2.0**-20
"""The first step and the last, as parts of what the others cost more than the cheapest in the mean."""

SMALLER = 5
"""Each auction's step is so much smaller than that of the one before."""


@kernel
def auction(at, core, cost, step, price, owner, waiting, taken):  # type: ignore[no-untyped-def]
    """Auctions with smaller and smaller steps, down to 1.

    Parameters
    ----------
    at, core, cost
        Row r may take the cores ``core[at[r]:at[r + 1]]`` at these costs. All rows can be served at once.
    step
        Of the first auction.
    price, owner, waiting
        Room for a number for each row; prices are 0.
    taken
        Written: of each row the place in ``core`` that it takes.
    """
    rows = at.size - 1
    while True:
        for r in range(rows):
            owner[r], waiting[r] = -1, r
        first, left = 0, rows
        while left > 0:
            r = waiting[first]
            first, left = (first + 1) % rows, left - 1
            best, cheapest, second = at[r], np.int64(2**62), np.int64(2**62)
            for e in range(at[r], at[r + 1]):
                whole = cost[e] + price[core[e]]
                if whole < cheapest:
                    best, cheapest, second = e, whole, cheapest
                else:
                    second = min(second, whole)
            if at[r + 1] - at[r] == 1:
                second = cheapest  # no other choice: a step at a time is enough, all rows can be served
            c = core[best]
            price[c] += second - cheapest + step
            if owner[c] >= 0:
                waiting[(first + left) % rows] = owner[c]
                left += 1
            owner[c], taken[r] = r, best
        if step <= 1:
            return
        step = max(step // SMALLER, 1)


def assigned(at: NDArray[np.int64], core: NDArray[np.int64], costs: NDArray[np.float64]) -> NDArray[np.int64]:
    """Which place in ``core`` every row takes, so that each core is taken once and the sum of costs is least.

    Parameters
    ----------
    at, core, costs
        Row r may take the cores ``core[at[r]:at[r + 1]]`` at these costs. There are as many cores as rows, and all rows
        can be served at once.
    """
    rows = at.size - 1
    above = costs - np.repeat(np.minimum.reduceat(costs, at[:-1]), np.diff(at))
    step = above.mean() * FINEST or 1.0
    whole = np.rint(np.minimum(above / step, 2.0**40)).astype(np.int64)
    price, owner, waiting, taken = (np.zeros(rows, np.int64) for _ in range(4))
    auction(at, core, whole, max(COARSEST * int(whole.mean()), 1), price, owner, waiting, taken)
    return taken
