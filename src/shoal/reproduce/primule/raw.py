"""The people that all mechanisms are tried on, and what the Sociometer makes of them as they are."""

from dataclasses import dataclass, replace

import numpy as np
import polars as pl
import pyarrow as pa

from shoal import synth
from shoal.data import Profiles, build_profiles
from shoal.progress import Progress
from shoal.reproduce.primule.plan import SEEDS, WEEKS, Size
from shoal.reproduce.primule.tuscany import largest_municipalities
from shoal.usefulness.figures import Floats, Ints
from shoal.usefulness.sociometer.agreement import ceiling
from shoal.usefulness.sociometer.archetypes import LABELS, Labels
from shoal.usefulness.sociometer.labels import label_profiles

ZONE = "Europe/Rome"


@dataclass(frozen=True, slots=True, eq=False)
class Raw:
    """Profiles with their classes.

    Attributes
    ----------
    place, names
        Municipality of each profile as a number, and the names.
    labels
        By the Sociometer, from several starts; the first is what the paper takes for the truth.
    truth
        True classes; None for data whose truth nobody knows.
    real
        Whether the municipalities are Tuscany's own.
    """

    profiles: Profiles
    place: Ints
    names: list[str]
    labels: list[Labels]
    truth: Labels | None
    real: bool
    seed: int

    @property
    def bound(self) -> float:
        """Information loss when everybody of a municipality has the same profile, its mean."""
        values, count = self.profiles.values, np.bincount(self.place, minlength=len(self.names))
        total = np.zeros((len(self.names), values.shape[1]))
        np.add.at(total, self.place, values)
        mean: Floats = total / np.maximum(count, 1)[:, None]
        return float(np.square(values - mean[self.place]).sum(axis=1).mean())

    @property
    def reseeding(self) -> dict[str, dict[str, float]]:
        """What another start of k-means keeps of each class."""
        return ceiling(self.labels)


def made_raw(size: Size, seed: int, progress: Progress) -> Raw:
    """Make people up, and build their profiles."""
    table = largest_municipalities(size.municipalities)
    preset = replace(
        synth.CALLS_PRESETS["tuscany"],
        people_each=max(size.users // size.municipalities, 1),
        municipalities=size.municipalities,
    )
    data = synth.calls(size.users, WEEKS, preset=preset, municipalities=table, seed=seed, progress=progress)
    profiles, _ = build_profiles(data.events, cells=data.cells, tz=ZONE, progress=progress)
    return raw_of(profiles, seed, progress, truth=data.truth, real=table is not None)


def raw_of(
    profiles: Profiles, seed: int, progress: Progress, *, truth: pa.Table | None = None, real: bool = False
) -> Raw:
    """Look at profiles as they are."""
    places = pl.Series(profiles.municipalities).cast(pl.String)
    names = places.unique().sort()
    place = places.cast(pl.Enum(names)).to_physical().to_numpy().astype(np.int64)
    labels = [label_profiles(place, profiles.values, seed=start, progress=progress).labels for start in range(SEEDS)]
    return Raw(profiles, place, names.to_list(), labels, _true(profiles, truth), real, seed)


def _true(profiles: Profiles, truth: pa.Table | None) -> Labels | None:
    if truth is None:
        return None
    known = pl.DataFrame(pl.from_arrow(truth)).with_columns(pl.col("uid").cast(pl.String))
    rows = pl.DataFrame({"uid": pl.Series(profiles.people), "municipality": pl.Series(profiles.municipalities)})
    labels = rows.join(known, on=["uid", "municipality"], how="left", maintain_order="left")["label"]
    return labels.cast(pl.Enum(LABELS)).to_physical().to_numpy().astype(np.int8)
