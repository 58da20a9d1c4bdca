"""Points before any projection or grid, for whoever has to check those steps independently."""

from typing import Any

import polars as pl

from shoal.data import rules
from shoal.data.read import ReadOptions, _call_ends_as_points, _load, _prepare, _rules_for
from shoal.errors import DataError


def read_points(source: Any, options: ReadOptions | None = None) -> pl.DataFrame:
    """Read what :func:`shoal.read` reads, under the same rules, and stop before projecting.

    Returns
    -------
    polars.DataFrame
        ``uid, epoch_s, lat, lng``, a row per position, in the order of the input. With ``person``, uid is the person.

    >>> events = pl.DataFrame({"uid": ["b", "a"], "datetime": ["2020-01-01T00:00:01Z"] * 2, "lat": [6.1] * 2,
    ...     "lng": [-5.2] * 2})
    >>> read_points(events).rows()
    [('b', 1577836801, 6.1, -5.2), ('a', 1577836801, 6.1, -5.2)]
    """
    options = options or ReadOptions()
    kind, frame, _, _ = _load(source, options)
    if not frame.height:
        raise DataError("no rows", expected="at least one record", hint="was the export finished?")
    prepared, _ = _prepare(kind, frame, options)
    breaches = rules.breaches_of(prepared, _rules_for(kind, allow_zero=options.allow_zero))
    if breaches and options.bad_rows == "stop":
        raise min(breaches, key=lambda breach: breach.first_row).error()
    kept = rules.without_breaches(prepared, breaches)
    points = _call_ends_as_points(kept) if kind == "calls" else kept
    return points.select(pl.col("uid").cast(pl.String), "epoch_s", "lat", "lng")
