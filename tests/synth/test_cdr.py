"""Call detail records: reproducible, well-formed, and of the shape that the papers describe."""

import dataclasses

import numpy as np
import pyarrow as pa
import pytest

from shoal.errors import ParameterError
from shoal.synth import PRESETS, cdr
from shoal.synth.network import SPACING_M, build_network
from shoal.synth.people import settle

USERS, DAYS = 2_000, 14
MINUTE_US = 60_000_000


@pytest.fixture(scope="module")
def civ() -> pa.Table:
    return cdr(USERS, DAYS, preset="civ", seed=7)


def minutes(table: pa.Table) -> np.ndarray:
    return table["datetime"].cast(pa.int64()).to_numpy() // MINUTE_US


def per_person(table: pa.Table) -> np.ndarray:
    return np.bincount(table["uid"].combine_chunks().indices.to_numpy())


def test_same_seed_same_table_and_another_seed_another(civ):
    again = cdr(300, 3, seed=1)
    assert again.equals(cdr(300, 3, seed=1))
    assert not again.equals(cdr(300, 3, seed=2))
    assert not again["uid"].equals(cdr(300, 3, seed=2)["uid"])


def test_every_block_of_people_has_its_own_stream():
    """More people than one block, without drawing the same lives again in the second."""
    table = cdr(4_100, 1, preset="shanghai", seed=3)
    uid, minute = table["uid"].combine_chunks().indices.to_numpy(), minutes(table)
    first, second = minute[uid < 4], minute[(uid >= 4_096) & (uid < 4_100)]
    assert len(first)
    assert len(second)
    assert not np.array_equal(first, second)


def test_schema(civ):
    assert civ.column_names == ["uid", "datetime", "lat", "lng"]
    assert civ.schema.field("uid").type == pa.dictionary(pa.int32(), pa.string())
    assert civ.schema.field("datetime").type == pa.timestamp("us", "UTC")
    assert civ.schema.field("lat").type == civ.schema.field("lng").type == pa.float64()
    assert all(column.null_count == 0 for column in civ.columns)


def test_whole_minutes_ascending_and_nobody_twice_in_one(civ):
    stamp = civ["datetime"].cast(pa.int64()).to_numpy()
    assert not np.any(stamp % MINUTE_US)
    uid = civ["uid"].combine_chunks().indices.to_numpy()
    same = uid[1:] == uid[:-1]
    assert np.all(np.diff(stamp)[same] > 0)
    assert stamp.max() - stamp.min() < DAYS * 24 * 60 * MINUTE_US


def test_uids_are_distinct_opaque_and_without_order(civ):
    ids = civ["uid"].combine_chunks().dictionary.to_pylist()
    assert len(set(ids)) == USERS
    assert all(len(uid) == 16 and int(uid, 16) >= 0 for uid in ids)
    assert ids != sorted(ids)


def test_positions_are_antennas(civ):
    network = build_network(PRESETS["civ"], 7)
    seen = set(zip(civ["lat"].to_pylist(), civ["lng"].to_pylist(), strict=True))
    assert seen <= set(zip(network.lat.tolist(), network.lng.tolist(), strict=True))
    assert len(seen) > 0.8 * PRESETS["civ"].antennas


@pytest.mark.parametrize("name", PRESETS)
def test_antennas_number_and_spacing(name):
    preset = PRESETS[name]
    network = build_network(preset, 0)
    assert len(network.x) == preset.antennas
    apart = network.distance_km + np.eye(preset.antennas, dtype=np.float32) * 1e6
    assert apart.min() * 1000 >= SPACING_M - 0.1
    assert network.people.sum() == pytest.approx(1)
    # No 100 m grid, wherever its origin is, has two of them in a cell.
    for shift in (0.0, 13.0, 50.0, 77.0):
        cells = np.stack([(network.x + shift) // 100, (network.y + shift) // 100])
        assert np.unique(cells, axis=1).shape[1] == preset.antennas


@pytest.mark.parametrize("name", PRESETS)
def test_samples_per_person_meet_the_paper_at_two_thousand(name):
    preset = PRESETS[name]
    counts = per_person(cdr(USERS, preset.days, preset=name, seed=11))
    assert counts.mean() == pytest.approx(preset.samples_per_user, rel=0.15)
    assert counts.min() >= max(1, preset.min_per_day * preset.days)


def test_counts_are_heavy_tailed(civ):
    counts = per_person(civ)
    assert np.mean(counts) > 1.2 * np.median(counts)
    assert counts.max() > 8 * np.median(counts)


def test_night_is_quieter_than_day_and_weekend_than_week(civ):
    hour = minutes(civ) // 60 % 24
    by_hour = np.bincount(hour, minlength=24)
    assert by_hour[1:6].mean() < 0.1 * by_hour[10:22].mean()
    day = minutes(civ) // 1440
    by_day = np.bincount(day - day.min(), minlength=DAYS)
    weekend = np.arange(DAYS) % 7 >= 5
    assert by_day[weekend].mean() < by_day[~weekend].mean()


def test_activity_is_bursty(civ):
    """Many gaps are far shorter, and some far longer, than even activity would have them."""
    uid, minute = civ["uid"].combine_chunks().indices.to_numpy(), minutes(civ)
    gaps = np.diff(minute)[uid[1:] == uid[:-1]]
    assert np.median(gaps) < 0.6 * gaps.mean()


def test_the_clock_is_the_presets():
    table = cdr(500, 1, preset="shanghai", seed=2)
    hour = minutes(table) // 60 % 24
    assert np.mean((hour + 8) % 24 < 6) < 0.05


def test_people_of_one_home_share_places():
    network = build_network(PRESETS["civ"], 0)
    people = settle(USERS, DAYS, PRESETS["civ"], network, 0)
    busiest = np.bincount(people.home).argmax()
    work = people.work[(people.home == busiest) & (people.work >= 0)]
    assert 1 < len(np.unique(work)) < len(work)


def test_a_variant_with_many_places():
    from shoal.synth import check

    variant = dataclasses.replace(PRESETS["civ"], places_per_user=50.0)
    (places,) = (s for s in check(cdr(1_000, 14, preset=variant), variant, 1_000, 14) if s.name == "places per user")
    assert 30 <= places.measured <= 100


@pytest.mark.parametrize(("users", "days"), [(0, 1), (-3, 1), (5, 0), (2.5, 1), (True, 1)])
def test_numbers_that_cannot_be(users, days):
    with pytest.raises(ParameterError):
        cdr(users, days)


def test_unknown_preset_hints_at_the_nearest():
    with pytest.raises(ParameterError, match="did you mean 'dakar'"):
        cdr(1, 1, preset="dakkar")


def test_negative_seed():
    with pytest.raises(ParameterError):
        cdr(1, 1, seed=-1)


def test_one_person_one_day():
    assert cdr(1, 1, seed=4).num_rows >= 1


def test_progress_ends_at_the_total():
    seen: list[tuple[str, int, int]] = []
    cdr(50, 1, progress=lambda phase, done, total: seen.append((phase, done, total)))
    assert seen[-1][1:] == (50, 50)
