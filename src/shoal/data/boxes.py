"""Generalized samples: boxes of space and time, per person or per group of people."""

from dataclasses import dataclass

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from shoal.data.frames import FrameOut
from shoal.data.grid import Grid
from shoal.data.layout import Ints32, Ints64, check_layout, rows_of
from shoal.data.projection import Projection
from shoal.errors import counted


@dataclass(frozen=True, eq=False, repr=False)
class Boxes(FrameOut):
    """Sequences of boxes, and which sequence each person has.

    Members of a group have one sequence, stored once: ``sequence_of[i]`` is the sequence of person ``i``, and its
    boxes are ``t[offsets[s]:offsets[s + 1]]`` and so on, sorted by time.

    Attributes
    ----------
    people
        Original identifiers, one per published person.
    sequence_of
        Index of each person's sequence.
    t, dt, x, dx, y, dy
        Grid units (int32): the box ``[x, x + dx) × [y, y + dy) × [t, t + dt)``.
    """

    people: pa.StringArray
    sequence_of: Ints32
    offsets: Ints64
    t: Ints32
    dt: Ints32
    x: Ints32
    dx: Ints32
    y: Ints32
    dy: Ints32
    crs: Projection
    grid: Grid

    def __post_init__(self) -> None:
        check_layout(self, dict.fromkeys(("t", "dt", "x", "dx", "y", "dy"), np.int32))
        assert self.sequence_of.size == len(self.people)
        self.sequence_of.flags.writeable = False

    def __len__(self) -> int:
        """Count the people."""
        return len(self.people)

    def __repr__(self) -> str:
        people = counted(len(self), "person", "people")
        sequences = counted(self.offsets.size - 1, "sequence", "sequences")
        return f"Boxes({people}, {sequences}, {counted(self.t.size, 'box', 'boxes')})"

    def rows_of(self, people: Ints64) -> tuple[Ints64, Ints64]:
        """Return, for these people in this order, how many boxes each has and the index of every box."""
        offsets, rows = rows_of(self.offsets, self.sequence_of[people])
        return np.diff(offsets), rows

    def columns(self, rows: NDArray[np.int64]) -> dict[str, pa.Array]:
        """Return what is published of these boxes: times in UTC, bounds in metres, the centre in degrees."""
        cell, step = self.grid.cell_m, self.grid.dt_s * 1_000_000
        utc = pa.timestamp("us", "UTC")
        t = self.t[rows].astype(np.int64)
        x, y = self.x[rows], self.y[rows]
        dx, dy = self.dx[rows], self.dy[rows]
        lat, lng = self.crs.inverse((x + dx / 2) * cell, (y + dy / 2) * cell)
        return {
            "t_start": pa.array(t * step, utc),
            "t_end": pa.array((t + self.dt[rows]) * step, utc),
            "x_min": pa.array(x * np.int32(cell)),
            "x_max": pa.array((x + dx) * np.int32(cell)),
            "y_min": pa.array(y * np.int32(cell)),
            "y_max": pa.array((y + dy) * np.int32(cell)),
            "lat": pa.array(np.round(lat, 6)),
            "lng": pa.array(np.round(lng, 6)),
        }

    def to_arrow(self) -> pa.Table:
        """One row per person and box."""
        lengths, rows = self.rows_of(np.arange(len(self)))
        owner = np.repeat(np.arange(len(self)), lengths)
        return pa.table({"uid": self.people.take(pa.array(owner)), **self.columns(rows)})
