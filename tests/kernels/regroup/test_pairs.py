"""Pairs that are known are worth what the definition says, and rounds choose among them."""

import numpy as np
import pytest

import naive
from kernels.crowds import CAPS, flat, some_people
from shoal.kernels.regroup.candidates import draw
from shoal.kernels.regroup.cores import Groups, as_groups, group_values
from shoal.kernels.regroup.crowd import crowd_of
from shoal.kernels.regroup.pairs import known_pairs, pairs_round
from shoal.progress import silent
from shoal.workers import workers


def known_of(people, among, also):
    crowd = crowd_of(*flat(people), 2, **CAPS)
    with workers(1) as crew:
        return known_pairs(crowd, draw(crowd), among, also, silent, crew), crowd


def test_known_pairs_have_their_values_from_both_sides_and_hold_those_given():
    people = some_people(np.random.default_rng(0), 60, 12)
    among = np.array([p for p in range(60) if p % 7])
    also = Groups(np.arange(0, 5, 2), np.array([1, 59, 58, 2]))
    known, crowd = known_of(people, among, also)
    first = np.repeat(np.arange(60), np.diff(known.at))
    pairs = list(zip(first.tolist(), known.second.tolist(), strict=True))
    assert pairs == sorted(set(pairs))
    assert set(pairs) == {(second, first) for first, second in pairs}
    assert {(1, 59), (59, 1), (58, 2), (2, 58)} <= set(pairs)
    assert set(first) == set(among)
    with workers(1) as crew:
        values = group_values(as_groups([np.array(pair) for pair in pairs]), crowd, crew)
    assert known.value == pytest.approx(values)


def test_rounds_of_all_pairs_of_eight_find_the_best():
    people = some_people(np.random.default_rng(1), 8, 12)
    given = as_groups([np.array([low, low + 1]) for low in range(0, 8, 2)])
    known, _ = known_of(people, np.arange(8), given)
    first = np.repeat(np.arange(8), np.diff(known.at))
    value = {(a, b): v for a, b, v in zip(first, known.second, known.value, strict=True)}
    best = min(sum(value[pair] for pair in way) for way in naive.groupings(list(range(8)), 2) if len(way) == 4)
    mate, rng, now = np.arange(8) ^ 1, np.random.default_rng(2), np.inf
    for _ in range(40):
        after, total = pairs_round(known, mate, rng)
        assert (after[after] == np.arange(8)).all()
        assert total == pytest.approx(sum(value[p, after[p]] for p in range(8) if p < after[p]))
        if total < now:
            mate, now = after, total
    assert now == pytest.approx(best)
