"""Averaging: the middle that makes points most likely, against a search; noise that is new each time goes away."""

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from shoal.attacks.averaging import averaged, averaging

EPSILON = 0.01


def laplace(rng, shape):
    radius, angle = rng.gamma(2, 1 / EPSILON, shape), rng.uniform(0, 2 * np.pi, shape)
    return np.stack((radius * np.cos(angle), radius * np.sin(angle)), axis=-1)


@given(st.lists(st.tuples(st.integers(-9, 9), st.integers(-9, 9)), min_size=1, max_size=7))
@example([(0, -5), (-2, 1), (-4, 4), (-4, 4)])
def test_no_place_of_a_fine_raster_is_nearer_to_all_points(points):
    points = np.array(points, float)

    def total(place):
        return np.hypot(*(points - place).T).sum()

    found = total(averaged(points))
    axis = np.arange(-9, 9.1, 0.5)
    assert found <= min(total((x, y)) for x in axis for y in axis) + 1e-2


def errors(draws, visits):
    rng = np.random.default_rng(1)
    homes = rng.uniform(-5_000, 5_000, (120, 2))
    noise = laplace(rng, (120, visits)) if draws == "new" else laplace(rng, (120, 1)).repeat(visits, axis=1)
    points = (homes[:, None] + noise).reshape(-1, 2)
    off, other = averaging(homes, np.arange(121) * visits, points, visits=visits, rng=rng)
    assert other.median()[0] > 2_000
    return off.median()


def test_new_noise_goes_away_and_noise_that_is_kept_stays():
    one = errors("new", 1)
    assert one[0] == pytest.approx(1.68 / EPSILON, rel=0.2), "the median of the law"
    assert errors("new", 100)[2] < 25
    assert errors("new", 1_000)[0] < 8
    kept = errors("kept", 1_000)
    assert kept[1] > 100, "as good as one"
