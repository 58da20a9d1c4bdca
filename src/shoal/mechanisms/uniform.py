"""Uniform generalization: the same coarse grid for everybody.

The baseline that fails (anonymizability §4.2, GLOVE §5.2): even at 20 km and 8 h about two people in three stay
unique. It promises nothing, and its manifest says so.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from shoal.contract.claims import Nothing
from shoal.contract.kinds import BOXES, Kind
from shoal.data import Boxes, Grid, Traces
from shoal.mechanisms.alone import Alone, Some, Tally
from shoal.mechanisms.base import Run
from shoal.mechanisms.options import LARGEST_CELL_M, LONGEST_MINUTES, whole
from shoal.release import Findings


@dataclass(frozen=True)
class Uniform(Alone):
    """Snap every sample down to cells of ``cell_m`` metres and ``minutes`` minutes.

    >>> import polars as pl
    >>> events = pl.DataFrame({"uid": ["a"], "datetime": ["2020-01-01T00:42:00Z"], "lat": [6.1], "lng": [-5.2]})
    >>> Uniform(cell_m=1000, minutes=60).protect(events).data["t_start"][0].as_py().isoformat()
    '2020-01-01T00:00:00+00:00'
    """

    name: ClassVar[str] = "uniform"
    summary: ClassVar[str] = "Snap everything to one coarser grid. Promises nothing: the baseline."
    example: ClassVar[str] = "--cell-m 1000 --minutes 60"
    takes: ClassVar[type[Traces]] = Traces
    gives: ClassVar[Kind] = BOXES
    suits: ClassVar[tuple[str, ...]] = ("events", "calls", "dense")
    typical: ClassVar[tuple[Mapping[str, Any], ...]] = (
        {"cell_m": 10_000, "minutes": 240},
        {"cell_m": 2_000, "minutes": 60},
        {"cell_m": 500, "minutes": 15},
    )

    cell_m: int = whole(help="Side of a cell, metres.", low=1, high=LARGEST_CELL_M, hint="for example 1000")
    minutes: int = whole(help="Length of a time step.", low=1, high=LONGEST_MINUTES, hint="for example 60")

    @property
    def claim(self) -> Nothing:
        return Nothing()

    def _protect_some(self, people: Traces, run: Run) -> Some:
        run.progress("snapping", 0, 1)
        base = people.grid
        published = Grid(self.cell_m, self.minutes * 60)
        snapped = people.snapped(published.cell_m, published.dt_s)
        run.progress("snapping", 1, 1)

        def extent(cells: int) -> NDArray[np.int32]:
            return np.full(snapped.samples, cells, np.int32)

        boxes = Boxes(
            people=snapped.people,
            sequence_of=np.arange(len(snapped), dtype=np.int32),
            offsets=snapped.offsets,
            t=snapped.t,
            dt=extent(published.dt_s // base.dt_s),
            x=snapped.x,
            dx=extent(published.cell_m // base.cell_m),
            y=snapped.y,
            dy=extent(published.cell_m // base.cell_m),
            crs=snapped.crs,
            grid=base,
        )
        return Some(boxes)

    def _account(self, tally: Tally) -> Findings:  # noqa: ARG002  # nothing is counted
        return Findings(grid=Grid(self.cell_m, self.minutes * 60))
