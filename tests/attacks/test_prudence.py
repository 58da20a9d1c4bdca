"""PRUDEnce against its enumeration, and against the figures that are printed for the toy set."""

import math

import numpy as np
import polars as pl
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from attacks import naive_prudence as naive
from shoal.attacks.prudence import FAMILIES, prudence, table
from shoal.attacks.prudence.records import records_from
from shoal.attacks.prudence.table import Units, fewest_by_table

# Whole minutes, all different: a person's records have one order.
person = st.lists(st.integers(0, 4), min_size=1, max_size=7)
crowd = st.lists(person, min_size=1, max_size=7)
SIZES = (None, 1, 2, 3, 4, 6)
"""All of them for every crowd: left to chance, most crowds would be tried with everything known, which says little."""

TOLERANT = ("frequency", "probability", "proportion")


def timed(people):
    return [[(60 * (i + shift % 3), place) for i, place in enumerate(places)] for shift, places in enumerate(people)]


def records_of(people):
    rows = [(who, t, place) for who, records in enumerate(people) for t, place in records]
    owner, t, place = np.array(rows, np.int64).reshape(-1, 3).T
    return records_from(owner, t, place, len(people))


@pytest.mark.parametrize("family", FAMILIES)
@settings(max_examples=60)
@given(people=crowd)
@example(people=[[0, 1], [0, 0, 1, 1], [2, 1]])  # visited in the same proportion, and not as often
@example(people=[[0, 0, 1], [0, 1], [2, 1]])  # one was somewhere twice
@example(people=[[0, 1, 0], [1, 0], [0, 1, 1]])  # the same places in another order
def test_the_table_and_the_search_find_what_enumeration_finds(family, people):
    people = timed(people)
    records, everybody = records_of(people), np.arange(len(people))
    for size in SIZES:
        true = [naive.risk(people, i, family, size, step=180) for i in range(len(people))]
        found = prudence(records, family, size, everybody, step_s=180)
        assert found.exact.all()
        assert found.risk.tolist() == true
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(table, "MOST_ROWS", 0)
            searched = prudence(records, family, size, everybody, step_s=180)
        assert searched.exact.all()
        assert searched.risk.tolist() == true


@given(people=crowd, size=st.integers(1, 5), effort=st.integers(0, 40))
def test_the_table_tells_of_whoever_has_enough_and_is_not_larger_than_effort_allows(people, size, effort):
    offsets = np.cumsum([0, *map(len, people)])
    units = Units(offsets, np.array([place for places in people for place in places]))
    told = fewest_by_table(units, size, np.arange(len(people)), effort) > 0
    rows = [math.comb(len(places), size) for places in people]
    allowed = size <= table.LARGEST and sum(rows) <= effort * len(people)
    assert told.tolist() == [allowed and each > 0 for each in rows]


@pytest.mark.parametrize("family", TOLERANT)
@settings(max_examples=60)
@given(people=crowd, tolerance=st.sampled_from([0.1, 0.25, 0.5, 1.0]))
def test_tolerances(family, people, tolerance):
    people = timed(people)
    for size in SIZES:
        found = prudence(records_of(people), family, size, np.arange(len(people)), tolerance=tolerance)
        assert found.exact.all()
        true = [naive.risk(people, i, family, size, tolerance=tolerance) for i in range(len(people))]
        assert found.risk.tolist() == true


@pytest.mark.parametrize("family", FAMILIES)
@given(people=crowd, size=st.integers(1, 4), effort=st.integers(0, 12), tolerance=st.sampled_from([0.0, 0.5]))
def test_a_search_that_gives_up_still_gives_true_bounds(family, people, size, effort, tolerance):
    people = timed(people)
    tolerance = tolerance if family in TOLERANT else 0.0
    rng = np.random.default_rng(3)
    found = prudence(
        records_of(people), family, size, np.arange(len(people)), tolerance=tolerance, effort=effort, rng=rng
    )
    true = [naive.risk(people, i, family, size, step=3600, tolerance=tolerance) for i in range(len(people))]
    for low, risk, high, exact in zip(found.risk, true, found.risk_at_most, found.exact, strict=True):
        assert low <= risk <= high
        assert not exact or low == risk


def test_giving_up_happens_and_is_said():
    """Enough people and places that a handful of comparisons cannot settle it."""
    rng = np.random.default_rng(4)
    people = timed([rng.integers(0, 12, 30).tolist() for _ in range(60)])
    records = records_of(people)
    hasty = prudence(records, "unique-location", 4, np.arange(60), effort=20)
    patient = prudence(records, "unique-location", 4, np.arange(60), effort=10**9)
    assert patient.exact.all()
    assert not hasty.exact.all()
    assert (hasty.risk <= patient.risk).all()
    assert (patient.risk <= hasty.risk_at_most).all()


@given(people=crowd, size=st.sampled_from(SIZES), seed=st.integers(0, 9))
def test_only_the_targets_are_attacked_and_in_their_order(people, size, seed):
    people = timed(people)
    targets = np.random.default_rng(seed).permutation(len(people))[: max(1, len(people) // 2)]
    all_of_them = prudence(records_of(people), "location", size, np.arange(len(people))).risk
    assert prudence(records_of(people), "location", size, targets).risk.tolist() == all_of_them[targets].tolist()


# As scikit-mobility 1.3.1 prints them; home and work by the two most visited places, which it means but does not do.
TOY = {
    ("location", 2): [1 / 3, 1 / 2, 1 / 3, 1 / 3, 1 / 4, 1 / 4, 1 / 2],
    ("location", 3): [1 / 2, 1, 1 / 2, 1 / 3, 1 / 3, 1 / 4, 1],
    ("sequence", 2): [1 / 2, 1 / 2, 1, 1 / 2, 1, 1 / 3, 1 / 2],
    ("sequence", 3): [1, 1, 1, 1, 1, 1 / 3, 1],
    ("location-time", 2): [1, 1, 1, 1, 1, 1 / 2, 1],
    ("unique-location", 2): [1 / 3, 1 / 4, 1 / 3, 1 / 3, 1 / 4, 1 / 4, 1 / 4],
    ("unique-location", 3): [1 / 2, 1 / 3, 1 / 2, 1 / 3, 1 / 3, 1 / 4, 1 / 4],
    ("frequency", 1): [1 / 4, 1 / 2, 1 / 4, 1 / 5, 1 / 4, 1 / 4, 1 / 2],
    ("frequency", 2): [1 / 3, 1, 1 / 3, 1 / 3, 1 / 3, 1 / 3, 1],
    ("probability", 2): [1 / 2, 1, 1 / 2, 1, 1, 1, 1],
    ("proportion", 2): [1 / 3, 1, 1 / 3, 1 / 3, 1 / 3, 1 / 3, 1],
    ("proportion", None): [1 / 2, 1, 1 / 2, 1 / 3, 1 / 3, 1 / 3, 1],
    ("home-work", None): [1 / 3, 1 / 2, 1 / 3, 1 / 3, 1, 1 / 2, 1],
}
TOY_TOLERANT = {
    ("frequency", 2): [1 / 3, 1, 1 / 3, 1 / 3, 1 / 4, 1 / 4, 1],
    ("probability", 3): [1 / 2, 1, 1 / 2, 1 / 3, 1 / 3, 1, 1],
    ("proportion", 2): [1 / 3, 1 / 4, 1 / 3, 1 / 3, 1 / 3, 1 / 3, 1 / 4],
}


@pytest.fixture(scope="module")
def toy(shared_data):
    frame = pl.read_csv(shared_data("skmob_privacy_toy.csv"), try_parse_dates=True)
    place = frame.select(pl.struct("lat", "lng").rank("dense"))["lat"].to_numpy().astype(np.int64) - 1
    return records_from(frame["uid"].to_numpy() - 1, frame["datetime"].dt.epoch("s").to_numpy(), place, 7)


@pytest.mark.parametrize(("family", "size"), TOY)
def test_the_toy_set(toy, family, size):
    assert prudence(toy, family, size, np.arange(7)).risk.tolist() == pytest.approx(TOY[family, size])


@pytest.mark.parametrize(("family", "size"), TOY_TOLERANT)
def test_the_toy_set_with_a_tolerance_of_one_half(toy, family, size):
    found = prudence(toy, family, size, np.arange(7), tolerance=0.5)
    assert found.risk.tolist() == pytest.approx(TOY_TOLERANT[family, size])


def test_a_search_that_would_go_too_deep_gives_up(monkeypatch):
    """Everybody else lacks one place of the first person, each another one: all places are needed."""
    monkeypatch.setattr("shoal.attacks.prudence.search.DEEPEST", 5)
    places = 20
    people = [range(places), *([place for place in range(places) if place != missing] for missing in range(places))]
    records = records_of([[(0, place) for place in one] for one in people])
    found = prudence(records, "unique-location", places - 1, np.array([0]), effort=10**7)
    assert (found.at_least[0], found.exact[0]) == (1, False)
    assert 2 <= found.matches[0] < places


@pytest.mark.parametrize("family", ["location", "sequence", "unique-location"])
def test_very_long_knowledge_does_not_exhaust_the_stack(family):
    """Thousands of records of one place, or of as many places."""
    same = [(60 * i, 0) for i in range(3000)]
    various = [(60 * i, i) for i in range(1500)]
    records = records_of([same, same[:2990], various, various[::-1], various[3:]])
    found = prudence(records, family, 1400, np.arange(5), effort=10**7)
    assert (found.at_least <= found.matches).all()
    assert found.at_least.min() >= 1
