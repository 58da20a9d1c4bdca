"""The Sociometer: classes as by hand, comparisons, flows, the truth of synthetic people."""

import json
import stat

import numpy as np
import polars as pl
import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

import shoal
from shoal.contract.kinds import cell_names
from shoal.data import build_profiles
from shoal.errors import DataError, ParameterError
from shoal.synth import calls
from shoal.usefulness.sociometer.agreement import agreement, ceiling, confusion, f_scores_by_place
from shoal.usefulness.sociometer.archetypes import LABELS
from shoal.usefulness.sociometer.flows import flows
from shoal.usefulness.sociometer.labels import label_profiles
from usefulness import naive_sociometer as naive
from usefulness.test_every_figure import flat, shuffled_profiles
from usefulness.test_profiles import profiles_of, publish

weeks_of = st.lists(
    st.lists(st.sampled_from([0.0, 0.0, 0.2, 0.5, 1.0]), min_size=12, max_size=12), min_size=1, max_size=12
)


@given(weeks_of)
def test_few_profiles_are_prototypes_of_their_own(rows):
    found = label_profiles(np.zeros(len(rows), np.int64), np.array(rows))
    assert [LABELS[label] for label in found.labels] == [naive.label(row) for row in rows]


labels_of = st.lists(st.tuples(*[st.integers(0, 4)] * 2), min_size=1, max_size=30)


def names_of(labels):
    return [LABELS[label] for label in labels]


def assert_equal_to(told, plain):
    """Every figure has a twin, and equals it but for the digits that are not told."""
    told, plain = flat(told), flat(plain)
    assert told.keys() == plain.keys()
    for name, value in plain.items():
        assert told[name] == (value if value is None else pytest.approx(value, abs=1e-6)), name


@given(labels_of)
def test_agreement_pair_by_pair(pairs):
    true, found = (np.array(side, np.int8) for side in zip(*pairs, strict=True))
    assert_equal_to(agreement(true, found), naive.agreement(names_of(true), names_of(found)))
    whole = f_scores_by_place(np.zeros(len(true), np.int64), true, found, 2)
    assert np.isnan(whole[1]).all()
    assert ceiling([true]) == {}
    assert confusion(true, true).sum() == np.trace(confusion(true, true))


@given(st.lists(st.tuples(*[st.integers(0, 4)] * 3), min_size=1, max_size=20))
def test_the_ceiling_is_the_mean_and_the_least_over_starts(rows):
    first, *others = (np.array(side, np.int8) for side in zip(*rows, strict=True))
    plain = naive.ceiling(names_of(first), [names_of(other) for other in others])
    assert_equal_to(ceiling([first, *others]), plain)


commuting = st.lists(
    st.tuples(st.integers(0, 4), st.integers(0, 3), st.sampled_from([1, 1, 2, 2, 0])),
    max_size=14,
    unique_by=lambda row: row[:2],
)


@given(commuting)
@example([(0, 0, 1), (0, 1, 1), (0, 2, 2)])  # two homes
def test_flows_equal_a_loop_over_commuters(rows):
    person, place, labels = (np.array([row[i] for row in rows], np.int64) for i in range(3))
    matrix, share = flows(person, place, labels.astype(np.int8), 4)
    ways, plain = naive.flows([(who, where, LABELS[label]) for who, where, label in rows])
    assert {(i, j): int(matrix[i, j]) for i, j in zip(*np.nonzero(matrix), strict=True)} == ways
    assert share == (None if plain is None else pytest.approx(plain))


COMMUTING = [0.0, 1.0, 0.0, 0.0, 0.0, 0.0]
tables = st.dictionaries(
    st.tuples(st.sampled_from("abc"), st.sampled_from("xyz")),
    st.tuples(*[st.lists(st.sampled_from([0.0, 0.0, 0.2, 1.0]), min_size=6, max_size=6)] * 2, st.booleans()),
    min_size=1,
    max_size=7,
)


@settings(max_examples=20, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(tables)
@example({("a", town): (COMMUTING, [1.0] * 6 if town == "z" else COMMUTING, True) for town in "xyz"})
def test_every_figure_of_a_census_equals_a_loop(tmp_path_factory, rows):
    out = tmp_path_factory.mktemp("census") / "r"
    raw = {key: true for key, (true, _, _) in rows.items()}
    published = {key: values for key, (_, values, kept) in rows.items() if kept} or dict([*raw.items()][:1])
    publish(out, published, 1)
    before = {key: naive.label(values) for key, values in raw.items()}
    after = {key: naive.label(values) for key, values in published.items()}
    labels = ([before[key] for key in published], list(after.values()))
    truth = {key: naive.NAMES[i % 5] for i, key in enumerate(raw)}
    table = {name: [key[i] for key in raw] for i, name in enumerate(("uid", "municipality"))}
    table["label"] = list(truth.values())
    reseeding = {"reseeding": naive.ceiling(list(before.values()), [list(before.values())])}

    told = shoal.sociometer(profiles_of(raw, 1), truth=table, seeds=2).summary
    _, share = naive.flows([(*key, label) for key, label in before.items()])
    against = {"against_truth": naive.agreement(list(truth.values()), list(before.values()))}
    plain = naive.census(raw, 2) | reseeding | {"commuters_with_a_home_elsewhere": share} | against
    assert_equal_to(told, plain)

    told = shoal.sociometer(out, original=profiles_of(raw, 1), truth=table, seeds=2).summary
    tokens = {(str(i), town): values for i, ((_, town), values) in enumerate(published.items())}
    plain = naive.census(tokens, 2) | reseeding | against
    plain["against_original"] = naive.agreement(*labels) | naive.by_town([town for _, town in published], *labels)
    plain["release_against_truth"] = naive.agreement([truth[key] for key in published], labels[1])
    assert_equal_to(told, plain)


def test_who_is_one_of_many_has_the_class_of_the_nearest_prototype():
    rng = np.random.default_rng(3)
    values = rng.choice([0.0, 0.0, 0.2, 0.5, 1.0], (300, 12))
    found = label_profiles(np.zeros(300, np.int64), values, prototypes=20)
    assert len(found.centre) == 20
    assert names_of(found.label) == [naive.nearest(centre) for centre in found.centre.tolist()]
    members = np.zeros(20, np.int64)
    for profile, label in zip(values.tolist(), names_of(found.labels), strict=True):
        if naive.label(profile) == "passing_by":
            assert label == "passing_by"
            continue
        away = [sum((a - b) ** 2 for a, b in zip(profile, centre, strict=True)) for centre in found.centre.tolist()]
        nearest = away.index(min(away))
        members[nearest] += 1
        assert label == LABELS[found.label[nearest]]
    assert members.tolist() == found.people.tolist()


def test_an_identical_release_agrees_and_names_do_not_matter(tmp_path):
    told = []
    for name, raw in zip("ab", shuffled_profiles(), strict=True):
        publish(tmp_path / name, raw)
        census = shoal.sociometer(tmp_path / name, original=profiles_of(raw, 2), seeds=2, prototypes=5)
        beside = census.summary["against_original"]
        assert beside["accuracy"] == 1
        for part in ("kept", "f_score", "f_score_median_municipality"):
            assert set(beside[part].values()) <= {1.0, None}
        assert set(beside["share_off_mean_municipality"].values()) == {0}
        told.append((census.summary, census.counts.to_pylist()))
    assert told[0] == told[1]


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
