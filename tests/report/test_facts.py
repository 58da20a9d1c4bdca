"""What strangers may be told of what was counted."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from shoal.auditor.page import _counts, _is_closed
from shoal.contract.files import ABOUT_OTHERS
from shoal.contract.kinds import BOXES
from shoal.contract.page import EDGES, PEOPLE_BY, floor_of
from shoal.report.facts import facts_of, publishable
from shoal.report.results import Results


def results(counts=(5, 50, 500), k=2, people=600, tiles=(), of_third=200):
    bins = {name: [0] * (len(EDGES[name]) + 1 - len(counts)) + list(counts) for name in PEOPLE_BY["boxes"]}
    third = {"people": of_third, "samples_deleted_share": 0.123, "within_share": 0.5}
    figures = {
        "thirds": dict.fromkeys(("sparse", "middle", "dense"), third),
        "within": {"500 m, 30 min": 0.256},
        "range_queries": {"distortion_expected": 3.7},
        "samples_deleted_share": 0.05,
    }
    checks = [
        {"id": "schema", "status": "pass", "reason": "", "figures": {}},
        {"id": "smoothing", "status": "not_run", "reason": "", "figures": {ABOUT_OTHERS: True}},
    ]
    manifest = {"promise": {"claim": {"name": "k-anonymity", "k": k}}, "counts": {"people_published": people}}
    pictures = {"people_by": bins, "map": {"side_m": 1_000, "tiles": [list(tile) for tile in tiles]}}
    return Results(manifest, Path(), {"checks": checks}, {"figures": figures, "pictures": pictures})


@given(
    st.lists(st.integers(0, 300), min_size=3, max_size=11),
    st.integers(2, 60),
    st.lists(st.tuples(st.integers(-9, 9), st.integers(-9, 9), st.integers(1, 99), st.integers(0, 10)), max_size=9),
)
def test_whatever_was_counted_only_counts_of_many_are_told(counts, k, tiles):
    told = publishable(results(counts, k, tiles=tiles))
    found = [count for count in _counts(told) if count is not None]
    assert all(count >= floor_of({"k": k}) and count % 10 == 0 for count in found)
    assert _is_closed(told, BOXES), "and it is what the auditor lets through"


def test_the_publisher_sees_all_of_it():
    exact = facts_of(results())
    assert exact["people_by"]["width_m"][-3:] == [5, 50, 500]
    assert exact["likeness"] == {"near_500_m": 25.6, "range_queries": 100.0, "left_out": 5.0}
    assert exact["audit"] == {"fail": [], "pass": ["schema"], "note": [], "not_run": []}
    assert publishable(results())["thirds"]["sparse"] == {"left_out": 12, "near": 50}


@pytest.mark.parametrize("few", [{"people": 20}, {"of_third": 9}])
def test_shares_of_few_people_are_not_told(few):
    assert publishable(results(**few))["thirds"] == {}
    assert publishable(results(people=0))["likeness"] == {}


def test_without_audit_and_measures_there_is_nothing_to_tell():
    bare = Results(results().manifest, Path(), None, None)
    assert publishable(bare) == {"people_by": {}, "map": None, "thirds": {}, "likeness": {}, "audit": None}
