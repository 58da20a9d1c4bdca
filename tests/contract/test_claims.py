"""Claims: values that go through a manifest and back, and words that say what holds and what does not."""

import dataclasses
import json
import re

import pytest

from shoal.contract.claims import (
    CLAIMS,
    CellNoise,
    GeoIndistinguishability,
    KAnonymity,
    KAnonymousCells,
    Nothing,
    SpeedSmoothing,
    claim_from,
)
from shoal.contract.kinds import KINDS, cell_names
from shoal.errors import ParameterError

ALL = (
    *(Nothing(), KAnonymity(2), KAnonymity(5), SpeedSmoothing(200.0), GeoIndistinguishability(0.01)),
    *(KAnonymousCells(2, cell_names(4)), KAnonymousCells(5, ("w1_weekday_day", "w3_weekend_night")), CellNoise(1.0)),
)


@pytest.mark.parametrize("claim", ALL)
def test_a_claim_goes_through_json_and_back(claim):
    assert claim_from(json.loads(json.dumps(claim.to_dict()))) == claim


@pytest.mark.parametrize("claim", ALL)
def test_words_are_plain_complete_and_carry_the_claim(claim):
    promise = claim.promise({})
    words = json.loads(json.dumps(promise.to_dict()))
    assert words == promise.to_dict()
    assert words["claim"] == claim.to_dict()
    assert set(words) == {"claim", "holds", "attacker", "unit", "not_covered"}
    assert words["not_covered"]
    assert all(words.values())
    assert all(words["not_covered"])
    with pytest.raises(dataclasses.FrozenInstanceError):
        promise.holds = "x"
    with pytest.raises(TypeError):
        promise.claim["k"] = 3


@pytest.mark.parametrize(
    "said",
    [
        *(None, "k-anonymity", [], {}, {"name": "safety"}, {"name": ["k-anonymity"]}, {"k": 2}),
        *({"name": "k-anonymity"}, {"name": "k-anonymity", "k": 2, "l": 2}, {"name": "nothing", "k": 2}),
        *({"name": "k-anonymity", "k": k} for k in (1, 0, -2, True, 2.0, "2", None, [2])),
        *({"name": "k-anonymous-cells", "k": k, "cells": ["w1_weekday_day"]} for k in (1, True, "2", None)),
        *(
            {"name": "k-anonymous-cells", "k": 2, "cells": cells}
            for cells in (
                *(None, [], "w1_weekday_day", {}, 7, ["w1_weekday_day"] * 2, ["w1_weekday_noon"], ["w0_weekday_day"]),
                *([["w1_weekday_day"]], [None], ["w01_weekday_day"], ["w1_weekday_day "], ["w521_weekday_day"]),
                *(["w1_weekend_day", "w1_weekday_day"], ["w2_weekday_day", "w1_weekend_day"]),
            )
        ),
        *({"name": "cell-noise", "epsilon": value} for value in (0, -1, True, "1", None, float("inf"), float("nan"))),
    ],
)
def test_what_is_no_claim_is_none(said):
    assert claim_from(said) is None


@pytest.mark.parametrize("k", [1, 0, True, 2.5, "2"])
def test_a_crowd_of_one_cannot_be_claimed(k):
    with pytest.raises(ParameterError) as error:
        KAnonymity(k)
    assert f"`k={k!r}`" in error.value.found


@pytest.mark.parametrize(("k", "others"), [(2, "1 other person."), (5, "4 other people.")])
def test_the_words_of_k_anonymity_count_right(k, others):
    promise = KAnonymity(k).promise({})
    assert others in promise.holds
    assert f"at least {k} who fit" in promise.attacker
    assert re.search(rf"the others hide among {k - 1}\b", promise.not_covered[0])
    assert ("not at all" in promise.not_covered[0]) == (k == 2)


@pytest.mark.parametrize(
    ("parameters", "warned"),
    [
        ({}, True),
        ({"align_m": 500, "align_minutes": None}, True),
        ({"align_m": None, "align_minutes": 30}, True),
        ({"align_m": 500, "align_minutes": 30}, False),
    ],
)
def test_edges_are_somebodys_coordinates_unless_both_axes_are_aligned(parameters, warned):
    lines = KAnonymity(3).promise(parameters).not_covered
    assert any("edges" in line for line in lines) == warned


def test_claims_can_be_made_about_kinds_that_exist():
    for claim in CLAIMS.values():
        assert set(claim.kinds) <= set(KINDS)
    assert KAnonymity.kinds == ("boxes",)


def test_the_words_of_cells_say_what_the_attacker_may_know():
    claim = KAnonymousCells(20, cell_names(4))
    everything = claim.promise({"weeks": "all", "known": None, "small": "suppress"})
    assert "on all its cells exactly the same values as at least 19 other profiles" in everything.holds
    assert not any("published as they were" in line for line in everything.not_covered)
    first = claim.promise({"weeks": 4, "known": None, "small": "suppress"})
    assert "all cells of weeks 1 to 4" in first.holds
    assert "all cells of weeks 1 to 4" in first.attacker
    assert any(line.startswith("other cells") and "as they were" in line for line in first.not_covered)
    assert first.unit == "person in a municipality"
    one = KAnonymousCells(2, ["w2_weekend_day"]).promise({"weeks": "all", "known": ["w2_weekend_day"]})
    assert "on the cell w2_weekend_day exactly the same values as at least 1 other profile" in one.holds
    assert any("not at all" in line for line in one.not_covered)


def test_small_municipalities_that_are_kept_are_not_promised_anything():
    claim = KAnonymousCells(20, cell_names(1))
    kept = claim.promise({"weeks": "all", "known": None, "small": "keep"})
    assert kept.holds.startswith("In municipalities with 20 or more profiles every ")
    assert any("fewer than 20" in line and "nobody in them is hidden" in line for line in kept.not_covered)
    left_out = claim.promise({"weeks": "all", "known": None, "small": "suppress"})
    assert not any("fewer than 20" in line for line in left_out.not_covered)


def test_noise_of_cells_says_between_what_it_hides():
    promise = CellNoise(0.5).promise({})
    assert "neighbours if they differ in the value of one cell of one person in one municipality" in promise.holds
    assert "exp(0.5)" in promise.holds
    assert any("has a profile in a municipality" in line for line in promise.not_covered)
    assert any("for a person the budgets hold" in line for line in promise.not_covered)
    assert CellNoise.budgets[0] == "epsilon_of_a_cell"
