"""The greedy, merge by merge, against the full matrix of the oracle."""

from collections import Counter
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import naive
from shoal.kernels.glove import glove
from shoal.kernels.scale import scale_of

CAPS = {"space_cap": 20, "time_cap": 48}
SCALE = scale_of(**CAPS)


def packed(people):
    flat = np.array([sample for person in people for sample in sorted(set(person))], np.int32).reshape(-1, 3)
    offsets = np.concatenate(([0], np.cumsum([len(set(person)) for person in people])))
    return offsets, *np.ascontiguousarray(flat.T)


def grouped(people, k, **options):
    return glove(*packed(people), **CAPS, k=k, **options)


def boxes_of(result, group):
    """A group's boxes in cells, relative to the origin of the data."""
    arena = result.store.arena
    lo, hi = arena.start[group], arena.start[group] + arena.length[group]
    weights = [SCALE.time_weight] * 2 + [SCALE.space_weight] * 4
    t0, t1, x0, x1, y0, y1 = (arena.boxes[row, lo:hi].astype(int) // w for row, w in enumerate(weights))
    return tuple(naive.Box(*map(int, b)) for b in zip(t0, x0, y0, t1 - t0, x1 - x0, y1 - y0, strict=True))


def content_of(result, group):
    return boxes_of(result, group), int(result.store.arena.size[group])


def steps(result):
    """The merges as the oracle writes them."""
    return [
        (Fraction(m.total, SCALE.unit * m.whole), *sorted((content_of(result, m.first), content_of(result, m.second))))
        for m in result.merges
    ]


def at_origin(people):
    low = [min(sample[axis] for person in people for sample in person) for axis in range(3)]
    return [[tuple(v - least for v, least in zip(s, low, strict=True)) for s in sorted(set(p))] for p in people]


def check(people, k, leftover_limit=1, **options):
    people = at_origin(people)
    result = grouped(people, k, leftover_limit=leftover_limit, **options)
    expected = naive.glove(people, k, leftover_limit, **CAPS)
    assert steps(result) == [merge[:3] for merge in expected.merges]
    assert sorted(content_of(result, g) for g in result.groups) == [
        naive.content(g.fingerprint, g.size) for g in expected.groups
    ]
    contents = [tuple(person) for person in people]
    assert Counter(contents[p] for p in result.suppressed) == Counter(contents[p] for p in expected.suppressed)
    everyone = sorted(p for members in [*result.members, result.suppressed] for p in members)
    assert everyone == list(range(len(people)))
    return result


def people_of(least, most, farthest, samples=6):
    axis = st.integers(0, farthest)
    return st.lists(st.lists(st.tuples(axis, axis, axis), min_size=1, max_size=samples), min_size=least, max_size=most)


def towns(n, seed, samples=12):
    """People with a home and a few places in one of three towns."""
    rng = np.random.default_rng(seed)
    people = []
    for _ in range(n):
        town = rng.integers(0, 3) * 40
        places = town + rng.integers(0, 12, (3, 2))
        count = rng.integers(1, samples)
        at = places[rng.integers(0, 3, count)]
        people.append([tuple(map(int, (t, *xy))) for t, xy in zip(rng.integers(0, 500, count), at, strict=True)])
    return people


@pytest.mark.parametrize("k", [2, 3, 5])
@pytest.mark.parametrize("farthest", [3, 30, 200])
def test_merge_by_merge(k, farthest):
    @settings(max_examples=25, deadline=None)
    @given(people_of(k, 12, farthest))
    def run(people):
        check(people, k)

    run()


@pytest.mark.parametrize("k", [2, 3, 5, 7])
def test_merge_by_merge_in_towns(k):
    for seed in range(3):
        check(towns(40 + seed, seed), k)
