"""Where cells are: the table beside inputs that name cells instead of coordinates."""

from pathlib import Path

import polars as pl

from shoal.data import rules, sources
from shoal.data.frames import frame_to_polars
from shoal.data.options import ReadOptions
from shoal.data.values import as_identifier, as_number
from shoal.errors import DataError


def read_cells(options: ReadOptions) -> pl.DataFrame:
    """Read the cells table, which is held to the rules for positions."""
    if options.cells is None:
        raise DataError(
            "cells instead of coordinates, and no cells table",
            expected="a table of cell, lat, lng",
            hint="give it with `cells`",
        )
    wanted = ["cell", "lat", "lng"]
    if isinstance(options.cells, str | Path):
        path = Path(options.cells)
        _require_cells_columns(sources.columns_of(path))
        frame = sources.read_columns(path, wanted, drop_ragged=False).frame
    else:
        frame = frame_to_polars(options.cells)
        _require_cells_columns(frame.columns)
    frame = pl.DataFrame(
        [
            as_identifier(frame["cell"], "cell").cast(pl.String).alias("cell"),
            as_number(frame["lat"]).alias("lat"),
            as_number(frame["lng"]).alias("lng"),
        ]
    )
    breaches = rules.breaches_of(frame, [rules.NUMBER, rules.LATITUDE, rules.LONGITUDE])
    if breaches:
        raise DataError(
            f"cells table, row {breaches[0].first_row:,}: {breaches[0].rule.found}",
            expected=breaches[0].rule.expected,
            hint="repair the cells table",
        )
    unique = frame.unique()
    if unique["cell"].n_unique() != unique.height:
        raise DataError(
            "a cells table with one cell at two places",
            expected="each cell once",
            hint="keep one row per cell",
        )
    return unique


def _require_cells_columns(names: list[str]) -> None:
    missing = [name for name in ("cell", "lat", "lng") if name not in names]
    if missing:
        raise DataError(
            f"a cells table without {', '.join(missing)}",
            expected="columns cell, lat, lng",
            hint="rename its columns",
        )


def place_of(cells: pl.Series, places: pl.DataFrame) -> tuple[pl.Series, pl.Series]:
    """Latitude and longitude of each cell; null where the table does not have it."""
    ids = as_identifier(cells, "cell").cast(pl.String).alias("cell").to_frame()
    joined = ids.join(places, on="cell", how="left", maintain_order="left")
    return joined["lat"], joined["lng"]
