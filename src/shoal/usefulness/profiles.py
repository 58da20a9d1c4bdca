"""How far the profiles of a release lie from the true ones."""

from dataclasses import dataclass
from typing import Any

import numpy as np
import polars as pl

from shoal.attacks.released import Released
from shoal.contract.kinds import PROFILES
from shoal.data import Profiles, ReadOptions, read_as
from shoal.usefulness.compared import Compared, SecretDirectory, not_the_original
from shoal.usefulness.figures import Floats, Ints, spread
from shoal.usefulness.measures import Figures, measure

SIMILAR = 0.95
"""From this similarity on a profile counts as kept."""


@dataclass(frozen=True, slots=True, eq=False)
class ComparedProfiles(Compared):
    """A release of profiles beside its original.

    Attributes
    ----------
    profiles
        Profiles in the original.
    cells
        Names of the published cells: all those of the original, or of its first weeks.
    published, true
        Values of each published profile, and of the same person in the same municipality; a column per cell.
    town
        The municipality of each, as a number.
    owner
        The person of each, as a number.
    """

    profiles: int
    cells: tuple[str, ...]
    published: Floats
    true: Floats
    town: Ints
    owner: Ints


def compare(
    released: Released, secret: SecretDirectory, original: Any, options: ReadOptions | None
) -> ComparedProfiles:
    """Join the published profiles with the mapping and the original's."""
    profiles = original if isinstance(original, Profiles) else read_as(Profiles, original, options=options)[0]
    cells = tuple(released.rows.columns[len(PROFILES.columns) :])
    if len(cells) > profiles.values.shape[1]:
        raise not_the_original("a release of more weeks than the original has", "profiles over as many weeks")
    whose = pl.DataFrame(
        {
            "original_uid": pl.Series(profiles.people).cast(pl.String),
            "municipality": pl.Series(profiles.municipalities).cast(pl.String),
        }
    )
    row = secret.owners(released.rows["uid"], whose)
    # In the order of people, not of tokens: sums of fractions must not depend on what was drawn.
    order = np.argsort(row, kind="stable")
    row = row[order]
    published = whose[row]
    return ComparedProfiles(
        people=len(profiles.ids),
        people_published=published["original_uid"].n_unique(),
        profiles=len(profiles),
        cells=cells,
        published=released.rows.select(cells).to_numpy()[order],
        true=profiles.values[row, : len(cells)],
        town=_numbered(published["municipality"]),
        owner=_numbered(published["original_uid"]),
    )


def _numbered(names: pl.Series) -> Ints:
    return names.rank("dense").cast(pl.Int64).to_numpy() - 1


@measure(PROFILES)
def profiles(compared: ComparedProfiles) -> Figures:
    """Count the profiles, a person having one for each municipality."""
    published = compared.published.shape[0]
    return {"profiles_published": published, "profiles_suppressed": compared.profiles - published}


@measure(PROFILES)
def differences(compared: ComparedProfiles) -> Figures:
    """Compare each published profile with the true one.

    The mean absolute difference of a value, over all cells and for each; the information loss, which is the mean over
    profiles of the squared Euclidean distance, and what it would be if every municipality had one profile for all; the
    similarity 1 / (1 + distance), and the share of profiles where that is above 0.95.
    """
    off = compared.published - compared.true
    squared = np.square(off).sum(axis=1)
    similarity = 1 / (1 + np.sqrt(squared))
    per_cell = np.abs(off).mean(axis=0) if off.size else np.zeros(len(compared.cells))
    return {
        "mean_absolute_difference": float(per_cell.mean()),
        "information_loss": float(squared.mean()) if squared.size else 0.0,
        "information_loss_bound": _one_for_all(compared.true, compared.town),
        "similarity": spread(similarity),
        "similar_share": float((similarity > SIMILAR).mean()) if similarity.size else 0.0,
        "mean_absolute_difference_per_cell": dict(zip(compared.cells, per_cell.tolist(), strict=True)),
    }


def _one_for_all(true: Floats, town: Ints) -> float:
    """The information loss if all profiles of a municipality were their mean: no grouping of it loses more."""
    if not true.shape[0]:
        return 0.0
    sizes = np.bincount(town)
    means = np.column_stack([np.bincount(town, column) / sizes for column in true.T])
    return float(np.square(true - means[town]).sum(axis=1).mean())
