"""Figures from counts, against numpy on the values themselves."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from shoal.reproduce.glove.histogram import Histogram
from shoal.usefulness.figures import spread

counted = st.lists(st.tuples(st.integers(0, 50), st.integers(0, 5)), min_size=1).filter(lambda p: any(n for _, n in p))


@given(counted, st.floats(0, 6000))
def test_figures_are_those_of_the_values(pairs, limit):
    values, times = np.array(pairs).T
    plain = np.repeat(values, times) * 100.0
    histogram = Histogram.of(values, times, unit=100)
    assert histogram.total == plain.size
    assert histogram.spread() == pytest.approx(spread(plain))
    assert histogram.share_at_most(limit) == (plain <= limit).mean()
    shares = np.linspace(0, 1, 201)
    assert histogram.curve() == pytest.approx(np.quantile(plain, shares, method="inverted_cdf"))


def test_nothing_counted():
    empty = Histogram.of(np.empty(0, np.int64), np.empty(0, np.int64), unit=60)
    assert (empty.total, empty.mean, empty.quantile(0.5), empty.share_at_most(9), empty.curve()) == (0, 0, 0, 0, [])
