"""The attacker who knows p points of a person: where they were at p random moments."""

import numpy as np

from shoal.attacks.crowd import Crowd, Ints, Samples
from shoal.attacks.index import CoverIndex
from shoal.progress import Progress

_EVERY = 100
"""People between two reports of progress."""


def unicity(
    published: Crowd,
    weights: Ints,
    known: Samples,
    people: Ints,
    *,
    points: int = 5,
    rng: np.random.Generator,
    progress: Progress | None = None,
) -> Ints:
    """Count the candidates of each person for 1 … ``points`` known samples.

    The points of one person are drawn once and handed over one after the other, so each row never grows. A person with
    fewer samples is attacked with all of them.

    Parameters
    ----------
    published, weights
        Boxes of individuals, and for how many people each of them stands.
    known, people
        What the attacker may know, and about whom.

    Returns
    -------
    array of people × points
    """
    index = CoverIndex(published)
    found = np.zeros((people.size, points), np.int64)
    for i, person in enumerate(people):
        low, high = int(known.offsets[person]), int(known.offsets[person + 1])
        count = min(points, high - low)
        alive: Ints | None = None
        for p, row in enumerate(low + rng.permutation(high - low)[:count]):
            here = index.holding(int(known.t[row]), int(known.x[row]), int(known.y[row]), known.dt_s, known.cell_m)
            alive = here if alive is None else np.intersect1d(alive, here, assume_unique=True)
            found[i, p:] = weights[alive].sum()
        if progress and i % _EVERY == 0:
            progress("attacking", i, people.size)
    return found
