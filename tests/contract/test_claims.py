"""Claims: values that go through a manifest and back, and words that say what holds and what does not."""

import dataclasses
import json
import re

import pytest

from shoal.contract.claims import (
    CLAIMS,
    GeoIndistinguishability,
    KAnonymity,
    Nothing,
    SpeedSmoothing,
    claim_from,
)
from shoal.contract.kinds import KINDS
from shoal.errors import ParameterError

ALL = (Nothing(), KAnonymity(2), KAnonymity(5), SpeedSmoothing(200.0), GeoIndistinguishability(0.01))


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
