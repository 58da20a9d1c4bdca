"""Columns of many rows made from few values: names of people repeated for each of their rows."""

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

_ROWS = 1 << 20

ARROW_TYPES = {"string": pa.string(), "timestamp[us, UTC]": pa.timestamp("us", "UTC"), "int32": pa.int32()}
"""Arrow's types for some of those that the contract names."""


def gather(values: pa.Array, index: NDArray[np.integer]) -> pa.ChunkedArray:
    """Return ``values[index]`` as strings, in chunks: one Arrow string array cannot hold more than 2 GB."""
    values = values.cast(pa.string())
    starts = range(0, index.size, _ROWS)
    chunks = [values.take(pa.array(index[start : start + _ROWS])) for start in starts]
    return pa.chunked_array(chunks, pa.string())


def utc(micros: NDArray[np.int64]) -> pa.Array:
    """Microseconds since the epoch as times with a zone."""
    return pa.array(micros, pa.timestamp("us", "UTC"))
