"""Prototypes of the profiles of each municipality, and through them a class for everybody."""

from dataclasses import dataclass

import numpy as np

from shoal.attacks.crowd import Ints
from shoal.progress import Progress, silent
from shoal.usefulness.figures import Floats
from shoal.usefulness.sociometer.archetypes import PASSING, Labels, nearest, passing_by

MOST_PROTOTYPES = 100
_ITERATIONS = 100


@dataclass(frozen=True, slots=True, eq=False)
class Labelled:
    """A class for each profile, and the prototypes that gave it.

    Attributes
    ----------
    labels
        Of each profile.
    place, centre, label, people
        Of each prototype: its municipality, its values, its class, and how many profiles it stands for.
    """

    labels: Labels
    place: Ints
    centre: Floats
    label: Labels
    people: Ints


def label_profiles(
    place: Ints,
    values: Floats,
    *,
    prototypes: int = MOST_PROTOTYPES,
    seed: int = 0,
    progress: Progress | None = None,
) -> Labelled:
    """Set those aside who pass by, cluster the others in each municipality, and name the clusters.

    Parameters
    ----------
    place
        Municipality of each profile, as numbers from 0.
    values
        A row for each profile.
    prototypes
        As many clusters in a municipality, or as many as there are different profiles.
    seed
        Of k-means: it ends in another place from another start.

    Examples
    --------
    >>> rows = np.array([[0.2, 0, 0, 0, 0, 0], [0, 1, 0, 0, 0, 0], [1, 1, 1, 1, 1, 1.0]])
    >>> label_profiles(np.zeros(3, np.int64), rows).labels.tolist()
    [4, 2, 0]
    """
    tell = progress or silent
    labels = np.full(len(values), PASSING, np.int8)
    rest = np.flatnonzero(~passing_by(values))
    order = rest[np.argsort(place[rest], kind="stable")]
    places, starts = np.unique(place[order], return_index=True)
    groups = np.split(order, starts[1:]) if places.size else []
    centres, named, people = [], [], []
    for done, rows in enumerate(groups):
        tell("clustering", done, len(groups))
        centre, member = _clustered(values[rows], prototypes, seed)
        label = nearest(centre)
        labels[rows] = label[member]
        centres.append(centre)
        named.append(label)
        people.append(np.bincount(member, minlength=len(centre)))
    tell("clustering", len(groups), len(groups))
    where = np.repeat(places, [len(centre) for centre in centres]) if groups else np.empty(0, np.int64)
    return Labelled(
        labels,
        where,
        np.concatenate([np.empty((0, values.shape[1])), *centres]),
        np.concatenate([np.empty(0, np.int8), *named]),
        np.concatenate([np.empty(0, np.int64), *people]),
    )


def _clustered(values: Floats, prototypes: int, seed: int) -> tuple[Floats, Ints]:
    """Return centres, and the centre of each row. Equal profiles are one point that weighs more."""
    distinct, which, weight = np.unique(values, axis=0, return_inverse=True, return_counts=True)
    which = which.reshape(-1)
    if len(distinct) <= prototypes:
        return distinct, which
    from sklearn.cluster import KMeans
    from threadpoolctl import threadpool_limits

    # One thread: sums in another order would be other sums.
    with threadpool_limits(1):
        found = KMeans(prototypes, n_init=1, max_iter=_ITERATIONS, random_state=seed).fit(
            distinct, sample_weight=weight
        )
    return found.cluster_centers_, found.labels_[which].astype(np.int64)
