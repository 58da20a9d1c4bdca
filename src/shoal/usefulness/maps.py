"""The map of a page: how many people have rows in each tile, and how wide what is published there is.

Nothing of all rows is held but the tile of each: places are made of cells again for some people at a time.
"""

from collections.abc import Iterator
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from shoal.attacks.parts import cuts
from shoal.contract.page import MOST_TILES, SPACE_M, TILES_M
from shoal.usefulness.chunks import column_of
from shoal.usefulness.figures import Floats, Ints
from shoal.usefulness.views import Seen

_ACROSS = 40
"""So many tiles at most lie between the outer hundredths of all rows, in either direction."""


def map_of(view: Seen, people: Ints, width: NDArray[np.integer] | Floats) -> dict[str, Any]:
    """Count the people who have rows in each tile of the map, and say in which bin the median width of those rows is.

    Tiles are ``[column, row, people, bin]``, those of most people first.

    Parameters
    ----------
    view
        The rows, person after person.
    people
        Where the rows of each person start; a person may have several uids.
    width
        Of each row.
    """
    side = _side(view)
    tiles = _people_in_tiles(view, people, side)
    # Where a few are all over a country, tiles are wider still: none is left away, as the auditor counts all of them.
    while tiles.height > MOST_TILES and side < TILES_M[-1]:
        side = TILES_M[TILES_M.index(side) + 1]
        tiles = _people_in_tiles(view, people, side)
    tiles = tiles.sort("people", "c", "r", descending=[True, False, False])
    bins = np.searchsorted(SPACE_M, _median_widths(view, people, width, tiles, side), side="left")
    columns = (tiles["c"], tiles["r"], tiles["people"], bins)
    rows = zip(*(column[:MOST_TILES] for column in columns), strict=True)
    return {"side_m": side, "tiles": [[int(v) for v in tile] for tile in rows]}


def _side(view: Seen) -> int:
    """The least side with which the bulk of the rows fills no more tiles than can be looked at."""
    if not view.rows:
        return TILES_M[0]
    spans = []
    for axis in (0, 1):
        values = column_of((part.middles()[axis] for _, part in view.parts()), view.rows, np.float64)
        spans.append(float(np.subtract(*np.quantile(values, (0.99, 0.01), overwrite_input=True))))
    return next((side for side in TILES_M if max(spans) / side <= _ACROSS), TILES_M[-1])


def _in_tiles(view: Seen, people: Ints, side: int) -> Iterator[pl.DataFrame]:
    """Go through the rows, some people at a time: whose each is, and column and row of its tile."""
    for low, high in cuts(np.diff(people)):
        first, end = int(people[low]), int(people[high])
        column, row = (np.floor(values / side).astype(np.int32) for values in view.at(slice(first, end)).middles())
        owner = np.repeat(np.arange(high - low, dtype=np.int32), np.diff(people[low : high + 1]))
        yield pl.DataFrame({"owner": owner, "c": column, "r": row})


def _people_in_tiles(view: Seen, people: Ints, side: int) -> pl.DataFrame:
    """Count the people of each tile in which there are some; nobody is in two parts."""
    found = [
        rows.group_by("c", "r").agg(people=pl.col("owner").n_unique().cast(pl.Int64))
        for rows in _in_tiles(view, people, side)
    ]
    return pl.concat(found).group_by("c", "r").agg(pl.col("people").sum())


def _median_widths(
    view: Seen, people: Ints, width: NDArray[np.integer] | Floats, tiles: pl.DataFrame, side: int
) -> Floats:
    """Return the median width of the rows of each tile."""
    numbered = tiles.select("c", "r").with_row_index("tile")
    parts = (
        rows.join(numbered, on=("c", "r"), how="left", maintain_order="left")["tile"].to_numpy()
        for rows in _in_tiles(view, people, side)
    )
    # In as few bits as there are tiles: such numbers are sorted without comparing any.
    tile = column_of(parts, view.rows, np.min_scalar_type(tiles.height).type)
    rows_in = np.bincount(tile, minlength=tiles.height)
    starts = np.concatenate((np.zeros(1, np.int64), np.cumsum(rows_in)))
    order = np.argsort(tile, kind="stable")
    medians = np.empty(tiles.height)
    for low, high in cuts(rows_in):
        rows = order[int(starts[low]) : int(starts[high])]
        some = pl.DataFrame({"tile": tile[rows], "width": width[rows]}).group_by("tile").agg(pl.col("width").median())
        medians[some["tile"].to_numpy()] = some["width"].to_numpy()
    return medians
