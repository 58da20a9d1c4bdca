"""The attacker who averages: noise that is new each time goes away where somebody comes often (on Geo-I)."""

import numpy as np
from numpy.typing import NDArray

from shoal.attacks.misses import Misses

Floats = NDArray[np.float64]

_ROUNDS = 200
_STILL_M = 1e-4


def averaged(points: Floats) -> Floats:
    """Return the place that makes the points most likely: least sum of distances (Weiszfeld, Vardi and Zhang).

    Planar Laplace noise falls off with the distance, so this beats the mean.

    >>> averaged(np.array([[0.0, 0.0], [0.0, 0.0], [9.0, 1.0]])).round(2).tolist()
    [0.0, 0.0]
    """
    middle = points.mean(axis=0)
    for _ in range(_ROUNDS):
        distance = np.hypot(*(points - middle).T)
        here = distance < _STILL_M
        if here.all():
            break
        weight = 1 / distance[~here]
        wanted = (weight[:, None] * points[~here]).sum(axis=0) / weight.sum()
        # A point in the very middle holds it back, by as much as the others do not pull harder.
        pull = np.hypot(*(weight[:, None] * (points[~here] - middle)).sum(axis=0))
        held = min(1.0, float(here.sum()) / pull) if pull > 0 else 1.0
        step = (1 - held) * (wanted - middle)
        middle = middle + step
        if np.hypot(*step) < _STILL_M:
            break
    # Towards one of the points the steps become small long before they arrive.
    nearest = points[np.hypot(*(points - middle).T).argmin()]
    return np.asarray(min(middle, nearest, key=lambda place: np.hypot(*(points - place).T).sum()))


def averaging(
    places: Floats, offsets: NDArray[np.int64], points: Floats, *, visits: int, rng: np.random.Generator
) -> tuple[Misses, Misses]:
    """Guess each place from so many published points of who was there, taken at random; beside it, a control.

    Parameters
    ----------
    places
        The truth, metres: one of each person.
    offsets
        Where the published points of each start; one more entry than places. Places with fewer are left out.

    Returns
    -------
    How far guesses are off; and how far from somebody else's place.
    """
    some = np.flatnonzero(np.diff(offsets) >= visits)
    off, other = [], []
    for place, someone in zip(some.tolist(), np.roll(some, 1).tolist(), strict=True):
        rows = offsets[place] + rng.choice(int(offsets[place + 1] - offsets[place]), visits, replace=False)
        guess = averaged(points[rows])
        off.append(np.hypot(*(guess - places[place])))
        other.append(np.hypot(*(guess - places[someone])))
    return Misses(np.array(off, np.float64)), Misses(np.array(other, np.float64))
