"""The original, projected and gridded once more: from degrees, with the manifest's map and grid alone."""

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from shoal.attacks.crowd import Ints, Samples
from shoal.attacks.parts import slices
from shoal.auditor.gathered import Gathered, samples_of
from shoal.auditor.middle import Middle
from shoal.data.fixes import Fixes
from shoal.data.frames import table_of
from shoal.data.layout import joined
from shoal.data.options import ReadOptions
from shoal.data.paths import paths_in
from shoal.data.profiles import Profiles
from shoal.data.read import read_as
from shoal.data.stream import Identifiers, SightingStream
from shoal.data.traces import Traces
from shoal.data.values import people_of
from shoal.workers import workers

Floats = NDArray[np.float64]

_CHUNK = 200_000
_SECOND_US = 1_000_000
_HALF_TURN = 180


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
    who = _Who()
    owners, times, lats, lngs = list[NDArray[np.int32]](), list[Ints](), list[Floats](), list[Floats]()
    for frame in SightingStream(source, options):
        owners.append(who.numbers(frame["uid"]))
        times.append(frame["epoch_us"].to_numpy().copy())
        lats.append(frame["lat"].to_numpy().copy())
        lngs.append(frame["lng"].to_numpy().copy())
    ids, first, place = who.known()
    points = Points(place[joined(owners)].astype(np.int64), joined(times), joined(lats), joined(lngs))
    return People(ids, first, _names(ids, source, options), centre_of(points.lat, points.lng)), points


def load_samples(source: Any, options: ReadOptions | None, crs: str, cell_m: int, dt_s: int) -> tuple[People, Samples]:
    """Read the original onto a grid. Positions are let go of batch by batch.

    Parameters
    ----------
    source, options
        As for :func:`load`.
    crs, cell_m, dt_s
        The map and the grid.
    """
    if isinstance(source, Traces | Fixes):
        people, points = load(source, options)
        return people, gridded(points, people.ids.len(), crs, cell_m, dt_s)
    options = options or ReadOptions()
    if paths_in(source) is None:
        # A stream gives its rows once, and they may be needed again.
        source = table_of(source)
    who, gathered, middles = _Who(), Gathered(), (Middle(), Middle())
    for frame in SightingStream(source, options):
        epoch_us, lat, lng = (frame[name].to_numpy() for name in ("epoch_us", "lat", "lng"))
        for middle, values in zip(middles, (lat, lng), strict=True):
            middle.add(values)
        gathered.add((who.numbers(frame["uid"]), *_cells(epoch_us, lat, lng, crs, cell_m, dt_s)))
    ids, first, place = who.known()
    centre = _centre(*middles, source, options)
    samples = samples_of(gathered, place, cell_m, dt_s)
    return People(ids, first, _names(ids, source, options), centre), samples


class _Who:
    """The people of batches, and where the first row of each is."""

    def __init__(self) -> None:
        self._identifiers, self._rows = Identifiers(), 0
        self._first: list[Ints] = []

    def numbers(self, uid: pl.Series) -> NDArray[np.int32]:
        """Number the people of the next rows."""
        before = len(self._identifiers)
        found = self._identifiers.numbers(uid)
        fresh = np.flatnonzero(found >= before)[::-1]
        first = np.empty(len(self._identifiers) - before, np.int64)
        first[found[fresh] - before] = fresh + self._rows
        self._first.append(first)
        self._rows += found.size
        return found

    def known(self) -> tuple[pl.Series, Ints, NDArray[np.int32]]:
        """Return the people, sorted; the first row of each; and for each number the place among them."""
        ids, place = self._identifiers.sorted()
        first = np.empty(place.size, np.int64)
        first[place] = joined(self._first)
        return ids.alias("uid"), first, place


def _names(ids: pl.Series, source: Any, options: ReadOptions) -> pl.Series:
    """Everything that must not be found in a release."""
    if options.person is None:
        return ids
    uids = Identifiers()
    for frame in SightingStream(source, replace(options, person=None)):
        uids.numbers(frame["uid"])
    return _with_uids(ids, uids.sorted()[0])


def _centre(lat: Middle, lng: Middle, source: Any, options: ReadOptions) -> tuple[int, int]:
    if lng.span <= _HALF_TURN:
        return lat.rounded(), (lng.rounded() + _HALF_TURN) % (2 * _HALF_TURN) - _HALF_TURN
    # Around the globe: where its widest gap is cannot be told from counts.
    frames = [frame.select("lat", "lng") for frame in SightingStream(source, options)]
    places = pl.concat(frames)
    return centre_of(places["lat"].to_numpy(), places["lng"].to_numpy())


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
    gathered = Gathered()
    for rows in slices(points.owner.size):
        columns = points.epoch_us[rows], points.lat[rows], points.lng[rows]
        gathered.add((points.owner[rows], *_cells(*columns, crs, cell_m, dt_s)))
    return samples_of(gathered, np.arange(people), cell_m, dt_s)


def _cells(epoch_us: Ints, lat: Floats, lng: Floats, crs: str, cell_m: int, dt_s: int) -> tuple[Ints, Ints, Ints]:
    """Return time step, column and row of the cells that hold some positions."""
    x, y = project(crs, lng, lat)
    for metres in (x, y):
        np.floor(np.divide(metres, cell_m, out=metres), out=metres)
    return epoch_us // (dt_s * _SECOND_US), x.astype(np.int64), y.astype(np.int64)


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
