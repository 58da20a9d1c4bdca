"""What is recorded and what is published, in one form: rows with a place on the map and a time, uid after uid.

Boxes have an extent, points have none. So every measure of places and times is written once. There are millions of
rows: measures take them part by part, and seconds and metres are made of cells for a part at a time.
"""

from abc import abstractmethod
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from shoal.attacks.parts import cuts
from shoal.data import Fixes, Points, Projection, Traces
from shoal.usefulness.compared import Compared
from shoal.usefulness.figures import Cells, Floats, Ints

if TYPE_CHECKING:
    from shoal.usefulness.hours import Profile
    from shoal.usefulness.tiles import Tiles

Metres = NDArray[np.integer]

_SECOND_US = 1_000_000
_HOUR_S = 3_600


class Seen(Protocol):
    """Rows of each uid, in order of time, however they are held."""

    @property
    def offsets(self) -> Ints:
        """Where the rows of each uid start."""

    @property
    def rows(self) -> int:
        """How many there are."""

    @property
    def has_extent(self) -> bool:
        """Whether they are boxes."""

    def at(self, rows: Ints | slice) -> "View":
        """Return some rows, as if they were of one uid."""

    def parts(self) -> "Iterator[tuple[int, View]]":
        """Go through all uids, part by part: the number of the first one, and the part."""


class View(NamedTuple):
    """Rows of each uid, in order of time, in seconds and metres.

    Attributes
    ----------
    offsets
        Where the rows of each uid start.
    t0, t1
        First second, and the one after the last; equal for a point.
    x0, x1, y0, y1
        Metres on the map, half open; equal for a point.
    """

    offsets: Ints
    t0: Ints
    t1: Ints
    x0: Metres
    x1: Metres
    y0: Metres
    y1: Metres

    @property
    def rows(self) -> int:
        return int(self.t0.size)

    @property
    def has_extent(self) -> bool:
        return self.x1 is not self.x0

    @property
    def owner(self) -> Ints:
        """The uid of each row."""
        return np.repeat(np.arange(self.offsets.size - 1), np.diff(self.offsets))

    def at(self, rows: Ints | slice) -> "View":
        t0, x0, y0 = self.t0[rows], self.x0[rows], self.y0[rows]
        ends = (self.t1[rows], self.x1[rows], self.y1[rows]) if self.has_extent else (t0, x0, y0)
        return View(np.array([0, t0.size]), t0, ends[0], x0, ends[1], y0, ends[2])

    def parts(self) -> "Iterator[tuple[int, View]]":
        return _parts(self)

    def middles(self) -> tuple[Floats, Floats]:
        """Return where the middle of each row is."""
        if not self.has_extent:
            return self.x0.astype(np.float64), self.y0.astype(np.float64)
        return (self.x0 + self.x1.astype(np.float64)) / 2, (self.y0 + self.y1.astype(np.float64)) / 2

    def moves(self) -> tuple[Ints, Ints]:
        """Return each row that is followed by another one of its uid, and that one."""
        follows = np.ones(self.rows, np.bool_)
        follows[self.offsets[:-1][np.diff(self.offsets) > 0]] = False
        after = np.flatnonzero(follows)
        return after - 1, after


@dataclass(frozen=True, slots=True, eq=False)
class InCells:
    """Boxes in cells of a grid, as :class:`Cells` has them; a number instead of a column says the same of all."""

    offsets: Ints
    cells: tuple[NDArray[np.integer] | int, ...]
    cell_m: int
    dt_s: int

    @property
    def rows(self) -> int:
        return int(self.offsets[-1])

    @property
    def has_extent(self) -> bool:
        return True

    def at(self, rows: Ints | slice) -> View:
        t, dt, x, dx, y, dy = (
            column if isinstance(column, int) else column[rows].astype(np.int64) for column in self.cells
        )
        seconds = [(edge * self.dt_s) for edge in (t, t + dt)]
        metres = [(edge * self.cell_m).astype(np.int32) for edge in (x, x + dx, y, y + dy)]  # type: ignore[union-attr]
        return View(np.array([0, seconds[0].size]), *seconds, *metres)  # type: ignore[union-attr, arg-type]

    def parts(self) -> Iterator[tuple[int, View]]:
        return _parts(self)


def _parts(seen: Seen) -> Iterator[tuple[int, View]]:
    for low, high in cuts(np.diff(seen.offsets)):
        first, end = int(seen.offsets[low]), int(seen.offsets[high])
        yield low, seen.at(slice(first, end))._replace(offsets=seen.offsets[low : high + 1] - first)


class Viewed(Compared):
    """A release of places and times beside its original, in the form that measures of either kind share."""

    @property
    @abstractmethod
    def raw_view(self) -> Seen:
        """What was recorded, person after person."""

    @property
    @abstractmethod
    def published_view(self) -> Seen:
        """What is published, uid after uid."""

    @property
    @abstractmethod
    def meridian(self) -> float:
        """Longitude of the middle of the map, degrees."""

    @property
    @abstractmethod
    def cell_m(self) -> int:
        """Side of the cells that the raw data lie on, metres; 1 where they are points."""

    @property
    def clock_s(self) -> int:
        """How many seconds the sun's clock in the middle of the map is ahead of UTC."""
        return round(self.meridian / 15) * _HOUR_S

    @cached_property
    def raw_hours(self) -> "Profile":
        """What was recorded, by the hour of the day."""
        from shoal.usefulness.hours import profile

        return profile(self.raw_view, self.clock_s)

    @cached_property
    def published_hours(self) -> "Profile":
        """What is published, by the hour of the day."""
        from shoal.usefulness.hours import profile

        return profile(self.published_view, self.clock_s)

    @cached_property
    def tiles(self) -> "Tiles":
        """The tiles that were visited."""
        from shoal.usefulness.tiles import tiles_of

        return tiles_of(self.raw_view, self.cell_m)


def view_of_traces(traces: Traces) -> InCells:
    cells = (traces.t, 1, traces.x, 1, traces.y, 1)
    return InCells(traces.offsets, cells, traces.grid.cell_m, traces.grid.dt_s)


def view_of_boxes(offsets: Ints, boxes: Cells, cell_m: int, dt_s: int) -> InCells:
    return InCells(offsets, tuple(boxes), cell_m, dt_s)


def view_of_points(points: Fixes | Points, crs: Projection) -> View:
    """Put points on a map, to the metre."""
    x, y = crs.cells(points.lat, (points.lng + 180) % 360 - 180, 1)
    seconds = points.t_us // _SECOND_US
    return View(points.offsets, seconds, seconds, x, x, y, y)
