"""Municipality by municipality, an attack on profiles finds what it finds on all of them at once."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import shoal
from shoal.attacks.prudence.known_cells import KnownCells
from shoal.attacks.prudence.towns import Knowledge, attack_rows
from shoal.contract.kinds import cell_names
from shoal.engines.local import Local
from shoal.errors import ParameterError


@given(st.integers(0, 2**31), st.integers(1, 30), st.sampled_from([None, 1, 2]))
def test_divided_or_not(seed, people, size):
    rng = np.random.default_rng(seed)
    towns = rng.integers(0, 4, people)
    values = rng.integers(0, 3, (people, len(cell_names(1)))) / 2
    rows = np.flatnonzero(rng.random(people) < 0.7)
    known = Knowledge(KnownCells(), size, 10_000)
    whole, divided = (attack_rows(towns, values, rows, known, engine=engine) for engine in (None, Local(1)))
    np.testing.assert_array_equal(whole.matches, divided.matches)
    np.testing.assert_array_equal(whole.at_least, divided.at_least)


def test_an_engine_for_what_cannot_be_divided_is_refused():
    events = {"uid": ["a"], "datetime": ["2020-01-01T00:00:00Z"], "lat": [6.1], "lng": [-5.2]}
    with pytest.raises(ParameterError, match="`engine` for"):
        shoal.risk(events, "location", 1, engine=Local(1))
