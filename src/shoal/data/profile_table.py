"""Profiles that come as a table: ``uid, municipality``, and a column per cell of their weeks."""

from dataclasses import dataclass, fields
from typing import Any

import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq

from shoal.contract.kinds import cell_names
from shoal.data import rules, schemas
from shoal.data.loading import keep, load
from shoal.data.options import ReadOptions
from shoal.data.paths import paths_in
from shoal.data.profiles import Profiles, without_days_in
from shoal.data.sources import open_files
from shoal.data.values import as_identifier, as_number, blank
from shoal.errors import ParameterError
from shoal.progress import Progress

_OF_USE = ("columns", "person", "bad_rows")


@dataclass(frozen=True, slots=True)
class ProfileTable:
    """Profiles that keep all rules, sorted by person and municipality, and what was found on the way to them.

    Attributes
    ----------
    rows
        Rows of the input.
    dropped
        ``{rule: rows}`` for the rows that break one.
    """

    profiles: Profiles
    rows: int
    ignored_columns: tuple[str, ...]
    dropped: dict[str, int]


def read_profile_table(
    source: Any, options: ReadOptions | None = None, progress: Progress | None = None
) -> ProfileTable:
    """Read profiles under all rules.

    >>> one = {"uid": ["a"], "municipality": ["Pisa"]} | {name: [0.5] for name in cell_names(2)}
    >>> read_profile_table(one).profiles
    Profiles(1 row, 2 weeks)
    """
    options = options or ReadOptions()
    _refuse_what_is_of_no_use(options)
    loaded = load(
        source, options, lambda names: schemas.resolve_profiles(names, options.columns, options.person), progress
    )
    cells = [name for name in loaded.frame.columns if name not in schemas.PROFILE]
    uid, municipality = (as_identifier(loaded.frame[name], name).cast(pl.String) for name in schemas.PROFILE)
    prepared = pl.DataFrame(
        [
            uid.alias("uid"),
            municipality.alias("municipality"),
            blank(uid).alias("uid_blank"),
            blank(municipality).alias("municipality_blank"),
            # A minus zero shows a sign that means nothing.
            *((as_number(loaded.frame[name]) + 0.0).alias(name) for name in cells),
        ]
    )
    wanted = [rules.UID, rules.MUNICIPALITY, *rules.shares(cells), rules.TWICE]
    kept = keep(prepared, wanted, options, loaded)
    frame = kept.frame.sort("uid", "municipality")
    people, municipalities = (pa.array(frame[name].to_arrow()).cast(pa.string()) for name in schemas.PROFILE)
    values = frame.select(cells).to_numpy(order="c")
    weeks = len(cells) // len(cell_names(1))
    without = tuple(name for name in _without_days(source) if name in cells and not (frame[name] != 0).any())
    profiles = Profiles(people, municipalities, values, weeks, without)
    return ProfileTable(profiles, loaded.rows, loaded.ignored_columns, kept.dropped)


def _without_days(source: Any) -> tuple[str, ...]:
    """Return the cells of which the table itself says that there are no such days."""
    paths = paths_in(source)
    if paths is not None:
        files = open_files(paths)
        return without_days_in(pq.read_schema(files.paths[0]).metadata) if files.parquet else ()
    return without_days_in(source.schema.metadata) if isinstance(source, pa.Table) else ()


def _refuse_what_is_of_no_use(options: ReadOptions) -> None:
    for field in fields(options):
        if field.name not in _OF_USE and getattr(options, field.name) is not field.default:
            raise ParameterError(
                f"`{field.name}` for profiles",
                expected="options that a table of profiles has use for: columns, person, bad rows",
                hint="leave it out: such a table holds no times and no positions",
            )
