"""How much a release of points has left of the original's records."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from shoal.attacks.released import Released
from shoal.contract.kinds import POINTS
from shoal.data import Fixes, Points, ReadOptions, read_as
from shoal.usefulness.compared import Compared, SecretDirectory, names_of
from shoal.usefulness.figures import Ints, spread
from shoal.usefulness.measures import Figures, measure


@dataclass(frozen=True, slots=True, eq=False)
class ComparedPoints(Compared):
    """A release of points beside its original.

    Attributes
    ----------
    original
        The raw points.
    published
        Those of the release, with their true owners, who are counted as in ``original``.
    """

    original: Fixes
    published: Points

    @property
    def published_per_person(self) -> Ints:
        """Published points of everybody in the original."""
        rows = np.diff(self.published.offsets)
        return np.bincount(self.published.person_of, weights=rows, minlength=self.people).astype(np.int64)


def compare(released: Released, secret: SecretDirectory, original: Any, options: ReadOptions | None) -> ComparedPoints:
    """Join the published parts with the mapping and the original's people."""
    fixes = original if isinstance(original, Fixes) else read_as(Fixes, original, options=options)[0]
    uids, offsets = released.by_uid()
    owner = secret.owners(uids, names_of(fixes.people))
    t_us = released.rows["datetime"].to_physical().to_numpy()
    lat, lng = (released.rows[name].to_numpy() for name in ("lat", "lng"))
    published = Points(fixes.people, owner, offsets, t_us, lat, lng)
    return ComparedPoints(len(fixes), int(np.unique(owner).size), fixes, published)


@measure(POINTS)
def samples(compared: ComparedPoints) -> Figures:
    """Count what became fewer and what became more, person by person: moving points is neither.

    The shares are of all raw records; ``compression`` is published over raw records.
    """
    raw, published = compared.original.lengths, compared.published_per_person
    whole = max(compared.original.points, 1)
    deleted, created = (int(np.maximum(more, 0).sum()) for more in (raw - published, published - raw))
    return {
        "samples_deleted_share": deleted / whole,
        "samples_created": created,
        "samples_created_share": created / whole,
        "compression": int(published.sum()) / whole,
    }


@measure(POINTS)
def parts(compared: ComparedPoints) -> Figures:
    """Count the uids of each published person."""
    of_everybody = np.bincount(compared.published.person_of, minlength=compared.people)
    return {"parts_per_person": spread(of_everybody[of_everybody > 0].astype(np.float64))}
