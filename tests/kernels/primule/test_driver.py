"""PRIMULE's groups against plain ones: ties, thirds, many rows of many cells, threads."""

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from mechanisms.naive_primule import brute_force, naive_primule
from shoal.kernels.primule.blocks import BLOCK, blocks_of, ordered
from shoal.kernels.primule.driver import group
from shoal.workers import workers


def grouped(rows, k, scale=60, threads=2):
    with workers(threads) as crew:
        return group(np.asarray(rows, np.int64), k, scale, workers=crew, told=lambda done, total: None)


def means(found, scale=60):
    """Of each row, as fractions: sums over sizes, both told."""
    return found.sums[found.group_of], found.sizes[found.group_of]


def people_of(n, seed, weeks=4):
    """Rows of 60ths as call profiles are: few calls, many alike, most cells 0."""
    rng = np.random.default_rng(seed)
    calls = rng.gamma(0.6, 0.5, (n, 1)) * rng.choice([0.05, 0.5, 1.0], (n, 6 * weeks))
    days = np.tile([5, 5, 5, 2, 2, 2], weeks)
    return rng.binomial(days, np.minimum(calls, 0.95)) * (60 // days)


@st.composite
def crowds(draw):
    scale = draw(st.sampled_from([60, 60, 3_000_000]))
    cells, n = draw(st.integers(1, 5)), draw(st.integers(2, 24))
    steps = [0, 12, 24, 30, 36, 48, 60, 20] if scale == 60 else [0, 1, 2, 999_999, 1_000_000, 3_000_000]
    value = st.sampled_from(steps[: draw(st.integers(2, len(steps)))])
    rows = draw(st.lists(st.lists(value, min_size=cells, max_size=cells), min_size=n, max_size=n))
    return rows, draw(st.integers(2, n)), scale


@settings(max_examples=300)
@given(crowds())
@example(([[0], [0]], 2, 60))
@example(([[0], [60]], 2, 60))
@example(([[0], [20], [40], [60], [60]], 3, 60))
def test_groups_are_those_of_the_paper(crowd):
    from fractions import Fraction

    rows, k, scale = crowd
    found = grouped(rows, k, scale)
    expected = naive_primule([[Fraction(value) for value in row] for row in rows], range(len(rows[0])), k)
    sums, sizes = means(found)
    assert [[Fraction(int(s), int(n)) for s in row] for row, n in zip(sums, sizes, strict=True)] == expected
    assert found.sizes.min() >= k
    assert found.sizes.sum() == len(rows)


@pytest.mark.slow
@pytest.mark.parametrize("k", [10, 100])
def test_groups_are_those_of_brute_force_on_thousands_of_rows(k):
    rows = people_of(8_000, k)
    sums, sizes = means(grouped(rows, k))
    expected_sums, expected_sizes = brute_force(rows, k)
    np.testing.assert_array_equal(sums, expected_sums)
    np.testing.assert_array_equal(sizes, expected_sizes)


@pytest.mark.slow
def test_groups_are_those_of_brute_force_on_decimals():
    """Values of the fine scale: hardly any point is exact in floats once it was merged."""
    rng = np.random.default_rng(7)
    rows = np.rint(people_of(2_000, 3) * 50_000 * rng.uniform(0.9, 1, (2_000, 24))).astype(np.int64)
    sums, sizes = means(grouped(rows, 20, 3_000_000))
    expected_sums, expected_sizes = brute_force(rows, 20)
    np.testing.assert_array_equal(sums, expected_sums)
    np.testing.assert_array_equal(sizes, expected_sizes)


def test_threads_and_the_order_of_rows_change_nothing():
    rows = people_of(3_000, 5)
    one, two = grouped(rows, 20, threads=1), grouped(rows, 20, threads=2)
    for a, b in zip(one, two, strict=True):
        np.testing.assert_array_equal(a, b)
    turned = grouped(rows[::-1], 20)
    for a, b in zip(means(one), means(turned), strict=True):
        np.testing.assert_array_equal(a, b[::-1])


def test_a_group_of_exactly_k_is_left_alone():
    """Line 27 of the paper would merge it with its neighbours."""
    found = grouped([[0]] * 3 + [[12]] * 3, 3)
    assert found.rounds == 0
    assert found.sizes.tolist() == [3, 3]
    assert found.sums.tolist() == [[0], [36]]


def test_as_many_as_k_become_one_group():
    found = grouped([[0], [12], [60]], 3)
    assert found.sizes.tolist() == [3]
    assert found.sums.tolist() == [[72]]


def test_a_group_that_was_absorbed_merges_no_more_in_the_round():
    """Line 17 of the paper checks the second only: 12 goes to 0 first, and must not go to 25 as well."""
    rows = [[0]] * 2 + [[12]] + [[25]] + [[60]] * 9
    found = grouped(rows, 3)
    assert found.sizes[found.group_of].tolist() == [4] * 4 + [9] * 9


def test_of_equally_near_groups_the_smaller_then_the_first():
    # 20 is as far from 10 (two people) as from 30 (three): the smaller; then both sides of 20 are alike: the first.
    assert grouped([[10]] * 2 + [[20]] + [[30]] * 3, 2).sizes[:2].tolist() == [3, 3]
    assert grouped([[10]] * 2 + [[20]] + [[30]] * 2, 2).sizes.tolist() == [3, 2]


@pytest.mark.parametrize("n", [1, BLOCK - 1, BLOCK, BLOCK + 1, 5 * BLOCK + 3])
def test_blocks_hold_everybody_in_their_boxes(n):
    points = np.random.default_rng(n).uniform(0, 60, (2 * n, 5))
    ids = np.arange(0, 2 * n, 2)
    order = ordered(points, ids)
    blocks = blocks_of(points, order)
    assert sorted(order) == ids.tolist()
    assert blocks.ids[:n].tolist() == order.tolist()
    assert (blocks.ids[n:] == -1).all()
    held = blocks.points.transpose(0, 2, 1).reshape(-1, 5)
    np.testing.assert_array_equal(held[:n], points[order].astype(np.float32))
    assert np.isinf(held[n:]).all()
    box = np.arange(n) // BLOCK
    assert (held[:n] >= blocks.low.T[box]).all()
    assert (held[:n] <= blocks.high.T[box]).all()
    assert np.isfinite(blocks.low).all()
    assert np.isfinite(blocks.high).all()
