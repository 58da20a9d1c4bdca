"""The auction deals everybody who is out to the cores at the least cost, also where many costs are the same."""

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import linear_sum_assignment

from shoal.kernels.regroup.assign import assigned


def dealt(cores, costs):
    """Rows that may take as many cores each: the core that each takes, and the sum of costs."""
    rows, most = cores.shape
    taken = assigned(np.arange(rows + 1) * most, cores.ravel(), costs.ravel())
    assert (taken // most).tolist() == list(range(rows))
    assert sorted(cores.ravel()[taken]) == list(range(rows))
    return costs.ravel()[taken].sum()


def best(cores, costs):
    rows = len(cores)
    whole = np.full((rows, rows), costs.sum() + 1)
    for column in range(cores.shape[1]):
        np.minimum.at(whole, (np.arange(rows), cores[:, column]), costs[:, column])
    return whole[linear_sum_assignment(whole)].sum()


@settings(max_examples=80, deadline=None)
@given(
    st.integers(1, 6).flatmap(
        lambda n: st.lists(st.lists(st.integers(0, 9), min_size=n, max_size=n), min_size=n, max_size=n)
    )
)
def test_an_assignment_is_the_best(costs):
    n = len(costs)
    cores = np.array([[row, *(c for c in range(n) if c != row)] for row in range(n)])
    each = np.take_along_axis(np.array(costs, float), cores, 1)
    assert dealt(cores, each) == best(cores, each)


def test_many_rows_with_few_cores_each():
    rng = np.random.default_rng(5)
    for n, most in ((45, 3), (400, 8), (400, 60)):
        cores = np.array([[row, *rng.permutation(np.delete(np.arange(n), row))[: most - 1]] for row in range(n)])
        costs = rng.exponential(size=cores.shape)
        assert dealt(cores, costs) <= best(cores, costs) + n * costs.mean() / 2**19


def test_it_ends_where_most_costs_are_the_same():
    rng = np.random.default_rng(6)
    for n in (8, 300, 3_000):
        cores = np.array([[row, *rng.integers(0, n, 7)] for row in range(n)])
        each, at = rng.integers(1, 9, n) * 0.1, rng.integers(1, 9, n) * 0.7
        for costs in ((each[:, None] + at[cores]) * 1.1, np.ones(cores.shape), rng.integers(0, 2, cores.shape) * 1.0):
            assert dealt(cores, costs) <= costs[:, 0].sum() * (1 + 1e-9)


def test_rows_with_one_core_alone():
    at, core = np.array([0, 1, 3, 5]), np.array([0, 0, 1, 1, 2])
    assert assigned(at, core, np.array([9.0, 0, 5, 0, 5])).tolist() == [0, 2, 4]
