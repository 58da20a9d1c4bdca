"""The flat layout that all data of people share: columns one person after the other, and where each one starts."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, ClassVar, Self, TypeVar

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from shoal.data.chunks import in_chunks
from shoal.data.frames import FrameOut

Ints32 = NDArray[np.int32]
Ints64 = NDArray[np.int64]
Floats = NDArray[np.float64]
Integers = tuple[NDArray[np.integer], ...]
Number = TypeVar("Number", bound=np.number)

_CHUNK = 1 << 15

Span = tuple[int, int]
"""Time covered, half open, in seconds since the UTC epoch."""

ALWAYS: Span = (-(2**62), 2**62)
"""The time span of data that do not say when they are from: it overlaps with every other."""


def rows_of(offsets: Ints64, chosen: NDArray[np.integer]) -> tuple[Ints64, Ints64]:
    """Find the rows of some people (groups, parts), in this order: their offsets, and the index of every row.

    >>> rows_of(np.array([0, 2, 2, 5]), np.array([2, 0]))
    (array([0, 3, 5]), array([2, 3, 4, 0, 1]))
    >>> rows_of(np.array([0, 2]), np.array([], np.int64))
    (array([0]), array([], dtype=int64))
    """
    starts = offsets[chosen]
    lengths = offsets[chosen + 1] - starts
    ends = np.concatenate((np.zeros(1, np.int64), np.cumsum(lengths)))
    return ends, np.repeat(starts - ends[:-1], lengths) + np.arange(ends[-1])


@dataclass(frozen=True, eq=False, repr=False)
class PerPerson(FrameOut):
    """Rows of many people: those of person ``i`` are ``offsets[i]`` to ``offsets[i + 1]`` of every column.

    This is the layout of an Arrow list. A table apart names the people: nothing else here does.

    Attributes
    ----------
    people
        Original identifiers, sorted, one per person.
    offsets
        Where each person's rows start; one more entry than people.
    COLUMNS
        Names and types of the columns that have a value per row.
    """

    COLUMNS: ClassVar[Mapping[str, type[np.generic]]]

    people: pa.StringArray
    offsets: Ints64

    def __post_init__(self) -> None:
        check_layout(self, self.COLUMNS)

    def __len__(self) -> int:
        """Count the people."""
        return len(self.people)

    @property
    def ids(self) -> pa.StringArray:
        """The distinct people."""
        return self.people

    @property
    def records(self) -> int:
        """Count the rows."""
        return int(self.offsets[-1])

    @property
    def lengths(self) -> Ints64:
        """Rows of each person."""
        return np.diff(self.offsets)

    @property
    def owner(self) -> Ints64:
        """The person's index of each row."""
        return np.repeat(np.arange(len(self)), self.lengths)

    def select(self, keep: NDArray[np.bool_] | Ints64) -> Self:
        """Return the people of a mask or an ascending index, with all their rows."""
        index = np.flatnonzero(keep) if keep.dtype == np.bool_ else keep.astype(np.int64, copy=False)
        offsets, rows = rows_of(self.offsets, index)
        chosen = {name: getattr(self, name)[rows] for name in self.COLUMNS}
        return replace(self, people=self.people.take(pa.array(index)), offsets=offsets, **chosen)


def check_layout(data: Any, columns: Mapping[str, type[np.generic]]) -> None:
    """Hold the flat layout's rules, and freeze the arrays. A breach is our own fault, hence assertions."""
    offsets, people = data.offsets, data.people
    assert offsets.dtype == np.int64
    assert offsets[0] == 0
    assert (np.diff(offsets) >= 0).all()
    for name, kind in columns.items():
        column = getattr(data, name)
        assert column.dtype == kind
        assert column.size == offsets[-1]
        column.flags.writeable = False
    offsets.flags.writeable = False
    assert pa.types.is_string(people.type) or pa.types.is_large_string(people.type)


def packed(columns: Integers) -> tuple[Ints64, list[int], list[int]] | None:
    """Pack columns of whole numbers into one key per row, so that one plain sort of keys does for all of them.

    Returns the key, which grows with the columns, the first one first; what each column is counted from; and how many
    bits it takes. None where they do not fit into 63 bits, which from pole to pole or over centuries may happen.

    >>> packed((np.array([5, 6]), np.array([-1, 2])))
    (array([0, 7]), [5, -1], [1, 2])
    """
    lows = [int(column.min()) for column in columns]
    bits = [(int(column.max()) - low).bit_length() for column, low in zip(columns, lows, strict=True)]
    if sum(bits) > 63:
        return None
    key = np.zeros(columns[0].size, np.int64)

    def pack(part: slice) -> None:
        here = key[part]
        for column, low, width in zip(columns, lows, bits, strict=True):
            here <<= width
            here += column[part]
            here -= low

    in_chunks(pack, key.size, _CHUNK)
    return key, lows, bits


def joined(pieces: list[NDArray[Number]]) -> NDArray[Number]:
    """Put the pieces of a column together, in the widest type that one of them has. They are let go of.

    >>> pieces = [np.array([1], np.int32), np.array([1 << 40])]
    >>> joined(pieces), pieces
    (array([            1, 1099511627776]), [])
    """
    whole: NDArray[Number] = np.concatenate(pieces or [np.empty(0, np.int64)])
    pieces.clear()
    return whole
