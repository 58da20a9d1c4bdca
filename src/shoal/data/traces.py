"""Samples per person: points on the grid, what most measures and mechanisms start from."""

import itertools
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from shoal.data.chunks import in_chunks, side_by_side
from shoal.data.grid import Grid
from shoal.data.layout import Integers, Ints32, Ints64, PerPerson, Span, packed
from shoal.data.projection import Projection
from shoal.errors import ParameterError, counted

_CHUNK = 1 << 16


@dataclass(frozen=True, eq=False, repr=False)
class Traces(PerPerson):
    """The fingerprints of all people: samples without duplicates, sorted by person, time and place.

    Flat arrays plus offsets, the layout of an Arrow list: the samples of person ``i`` are
    ``t[offsets[i]:offsets[i + 1]]`` and so on.

    Attributes
    ----------
    people
        Original identifiers, sorted, one per person. A table apart: nothing else here names anybody.
    offsets
        Where each person's samples start; one more entry than people.
    t, x, y
        Grid units (int32): cells of ``grid.dt_s`` seconds since the UTC epoch and of ``grid.cell_m`` metres from
        the projection's centre. A sample is the half-open cell that starts there.
    """

    COLUMNS: ClassVar = {"t": np.int32, "x": np.int32, "y": np.int32}

    t: Ints32
    x: Ints32
    y: Ints32
    crs: Projection
    grid: Grid

    def __repr__(self) -> str:
        cell = f"{self.grid.cell_m} m × {self.grid.dt_s} s"
        people, samples = counted(len(self), "person", "people"), counted(self.samples, "sample", "samples")
        return f"Traces({people}, {samples}, {cell})"

    @property
    def samples(self) -> int:
        return int(self.t.size)

    @property
    def records_per_person(self) -> Ints64:
        """Samples of each person."""
        return self.lengths

    @property
    def span_s(self) -> Span:
        """First and last second covered, half open, since the UTC epoch; (0, 0) when there are no samples."""
        if not self.samples:
            return 0, 0
        return int(self.t.min()) * self.grid.dt_s, (int(self.t.max()) + 1) * self.grid.dt_s

    def snapped(self, cell_m: int, dt_s: int) -> "Traces":
        """Snap down to coarser cells with the same origins, and drop the duplicates that this makes.

        The coordinates stay in units of this grid, so that distances keep their meaning.
        """
        in_space = self._multiple("cell of", cell_m, self.grid.cell_m, "m")
        in_time = self._multiple("time step of", dt_s, self.grid.dt_s, "s")
        t, x, y = (
            values // factor * factor for values, factor in ((self.t, in_time), (self.x, in_space), (self.y, in_space))
        )
        return traces_from_samples(self.people, self.owner, t, x, y, self.crs, self.grid)

    @staticmethod
    def _multiple(what: str, coarse: int, fine: int, unit: str) -> np.int32:
        if coarse < fine or coarse % fine:
            raise ParameterError(
                f"a {what} {coarse} {unit}",
                expected=f"a whole multiple of the grid's {fine} {unit}",
                hint="choose a multiple, or read the data on a finer grid with `grid.cell_m` and `grid.dt_s`",
            )
        return np.int32(coarse // fine)

    def to_arrow(self) -> pa.Table:
        """One row per sample: the start of its time cell (UTC), its lower corner in metres, its centre in degrees."""
        cell = self.grid.cell_m
        lat, lng = self.crs.inverse(*((np.float64(0.5) + values) * cell for values in (self.x, self.y)))
        micros = self.t.astype(np.int64) * (self.grid.dt_s * 1_000_000)
        return pa.table(
            {
                "uid": self.people.take(pa.array(self.owner)),
                "datetime": pa.array(micros, pa.timestamp("us", "UTC")),
                "x": pa.array(self.x * np.int32(cell)),
                "y": pa.array(self.y * np.int32(cell)),
                "lat": lat,
                "lng": lng,
            }
        )


def traces_from_samples(
    people: pa.StringArray,
    owner: NDArray[np.integer],
    t: Ints32,
    x: Ints32,
    y: Ints32,
    crs: Projection,
    grid: Grid,
) -> Traces:
    """Sort samples by person, time and place, drop duplicates, and wrap them.

    Parameters
    ----------
    people
        Identifiers, sorted.
    owner
        Each sample's index into ``people``.
    t, x, y, crs, grid
        As in :class:`Traces`, in any order of rows.
    """
    return traces_from_columns(people, [owner, t, x, y], crs, grid)


def traces_from_columns(people: pa.StringArray, columns: list[Any], crs: Projection, grid: Grid) -> Traces:
    """Do the same with columns that nobody else needs: they are let go of as soon as that is possible.

    Parameters
    ----------
    columns
        Owner, t, x and y; the list is emptied.
    people, crs, grid
        As for :func:`traces_from_samples`.
    """
    offsets, t, x, y = _sorted_distinct(len(people), columns)
    return Traces(people, offsets, t, x, y, crs, grid)


def _sorted_distinct(people: int, columns: list[Any]) -> tuple[Ints64, Ints32, Ints32, Ints32]:
    """Sort rows by their columns and drop repeated rows; return where each person's start, and t, x, y.

    The columns nearly always fit into one key: then one plain sort of whole numbers does it, several times faster
    than sorting by columns. Beside the keys only the columns that come of them are held, the keys' bits moving over.
    """
    found = packed(tuple(columns)) if columns[0].size else None
    if found is None:
        owner, *samples = _sorted_distinct_by_columns(tuple(columns))
        t, x, y = (np.ascontiguousarray(values, np.int32) for values in samples)
        return np.searchsorted(owner, np.arange(people + 1)).astype(np.int64), t, x, y
    columns.clear()
    key, (first, *lows), (people_bits, *bits) = found
    del found
    if _descends(key):
        _sort(key)
    key = _distinct(key)
    after_first = np.arange(people + 1) - first
    offsets = np.full(people + 1, key.size)
    has_key = after_first < 1 << people_bits  # beyond, there are no rows, and perhaps no room in a key
    offsets[has_key] = np.searchsorted(key, np.maximum(after_first[has_key], 0) << sum(bits))
    t, x, y = result = tuple(np.empty(key.size, np.int32) for _ in lows)

    def unpack(part: slice) -> None:
        left = key[part]
        for column, low, width in zip(reversed(result), reversed(lows), reversed(bits), strict=True):
            column[part] = (left & ((1 << width) - 1)) + low
            left >>= width

    in_chunks(unpack, key.size, _CHUNK)
    return offsets, t, x, y


def _sort(key: Ints64) -> None:
    """Sort keys in place, by all processors where no chunk reaches into a later one.

    Files are nearly always written by person and time: what is left to sort then lies close together.
    """
    starts = np.arange(0, key.size, _CHUNK)
    highest_before = np.maximum.accumulate(np.maximum.reduceat(key, starts))[:-1]
    lowest_after = np.minimum.accumulate(np.minimum.reduceat(key, starts)[::-1])[-2::-1]
    cuts = [0, *starts[1:][highest_before <= lowest_after].tolist(), key.size]
    side_by_side(lambda part: key[part].sort(), [slice(*ends) for ends in itertools.pairwise(cuts)])


def _descends(key: Ints64) -> bool:
    """Tell whether any key is less than the one before it."""
    edges = range(0, key.size, _CHUNK)
    return any(
        (key[start + 1 : start + _CHUNK + 1] < key[start : start + _CHUNK][: key.size - start - 1]).any()
        for start in edges
    )


def _distinct(key: Ints64) -> Ints64:
    """Return sorted keys once each, in the memory of all of them."""
    kept = 0
    for start in range(0, key.size, _CHUNK):
        part = key[start : start + _CHUNK]
        fresh = np.ones(part.size, np.bool_)
        fresh[1:] = part[1:] != part[:-1]
        fresh[0] = not kept or part[0] != key[kept - 1]
        some = part[fresh]
        key[kept : kept + some.size] = some
        kept += some.size
    return key[:kept]


def _sorted_distinct_by_columns(columns: Integers) -> Integers:
    order = np.lexsort(tuple(reversed(columns)))
    columns = tuple(column[order] for column in columns)
    fresh = np.ones(order.size, np.bool_)
    fresh[1:] = np.any([column[1:] != column[:-1] for column in columns], axis=0)
    return tuple(column[fresh] for column in columns)
