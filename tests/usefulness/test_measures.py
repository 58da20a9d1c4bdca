"""A new measure is one function."""

import pytest

from shoal.contract.kinds import BOXES, KINDS, POINTS, PROFILES
from shoal.usefulness import measures
from shoal.usefulness.compared import Compared
from shoal.usefulness.measures import MEASURES, figures_of, measure


@pytest.fixture
def room(monkeypatch):
    """The measures that every kind has, and room for more."""
    monkeypatch.setattr(measures, "MEASURES", [one for one in MEASURES if len(one.kinds) == len(KINDS)])


def test_a_measure_is_run_for_its_kinds_alone(room):
    @measure(POINTS, PROFILES)
    def half(compared):
        return {"half": compared.people / 2}

    compared = Compared(people=7, people_published=4)
    people = {"people_published": 4, "people_suppressed": 3}
    assert figures_of(BOXES, compared) == people
    assert figures_of(POINTS, compared) == people | {"half": 3.5}
    assert half(compared) == {"half": 3.5}


def test_no_measure_overrides_another(room):
    @measure(BOXES)
    def again(_):
        return {"people_published": 0}

    with pytest.raises(AssertionError, match="one name"):
        figures_of(BOXES, Compared(1, 1))


def test_every_kind_has_measures_of_its_own():
    for kind in KINDS.values():
        assert any(one.kinds == (kind.name,) for one in MEASURES)
