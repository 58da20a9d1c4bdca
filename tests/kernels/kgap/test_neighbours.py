"""The nearest of everybody, against the oracle and against brute force."""

import math
from unittest import mock

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

import naive
from kernels.crowds import (
    CAPS,
    FAR,
    FINE,
    FINE_CAPS,
    FINE_NEAR,
    TIES,
    contents,
    crowds,
    flat,
    in_threads,
    some_people,
    wanderers,
)
from shoal.kernels.common.content import content_rank
from shoal.kernels.common.people import pack
from shoal.kernels.common.scale import scale_of
from shoal.kernels.kgap import digest
from shoal.kernels.kgap import neighbours as driver
from shoal.kernels.kgap.pairs import stretch_pairs

neighbours = in_threads(driver.neighbours)

OFTEN = st.sampled_from([0, math.inf])
"""Bins are looked at in one go, or cell by cell."""


def brute(people, caps, k):
    """Everybody's k-1 nearest from the stretches of all pairs: indices, totals and samples."""
    scale = scale_of(**caps)
    arrays = pack(*flat(people), scale)
    rank, sizes, n = content_rank(arrays), np.diff(arrays.offsets), len(people)
    first, second = np.triu_indices(n, 1)
    total, longer = stretch_pairs(arrays, scale, first, second)
    common = math.lcm(*map(int, np.unique(sizes)))
    rows = [[] for _ in range(n)]
    for a, b, tot, m in zip(first.tolist(), second.tolist(), total.tolist(), sizes[longer].tolist(), strict=True):
        for one, other in ((a, b), (b, a)):
            rows[one].append((tot * (common // m), int(rank[other]), other, tot, m))
    return [[row[2:] for row in sorted(rows[a])[: k - 1]] for a in range(n)]


def found(people, caps, k, **options):
    near = neighbours(*flat(people), k=k, **caps, **options)
    zipped = np.stack((near.other, near.total, near.samples), axis=2)
    return [[tuple(cell) for cell in row] for row in zipped.tolist()]


def check(people, caps, k):
    near = neighbours(*flat(people), k=k, **caps)
    for a in range(len(people)):
        expected = naive.nearest(people, a, min(k, len(people)), **caps)
        assert contents(people, near.other[a]) == contents(people, expected)
        assert len(set(near.other[a].tolist())) == len(expected)
        assert a not in near.other[a]
        delta = [naive.fingerprint_stretch(people[a], people[b], **caps) for b in expected]
        assert [(int(t), int(m)) for t, m in zip(near.total[a], near.samples[a], strict=True)] == [
            (d * near.unit * m, m)
            for d, m in zip(delta, (max(len(people[a]), len(people[b])) for b in expected), strict=True)
        ]


@settings(deadline=None, max_examples=150)
@given(crowds(), st.integers(2, 14), OFTEN)
@example([[(0, 0, 0)]] * 4, 3, 0)
@example([[(0, 0, 0), (9, 0, 0)], [(0, 0, 0), (9, 1, 0)], [(8, 0, 0), (9, 0, 0)]], 2, 0)
def test_nearest_is_the_definition(people, k, often):
    with mock.patch.object(digest, "OFTEN", often):
        check(people, CAPS, k)


@settings(deadline=None)
@given(crowds(TIES) | crowds(FAR), st.integers(2, 14))
def test_ties_go_by_content(people, k):
    check(people, CAPS, k)


@settings(deadline=None)
@given(crowds(FINE) | crowds(FINE_NEAR), st.integers(2, 14))
@example([[(0, -20_000_000, -20_000_000)], [(2**31 - 1, 20_000_000, 20_000_000)], [(7, 0, 0)]], 3)
def test_nearest_on_a_fine_grid(people, k):
    check(people, FINE_CAPS, k)


@settings(deadline=None, max_examples=50)
@given(crowds(), st.integers(2, 9), st.sampled_from([(1, 1), (7, 13), (3, 480), (200, 1), (8, 32)]))
def test_nearest_with_any_caps(people, k, caps):
    check(people, {"space_cap": caps[0], "time_cap": caps[1]}, k)


@settings(deadline=None)
@given(crowds(), st.randoms(use_true_random=False), st.tuples(*[st.integers(-(10**6), 10**6)] * 3))
def test_neither_order_nor_place_nor_time_matter(people, random, by):
    before = neighbours(*flat(people), k=4, **CAPS)
    order = list(range(len(people)))
    random.shuffle(order)
    moved = [[tuple(v + d for v, d in zip(s, by, strict=True)) for s in people[p]] for p in order]
    after = neighbours(*flat(moved), k=4, **CAPS)
    for row, p in enumerate(order):
        assert contents(people, [order[i] for i in after.other[row]]) == contents(people, before.other[p])
        assert (after.total[row] == before.total[p]).all()
        assert (after.samples[row] == before.samples[p]).all()


@pytest.fixture(scope="module")
def town():
    return some_people(np.random.default_rng(1), 600, 60)


@pytest.fixture(scope="module")
def town_by_brute_force(town):
    return brute(town, CAPS, 100)


@pytest.mark.parametrize("k", [2, 5, 100])
def test_a_town(town, town_by_brute_force, k):
    assert found(town, CAPS, k) == [row[: k - 1] for row in town_by_brute_force]


def test_a_town_in_which_people_are_seen_seldom(town, town_by_brute_force, monkeypatch):
    monkeypatch.setattr(digest, "OFTEN", math.inf)
    assert found(town, CAPS, 5) == [row[:4] for row in town_by_brute_force]


@pytest.mark.parametrize("threads", [1, 2, 5])
def test_threads_do_not_matter(town, town_by_brute_force, threads):
    assert found(town, CAPS, 4, threads=threads) == [row[:3] for row in town_by_brute_force]


@pytest.mark.parametrize("targets", [[0], [599, 3, 3, 17], list(range(0, 600, 7)), []])
def test_some_targets_among_everybody(town, town_by_brute_force, targets):
    near = neighbours(*flat(town), k=4, targets=targets, **CAPS)
    assert near.targets.tolist() == targets
    assert near.other.tolist() == [[b for b, _, _ in town_by_brute_force[a][:3]] for a in targets]


def test_more_places_than_sites():
    """Positions that hardly ever repeat: sites are wider than a cell."""
    rng = np.random.default_rng(2)
    people = [person for samples in (150, 170, 170, 250) for person in wanderers(rng, 15, samples)]
    assert found(people, CAPS, 6) == brute(people, CAPS, 6)


def test_years_of_data_and_an_outlier_at_the_other_end_of_the_earth():
    rng = np.random.default_rng(3)
    people = some_people(rng, 200, 25, span=1_000_000)
    people[7] = [(0, 100_000, -90_000), *people[7]]
    assert found(people, CAPS, 5) == brute(people, CAPS, 5)


def test_people_with_very_many_samples():
    rng = np.random.default_rng(4)
    people = some_people(rng, 60, 50)
    for size in (3_000, 3_000, 5_000, 20_000):
        at = rng.choice(60, 8)
        people.append(sorted({(int(t), *people[at[t % 8]][0][1:]) for t in rng.integers(0, 20_000, size)}))
    assert found(people, CAPS, 8) == brute(people, CAPS, 8)


@pytest.mark.parametrize("apart", [0, 10**5])
def test_everybody_identical_or_beyond_all_caps(apart):
    people = [[(i * apart, i * apart % 10**7, 0), (i * apart + 5, i * apart % 10**7, 0)] for i in range(300)]
    assert found(people, CAPS, 4) == brute(people, CAPS, 4)


def test_fewer_people_than_k():
    near = neighbours(*flat([[(0, 0, 0)], [(3, 0, 0)], [(5, 0, 0)]]), k=100, **CAPS)
    assert near.other.tolist() == [[1, 2], [2, 0], [1, 0]]
    alone = neighbours(*flat([[(0, 0, 0)]]), k=2, **CAPS)
    assert alone.other.shape == (1, 0)
    nobody = neighbours(*flat([]), k=2, **CAPS)
    assert nobody.other.shape == (0, 0)


def test_progress_ascends_in_the_calling_thread(town):
    told = []
    neighbours(*flat(town), k=2, progress=lambda done, total: told.append((done, total)), **CAPS)
    done = [d for d, _ in told]
    assert done == sorted(done)
    assert told[-1] == (1200, 1200)


def test_an_interruption_comes_through(town):
    def interrupt(done, total):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        neighbours(*flat(town), k=2, progress=interrupt, **CAPS)


@pytest.mark.parametrize("wrong", [{"k": 1}, {"k": 2, "targets": [3]}, {"k": 2, "targets": [-1]}])
def test_parameters_that_cannot_work_are_refused(wrong):
    with pytest.raises(ValueError):
        neighbours(*flat([[(0, 0, 0)], [(3, 0, 0)], [(5, 0, 0)]]), **wrong, **CAPS)
