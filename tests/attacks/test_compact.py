"""Columns in 16 bits: every number comes back, and whoever computes with them notices nothing."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from shoal.attacks.compact import Multiples, compact, only
from shoal.attacks.crowd import Crowd

multiples = st.tuples(
    st.lists(st.integers(0, 70_000), min_size=1, max_size=9),
    st.integers(-(10**6), 10**6),
    st.sampled_from([1, 60, 100]),
)


@given(multiples, st.sampled_from([1, 2, 1000]))
def test_every_number_comes_back(drawn, most):
    steps, first, unit = drawn
    values = np.array([first + unit * step for step in steps], np.int32)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("shoal.attacks.parts.ROWS", most)
        column = compact(values)
    assert isinstance(column, Multiples) or max(steps) - min(steps) > 65_535
    assert column.dtype == values.dtype
    assert column.tolist() == values.tolist()
    assert (int(column.min()), int(column.max()), column.size, len(column)) == (
        *(values.min(), values.max(), values.size, values.size),
    )
    rows = np.arange(values.size)[::-2]
    assert only(column, rows).tolist() == column[rows].tolist() == values[rows].tolist()
    assert int(column[0]) == values[0]
    for of in (column, only(column, slice(None))):
        assert (of // 7 - of == values // 7 - values).all()
        assert (3 - of < of).tolist() == (3 - values < values).tolist()
        assert np.argsort(of, kind="stable").tolist() == np.argsort(values, kind="stable").tolist()


@pytest.mark.parametrize("values", [[], [1 << 40], [-(1 << 30), 2_000_000_000]])
def test_what_cannot_be_kept_so_stays_as_it_is(values):
    column = np.array(values, np.int64 if max(values, default=0) > 1 << 31 else np.int32)
    assert compact(column) is column


def test_some_of_a_crowd_take_as_little():
    t = compact(np.arange(0, 600, 60, dtype=np.int32))
    crowd = Crowd(np.array([0, 4, 10]), *[t] * 6)
    some, others = crowd.kept(np.array([1])), crowd.only(t[:] >= 300)
    assert isinstance(some.t0, Multiples)
    assert isinstance(others.y1, Multiples)
    assert some.t0.tolist() == [240, 300, 360, 420, 480, 540]
    assert (others.offsets.tolist(), others.t0.tolist()) == ([0, 0, 5], [300, 360, 420, 480, 540])
    assert crowd.take(np.array([0])).t0.dtype == np.int64
