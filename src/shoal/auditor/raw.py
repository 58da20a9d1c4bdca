"""The original, projected and gridded once more: from degrees, with the manifest's map and grid alone."""

import os
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from shoal.attacks.crowd import Ints, Samples
from shoal.auditor.packing import keys
from shoal.data.points import read_points
from shoal.data.read import ReadOptions
from shoal.data.traces import Traces

Floats = NDArray[np.float64]

_CHUNK = 200_000


@dataclass(frozen=True, slots=True, eq=False)
class Points:
    """The original before any grid.

    Attributes
    ----------
    people
        Distinct identifiers, sorted.
    owner
        The person of each position, in the order of the input.
    in_order
        Whether that order is the input's own: data that come as traces have lost it.
    names
        Everything that must not be found in a release: people, and their uids where those differ.
    """

    people: pl.Series
    owner: Ints
    epoch_s: Ints
    lat: Floats
    lng: Floats
    in_order: bool
    names: pl.Series


def load(source: Any, options: ReadOptions | None) -> Points:
    """Read the original: a path, a frame, or traces (of which the cells' centres are taken)."""
    options = options or ReadOptions()
    if isinstance(source, Traces):
        table = source.to_arrow().select(["datetime", "lat", "lng"])
        micros = table["datetime"].cast("int64").to_numpy()
        people = pl.Series("uid", source.people.to_pylist(), dtype=pl.String)
        lat, lng = (table[name].to_numpy() for name in ("lat", "lng"))
        return Points(people, source.owner, micros // 1_000_000, lat, lng, False, people)
    frame = read_points(source, options)
    uid = frame["uid"]
    people = uid.unique().sort()
    owner = uid.cast(pl.Enum(people)).to_physical().to_numpy().astype(np.int64)
    names = people
    if options.person is not None:
        uids = read_points(source, replace(options, person=None))["uid"].unique()
        names = pl.concat([people, uids]).unique()
    return Points(
        people,
        owner,
        frame["epoch_s"].to_numpy().astype(np.int64),
        frame["lat"].to_numpy(),
        frame["lng"].to_numpy(),
        True,
        names,
    )


def gridded(points: Points, crs: str, cell_m: int, dt_s: int) -> Samples:
    """Project, snap down, and drop duplicates: the samples that the release has to account for."""
    x, y = _cells(points.lat, points.lng, crs, cell_m)
    t = points.epoch_s // dt_s
    (key,) = keys((points.owner, t, x, y))
    order = np.argsort(key, kind="stable") if (key[1:] < key[:-1]).any() else np.arange(key.size)
    key = key[order]
    order = order[np.concatenate(([True], key[1:] != key[:-1]))]
    offsets = np.searchsorted(points.owner[order], np.arange(points.people.len() + 1)).astype(np.int64)
    return Samples(offsets, t[order] * dt_s, x[order] * cell_m, y[order] * cell_m, cell_m, dt_s)


def _cells(lat: Floats, lng: Floats, crs: str, cell_m: int) -> tuple[Ints, Ints]:
    x, y = project(crs, lng, lat)
    return np.floor(x / cell_m).astype(np.int64), np.floor(y / cell_m).astype(np.int64)


def project(crs: str, first: Floats, second: Floats, *, inverse: bool = False) -> tuple[Floats, Floats]:
    """Run PROJ in chunks: from (lng, lat) to metres, or back."""
    from pyproj import Proj

    out = np.empty(first.size), np.empty(first.size)

    def work(part: slice) -> None:
        # One object of PROJ must not be shared between threads.
        out[0][part], out[1][part] = Proj(crs)(first[part], second[part], inverse=inverse)

    with ThreadPoolExecutor(os.cpu_count()) as pool:
        list(pool.map(work, (slice(start, start + _CHUNK) for start in range(0, first.size, _CHUNK))))
    return out


def first_seen(points: Points) -> Ints:
    """Return the position of each person's first row in the input."""
    first = np.full(points.people.len(), points.owner.size, np.int64)
    np.minimum.at(first, points.owner, np.arange(points.owner.size))
    return first
