"""Which of two groups is nearer, in numbers that floats cannot tell apart."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from shoal.kernels.common.jit import kernel
from shoal.kernels.primule import closer
from shoal.kernels.primule.groups import finest_fraction


@kernel
def nearer(one, other, sums, sizes, points, plain, scale, out):
    d_one = closer.squared_distance(points, 0, one)
    d_other = closer.squared_distance(points, 0, other)
    out[0] = closer.is_nearer(0, one, d_one, other, d_other, sums, sizes, plain, scale)
    out[1] = closer._compared(0, one, other, sums, sizes)


def exact(sums, sizes, other):
    a, b = int(sizes[0]), int(sizes[other])
    return Fraction(
        sum((int(s) * b - int(t) * a) ** 2 for s, t in zip(sums[0], sums[other], strict=True)), (a * b) ** 2
    )


sizes_of = st.integers(1, 9) | st.integers(1, 9_999)
crowd = st.integers(1, 9) | st.integers(1, 4_000_000)


@st.composite
def three_groups(draw):
    """A query below k and two others, often as far from it as each other, or nearly so."""
    scale = draw(st.sampled_from([60, 3_000_000]))
    cells = draw(st.integers(1, 6))
    sizes = [draw(sizes_of), draw(crowd), draw(crowd)]
    means = [[draw(st.integers(0, scale)) for _ in range(cells)] for _ in range(2)]
    mirrored = draw(st.booleans())
    third = [abs(2 * a - b) if mirrored else draw(st.integers(0, scale)) for a, b in zip(*means, strict=True)]
    sums = [[n * min(v, scale) for v in row] for n, row in zip(sizes, [*means, third], strict=True)]
    # One more or less than an even share: means that floats do not show.
    for row, size in zip(sums, sizes, strict=True):
        cell = draw(st.integers(0, cells - 1))
        row[cell] = min(max(row[cell] + draw(st.integers(-1, 1)), 0), size * scale)
    return np.array(sums), np.array(sizes), scale


@given(three_groups())
@example((np.array([[1], [0], [2]]), np.array([3, 3, 3]), 60))
@example((np.full((3, 6), 3_000_000 * 9_999), np.array([9_999, 4_000_000, 3_999_999]), 3_000_000))
def test_the_order_is_that_of_fractions(case):
    sums, sizes, scale = case
    points = sums / sizes[:, None]
    finest = finest_fraction(sums.shape[1], scale)
    plain = ((sums * finest) % sizes[:, None] == 0).all(axis=1)
    out = np.zeros(2, np.int64)
    nearer(1, 2, sums, sizes, points, plain, float(scale), out)
    one, other = exact(sums, sizes, 1), exact(sums, sizes, 2)
    assert out[1] == (one > other) - (one < other)
    assert bool(out[0]) == ((one, sizes[1], 1) < (other, sizes[2], 2))


def test_floats_alone_would_be_found_out():
    """What the comparison must catch: thirds are equally far in fractions, and not so in floats."""
    sums, sizes = np.array([[4], [1], [7]]), np.array([3, 3, 3])
    points = sums / sizes[:, None]
    far = (points - points[0]) ** 2
    assert exact(sums, sizes, 1) == exact(sums, sizes, 2)
    assert far[1, 0] != far[2, 0] or points[1, 0] + points[2, 0] != 2 * points[0, 0]


@pytest.mark.parametrize(("cells", "scale"), [(24, 60), (24, 3_000_000), (3120, 60), (3120, 3_000_000)])
def test_what_is_called_exact_is(cells, scale):
    finest = finest_fraction(cells, scale)
    assert finest == 1 or cells * (scale * finest) ** 2 < 2**53
    assert 1 <= finest <= 2**20
