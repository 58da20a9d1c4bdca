"""A toy that publishes boxes: everybody in one box around everything. It keeps k-anonymity, and nothing else."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from shoal.contract.claims import KAnonymity
from shoal.contract.kinds import BOXES, Kind
from shoal.data import Boxes, Traces
from shoal.errors import DataError
from shoal.mechanisms.base import Mechanism, Run
from shoal.mechanisms.options import whole
from shoal.release import Protected


@dataclass(frozen=True)
class OneCrowd(Mechanism):
    """One box around all samples of everybody."""

    name: ClassVar[str] = "onecrowd"
    summary: ClassVar[str] = "Put everybody into one box around everything."
    example: ClassVar[str] = "--k 5"
    takes: ClassVar[type[Traces]] = Traces
    gives: ClassVar[Kind] = BOXES

    k: int = whole(help="Least number of people.", low=2, high=1_000_000)

    @property
    def claim(self) -> KAnonymity:
        return KAnonymity(self.k)

    def _protect(self, people: Traces, run: Run) -> Protected:  # noqa: ARG002
        if len(people) < self.k:
            raise DataError("fewer people than k", expected="at least k people", hint="lower `k`")
        edges = []
        for values in (people.t, people.x, people.y):
            edges += [np.array([values.min()]), np.array([values.max() - values.min() + 1], np.int32)]
        alike = np.zeros(len(people), np.int32)
        boxes = Boxes(people.people, alike, np.array([0, 1]), *edges, crs=people.crs, grid=people.grid)
        return Protected(payload=boxes)
