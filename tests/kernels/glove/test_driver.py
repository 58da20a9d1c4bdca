"""The greedy, merge by merge, against the full matrix of the oracle."""

from collections import Counter
from concurrent.futures import Future
from fractions import Fraction
from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import naive
from kernels.crowds import in_threads
from shoal.kernels.common.scale import scale_of
from shoal.kernels.glove import driver, greedy, match, store
from shoal.kernels.glove.driver import glove
from shoal.kernels.glove.greedy import Greedy
from shoal.workers import Workers

CAPS = {"space_cap": 20, "time_cap": 48}
SCALE = scale_of(**CAPS)


def packed(people):
    flat = np.array([sample for person in people for sample in sorted(set(person))], np.int32).reshape(-1, 3)
    offsets = np.concatenate(([0], np.cumsum([len(set(person)) for person in people])))
    return offsets, *np.ascontiguousarray(flat.T)


def grouped(people, k, **options):
    return in_threads(glove)(*packed(people), **CAPS, k=k, **options)


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
        (
            Fraction(m.total, SCALE.unit * m.divisor),
            *sorted((content_of(result, m.first), content_of(result, m.second))),
        )
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


@pytest.mark.slow
@pytest.mark.parametrize("k", [2, 3, 5])
def test_merge_by_merge_among_many(k):
    check(towns(120, 17, samples=6), k)


def test_no_look_ahead_gives_the_same(monkeypatch):
    people = towns(90, 4)
    ahead = steps(grouped(people, 4))
    monkeypatch.setattr(greedy, "AHEAD", 1)
    assert steps(grouped(people, 4)) == ahead


def test_moving_to_where_there_is_room_gives_the_same(monkeypatch):
    """No room to begin with, and never more than is needed: threads must not be left writing to the old place."""
    people = towns(90, 5)
    expected = steps(grouped(people, 5, threads=2))
    spacious, moved = driver.store_of, []

    def cramped(*args):
        made = spacious(*args)
        n, boxes, arena, outlines, clocks = made.groups, made.boxes, made.arena, made.outlines, made.clocks
        made.arena = arena._replace(boxes=arena.boxes[:, :boxes].copy(), start=arena.start[:n].copy())
        made.outlines = outlines._replace(rectangles=outlines.rectangles[:, : made.rectangles].copy())
        made.clocks = clocks._replace(bins=clocks.bins[:, :boxes].copy())
        return made

    def grown(array, size):
        if array.shape[-1] >= size:
            return array
        moved.append(size)
        larger = np.zeros((*array.shape[:-1], size), array.dtype)
        larger[..., : array.shape[-1]] = array
        array[...] = 0
        return larger

    monkeypatch.setattr(driver, "store_of", cramped)
    monkeypatch.setattr(store, "grown", grown)
    assert steps(grouped(people, 5, threads=2)) == expected
    assert len(moved) > 10


class Tardy(Future):
    """Work that nobody begins before its end is asked for."""

    def __init__(self, work, *args):
        super().__init__()
        self.begin = lambda: self.set_result(work(*args))

    def result(self):
        if not self.done():
            self.begin()
        return super().result()


@pytest.mark.parametrize("seed", range(4))
def test_work_that_ends_late_gives_the_same(monkeypatch, seed):
    """What was dropped must not write any more when the same people are merged with others."""
    people = towns(90, seed)
    expected = grouped(people, 5)
    tardy = Workers(SimpleNamespace(submit=Tardy), 2)
    monkeypatch.setattr(driver, "Greedy", lambda *args: Greedy(*args[:-1], tardy))
    late = grouped(people, 5)
    assert steps(late) == steps(expected)
    assert late.tally == expected.tally
    for mine, theirs in zip(
        *((o, *boxes, inside) for o, boxes, inside in (late.fingerprints(), expected.fingerprints())), strict=True
    ):
        assert mine.tolist() == theirs.tolist()


def test_short_lists_give_the_same(monkeypatch):
    people = towns(80, 6)
    expected = {k: steps(grouped(people, k)) for k in (2, 4)}
    monkeypatch.setattr(driver, "NEAREST_PEOPLE", 1)
    monkeypatch.setattr(greedy, "NEAREST_PEOPLE", 1)
    monkeypatch.setattr(match, "NEAREST_PAIR", 1)
    monkeypatch.setattr(greedy, "NEAREST_GROUPS", 1)
    for k, merges in expected.items():
        assert steps(grouped(people, k)) == merges


@pytest.mark.parametrize("k", [2, 5])
def test_threads_and_order_do_not_matter(k):
    people = towns(150, 8)
    expected = steps(grouped(people, k, threads=1))
    assert steps(grouped(people, k, threads=3)) == expected
    shuffled = [people[p] for p in np.random.default_rng(1).permutation(len(people))]
    result = grouped(shuffled, k, threads=2)
    assert steps(result) == expected


@pytest.mark.parametrize("k", [2, 3, 5])
def test_exactly_k_people_and_one_more(k):
    for n in (k, k + 1):
        result = check(towns(n, n), k)
        assert [members.size for members in result.members] == [n]


def test_fewer_people_than_k():
    with pytest.raises(ValueError):
        grouped(towns(3, 0), 4)
    with pytest.raises(ValueError):
        grouped(towns(3, 0), 1)


@pytest.mark.parametrize("k", [2, 3])
def test_people_farther_apart_than_the_caps(k):
    result = check([[(1000 * p, 500 * p, 0), (1000 * p + 1, 500 * p, 7)] for p in range(17)], k)
    assert all(m.total == SCALE.unit * m.divisor for m in result.merges if m.divisor == 2 * 2)


@pytest.mark.parametrize("k", [2, 3, 5])
def test_people_of_few_different_contents(k):
    kinds = towns(4, 2)
    check([kinds[p * p % 4] for p in range(23)], k)


@pytest.mark.parametrize("k", [2, 5])
def test_two_thousand_identical_people(k):
    person = [(t, t % 3, 0) for t in range(0, 60, 3)]
    result = grouped([person] * 2003, k)
    assert all(m.total == 0 for m in result.merges)
    sizes = [members.size for members in result.members]
    assert sum(sizes) == 2003
    assert k <= min(sizes) <= max(sizes) <= 3 * k - 3


def test_an_outlier_joins_or_is_suppressed():
    people = [*towns(6, 3), [(5_000, 100_000, 100_000)]]
    check(people, 2)
    assert check(people, 2, leftover_limit=0.9).suppressed.tolist() == [6]


def test_a_person_with_very_many_samples():
    rng = np.random.default_rng(9)
    samples = np.unique(rng.integers(0, (40_000, 30, 30), (100_000, 3)), axis=0)
    busy = [tuple(sample) for sample in samples.tolist()]
    result = grouped([busy, *towns(12, 3)], 3)
    assert sum(members.size for members in result.members) == 13


def test_wide_integers_give_the_same(monkeypatch):
    people = at_origin(towns(14, 5))
    far = [*people, [(2**30, 2**27, 2**27)]]
    result = grouped(far, 3)
    assert result.store.arena.boxes.dtype == np.int64
    expected = naive.glove(far, 3, **CAPS)
    assert steps(result) == [merge[:3] for merge in expected.merges]


def test_every_sample_is_in_the_box_that_it_went_into():
    people = at_origin(towns(31, 11))
    shifted = [[(t + 7, x - 50, y + 3) for t, x, y in person] for person in people]
    result = grouped(shifted, 3)
    offsets, (t, dt, x, dx, y, dy), box_of = result.fingerprints()
    starts = np.concatenate(([0], np.cumsum([len(person) for person in people])))
    holders = [set() for _ in range(t.size)]
    for g, members in enumerate(result.members):
        boxes = [
            naive.Box(*map(int, b))
            for b in zip(*(v[offsets[g] : offsets[g + 1]] for v in (t, x, y, dt, dx, dy)), strict=True)
        ]
        assert [b._replace(t=b.t - 7, x=b.x + 50, y=b.y - 3) for b in boxes] == list(boxes_of(result, result.groups[g]))
        for p in members:
            for i, (at_t, at_x, at_y) in enumerate(sorted(shifted[p])):
                b = box_of[starts[p] + i]
                assert offsets[g] <= b < offsets[g + 1]
                box = boxes[b - offsets[g]]
                assert box.t <= at_t < box.t + box.dt
                assert box.x <= at_x < box.x + box.dx
                assert box.y <= at_y < box.y + box.dy
                holders[b].add(int(p))
    for g, members in enumerate(result.members):
        assert all(holders[b] == set(members.tolist()) for b in range(offsets[g], offsets[g + 1]))


def test_progress_knows_the_total_and_can_interrupt():
    people, seen = towns(60, 1), []
    grouped(people, 3, progress=lambda phase, done, total: seen.append((phase, done, total)))
    assert {total for phase, _, total in seen if phase == "grouping"} == {60}
    done = [done for phase, done, _ in seen if phase == "grouping"]
    assert done == sorted(done)

    def stop(phase, done, total):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        grouped(people, 3, progress=stop)
