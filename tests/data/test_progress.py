"""Reading tells how far it is: with a total that is known from the start, never backwards, to the end."""

import gzip
import threading

import polars as pl
import pyarrow as pa
import pytest

from data.rows import one_row
from data.test_read import geolife_tree
from shoal.contract.kinds import cell_names
from shoal.data import Fixes, delimited, read, read_as, read_fixes, read_profiles, read_with_report
from shoal.measurement.kgap import measure
from shoal.measurement.overview import overview

READERS = {
    "read": read,
    "read_fixes": read_fixes,
    "read_with_report": read_with_report,
    "read_as": lambda source, **named: read_as(Fixes, source, **named),
    "overview": overview,
}


class Told:
    """What was told, by phase."""

    def __init__(self):
        self.phases = {}

    def __call__(self, phase, done, total):
        self.phases.setdefault(phase, []).append((done, total))

    def check(self, total):
        steps = self.phases["reading"]
        assert steps == sorted(steps)
        assert steps[0] == (0, total)
        assert steps[-1] == (total, total)
        return len(steps)


def people(n):
    return pl.concat([one_row(uid=f"u{i}") for i in range(n)])


@pytest.mark.parametrize("reader", READERS)
def test_rows_of_parquet(tmp_path, reader):
    for i in range(3):
        people(5).write_parquet(tmp_path / f"{i}.parquet")
    told = Told()
    READERS[reader](tmp_path, progress=told)
    assert told.check(15) >= 4


def test_row_groups_of_one_file(tmp_path, monkeypatch):
    monkeypatch.setattr("shoal.data.parquet._ROWS_AT_A_TIME", 10)
    people(95).write_parquet(tmp_path / "e.parquet", row_group_size=5)
    told = Told()
    read(tmp_path / "e.parquet", progress=told)
    assert told.check(95) >= 10


@pytest.mark.parametrize("ending", ["csv", "csv.gz"])
def test_bytes_of_csv(tmp_path, ending):
    text = people(5).write_csv().encode()
    text = gzip.compress(text) if ending == "csv.gz" else text
    for i in range(3):
        (tmp_path / f"{i}.{ending}").write_bytes(text)
    told = Told()
    read(tmp_path, progress=told)
    assert told.check(3 * len(text)) >= 4


@pytest.mark.parametrize("ending", ["csv", "csv.gz"])
def test_bytes_within_one_csv(tmp_path, monkeypatch, ending):
    """The reader waits in the middle until that was told: how fast it is must not matter here."""
    monkeypatch.setattr(delimited, "_SECONDS_BETWEEN_LOOKS", 0.001)
    text = pl.concat([people(50)] * 100).write_csv().encode()
    text = gzip.compress(text, 0) if ending == "csv.gz" else text
    path = tmp_path / f"e.{ending}"
    path.write_bytes(text)
    told_within = threading.Event()

    def tell(done):
        if 0 < done < len(text):
            told_within.set()

    with pa.OSFile(str(path)) as file:
        stream = delimited._unpacked(file, path)

        def in_two_steps():
            stream.read(len(text) // 2)
            assert told_within.wait(60)
            return stream.read()

        assert delimited._watched(in_two_steps, file, tell)


def test_files_of_a_tree(tmp_path, monkeypatch):
    monkeypatch.setattr("shoal.data.trees._FILES_AT_A_TIME", 2)
    told = Told()
    read(geolife_tree(tmp_path), schema="geolife", bad_rows="drop", progress=told)
    assert told.check(3) == 3


def test_profiles(tmp_path):
    table = pl.DataFrame({"uid": ["a"], "municipality": ["Pisa"]} | {name: [0.5] for name in cell_names(1)})
    table.write_parquet(tmp_path / "p.parquet")
    told = Told()
    read_profiles(tmp_path / "p.parquet", progress=told)
    told.check(1)


def test_measuring_reads_too(tmp_path):
    people(3).write_parquet(tmp_path / "e.parquet")
    told = Told()
    measure(tmp_path / "e.parquet", progress=told)
    told.check(3)
    assert len(told.phases) > 1


def test_frames_are_there_already():
    told = Told()
    read(people(3), progress=told)
    assert told.phases == {}
