"""Profiles attacked with given cells, first weeks and any weeks, beside the naive count."""

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

import shoal
from attacks import naive_profiles as naive
from shoal.attacks.prudence import known_cells
from shoal.attacks.prudence.known_cells import KnownCells, fewest_alike
from shoal.contract.kinds import cell_names
from shoal.errors import ParameterError

WEEKS = 3
NAMES = cell_names(WEEKS)
ONE_WEEK = [(0.0,) * 6, (0.2, -0.0, 0, 0, 0, 0), (0, 0, 0, 0.5, 1, 1 / 3)]
profile_rows = st.lists(
    st.tuples(
        st.sampled_from("abcd"),
        st.sampled_from("xy"),
        # Few values, so that people are alike; week by week, so that some weeks are.
        st.lists(
            st.sampled_from([(0.0,) * 6, (0.2, -0.0, 0, 0, 0, 0), (0, 0, 0, 0.5, 1, 1 / 3)]), min_size=3, max_size=3
        ),
    ),
    min_size=1,
    max_size=8,
    unique_by=lambda row: row[:2],
)


def table(rows):
    values = [[value for week in weeks for value in week] for _, _, weeks in rows]
    frame = pl.DataFrame({"uid": [row[0] for row in rows], "municipality": [row[1] for row in rows]})
    return frame.hstack(pl.DataFrame(values, schema=list(NAMES), orient="row"))


KNOWN = {
    "all": ({}, {}),
    "first": ({"weeks": 2}, {"first": 2}),
    "any 1": ({"weeks": 1, "any_weeks": True}, {"any_of": 1}),
    "any 2": ({"weeks": 2, "any_weeks": True}, {"any_of": 2}),
    "cells": ({"known": ("w1_weekend_night", "w3_weekday_night")}, {"cells": [3, 12]}),
}


@pytest.mark.parametrize("room", [1 << 63, 50])
@given(profile_rows, st.sampled_from(sorted(KNOWN)))
def test_any_knowledge_as_counted_one_by_one(room, rows, name):
    asked, instances = KNOWN[name]
    flat = [(person, place, [v for week in weeks for v in week]) for person, place, weeks in rows]
    expected = naive.risks(flat, naive.known_cells(WEEKS, **instances))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(known_cells, "_ROOM", room)  # words that do not fit are numbered anew
        found = shoal.risk(table(rows), "profile", **asked)
    assert dict(found.to_polars().rows()) == expected
    assert found.summary["exact"]
    risks = np.array(list(expected.values()))
    assert found.summary["share_above_1_in"]["2"] == round(float((risks > 1 / 2).mean()), 6)


def test_many_different_values_are_told_apart():
    rng = np.random.default_rng(4)
    values = rng.random((3000, 48))
    values[1500:] = values[:1500]
    place = np.tile(np.arange(1500) % 7, 2)
    assert (fewest_alike(place, values, KnownCells()) == 2).all()
    assert (fewest_alike(place, values, KnownCells(weeks=3, any_weeks=True)) == 2).all()


@pytest.mark.parametrize(
    ("asked", "message"),
    [
        ({"known": ("w9_weekday_day",)}, "w9_weekday_day"),
        ({"known": ()}, "without a cell"),
        ({"weeks": 4}, "weeks=4"),
        ({"weeks": 0}, "weeks=0"),
        ({"weeks": 1, "known": NAMES[:1]}, "one or the other"),
        ({"any_weeks": True}, "without `weeks`"),
        ({"weeks": 1, "size": 2}, "size=2"),
    ],
)
def test_knowledge_that_cannot_be(asked, message):
    with pytest.raises(ParameterError, match=message):
        shoal.risk(table([("a", "x", [(0.0,) * 6] * 3)]), "profile", **asked)


def test_cells_are_for_profiles():
    with pytest.raises(ParameterError, match="attack='location'"):
        shoal.risk({"uid": ["a"]}, "location", weeks=1)


def test_too_many_choices_of_weeks_are_refused():
    with pytest.raises(ParameterError, match="choices"):
        fewest_alike(np.zeros(1, np.int64), np.zeros((1, 240)), KnownCells(weeks=20, any_weeks=True))
