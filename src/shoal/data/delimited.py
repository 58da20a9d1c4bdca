"""CSV files, compressed or not.

Cells stay text until the rules look at them, so that ids such as "01" survive and a bad cell has a row number.
"""

import codecs
import csv
import gzip
import re
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor, wait
from contextlib import contextmanager
from functools import partial
from io import StringIO
from pathlib import Path

import polars as pl
import pyarrow as pa
import pyarrow.csv as pa_csv

from shoal.data.arrow import to_polars
from shoal.data.parts import unlike_others
from shoal.errors import DataError, counted

_GZIP_MAGIC = b"\x1f\x8b"

LONGEST_ROW = 1 << 20
"""Bytes of a row, and of the header. What is longer is nearly always a quote that was never closed."""

_SECONDS_BETWEEN_LOOKS = 0.2

_UNCLOSED = "a quote that is opened and never closed looks like this"

_LIKE_DATA = re.compile(r"[-+]?\d+[.,]\d+|\d{4}-\d\d-\d\d.*|\d\d?[/.]\d\d?[/.]\d{2,4}|\d{9,}(\.\d+)?")

_OTHER_SIGNS = {";": "semicolons", "\t": "tabs", "|": "vertical bars"}


def csv_names(path: Path) -> list[str]:
    """Return the names in the header."""
    with _errors_worded(path):
        names = _header(path)
    if not names:
        raise empty_file()
    if any(_LIKE_DATA.fullmatch(part.strip()) for name in names for part in re.split(r"[;\t| ]", name)):
        # Otherwise a row of the data would be told as names of columns.
        raise DataError(
            "a first row that looks like data",
            expected="a header with the names of the columns",
            hint="write the file with a header, such as uid,datetime,lat,lng",
        )
    if len(names) == 1:
        for sign, word in _OTHER_SIGNS.items():
            if sign in names[0]:
                raise DataError(
                    f"a header whose columns are separated by {word}",
                    expected="columns that are separated by commas, and numbers with a decimal point",
                    hint=f"write the file with commas, or read it in Python and pass the frame, for example "
                    f"shoal.read(polars.read_csv(file, separator={sign!r}))",
                )
    return names


def read_csv(
    path: Path, columns: Sequence[str], *, drop_ragged: bool, tell: Callable[[int], None]
) -> tuple[pl.DataFrame, int]:
    """Read some columns as text; also return how many rows were dropped because they have too many or too few.

    Parameters
    ----------
    path, columns
        What to read.
    drop_ragged
        Drop such rows instead of stopping.
    tell
        Called with the number of bytes of the file that have been read, from time to time.
    """
    ragged: list[int | None] = []
    unclosed: list[int | None] = []

    def note_and_skip(row: pa_csv.InvalidRow) -> str:
        ragged.append(row.number)
        if row.text.count('"') % 2:
            unclosed.append(row.number)
        return "skip"

    def read(stream: pa.NativeFile, *, skip_ragged: bool) -> pa.Table:
        # Threads must not get a Python function: one that lets it go while the interpreter ends aborts the process.
        # And only a single thread knows the numbers of rows.
        return pa_csv.read_csv(
            stream,
            read_options=pa_csv.ReadOptions(use_threads=not skip_ragged, block_size=LONGEST_ROW),
            parse_options=pa_csv.ParseOptions(
                newlines_in_values=True, invalid_row_handler=note_and_skip if skip_ragged else None
            ),
            convert_options=pa_csv.ConvertOptions(
                column_types=dict.fromkeys(columns, pa.string()), include_columns=list(columns)
            ),
        )

    with _errors_worded(path):
        try:
            # Not closed here: after an error threads go on reading ahead, and the next file that is opened gets the
            # number of a closed one, so that they would read of that. It closes with the last that holds it.
            file = pa.OSFile(str(path))
            table = _watched(partial(read, _unpacked(file, path), skip_ragged=False), file, tell)
        except pa.ArrowInvalid:
            table = read(_open(path), skip_ragged=True)
    if unclosed:
        # Not to be dropped: all the rows after it went into this one.
        raise _never_ends(_row_number(unclosed[0]))
    if ragged and not drop_ragged:
        raise DataError(
            f"row {_row_number(ragged[0]):,} has another number of columns than the header "
            f"({counted(len(ragged), 'such row', 'such rows')})",
            expected="the same number of columns in every row",
            hint="quote values that hold commas, or drop such rows with `bad_rows='drop'`",
        )
    return to_polars({name: table[name] for name in columns}), len(ragged)


def _row_number(counted_with_header: int | None) -> int:
    """Count from 1 after the header, which pyarrow calls row 1."""
    return (counted_with_header or 2) - 1


def _never_ends(row: int) -> DataError:
    return DataError(
        f"row {row:,} has a quote that is never closed, or is longer than {LONGEST_ROW:,} bytes",
        expected="rows of a few values, and quotes in pairs",
        hint="mend the row; a quote inside a quoted value is written twice",
    )


def empty_file() -> DataError:
    return DataError("an empty file", expected="a header and rows", hint="was the export finished?")


def _header(path: Path) -> list[str]:
    # Python's own reader: pyarrow's goes on reading in threads, which end the process if the file is left early.
    with _open(path) as stream:
        head = stream.read(LONGEST_ROW)
    # A character may be cut in two where the head ends.
    text = codecs.getincrementaldecoder("utf-8-sig")().decode(head, len(head) < LONGEST_ROW)
    lines = StringIO(text, newline="")
    names = next((record for record in csv.reader(lines, strict=True) if record), [])
    if len(head) == LONGEST_ROW and lines.tell() == len(text):
        raise DataError(
            f"a header of more than {LONGEST_ROW:,} bytes",
            expected="names of columns in the first row",
            hint=f"{_UNCLOSED}; of very wide tables write only the columns that are needed",
        )
    return names


def _is_zipped(path: Path) -> bool:
    """Decide by content, as always."""
    with path.open("rb") as file:
        return file.read(len(_GZIP_MAGIC)) == _GZIP_MAGIC


def _open(path: Path) -> pa.NativeFile:
    return _unpacked(pa.OSFile(str(path)), path)


def _unpacked(file: pa.NativeFile, path: Path) -> pa.NativeFile:
    return pa.CompressedInputStream(file, "gzip") if _is_zipped(path) else file


def _watched(read: Callable[[], pa.Table], file: pa.NativeFile, tell: Callable[[int], None]) -> pa.Table:
    """Read in another thread, and tell now and then how far it is; whatever that raises does not wait for it."""
    pool = ThreadPoolExecutor(1)
    table = pool.submit(read)
    pool.shutdown(wait=False)
    while not wait([table], timeout=_SECONDS_BETWEEN_LOOKS).done:
        tell(file.tell())
    return table.result()


@contextmanager
def _errors_worded(path: Path) -> Iterator[None]:
    """Turn the errors of readers, which quote the data, into ours, which do not."""
    try:
        yield
    except UnicodeDecodeError:
        raise _not_utf8() from None
    except csv.Error:
        raise DataError(
            "a header that cannot be split into names",
            expected="names of columns in the first row, separated by commas",
            hint=f"{_UNCLOSED}, and so does a name of a hundred thousand characters",
        ) from None
    except pa.ArrowKeyError:
        raise unlike_others() from None
    except pa.ArrowInvalid as error:
        text = str(error)
        if "Empty CSV" in text:
            raise empty_file() from None
        if "UTF8" in text:
            raise _not_utf8() from None
        row = _first_long_row(path)
        if row is not None:
            raise _never_ends(row) from None
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


def _not_utf8() -> DataError:
    return DataError("text that is not UTF-8", expected="UTF-8", hint="save the file as UTF-8")


def _first_long_row(path: Path) -> int | None:
    """Find the first row that is too long to be one (rows count from 1, after the header)."""
    row, length, inside_quotes = -1, 0, False
    with gzip.open(path) if _is_zipped(path) else path.open("rb") as lines:
        while line := lines.readline(LONGEST_ROW):
            if not length and not line.strip():
                continue
            row += not length
            length += len(line)
            inside_quotes ^= line.count(b'"') % 2 == 1
            if length > LONGEST_ROW:
                return row
            if not inside_quotes and line.endswith(b"\n"):
                length = 0
    return None
