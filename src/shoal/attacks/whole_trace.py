"""The attacker who knows everything about a person's trace, and how the release was made."""

from collections.abc import Iterator

import numpy as np

from shoal.attacks.crowd import Crowd, Ints, Samples
from shoal.attacks.index import CoverIndex
from shoal.attacks.linkage import Linkage, tally
from shoal.attacks.same import class_sizes, same_sequences


def whole_trace(published: Crowd) -> Ints:
    """Count for each individual those with the very same boxes: nothing that is known tells them apart.

    Others may fit as well, so this is a lower bound of the candidates. Where all boxes are cells of one grid it is
    exact: such a release says of every cell whether a person was there.

    >>> zero, one = np.zeros(3, np.int64), np.ones(3, np.int64)
    >>> whole_trace(Crowd(np.arange(4), np.array([0, 0, 9]), one * 20, zero, one, zero, one))
    array([2, 2, 1])
    """
    return class_sizes(same_sequences(published.offsets, published.columns))


def linked_trace(
    published: Crowd,
    weights: Ints,
    known: Samples,
    people: Ints,
    own: Ints,
    *,
    tolerance_m: int = 0,
    tolerance_s: int = 0,
    rng: np.random.Generator,
) -> Linkage:
    """Point at the individuals whose boxes hold the most samples of a person's whole trace.

    With a tolerance every box is widened: what is known, or what is published, may be off by so much.

    Parameters
    ----------
    own
        The published individual of each of ``people``, -1 where there is none.
    """
    index = CoverIndex(published, tolerance_m=tolerance_m, tolerance_s=tolerance_s)

    def left() -> Iterator[Ints]:
        for person in people.tolist():
            held = np.zeros(len(published), np.int64)
            for row in range(int(known.offsets[person]), int(known.offsets[person + 1])):
                t, x, y = int(known.t[row]), int(known.x[row]), int(known.y[row])
                held[index.holding(t, x, y, known.dt_s, known.cell_m)] += 1
            most = int(held.max(initial=0))
            yield np.flatnonzero(held == most) if most else np.empty(0, np.int64)

    return tally(left(), weights, own, rng)
