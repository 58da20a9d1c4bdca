"""Degrees of millions of rows: as published they have six decimals, so that whole millionths say all of them."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from shoal.attacks.crowd import Ints

Floats = NDArray[np.float64]

_MILLION = 1e6
_MOST = 2_000.0
"""Degrees whose millionths fit into 32 bits."""


@dataclass(frozen=True, slots=True, eq=False)
class Degrees:
    """A column of degrees: in millionths where those give back every value bit by bit, otherwise as it is.

    >>> Degrees.of(np.array([6.123456, -5.0]))[np.array([1, 0])], Degrees.of(np.array([6.1234567])).kept.dtype
    (array([-5.      ,  6.123456]), dtype('float64'))
    """

    kept: NDArray[np.int32] | Floats

    @classmethod
    def of(cls, values: Floats) -> "Degrees":
        if not (np.abs(values) <= _MOST).all():
            return cls(values.copy())
        millionths = np.rint(values * _MILLION).astype(np.int32)
        same = (millionths / _MILLION).view(np.int64) == np.ascontiguousarray(values).view(np.int64)
        return cls(millionths if same.all() else values.copy())

    @property
    def marks(self) -> Ints:
        """Whole numbers that are equal where the degrees are, bit by bit, and only there."""
        return self.kept.view(np.int64) if self.kept.dtype == np.float64 else self.kept  # type: ignore[return-value]

    def __getitem__(self, rows: slice | Ints) -> Floats:
        """Return the degrees of some rows."""
        some = self.kept[rows]
        return np.asarray(some if some.dtype == np.float64 else some / _MILLION, np.float64)


def degrees(pieces: list[Degrees]) -> Degrees:
    """Put the pieces of a column together: in millionths if all of them are. They are let go of."""
    exact = all(piece.kept.dtype == np.int32 for piece in pieces)
    whole = Degrees(np.concatenate([piece.kept if exact else piece[:] for piece in pieces]))
    pieces.clear()
    return whole
