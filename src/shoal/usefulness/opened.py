"""A release opened by its publisher: whose boxes are whose, on the grid of the original."""

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from shoal.data import Grid, Traces
from shoal.errors import DataError

Ints = NDArray[np.int64]


@dataclass(frozen=True, slots=True, eq=False)
class OpenedBoxes:
    """Boxes of a release with their true owners, sorted by (owner, start).

    Attributes
    ----------
    owner
        Index into the original's people.
    t, dt, x, dx, y, dy
        In cells of the base grid.
    """

    owner: Ints
    t: Ints
    dt: Ints
    x: Ints
    dx: Ints
    y: Ints
    dy: Ints


def read_manifest(release: Path) -> dict[str, Any]:
    """Read what the release says about itself."""
    try:
        manifest: dict[str, Any] = json.loads((release / "manifest.json").read_text(encoding="utf-8"))
    except (OSError, ValueError):
        raise DataError(
            "no readable manifest.json", expected="a release directory", hint="give the directory that --out named"
        ) from None
    return manifest


def base_grid(manifest: dict[str, Any]) -> Grid:
    """Return the grid on which the original has to be read."""
    grid = manifest.get("base_grid") or {}
    return Grid(int(grid.get("cell_m", 100)), int(grid.get("dt_s", 60)))


def open_boxes(release: Path, secret: Path, original: Traces, manifest: dict[str, Any]) -> OpenedBoxes:
    """Join the published boxes with the secret mapping and the original's people."""
    if manifest.get("kind") != "boxes":
        raise DataError(
            "a release without boxes", expected="a release by glove, kte or uniform", hint="see its manifest"
        )
    if manifest.get("crs") != original.crs.proj:
        raise DataError(
            "a release on another map than the original",
            expected="the data that the release was made from, read with the same options",
            hint="give the same file and the same --columns, --tz and --person",
        )
    cell, step = original.grid.cell_m, original.grid.dt_s
    people = pl.DataFrame({"original_uid": pl.Series(original.people.to_pylist(), dtype=pl.String)}).with_row_index(
        "owner"
    )
    mapping = _read(secret / "mapping.parquet").select("original_uid", "uid")
    owners = mapping.join(people, on="original_uid", how="left")
    rows = _read(release / "data.parquet").join(owners.select("uid", "owner"), on="uid", how="left")
    if owners["owner"].null_count() or rows["owner"].null_count():
        raise DataError(
            "people in the release whom the mapping or the original does not know",
            expected="the secret directory and the data of this very release",
            hint="give the --secret and the --original that belong to it",
        )
    rows = rows.select(
        pl.col("owner").cast(pl.Int64),
        (pl.col("t_start").dt.epoch("s") // step).alias("t"),
        ((pl.col("t_end").dt.epoch("s") - pl.col("t_start").dt.epoch("s")) // step).alias("dt"),
        *(
            expression
            for axis in ("x", "y")
            for expression in (
                (pl.col(f"{axis}_min").cast(pl.Int64) // cell).alias(axis),
                ((pl.col(f"{axis}_max").cast(pl.Int64) - pl.col(f"{axis}_min")) // cell).alias(f"d{axis}"),
            )
        ),
    ).sort("owner", "t", "x", "y")
    return OpenedBoxes(*(rows[name].to_numpy() for name in ("owner", "t", "dt", "x", "dx", "y", "dy")))


def covering_box(boxes: OpenedBoxes, original: Traces) -> Ints:
    """Return the index of the box of its own person that covers each sample, or -1.

    Boxes of a person that start at different times do not overlap in time, so the last one that starts before a
    sample is the only candidate; where several start at once (one per place), they are tried in turn.
    """
    owner, t, x, y = original.owner, original.t, original.x, original.y
    low = int(min(boxes.t.min(initial=0), t.min(initial=0)))
    width = int(max((boxes.t + boxes.dt).max(initial=0), t.max(initial=0))) - low + 1
    starts = boxes.owner * width + (boxes.t - low)
    found = np.full(t.size, -1, np.int64)
    at = np.searchsorted(starts, owner * width + (t - low), side="right") - 1
    first = at.copy()
    open_ = np.flatnonzero(at >= 0)
    while open_.size:
        b = at[open_]
        inside = (boxes.owner[b] == owner[open_]) & (t[open_] < boxes.t[b] + boxes.dt[b])
        inside &= (boxes.x[b] <= x[open_]) & (x[open_] < boxes.x[b] + boxes.dx[b])
        inside &= (boxes.y[b] <= y[open_]) & (y[open_] < boxes.y[b] + boxes.dy[b])
        found[open_[inside]] = b[inside]
        open_ = open_[~inside]
        at[open_] -= 1
        open_ = open_[(at[open_] >= 0) & (starts[at[open_]] == starts[first[open_]])]
    return found


def listed_samples(secret: Path, original: Traces) -> NDArray[np.bool_]:
    """Tell which samples the list of what was withheld names one by one; an older release may have no list."""
    path = secret / "suppressed.parquet"
    if not path.exists():
        return np.zeros(original.samples, np.bool_)
    cell, step = original.grid.cell_m, original.grid.dt_s
    people = pl.DataFrame({"original_uid": pl.Series(original.people.to_pylist(), dtype=pl.String)}).with_row_index(
        "owner"
    )
    listed = (
        _read(path)
        .filter(pl.col("t").is_not_null())
        .join(people, on="original_uid")
        .select(
            pl.col("owner").cast(pl.Int64),
            (pl.col("t").dt.epoch("s") // step).cast(pl.Int32).alias("t"),
            (pl.col("x") // cell).cast(pl.Int32).alias("x"),
            (pl.col("y") // cell).cast(pl.Int32).alias("y"),
            pl.lit(value=True).alias("listed"),
        )
    )
    rows = pl.DataFrame({"owner": original.owner, "t": original.t, "x": original.x, "y": original.y})
    joined = rows.join(listed, on=["owner", "t", "x", "y"], how="left", maintain_order="left")
    return joined["listed"].fill_null(value=False).to_numpy()


def _read(path: Path) -> pl.DataFrame:
    try:
        return pl.read_parquet(path)
    except (OSError, pl.exceptions.PolarsError):
        raise DataError(
            f"no readable {path.name}", expected="a release and its secret directory", hint="check both paths"
        ) from None
