"""Bad input: what was found, what was expected, one hint; exit 1, nothing written, and no value of the data."""

import gzip
import io
import os
import pickle
import random
import re

import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

HEADER = "uid,datetime,lat,lng\n"
# Nothing of these may ever be printed.
CANARIES = ("canary", "48.777123", "2.999321", "13:37:42", "12970321")
GOOD = "canary_one,2020-06-01T13:37:42Z,48.777123,2.999321\n"
OTHER = "canary_two,2020-06-01T13:37:42Z,48.777124,2.999322\n"


def csv(*rows, header=HEADER):
    return header + GOOD + OTHER + "".join(row + "\n" for row in rows)


def parquet(*rows, **columns):
    frame = pl.DataFrame(
        {
            "uid": ["canary_one", "canary_two"],
            "datetime": ["2020-06-01T13:37:42Z"] * 2,
            "lat": [48.777123] * 2,
            "lng": [2.999321] * 2,
        }
        | columns
    )
    buffer = io.BytesIO()
    frame.write_parquet(buffer)
    return buffer.getvalue()


def damaged_page():
    """Overwrite a page with noise; the footer stays as it is."""
    buffer = io.BytesIO()
    table = pl.read_parquet(io.BytesIO(parquet())).to_arrow()
    pq.write_table(pa.concat_tables([table] * 5000), buffer, compression="snappy", data_page_size=2000)
    raw = bytearray(buffer.getvalue())
    raw[60:1060] = random.Random(0).randbytes(1000)
    return bytes(raw)


WIDE = "".join(f",c{i}" for i in range(200_000))
MANY = csv(*(f"canary{i},2020-06-01T13:37:42Z,48.777123,2.999321" for i in range(20_000)))

# name of the case: file, content, part of what is said as found
BAD = {
    "empty file": ("e.csv", "", "an empty file"),
    "empty gzip": ("e.csv.gz", gzip.compress(b""), "an empty file"),
    "empty parquet": ("e.parquet", b"", "an empty file"),
    "header only": ("e.csv", HEADER, "no rows"),
    "parquet without rows": ("e.parquet", parquet(uid=[], datetime=[], lat=[], lng=[]), "no rows"),
    "no header": ("e.csv", GOOD + OTHER, "a first row that looks like data"),
    "no header, semicolons": ("e.csv", (GOOD + OTHER).replace(",", ";"), "a first row that looks like data"),
    "missing column": ("e.csv", csv(header="uid,datetime,lat,altitude\n"), "no column for lng"),
    "doubled column": ("e.csv", csv(header="uid,datetime,lat,lat\n"), "more than one column named 'lat'"),
    "semicolons": ("e.csv", csv().replace(",", ";"), "a header whose columns are separated by semicolons"),
    "tabs": ("e.tsv", csv().replace(",", "\t"), "a header whose columns are separated by tabs"),
    "lat 91": ("e.csv", csv("canary,2020-06-01T13:37:42Z,91,2.999321"), "row 3: a latitude beyond ±90"),
    "lng 181": ("e.csv", csv("canary,2020-06-01T13:37:42Z,48.777123,181"), "row 3: a longitude beyond ±180"),
    "zero zero": ("e.csv", csv("canary,2020-06-01T13:37:42Z,0.0,-0"), "row 3: the position (0, 0)"),
    "NaN coordinate": ("e.csv", csv("canary,2020-06-01T13:37:42Z,NaN,2.999321"), "row 3: a coordinate that is missing"),
    "NaN in parquet": ("e.parquet", parquet(lat=[48.777123, float("nan")]), "row 2: a coordinate that is missing"),
    "empty coordinate": ("e.csv", csv("canary,2020-06-01T13:37:42Z,48.777123,"), "row 3: a coordinate that is missing"),
    "decimal comma": (
        "e.csv",
        csv('canary,2020-06-01T13:37:42Z,"48,777","2,999"'),
        "row 3: a coordinate that is missing",
    ),
    "null uid": ("e.parquet", parquet(uid=["canary_one", None]), "row 2: a null or blank uid"),
    "blank uid": ("e.csv", csv("  ,2020-06-01T13:37:42Z,48.777123,2.999321"), "row 3: a null or blank uid"),
    "fraction as uid": ("e.parquet", parquet(uid=[12970321.0, 2.0]), "a uid column of type Float64"),
    "naive times": ("e.csv", csv().replace("Z", ""), "times without a zone"),
    "one naive time": ("e.csv", csv("canary,2020-06-01T13:37:42,48.777123,2.999321"), "times without a zone"),
    "seconds and milliseconds": (
        "e.csv",
        HEADER + "canary,1297032142,48.777123,2.999321\ncanary,1297032142000,48.777123,2.999321\n",
        "epoch times in seconds and milliseconds mixed",
    ),
    "no time": ("e.csv", csv("canary,soon,48.777123,2.999321"), "row 3: something that is not a time"),
    "year 1970": ("e.csv", csv("canary,1970-01-01T13:37:42Z,48.777123,2.999321"), "row 3: a year before 1971"),
    "year 2262": ("e.csv", csv("canary,2262-04-11T13:37:42Z,48.777123,2.999321"), "row 3: a year before 1971 or after"),
    "truncated gzip": ("e.csv.gz", gzip.compress(MANY.encode())[:-500], "truncated or damaged"),
    "gzip without its last bytes": ("e.csv.gz", gzip.compress(csv().encode())[:-6], "truncated or damaged"),
    "truncated parquet": ("e.parquet", parquet()[:-20], "truncated or damaged"),
    "parquet without its head": ("e.parquet", parquet()[4:], "without the Parquet mark"),
    "damaged parquet": ("e.parquet", parquet()[:40] + b"\xff" * 60 + parquet()[100:], "truncated or damaged"),
    "UTF-16": ("e.csv", csv().encode("utf-16"), "UTF-16"),
    "UTF-16 in gzip": ("e.csv.gz", gzip.compress(csv().encode("utf-16")), "not UTF-8"),
    "Latin-1": ("e.csv", csv("canaré,2020-06-01T13:37:42Z,48.777123,2.999321").encode("latin-1"), "not UTF-8"),
    "Latin-1 in the header": ("e.csv", csv(header="uid,datetime,lat,lng,é\n").encode("latin-1"), "not UTF-8"),
    "ragged row": ("e.csv", csv("canary,2020-06-01T13:37:42Z,48.777123,2.999321,5", GOOD), "row 3 has another number"),
    "short row": ("e.csv", csv("canary,48.777123"), "row 3 has another number"),
    "all rows ragged": ("e.csv", HEADER + "canary,1\n" * 50_000, "row 1 has another number of columns"),
    "long header": ("e.csv", csv(header="canary" * 40_000 + "," + HEADER), "a header that cannot be split into names"),
    "200,000 columns": ("e.csv", csv(header=HEADER.strip() + WIDE + "\n"), "a header of more than 1,048,576 bytes"),
    "only quotes": ("e.csv", '"' * 999, "a header that cannot be split into names"),
    "unclosed quote": ("e.csv", csv('"canary') + MANY, "row 3 has a quote that is never closed"),
    "long line": ("e.csv", csv("canary" * 500_000), "row 3 has a quote that is never closed, or is longer than"),
    "NUL bytes": ("e.csv", csv() + "\0" * 5000, "a binary file"),
    "NUL bytes at the end": ("e.csv", MANY + "\0" * 5000, "row 20,003 has another number of columns"),
    "damaged page": ("e.parquet", damaged_page(), "truncated or damaged"),
    "half a parquet": ("e.parquet", parquet()[: len(parquet()) // 2], "truncated or damaged"),
    "parquet with another end": ("e.parquet", parquet()[:-4] + b"PARX", "truncated or damaged"),
    "footer of nonsense": ("e.parquet", parquet()[:-8] + b"\xff\xff\xff\x7fPAR1", "truncated or damaged"),
    "lists for places": ("e.parquet", parquet(lat=[[48.777123], [48.777123]]), "a column lat of type"),
    "pickle": ("e.pkl", pickle.dumps({"uid": ["canary"]}), "a pickle file"),
    "pickle by another name": ("e.csv", pickle.dumps({"uid": ["canary"]}), "a pickle file"),
    "no such file": ("../desk/./none.parquet", None, "no file or directory 'none.parquet'"),
    "binary": ("e.csv", b"\x00\x01\x02canary" * 99, "a binary file"),
    "the other side of the globe": ("e.csv", csv("canary,2020-06-01T13:37:42Z,-49,-177"), "opposite"),
}


def refused(desk, result, found, *, left):
    """Check an orderly refusal: exit code, three sentences, no canary, nothing written."""
    assert result.code == 1, result
    lines = result.err.strip().splitlines()
    starts = [line.split(" ", 1)[0] for line in lines]
    assert [start for start in starts if start in ("error", "expected", "hint")] == ["error", "expected", "hint"], lines
    assert found in result.said
    assert result.out == ""
    assert "a fault in Shoal" not in result.said
    assert not re.search("panicked|Traceback|polars|pyarrow|RUST_BACKTRACE", result.err.split("hint")[0]), result.err
    assert not any(canary in result.err for canary in CANARIES), result.err
    assert desk.names() == left
    assert not desk.state.exists() or not list(desk.state.rglob("ledger"))


@pytest.mark.parametrize("case", BAD)
def test_bad_data_is_refused(desk, case):
    name, content, found = BAD[case]
    left = []
    if content is not None:
        left = [desk.write(name, content)]
    refused(desk, desk.protect(name), found, left=left)


@pytest.mark.parametrize(
    ("options", "found"),
    [
        ({"cell_m": 0}, "--cell-m 0"),
        ({"cell_m": 2.5}, "--cell-m 2.5"),
        ({"cell_m": "NaN"}, "--cell-m NaN"),
        ({"cell_m": 150}, "a cell of 150 m"),
        ({"cell_m": 10**12}, "--cell-m 1000000000000"),
        ({"minutes": 0}, "--minutes 0"),
        ({"minutes": 2.5}, "--minutes 2.5"),
        ({"minutes": "NaN"}, "--minutes NaN"),
        ({"minutes": 10**12}, "--minutes 1000000000000"),
    ],
    ids=str,
)
def test_impossible_parameters_are_refused(desk, options, found):
    desk.write("e.csv", csv())
    refused(desk, desk.protect("e.csv", **options), found, left=["e.csv"])


@pytest.mark.parametrize(
    ("options", "found", "hint"),
    [
        (["--cell-m=-1000"], "--cell-m -1000", ""),
        (["--minutes=-60"], "--minutes -60", ""),
        (["--minutes", 60, "--grid-s", "480"], "a time step of 3600 s", "multiple"),
        (["--grid-m", 300], "--grid-m 300", "20 km and 8 h"),
        (["--schema", "skmobb"], "--schema skmobb", "did you mean 'skmob'?"),
        (["--tz", "Europe/Roma"], "--tz Europe/Roma", "did you mean 'Europe/Rome'?"),
        (["--bad-rows", "skip"], "--bad-rows skip", ""),
        (["--columns", "uidd=uid"], "--columns for 'uidd'", "did you mean 'uid'?"),
        (["--columns", "lat=latt"], "no column named 'latt'", "did you mean 'lat'?"),
        (["--person", "owner"], "no column named 'owner'", ""),
        (["--min-per-day", "NaN"], "--min-per-day NaN", ""),
        (["--min-per-day", 1000], "nobody left after screening", "lower --min-per-day"),
        (["--seed", 1], "--seed on a release", "--not-for-release"),
        (["--out", "e.csv"], "the output is the input", ""),
        (["--secret", "release/secret"], "the secret directory lies inside the release", ""),
        (["--secret", "release"], "the secret directory is the release", ""),
        (["--out", "missing/release"], "missing", "create it first"),
        (["--ledger", "release/ledger"], "a ledger inside", ""),
    ],
    ids=lambda value: " ".join(map(str, value)) if isinstance(value, list) else "",
)
def test_impossible_options_are_refused(desk, options, found, hint):
    desk.write("e.csv", csv())
    result = desk.protect("e.csv", *options)
    refused(desk, result, found, left=["e.csv"])
    assert hint in result.said


@pytest.mark.parametrize(
    ("taken", "kind"),
    [("release", "file"), ("release", "directory"), ("release", "dangling link"), ("release.secret", "directory")],
)
def test_what_exists_is_never_touched(desk, taken, kind):
    desk.write("e.csv", csv())
    path = desk.home / taken
    if kind == "file":
        path.write_text("mine")
    elif kind == "directory":
        path.mkdir()
    else:
        path.symlink_to("nowhere")
    refused(desk, desk.protect("e.csv"), "exists already", left=["e.csv", taken])
    assert kind != "file" or path.read_text() == "mine"


def test_a_release_around_or_inside_the_input_is_refused(desk):
    (desk.home / "parts").mkdir()
    desk.write("parts/e.csv", csv())
    result = desk.protect("parts", out="parts/release")
    refused(desk, result, "the output lies inside the input", left=["parts", "parts/e.csv"])


def test_the_cells_table_is_held_to_rules(desk):
    desk.write("e.csv", "uid,datetime,cell\ncanary,2020-06-01T13:37:42Z,canary9\n")
    refused(desk, desk.protect("e.csv"), "no cells table", left=["e.csv"])
    desk.write("c.csv", "cell,lat,lng\ncanary9,48.777123,2999.321\n")
    refused(desk, desk.protect("e.csv", "--cells", "c.csv"), "cells table, row 1: a longitude", left=["c.csv", "e.csv"])
    desk.write("c.csv", "cell,lat,lng\ncanary8,48.777123,2.999321\n")
    refused(desk, desk.protect("e.csv", "--cells", "c.csv"), "row 1: a cell that is blank", left=["c.csv", "e.csv"])


@pytest.mark.parametrize(
    "arguments",
    [
        ["protect", "uniform", "e.csv", "--cell-m", 1000, "--minutes", 60],
        ["protect", "uniform", "e.csv", "--cell-m", 1000, "--minutes", 60, "--out", "r", "--cellm", 5],
        ["protect", "nothing", "e.csv"],
        ["inspect"],
        ["inspct", "e.csv"],
        ["synth", "cdr", "--users", 5, "--out", "x.parquet", "--seed", "one"],
    ],
    ids=lambda arguments: " ".join(map(str, arguments)),
)
def test_wrong_usage_exits_with_2(desk, arguments):
    desk.write("e.csv", csv())
    result = desk(*arguments)
    assert result.code == 2, result
    assert result.out == ""
    assert result.err
    assert not any(canary in result.err for canary in CANARIES)
    assert desk.names() == ["e.csv"]


def test_bad_rows_can_be_dropped_and_are_counted(desk):
    rows = [
        "canary,2020-06-01T13:37:42Z,91,2.999321",
        "canary,2020-06-01T13:37:42Z,92,2.999321",
        "canary,2020-06-01T13:37:42Z,0,0",
        " ,2020-06-01T13:37:42Z,48.777123,2.999321",
        "canary,1970-01-01T00:00:00Z,48.777123,2.999321",
        "canary,never,48.777123,2.999321",
        "canary,2020-06-01T13:37:42Z,48.777123",
    ]
    desk.write("e.csv", csv(*rows))
    result = desk.protect("e.csv", "--bad-rows", "drop")
    assert result.code == 0, result
    counted = {line.split("the rule on ")[1] for line in result.err.splitlines() if "the rule on" in line}
    assert counted == {
        "uid: 1",
        "datetime: 1",
        "year: 1",
        "latitude: 2",
        "zero position: 1",
        "columns: 1",
    }
    assert not any(canary in result.err for canary in CANARIES)
    assert pl.read_parquet(desk.home / "release" / "data.parquet").height == 2


def test_inspect_counts_bad_rows_and_shows_none(desk):
    desk.write("e.csv", csv("canary,2020-06-01T13:37:42Z,91,2.999321", "canary,2020-06-01T13:37:42Z"))
    result = desk("inspect", "e.csv")
    assert result.code == 0
    assert "2 of 4 rows" in result.out
    assert "1 row breaks the rule on latitude: mend it, or drop it with --bad-rows drop" in result.out
    assert "1 row breaks the rule on columns" in result.out
    assert not any(canary in result.out + result.err for canary in CANARIES)
    assert desk.names() == ["e.csv"]


def test_a_fault_tells_its_kind_and_no_value(desk):
    """A traceback could quote the data, so it is shown on demand only."""
    desk.write("e.csv", csv())
    paths = [str(desk.home.parent / "broken"), desk.env.get("PYTHONPATH", "")]
    desk.env["PYTHONPATH"] = os.pathsep.join(filter(None, paths))
    broken = desk.home.parent / "broken" / "sitecustomize.py"
    broken.parent.mkdir()
    broken.write_text(
        "import polars\n"
        "def fail(*args, **kwargs):\n"
        "    raise RuntimeError('canary 48.777123')\n"
        "polars.from_arrow = fail\n"
    )
    command = ("protect", "uniform", "e.csv", "--cell-m", 1000, "--minutes", 60, "--out", "release")
    result = desk.alone(*command)
    assert result.code == 1
    assert "a fault in Shoal itself (RuntimeError)" in result.said
    assert "canary" not in result.err
    assert desk.names() == ["e.csv"]
    desk.env["SHOAL_DEBUG"] = "1"
    assert "Traceback" in desk.alone(*command).err


def test_rows_of_parts_are_told_by_their_file(desk):
    (desk.home / "parts").mkdir()
    desk.write("parts/part-1.csv", csv())
    desk.write("parts/part-2[red].csv", csv("canary,2020-06-01T13:37:42Z,91,2.999321"))
    left = ["parts", "parts/part-1.csv", "parts/part-2[red].csv"]
    found = "row 3 of part-2[red].csv (file 2 of 2): a latitude beyond ±90 (1 such row)"
    refused(desk, desk.protect("parts"), found, left=left)
    refused(desk, desk.protect("parts/part-*.csv"), found, left=left)
    refused(desk, desk.protect("parts/part-9*.csv"), "nothing that fits 'part-9*.csv'", left=left)
    assert desk("inspect", "parts/part-1*").code == 0
    assert "people 2" in " ".join(desk("inspect", "parts/part-*.csv").out.split())


def test_a_cells_table_with_other_names(desk):
    desk.write("e.csv", "uid,datetime,cell\ncanary,2020-06-01T13:37:42Z,canary9\n")
    desk.write("c.csv", "mcc,cell,lon,lat\n208,canary9,2.999321,48.777123\n")
    result = desk.protect("e.csv", "--cells", "c.csv")
    refused(desk, result, "a cells table without lng among mcc, cell, lon, lat", left=["c.csv", "e.csv"])
    assert "name it with --cells-columns lng=lon" in result.said
    assert desk.protect("e.csv", "--cells", "c.csv", "--cells-columns", "lng=lon").code == 0
    other = desk.protect("e.csv", "--cells", "c.csv", "--cells-columns", "lng", out="other")
    assert "--cells-columns that is not a list of NAME=COLUMN" in other.said


def test_times_with_an_offset_for_a_zone(desk):
    times = pa.array([1_591_018_662], pa.timestamp("s", "+05:30"))
    pq.write_table(
        pa.table({"uid": ["canary"], "datetime": times, "lat": [48.777123], "lng": [2.999321]}),
        desk.home / "e.parquet",
    )
    result = desk("inspect", "e.parquet")
    assert result.code == 0, result
    assert "in the data (+05:30)" in result.out
    assert "1 person has a single sample" in result.out
    assert "1 people" not in result.out
