"""Points and four-cornered polygons as well-known binary, a whole column at once: no geometry library is needed."""

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from shoal.data.layout import Floats

_LITTLE_ENDIAN, _POINT, _POLYGON = 1, 1, 3

_POINTS = np.dtype([("order", "u1"), ("type", "<u4"), ("place", "<f8", 2)])
_POLYGONS = np.dtype([("order", "u1"), ("type", "<u4"), ("rings", "<u4"), ("corners", "<u4"), ("ring", "<f8", (5, 2))])
"""A ring ends where it began, so it has five corners."""


def points(lng: Floats, lat: Floats) -> pa.BinaryArray:
    """One point per row.

    >>> points(np.array([1.0]), np.array([2.0]))[0].as_py().hex()
    '0101000000000000000000f03f0000000000000040'
    """
    rows = np.empty(lng.size, _POINTS)
    rows["order"], rows["type"] = _LITTLE_ENDIAN, _POINT
    rows["place"][:, 0], rows["place"][:, 1] = lng, lat
    return _column(rows)


def quadrangles(lng: Floats, lat: Floats) -> pa.BinaryArray:
    """One polygon per row, of four corners each: two arrays of four columns, corners counterclockwise.

    >>> len(quadrangles(np.array([[0.0, 1, 1, 0]]), np.array([[0.0, 0, 1, 1]]))[0].as_py())
    93
    """
    rows = np.empty(lng.shape[0], _POLYGONS)
    rows["order"], rows["type"], rows["rings"], rows["corners"] = _LITTLE_ENDIAN, _POLYGON, 1, 5
    for axis, values in enumerate((lng, lat)):
        rows["ring"][:, :4, axis] = values
        rows["ring"][:, 4, axis] = values[:, 0]
    return _column(rows)


def _column(rows: NDArray[np.void]) -> pa.BinaryArray:
    """Values of equal length, one after the other. Not more than 2 GB: that is what offsets can tell."""
    offsets = np.arange(rows.size + 1, dtype=np.int64) * rows.dtype.itemsize
    assert offsets[-1] < 2**31
    buffers = [None, pa.py_buffer(offsets.astype(np.int32)), pa.py_buffer(rows.tobytes())]
    return pa.Array.from_buffers(pa.binary(), rows.size, buffers)
