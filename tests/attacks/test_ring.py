"""The ring attack: against a search of the whole plane, and stronger where ends are cut carelessly."""

import numpy as np
import pytest

from shoal.attacks.misses import Misses
from shoal.attacks.ring import _TURN, fixed_trim, middle_of_ring, ring_attack, zone_trim

ALPHA = 100.0


def naive_middle(ends, heading, ring):
    """Try every metre: the place that is nearest to all circles, and behind the headings a little."""
    cut = ends - ring.back_m * heading
    straight = cut - ring.radius_m * heading
    best, found = np.inf, None
    axis = np.arange(-150, 151, 3.0)
    for x in axis:
        for y in axis:
            place = np.array([x, y])
            beyond = np.hypot(*(cut - place).T) - ring.radius_m
            limit = 0.15 * ring.radius_m
            huber = np.where(np.abs(beyond) <= limit, beyond**2, 2 * limit * np.abs(beyond) - limit**2)
            cost = huber.sum() + _TURN * ((place - straight) ** 2).sum()
            if cost < best:
                best, found = cost, place
    return found


def cut_traces(rng, homes, traces, trim):
    """First points and headings of straight traces from each home, to all sides."""
    ends, headings = [], []
    for home in homes:
        turn = rng.uniform(0, 2 * np.pi)
        radius = ALPHA * np.sqrt(rng.random())
        centre = home + radius * np.array([np.cos(turn), np.sin(turn)])
        for _ in range(traces):
            angle = rng.uniform(0, 2 * np.pi)
            way = np.array([np.cos(angle), np.sin(angle)])
            if trim == "redrawn":
                turn, radius = rng.uniform(0, 2 * np.pi), ALPHA * np.sqrt(rng.random())
                centre = home + radius * np.array([np.cos(turn), np.sin(turn)])
            if trim == "fixed":
                out = ALPHA
            else:
                to = home - centre
                along = -(way @ to)
                out = along + np.sqrt(along**2 + (2 * ALPHA) ** 2 - to @ to) + ALPHA
            start = rng.normal(0, 3, 2)
            ends.append(home + out * way + start)
            headings.append(way)
    offsets = np.arange(len(homes) + 1) * traces
    return offsets, np.array(ends), np.array(headings)


def error(trim, traces, seed=1):
    rng = np.random.default_rng(seed)
    homes = rng.uniform(-5_000, 5_000, (150, 2))
    ring = fixed_trim(ALPHA) if trim == "fixed" else zone_trim(ALPHA)
    found = ring_attack(homes, *cut_traces(rng, homes, traces, trim), ring, traces=traces, rng=rng)
    assert found.guess.metres.size == 150
    assert found.control.median()[0] > 1_000, "somebody else's home is far from the guess"
    return found


@pytest.mark.parametrize("seed", range(6))
def test_the_middle_is_that_of_a_search_of_the_plane(seed):
    rng = np.random.default_rng(seed)
    _, ends, heading = cut_traces(rng, np.zeros((1, 2)), 2 + seed, "fixed")
    found, slow = (find(ends, heading, fixed_trim(ALPHA)) for find in (middle_of_ring, naive_middle))
    assert np.hypot(*(found - slow)) < 6


def test_a_fixed_trim_gives_the_home_away_and_a_zone_does_not():
    for traces, fixed_m in ((1, 12), (5, 8), (20, 4)):
        assert error("fixed", traces).guess.median()[0] < fixed_m
        assert error("zone", traces).guess.median()[0] > 40
    assert error("fixed", 20).end.median()[0] > 90, "the end itself is a step away"


def test_a_zone_that_is_drawn_anew_for_each_trace_is_found_out():
    once, anew = (error(trim, 20).guess for trim in ("zone", "redrawn"))
    assert anew.median()[0] < 35 < 40 < once.median()[0]
    assert anew.median()[2] < once.median()[1], "beyond what chance would have"


def test_one_end_that_lies_elsewhere_does_not_move_the_middle():
    _, ends, heading = cut_traces(np.random.default_rng(4), np.zeros((1, 2)), 8, "fixed")
    ends[0] += 700 * heading[0]
    found, slow = (find(ends, heading, fixed_trim(ALPHA)) for find in (middle_of_ring, naive_middle))
    assert np.hypot(*(found - slow)) < 6
    assert np.hypot(*found) < 45


def test_homes_with_too_few_traces_are_left_out():
    rng = np.random.default_rng(2)
    found = ring_attack(
        np.zeros((2, 2)),
        np.array([0, 1, 4]),
        rng.normal(0, 1, (4, 2)),
        np.tile([1.0, 0.0], (4, 1)),
        fixed_trim(ALPHA),
        traces=3,
        rng=rng,
    )
    assert found.guess.metres.size == 1


def test_without_anybody_nothing_is_said():
    assert Misses(np.empty(0)).to_dict()["median_m"] is None
    assert Misses(np.array([5.0])).to_dict()["within_100_m"]["share"] == 1
