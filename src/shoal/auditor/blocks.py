"""A column that comes in many small pieces: put together early, in blocks.

What was freed of small pieces stays with the process, for more of them. Of a column of everybody that would be as much
again as the column itself. A block is so large that the system takes it back.
"""

from collections.abc import Callable
from typing import Generic, TypeVar

Piece = TypeVar("Piece")

ROWS = 1 << 22
"""Rows in a block, at least."""


class Blocks(Generic[Piece]):
    """Pieces of a column.

    Parameters
    ----------
    join
        Makes one piece of several, and empties their list.

    Examples
    --------
    >>> import numpy as np
    >>> from shoal.data.layout import joined
    >>> blocks = Blocks(joined)
    >>> blocks.add(np.array([1, 2]), 2), blocks.add(np.array([3]), 1), blocks.whole()
    (None, None, array([1, 2, 3]))
    """

    def __init__(self, join: Callable[[list[Piece]], Piece]) -> None:
        self._join, self._blocks, self._pieces, self._rows = join, list[Piece](), list[Piece](), 0

    def add(self, piece: Piece, rows: int) -> None:
        """Take the next piece, of so many rows."""
        self._pieces.append(piece)
        self._rows += rows
        if self._rows >= ROWS:
            self._blocks.append(self._join(self._pieces))
            self._rows = 0

    def whole(self) -> Piece:
        """Return all pieces as one, and let go of them."""
        self._blocks += self._pieces
        self._pieces.clear()
        return self._join(self._blocks)
