"""What ``shoal risk`` can look at: raw data, traces, a release of boxes, points or profiles, profiles."""

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, NamedTuple

import numpy as np
import polars as pl
from numpy.typing import NDArray

from shoal.attacks.crowd import Crowd, Ints, Samples
from shoal.attacks.packing import keys
from shoal.attacks.prudence.records import Records, records_from
from shoal.attacks.released import Released
from shoal.contract.kinds import POINTS, PROFILES
from shoal.data import Grid, Profiles, Projection, ReadOptions, Traces, read_as
from shoal.data.sightings import read_sightings
from shoal.data.values import people_of
from shoal.errors import DataError, ParameterError
from shoal.progress import Progress

_SECOND_US = 1_000_000


class LeftOut(NamedTuple):
    """What of an input is not looked at."""

    ignored_columns: tuple[str, ...] = ()
    dropped: Mapping[str, int] = MappingProxyType({})

    def to_dict(self) -> dict[str, Any]:
        return {"ignored_columns": list(self.ignored_columns), "dropped": dict(self.dropped)}


@dataclass(frozen=True, slots=True, eq=False)
class ProfileRows:
    """Profiles: a row per person and municipality; ``owner`` is an index of ``uids``."""

    uids: pl.Series
    owner: Ints
    municipality: Ints
    values: NDArray[np.float64]


def read_records(
    source: Any, options: ReadOptions, cell_m: int | None, progress: Progress | None = None
) -> tuple[pl.Series, Records, LeftOut]:
    """Read positions; places are exact coordinates, or cells of a grid where ``cell_m`` is given."""
    if isinstance(source, Traces):
        uids = pl.Series("uid", source.people.to_pylist(), dtype=pl.String)
        factor = 1 if cell_m is None else _multiple(cell_m, source.grid.cell_m)
        x, y = (values.astype(np.int64) // factor for values in (source.x, source.y))
        t = source.t.astype(np.int64) * source.grid.dt_s
        return uids, records_from(source.owner, t, _places(x, y), uids.len()), LeftOut()
    if isinstance(source, Released):
        if source.kind is not POINTS:
            raise _other_kind(source, "positions")
        source = source.rows
    found = read_sightings(source, options, progress)
    frame = found.frame
    uids, numbers = people_of(frame["uid"])
    lat, lng = (frame[name].to_numpy() for name in ("lat", "lng"))
    first, second = (
        (np.unique(values, return_inverse=True)[1] for values in (lat, lng))
        if cell_m is None
        else Projection.around(lat, lng).cells(lat, lng, cell_m)
    )
    t = frame["epoch_us"].to_numpy() // _SECOND_US
    records = records_from(numbers.astype(np.int64), t, _places(first, second), uids.len())
    return uids, records, LeftOut(found.ignored_columns, found.dropped)


def read_profile_rows(
    source: Any, options: ReadOptions, progress: Progress | None = None
) -> tuple[ProfileRows, LeftOut]:
    """Read profiles. Those of a release are taken as they are: what noise has made of shares need not be shares."""
    left_out = LeftOut()
    if isinstance(source, Released):
        if source.kind is not PROFILES:
            raise _other_kind(source, "profiles")
        people, places = source.rows["uid"], source.rows["municipality"]
        values = source.rows.drop("uid", "municipality").to_numpy()
    else:
        if not isinstance(source, Profiles):
            source, report = read_as(Profiles, source, options=options, progress=progress)
            left_out = LeftOut(report.ignored_columns, report.dropped)
        people, places, values = pl.Series(source.people), pl.Series(source.municipalities), source.values
    if not people.len():
        raise DataError("no profiles", expected="at least one row", hint="see shoal audit for a release")
    uids, owner = people_of(people)
    return ProfileRows(uids, owner.astype(np.int64), places.rank("dense").to_numpy().astype(np.int64), values), left_out


def somewhere_inside(crowd: Crowd, grid: Grid, rng: np.random.Generator) -> Samples:
    """Draw one cell of each box: what an attacker may have seen of somebody about whom the box is true."""

    def drawn(low: Ints, high: Ints, step: int) -> Ints:
        return np.asarray(low + rng.integers(0, np.maximum((high - low) // step, 1)) * step)

    t = drawn(crowd.t0, crowd.t1, grid.dt_s)
    x, y = drawn(crowd.x0, crowd.x1, grid.cell_m), drawn(crowd.y0, crowd.y1, grid.cell_m)
    return Samples(crowd.offsets, t, x, y, grid.cell_m, grid.dt_s)


def _places(first: NDArray[Any], second: NDArray[Any]) -> Ints:
    """Number places in the order of their coordinates."""
    (key,) = keys((first, second))
    return np.unique(key, return_inverse=True)[1].astype(np.int64)


def _multiple(coarse: int, fine: int) -> int:
    if coarse < fine or coarse % fine:
        raise ParameterError(
            f"a cell of {coarse} m", expected=f"a whole multiple of the grid's {fine} m", hint="read on a finer grid"
        )
    return coarse // fine


def _other_kind(release: Released, wanted: str) -> DataError:
    return DataError(
        f"a release of {release.kind.name}", expected=wanted, hint="choose another `attack`, or give other data"
    )
