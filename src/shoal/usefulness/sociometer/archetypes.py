"""What the classes of people look like, and which of them a profile resembles most."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from shoal.contract.kinds import KINDS_OF_DAY, SLOTS, cell_names
from shoal.usefulness.figures import Floats

LABELS = ("resident", "dynamic_resident", "commuter", "visitor", "passing_by")
RESIDENT, DYNAMIC, COMMUTER, VISITOR, PASSING = range(len(LABELS))
Labels = NDArray[np.int8]
"""Positions in `LABELS`."""

PASSING_BELOW = 0.5


class Archetypes(NamedTuple):
    """Profiles that classes are named by: directions of length one, and the class of each."""

    directions: Floats
    labels: Labels


def archetypes(weeks: int) -> Archetypes:
    """Draw the archetypes of profiles over some weeks.

    A resident calls everywhere, a dynamic resident everywhere but on weekdays by day, a commuter only then; a visitor
    in one whole week, on its weekdays, or at its weekend.

    >>> archetypes(4).labels.tolist().count(VISITOR)
    12
    """
    shape = (weeks, len(KINDS_OF_DAY), len(SLOTS))
    working = np.zeros(shape)
    working[:, 0, 1] = 1
    drawn = [np.ones(shape), 1 - working, working]
    for week in range(weeks):
        for kinds in (slice(None), slice(0, 1), slice(1, 2)):
            visit = np.zeros(shape)
            visit[week, kinds] = 1
            drawn.append(visit)
    rows = np.stack([one.ravel() for one in drawn])
    labels = np.array([RESIDENT, DYNAMIC, COMMUTER] + [VISITOR] * (3 * weeks), np.int8)
    return Archetypes(rows / np.linalg.norm(rows, axis=1, keepdims=True), labels)


def passing_by(values: Floats) -> NDArray[np.bool_]:
    """Tell who only passed by: one cell that is not zero, and it is below a half; or none at all.

    >>> passing_by(np.array([[0.2, 0, 0], [0.5, 0, 0], [0.2, 0.2, 0], [0, 0, 0]])).tolist()
    [True, False, False, True]
    """
    active = values != 0
    return np.asarray((active.sum(axis=1) <= 1) & (values.max(axis=1, initial=0.0) < PASSING_BELOW))


def nearest(values: Floats) -> Labels:
    """Return the class of the archetype in whose direction each profile lies; of equal ones the first.

    By the cosine, not by Euclidean distance: that would make visitors of everybody whose profile is nearly empty, or
    noisy.

    >>> week = np.array([[0, 0.4, 0, 0, 0, 0], [0.2] * 6, [0.2, 0, 0.2, 0.5, 0.5, 0.5]])
    >>> [LABELS[label] for label in nearest(np.tile(week, 2))]
    ['commuter', 'resident', 'dynamic_resident']
    """
    known = archetypes(values.shape[1] // len(cell_names(1)))
    # Lengths of the profiles do not change which is nearest. Rounded, so that ties are ties.
    return np.asarray(known.labels[np.argmax(np.round(values @ known.directions.T, 12), axis=1)])
