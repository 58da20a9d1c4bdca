"""Uniform generalization: the same coarse grid for everybody.

The baseline that fails (anonymizability §4.2, GLOVE §5.2): even at 20 km and 8 h about two people in three stay
unique. It promises nothing, and its manifest says so.
"""

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from shoal.data import Boxes, Grid, Traces
from shoal.errors import ParameterError
from shoal.mechanisms.base import Local, Mechanism
from shoal.progress import Progress
from shoal.release import Promise, Release, release_of_boxes

LARGEST_CELL_M = 10_000_000
"""From the pole to the equator: beyond it there is one cell, and int32 metres overflow."""

LONGEST_MINUTES = 10 * 365 * 24 * 60
"""Ten years."""


@dataclass(frozen=True)
class Uniform(Mechanism):
    """Snap every sample down to cells of ``cell_m`` metres and ``minutes`` minutes.

    >>> import polars as pl
    >>> events = pl.DataFrame({"uid": ["a"], "datetime": ["2020-01-01T00:42:00Z"], "lat": [6.1], "lng": [-5.2]})
    >>> Uniform(cell_m=1000, minutes=60).protect(events).data["t_start"][0].as_py().isoformat()
    '2020-01-01T00:00:00+00:00'
    """

    name: ClassVar[str] = "uniform"
    cell_m: int
    minutes: int

    def __post_init__(self) -> None:
        for option, value, largest in (
            ("--cell-m", self.cell_m, LARGEST_CELL_M),
            ("--minutes", self.minutes, LONGEST_MINUTES),
        ):
            if not isinstance(value, int) or isinstance(value, bool) or not 1 <= value <= largest:
                raise ParameterError(
                    f"{option} {value}",
                    expected=f"a whole number from 1 to {largest:,}",
                    hint="for example 1000 and 60",
                )

    @property
    def promise(self) -> Promise:
        return Promise(
            name="none",
            holds="Nothing is promised. Places and times are coarser than they were, the same for everybody.",
            attacker="None is considered. Most people stay unique at any useful resolution.",
            unit="person",
            not_covered=(
                "anyone who knows a few places and times of a person, at this resolution, can single them out",
                "home and work stand out as the most frequent cells",
                "two releases of the same people can be joined",
            ),
        )

    def _protect(
        self, traces: Traces, screened: Any, *, engine: Local, progress: Progress, seed: int | None
    ) -> Release:
        del engine  # a single pass over the samples: nothing to split
        progress("snapping", 0, 1)
        base = traces.grid
        published = Grid(self.cell_m, self.minutes * 60)
        snapped = traces.snapped(published.cell_m, published.dt_s)
        progress("snapping", 1, 1)

        def extent(cells: int) -> np.ndarray[Any, np.dtype[np.int32]]:
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
        return release_of_boxes(
            boxes,
            mechanism=self.name,
            parameters=self.parameters(),
            promise=self.promise,
            base_grid=base,
            grid=published,
            span_s=traces.span_s,
            suppressed=screened,
            seed=seed,
            run=self.run_facts(traces, screened),
        )
