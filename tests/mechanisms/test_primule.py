"""PRIMULE from profiles to a release: who is equal to whom on what, who is left out, and what is said about it."""

from fractions import Fraction

import numpy as np
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import shoal
from mechanisms.naive_primule import naive_primule
from shoal.contract.kinds import cell_names
from shoal.data import Profiles
from shoal.engines.local import Local
from shoal.errors import DataError, ParameterError
from shoal.mechanisms.primule.units import in_units

WEEKS = 2
CELLS = cell_names(WEEKS)


def profiles_of(rows, towns, people=None, weeks=WEEKS):
    people = people if people is not None else [f"p{i}" for i in range(len(rows))]
    values = np.array(rows, np.float64).reshape(len(rows), -1)
    return Profiles(pa.array(people, pa.string()), pa.array(towns, pa.string()), values, weeks)


def crowd(n=300, towns=("Pisa", "Lucca"), seed=1, weeks=WEEKS):
    rng = np.random.default_rng(seed)
    days = np.tile([5, 5, 5, 2, 2, 2], weeks)
    return profiles_of(rng.binomial(days, 0.2, (n, days.size)) / days, rng.choice(towns, n), weeks=weeks)


def published(release, original):
    """The published values in the order of the original's rows; NaN where a row is withheld."""
    owners = pl.from_arrow(release.secret.mapping)
    rows = pl.from_arrow(release.data).join(owners, on="uid", how="left")
    whose = pl.DataFrame(
        {"original_uid": pl.Series(original.people), "municipality": pl.Series(original.municipalities)}
    )
    joined = whose.join(rows, on=["original_uid", "municipality"], how="left", maintain_order="left")
    return joined.select(cell_names(original.weeks)).to_numpy()


def smallest(values, towns):
    """The least number of rows of one municipality with the same bytes."""
    table = pl.DataFrame({"town": towns, **{str(i): column for i, column in enumerate(values.T)}})
    return table.group_by(pl.all()).len()["len"].min()


@settings(max_examples=60, deadline=None)
@given(
    st.lists(st.tuples(st.sampled_from("ab"), st.lists(st.integers(0, 2), min_size=6, max_size=6)), min_size=4),
    st.integers(2, 4),
    st.sets(st.integers(0, 5), min_size=1),
)
def test_every_municipality_is_the_papers_for_any_knowledge(rows, k, known):
    original = profiles_of([[v / 2 for v in row] for _, row in rows], [town for town, _ in rows], weeks=1)
    known = sorted(known)
    mechanism = shoal.Primule(k=k, known=[cell_names(1)[cell] for cell in known], small="keep")
    expected = np.array([[v / 2 for v in row] for _, row in rows])
    protected = False
    for town in "ab":
        mine = [i for i, (where, _) in enumerate(rows) if where == town]
        new = naive_primule([[Fraction(v, 2) for v in rows[i][1]] for i in mine], known, k)
        protected |= new is not None
        if new is not None:
            expected[mine] = [[float(value) for value in row] for row in new]
    if not protected:
        with pytest.raises(DataError):
            mechanism.protect(original)
        return
    np.testing.assert_array_equal(published(mechanism.protect(original), original), expected)


@pytest.mark.parametrize(
    ("options", "known"),
    [
        ({}, list(CELLS)),
        ({"weeks": 1}, list(cell_names(1))),
        ({"weeks": 2}, list(CELLS)),
        ({"known": "w2_weekend_day,w1_weekday_day"}, ["w1_weekday_day", "w2_weekend_day"]),
    ],
)
def test_whatever_the_attacker_knows_k_agree_on_it(options, known):
    original = crowd()
    release = shoal.Primule(k=10, **options).protect(original)
    claim = release.manifest["promise"]["claim"]
    assert claim == {"name": "k-anonymous-cells", "k": 10, "cells": known}
    values, columns = published(release, original), [CELLS.index(name) for name in known]
    towns = original.municipalities.to_pylist()
    assert smallest(values[:, columns], towns) >= 10
    # What is known to nobody stays as it was, and a mean stays a mean.
    others = [i for i in range(len(CELLS)) if i not in columns]
    np.testing.assert_array_equal(values[:, others], original.values[:, others])
    for town in set(towns):
        mine = np.array(towns) == town
        np.testing.assert_allclose(values[mine].mean(axis=0), original.values[mine].mean(axis=0))


def test_what_was_asked_for_is_told_in_one_way():
    original = crowd()
    for options, told in (
        ({}, ("all", None)),
        ({"weeks": WEEKS}, ("all", None)),
        ({"known": CELLS}, ("all", None)),
        ({"known": list(cell_names(1))[::-1]}, (1, None)),
        ({"known": ["w1_weekday_day"] * 2}, ("all", ["w1_weekday_day"])),
    ):
        parameters = shoal.Primule(k=5, **options).protect(original).manifest["parameters"]
        assert (parameters["weeks"], parameters["known"]) == told


def test_threads_and_the_order_of_rows_change_nothing():
    original = crowd(600, ("a", "b", "c"))
    turned = np.random.default_rng(2).permutation(len(original))
    other = Profiles(original.people.take(turned), original.municipalities.take(turned), original.values[turned], WEEKS)
    mechanism = shoal.Primule(k=7)
    one, two = (mechanism.protect(original, engine=Local(n), seed=1) for n in (1, 2))
    assert one.data == two.data
    np.testing.assert_array_equal(published(mechanism.protect(other), original), published(one, original))


def test_a_large_municipality_gets_all_threads_and_the_same_groups(monkeypatch):
    from shoal.mechanisms.primule import towns

    original = crowd(400, ("a", "b"))
    expected = published(shoal.Primule(k=5).protect(original), original)
    monkeypatch.setattr(towns, "LARGE", 100)
    told = []
    release = shoal.Primule(k=5).protect(original, progress=lambda phase, *_: told.append(phase))
    np.testing.assert_array_equal(published(release, original), expected)
    assert any("large" in phase for phase in told)


def test_small_municipalities_are_left_out_and_listed():
    rows = [[0.2] * 12] * 5 + [[0.4] * 12] * 5 + [[0.6] * 12] * 4
    towns = ["Pisa"] * 10 + ["Vagli"] * 4
    people = [f"p{i}" for i in range(10)] + ["p0", "q1", "q2", "q3"]
    original = profiles_of(rows, towns, people)
    release = shoal.Primule(k=5).protect(original)
    assert set(release.data["municipality"].to_pylist()) == {"Pisa"}
    listed = release.secret.suppressed.to_pylist()
    assert [(row["original_uid"], row["municipality"], row["reason"]) for row in listed] == [
        (person, "Vagli", "small") for person in ("p0", "q1", "q2", "q3")
    ]
    # p0 is published in Pisa: three people are withheld, not four.
    assert release.secret.run["profiles_in_small_municipalities"] == 4
    kept = shoal.Primule(k=5, small="keep").protect(original)
    np.testing.assert_array_equal(published(kept, original), original.values)
    assert kept.secret.suppressed.num_rows == 0
    assert any("fewer than 5" in line for line in kept.manifest["promise"]["not_covered"])
    assert kept.remarks == ("4 profiles of municipalities with fewer than 5 are published unprotected",)


def test_groups_of_exactly_k_keep_their_values_to_the_last_bit():
    rows = [[1 / 3, 2 / 3, 0.2, 0.5, 0.25, 0.75]] * 3 + [[0.4, 0.6, 0.8, 1.0, 0.0, 1 / 3]] * 3
    original = profiles_of(rows, ["Pisa"] * 6, weeks=1)
    np.testing.assert_array_equal(published(shoal.Primule(k=3).protect(original), original), original.values)


def test_a_person_counts_once():
    """Two rows of one person in a municipality would make a crowd of two out of one."""
    twice = profiles_of([[0.2] * 12] * 2, ["Pisa"] * 2, ["ann", "ann"])
    with pytest.raises(DataError, match="1 profile too many") as error:
        shoal.Primule(k=2).protect(twice)
    assert "ann" not in str(error.value)
    elsewhere = profiles_of([[0.2] * 12] * 4, ["Pisa", "Lucca"] * 2, ["ann", "ann", "bob", "bob"])
    assert shoal.Primule(k=2).protect(elsewhere).data.num_rows == 4


@pytest.mark.parametrize(
    ("options", "found", "hint"),
    [
        ({"known": "w1_weekday_nite"}, "w1_weekday_nite", "did you mean 'w1_weekday_night'?"),
        ({"known": "w3_weekday_night"}, "w3_weekday_night", "did you mean 'w1_weekday_night'?"),
        ({"known": ""}, "known", "for example w1_weekday_night"),
        ({"weeks": 3}, "`weeks=3` of profiles over 2 weeks", "leave it out"),
        ({"weeks": 0}, "`weeks=0`", "first weeks"),
        ({"weeks": 1, "known": "w1_weekday_day"}, "`known` with `weeks=1`", "leave one out"),
        ({"small": "drop"}, "`small='drop'`", "known"),
    ],
)
def test_what_cannot_be_asked_for(options, found, hint):
    with pytest.raises(ParameterError) as error:
        shoal.Primule(k=5, **options).protect(crowd())
    assert found in error.value.found
    assert hint.split("'")[0] in error.value.hint


@pytest.mark.parametrize("small", ["suppress", "keep"])
def test_k_above_the_largest_municipality(small):
    with pytest.raises(DataError, match="no municipality with 301 profiles"):
        shoal.Primule(k=301, small=small).protect(crowd(300, ("Pisa",)))
    assert shoal.Primule(k=300, small=small).protect(crowd(300, ("Pisa",))).data.num_rows == 300


def test_values_become_whole_numbers():
    days = np.array([i / n for n in (1, 2, 3, 4, 5) for i in range(n + 1)])
    counts, scale = in_units(days)
    assert scale == 60
    np.testing.assert_array_equal(counts / 60, days)
    decimals = np.round(np.random.default_rng(1).uniform(0, 1, 1000), 6)
    counts, scale = in_units(decimals)
    np.testing.assert_allclose(counts / scale, decimals, rtol=0, atol=1e-12)
    assert abs(in_units(np.array([1 / 7])).counts[0] / scale - 1 / 7) < 2e-7


def test_promise_before_there_are_data():
    assert "on all its cells" in shoal.Primule(k=5).promise.holds
    assert "all cells of weeks 1 to 2" in shoal.Primule(k=5, weeks=2).promise.holds
