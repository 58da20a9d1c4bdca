"""From files to a raw table: what they are is seen from their content, and each kind has its reader."""

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

import polars as pl
import pyarrow as pa

from shoal.data.delimited import csv_names, empty_file, read_csv
from shoal.data.frames import refuse_doubled_columns
from shoal.data.parquet import parquet_batches, parquet_names, parquet_size, read_parquet
from shoal.data.parts import FRAME, Parts, unlike_others
from shoal.data.paths import files_at
from shoal.errors import DataError
from shoal.progress import Progress, silent

_PARQUET = (".parquet", ".pq")
_CSV = (".csv", ".csv.gz", ".txt", ".txt.gz", ".tsv", ".tsv.gz")
_GZIP_MAGIC = b"\x1f\x8b"
_PARQUET_MAGIC = b"PAR1"
_SNIFF_BYTES = 4096


@dataclass(frozen=True, slots=True)
class Raw:
    """A table as it came.

    Attributes
    ----------
    ragged_rows
        Rows that could not even be split into columns, and were left out.
    parts
        Which rows came from which file.
    zones
        ``{column: zone}`` of times with a zone that polars does not know of.
    """

    frame: pl.DataFrame
    ragged_rows: int = 0
    parts: Parts = FRAME
    zones: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Files:
    """Files of one table: all Parquet or all CSV, and the names of the columns of the first."""

    paths: Sequence[Path]
    parquet: bool
    names: list[str]


def open_files(paths: Sequence[Path]) -> Files:
    """Find the files at some paths, and look at what they are, without reading the rows."""
    files = files_at(paths, lambda name: name.lower().endswith((*_PARQUET, *_CSV)))
    kinds = set()
    for number, path in enumerate(files):
        with _said_of(files, number):
            kinds.add(_is_parquet(path))
    if len(kinds) != 1:
        raise DataError(
            "a directory with no part files" if not kinds else "both Parquet and CSV parts",
            expected="*.parquet parts, or *.csv / *.csv.gz parts",
            hint="for the Geolife or Cabspotting text trees add `schema='geolife'` or `schema='cabspotting'`",
        )
    parquet = kinds.pop()
    with _said_of(files, 0):
        names = (parquet_names if parquet else csv_names)(files[0])
        refuse_doubled_columns(names)
    return Files(files, parquet, names)


def read_columns(
    files: Files,
    columns: Sequence[str],
    *,
    drop_ragged: bool = False,
    repeated: Collection[str] = (),
    progress: Progress | None = None,
) -> Raw:
    """Read some columns of all files, in the order of their names.

    Parameters
    ----------
    files, columns
        What to read.
    drop_ragged
        Leave out and count the rows of CSV files that have too many or too few columns, instead of stopping.
    repeated
        Columns of identifiers: few values, many times.
    progress
        Told how many rows of Parquet files, or bytes of CSV files, are read.
    """
    tell = progress or silent
    sizes, few = _sizes(files, repeated)
    total, done, ragged_rows = sum(sizes), 0, 0
    frames: list[pl.DataFrame] = []
    zones: dict[str, str] = {}
    zones_here: dict[str, str] = {}
    tell("reading", 0, total)
    for number, path in enumerate(files.paths):
        with _said_of(files.paths, number):
            if files.parquet:
                frame, zones_here = read_parquet(path, columns, few, _from(tell, done, total))
            else:
                frame, ragged = read_csv(path, columns, drop_ragged=drop_ragged, tell=_from(tell, done, total))
                ragged_rows += ragged
            if frames and frame.schema != frames[0].schema:
                raise unlike_others()
        zones = zones_here if not frames or zones == zones_here else {}
        frames.append(frame)
        done += sizes[number]
        tell("reading", done, total)
    parts = Parts([path.name for path in files.paths], [frame.height for frame in frames])
    whole = pl.concat(frames).rechunk()
    # What Arrow read was copied into one piece; it would keep that memory for later, a third of what reading takes.
    frames.clear()
    del frame
    pa.default_memory_pool().release_unused()
    return Raw(whole, ragged_rows, parts, zones)


def column_batches(
    files: Files, columns: Sequence[str], *, repeated: Collection[str] = (), progress: Progress | None = None
) -> Iterator[Raw]:
    """Read some columns of Parquet files as :func:`read_columns` does, a batch of rows after the other."""
    tell = progress or silent
    sizes, few = _sizes(files, repeated)
    parts = Parts([path.name for path in files.paths], sizes)
    total, done = sum(sizes), 0
    types: list[pl.DataType] = []
    tell("reading", 0, total)
    for number, path in enumerate(files.paths):
        with _said_of(files.paths, number):
            for frame, zones in parquet_batches(path, columns, few):
                types = types or frame.dtypes
                if frame.dtypes != types:
                    raise unlike_others()
                yield Raw(frame, parts=parts, zones=zones)
                done += frame.height
                tell("reading", done, total)


def _sizes(files: Files, repeated: Collection[str]) -> tuple[list[int], set[str]]:
    """How much there is to read of each file, rows of Parquet or bytes of CSV; and columns of few values in all."""
    sizes, few = [], set(repeated)
    for number, path in enumerate(files.paths):
        with _said_of(files.paths, number):
            if files.parquet:
                rows, few_here = parquet_size(path, repeated)
                sizes.append(rows)
                few &= few_here
            else:
                sizes.append(path.stat().st_size)
    return sizes, few


def _from(tell: Progress, done: int, total: int) -> Callable[[int], None]:
    return lambda more: tell("reading", done + more, total)


@contextmanager
def _said_of(files: Sequence[Path], number: int) -> Iterator[None]:
    """Say of which file an error is, where there are several."""
    try:
        yield
    except OSError:
        error = DataError(
            "a file that cannot be opened", expected="permission to read it", hint="check its permissions"
        )
    except DataError as found:
        error = found
    else:
        return
    if len(files) == 1:
        raise error from None
    where = Parts([path.name for path in files], [0] * len(files)).file(number)
    raise DataError(f"{where}: {error.found}", expected=error.expected, hint=error.hint) from None


def _is_parquet(path: Path) -> bool:
    """Decide by content, not by name; refuse what is neither Parquet nor text."""
    with path.open("rb") as file:
        head = file.read(_SNIFF_BYTES)
    if not head:
        raise empty_file()
    if head.startswith(_PARQUET_MAGIC):
        return True
    if path.suffix.lower() in _PARQUET:
        raise DataError("a .parquet file without the Parquet mark", expected="a Parquet file", hint="is it truncated?")
    if path.suffix.lower() in (".pkl", ".pickle") or head[:1] == b"\x80":
        raise DataError(
            "a pickle file",
            expected="Parquet or CSV",
            hint="pickles can run code when opened; export the table to Parquet",
        )
    if not head.startswith(_GZIP_MAGIC) and b"\x00" in head:
        raise DataError(
            "a binary file or UTF-16 text",
            expected="Parquet, or CSV in UTF-8",
            hint="save the table as UTF-8",
        )
    return False
