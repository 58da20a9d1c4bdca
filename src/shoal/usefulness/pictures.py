"""What pages draw of a release beside its original: people counted in bins with public edges, tiles of a map, hours.

Exact counts, for the publisher; :mod:`shoal.contract.page` says what of them strangers may be told.
"""

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from shoal.contract.kinds import BOXES, POINTS, PROFILES, Kind
from shoal.contract.page import EDGES, MOST_TILES, SPACE_M, TILES_M
from shoal.usefulness.boxes import ComparedBoxes
from shoal.usefulness.figures import Floats, Ints, errors_of, spans_of
from shoal.usefulness.hours import HOURS
from shoal.usefulness.points import ComparedPoints, spatial_errors
from shoal.usefulness.profiles import ComparedProfiles
from shoal.usefulness.views import Viewed
from shoal.workers import workers

Pictures = dict[str, Any]

_ACROSS = 40
"""So many tiles at most lie between the outer hundredths of all rows, in either direction."""

_HOUR_S = 3_600


def pictures_of(kind: Kind, compared: Any) -> Pictures:
    """Count what the page of a release draws; by name, plain values."""
    return _OF[kind.name](compared)


def _boxes(compared: ComparedBoxes) -> Pictures:
    kept = np.flatnonzero(compared.box_of >= 0)
    box = compared.box_of[kept]
    # What is not needed any more goes before the next is made: each column of millions of rows is 100 MB.
    errors = _errors(compared, kept, box)
    view, spans = compared.published_view, spans_of(compared.boxes, compared.traces.grid)
    del spans["span_sum_m"]
    return {
        "people_by": {
            "width_m": people_in_bins(view.owner, spans["span_max_m"], EDGES["width_m"]),
            "duration_s": people_in_bins(view.owner, spans["span_s"], EDGES["duration_s"]),
            **errors,
        },
        "map": tiles_of(view.owner, *view.middles(), spans["span_max_m"]),
        "hours": _hours(compared),
        "day": {name: _day(compared, compared.raw_view.t0[kept], spans[of][box]) for name, of in _SPANS.items()},
    }


def _errors(compared: ComparedBoxes, kept: Ints, box: Ints) -> dict[str, list[int]]:
    of_sample = compared.traces.owner[kept]
    errors = errors_of(compared.traces, kept, compared.boxes, box)
    return {name: people_in_bins(of_sample, values, EDGES[name]) for name, values in errors.items()}


_SPANS = {"width_m": "span_max_m", "duration_s": "span_s"}


def _points(compared: ComparedPoints) -> Pictures:
    published = compared.published
    owner = np.repeat(published.person_of.astype(np.int64), np.diff(published.offsets))
    with workers() as crew:
        metres = spatial_errors(compared, crew).metres
    return {
        "people_by": {"position_error_m": people_in_bins(owner, metres, EDGES["position_error_m"])},
        "map": tiles_of(owner, *compared.published_view.middles(), metres),
        "hours": _hours(compared),
        "day": {"position_error_m": _day(compared, compared.published_view.t0, metres)},
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


def people_in_bins(owner: NDArray[np.integer], values: Floats, edges: tuple[float, ...]) -> list[int]:
    """Count people by the median of their values; an edge belongs to the bin below it.

    >>> people_in_bins(np.array([0, 0, 0, 1]), np.array([1.0, 2.0, 9.0, 50.0]), (2, 10))
    [1, 0, 1]
    """
    medians = pl.DataFrame({"owner": owner, "value": values}).group_by("owner").agg(pl.col("value").median())["value"]
    bins = np.searchsorted(edges, medians.to_numpy(), side="left")
    return [int(n) for n in np.bincount(bins, minlength=len(edges) + 1)]


def tiles_of(owner: NDArray[np.integer], x: Floats, y: Floats, width: Floats) -> Pictures:
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


def _tiles(owner: NDArray[np.integer], x: Floats, y: Floats, width: Floats, side: int) -> pl.DataFrame:
    column, row = (np.floor(values / side).astype(np.int32) for values in (x, y))
    rows = pl.DataFrame({"owner": owner.astype(np.int32), "c": column, "r": row, "width": width})
    return rows.group_by("c", "r").agg(people=pl.col("owner").n_unique(), width=pl.col("width").median())


def _side(x: Floats, y: Floats) -> int:
    """The least side with which the bulk of the rows fills no more tiles than can be looked at."""
    if not x.size:
        return TILES_M[0]
    spans = [float(np.subtract(*np.quantile(values, (0.99, 0.01)))) for values in (x, y)]
    return next((side for side in TILES_M if max(spans) / side <= _ACROSS), TILES_M[-1])


def _day(compared: Viewed, second: Ints, values: Floats) -> dict[str, list[float | None]]:
    """How values are spread in each hour of the day: nights are hard to hide, as few people are seen then."""
    return through_the_day((second + compared.clock_s) // _HOUR_S % HOURS, values)


def through_the_day(hour: Ints, values: Floats) -> dict[str, list[float | None]]:
    """Return the quartiles of the values of each hour; None where there are none.

    >>> through_the_day(np.array([1, 1, 1]), np.array([1.0, 2.0, 9.0]))["median"][:3]
    [None, 2.0, None]
    """
    rows = pl.DataFrame({"hour": hour.astype(np.int8), "value": values})
    found = rows.group_by("hour").agg(
        pl.col("value").quantile(share, "linear").alias(name) for name, share in _QUARTILES.items()
    )
    known = {row.pop("hour"): row for row in found.iter_rows(named=True)}
    return {name: [round(known[h][name], 1) if h in known else None for h in range(HOURS)] for name in _QUARTILES}


_QUARTILES = {"q25": 0.25, "median": 0.5, "q75": 0.75}


def _hours(compared: Viewed) -> dict[str, list[float]]:
    """The share of records in each hour of the day, by the sun's clock in the middle of the map."""
    return {"raw": _shares(compared.raw_hours.expected), "published": _shares(compared.published_hours.expected)}


def _shares(counts: Floats) -> list[float]:
    return [round(float(v), 5) for v in counts / max(float(counts.sum()), 1.0)]
