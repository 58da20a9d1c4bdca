"""The original, projected and gridded once more: from degrees, with the manifest's map and grid alone."""

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from shoal.attacks.crowd import Ints, Samples
from shoal.attacks.packing import distinct
from shoal.data.fixes import Fixes
from shoal.data.options import ReadOptions
from shoal.data.profiles import Profiles
from shoal.data.read import read_as
from shoal.data.sightings import read_sightings
from shoal.data.traces import Traces
from shoal.data.values import people_of
from shoal.workers import workers

Floats = NDArray[np.float64]

_CHUNK = 200_000
_SECOND_US = 1_000_000


@dataclass(frozen=True, slots=True, eq=False)
class Points:
    """The positions of the original, before any grid: the owner of each (an index of people), time, degrees.

    Attributes
    ----------
    grid
        Metres and seconds, where only cells were left: then the positions are their centres, the times their starts.
    """

    owner: Ints
    epoch_us: Ints
    lat: Floats
    lng: Floats
    grid: tuple[int, int] | None = None


@dataclass(frozen=True, slots=True, eq=False)
class People:
    """Who is in the original.

    Attributes
    ----------
    ids
        Distinct identifiers, sorted.
    first_row
        The position of each person's first row in the input; None for what has lost that order.
    names
        Everything that must not be found in a release: people, and their uids where those differ.
    centre
        The median position in whole degrees; None where there are no positions.
    """

    ids: pl.Series
    first_row: Ints | None
    names: pl.Series
    centre: tuple[int, int] | None = None


def load(source: Any, options: ReadOptions | None) -> tuple[People, Points]:
    """Read the original: a path, a frame, raw points, or traces (of which the cells' centres are taken)."""
    options = options or ReadOptions()
    if isinstance(source, Traces | Fixes):
        return _already_read(source)
    frame = read_sightings(source, options).frame
    ids, numbers = people_of(frame["uid"])
    names, owner, frame = ids, numbers.astype(np.int64), frame.drop("uid")
    first = np.empty(ids.len(), np.int64)
    first[owner[::-1]] = np.arange(owner.size - 1, -1, -1)
    if options.person is not None:
        names = _with_uids(ids, read_sightings(source, replace(options, person=None)).frame["uid"])
    epoch_us = frame["epoch_us"].to_numpy().astype(np.int64)
    lat, lng = (frame[name].to_numpy() for name in ("lat", "lng"))
    return People(ids, first, names, centre_of(lat, lng)), Points(owner, epoch_us, lat, lng)


def load_profiles(source: Any, options: ReadOptions | None) -> tuple[People, Profiles]:
    """Read an original of profiles, or the calls that they are built of; they come sorted, whatever the order was."""
    options = options or ReadOptions()
    profiles, _ = read_as(Profiles, source, options=options)
    ids, _ = people_of(pl.Series(profiles.people))
    if options.person is None:
        return People(ids, None, ids), profiles
    uids = read_as(Profiles, source, options=replace(options, person=None))[0].people
    return People(ids, None, _with_uids(ids, pl.Series(uids))), profiles


def _already_read(source: Traces | Fixes) -> tuple[People, Points]:
    ids = pl.Series("uid", source.people.to_pylist(), dtype=pl.String)
    if isinstance(source, Fixes):
        people = People(ids, None, ids, centre_of(source.lat, source.lng))
        return people, Points(source.owner, source.t_us, source.lat, source.lng)
    table = source.to_arrow().select(["datetime", "lat", "lng"])
    lat, lng = (table[name].to_numpy() for name in ("lat", "lng"))
    # Of traces only the samples are left; the map was centred on the records that they were made of.
    people = People(ids, None, ids, (source.crs.lat_0, source.crs.lon_0))
    grid = source.grid.cell_m, source.grid.dt_s
    return people, Points(source.owner, table["datetime"].cast("int64").to_numpy(), lat, lng, grid)


def _with_uids(ids: pl.Series, uids: pl.Series) -> pl.Series:
    return pl.concat([ids, uids.unique().cast(pl.String)]).unique()


def centre_of(lat: Floats, lng: Floats) -> tuple[int, int]:
    """Return the median position in whole degrees. Longitudes lie on a circle, which is cut in its widest gap.

    >>> centre_of(np.array([1.0, 2.0, 4.0]), np.array([179.0, -179.0, -178.0]))
    (2, -179)
    """
    if lng.max() - lng.min() > 180:
        ordered = np.unique(np.where(lng == 180, -180, lng))
        gaps = np.diff(ordered, append=ordered[0] + 360)
        lng = np.where(lng == 180, -180, lng)
        lng = np.where(lng <= ordered[gaps.argmax()], lng + 360, lng)
    longitude = int((np.rint(np.median(lng)) + 180) % 360 - 180)
    return int(np.rint(np.median(lat))), longitude


def gridded(points: Points, people: int, crs: str, cell_m: int, dt_s: int) -> Samples:
    """Project, snap down, and drop duplicates: the samples that the release has to account for."""
    x, y = project(crs, points.lng, points.lat)
    for metres in (x, y):
        np.floor(np.divide(metres, cell_m, out=metres), out=metres)
    rows = (points.owner, points.epoch_us // (dt_s * _SECOND_US), x.astype(np.int64), y.astype(np.int64))
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

    parts = [slice(start, start + _CHUNK) for start in range(0, first.size, _CHUNK)]
    if len(parts) == 1:
        work(parts[0])
        return out
    with workers() as many:
        list(many.pool.map(work, parts))
    return out
