"""Traces as the walk needs them: degrees with their length in metres, and time as metres at the mean speed."""

from dataclasses import dataclass

import numpy as np

from shoal.data.ellipsoid import metres_per_degree
from shoal.data.layout import Floats, Ints64, rows_of


@dataclass(frozen=True, slots=True, eq=False)
class Tracks:
    """Traces of people, or of parts of them.

    Attributes
    ----------
    offsets
        Where each begins.
    columns
        (x, y, sx, sy, z) as in `shoal.kernels.w4m`.
    speed
        Metres per second: the mean over traces of path length by duration.
    """

    offsets: Ints64
    columns: tuple[Floats, ...]
    speed: float

    def __len__(self) -> int:
        return self.offsets.size - 1

    def some(self, chosen: Ints64) -> "Tracks":
        """Some traces, in this order; the speed stays that of all."""
        offsets, rows = rows_of(self.offsets, chosen)
        return Tracks(offsets, tuple(column[rows] for column in self.columns), self.speed)

    def middles(self) -> tuple[Floats, Floats, Floats]:
        """Mean place and time of each, all in metres (of the first point's degrees)."""
        x, y, sx, sy, z = self.columns
        starts, lengths = self.offsets[:-1], np.diff(self.offsets)
        east, north, later = (np.add.reduceat(values, starts) / lengths for values in (x, y, z))
        return east * float(np.median(sx)), north * float(np.median(sy)), later


def tracks_of(offsets: Ints64, t_us: Ints64, lat: Floats, lng: Floats) -> Tracks:
    """Prepare traces; none of them empty.

    Longitudes are counted from the middle of the data, so that the antimeridian lies where nobody is.

    Parameters
    ----------
    offsets
        Where each begins.
    t_us, lat, lng
        Points in order of time, as in :class:`shoal.data.Fixes`.
    """
    x = (lng - np.median(lng) + 180.0) % 360.0 - 180.0
    east, north = metres_per_degree(lat)
    seconds = (t_us - t_us.min()) / 1e6
    speed = mean_speed(offsets, seconds, x, lat, east, north)
    return Tracks(offsets, (x, lat.copy(), east, north, speed * seconds), speed)


def mean_speed(offsets: Ints64, seconds: Floats, x: Floats, y: Floats, east: Floats, north: Floats) -> float:
    """Unweighted mean over traces of path length by duration; those of no duration are left out of it.

    Parameters
    ----------
    offsets
        Where each trace begins.
    seconds, x, y, east, north
        Of each point: when, where, and how many metres a unit of x and of y is there.
    """
    step = np.hypot(np.diff(x) * east[:-1], np.diff(y) * north[:-1])
    step = np.concatenate((step, [0.0]))
    step[offsets[1:] - 1] = 0.0  # from the end of one trace to the next there is no step
    lengths = np.add.reduceat(step, offsets[:-1])
    lasting = seconds[offsets[1:] - 1] - seconds[offsets[:-1]]
    moving = lasting > 0
    return float(np.mean(lengths[moving] / lasting[moving])) if moving.any() else 0.0
