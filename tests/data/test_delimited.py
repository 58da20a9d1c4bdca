"""CSV files as others write them: read right, or refused with what to do about it, soon and within memory."""

import gzip
import time
import tracemalloc

import polars as pl
import pyarrow as pa
import pytest

from data.rows import one_row, same
from shoal.data import read, read_fixes
from shoal.data.delimited import LONGEST_ROW
from shoal.errors import DataError

HEADER = "uid,datetime,lat,lng\n"
ROW = "canary,2020-06-01T12:00:00Z,6.1,-5.2\n"
WIDE = ",".join(["uid", "datetime", "lat", "lng", *(f"c{i}" for i in range(200_000))]) + "\n"

# name of the case: text, what is said as found, part of the hint
REFUSED = {
    "all rows ragged": (HEADER + "canary,1\n" * 200_000, "row 1 has another number of columns", "quote values"),
    "a name of 200,000 characters": (
        "x" * 200_000 + "," + HEADER + "1," + ROW,
        "a header that cannot be split",
        "quote",
    ),
    "200,000 columns": (WIDE + ROW.strip() + "," * 200_000 + "\n", "a header of more than 1,048,576 bytes", "wide"),
    "only quotes": ('"' * 1000, "no column for uid, datetime, lat, lng among 1 column", ""),
    "an odd number of quotes": ('"' * 1001, "a header that cannot be split", "never closed"),
    "a header that is not closed": ('"' + HEADER + ROW * 9, "a header that cannot be split", "never closed"),
    "a long header that is not closed": ('"' + HEADER + ROW * 50_000, "a header that cannot be split", "never closed"),
    "a row that is not closed": (
        HEADER + ROW + '"' + ROW * 50_000,
        "row 2 has a quote that is never closed",
        "written twice",
    ),
    "a last row that is not closed": (
        HEADER + ROW + '"' + ROW,
        "row 2 has a quote that is never closed",
        "written twice",
    ),
    "a long value": (
        HEADER + ROW + "b" * 5_000_000 + ROW,
        "row 2 has a quote that is never closed, or is longer than",
        "quote",
    ),
    "a long line": (
        HEADER + ROW + "b" * 5_000_000 + "\n",
        "row 2 has a quote that is never closed, or is longer than",
        "quote",
    ),
    "one long line": ("b" * 5_000_000, "a header", "quote"),
    "a hole of zeros": (HEADER + ROW * 1000 + "\0" * 9999 + "\n" + ROW, "row 1,001 has another number", ""),
    "a tail of zeros": (HEADER + ROW * 1000 + "\0" * 9999, "row 1,001 has another number", ""),
    "semicolons": ((HEADER + ROW).replace(",", ";"), "separated by semicolons", "separator=';'"),
    "semicolons and decimal commas": (
        HEADER.replace(",", ";") + ROW.replace(",", ";").replace(".", ","),
        "separated by semicolons",
        "write the file with commas",
    ),
    "tabs": ((HEADER + ROW).replace(",", "\t"), "separated by tabs", r"separator='\t'"),
    "bars": ((HEADER + ROW).replace(",", "|"), "separated by vertical bars", "separator='|'"),
    "blanks in the header": (
        HEADER.replace(",", ", ") + ROW,
        "no column for datetime, lat, lng among uid, ' datetime', ' lat', ' lng'",
        "datetime=' datetime'",
    ),
}


@pytest.mark.parametrize("case", REFUSED)
@pytest.mark.parametrize("zipped", [False, True], ids=["plain", "gzip"])
def test_odd_files_are_refused_soon_and_within_memory(tmp_path, case, zipped):
    text, found, hint = REFUSED[case]
    path = tmp_path / ("e.csv.gz" if zipped else "e.csv")
    path.write_bytes(gzip.compress(text.encode(), 1) if zipped else text.encode())
    start = time.process_time()  # a busy machine is not a failed test
    tracemalloc.start()
    with pytest.raises(DataError) as caught:
        read(path)
    _, most = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert found in caught.value.found
    assert hint in caught.value.hint
    assert "canary" not in str(caught.value)
    assert len(str(caught.value)) < 600
    assert time.process_time() - start < 20
    assert most < 100 << 20


@pytest.mark.parametrize("case", ["all rows ragged", "a hole of zeros", "a tail of zeros"])
def test_ragged_rows_can_be_dropped(tmp_path, case):
    path = tmp_path / "e.csv"
    path.write_text(REFUSED[case][0])
    if case == "all rows ragged":
        with pytest.raises(DataError, match="200,000 rows break the one on columns"):
            read(path, bad_rows="drop")
    else:
        assert len(read(path, bad_rows="drop")) == 1


@pytest.mark.parametrize("case", ["a row that is not closed", "a last row that is not closed", "a long value"])
def test_what_an_unclosed_quote_swallows_is_not_dropped(tmp_path, case):
    path = tmp_path / "e.csv"
    path.write_text(REFUSED[case][0])
    with pytest.raises(DataError, match="row 2 has a quote that is never closed"):
        read(path, bad_rows="drop")


def test_a_file_is_left_open_while_threads_may_read_ahead(tmp_path, monkeypatch):
    # Its number would go to the file that is opened for the second look, which would lose what they read.
    opened, file = [], pa.OSFile

    def noted(path):
        opened.append(file(path))
        return opened[-1]

    monkeypatch.setattr(pa, "OSFile", noted)
    path = tmp_path / "e.csv"
    path.write_text(REFUSED["a hole of zeros"][0])
    assert len(read(path, bad_rows="drop")) == 1
    *_, first_look, _second_look = opened
    assert not first_look.closed


@pytest.mark.parametrize(
    "text",
    [
        (HEADER + ROW * 3).replace("\n", "\r"),
        (HEADER + ROW * 3).replace("\n", "\r\n"),
        HEADER + ROW.replace("\n", "\r") + ROW + ROW.replace("\n", "\r\n"),
        (HEADER + ROW * 3).strip(),
        "\n\n" + HEADER + "\n" + ROW * 2 + "\n" + ROW + "\n\n",
        "\ufeff" + HEADER + ROW * 3,
        '"uid","datetime","lat","lng"\n' + ROW * 3,
    ],
    ids=["CR", "CRLF", "mixed", "no last line end", "blank lines", "byte order mark", "quoted header"],
)
def test_line_ends_of_all_kinds_are_read(tmp_path, text):
    path = tmp_path / "e.csv"
    path.write_text(text, newline="")
    assert read_fixes(path).points == 3
    assert same(read(path), read(one_row(uid="canary")))


def test_many_lines_that_end_in_cr_are_read(tmp_path):
    path = tmp_path / "e.csv"
    path.write_text((HEADER + ROW * 50_000).replace("\n", "\r"), newline="")
    assert read_fixes(path).points == 50_000


def test_zeros_inside_an_identifier_are_part_of_it(tmp_path):
    path = tmp_path / "e.csv"
    path.write_text(HEADER + ROW * 200 + "can\0ary,2020-06-01T12:00:00Z,6.1,-5.2\n")
    assert read(path).people.to_pylist() == ["can\0ary", "canary"]


def test_rows_just_below_the_limit_are_read(tmp_path):
    path = tmp_path / "e.csv"
    path.write_text(HEADER + ROW + "b" * (LONGEST_ROW // 2) + ROW)
    assert len(read(path)) == 2


def test_many_columns_below_the_limit_are_read(tmp_path):
    path = tmp_path / "e.csv"
    names = [f"{i:x}" for i in range(0x10000, 0x10000 + 50_000)]
    path.write_text(HEADER.strip() + "," + ",".join(f"c{name}" for name in names) + "\n" + ROW.strip() + "," * 50_000)
    assert len(read(path)) == 1


def test_a_value_with_the_other_sign_is_no_separator(tmp_path):
    path = tmp_path / "e.csv"
    pl.DataFrame({"uid;x": ["a"], "datetime": ["2020-06-01T12:00:00Z"], "lat": [6.1], "lng": [-5.2]}).write_csv(path)
    assert same(read(path, columns={"uid": "uid;x"}), read(one_row()))
