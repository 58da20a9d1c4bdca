"""What pages draw of a release beside its original: people counted in bins with public edges, tiles of a map, hours.

Exact counts, for the publisher; :mod:`shoal.contract.page` says what of them strangers may be told.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from shoal.attacks.narrow import narrow
from shoal.contract.kinds import BOXES, POINTS, PROFILES, Kind
from shoal.contract.page import EDGES
from shoal.usefulness.boxes import ComparedBoxes
from shoal.usefulness.chunks import column_of
from shoal.usefulness.figures import ERRORS, SPANS, Floats, Ints
from shoal.usefulness.hours import HOURS
from shoal.usefulness.maps import map_of
from shoal.usefulness.points import ComparedPoints, spatial_errors
from shoal.usefulness.profiles import ComparedProfiles
from shoal.usefulness.views import Viewed
from shoal.workers import workers

Pictures = dict[str, Any]
Values = NDArray[np.integer] | Floats

_HOUR_S = 3_600


def pictures_of(kind: Kind, compared: Any) -> Pictures:
    """Count what the page of a release draws; by name, plain values."""
    return _OF[kind.name](compared)


def _boxes(compared: ComparedBoxes) -> Pictures:
    grid = compared.traces.grid
    # In whole numbers, and one after the other: each column of millions of rows is 100 MB.
    spans = {name: narrow(SPANS[of](compared.boxes, grid).astype(np.int64)) for name, of in _SPANS.items()}
    hours = (_hour(compared, compared.raw_view.at(rows).t0) for rows, _, _ in compared.errors())
    hour = column_of(hours, compared.traces.samples, np.int8)
    return {
        "people_by": {
            **{name: _in_bins(_spans(compared, values), EDGES[name]) for name, values in spans.items()},
            **{name: _in_bins(_errors(compared, name), EDGES[name]) for name in ERRORS},
        },
        "map": map_of(compared.published_view, compared.offsets, spans["width_m"]),
        "hours": _hours(compared),
        "day": {name: through_the_day(hour, _of_samples(compared, values)) for name, values in spans.items()},
    }


def _in_bins(parts: Iterable[tuple[Ints, Values]], edges: tuple[float, ...]) -> list[int]:
    """Count people who come some at a time, each with all of their values."""
    counts = np.zeros(len(edges) + 1, np.int64)
    for owner, values in parts:
        counts += people_in_bins(owner, values, edges)
    return [int(count) for count in counts]


def _spans(compared: ComparedBoxes, values: Ints) -> Iterator[tuple[Ints, Ints]]:
    """Go through the boxes: whose each is, and its value."""
    first = 0
    for _, part in compared.published_view.parts():
        yield part.owner, values[first : first + part.rows]
        first += part.rows


def _errors(compared: ComparedBoxes, name: str) -> Iterator[tuple[Ints, Floats]]:
    """Go through the samples that lie in a box: whose each is, and how far it is off."""
    for rows, _, errors in compared.errors(name):
        yield np.searchsorted(compared.traces.offsets, rows, side="right") - 1, errors[name]


def _of_samples(compared: ComparedBoxes, values: Ints) -> Ints:
    """Return the value of the box of each sample that lies in one."""
    return column_of((values[box] for _, box, _ in compared.errors()), compared.traces.samples, values.dtype.type)


_SPANS = {"width_m": "span_max_m", "duration_s": "span_s"}


def _points(compared: ComparedPoints) -> Pictures:
    published = compared.published
    owner = np.repeat(published.person_of.astype(np.int64), np.diff(published.offsets))
    with workers() as crew:
        metres = spatial_errors(compared, crew).metres
    return {
        "people_by": {"position_error_m": people_in_bins(owner, metres, EDGES["position_error_m"])},
        "map": map_of(compared.published_view, _starts(compared), metres),
        "hours": _hours(compared),
        "day": {"position_error_m": through_the_day(_hour(compared, compared.published_view.t0), metres)},
    }


def _starts(compared: ComparedPoints) -> Ints:
    """Where the published points of each person start, all uids together."""
    return np.concatenate((np.zeros(1, np.int64), np.cumsum(compared.published_per_person)))


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
        quartiles = np.quantile(here, list(_QUARTILES.values()), overwrite_input=True) if here.size else None
        for place, name in enumerate(_QUARTILES):
            found[name].append(None if quartiles is None else round(float(quartiles[place]), 1))
    return found


_QUARTILES = {"q25": 0.25, "median": 0.5, "q75": 0.75}


def _hours(compared: Viewed) -> dict[str, list[float]]:
    """The share of records in each hour of the day, by the sun's clock in the middle of the map."""
    return {"raw": _shares(compared.raw_hours.expected), "published": _shares(compared.published_hours.expected)}


def _shares(counts: Floats) -> list[float]:
    return [round(float(v), 5) for v in counts / max(float(counts.sum()), 1.0)]
