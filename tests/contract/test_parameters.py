"""Published parameters: those that the built-in mechanisms have, with their limits; of others a narrow form."""

import math

import pytest

from shoal.contract.parameters import CLAIM_OF, FACTS, PARAMETERS, odd_parameters, shortened
from shoal.mechanisms import registry
from shoal.mechanisms.options import options_of

GLOVE = {
    "k": 2,
    "publish": "kmerge",
    "suppress_share": 0.05,
    "suppress_km": None,
    "suppress_hours": 6.0,
    "leftover_limit": 1.0,
    "align_m": 500,
    "align_minutes": None,
    "partition": None,
    "min_per_day": 0.0,
}


def test_the_list_is_that_of_the_registry():
    assert PARAMETERS.keys() == registry.BUILT_IN.keys()
    assert FACTS.keys() <= PARAMETERS.keys()
    sensible = {"glove": {"k": 2}, "uniform": {"cell_m": 1000, "minutes": 60}}
    claims = {name: registry.find(name)(**sensible[name]).claim.name for name in registry.BUILT_IN}
    assert claims == CLAIM_OF


@pytest.mark.parametrize("name", registry.BUILT_IN)
def test_a_built_in_mechanism_publishes_what_it_declares(name):
    declared = {parameter: option for parameter, option, _ in options_of(registry.find(name))}
    listed = PARAMETERS[name]
    assert listed.keys() == declared.keys()
    probes = (None, -1, 0, 1, 2, 3.5, 0.05, 9_999, 10_001, 10_000_001, 5_256_001, 2**31, "kmerge", "merge", "x", True)
    for parameter, option in declared.items():
        for value in probes:
            allowed = (value is None and option.optional) or (value is not None and option.allows(value))
            # The contract may be wider at an open end; never narrower than what can be asked for.
            published = option.formed(value) if allowed else None
            published = shortened(published) if isinstance(published, float) else published
            assert not allowed or listed[parameter].allows(published), (parameter, value)


def test_sound_ones():
    assert odd_parameters("glove", GLOVE) == []
    assert odd_parameters("glove", {**GLOVE, "suppress_share_reached": 0.049}) == []
    assert (
        odd_parameters("somebody-elses", {"degrees": 0.01, "steps": 2, "way": "short", "off": None, "on": True}) == []
    )


@pytest.mark.parametrize(
    "change",
    [
        *({"note": 1}, {"k": 2.0}, {"k": "2"}, {"k": True}, {"k": 1}, {"k": None}, {"publish": "kmerged"}),
        *(
            {"suppress_share": 0.1234567},
            {"suppress_share": math.nan},
            {"suppress_share": 2},
            {"suppress_km": math.inf},
        ),
        *({"min_per_day": -1}, {"align_m": 0}, {"align_m": 1.5}, {"partition": [1]}, {"suppress_share_reached": "all"}),
    ],
)
def test_odd_ones(change):
    assert odd_parameters("glove", {**GLOVE, **change})


def test_a_missing_one():
    assert odd_parameters("glove", {name: value for name, value in GLOVE.items() if name != "publish"})


@pytest.mark.parametrize(
    "parameters",
    [
        *({"note": "call me on 5551234"}, {"x": "A"}, {"x": 0.12345678}, {"x": 12_345_678}, {"x": {}}, {"x": [1]}),
        *({"X": 1}, {"a b": 1}, {"": 1}, {f"p{i}": i for i in range(13)}, {"x": "abcdefghijklmnopq"}),
    ],
)
def test_odd_ones_of_a_mechanism_that_is_not_listed(parameters):
    assert odd_parameters("somebody-elses", parameters)


def test_what_is_published_is_shortened():
    assert shortened(math.log(4) / 200) == 0.00693147
    assert odd_parameters("x", {"epsilon": shortened(math.pi)}) == []
