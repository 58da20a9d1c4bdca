"""Whole numbers of millions of rows in 16 bits, where they are multiples of something: half of what 32 bits take.

Edges of boxes and corners of cells lie on a grid. What grid that is follows from the numbers alone, whatever is said
of it, and every number comes back as it was. Where they lie on none, or on one that is too fine, they stay as they are.
"""

import math
from typing import Any, cast

import numpy as np
from numpy.lib.mixins import NDArrayOperatorsMixin
from numpy.typing import NDArray

from shoal.attacks.narrow import Ints
from shoal.attacks.parts import slices

_MOST, _FARTHEST = (1 << 16) - 1, (1 << 31) - 1


class Multiples(NDArrayOperatorsMixin):
    """A column of numbers ``first + unit * kept``; for its readers an array of 32 bits that cannot be written to.

    Rows that are asked for come as an array. Whoever computes with the whole column has the whole array made.

    >>> column = Multiples(np.array([0, 3], np.uint16), 1_000, 100)
    >>> column[1], column[:], column + 1, column.max()
    (np.int32(1300), array([1000, 1300], dtype=int32), array([1001, 1301], dtype=int32), 1300)
    """

    __slots__ = ("_first", "_kept", "_unit")

    dtype = np.dtype(np.int32)

    def __init__(self, kept: NDArray[np.uint16], first: int, unit: int) -> None:
        self._kept, self._first, self._unit = kept, first, unit

    def __len__(self) -> int:
        return self._kept.size

    @property
    def size(self) -> int:
        return self._kept.size

    def min(self) -> int:
        return self._first + self._unit * int(self._kept.min())

    def max(self) -> int:
        return self._first + self._unit * int(self._kept.max())

    def __getitem__(self, rows: Any) -> Any:
        some = self._kept[rows].astype(self.dtype)
        some *= self._unit
        some += self._first
        return some

    def only(self, rows: Any) -> "Multiples":
        """Return a column of these rows alone, which takes as little."""
        return Multiples(self._kept[rows], self._first, self._unit)

    def tolist(self) -> list[int]:
        return cast("list[int]", self[:].tolist())

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> NDArray[Any]:
        """Return the whole array: what numpy asks for."""
        return np.asarray(self[:], dtype)

    def __array_ufunc__(self, ufunc: np.ufunc, method: str, *inputs: Any, **options: Any) -> Any:
        """Compute with the whole array: what numpy asks for."""
        whole = (given[:] if isinstance(given, Multiples) else given for given in inputs)
        return getattr(ufunc, method)(*whole, **options)


def compact(values: Ints) -> Ints:
    """Return a column in 16 bits if it can be, otherwise as it is. The type says what its readers take, an array.

    >>> compact(np.array([300, -100, 700], np.int32)).only([2, 1]).tolist()
    [700, -100]
    >>> compact(np.array([0, 7, 1 << 20], np.int32)).dtype, type(compact(np.array([], np.int32))).__name__
    (dtype('int32'), 'ndarray')
    """
    if not values.size or values.dtype != np.int32:
        return values
    low, high = int(values.min()), int(values.max())
    unit = _unit(values, low)
    # A unit of more than 31 bits would be no number for arrays of 32.
    if (high - low) // unit > _MOST or high - low > _FARTHEST:
        return values
    kept = np.empty(values.size, np.uint16)
    for rows in slices(values.size):
        kept[rows] = (values[rows].astype(np.int64) - low) // unit
    return multiples(kept, low, unit)


def multiples(kept: NDArray[np.uint16], first: int, unit: int) -> Ints:
    """Return the column ``first + unit * kept``, which fits into 32 bits; the type is that of :func:`compact`."""
    return cast("Ints", Multiples(kept, first, unit))


def _unit(values: Ints, low: int) -> int:
    """The greatest common divisor of all distances from the least value; 1 where there are none."""
    unit = 0
    for rows in slices(values.size):
        away = values[rows].astype(np.int64) - low
        # Nearly always what the first part has in common all of them have.
        rest = away % unit if unit else away
        if rest.any():
            unit = math.gcd(unit, int(np.gcd.reduce(rest)))
    return unit or 1


def only(column: Any, rows: Any) -> Any:
    """Return these rows of a column, which take no more than before."""
    return column.only(rows) if isinstance(column, Multiples) else column[rows]
