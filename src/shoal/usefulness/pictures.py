"""What pages draw of a release beside its original: people counted in bins with public edges, tiles of a map, hours.

Exact counts, for the publisher; :mod:`shoal.contract.page` says what of them strangers may be told.
"""

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from shoal.attacks.narrow import narrow
from shoal.contract.kinds import BOXES, POINTS, PROFILES, Kind
from shoal.contract.page import EDGES, MOST_TILES, SPACE_M, TILES_M
from shoal.usefulness.boxes import ComparedBoxes
from shoal.usefulness.figures import ERRORS, SPANS, Floats, Ints
from shoal.usefulness.hours import HOURS
from shoal.usefulness.points import ComparedPoints, spatial_errors
from shoal.usefulness.profiles import ComparedProfiles
from shoal.usefulness.views import Seen, Viewed
from shoal.workers import workers

Pictures = dict[str, Any]
Values = NDArray[np.integer] | Floats

_ACROSS = 40
"""So many tiles at most lie between the outer hundredths of all rows, in either direction."""

_HOUR_S = 3_600


def pictures_of(kind: Kind, compared: Any) -> Pictures:
    """Count what the page of a release draws; by name, plain values."""
    return _OF[kind.name](compared)


def _boxes(compared: ComparedBoxes) -> Pictures:
    grid, offsets = compared.traces.grid, compared.offsets
    # In whole numbers, and one after the other: each column of millions of rows is 100 MB.
    spans = {name: narrow(SPANS[of](compared.boxes, grid).astype(np.int64)) for name, of in _SPANS.items()}
    owner = np.repeat(np.arange(offsets.size - 1, dtype=np.int32), np.diff(offsets))
    return {
        "people_by": {
            **{name: people_in_bins(owner, values, EDGES[name]) for name, values in spans.items()},
            **{name: _errors(compared, name) for name in ERRORS},
        },
        "map": tiles_of(owner, *_middles(compared.published_view), spans["width_m"]),
        "hours": _hours(compared),
        "day": {name: through_the_day(*_by_hour(compared, values)) for name, values in spans.items()},
    }


def _errors(compared: ComparedBoxes, name: str) -> list[int]:
    counts = np.zeros(len(EDGES[name]) + 1, np.int64)
    for rows, _, errors in compared.errors(name):
        owner = np.searchsorted(compared.traces.offsets, rows, side="right") - 1
        counts += people_in_bins(owner, errors[name], EDGES[name])
    return [int(count) for count in counts]


def _by_hour(compared: ComparedBoxes, values: Ints) -> tuple[NDArray[np.int8], Ints]:
    """Return the hour of each sample that lies in a box, and the box's value."""
    hours = np.concatenate(
        [_hour(compared, compared.raw_view.at(rows).t0).astype(np.int8) for rows, _, _ in compared.errors()]
    )
    return hours, values[compared.box_of[compared.box_of >= 0]]


def _middles(view: Seen) -> tuple[Floats, Floats]:
    x, y = zip(*(part.middles() for _, part in view.parts()), strict=True)
    return np.concatenate(x), np.concatenate(y)


_SPANS = {"width_m": "span_max_m", "duration_s": "span_s"}


def _points(compared: ComparedPoints) -> Pictures:
    published = compared.published
    owner = np.repeat(published.person_of.astype(np.int64), np.diff(published.offsets))
    with workers() as crew:
        metres = spatial_errors(compared, crew).metres
    return {
        "people_by": {"position_error_m": people_in_bins(owner, metres, EDGES["position_error_m"])},
        "map": tiles_of(owner, *_middles(compared.published_view), metres),
        "hours": _hours(compared),
        "day": {"position_error_m": through_the_day(_hour(compared, compared.published_view.t0), metres)},
    }


def _profiles(compared: ComparedProfiles) -> Pictures:
    off = np.sqrt(np.square(compared.published - compared.true).sum(axis=1))
    similarity = people_in_bins(compared.owner, 1 / (1 + off), EDGES["similarity"])
    return {"people_by": {"similarity": similarity}, "map": None}


_OF: Mapping[str, Callable[[Any], Pictures]] = {
    BOXES.name: _boxes,
    POINTS.name: _points,
    PROFILES.name: _profiles,
}


def people_in_bins(owner: NDArray[np.integer], values: Values, edges: tuple[float, ...]) -> list[int]:
    """Count people by the median of their values; an edge belongs to the bin below it.

    >>> people_in_bins(np.array([0, 0, 0, 1]), np.array([1.0, 2.0, 9.0, 50.0]), (2, 10))
    [1, 0, 1]
    """
    medians = pl.DataFrame({"owner": owner, "value": values}).group_by("owner").agg(pl.col("value").median())["value"]
    bins = np.searchsorted(edges, medians.to_numpy(), side="left")
    return [int(n) for n in np.bincount(bins, minlength=len(edges) + 1)]


def tiles_of(owner: NDArray[np.integer], x: Floats, y: Floats, width: Values) -> Pictures:
    """Count the people who have rows in each tile of the map, and say in which bin the median width of those rows is.

    Tiles are ``[column, row, people, bin]``, those of most people first.
    """
    side = _side(x, y)
    tiles = _tiles(owner, x, y, width, side)
    # Where a few are all over a country, tiles are wider still: none is left away, as the auditor counts all of them.
    while tiles.height > MOST_TILES and side < TILES_M[-1]:
        side = TILES_M[TILES_M.index(side) + 1]
        tiles = _tiles(owner, x, y, width, side)
    tiles = tiles.sort("people", "c", "r", descending=[True, False, False]).head(MOST_TILES)
    bins = np.searchsorted(SPACE_M, tiles["width"].to_numpy(), side="left")
    columns = (tiles["c"], tiles["r"], tiles["people"], bins)
    return {"side_m": side, "tiles": [[int(v) for v in tile] for tile in zip(*columns, strict=True)]}


def _tiles(owner: NDArray[np.integer], x: Floats, y: Floats, width: Values, side: int) -> pl.DataFrame:
    column, row = (np.floor(values / side).astype(np.int32) for values in (x, y))
    rows = pl.DataFrame({"owner": owner.astype(np.int32, copy=False), "c": column, "r": row, "width": width})
    return rows.group_by("c", "r").agg(people=pl.col("owner").n_unique(), width=pl.col("width").median())


def _side(x: Floats, y: Floats) -> int:
    """The least side with which the bulk of the rows fills no more tiles than can be looked at."""
    if not x.size:
        return TILES_M[0]
    spans = [float(np.subtract(*np.quantile(values, (0.99, 0.01)))) for values in (x, y)]
    return next((side for side in TILES_M if max(spans) / side <= _ACROSS), TILES_M[-1])


def _hour(compared: Viewed, second: Ints) -> Ints:
    """The hour of the day."""
    return np.asarray((second + compared.clock_s) // _HOUR_S % HOURS)


def through_the_day(hour: NDArray[np.integer], values: Values) -> dict[str, list[float | None]]:
    """Return the quartiles of the values of each hour; None where there are none.

    Nights are hard to hide, as few people are seen then.

    >>> through_the_day(np.array([1, 1, 1]), np.array([1.0, 2.0, 9.0]))["median"][:3]
    [None, 2.0, None]
    """
    found: dict[str, list[float | None]] = {name: [] for name in _QUARTILES}
    for number in range(HOURS):  # an hour at a time: all of them side by side would be a copy of everything
        here = values[hour == number]
        for name, share in _QUARTILES.items():
            found[name].append(round(float(np.quantile(here, share)), 1) if here.size else None)
    return found


_QUARTILES = {"q25": 0.25, "median": 0.5, "q75": 0.75}


def _hours(compared: Viewed) -> dict[str, list[float]]:
    """The share of records in each hour of the day, by the sun's clock in the middle of the map."""
    return {"raw": _shares(compared.raw_hours.expected), "published": _shares(compared.published_hours.expected)}


def _shares(counts: Floats) -> list[float]:
    return [round(float(v), 5) for v in counts / max(float(counts.sum()), 1.0)]
