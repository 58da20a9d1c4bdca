"""How much of the raw data one can still rely on: the share of samples that lie near what is published of them.

All samples count, and those that were left out are misses. Of boxes the middle is what is published.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from shoal.attacks.tracks import metres_per_degree, side_by_side
from shoal.contract.kinds import BOXES, POINTS
from shoal.data import Points
from shoal.usefulness.boxes import ComparedBoxes
from shoal.usefulness.figures import Ints
from shoal.usefulness.measures import Figures, measure
from shoal.usefulness.points import ComparedPoints
from shoal.workers import workers

_SECOND_US = 1_000_000


class Need(NamedTuple):
    """How near is near enough."""

    metres: float
    seconds: float

    def __str__(self) -> str:
        """Spell it.

        >>> str(Need(500, 1800)), str(Need(2000, 7200)), str(Need(1500, 90))
        ('500 m, 30 min', '2 km, 2 h', '1.5 km, 90 s')
        """
        space = f"{self.metres / 1000:g} km" if self.metres >= 1000 else f"{self.metres:g} m"
        for unit, seconds in (("d", 86_400), ("h", 3_600), ("min", 60)):
            if self.seconds >= seconds and self.seconds % seconds == 0:
                return f"{space}, {self.seconds / seconds:g} {unit}"
        return f"{space}, {self.seconds:g} s"


LADDER = (Need(200, 600), Need(500, 1_800), Need(2_000, 7_200))
"""A street and some minutes, a neighbourhood and half an hour, a district and two hours."""


def hits(compared: ComparedBoxes | ComparedPoints, need: Need) -> NDArray[np.bool_]:
    """Tell which raw samples lie within the distance and the time of what is published of their person.

    Of boxes: of the middle of the box that the sample is in. Of points: of any point of that person.
    """
    if isinstance(compared, ComparedBoxes):
        found = np.zeros(compared.traces.samples, np.bool_)
        for rows, _, errors in compared.errors("position_error_m", "time_error_s"):
            found[rows] = (errors["position_error_m"] <= need.metres) & (errors["time_error_s"] <= need.seconds)
        return found
    return _near_points(compared, need)


def _near_points(compared: ComparedPoints, need: Need) -> NDArray[np.bool_]:
    from shoal.kernels.compared.near import near

    raw, published = compared.traces, _by_person(compared.published, compared.people)
    east, north = metres_per_degree(raw.lat)
    found = np.zeros(raw.t_us.size, np.bool_)
    offsets = compared.original.offsets

    def look(lo: int, hi: int) -> None:
        near(
            *(offsets, lo, hi, raw.t_us, raw.lat, raw.lng, east, north),
            *(published.offsets, published.t_us, published.lat, published.lng),
            *(float(need.metres), int(need.seconds * _SECOND_US), found),
        )

    with workers() as crew:
        side_by_side(crew, offsets, look)
    return found


class _Rows(NamedTuple):
    """Published points of each person, in order of time."""

    offsets: Ints
    t_us: Ints
    lat: NDArray[np.float64]
    lng: NDArray[np.float64]


def _by_person(published: Points, people: int) -> _Rows:
    """Join the parts of everybody."""
    owner = np.repeat(published.person_of.astype(np.int64), np.diff(published.offsets))
    t_us = published.t_us
    offsets = np.concatenate((np.zeros(1, np.int64), np.cumsum(np.bincount(owner, minlength=people))))
    in_order = bool(((owner[1:] > owner[:-1]) | ((owner[1:] == owner[:-1]) & (t_us[1:] >= t_us[:-1]))).all())
    order = slice(None) if in_order else np.lexsort((t_us, owner))
    return _Rows(offsets, t_us[order], published.lat[order], published.lng[order])


@measure(BOXES, POINTS)
def within(compared: ComparedBoxes | ComparedPoints) -> Figures:
    """Tell which share of all raw samples lies within some distances and times of what is published."""
    return {"within": {str(need): float(hits(compared, need).mean()) for need in LADDER} if compared.people else {}}
