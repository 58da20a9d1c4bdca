"""Which files are read: named ones, patterns, directories and what links lead to; each of them once."""

import os
from pathlib import Path

import polars as pl
import pytest

from data.rows import one_row, same
from shoal.data import read, read_fixes
from shoal.data.paths import files_at, inputs_in
from shoal.errors import DataError


def person(uid):
    return one_row(uid=uid)


@pytest.fixture
def folder(tmp_path):
    """Make three parts and what is no data."""
    top = tmp_path / "parts"
    (top / "more").mkdir(parents=True)
    person("a").write_csv(top / "events-1.csv")
    person("b").write_csv(top / "events-2.csv")
    person("c").write_csv(top / "more" / "other.csv")
    for name in (".events-0.csv", "._events-1.csv", "_SUCCESS", "_log.csv", "README.md"):
        (top / name).write_bytes(b"\x00")
    for hidden in (".trash", "_temporary"):
        (top / hidden).mkdir()
        person("gone").write_csv(top / hidden / "old.csv")
    return top


def people(source, **options):
    """Everybody, as often as they were read."""
    fixes = read_fixes(source, **options)
    return [fixes.people[i].as_py() for i in fixes.owner]


def test_a_directory_is_looked_through_and_what_is_hidden_is_passed_over(folder):
    assert people(folder) == ["a", "b", "c"]


def test_patterns_and_lists_name_files(folder):
    assert people(folder / "events-*.csv") == ["a", "b"]
    assert people(str(folder / "events-[2-9].csv")) == ["b"]
    assert people(str(folder / "*" / "*.csv")) == ["c"]
    assert people(str(folder.parent / "par*")) == ["a", "b", "c"]
    assert people([folder / "events-2.csv", str(folder / "more")]) == ["b", "c"]
    assert people((folder / "events-*.csv", folder / "more" / "*.csv")) == ["a", "b", "c"]


def test_inputs_are_what_was_named(folder):
    parts = [folder / "events-1.csv", folder / "events-2.csv"]
    assert sorted(inputs_in(str(folder / "events-*.csv"))) == parts
    assert inputs_in(folder) == inputs_in([folder]) == inputs_in(folder.parent / "par?s") == [folder]
    assert inputs_in(person("a")) == inputs_in(folder / "none.csv") == inputs_in([folder, "none.csv"]) == []


def test_a_file_is_read_once_however_often_it_is_named(folder):
    assert people([folder, folder / "events-1.csv", str(folder / "events-*.csv"), folder / "more"]) == ["a", "b", "c"]


def test_a_name_that_looks_like_a_pattern_is_a_name_first(tmp_path):
    path = tmp_path / "events[1].csv"
    person("a").write_csv(path)
    person("b").write_csv(tmp_path / "events1.csv")
    assert people(path) == ["a"]
    assert people([path]) == ["a"]


def test_the_relative_and_the_absolute_pattern_mean_the_same(folder, monkeypatch):
    monkeypatch.chdir(folder)
    assert people("events-*.csv") == people(folder / "events-*.csv")


def test_patterns_pass_over_what_is_no_data_unless_it_is_meant(folder):
    person("log").write_csv(folder / "_log.csv")
    assert people(folder / "*-*.csv") == ["a", "b"]
    assert people(folder / "_l*.csv") == ["log"]


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("events-9*.csv", "nothing that fits 'events-9\\*.csv'"),
        ("**/*.csv", "a pattern with \\*\\*"),
        ("none.csv", "no file or directory 'none.csv'"),
        ("x" * 5000, "no file or directory with a name of 5,000 characters"),
        ("uid,lat\ncanary,1", "no file or directory with a name of 16 characters"),
        ("nul\0.csv", r"no file or directory 'nul\\x00.csv'"),
    ],
)
def test_what_is_not_there_is_refused(folder, name, message):
    with pytest.raises(DataError, match=message) as caught:
        read(str(folder) + "/" + name)
    assert "canary" not in str(caught.value)


def test_links_are_followed_once_and_loops_end(folder, tmp_path):
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    person("d").write_csv(elsewhere / "far.csv")
    person("e").write_csv(tmp_path / "alone.csv")
    (folder / "a-link").symlink_to(elsewhere)
    (folder / "more" / "again").symlink_to(elsewhere)
    (folder / "more" / "up").symlink_to(folder)
    (folder / "aaa").symlink_to(folder / "more")
    (elsewhere / "back").symlink_to(folder)
    (elsewhere / "self").symlink_to(".")
    (folder / "latest.csv").symlink_to("events-2.csv")
    (folder / "alone.csv").symlink_to(tmp_path / "alone.csv")
    assert people(folder) == ["a", "b", "c", "d", "e"]
    (tmp_path / "way").symlink_to(folder)
    assert people(tmp_path / "way") == ["a", "b", "c", "d", "e"]
    named = {path.name for path in files_at([folder], lambda name: name.endswith(".csv"))}
    assert "latest.csv" not in named


def test_a_link_to_nothing_is_data_that_is_missing(folder):
    (folder / "gone.csv").symlink_to("nowhere.csv")
    with pytest.raises(DataError, match=r"a link that leads nowhere \(gone.csv\)"):
        read(folder)
    (folder / "gone.csv").unlink()
    (folder / "gone.md").symlink_to("nowhere.md")
    assert people(folder) == ["a", "b", "c"]


def test_pipes_are_refused_and_passed_over(folder):
    os.mkfifo(folder / "pipe.csv")
    assert people(folder) == ["a", "b", "c"]
    with pytest.raises(DataError, match=r"'pipe.csv', which is neither a file nor a directory"):
        read(folder / "pipe.csv")


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read everything")
def test_what_may_not_be_read_is_refused(folder):
    (folder / "events-1.csv").chmod(0)
    with pytest.raises(DataError, match=r"^events-1.csv \(file 1 of 3\): a file that cannot be opened"):
        read(folder)
    (folder / "more").chmod(0)
    with pytest.raises(DataError, match="a directory that cannot be opened"):
        read(folder)


def test_files_that_fail_to_open_are_errors_of_the_data(folder, monkeypatch):
    """As the test above, for those who are root."""

    def refuse(*_args, **_named):
        raise PermissionError("canary")

    monkeypatch.setattr(Path, "open", refuse)
    with pytest.raises(DataError, match=r"^events-1.csv \(file 1 of 3\): a file that cannot be opened") as caught:
        read(folder)
    assert "canary" not in str(caught.value)
    monkeypatch.setattr(os, "scandir", refuse)
    with pytest.raises(DataError, match="a directory that cannot be opened"):
        read(folder)


ROWS = {"datetime": "2020-06-01T12:00:00Z", "lat": [6.1, 6.2, 91.0], "lng": -5.2}


@pytest.mark.parametrize("ending", ["csv", "parquet"])
def test_row_numbers_name_the_file(tmp_path, ending):
    for name, rows in (("a", 2), ("b", 1), ("c", 3)):
        frame = pl.DataFrame({"uid": "canary"} | ROWS)[:rows]
        path = tmp_path / f"part-{name}.{ending}"
        frame.write_csv(path) if ending == "csv" else frame.write_parquet(path)
    with pytest.raises(DataError, match=rf"^row 3 of part-c.{ending} \(file 3 of 3\): a latitude .* \(1 such row\)"):
        read(tmp_path)
    with pytest.raises(DataError, match=r"^row 3: a latitude"):
        read(tmp_path / f"part-c.{ending}")
    assert len(read(tmp_path, bad_rows="drop")) == 1


def test_ragged_rows_name_the_file(tmp_path):
    person("a").write_csv(tmp_path / "a.csv")
    (tmp_path / "b.csv").write_text(person("b").write_csv() + "canary,1\n")
    with pytest.raises(DataError, match=r"^b.csv \(file 2 of 2\): row 2 has another number of columns") as caught:
        read(tmp_path)
    assert "canary" not in str(caught.value)


def test_rows_of_a_cells_table_in_parts_name_the_file(tmp_path):
    for number in (1, 2):
        pl.DataFrame({"cell": ["A", "B"], "lat": [6.1, 6.2 + 90 * (number == 2)], "lng": -5.2}).write_csv(
            tmp_path / f"cells-{number}.csv"
        )
    events = pl.DataFrame({"uid": ["a"], "datetime": ["2020-06-01T12:00:00Z"], "cell": ["A"]})
    with pytest.raises(DataError, match=r"^cells table, row 2 of cells-2.csv \(file 2 of 2\): a latitude"):
        read(events, cells=tmp_path / "cells-*.csv")


def test_odd_names_are_told_in_quotes(tmp_path):
    person("a").write_csv(tmp_path / "a.csv")
    (tmp_path / "b\n[red]\x1b.csv").write_text("")
    with pytest.raises(DataError, match=r"^'b\\n\[red\]\\x1b.csv' \(file 2 of 2\): an empty file"):
        read(tmp_path)


def test_a_part_with_another_type_is_named(tmp_path):
    person("a").write_parquet(tmp_path / "a.parquet")
    one_row(lat="6.1").write_parquet(tmp_path / "b.parquet")
    with pytest.raises(DataError, match=r"^b.parquet \(file 2 of 2\): other columns or types"):
        read(tmp_path)


def test_zones_of_parts_may_differ(tmp_path):
    for zone in ("UTC", "Europe/Rome"):
        frame = one_row(uid=zone).with_columns(pl.col("datetime").str.to_datetime(time_zone="UTC"))
        frame = frame.with_columns(pl.col("datetime").dt.convert_time_zone(zone))
        frame.write_parquet(tmp_path / f"{zone.partition('/')[0]}.parquet")
    assert same(read(tmp_path), read(pl.concat([one_row(uid="UTC"), one_row(uid="Europe/Rome")])))
