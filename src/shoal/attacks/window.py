"""The attacker who knows everything about a person in some interval of time, and nothing of the rest."""

from collections.abc import Iterator

import numpy as np

from shoal.attacks.crowd import Crowd, Ints, Samples
from shoal.attacks.index import CoverIndex
from shoal.attacks.linkage import Linkage, tally
from shoal.attacks.narrow import wide


def window(
    published: Crowd,
    weights: Ints,
    known: Samples,
    people: Ints,
    own: Ints,
    *,
    tau_s: int,
    windows: int | None = None,
    rng: np.random.Generator,
) -> Linkage:
    """Attack people with all of their samples in an interval of length ``tau_s``, both ends included.

    Of several intervals of one person the one that leaves the fewest candidates counts.

    Parameters
    ----------
    windows
        So many intervals of each person, at random; None tries each one that is not part of another.
    own
        The published individual of each of ``people``, -1 where there is none.
    """
    index = CoverIndex(published)

    def left() -> Iterator[Ints]:
        for person in people.tolist():
            low, high = int(known.offsets[person]), int(known.offsets[person + 1])
            spans = maximal_windows(wide(known.t[low:high]), tau_s)
            if windows is not None and len(spans) > windows:
                spans = [spans[i] for i in rng.choice(len(spans), windows, replace=False)]
            yield _fewest(index, weights, known, [(low + first, low + last) for first, last in spans])

    return tally(left(), weights, own, rng)


def maximal_windows(t: Ints, tau_s: int) -> list[tuple[int, int]]:
    """Return the half-open runs of samples that an interval can hold, without those that lie in another.

    >>> maximal_windows(np.array([0, 5, 10, 30]), 10)
    [(0, 3), (3, 4)]
    """
    ends = np.searchsorted(t, t + tau_s, side="right")
    fresh = np.concatenate(([True], ends[1:] != ends[:-1])) if t.size else np.empty(0, np.bool_)
    return [(int(first), int(ends[first])) for first in np.flatnonzero(fresh)]


def _fewest(index: CoverIndex, weights: Ints, known: Samples, spans: list[tuple[int, int]]) -> Ints:
    """Return who is left in the interval that leaves the fewest people, but some."""
    best = np.empty(0, np.int64)
    for first, last in spans:
        left = index.holding_all(known, range(first, last))
        if left.size and (not best.size or weights[left].sum() < weights[best].sum()):
            best = left
    return best
