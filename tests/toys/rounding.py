"""A toy that publishes profiles: every value rounded. It promises nothing."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from shoal.contract.claims import Nothing
from shoal.contract.kinds import PROFILES, Kind
from shoal.data import Profiles
from shoal.mechanisms.base import Mechanism, Run
from shoal.mechanisms.options import whole
from shoal.release import Protected


@dataclass(frozen=True)
class Rounding(Mechanism):
    """Round every cell to so many steps between 0 and 1."""

    name: ClassVar[str] = "rounding"
    summary: ClassVar[str] = "Round every cell of a profile."
    example: ClassVar[str] = "--steps 2"
    takes: ClassVar[type[Profiles]] = Profiles
    gives: ClassVar[Kind] = PROFILES

    steps: int = whole(help="Steps between 0 and 1.", low=1, high=100, default=2)

    @property
    def claim(self) -> Nothing:
        return Nothing()

    def _protect(self, people: Profiles, run: Run) -> Protected:  # noqa: ARG002
        rounded = np.round(people.values * self.steps) / self.steps
        return Protected(payload=Profiles(people.people, people.municipalities, rounded, people.weeks))
