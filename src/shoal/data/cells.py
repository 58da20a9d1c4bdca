"""Where cells are: the table beside inputs that name cells instead of coordinates."""

import polars as pl

from shoal.data import rules
from shoal.data.frames import columns_from, names_of, table_of
from shoal.data.options import ReadOptions
from shoal.data.paths import paths_in
from shoal.data.schemas import CELLS, PLACES, resolve_cells
from shoal.data.sources import Raw, open_files, read_columns
from shoal.data.values import as_identifier, as_number, blank
from shoal.errors import DataError


def read_cells(options: ReadOptions) -> pl.DataFrame:
    """Read where the cells are, which is held to the rules for positions."""
    raw, (cell, lat, lng) = _columns(options, CELLS)
    frame = pl.DataFrame(
        [
            as_identifier(cell, "cell").cast(pl.String).alias("cell"),
            as_number(lat).alias("lat"),
            as_number(lng).alias("lng"),
        ]
    )
    breaches = rules.breaches_of(frame, [rules.NUMBER, rules.LATITUDE, rules.LONGITUDE])
    if breaches:
        raise DataError(
            f"cells table, {raw.parts.where(breaches[0].first_row)}: {breaches[0].rule.found}",
            expected=breaches[0].rule.expected,
            hint="repair the cells table",
        )
    unique = frame.unique()
    if unique["cell"].n_unique() != unique.height:
        raise DataError(
            "a cells table with one cell at two places",
            expected="each cell once",
            hint="keep one row per cell; where several columns name it together, join them into one, in the data too",
        )
    return unique


def read_municipalities(options: ReadOptions) -> pl.DataFrame:
    """Read ``cell, municipality``, each cell once; the municipality is null where the table has none.

    >>> read_municipalities(ReadOptions(cells={"cell": [1, 2], "municipality": ["Pisa", " "]})).rows()
    [('1', 'Pisa'), ('2', None)]
    """
    _, (cell, place) = _columns(options, PLACES)
    cell, place = (as_identifier(column, name).cast(pl.String) for column, name in ((cell, "cell"), (place, "name")))
    known = pl.DataFrame([cell.alias("cell"), place.set(blank(place), None).alias("municipality")])
    unique = known.filter(~blank(cell)).unique().sort("cell")
    if unique["cell"].n_unique() != unique.height:
        raise DataError(
            "a cells table with one cell in two municipalities",
            expected="each cell once",
            hint="keep one row per cell; where several columns name it together, join them into one, in the data too",
        )
    if unique["municipality"].null_count() == unique.height:
        raise DataError(
            "a cells table without a single municipality",
            expected="a municipality for every cell",
            hint="fill in the municipality column",
        )
    return unique


def _columns(options: ReadOptions, wanted: tuple[str, ...]) -> tuple[Raw, list[pl.Series]]:
    """Read some columns of the cells table."""
    if options.cells is None:
        raise DataError(
            "cells instead of coordinates, and no cells table",
            expected=f"a table of {', '.join(wanted)}",
            hint="give it with `cells`",
        )
    paths = paths_in(options.cells)
    if paths is not None:
        files = open_files(paths)
        mapping = resolve_cells(files.names, options.cells_columns, wanted)
        raw = read_columns(files, sorted(set(mapping.values())))
    else:
        table = table_of(options.cells)
        mapping = resolve_cells(names_of(table), options.cells_columns, wanted)
        raw = Raw(columns_from(table, sorted(set(mapping.values())))[0])
    return raw, [raw.frame[mapping[name]] for name in wanted]


def place_of(cells: pl.Series, places: pl.DataFrame) -> tuple[pl.Series, pl.Series]:
    """Latitude and longitude of each cell; null where the table does not have it."""
    ids = as_identifier(cells, "cell").cast(pl.String).alias("cell").to_frame()
    joined = ids.join(places, on="cell", how="left", maintain_order="left")
    return joined["lat"], joined["lng"]
