"""Published parameters: those that the built-in mechanisms have, with their limits; of others a narrow form."""

import math
import re
import tomllib
from pathlib import Path

import pytest

from shoal.contract.files import OLDEST, VERSIONS_OF
from shoal.contract.parameters import (
    CLAIM_OF,
    FACTS,
    GENERIC,
    LEAST_PARTITION,
    PARAMETERS,
    at_odds,
    is_mechanism,
    odd_base,
    odd_parameters,
    publishable,
    shortened,
)
from shoal.data.grid import Grid
from shoal.errors import ParameterError
from shoal.mechanisms import neighbourhoods, registry
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
    "minutes_per_km": 24,
    "grouping": "greedy",
    "effort": None,
    "min_per_day": 0.0,
}


def test_the_list_is_that_of_the_registry():
    assert PARAMETERS.keys() == registry.BUILT_IN.keys()
    assert FACTS.keys() <= PARAMETERS.keys()
    sensible = {
        "geoind": {"epsilon": "ln(4)/200"},
        "glove": {"k": 2},
        "kte": {"k": 2, "tau": "1h", "epsilon": "1h"},
        "laplace": {"epsilon": 1},
        "primule": {"k": 20},
        "promesse": {"alpha_m": 200},
        "uniform": {"cell_m": 1000, "minutes": 60},
        "w4m": {"k": 2, "delta_m": 200},
    }
    claims = {name: registry.find(name)(**sensible[name]).claim.name for name in registry.BUILT_IN}
    assert claims == CLAIM_OF


@pytest.mark.parametrize("name", registry.BUILT_IN)
def test_a_built_in_mechanism_publishes_what_it_declares(name):
    declared = {parameter: option for parameter, option, _ in options_of(registry.find(name))}
    listed = PARAMETERS[name]
    assert listed.keys() == declared.keys()
    probes = (None, -1, 0, 1, 2, 3.5, 0.05, 9_999, 10_001, 10_000_001, 5_256_001, 2**31, "kmerge", "merge", "x", True)
    probes += ("all", "keep", 521, 100, 0.01, ["w1_weekday_day"], ("w2_weekend_day", "w1_weekday_day"), ["x"], [])
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
        odd_parameters("somebodys", {"degrees": 0.01, "steps": 2, "publish": "merge", "k": None, "noise": True}) == []
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
        *(
            {"min_per_day": -1},
            {"align_m": 0},
            {"align_m": 1.5},
            {"minutes_per_km": 1_001},
            {"partition": [1]},
            {"suppress_share_reached": "all"},
        ),
    ],
)
def test_odd_ones(change):
    assert odd_parameters("glove", {**GLOVE, **change})


PRIMULE = {"k": 20, "weeks": "all", "known": None, "small": "suppress", "min_per_day": 0.0}


@pytest.mark.parametrize(
    ("change", "fine"),
    [
        *(({"weeks": weeks}, True) for weeks in ("all", 1, 520)),
        *(({"weeks": weeks}, False) for weeks in ("some", 0, 521, 2.0, True, None, ["all"], "keep")),
        *(({"known": known}, True) for known in (None, ["w1_weekday_day"], ["w1_weekday_day", "w2_weekend_night"])),
        *(({"known": known}, False) for known in ([], "w1_weekday_day", ["ann"], ["w1_weekend_day", "w1_weekday_day"])),
        *(({"known": known}, False) for known in (["w1_weekday_day"] * 2, [["w1_weekday_day"]], 7, {})),
        *(({"small": small}, small in ("suppress", "keep")) for small in ("suppress", "keep", "all", None, 1)),
    ],
)
def test_parameters_about_cells(change, fine):
    assert (odd_parameters("primule", {**PRIMULE, **change}) == []) == fine


def test_a_missing_one():
    assert odd_parameters("glove", {name: value for name, value in GLOVE.items() if name != "publish"})


@pytest.mark.parametrize(
    "parameters",
    [
        *({"note": "call me on 5551234"}, {"x": "A"}, {"x": 0.12345678}, {"x": 12_345_678}, {"x": {}}, {"x": [1]}),
        *({"X": 1}, {"a b": 1}, {"": 1}, {f"p{i}": i for i in range(13)}, {"x": "abcdefghijklmnopq"}, {"ann": 1}),
        *({"noise": value} for value in (0.1234, 1234, -1, -0.0, "loud", 10**8, 1e-7)),
        *(dict.fromkeys(sorted(GENERIC)[:5], 1), {**GLOVE, "tau": 1, "epsilon": 1, "variant": "paper"}),
    ],
)
def test_odd_ones_of_a_mechanism_that_is_not_listed(parameters):
    assert odd_parameters("somebodys", parameters)


def test_what_is_published_is_shortened():
    assert shortened(math.log(4) / 200) == 0.00693147
    assert publishable("glove", GLOVE) == GLOVE
    mine = publishable("somebodys", {"epsilon": shortened(math.pi), "owner": "ann", "cell_m": 12_345, "k": 12_300})
    assert mine == {"epsilon": 3.14, "k": 12_300}
    assert odd_parameters("somebodys", mine) == []


def test_what_is_publishable_is_never_odd():
    many = dict.fromkeys((*sorted(GENERIC), *GLOVE, "ann", "b c"), 0.123456)
    kept = publishable("somebodys", many)
    assert odd_parameters("somebodys", kept) == []
    assert len(kept) == 12
    assert len(kept.keys() & GENERIC) == 4


@pytest.mark.parametrize(
    "name", ["ann lives in pisa", "x555", "annlivesinpisa", "-a", "a-", "a-b-c", "a", "Ann", "", None, 7]
)
def test_a_mechanism_has_a_short_name(name):
    assert not is_mechanism(name)
    assert is_mechanism("made-up")
    assert all(map(is_mechanism, PARAMETERS))


def test_parameters_that_do_not_go_together():
    assert at_odds(GLOVE, 100) == []
    assert at_odds({**GLOVE, "publish": "merge", "suppress_share": 0.0, "suppress_km": 5.0}, 100) == []
    assert at_odds({**GLOVE, "publish": "merge"}, 100)
    for partition, people, fine in ((8, 100, True), (7, 100, False), (50_000, 100, True), (10**9, 100, False)):
        assert (at_odds({**GLOVE, "partition": partition}, people) == []) == fine
    assert at_odds({**GLOVE, "partition": 2_000_000}, 2_000_000) == []
    assert at_odds({**GLOVE, "grouping": "published", "effort": 2}, 100) == []
    assert at_odds({**GLOVE, "effort": 2}, 100) == ["effort without grouping published"]
    paper = {**GLOVE, "publish": "merge", "suppress_share": 0.0}
    assert at_odds({**paper, "grouping": "published"}, 100) == ["grouping published with publish merge"]
    assert at_odds({**GLOVE, "minutes_per_km": 60}, 100) == []
    assert at_odds({**paper, "minutes_per_km": 60}, 100) == ["minutes_per_km with publish merge"]
    assert at_odds({"k": 2, "variant": "repaired", "partition": 8}, 100) == []
    assert at_odds({"k": 2, "variant": "paper", "partition": 8}, 100) == ["partition with variant paper"]
    assert at_odds({**PRIMULE, "weeks": 2}, 100) == []
    assert at_odds({**PRIMULE, "known": ["w1_weekday_day"]}, 100) == []
    assert at_odds({**PRIMULE, "weeks": 2, "known": ["w1_weekday_day"]}, 100) == ["weeks with known"]


def test_grids_that_data_can_be_read_on():
    for cell_m, dt_s in ((100, 60), (1, 1), (7, 60), (100, 7), (30_000, 60), (20_000, 28_800), (0, 60), ("100", 60)):
        try:
            Grid(cell_m, dt_s).check_caps()
            fine = True
        except ParameterError:
            fine = False
        assert odd_base({"cell_m": cell_m, "dt_s": dt_s}) != fine
    assert neighbourhoods.LEAST_PARTITION == LEAST_PARTITION


def test_nothing_that_can_be_installed_is_older_than_the_oldest():
    """Raising what is needed leaves older releases as they are; needing less would call new ones impossible."""
    about = tomllib.loads((Path(__file__).parents[2] / "pyproject.toml").read_text())["project"]
    needed = {re.match(r"[a-z]+", line).group(): line for line in about["dependencies"]}
    needed |= {"python": about["requires-python"]}
    assert OLDEST.keys() == set(VERSIONS_OF)
    for name in OLDEST.keys() - {"shoal"}:
        least = tuple(map(int, re.search(r">=\s*([\d.]+)", needed[name]).group(1).split(".")))
        assert OLDEST[name] <= least
