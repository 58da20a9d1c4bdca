"""What is recorded and what is published, in one form: rows with a place on the map and a time, uid after uid.

Boxes have an extent, points have none. So every measure of places and times is written once.
"""

from abc import abstractmethod
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from shoal.data import Fixes, Points, Projection, Traces
from shoal.usefulness.compared import Compared
from shoal.usefulness.figures import Cells, Floats, Ints

if TYPE_CHECKING:
    from shoal.usefulness.hours import Profile
    from shoal.usefulness.tiles import Tiles

Metres = NDArray[np.integer]

_SECOND_US = 1_000_000
_HOUR_S = 3_600


class View(NamedTuple):
    """Rows of each uid, in order of time.

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


class Viewed(Compared):
    """A release of places and times beside its original, in the form that measures of either kind share."""

    @property
    @abstractmethod
    def raw_view(self) -> View:
        """What was recorded, person after person."""

    @property
    @abstractmethod
    def published_view(self) -> View:
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


def view_of_traces(traces: Traces) -> View:
    cell, step = traces.grid.cell_m, traces.grid.dt_s
    return _view_in_cells(traces.offsets, traces.t, 1, traces.x, 1, traces.y, 1, cell, step)


def view_of_boxes(offsets: Ints, boxes: Cells, cell_m: int, dt_s: int) -> View:
    return _view_in_cells(offsets, *boxes, cell_m, dt_s)


def _view_in_cells(
    offsets: Ints,
    t: NDArray[np.integer],
    dt: NDArray[np.integer] | int,
    x: NDArray[np.integer],
    dx: NDArray[np.integer] | int,
    y: NDArray[np.integer],
    dy: NDArray[np.integer] | int,
    cell_m: int,
    dt_s: int,
) -> View:
    def metres(cells: NDArray[np.integer]) -> NDArray[np.int32]:
        return (cells * cell_m).astype(np.int32)

    seconds = t.astype(np.int64) * dt_s
    until = (t.astype(np.int64) + dt) * dt_s
    return View(offsets, seconds, until, metres(x), metres(x + dx), metres(y), metres(y + dy))


def view_of_points(points: Fixes | Points, crs: Projection) -> View:
    """Put points on a map, to the metre."""
    x, y = crs.cells(points.lat, (points.lng + 180) % 360 - 180, 1)
    seconds = points.t_us // _SECOND_US
    return View(points.offsets, seconds, seconds, x, x, y, y)
