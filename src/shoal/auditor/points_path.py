"""Whether published points lie on a recorded way, one after the other: a loop over both at once, compiled.

The auditor's own, shared with nothing that makes releases. Import it late: it needs numba.
"""

from collections.abc import Callable
from typing import Any, TypeVar, cast

import numpy as np
from numba import njit
from numpy.typing import NDArray

from shoal.attacks.crowd import Ints
from shoal.auditor.points_geometry import RADIUS_M, Floats

F = TypeVar("F", bound=Callable[..., Any])


def _compiled(function: F) -> F:
    return cast(F, njit(cache=True, nogil=True)(function))


@_compiled
def follow(
    offsets: Ints,
    lat: Floats,
    lng: Floats,
    metres: Floats,
    first: Ints,
    stop: Ints,
    raw_lat: Floats,
    raw_lng: Floats,
    tolerance_m: float,
    alpha_m: float,
) -> tuple[Ints, Floats, NDArray[np.bool_]]:
    """Walk along each way and look for the points in their order, each as early as it can be.

    Parameters
    ----------
    offsets, lat, lng
        Published points, one uid after the other.
    metres
        Of a degree of longitude and of latitude at each of them: two columns.
    first, stop
        The recorded points of each uid's way; none where they are equal.
    tolerance_m
        How far beside the way a point may lie; long stretches are forgiven what a straight line may mean on a globe.
    alpha_m
        See the result.

    Returns
    -------
    How many points of each uid are on the way, up to the first that is not; how far the worst of them lies beside it;
    and whether the way goes on, behind the last one, to somewhere ``alpha_m`` away from it.
    """
    uids = offsets.size - 1
    on, worst, goes_on = np.zeros(uids, np.int64), np.zeros(uids), np.zeros(uids, np.bool_)
    for uid in range(uids):
        segment, along = first[uid], 0.0
        for row in range(offsets[uid], offsets[uid + 1]):
            found = False
            while segment < stop[uid]:
                other = min(segment + 1, stop[uid] - 1)
                ax, ay = _towards(lat, lng, metres, row, raw_lat[segment], raw_lng[segment])
                bx, by = _towards(lat, lng, metres, row, raw_lat[other], raw_lng[other])
                if bx - ax > 180 * metres[row, 0]:
                    bx -= 360 * metres[row, 0]
                elif ax - bx > 180 * metres[row, 0]:
                    bx += 360 * metres[row, 0]
                square = (bx - ax) ** 2 + (by - ay) ** 2
                at = 0.0
                if square > 0:
                    at = min(1.0, max(0.0, -(ax * (bx - ax) + ay * (by - ay)) / square))
                at = max(at, along)
                off = np.hypot(ax + at * (bx - ax), ay + at * (by - ay))
                bent = square * (1 + np.abs(np.tan(np.radians(lat[row])))) / (8 * RADIUS_M)
                if off <= tolerance_m + bent:
                    found = True
                    worst[uid] = max(worst[uid], off)
                    along = max(along, at - tolerance_m / np.sqrt(square)) if square > tolerance_m**2 else along
                    break
                segment, along = segment + 1, 0.0
            if not found:
                break
            on[uid] += 1
        last = offsets[uid + 1] - 1
        for later in range(segment + 1, stop[uid]):
            x, y = _towards(lat, lng, metres, last, raw_lat[later], raw_lng[later])
            if np.hypot(x, y) >= alpha_m:
                goes_on[uid] = True
                break
    return on, worst, goes_on


@_compiled
def _towards(lat: Floats, lng: Floats, metres: Floats, row: int, to_lat: float, to_lng: float) -> tuple[float, float]:
    return ((to_lng - lng[row] + 540) % 360 - 180) * metres[row, 0], (to_lat - lat[row]) * metres[row, 1]
