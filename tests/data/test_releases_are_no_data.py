"""Whoever hands a release to a command that wants raw data is told so."""

import pytest

import shoal
from shoal import synth
from shoal.errors import DataError


def test_a_release_is_no_input_and_the_hint_says_who_takes_it(tmp_path):
    traces = shoal.read(synth.cdr(20, 1, preset="abidjan", seed=1))
    shoal.Uniform(cell_m=1000, minutes=60).protect(traces).write(tmp_path / "release", record=False)
    with pytest.raises(DataError) as error:
        shoal.read(tmp_path / "release" / "data.parquet")
    assert "audit, utility and risk take releases" in error.value.hint
