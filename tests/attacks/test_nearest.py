"""Nearest match, relinking and times alone, against plain counting; each with a release that it must see through."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from shoal.attacks.nearest import Tracks, nearest_trace
from shoal.attacks.relinking import Parts, next_parts, relinking
from shoal.attacks.seen_times import seen_times


def rng():
    return np.random.default_rng(3)


def tracks(traces):
    offsets = np.concatenate(([0], np.cumsum([len(one) for one in traces])))
    return Tracks(offsets, *np.array([row for one in traces for row in one], float).T)


row = st.tuples(st.integers(-50, 50), st.integers(-50, 50))
walk = st.lists(row, min_size=2, max_size=5)


def in_time(places, step=60, start=0):
    return [(start + step * i, x, y) for i, (x, y) in enumerate(places)]


@given(st.lists(walk, min_size=1, max_size=5), walk)
def test_the_nearest_is_the_one_with_the_least_mean_distance(published, known):
    found, gaps = nearest_trace(
        tracks([in_time(one) for one in published]), tracks([in_time(known)]), lambda _: np.array([0]), rng=rng()
    )
    means = []
    for one in published:
        during = [(x - known[i][0], y - known[i][1]) for i, (x, y) in enumerate(one) if i < len(known)]
        enough = 2 * len(during) >= len(one)
        means.append(np.mean([np.hypot(*way) for way in during]) if enough else np.inf)
    least = [i for i, mean in enumerate(means) if mean <= min(means) + 1e-6] if np.isfinite(min(means)) else []
    assert found.candidates.tolist() == [len(least)]
    assert found.right.tolist() == [0 in least]
    if least:
        assert abs(gaps[0] - min(means)) < 1e-6


def test_a_pivot_that_is_published_raw_is_found_and_one_that_is_not_is_not():
    """Two walk together, 80 m apart; both are published as the pivot's trace, the member moved near."""
    walks = rng().normal(0, 500, (30, 12, 2)).cumsum(axis=1) + rng().uniform(-9_000, 9_000, (30, 1, 2))
    known = [in_time(walk) for one in walks for walk in (one, one + 300)]
    raw = [in_time(walk) for one in walks for walk in (one, one + 70)]
    blurred = [in_time(walk + rng().normal(0, 70, 2)) for one in walks for walk in (one + 35, one + 35)]
    own = lambda target: np.array([target])  # noqa: E731
    found, gaps = nearest_trace(tracks(raw), tracks(known), own, rng=rng())
    assert found.success == 1
    assert found.control_success < 0.1
    assert (gaps[::2] == 0).all()
    assert (gaps[1::2] > 100).all()
    equal, gaps = nearest_trace(tracks(blurred), tracks(known), own, rng=rng())
    assert equal.success == 0.5, "who look the same share the guess"
    assert gaps.min() > 1


def test_places_alone_see_through_changed_times():
    walks = rng().uniform(-2_000, 2_000, (20, 40, 2))
    late = [in_time(one[np.minimum(np.arange(40) // 2, 19)], 60) for one in walks]
    own = lambda target: np.array([target])  # noqa: E731
    by_time, _ = nearest_trace(tracks(late), tracks([in_time(one) for one in walks]), own, rng=rng())
    by_way, _ = nearest_trace(tracks(late), tracks([in_time(one) for one in walks]), own, by_way=True, rng=rng())
    assert by_way.success == 1 > by_time.success


@given(st.lists(st.tuples(st.integers(0, 40), st.integers(0, 9), row, row), min_size=1, max_size=8))
def test_the_next_part_is_the_nearest_that_begins_within_the_day(some):
    start = np.array([hour for hour, *_ in some], float) * 3600
    end = start + np.array([hours for _, hours, *_ in some]) * 3600
    begin, finish = (np.array([one[i] for one in some], float) for i in (2, 3))
    parts, asked = Parts(start, end, begin, finish), np.arange(len(some))
    found = next_parts(parts, finish, asked)
    for part in asked:
        fits = [other for other in asked if end[part] < start[other] <= end[part] + 86_400]
        if not fits:
            assert found[part] == -1
            continue
        least = min(np.hypot(*(begin[other] - finish[part])) for other in fits)
        assert np.hypot(*(begin[found[part]] - finish[part])) == least


def test_the_next_part_is_found_behind_many_that_began_before():
    place = np.stack((np.arange(300.0), np.zeros(300)), axis=1)
    start = np.where(np.arange(300) < 299, 0.0, 100.0)
    assert next_parts(Parts(start, start + 10, place, place), place[:1], np.zeros(1, np.int64)).tolist() == [299]


def test_parts_that_meet_are_joined_and_those_with_random_ends_are_not():
    people, days = 60, 5
    homes = rng().uniform(-9_000, 9_000, (people, 1, 2)).repeat(days, axis=1)
    start_s = (np.arange(days) * 86_400.0 + 8 * 3600)[None].repeat(people, axis=0) + rng().uniform(0, 3600, (people, 1))
    person = np.repeat(np.arange(people), days)

    def rate(places):
        flat = places.reshape(-1, 2)
        return relinking(Parts(start_s.ravel(), start_s.ravel() + 36_000, flat, flat), person, rng())

    met, apart = rate(homes), rate(rng().uniform(-9_000, 9_000, homes.shape))
    assert met.right.value == 1
    assert met.control.high < 0.1
    assert apart.right.high < 0.1
    assert abs(met.baseline - 1 / people) < 0.01
    alone = relinking(Parts(*(np.zeros(1), np.ones(1)), np.zeros((1, 2)), np.zeros((1, 2))), np.zeros(1, int), rng())
    assert alone.right.trials == 0


@given(st.lists(st.lists(st.integers(0, 6), min_size=1, max_size=4), min_size=1, max_size=5), st.integers(1, 4))
def test_whoever_was_recorded_at_all_moments_is_left(published, moments):
    owner = np.repeat(np.arange(len(published)), [len(one) for one in published])
    t = np.array([moment for one in published for moment in one])
    known = [np.unique(one) for one in published]
    own = lambda target: np.array([target])  # noqa: E731
    found = seen_times(owner, t, len(published), known, own, moments=moments, rng=rng())
    assert found.right.all()
    everything = seen_times(owner, t, len(published), known, own, moments=9, rng=rng())
    expected = [sum(set(mine.tolist()) <= set(other) for other in published) for mine in known]
    assert everything.candidates.tolist() == expected
    assert (found.candidates >= everything.candidates).all()


def test_other_times_hide():
    t = np.sort(rng().integers(0, 86_400, (50, 30)), axis=1)
    owner, own = np.repeat(np.arange(50), 30), lambda target: np.array([target])
    exact = seen_times(owner, t.ravel(), 50, list(t), own, moments=3, rng=rng())
    other = seen_times(
        owner, np.random.default_rng(4).integers(0, 86_400, t.size), 50, list(t), own, moments=3, rng=rng()
    )
    assert exact.success > 0.9 > 0.1 > other.success
