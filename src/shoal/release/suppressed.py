"""The list of what was withheld: without it nobody can tell a suppressed sample from a lost one.

A row names one de-duplicated sample, or, where time and place are null, a whole person; in a release of profiles the
profile of a person in a municipality. The list belongs to the secret directory.
"""

from collections.abc import Sequence

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from shoal.contract.files import SUPPRESSED_COLUMNS, SUPPRESSED_PROFILES_COLUMNS
from shoal.contract.reasons import REASONS, ReasonName
from shoal.data.traces import Traces
from shoal.release.columns import ARROW_TYPES, gather, utc

SCHEMA = pa.schema([(column.name, ARROW_TYPES[column.type]) for column in SUPPRESSED_COLUMNS])
SCHEMA_OF_PROFILES = pa.schema([(column.name, ARROW_TYPES[column.type]) for column in SUPPRESSED_PROFILES_COLUMNS])


def none() -> pa.Table:
    """Return the list of a release that withholds nothing.

    >>> none().num_rows
    0
    """
    return SCHEMA.empty_table()


def whole_people(ids: pa.Array | Sequence[str], reason: ReasonName) -> pa.Table:
    """List people of whom nothing is published."""
    ids = _strings(ids)
    blank = {name: pa.nulls(len(ids), SCHEMA.field(name).type) for name in ("t", "x", "y")}
    return _table({"original_uid": ids, **blank}, reason)


def profiles(ids: pa.Array, municipalities: pa.Array, reason: ReasonName) -> pa.Table:
    """List profiles that are not published: a person in a municipality each.

    >>> profiles(pa.array(["a"]), pa.array(["Pisa"]), "small").to_pylist()[0]["municipality"]
    'Pisa'
    """
    return whole_people(ids, reason).append_column(SCHEMA_OF_PROFILES.field("municipality"), _strings(municipalities))


def with_municipality(listed: pa.Table) -> pa.Table:
    """Return a list as a release of profiles has it.

    >>> with_municipality(none()).schema == SCHEMA_OF_PROFILES
    True
    """
    return pa.concat_tables([SCHEMA_OF_PROFILES.empty_table(), listed], promote_options="default")


def samples(traces: Traces, mask: NDArray[np.bool_], reason: ReasonName) -> pa.Table:
    """List the samples under a mask: start of their time cell, lower corner in metres."""
    assert mask.dtype == np.bool_
    assert mask.size == traces.samples
    rows = np.flatnonzero(mask)
    owner = np.searchsorted(traces.offsets, rows, side="right") - 1
    cell = np.int32(traces.grid.cell_m)
    columns = {
        "original_uid": gather(traces.people, owner),
        "t": utc(traces.t[rows].astype(np.int64) * (traces.grid.dt_s * 1_000_000)),
        "x": pa.array(traces.x[rows] * cell),
        "y": pa.array(traces.y[rows] * cell),
    }
    return _table(columns, reason)


def concat(*lists: pa.Table) -> pa.Table:
    """Put lists together."""
    return pa.concat_tables([none(), *lists], promote_options="default")


def _strings(values: pa.Array | pa.ChunkedArray | Sequence[str]) -> pa.Array:
    if isinstance(values, pa.Array | pa.ChunkedArray):
        return values.cast(pa.string())
    return pa.array(values, pa.string())


def _table(columns: dict[str, pa.Array], reason: str) -> pa.Table:
    if reason not in REASONS:
        raise AssertionError(f"unknown reason for suppression; known: {', '.join(REASONS)}")
    count = len(columns["original_uid"])
    return pa.table({**columns, "reason": pa.repeat(pa.scalar(reason), count)}, schema=SCHEMA)
