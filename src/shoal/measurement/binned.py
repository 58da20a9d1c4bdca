"""What the page of a measure directory draws: shares of people at public steps, never a person."""

from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from shoal.errors import DataError

STEP = 0.02
"""Of k-gaps, which lie between 0 and 1."""

PART = 0.05
"""Of the spatial and the temporal part."""

SHADES = (1, 3, 10, 30, 100, 300)
"""Least numbers of people of the shades of a cell."""


def binned(folder: Path) -> dict[str, Any]:
    """Return for each k the shares of people up to each step, and how many have each spatial and temporal part.

    Values are ``{"steps": […], "shares": {k: […]}, "parts": {k: [[spatial, temporal, people], …]}}``.
    """
    try:
        users = pl.read_parquet(folder / "users.parquet", columns=["k", "kgap", "spatial", "temporal"])
    except (OSError, pl.exceptions.PolarsError):
        raise DataError(
            "no readable users.parquet", expected="the directory that shoal measure wrote", hint="measure again"
        ) from None
    steps = [round(i * STEP, 4) for i in range(round(1 / STEP) + 1)]
    of_k = {str(k[0]): some for k, some in sorted(users.group_by("k"), key=lambda found: found[0])}
    return {
        "steps": steps,
        "shares": {k: shares_up_to(some["kgap"].to_numpy(), steps) for k, some in of_k.items()},
        "parts": {k: _parts(some) for k, some in of_k.items()},
    }


def shares_up_to(values: NDArray[np.float64], steps: list[float]) -> list[float]:
    """Tell which share of the values is at most each step.

    >>> shares_up_to(np.array([0.1, 0.3]), [0.0, 0.1, 0.5])
    [0.0, 0.5, 1.0]
    """
    found = np.searchsorted(np.sort(values), np.asarray(steps) + 1e-12, side="right")
    return [round(float(v), 4) for v in found / max(values.size, 1)]


def _parts(some: pl.DataFrame) -> list[list[float]]:
    cells = some.select((pl.col(name) / PART).floor().cast(pl.Int64) for name in ("spatial", "temporal"))
    counted = cells.group_by("spatial", "temporal").len().sort("spatial", "temporal")
    return [[round(x * PART, 4), round(y * PART, 4), n] for x, y, n in counted.iter_rows()]
