"""One reader underneath: from any source to named columns, and from columns to the rows that keep the rules."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import polars as pl

from shoal.data import rules, sources
from shoal.data.frames import frame_to_polars
from shoal.data.options import ReadOptions
from shoal.data.schemas import find_preset
from shoal.data.trees import read_tree
from shoal.errors import DataError

_RAGGED = "columns"


@dataclass(frozen=True, slots=True)
class Loaded:
    """Columns of an input under the names that they mean here.

    Attributes
    ----------
    ignored_columns
        Those of the input that mean nothing here.
    ragged_rows
        Rows that could not even be split into columns.
    """

    frame: pl.DataFrame
    ignored_columns: tuple[str, ...]
    ragged_rows: int

    @property
    def rows(self) -> int:
        return self.frame.height + self.ragged_rows


@dataclass(frozen=True, slots=True)
class Kept:
    """Rows that keep all rules, and ``{rule: rows}`` for those that break one."""

    frame: pl.DataFrame
    dropped: dict[str, int]


def load(source: Any, options: ReadOptions, meaning: Callable[[list[str]], Mapping[str, str]]) -> Loaded:
    """Read some columns of a path, a tree of files or a frame.

    ``meaning`` is told the names of all columns and answers ``{name here: column of the input}``.
    """
    tree = find_preset(options.schema).tree if options.schema else None
    frame, ragged = None, 0
    if not isinstance(source, str | Path):
        frame = frame_to_polars(source)
    elif tree is not None and not Path(source).is_file():
        frame = read_tree(tree, Path(source))
    names = sources.columns_of(Path(source)) if frame is None else frame.columns
    mapping = meaning(names)
    if frame is None:
        raw = sources.read_columns(Path(source), sorted(set(mapping.values())), drop_ragged=options.bad_rows == "drop")
        frame, ragged = raw.frame, raw.ragged_rows
    loaded = Loaded(
        frame.select([pl.col(actual).alias(name) for name, actual in mapping.items()]),
        tuple(name for name in names if name not in mapping.values()),
        ragged,
    )
    if not loaded.rows:
        # Before any look at types: columns without values have none.
        raise DataError("no rows", expected="at least one record", hint="was the export finished?")
    return loaded


def keep(prepared: pl.DataFrame, rules_: list[rules.Rule], options: ReadOptions, ragged_rows: int) -> Kept:
    """Stop at the first row that breaks a rule, or drop and count such rows."""
    breaches = rules.breaches_of(prepared, rules_)
    if breaches and options.bad_rows == "stop":
        raise min(breaches, key=lambda breach: breach.first_row).error()
    kept = rules.without_breaches(prepared, breaches)
    dropped = {breach.rule.name: breach.rows for breach in breaches}
    if ragged_rows:
        dropped[_RAGGED] = ragged_rows
    if not kept.height:
        raise DataError(
            "no row that keeps the rules; rows that break the one on "
            + ", ".join(f"{name}: {rows:,}" for name, rows in dropped.items()),
            expected=breaches[0].rule.expected if breaches else "as many columns in every row as in the header",
            hint=breaches[0].rule.hint if breaches else "quote values that hold commas",
        )
    return Kept(kept, dropped)
