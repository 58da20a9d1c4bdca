"""Who commutes from where to where: a commuter here should be a dynamic resident elsewhere."""

import numpy as np

from shoal.attacks.crowd import Ints
from shoal.usefulness.sociometer.archetypes import COMMUTER, DYNAMIC, Labels


def flows(person: Ints, place: Ints, labels: Labels, places: int) -> tuple[Ints, float | None]:
    """Count commuters by home and workplace, and tell how many of them have a home at all.

    Needs profiles whose rows of a person belong together: raw ones, never a release.

    Parameters
    ----------
    person, place, labels
        Of each profile, as numbers.
    places
        How many municipalities there are.

    Returns
    -------
    matrix, share
        People by municipality of home (rows) and work (columns); and the share of commuters who are a dynamic resident
        elsewhere, None where nobody commutes.

    Examples
    --------
    >>> matrix, share = flows(np.array([7, 7, 8]), np.array([0, 1, 1]), np.array([1, 2, 2], np.int8), 2)
    >>> matrix.tolist(), share
    ([[0, 1], [0, 0]], 0.5)
    """
    work, home = np.flatnonzero(labels == COMMUTER), np.flatnonzero(labels == DYNAMIC)
    matrix = np.zeros((places, places), np.int64)
    if not work.size:
        return matrix, None
    home = home[np.argsort(person[home], kind="stable")]
    first = np.searchsorted(person[home], person[work], side="left")
    last = np.searchsorted(person[home], person[work], side="right")
    pairs = np.repeat(work, last - first), home[_ranges(first, last)]
    np.add.at(matrix, (place[pairs[1]], place[pairs[0]]), 1)
    return matrix, float((last > first).mean())


def _ranges(first: Ints, last: Ints) -> Ints:
    """Join the ranges from each first to each last."""
    length = last - first
    ends = np.cumsum(length)
    return np.asarray(np.arange(ends[-1]) - np.repeat(ends - length - first, length))
