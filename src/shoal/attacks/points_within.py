"""The attacker who knows p points of a person, all of them within one interval of time."""

import numpy as np

from shoal.attacks.crowd import Crowd, Ints, Samples
from shoal.attacks.index import CoverIndex


def points_within(
    published: Crowd,
    weights: Ints,
    known: Samples,
    people: Ints,
    *,
    tau_s: int,
    points: int = 5,
    rng: np.random.Generator,
) -> Ints:
    """Count the candidates of each person for 1 … ``points`` samples of an interval that starts at a random sample.

    The points are handed over one after the other, so each row never grows; where the interval holds fewer, all of
    them are known. Everybody in ``people`` has a sample.

    Returns
    -------
    array of people × points
    """
    index = CoverIndex(published)
    found = np.zeros((people.size, points), np.int64)
    for i, person in enumerate(people):
        low, high = int(known.offsets[person]), int(known.offsets[person + 1])
        start = int(known.t[rng.integers(low, high)])
        first, stop = low + np.searchsorted(known.t[low:high], (start, start + tau_s + 1))
        alive: Ints | None = None
        for p, row in enumerate(first + rng.permutation(stop - first)[:points]):
            here = index.holding(int(known.t[row]), int(known.x[row]), int(known.y[row]), known.dt_s, known.cell_m)
            alive = here if alive is None else np.intersect1d(alive, here, assume_unique=True)
            found[i, p:] = weights[alive].sum()
    return found
