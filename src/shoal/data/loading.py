"""One reader underneath: from any source to named columns, and from columns to the rows that keep the rules."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

import polars as pl

from shoal.data import rules
from shoal.data.frames import columns_from, names_of, table_of
from shoal.data.options import ReadOptions
from shoal.data.parquet import has_time_stamps
from shoal.data.parts import FRAME, Parts
from shoal.data.paths import paths_in
from shoal.data.schemas import IDENTIFIERS, find_preset
from shoal.data.sources import Raw, column_batches, open_files, read_columns
from shoal.data.trees import read_tree
from shoal.errors import DataError, counted
from shoal.progress import Progress

_RAGGED = "columns"

Meaning = Callable[[list[str]], Mapping[str, str]]
"""Told the names of all columns of an input, answers ``{name here: column of the input}``."""


@dataclass(frozen=True, slots=True)
class Loaded:
    """Columns of an input under the names that they mean here.

    Attributes
    ----------
    ignored_columns
        Those of the input that mean nothing here.
    ragged_rows
        Rows that could not even be split into columns.
    parts
        Which rows came from which file.
    zones
        ``{name: zone}`` of times whose zone the frame does not tell.
    rows_before
        Rows of the input that came in earlier batches.
    """

    frame: pl.DataFrame
    ignored_columns: tuple[str, ...]
    ragged_rows: int
    parts: Parts = FRAME
    zones: Mapping[str, str] = field(default_factory=dict)
    rows_before: int = 0

    @property
    def rows(self) -> int:
        return self.frame.height + self.ragged_rows


@dataclass(frozen=True, slots=True)
class Kept:
    """Rows that keep all rules, and ``{rule: rows}`` for those that break one."""

    frame: pl.DataFrame
    dropped: dict[str, int]


def names_in(source: Any, options: ReadOptions) -> list[str]:
    """Return the names of the columns of an input, without reading it."""
    paths = paths_in(source)
    if paths is None:
        return names_of(table_of(source))
    return [] if options.schema else open_files(paths).names


def load(source: Any, options: ReadOptions, meaning: Meaning, progress: Progress | None = None) -> Loaded:
    """Read some columns of files, a tree of files or a frame."""
    paths = paths_in(source)
    tree = find_preset(options.schema).tree if options.schema else None
    if paths is None:
        table = table_of(source)
        names = names_of(table)
        mapping = meaning(names)
        frame, zones = columns_from(table, _wanted(mapping))
        raw = Raw(frame, zones=zones)
    elif tree is not None and not (len(paths) == 1 and paths[0].is_file()):
        raw = read_tree(tree, paths, progress)
        names = raw.frame.columns
        mapping = meaning(names)
    else:
        files = open_files(paths)
        names = files.names
        mapping = meaning(names)
        raw = read_columns(
            files,
            _wanted(mapping),
            drop_ragged=options.bad_rows == "drop",
            repeated=[actual for name, actual in mapping.items() if name in IDENTIFIERS],
            progress=progress,
        )
    used = set(mapping.values())
    loaded = Loaded(
        pl.DataFrame([raw.frame[actual].alias(name) for name, actual in mapping.items()]),
        tuple(name for name in names if name not in used),
        raw.ragged_rows,
        raw.parts,
        {name: raw.zones[actual] for name, actual in mapping.items() if actual in raw.zones},
    )
    if not loaded.rows:
        # Before any look at types: columns without values have none.
        raise _no_rows()
    return loaded


def load_batches(
    source: Any, options: ReadOptions, meaning: Meaning, progress: Progress | None = None
) -> Iterator[Loaded]:
    """Read as :func:`load` does, a million rows or so at a time where the input allows it.

    That is Parquet with time stamps. Times as text or numbers are understood from all of them together.
    """
    paths = paths_in(source)
    files = open_files(paths) if paths is not None and not options.schema else None
    mapping = meaning(files.names) if files is not None and files.parquet else {}
    if files is None or not mapping or not all(has_time_stamps(path, mapping["datetime"]) for path in files.paths):
        yield load(source, options, meaning, progress)
        return
    ignored = tuple(name for name in files.names if name not in set(mapping.values()))
    repeated = [actual for name, actual in mapping.items() if name in IDENTIFIERS]
    rename = [pl.col(actual).alias(name) for name, actual in mapping.items()]
    before = 0
    for raw in column_batches(files, _wanted(mapping), repeated=repeated, progress=progress):
        zones = {name: raw.zones[actual] for name, actual in mapping.items() if actual in raw.zones}
        yield Loaded(raw.frame.select(rename), ignored, 0, raw.parts, zones, before)
        before += raw.frame.height
    if not before:
        raise _no_rows()


def _no_rows() -> DataError:
    return DataError("no rows", expected="at least one record", hint="was the export finished?")


def _wanted(mapping: Mapping[str, str]) -> list[str]:
    return sorted(set(mapping.values()))


def keep(prepared: pl.DataFrame, rules_: list[rules.Rule], options: ReadOptions, loaded: Loaded) -> Kept:
    """Stop at the first row that breaks a rule, or drop and count such rows; some row must be left."""
    kept = keep_batch(prepared, rules_, options, loaded)
    if not kept.frame.height:
        raise nothing_kept(kept.dropped, rules_)
    return kept


def keep_batch(prepared: pl.DataFrame, rules_: list[rules.Rule], options: ReadOptions, loaded: Loaded) -> Kept:
    """Do as :func:`keep` does with one batch of many, of which nothing may be left."""
    breaches = rules.breaches_of(prepared, rules_)
    if breaches and options.bad_rows == "stop":
        raise min(breaches, key=lambda breach: breach.first_row).error(loaded.parts, loaded.rows_before)
    kept = rules.without_breaches(prepared, breaches)
    dropped = {breach.rule.name: breach.rows for breach in breaches}
    if loaded.ragged_rows:
        dropped[_RAGGED] = loaded.ragged_rows
    return Kept(kept, dropped)


def nothing_kept(dropped: Mapping[str, int], rules_: list[rules.Rule]) -> DataError:
    """Word that all rows were dropped."""
    first = next((rule for rule in rules_ if rule.name in dropped), None)
    return DataError(
        "no row that keeps the rules; "
        + ", ".join(f"{counted(rows, 'row breaks', 'rows break')} the one on {name}" for name, rows in dropped.items()),
        expected=first.expected if first else "as many columns in every row as in the header",
        hint=first.hint if first else "quote values that hold commas",
    )
