"""The original, projected and gridded once more: from degrees, with the manifest's map and grid alone."""

import os
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from shoal.attacks.crowd import Ints, Samples
from shoal.attacks.packing import distinct
from shoal.data.options import ReadOptions
from shoal.data.points import read_points
from shoal.data.traces import Traces
from shoal.data.values import people_of

Floats = NDArray[np.float64]

_CHUNK = 200_000


@dataclass(frozen=True, slots=True, eq=False)
class Points:
    """The positions of the original, before any grid: the owner of each (an index of people), time, degrees."""

    owner: Ints
    epoch_s: Ints
    lat: Floats
    lng: Floats


@dataclass(frozen=True, slots=True, eq=False)
class People:
    """Who is in the original.

    Attributes
    ----------
    ids
        Distinct identifiers, sorted.
    first_row
        The position of each person's first row in the input; None for traces, which have lost that order.
    names
        Everything that must not be found in a release: people, and their uids where those differ.
    """

    ids: pl.Series
    first_row: Ints | None
    names: pl.Series


def load(source: Any, options: ReadOptions | None) -> tuple[People, Points]:
    """Read the original: a path, a frame, or traces (of which the cells' centres are taken)."""
    options = options or ReadOptions()
    if isinstance(source, Traces):
        table = source.to_arrow().select(["datetime", "lat", "lng"])
        micros = table["datetime"].cast("int64").to_numpy()
        ids = pl.Series("uid", source.people.to_pylist(), dtype=pl.String)
        lat, lng = (table[name].to_numpy() for name in ("lat", "lng"))
        return People(ids, None, ids), Points(source.owner, micros // 1_000_000, lat, lng)
    frame = read_points(source, options).frame
    ids, numbers = people_of(frame["uid"])
    names, owner, frame = ids, numbers.astype(np.int64), frame.drop("uid")
    first = np.empty(ids.len(), np.int64)
    first[owner[::-1]] = np.arange(owner.size - 1, -1, -1)
    if options.person is not None:
        uids = read_points(source, replace(options, person=None)).frame["uid"].unique().cast(pl.String)
        names = pl.concat([ids, uids]).unique()
    epoch_s = frame["epoch_s"].to_numpy().astype(np.int64)
    return People(ids, first, names), Points(owner, epoch_s, frame["lat"].to_numpy(), frame["lng"].to_numpy())


def gridded(points: Points, people: int, crs: str, cell_m: int, dt_s: int) -> Samples:
    """Project, snap down, and drop duplicates: the samples that the release has to account for."""
    x, y = project(crs, points.lng, points.lat)
    for metres in (x, y):
        np.floor(np.divide(metres, cell_m, out=metres), out=metres)
    rows = (points.owner, points.epoch_s // dt_s, x.astype(np.int64), y.astype(np.int64))
    del x, y
    owner, t, columns, lines, _ = distinct(rows)
    offsets = np.searchsorted(owner, np.arange(people + 1)).astype(np.int64)
    return Samples(offsets, t * dt_s, columns * cell_m, lines * cell_m, cell_m, dt_s)


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
