"""From calls to a census, through the command line."""

import json
import stat

import polars as pl
import pytest

from shoal.synth import calls

ZONE = ["--tz", "Europe/Rome"]


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    where = tmp_path_factory.mktemp("calls")
    data = calls(400, 2, seed=4)
    for name in ("events", "cells", "truth"):
        pl.from_arrow(getattr(data, name)).write_parquet(where / f"{name}.parquet")
    return where


def built(desk, folder, tmp_path, *more):
    out = tmp_path / "profiles.parquet"
    cells = ["--cells", folder / "cells.parquet"]
    return out, desk("profiles", "build", folder / "events.parquet", *cells, *ZONE, "--out", out, *more)


def test_profiles_are_built_for_their_owner_alone(desk, folder, tmp_path):
    out, done = built(desk, folder, tmp_path, "--json")
    assert done.code == 0
    figures = json.loads(done.out)
    truth = pl.read_parquet(folder / "truth.parquet")
    assert figures["profiles"] == truth.height == pl.read_parquet(out).height
    assert (figures["weeks"], figures["days"], figures["copies"]) == (2, 14, 0)
    assert stat.S_IMODE(out.stat().st_mode) == 0o600
    _, again = built(desk, folder, tmp_path)
    assert again.code == 1


def test_a_mechanism_that_takes_profiles_takes_calls(desk, folder, tmp_path):
    cells = ["--cells", folder / "cells.parquet"]
    done = desk(
        "protect", "primule", folder / "events.parquet", *cells, *ZONE, "--k", "5", "--out", tmp_path / "release"
    )
    assert done.code == 0, done.err
    assert (tmp_path / "release" / "data.parquet").is_file()


def test_nothing_is_written_where_the_input_is_bad(desk, folder, tmp_path):
    events = pl.read_parquet(folder / "events.parquet").with_columns(duration=pl.lit(-5))
    events.write_parquet(tmp_path / "bad.parquet")
    out = tmp_path / "p.parquet"
    cells = ["--cells", folder / "cells.parquet"]
    done = desk("profiles", "build", tmp_path / "bad.parquet", *cells, *ZONE, "--out", out)
    assert done.code == 1
    assert "row 1: a duration" in done.err
    assert not out.exists()
    done = desk("profiles", "build", folder / "events.parquet", *cells, "--out", out)
    assert done.code == 1
    assert "--tz" in done.err


@pytest.mark.parametrize(
    ("more", "words"),
    [
        (["--weeks", "1"], "the first 1 week"),
        (["--weeks", "1", "--any-weeks"], "any 1 week"),
        (["--known", "w1_weekday_day,w2_weekend_night"], "2 given cells"),
        (["--size", "all"], "size all"),
    ],
)
def test_risk_of_profiles(desk, folder, tmp_path, more, words):
    out, _ = built(desk, folder, tmp_path)
    done = desk("risk", out, "--attack", "profile", *more)
    assert done.code == 0, done.err
    assert words in done.out
    assert "above 1/10" in done.out


def test_a_census(desk, folder, tmp_path):
    out, _ = built(desk, folder, tmp_path)
    done = desk("sociometer", out, "--truth", folder / "truth.parquet", "--seeds", "2", "--out", tmp_path / "census")
    assert done.code == 0, done.err
    assert "dynamic resident" in done.out
    assert "Classes of the profiles beside the true ones" in done.out
    assert stat.S_IMODE((tmp_path / "census").stat().st_mode) == 0o700
    printed = desk("sociometer", out, "--seeds", "1", "--json")
    assert json.loads(printed.out)["municipalities"] == 5


@pytest.fixture(scope="module")
def from_saturday(folder, tmp_path_factory):
    """Calls from the sixth day on."""
    where = tmp_path_factory.mktemp("saturday") / "events.parquet"
    events = pl.read_parquet(folder / "events.parquet")
    events.filter(pl.col("datetime") >= pl.datetime(2024, 1, 5, 23, time_zone="UTC")).write_parquet(where)
    return where


@pytest.mark.parametrize(
    ("mechanism", "first_built"), [(["primule", "--k", "5"], True), (["laplace", "--epsilon", "1"], False)]
)
def test_cells_without_days_stand_in_the_manifest(desk, folder, from_saturday, tmp_path, mechanism, first_built):
    data, read = from_saturday, ["--cells", folder / "cells.parquet", *ZONE]
    if first_built:
        data = tmp_path / "profiles.parquet"
        assert desk("profiles", "build", from_saturday, *read, "--out", data).code == 0
        read = []
    out = tmp_path / "release"
    done = desk("protect", *mechanism, data, *read, "--out", out, "--secret", tmp_path / "secret")
    assert done.code == 0, done.err
    said = json.loads((out / "manifest.json").read_text())["parameters"]["cells_without_days"]
    assert said == ["w1_weekday_night", "w1_weekday_day", "w1_weekday_evening"]
    done = desk("audit", out, "--original", data, *read, "--secret", tmp_path / "secret")
    assert done.code == 0, done.out + done.err


def test_profiles_are_not_screened_and_that_is_said_before_they_are_read(desk, tmp_path):
    done = desk("protect", "primule", tmp_path / "nothing.parquet", "--min-per-day", "1", "--out", tmp_path / "release")
    assert done.code == 1
    assert "--min-per-day 1" in done.err
    assert "profiles, which do not say how often somebody was seen" in done.err
