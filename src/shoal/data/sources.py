"""From a path to a raw table: Parquet, directories of parts, CSV and CSV.gz, with the refusals that each needs.

CSV cells stay text until the rules look at them, so that ids such as "01" survive and a bad cell has a row number.
"""

import csv
import re
from collections.abc import Callable
from dataclasses import dataclass
from io import TextIOWrapper
from pathlib import Path
from typing import TypeVar

import polars as pl
import pyarrow as pa
import pyarrow.csv as pa_csv
import pyarrow.parquet as pq

from shoal.data.frames import refuse_doubled_columns
from shoal.errors import DataError

_PARQUET = (".parquet", ".pq")
_CSV = (".csv", ".csv.gz", ".txt", ".txt.gz", ".tsv", ".tsv.gz")
_GZIP_MAGIC = b"\x1f\x8b"
_PARQUET_MAGIC = b"PAR1"
_SNIFF_BYTES = 4096

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Raw:
    """A table as it came, and how many rows could not even be split into columns."""

    frame: pl.DataFrame
    ragged_rows: int = 0


def columns_of(path: Path) -> list[str]:
    """Return the column names, without reading the rows."""
    first = _parts_of(path)[0]
    names: list[str] = _parquet_schema(first).names if _is_parquet(first) else _csv_header(first)
    refuse_doubled_columns(names)
    return names


def read_columns(path: Path, columns: list[str], *, drop_ragged: bool) -> Raw:
    """Read some columns of a file, or of all parts of a directory in the order of their names."""
    parts = _parts_of(path)
    if _is_parquet(parts[0]):
        return Raw(_read_parquet(parts, columns))
    raws = [_read_csv(part, columns, drop_ragged=drop_ragged) for part in parts]
    return Raw(pl.concat([raw.frame for raw in raws], rechunk=True), sum(raw.ragged_rows for raw in raws))


def _parts_of(path: Path) -> list[Path]:
    if not path.exists():
        raise DataError(f"no file or directory '{path.name}'", expected="an existing path", hint="check the spelling")
    if path.is_file():
        return [path]
    files = sorted(p for p in path.rglob("*") if p.is_file() and not p.name.startswith((".", "_")))
    kinds = {_is_parquet(p): p for p in files if p.name.lower().endswith((*_PARQUET, *_CSV))}
    parts = [p for p in files if p.name.lower().endswith((*_PARQUET, *_CSV))]
    if len(kinds) != 1:
        raise DataError(
            "a directory with " + ("no part files" if not kinds else "both Parquet and CSV parts"),
            expected="*.parquet parts, or *.csv / *.csv.gz parts",
            hint="for the Geolife or Cabspotting text trees add `schema='geolife'` or `schema='cabspotting'`",
        )
    return parts


def _is_parquet(path: Path) -> bool:
    """Decide by content, not by name; refuse what is neither Parquet nor text."""
    with path.open("rb") as file:
        head = file.read(_SNIFF_BYTES)
    if not head:
        raise DataError("an empty file", expected="a header and rows", hint="was the export finished?")
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


def _parquet_schema(path: Path) -> pa.Schema:
    try:
        return pq.read_schema(path)
    except (pa.ArrowInvalid, OSError):
        raise _truncated_parquet() from None


def _read_parquet(parts: list[Path], columns: list[str]) -> pl.DataFrame:
    for part in parts:
        _parquet_schema(part)
    try:
        return pl.read_parquet(parts, columns=columns, hive_partitioning=False, glob=False)
    except pl.exceptions.ColumnNotFoundError:
        raise _unlike_parts() from None
    except pl.exceptions.SchemaError:
        raise _unlike_parts() from None
    except (pl.exceptions.PolarsError, OSError):
        raise _truncated_parquet() from None


def _unlike_parts() -> DataError:
    return DataError(
        "parts with different columns or types",
        expected="the same schema in every part",
        hint="rewrite the parts",
    )


def _truncated_parquet() -> DataError:
    return DataError(
        "a Parquet file that is truncated or damaged",
        expected="a complete file",
        hint="copy it again, or read it with another tool to see where it breaks",
    )


def _csv_header(path: Path) -> list[str]:
    # Python's own reader: pyarrow's goes on reading in threads, which end the process if the file is left early.
    def first_record() -> list[str]:
        with _open(path) as stream, TextIOWrapper(stream, "utf-8-sig", newline="") as text:
            return next((record for record in csv.reader(text) if record), [])

    names = _guard_csv(first_record)
    if not names:
        raise DataError("an empty file", expected="a header and rows", hint="was the export finished?")
    _refuse_data_as_header(names)
    return names


_LIKE_DATA = re.compile(r"[-+]?\d+[.,]\d+|\d{4}-\d\d-\d\d.*|\d\d?[/.]\d\d?[/.]\d{2,4}|\d{9,}(\.\d+)?")


def _refuse_data_as_header(names: list[str]) -> None:
    """Refuse a file without a header, whose first row would otherwise be told as names of columns."""
    if any(_LIKE_DATA.fullmatch(part.strip()) for name in names for part in re.split(r"[;\t| ]", name)):
        raise DataError(
            "a first row that looks like data",
            expected="a header with the names of the columns",
            hint="write the file with a header, such as uid,datetime,lat,lng",
        )


def _open(path: Path) -> pa.NativeFile:
    """Open text, compressed or not: by content, as always."""
    with path.open("rb") as file:
        zipped = file.read(len(_GZIP_MAGIC)) == _GZIP_MAGIC
    return pa.input_stream(path, compression="gzip" if zipped else None)


def _read_csv(path: Path, columns: list[str], *, drop_ragged: bool) -> Raw:
    ragged: list[int | None] = []

    def note_and_skip(row: pa_csv.InvalidRow) -> str:
        ragged.append(row.number)
        return "skip"

    def read(*, skip_ragged: bool) -> pa.Table:
        # Threads must not get a Python function: one that lets it go while the interpreter ends aborts the process.
        # And only a single thread knows the numbers of rows.
        return pa_csv.read_csv(
            _open(path),
            read_options=pa_csv.ReadOptions(use_threads=not skip_ragged),
            parse_options=pa_csv.ParseOptions(
                newlines_in_values=True, invalid_row_handler=note_and_skip if skip_ragged else None
            ),
            convert_options=pa_csv.ConvertOptions(
                column_types=dict.fromkeys(columns, pa.string()), include_columns=columns
            ),
        )

    def read_sound_first() -> pa.Table:
        try:
            return read(skip_ragged=False)
        except pa.ArrowInvalid:
            return read(skip_ragged=True)

    table = _guard_csv(read_sound_first)
    if ragged and not drop_ragged:
        # pyarrow counts the header as row 1.
        row = (ragged[0] or 2) - 1
        raise DataError(
            f"row {row} has another number of columns than the header ({len(ragged)} such rows)",
            expected="the same number of columns in every row",
            hint="quote values that hold commas, or drop such rows with `bad_rows='drop'`",
        )
    frame = pl.from_arrow(table)
    assert isinstance(frame, pl.DataFrame)
    return Raw(frame, len(ragged))


def _not_utf8() -> DataError:
    return DataError("text that is not UTF-8", expected="UTF-8", hint="save the file as UTF-8")


def _guard_csv(read: Callable[[], T]) -> T:
    """Turn pyarrow's errors, which quote the data, into ours, which do not."""
    try:
        return read()
    except UnicodeDecodeError:
        raise _not_utf8() from None
    except pa.ArrowKeyError:
        raise _unlike_parts() from None
    except pa.ArrowInvalid as error:
        text = str(error)
        if "Empty CSV" in text:
            raise DataError("an empty file", expected="a header and rows", hint="was the export finished?") from None
        if "UTF8" in text:
            raise _not_utf8() from None
        raise DataError(
            "a CSV file that cannot be parsed",
            expected="comma-separated UTF-8 text with a header",
            hint="check quotes",
        ) from None
    except (OSError, EOFError):
        raise DataError(
            "a compressed file that is truncated or damaged",
            expected="a complete .gz file",
            hint="copy it again",
        ) from None
