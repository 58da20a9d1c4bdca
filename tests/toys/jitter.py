"""A toy that publishes points: each trace split by day, every point moved a little. It promises nothing."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from shoal.contract.claims import Nothing
from shoal.contract.kinds import POINTS, Kind
from shoal.data import Fixes, Points
from shoal.mechanisms.base import Mechanism, Run
from shoal.mechanisms.options import real
from shoal.release import Protected

DAY_US = 86_400_000_000


@dataclass(frozen=True)
class Jitter(Mechanism):
    """Move every point by up to so many degrees; each day of a person has a uid of its own."""

    name: ClassVar[str] = "jitter"
    summary: ClassVar[str] = "Move every point a little, and split traces by day."
    example: ClassVar[str] = "--degrees 0.01"
    takes: ClassVar[type[Fixes]] = Fixes
    gives: ClassVar[Kind] = POINTS

    degrees: float = real(help="Farthest move, degrees.", low=0, high=1, above_low=True)

    @property
    def claim(self) -> Nothing:
        return Nothing()

    def _protect(self, people: Fixes, run: Run) -> Protected:
        rng = np.random.default_rng(run.seed)
        day = people.t_us // DAY_US
        first = np.ones(people.t_us.size, np.bool_)
        first[1:] = (people.owner[1:] != people.owner[:-1]) | (day[1:] != day[:-1])
        starts = np.flatnonzero(first)
        east, north = rng.uniform(-self.degrees, self.degrees, (2, people.t_us.size))
        points = Points(
            people.people,
            people.owner[starts],
            np.concatenate((starts, [people.t_us.size])),
            people.t_us,
            people.lat + north,
            people.lng + east,
        )
        return Protected(payload=points)
