"""What is in a data set, before anything else is done with it: counts and distributions, no row and no extreme."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from typing import Any

import numpy as np
from numpy.typing import NDArray

from shoal.data.read import ReadReport, read_with_report
from shoal.data.traces import Traces
from shoal.errors import DataError, ParameterError, counted
from shoal.progress import Progress
from shoal.shown import table

QUANTILES = (5, 25, 50, 75, 95)
"""Percent. No minimum and no maximum: those are one person's value."""

FAR_M = 1_000_000
"""A sample farther than this from the median position is called an outlier."""

TOO_FAST_M_PER_S = 300
"""About the speed of an airliner: a move faster than this is an error of the data."""


@dataclass(frozen=True, slots=True)
class Spread:
    """Mean and quantiles of something over all people."""

    mean: float
    quantiles: tuple[float, ...]

    @classmethod
    def of(cls, values: NDArray[np.floating] | NDArray[np.integer]) -> "Spread":
        if not values.size:
            return cls(float("nan"), (float("nan"),) * len(QUANTILES))
        return cls(float(values.mean()), tuple(float(v) for v in np.percentile(values, QUANTILES)))

    def to_dict(self) -> dict[str, float | None]:
        """Return the mean and each quantile by name; JSON has no NaN, so there is null for no values at all."""
        named = {"mean": self.mean} | {f"q{q}": v for q, v in zip(QUANTILES, self.quantiles, strict=True)}
        return {name: None if np.isnan(value) else value for name, value in named.items()}


@dataclass(frozen=True, slots=True)
class Overview:
    """What is in a data set: the result of :func:`overview`, and of ``shoal inspect``.

    Attributes
    ----------
    rows, records, merged, time_zone
        As in :class:`shoal.data.ReadReport`; None where it is not known how the data were read.
    spreads
        Distributions over people (of gaps: over all pairs of successive samples).
    remarks
        What is unusual but does not stop anything.
    stoppers
        What would stop a release.
    """

    people: int
    rows: int | None
    records: int | None
    samples: int
    merged: int | None
    dropped: Mapping[str, int]
    first_day: str
    last_day: str
    days: float
    time_zone: str | None
    ignored_columns: tuple[str, ...]
    centre_degrees: tuple[int, int]
    places: int
    far_samples: int
    fast_moves: int
    people_with_one_sample: int
    spreads: Mapping[str, Spread]
    remarks: tuple[str, ...]
    stoppers: tuple[str, ...]

    def _repr_html_(self) -> str:
        counts = (
            ("people", self.people),
            ("records", self.records),
            ("samples (records on the grid, each once)", self.samples),
            ("distinct places", self.places),
            ("days (UTC)", f"{self.first_day} to {self.last_day}"),
            ("time zone", self.time_zone),
        )
        spread = [(name, *spread.quantiles, spread.mean) for name, spread in self.spreads.items()]
        said = [("worth knowing", line) for line in self.remarks]
        said += [("would stop a release", line) for line in self.stoppers]
        tables = [
            table("What is in it", counts),
            table("How it is spread", spread, ("", *(f"{q} %" for q in QUANTILES), "mean")),
        ]
        return "".join([*tables, table("What to know", said)] if said else tables)

    def to_dict(self) -> dict[str, object]:
        return asdict(self) | {"spreads": {name: spread.to_dict() for name, spread in self.spreads.items()}}


def overview(data: Any, report: ReadReport | None = None, *, progress: Progress | None = None) -> Overview:
    """Look at a data set before anything else is done with it.

    Parameters
    ----------
    data
        :class:`Traces`, or anything that :func:`shoal.read` takes. That is read here, and rows that break a rule are
        counted, as ``shoal inspect`` does.
    report
        What :func:`shoal.read_with_report` told about the traces; without it, what did not become a sample is not
        known.
    progress
        Told how far reading is, where data are read here.

    Examples
    --------
    >>> one = {"uid": ["a"], "datetime": ["2020-01-01T00:00:00Z"], "lat": [6.1], "lng": [-5.2]}
    >>> overview(one).remarks[0]
    'only one person: nobody to hide among'
    >>> from shoal.data import read, read_with_report
    >>> overview(*read_with_report(one)).records, overview(read(one)).records
    (1, None)
    """
    traces, report = _as_read(data, report, progress)
    start, end = traces.span_s
    hours = max(end - start, 1) / 3600
    gaps_s, speeds = _moves(traces)
    place = _places(traces)
    far = int(
        (np.hypot(traces.x - np.median(traces.x), traces.y - np.median(traces.y)) > FAR_M / traces.grid.cell_m).sum()
    )
    fast = int((speeds > TOO_FAST_M_PER_S).sum())
    alone = int((traces.lengths == 1).sum())
    return Overview(
        people=len(traces),
        rows=report.rows if report else None,
        records=report.records if report else None,
        samples=traces.samples,
        merged=report.merged if report else None,
        dropped=dict(report.dropped) if report else {},
        first_day=_day(start),
        last_day=_day(end - 1),
        days=round((end - start) / 86_400, 2),
        time_zone=report.time_zone if report else None,
        ignored_columns=report.ignored_columns if report else (),
        centre_degrees=(traces.crs.lat_0, traces.crs.lon_0),
        places=int(np.unique(place).size),
        far_samples=far,
        fast_moves=fast,
        people_with_one_sample=alone,
        spreads={
            "samples per person": Spread.of(traces.lengths),
            "samples per person and hour": Spread.of(traces.lengths / hours),
            "gap between samples (min)": Spread.of(gaps_s / 60),
            "radius of gyration (km)": Spread.of(radius_of_gyration_m(traces) / 1000),
            "distinct places per person": Spread.of(_distinct_places(traces, place)),
        },
        remarks=_remarks(traces, report, far, fast, alone),
        stoppers=_stoppers(report) if report else (),
    )


def _as_read(data: Any, report: ReadReport | None, progress: Progress | None) -> tuple[Traces, ReadReport | None]:
    if not isinstance(data, Traces):
        if report is not None:
            raise ParameterError(
                f"`report` beside an object of type {type(data).__name__}",
                expected="a report of how traces were read",
                hint="leave it out, or read with read_with_report first",
            )
        return read_with_report(data, bad_rows="drop", progress=progress)
    if not data.samples:
        raise DataError("traces without samples", expected="at least one person", hint="was everybody screened?")
    return data, report


def radius_of_gyration_m(traces: Traces) -> NDArray[np.float64]:
    """Root mean square distance of each person's samples from their mean position, in metres."""
    if not traces.samples:
        return np.zeros(len(traces))
    starts, n = traces.offsets[:-1], traces.lengths
    total = np.zeros(len(traces))
    for values in (traces.x, traces.y):
        # Centred on the data first, so that squares of large coordinates do not eat the digits.
        v = values - np.median(values)
        total += np.add.reduceat(v * v, starts) / n - (np.add.reduceat(v, starts) / n) ** 2
    return np.asarray(np.sqrt(np.maximum(total, 0)) * traces.grid.cell_m)


def _moves(traces: Traces) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """Return the time and the speed between each person's successive samples."""
    same = traces.owner[1:] == traces.owner[:-1]
    seconds = np.diff(traces.t.astype(np.int64))[same] * traces.grid.dt_s
    metres = np.hypot(np.diff(traces.x.astype(float)), np.diff(traces.y.astype(float)))[same] * traces.grid.cell_m
    # Both ends of a move are known to one step only, so that much more time may have passed.
    return seconds, metres / (seconds + traces.grid.dt_s)


def _places(traces: Traces) -> NDArray[np.int64]:
    return (traces.x.astype(np.int64) << 32) + traces.y


def _distinct_places(traces: Traces, place: NDArray[np.int64]) -> NDArray[np.int64]:
    order = np.lexsort((place, traces.owner))
    owner, place = traces.owner[order], place[order]
    fresh = np.ones(place.size, np.bool_)
    fresh[1:] = (owner[1:] != owner[:-1]) | (place[1:] != place[:-1])
    return np.bincount(owner[fresh], minlength=len(traces))


def _remarks(traces: Traces, report: ReadReport | None, far: int, fast: int, alone: int) -> tuple[str, ...]:
    remarks = ["only one person: nobody to hide among"] if len(traces) == 1 else []
    if report and report.merged:
        remarks.append(
            f"{counted(report.merged, 'point', 'points')} ({report.merged / report.points:.1%}) "
            f"{'falls' if report.merged == 1 else 'fall'} on a sample of the same person "
            f"in the same {traces.grid.cell_m} m and {traces.grid.dt_s} s; a sample counts once"
        )
    if report and report.ignored_columns:
        remarks.append(f"columns that will not be used: {', '.join(report.ignored_columns)}")
    if far:
        words = counted(far, "sample lies", "samples lie")
        remarks.append(f"{words} more than {FAR_M // 1000:,} km from the median position")
    if fast:
        words = counted(fast, "move is", "moves are")
        remarks.append(f"{words} faster than {TOO_FAST_M_PER_S} m/s: outliers of position or time")
    if alone:
        words = counted(alone, "person has", "people have")
        remarks.append(f"{words} a single sample; `min_per_day` leaves out the least active")
    return tuple(remarks)


def _stoppers(report: ReadReport) -> tuple[str, ...]:
    return tuple(
        f"{counted(rows, 'row breaks', 'rows break')} the rule on {rule}: mend "
        f"{'it, or drop it' if rows == 1 else 'them, or drop them'} with `bad_rows='drop'`"
        for rule, rows in report.dropped.items()
    )


def _day(second: int) -> str:
    return datetime.fromtimestamp(second, UTC).date().isoformat()
