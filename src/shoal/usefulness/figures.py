"""Spans and errors of boxes: what every figure about accuracy is made of."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from shoal.attacks.crowd import Crowd
from shoal.data import Grid, Traces

Floats = NDArray[np.float64]
Integers = NDArray[np.integer]
Ints = NDArray[np.int64]
Rows = Ints | slice


class Cells(NamedTuple):
    """Boxes in cells of a grid, half open: ``[t, t + dt) × [x, x + dx) × [y, y + dy)``."""

    t: Ints
    dt: Ints
    x: Ints
    dx: Ints
    y: Ints
    dy: Ints


def in_cells(crowd: Crowd, grid: Grid) -> Cells:
    """Count published boxes in cells of the grid that they are made on."""
    cell, step = grid.cell_m, grid.dt_s
    t0, t1, x0, x1, y0, y1 = crowd.columns
    return Cells(t0 // step, (t1 - t0) // step, x0 // cell, (x1 - x0) // cell, y0 // cell, (y1 - y0) // cell)


def spans_of(boxes: Cells, grid: Grid) -> dict[str, Floats]:
    """Of each box the larger side and the sum of both sides in metres, and the duration in seconds."""
    return {name: span(boxes, grid) for name, span in SPANS.items()}


def span_max_m(boxes: Cells, grid: Grid) -> Floats:
    """The larger side of each box."""
    return np.maximum(boxes.dx, boxes.dy) * float(grid.cell_m)


def span_sum_m(boxes: Cells, grid: Grid) -> Floats:
    """Both sides of each box."""
    return np.asarray((boxes.dx + boxes.dy) * float(grid.cell_m), np.float64)


def span_s(boxes: Cells, grid: Grid) -> Floats:
    """The duration of each box."""
    return np.asarray(boxes.dt * float(grid.dt_s), np.float64)


SPANS = {"span_max_m": span_max_m, "span_sum_m": span_sum_m, "span_s": span_s}


def errors_of(traces: Traces, rows: Rows, boxes: Cells, box: Ints) -> dict[str, Floats]:
    """Of each of these samples: how far the middle of its cell lies from the middle of its box, in place and time."""
    return {name: error(traces, rows, boxes, box) for name, error in ERRORS.items()}


def position_error_m(traces: Traces, rows: Rows, boxes: Cells, box: Ints) -> Floats:
    """Of each of these samples: how far the middle of its cell lies from the middle of its box."""
    east = _off(traces.x[rows], boxes.x[box], boxes.dx[box])
    north = _off(traces.y[rows], boxes.y[box], boxes.dy[box])
    return np.asarray(traces.grid.cell_m * np.hypot(east, north))


def time_error_s(traces: Traces, rows: Rows, boxes: Cells, box: Ints) -> Floats:
    """The same in time."""
    return np.asarray(traces.grid.dt_s * np.abs(_off(traces.t[rows], boxes.t[box], boxes.dt[box])))


ERRORS = {"position_error_m": position_error_m, "time_error_s": time_error_s}


def _off(start: Integers, low: Integers, span: Integers) -> Floats:
    return np.asarray((start + 0.5) - (low + span / 2))


def spread(values: Floats) -> dict[str, float]:
    """Mean and quartiles; zeros where there is nothing.

    >>> spread(np.array([1.0, 2.0, 6.0]))
    {'mean': 3.0, 'q25': 1.5, 'median': 2.0, 'q75': 4.0}
    """
    return spread_of(values.copy())


def spread_of(values: Floats) -> dict[str, float]:
    """Return the same of values whose order is needed for nothing else: they are put into another one."""
    if not values.size:
        return dict.fromkeys(("mean", "q25", "median", "q75"), 0.0)
    mean = float(values.mean())
    q25, median, q75 = np.percentile(values, (25, 50, 75), overwrite_input=True)
    return {"mean": mean, "q25": float(q25), "median": float(median), "q75": float(q75)}
