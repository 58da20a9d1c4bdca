"""What is in a data set, before anything else is done with it: counts and distributions, no row and no extreme."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from datetime import UTC, datetime
from typing import Any

import numpy as np
from numpy.typing import NDArray

from shoal.data.grid import Grid
from shoal.data.options import ReadOptions
from shoal.data.read import ReadReport, read_with_report
from shoal.data.traces import Traces
from shoal.engines.chosen import engine_for
from shoal.errors import DataError, ParameterError, counted
from shoal.measurement.nature import nature_of
from shoal.measurement.tally import TOO_FAST_M_PER_S, Counted, Tally
from shoal.progress import Progress
from shoal.shown import table

QUANTILES = (5, 25, 50, 75, 95)
"""Percent. No minimum and no maximum: those are one person's value."""

FAR_M = 1_000_000
"""A sample farther than this from the median position is called an outlier."""


@dataclass(frozen=True, slots=True)
class Spread:
    """Mean and quantiles of something over all people."""

    mean: float
    quantiles: tuple[float, ...]

    @classmethod
    def of(cls, values: NDArray[np.floating] | NDArray[np.integer]) -> "Spread":
        if not values.size:
            return cls(float("nan"), (float("nan"),) * len(QUANTILES))
        values = np.sort(values)  # in the last digits a mean depends on the order
        return cls(float(values.mean()), tuple(float(v) for v in np.percentile(values, QUANTILES)))

    @classmethod
    def of_counted(cls, counted: Counted, unit: float) -> "Spread":
        """Of numbers that are known by how often each occurs, in another unit."""
        return cls(counted.mean * unit, tuple(value * unit for value in counted.percentiles(QUANTILES)))

    def to_dict(self) -> dict[str, float | None]:
        """Return the mean and each quantile by name; JSON has no NaN, so there is null for no values at all."""
        named = {"mean": self.mean} | {f"q{q}": v for q, v in zip(QUANTILES, self.quantiles, strict=True)}
        return {name: None if np.isnan(value) else value for name, value in named.items()}


@dataclass(frozen=True, slots=True, repr=False)
class Overview:
    """What is in a data set: the result of :func:`overview`, and of ``shoal inspect``.

    Attributes
    ----------
    rows, records, merged, time_zone
        As in :class:`shoal.data.ReadReport`; None where it is not known how the data were read.
    nature
        What sort of data these are, as far as it decides what suits them: a name of
        :data:`shoal.measurement.nature.NATURES`.
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
    nature: str
    spreads: Mapping[str, Spread]
    remarks: tuple[str, ...]
    stoppers: tuple[str, ...]

    def __repr__(self) -> str:
        days = f"{self.first_day} to {self.last_day}"
        return f"Overview({self.people:,} people, {self.samples:,} samples, {days}, {len(self.stoppers)} stoppers)"

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
        known = [(name, value) for name, value in counts if value is not None]
        said = [("worth knowing", line) for line in self.remarks]
        said += [("would stop a release", line) for line in self.stoppers]
        tables = [
            table("What is in it", known),
            table("How it is spread", spread, ("", *(f"{q} %" for q in QUANTILES), "mean")),
        ]
        return "".join([*tables, table("What to know", said)] if said else tables)

    def to_dict(self) -> dict[str, object]:
        return asdict(self) | {"spreads": {name: spread.to_dict() for name, spread in self.spreads.items()}}


def overview(
    data: Any,
    report: ReadReport | None = None,
    *,
    grid: Grid | None = None,
    options: ReadOptions | None = None,
    engine: Any = None,
    progress: Progress | None = None,
) -> Overview:
    """Look at a data set before anything else is done with it.

    Parameters
    ----------
    data
        :class:`Traces`, or anything that :func:`shoal.read` takes. That is read here, and rows that break a rule are
        counted, as ``shoal inspect`` does.
    report
        What :func:`shoal.read_with_report` told about the traces; without it, what did not become a sample is not
        known.
    grid, options
        How to read data that are not read yet, as in :func:`shoal.read`.
    engine
        Where to count, as in :meth:`shoal.Mechanism.protect`: on Spark, data that it reads itself are counted there.
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
    tally, report = _counted(data, report, grid, options, engine, progress)
    start, end = tally.span_s
    hours = max(end - start, 1) / 3600
    far, alone = tally.far_samples(FAR_M), int((tally.samples == 1).sum())
    return Overview(
        people=tally.samples.size,
        rows=report.rows if report else None,
        records=report.records if report else None,
        samples=int(tally.samples.sum()),
        merged=report.merged if report else None,
        dropped=dict(report.dropped) if report else {},
        first_day=_day(start),
        last_day=_day(end - 1),
        days=round((end - start) / 86_400, 2),
        time_zone=report.time_zone if report else None,
        ignored_columns=report.ignored_columns if report else (),
        centre_degrees=(tally.crs.lat_0, tally.crs.lon_0),
        places=tally.visited.values.size,
        far_samples=far,
        fast_moves=tally.fast_moves,
        people_with_one_sample=alone,
        nature=nature_of(tally).name,
        spreads={
            "samples per person": Spread.of(tally.samples),
            "samples per person and hour": Spread.of(tally.samples / hours),
            "gap between samples (min)": Spread.of_counted(tally.gaps, tally.grid.dt_s / 60),
            "radius of gyration (km)": Spread.of(tally.gyration_m / 1000),
            "distinct places per person": Spread.of(tally.places),
        },
        remarks=_remarks(tally, report, far, alone),
        stoppers=_stoppers(report) if report else (),
    )


def _counted(
    data: Any,
    report: ReadReport | None,
    grid: Grid | None,
    options: ReadOptions | None,
    engine: Any,
    progress: Progress | None,
) -> tuple[Tally, ReadReport | None]:
    """Count what is there, here or where it is; parameters as in `overview`."""
    if isinstance(data, Traces):
        if not data.samples:
            raise DataError("traces without samples", expected="at least one person", hint="was everybody screened?")
        return Tally.of(data), report
    if report is not None:
        raise ParameterError(
            f"`report` beside an object of type {type(data).__name__}",
            expected="a report of how traces were read",
            hint="leave it out, or read with read_with_report first",
        )
    # Loaded late: who measures traces would wait for Spark's side of it.
    from shoal.measurement.spread import tally_there

    options = replace(options or ReadOptions(), bad_rows="drop")
    with engine_for(engine) as chosen:
        there = tally_there(data, grid or Grid(), options, chosen, progress)
    if there is not None:
        return there
    traces, report = read_with_report(data, grid, options, progress=progress)
    return Tally.of(traces), report


def _remarks(tally: Tally, report: ReadReport | None, far: int, alone: int) -> tuple[str, ...]:
    grid, fast = tally.grid, tally.fast_moves
    remarks = ["only one person: nobody to hide among"] if tally.samples.size == 1 else []
    if report and report.merged:
        remarks.append(
            f"{counted(report.merged, 'point', 'points')} ({report.merged / report.points:.1%}) "
            f"{'falls' if report.merged == 1 else 'fall'} on a sample of the same person "
            f"in the same {grid.cell_m} m and {grid.dt_s} s; a sample counts once"
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
