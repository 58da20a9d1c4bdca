"""Call records: the labels of the truth are what the calls show."""

from zoneinfo import ZoneInfo

import numpy as np
import polars as pl
import pytest

from shoal.errors import ParameterError
from shoal.synth import CallsData, calls

USERS, WEEKS = 800, 4


@pytest.fixture(scope="module")
def data() -> CallsData:
    return calls(USERS, WEEKS, preset="easy", seed=13)


@pytest.fixture(scope="module")
def seen(data) -> pl.DataFrame:
    """Both ends of every call with municipality, week, slot and the truth's label."""
    where = pl.from_arrow(data.cells).select("cell", "municipality")
    events = pl.from_arrow(data.events).with_columns(pl.col("uid", "cell_start", "cell_end").cast(pl.String))
    ends = pl.concat(
        [
            events.select("uid", t=pl.col("datetime"), cell="cell_start"),
            events.select("uid", t=pl.col("datetime") + pl.duration(seconds="duration"), cell="cell_end"),
        ]
    )
    local = pl.col("t").dt.convert_time_zone("Europe/Rome")
    first = pl.datetime(2024, 1, 1, time_zone="Europe/Rome")
    hour = local.dt.hour()
    return (
        ends.join(where, on="cell")
        .with_columns(
            week=(local - first).dt.total_days() // 7,
            weekend=local.dt.weekday() > 5,
            slot=pl.when(hour < 8).then(0).when(hour < 19).then(1).otherwise(2),
        )
        .join(
            pl.from_arrow(data.truth).with_columns(pl.col("uid").cast(pl.String)),
            on=["uid", "municipality"],
            how="left",
        )
    )


def test_same_seed_same_tables(data):
    again = calls(USERS, WEEKS, preset="easy", seed=13)
    for name in ("events", "cells", "municipalities", "truth"):
        assert getattr(again, name).equals(getattr(data, name))
    assert not calls(USERS, WEEKS, preset="easy", seed=14).events.equals(data.events)


def test_schema(data):
    assert data.events.column_names == ["uid", "datetime", "duration", "cell_start", "cell_end"]
    assert str(data.events.schema.field("datetime").type) == "timestamp[us, tz=UTC]"
    assert str(data.events.schema.field("duration").type) == "int64"
    assert data.cells.column_names == ["cell", "lat", "lng", "municipality"]
    assert data.municipalities.column_names == ["municipality", "lat", "lng", "population"]
    assert data.truth.column_names == ["uid", "municipality", "label"]
    assert min(data.events["duration"].to_pylist()) >= 1


def test_the_truth_covers_exactly_what_was_seen(data, seen):
    assert seen["label"].null_count() == 0
    assert seen.select("uid", "municipality").n_unique() == data.truth.num_rows
    truth = pl.from_arrow(data.truth)
    assert truth.select("uid", "municipality").n_unique() == truth.height


def test_commuters_call_in_weekday_working_hours_only(seen):
    mine = seen.filter(label="commuter")
    assert mine.height
    assert not mine["weekend"].any()
    assert set(mine["slot"]) == {1}


def test_every_commuter_is_a_dynamic_resident_elsewhere(data):
    truth = pl.from_arrow(data.truth)
    commuters = truth.filter(label="commuter").select("uid", work="municipality")
    homes = truth.filter(label="dynamic_resident").select("uid", home="municipality")
    both = commuters.join(homes, on="uid", how="full")
    assert both.height == commuters.height == homes.height
    assert both.filter(pl.col("work") == pl.col("home")).is_empty()


def test_dynamic_residents_call_at_any_time_but_working_hours(seen):
    mine = seen.filter(label="dynamic_resident")
    assert mine.filter((pl.col("slot") == 1) & ~pl.col("weekend")).is_empty()
    assert mine.select("slot", "weekend").n_unique() == 5


def test_residents_call_in_every_slot_of_most_weeks(seen):
    mine = seen.filter(label="resident").group_by("uid").agg(pl.struct("week", "weekend", "slot").n_unique())
    assert mine["week"].mean() > 0.8 * WEEKS * 6


def test_visitors_stay_one_week_or_one_weekend(seen):
    mine = seen.filter(label="visitor").group_by("uid").agg(pl.col("week").n_unique(), pl.col("weekend").all())
    assert mine.height
    assert (mine["week"] == 1).all()
    assert mine["weekend"].any()
    assert not mine["weekend"].all()


def test_passers_by_leave_one_weekday_call(seen):
    mine = seen.filter(label="passing_by")
    assert not mine["weekend"].any()
    assert mine.group_by("uid", "municipality").len()["len"].max() <= 2
    assert (mine.group_by("uid").len()["len"] == 2).all()


def test_calls_of_a_person_do_not_overlap(data):
    uid = data.events["uid"].combine_chunks().indices.to_numpy()
    start = data.events["datetime"].cast("int64").to_numpy() // 1_000_000
    end = start + data.events["duration"].to_numpy()
    same = uid[1:] == uid[:-1]
    overlap = (end[:-1] >= start[1:]) & same
    assert overlap.mean() < 1e-3


def test_weeks_across_the_change_of_clocks_stay_local():
    data = calls(60, 14, preset="easy", seed=1)
    t = data.events["datetime"].to_pylist()
    local = [stamp.astimezone(ZoneInfo("Europe/Rome")) for stamp in (min(t), max(t))]
    assert local[0].weekday() == 0
    assert local[1].weekday() == 6
    assert local[1].utcoffset().total_seconds() == 7200


def test_large_municipalities_have_more_people(data):
    truth = pl.from_arrow(data.truth).filter(pl.col("label").is_in(["resident", "dynamic_resident"]))
    people = truth.group_by("municipality").len()
    table = pl.from_arrow(data.municipalities).join(people, on="municipality")
    assert np.corrcoef(table["population"], table["len"])[0, 1] > 0.8


@pytest.mark.parametrize(("users", "weeks", "tz"), [(0, 1, "UTC"), (1, 0, "UTC"), (1, 1, "Europe/Rom")])
def test_parameters_that_cannot_be(users, weeks, tz):
    with pytest.raises(ParameterError):
        calls(users, weeks, tz=tz)


@pytest.mark.parametrize("preset", ["easy", "tuscany"])
def test_a_single_person(preset):
    assert calls(1, 1, preset=preset, seed=0).events.num_rows >= 1
