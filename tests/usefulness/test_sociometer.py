"""The Sociometer: classes as by hand, comparisons, flows, the truth of synthetic people."""

import json
import stat

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

import shoal
from shoal.contract.kinds import cell_names
from shoal.data import build_profiles
from shoal.errors import DataError, ParameterError
from shoal.synth import calls
from shoal.usefulness.sociometer.agreement import agreement, ceiling, confusion, f_scores_by_place
from shoal.usefulness.sociometer.archetypes import LABELS
from shoal.usefulness.sociometer.labels import label_profiles
from usefulness import naive_sociometer as naive

weeks_of = st.lists(
    st.lists(st.sampled_from([0.0, 0.0, 0.2, 0.5, 1.0]), min_size=12, max_size=12), min_size=1, max_size=12
)


@given(weeks_of)
def test_few_profiles_are_prototypes_of_their_own(rows):
    found = label_profiles(np.zeros(len(rows), np.int64), np.array(rows))
    assert [LABELS[label] for label in found.labels] == [naive.label(row) for row in rows]


labels_of = st.lists(st.tuples(*[st.integers(0, 4)] * 2), min_size=1, max_size=30)


@given(labels_of)
def test_agreement_pair_by_pair(pairs):
    true, found = (np.array(side, np.int8) for side in zip(*pairs, strict=True))
    names = [[LABELS[i] for i in side] for side in (true, found)]
    result = agreement(true, found)
    for name in LABELS:
        expected = naive.f_score(*names, name)
        assert result["f_score"][name] == (None if expected is None else pytest.approx(expected, abs=1e-6))
        for other in LABELS:
            assert result["matrix"][name][other] == sum(p == (name, other) for p in zip(*names, strict=True))
    assert result["accuracy"] == pytest.approx(float((true == found).mean()), abs=1e-6)
    whole = f_scores_by_place(np.zeros(len(true), np.int64), true, found, 2)
    assert np.isnan(whole[1]).all()
    assert ceiling([true]) == {}
    assert confusion(true, true).sum() == np.trace(confusion(true, true))


@pytest.fixture(scope="module")
def people():
    data = calls(3_000, 4, preset="easy", seed=6)
    return data, build_profiles(data.events, cells=data.cells, tz="Europe/Rome")[0]


def test_easy_people_are_counted_right(people, tmp_path):
    data, profiles = people
    census = shoal.sociometer(profiles, truth=data.truth, seeds=2)
    beside = census.summary["against_truth"]
    assert beside["profiles"] == len(profiles) == data.truth.num_rows
    assert beside["accuracy"] > 0.9
    assert beside["kept"]["commuter"] > 0.9
    assert census.summary["commuters_with_a_home_elsewhere"] > 0.9
    assert set(census.summary["reseeding"]["kept"]) == set(LABELS)
    table = pl.from_arrow(census.counts)
    assert table["profiles"].sum() == len(profiles)
    assert (table["low"] <= table["profiles"]).all()
    assert (table["profiles"] <= table["high"]).all()
    assert sum(f["profiles"] for f in census.summary["classes"].values()) == len(profiles)
    assert census.flows["people"].to_numpy().sum() >= beside["matrix"]["commuter"]["commuter"] * 0.9
    out = census.write(tmp_path / "census")
    names = sorted(path.name for path in out.iterdir())
    assert names == ["counts.parquet", "flows.parquet", "labels.parquet", "prototypes.parquet", "summary.json"]
    assert stat.S_IMODE(out.stat().st_mode) == 0o700
    assert all(stat.S_IMODE(path.stat().st_mode) == 0o600 for path in out.iterdir())
    assert json.loads((out / "summary.json").read_text()) == census.summary


def test_the_same_seed_gives_the_same_census_whatever_the_order(people):
    _, profiles = people
    one = shoal.sociometer(profiles, seeds=1, prototypes=20)
    frame = profiles.to_polars().sample(fraction=1.0, shuffle=True, seed=1)
    two = shoal.sociometer(frame, seeds=1, prototypes=20)
    assert one.labels.equals(two.labels)
    assert one.prototypes.equals(two.prototypes)
    assert pl.from_arrow(one.prototypes)["profiles"].sum() < len(profiles)  # those who pass by have none


def test_a_person_who_only_passes_has_no_prototype():
    rows = (
        {"uid": ["a"], "municipality": ["Pisa"]} | {name: [0.0] for name in cell_names(1)} | {"w1_weekday_day": [0.2]}
    )
    census = shoal.sociometer(rows)
    assert census.labels["label"].to_pylist() == ["passing_by"]
    assert census.prototypes.num_rows == 0
    assert census.summary["commuters_with_a_home_elsewhere"] is None


@pytest.mark.parametrize("asked", [{"seeds": 0}, {"prototypes": 0}, {"original": {}}])
def test_what_cannot_be_asked(people, asked):
    with pytest.raises(ParameterError):
        shoal.sociometer(people[1], **asked)


def test_a_truth_that_does_not_fit(people, tmp_path):
    _, profiles = people
    for truth in (
        {"uid": ["nobody"], "municipality": ["nowhere"], "label": ["resident"]},
        {"uid": ["nobody"]},
        tmp_path / "none.parquet",
    ):
        with pytest.raises(DataError, match="truth"):
            shoal.sociometer(profiles, truth=truth, seeds=1, prototypes=2)
