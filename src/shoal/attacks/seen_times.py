"""The attacker who knows some moments at which a person was recorded, to the second, and nothing of where."""

from collections.abc import Callable, Iterator

import numpy as np

from shoal.attacks.crowd import Ints
from shoal.attacks.linkage import Linkage
from shoal.attacks.nearest import tally_any


def seen_times(
    owner: Ints,
    t_s: Ints,
    published: int,
    known: list[Ints],
    own: Callable[[int], Ints],
    *,
    moments: int,
    rng: np.random.Generator,
) -> Linkage:
    """Keep the published traces that have a point at each of so many moments, taken at random from a person's records.

    Parameters
    ----------
    owner, t_s
        The published trace and the second of every point.
    published
        How many traces there are.
    known
        The seconds of each target's records.
    own
        The published traces of a target.

    >>> found = seen_times(np.array([0, 0, 1]), np.array([5, 9, 5]), 2, [np.array([5, 9])], lambda _: np.array([0]),
    ...                    moments=2, rng=np.random.default_rng(1))
    >>> found.candidates, found.right
    (array([1]), array([ True]))
    """
    order = np.argsort(t_s, kind="stable")
    times, who = t_s[order], owner[order]

    def left() -> Iterator[Ints]:
        for theirs in known:
            some = rng.choice(theirs, min(moments, theirs.size), replace=False)
            alive: Ints | None = None
            for moment in some:
                a, b = np.searchsorted(times, moment), np.searchsorted(times, moment, side="right")
                here = np.unique(who[a:b])
                alive = here if alive is None else np.intersect1d(alive, here, assume_unique=True)
            yield np.empty(0, np.int64) if alive is None else alive

    return tally_any(left(), [own(target) for target in range(len(known))], published, rng)
