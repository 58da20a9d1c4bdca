"""What pages draw, against slow counting."""

from bisect import bisect_left
from collections import defaultdict
from statistics import median, quantiles

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from shoal.contract.page import MOST_TILES, SPACE_M, TILES_M
from shoal.usefulness.maps import map_of
from shoal.usefulness.pictures import people_in_bins, through_the_day
from shoal.usefulness.views import View

EDGES = (1, 5, 20)
ROWS = st.lists(st.tuples(st.integers(0, 4), st.integers(0, 30)), max_size=40)


@given(ROWS)
def test_people_are_counted_by_their_median(rows):
    values = defaultdict(list)
    for owner, value in rows:
        values[owner].append(value)
    slow = [0] * (len(EDGES) + 1)
    for mine in values.values():
        slow[bisect_left(EDGES, median(mine))] += 1
    owner, value = (np.array([row[i] for row in rows], np.int64) for i in (0, 1))
    assert people_in_bins(owner, value.astype(float), EDGES) == slow


PLACES = st.lists(
    st.tuples(st.integers(0, 3), st.integers(-9_000, 9_000), st.integers(-9_000, 9_000), st.integers(0, 9_999)),
    min_size=1,
    max_size=40,
)


def drawn(owner, x, y, width):
    """Draw the map of points; owners are sorted."""
    uids = np.arange(owner.size + 1)  # each row has a uid of its own
    points = View(uids, uids[1:], uids[1:], x, x, y, y)
    return map_of(points, np.searchsorted(owner, np.arange(owner.max(initial=-1) + 2)), width)


@pytest.mark.parametrize("at_a_time", [1, 3, 250_000])
@given(rows=PLACES)
def test_tiles_count_people_once(rows, at_a_time):
    rows.sort()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("shoal.attacks.parts.ROWS", at_a_time)
        found = drawn(*(np.array(column, np.int64) for column in zip(*rows, strict=True)))
    side = found["side_m"]
    assert side in TILES_M
    people, widths = defaultdict(set), defaultdict(list)
    for who, a, b, w in rows:
        people[a // side, b // side].add(who)
        widths[a // side, b // side].append(w)
    slow = [[*tile, len(who), bisect_left(SPACE_M, median(widths[tile]))] for tile, who in people.items()]
    assert found["tiles"] == sorted(slow, key=lambda tile: (-tile[2], tile[0], tile[1]))


def test_tiles_are_wide_enough_to_be_looked_at():
    far = np.linspace(0, 900_000, 1_000).astype(np.int64)
    found = drawn(np.arange(1_000), far, far, far)
    assert found["side_m"] == 50_000
    rng, town = np.random.default_rng(1), np.zeros(1_000_000, np.int64)
    x, y = (np.concatenate((town, rng.integers(0, 200_000, 9_000))) for _ in range(2))
    few = drawn(np.zeros(x.size, np.int64), x, y, x.astype(float))
    assert few["side_m"] == 5_000, "a few all over the country make no more tiles than can be told"
    assert len(few["tiles"]) <= MOST_TILES
    assert drawn(*[far[:0]] * 4) == {"side_m": 1_000, "tiles": []}


@given(st.lists(st.tuples(st.integers(0, 23), st.integers(0, 99)), max_size=40))
def test_hours_have_their_own_quartiles(rows):
    of_hour = defaultdict(list)
    for hour, value in rows:
        of_hour[hour].append(value)
    hour, value = (np.array([row[i] for row in rows], np.int64) for i in (0, 1))
    found = through_the_day(hour, value.astype(float))
    assert found.keys() == {"q25", "median", "q75"}
    for h in range(24):
        told = [quartile[h] for quartile in found.values()]
        if len(of_hour[h]) > 1:
            assert told == pytest.approx(quantiles(of_hour[h], n=4, method="inclusive"), abs=0.051)
        else:
            assert told == (of_hour[h] or [None]) * 3
