"""What ``shoal risk`` can look at: raw data, traces, a release of boxes or points, profiles."""

import json
import os
import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType
from typing import Any, NamedTuple

import numpy as np
import polars as pl
from numpy.typing import NDArray

from shoal.attacks.crowd import Crowd, Ints, Samples
from shoal.attacks.packing import keys
from shoal.attacks.prudence.records import Records, records_from
from shoal.data.frames import frame_to_polars
from shoal.data.options import ReadOptions
from shoal.data.points import read_points
from shoal.data.profiles import Profiles
from shoal.data.projection import Projection
from shoal.data.traces import Traces
from shoal.data.values import people_of
from shoal.errors import DataError, ParameterError

_BOX = ("t_start", "t_end", "x_min", "x_max", "y_min", "y_max")
_PROFILE_CELL = re.compile(r"w\d+_(weekday|weekend)_(night|day|evening)")


@dataclass(frozen=True, slots=True, eq=False)
class Boxes:
    """Published boxes by uid, and the grid that samples inside them were snapped to."""

    uids: pl.Series
    crowd: Crowd
    cell_m: int
    dt_s: int


@dataclass(frozen=True, slots=True, eq=False)
class ProfileRows:
    """Profiles: a row per person and municipality; ``owner`` is an index of ``uids``."""

    uids: pl.Series
    owner: Ints
    municipality: Ints
    values: NDArray[np.float64]


class Positions(NamedTuple):
    """Records of people, and what of the input is not among them."""

    uids: pl.Series
    records: Records
    ignored_columns: tuple[str, ...] = ()
    dropped: Mapping[str, int] = MappingProxyType({})


def read_records(source: Any, options: ReadOptions, cell_m: int | None) -> Positions:
    """Read positions; places are exact coordinates, or cells of a grid where ``cell_m`` is given."""
    if isinstance(source, Traces):
        uids = pl.Series("uid", source.people.to_pylist(), dtype=pl.String)
        factor = 1 if cell_m is None else _multiple(cell_m, source.grid.cell_m)
        x, y = (values.astype(np.int64) // factor for values in (source.x, source.y))
        t = source.t.astype(np.int64) * source.grid.dt_s
        return Positions(uids, records_from(source.owner, t, _places(x, y), uids.len()))
    if is_release(source):
        source = Path(source) / "data.parquet"
    found = read_points(source, options)
    frame = found.frame
    uids, numbers = people_of(frame["uid"])
    owner = numbers.astype(np.int64)
    lat, lng = (frame[name].to_numpy() for name in ("lat", "lng"))
    first, second = (
        (np.unique(values, return_inverse=True)[1] for values in (lat, lng))
        if cell_m is None
        else Projection.around(lat, lng).cells(lat, lng, cell_m)
    )
    t = frame["epoch_s"].to_numpy().astype(np.int64)
    records = records_from(owner, t, _places(first, second), uids.len())
    return Positions(uids, records, found.ignored_columns, found.dropped)


def read_boxes(source: Any) -> Boxes | None:
    """Read a release of boxes; None for anything else."""
    if not is_release(source):
        return None
    try:
        frame = pl.read_parquet(Path(source) / "data.parquet")
        manifest = json.loads((Path(source) / "manifest.json").read_bytes())
    except (OSError, ValueError, pl.exceptions.PolarsError):
        raise DataError(
            "a release that cannot be read", expected="data.parquet and manifest.json", hint="see shoal audit"
        ) from None
    if not {"uid", *_BOX} <= set(frame.columns):
        return None
    if not frame.height:
        raise DataError("a release without rows", expected="published boxes", hint="see shoal audit")
    frame = frame.sort("uid", *_BOX)
    uids = frame["uid"].unique().sort()
    owner = frame["uid"].cast(pl.Enum(uids)).to_physical().to_numpy()
    offsets = np.searchsorted(owner, np.arange(uids.len() + 1)).astype(np.int64)
    times = (frame[name].dt.epoch("s").to_numpy() for name in _BOX[:2])
    metres = (frame[name].cast(pl.Int64).to_numpy() for name in _BOX[2:])
    grid = manifest.get("base_grid") or {}
    return Boxes(uids, Crowd(offsets, *times, *metres), int(grid.get("cell_m", 100)), int(grid.get("dt_s", 60)))


def read_profiles(source: Any) -> ProfileRows:
    """Read profiles: ``uid, municipality`` and a column per cell."""
    if isinstance(source, Profiles):
        source = source.to_arrow()
    if is_release(source):
        source = Path(source) / "data.parquet"
    try:
        frame = pl.read_parquet(Path(source)) if isinstance(source, str | os.PathLike) else frame_to_polars(source)
    except (OSError, pl.exceptions.PolarsError):
        raise _no_profiles("a file that is no Parquet table") from None
    cells = [name for name in frame.columns if _PROFILE_CELL.fullmatch(name)]
    if not cells or not {"uid", "municipality"} <= set(frame.columns) or not frame.height:
        raise _no_profiles("no profiles")
    uids = frame["uid"].cast(pl.String).unique().sort()
    owner = frame["uid"].cast(pl.String).cast(pl.Enum(uids)).to_physical().to_numpy().astype(np.int64)
    place = frame["municipality"].rank("dense").to_numpy().astype(np.int64)
    return ProfileRows(uids, owner, place, frame.select(pl.col(cells).cast(pl.Float64)).to_numpy())


def is_release(source: Any) -> bool:
    """Tell a release directory from other inputs."""
    return isinstance(source, str | os.PathLike) and (Path(source) / "manifest.json").is_file()


def somewhere_inside(boxes: Boxes, rng: np.random.Generator) -> Samples:
    """Draw one cell of each box: what an attacker may have seen of somebody about whom the box is true."""

    def drawn(low: Ints, high: Ints, step: int) -> Ints:
        return np.asarray(low + rng.integers(0, np.maximum((high - low) // step, 1)) * step)

    crowd, cell = boxes.crowd, boxes.cell_m
    t = drawn(crowd.t0, crowd.t1, boxes.dt_s)
    x, y = drawn(crowd.x0, crowd.x1, cell), drawn(crowd.y0, crowd.y1, cell)
    return Samples(crowd.offsets, t, x, y, cell, boxes.dt_s)


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


def _no_profiles(found: str) -> DataError:
    return DataError(
        found,
        expected="uid, municipality, and columns such as w1_weekday_night",
        hint="call profiles only; for other data choose another --attack",
    )
