"""A member who reads the other's cell off a corner: the kernel against the words, on made-up groups of two."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from shoal.attacks.crowd import Crowd, Samples
from shoal.attacks.insider import read_off_corners

CELL = 100
cells = st.tuples(st.integers(0, 3), st.integers(0, 3))
boxes = st.lists(
    st.tuples(st.lists(cells, min_size=1, max_size=3), st.lists(cells, min_size=1, max_size=3)), max_size=4
)


def naive(pairs):
    """Return how often a member names the other's cell from the free corner, and by the own first cell."""
    tried = read = named = 0
    for pair in pairs:
        for mine, theirs in (pair, pair[::-1]):
            tried += 1
            guess, sure = [], True
            for axis in (0, 1):
                own = [cell[axis] for cell in mine]
                low, high = (f(cell[axis] for cell in (*mine, *theirs)) for f in (min, max))
                below, above = low < min(own), high > max(own)
                guess.append(low if below else high if above else min(own))
                sure = sure and ((below != above) or (not below and not above and min(own) == max(own)))
            read += sure and tuple(guess) in theirs
            named += mine[0] in theirs
    return tried, read, named


def published(pairs):
    """Two people whose n-th boxes are the same; the second one's come first, so that nothing is in order."""
    hulls = []
    for mine, theirs in pairs:
        every = np.array((*mine, *theirs)) * CELL
        hulls.append((*every.min(axis=0), *(every.max(axis=0) + CELL)))
    x0, y0, x1, y1 = np.array(hulls * 2, np.int64).reshape(-1, 4).T
    n = len(pairs)
    t0 = np.tile(np.arange(n) * 600, 2)
    return Crowd(offsets=np.array([0, n, 2 * n]), t0=t0, t1=t0 + 600, x0=x0, x1=x1, y0=y0, y1=y1)


def raw(pairs):
    rows, box, twin = [], [], []
    n = len(pairs)
    for person in (0, 1):
        for number, pair in enumerate(pairs):
            for i, (x, y) in enumerate(pair[person]):
                rows.append((number * 600 + i * 60, x * CELL, y * CELL))
                box.append(number + (1 - person) * n)
                twin.append(number + person * n)
    t, x, y = np.array(rows, np.int64).reshape(-1, 3).T
    half = sum(len(pair[0]) for pair in pairs)
    samples = Samples(offsets=np.array([0, half, t.size]), t=t, x=x, y=y, dt_s=60, cell_m=CELL)
    return samples, np.array(box, np.int64), np.array(twin, np.int64)


@given(boxes)
def test_corners_are_read_as_the_words_say(pairs):
    samples, box, twin = raw(pairs)
    found = read_off_corners(published(pairs), samples, np.arange(box.size), box, twin)
    tried, read, named = naive(pairs)
    assert (found.read.trials, found.control.trials) == (tried, tried)
    assert found.read.value == pytest.approx(read / tried if tried else 0)
    assert found.control.value == pytest.approx(named / tried if tried else 0)
