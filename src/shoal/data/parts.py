"""Which rows of a table came from which file."""

from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate

from shoal.data.words import told
from shoal.errors import DataError


@dataclass(frozen=True, slots=True)
class Parts:
    """The files that a table was put together from, in the order of its rows.

    Attributes
    ----------
    names
        Names of the files; None where such a name is a person's, and must not be told.
    rows
        How many rows each file gave.
    """

    names: Sequence[str] | None
    rows: Sequence[int]

    def where(self, row: int) -> str:
        """Tell where a row of the table stands (rows count from 1).

        >>> Parts(["e.csv"], [9]).where(7), Parts(None, [9]).where(7)
        ('row 7', 'row 7')
        >>> Parts(["a.csv", "b.csv", "c.csv"], [2, 0, 9]).where(7)
        'row 5 of c.csv (file 3 of 3)'
        >>> Parts(None, [2, 9]).where(2)
        'row 2 of file 1 of 2'
        """
        if len(self.rows) == 1:
            return f"row {row:,}"
        ends = list(accumulate(self.rows))
        number = bisect_right(ends, row - 1)
        before = ends[number - 1] if number else 0
        return f"row {row - before:,} of {self.file(number)}"

    def file(self, number: int) -> str:
        """Name a file, by its place in the order (from 0)."""
        place = f"file {number + 1:,} of {len(self.rows):,}"
        return place if self.names is None else f"{told(self.names[number])} ({place})"


FRAME = Parts(None, (0,))
"""What did not come from files: a row is a row."""


def unlike_others() -> DataError:
    return DataError(
        "other columns or types than in the first part",
        expected="the same columns in every part",
        hint="rewrite the parts",
    )
