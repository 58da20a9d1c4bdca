"""Rows to read, and what tests of reading compare."""

from datetime import UTC, datetime

import numpy as np
import polars as pl

from shoal.data import Grid, ReadOptions, read, read_fixes, read_with_report

NOON = datetime(2020, 6, 1, 12, 0, tzinfo=UTC)
TWELVE = int(NOON.timestamp())


def same(a, b):
    """Tell whether two traces hold the same."""
    return (
        a.people.to_pylist() == b.people.to_pylist()
        and a.crs == b.crs
        and a.grid == b.grid
        and all(np.array_equal(getattr(a, name), getattr(b, name)) for name in ("offsets", "t", "x", "y"))
    )


def report_of(source, **options):
    return read_with_report(source, Grid(), ReadOptions(**options))[1]


def one_row(**changes):
    row = {"uid": "a", "datetime": "2020-06-01T12:00:00Z", "lat": 6.1, "lng": -5.2} | changes
    return pl.DataFrame({name: [value] for name, value in row.items()})


def _at(values):
    return pl.DataFrame({"datetime": values}).with_columns(uid=pl.lit("a"), lat=6.1, lng=-5.2)


def seconds_of(values, **options):
    """Read a column of times on a grid of one second."""
    return read(_at(values), grid=Grid(100, 1), **options).t.tolist()


def micros_of(values, **options):
    """Read a column of times as they are."""
    return read_fixes(_at(values), **options).t_us.tolist()
