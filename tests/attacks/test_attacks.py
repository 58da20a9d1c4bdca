"""Attackers against plain counting: for each target, who fits what is known?"""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from shoal.attacks import Crowd, Outcome, Samples, home_work, times_only, top_places, unicity, whole_trace, wilson
from shoal.attacks.index import CoverIndex
from shoal.attacks.packing import distinct, is_in, keys
from shoal.attacks.same import same_sequences

CELL, STEP = 100, 60


def samples_of(people):
    """Make samples from lists of (t, x, y) in cells."""
    rows = [sorted(set(person)) for person in people]
    flat = np.array([row for person in rows for row in person], np.int64).reshape(-1, 3)
    offsets = np.concatenate(([0], np.cumsum([len(person) for person in rows]))).astype(np.int64)
    return Samples(offsets, flat[:, 0] * STEP, flat[:, 1] * CELL, flat[:, 2] * CELL, CELL, STEP)


def boxes_of(people):
    """Make a crowd from lists of (t0, t1, x0, x1, y0, y1) in cells."""
    rows = [sorted(person) for person in people]
    flat = np.array([row for person in rows for row in person], np.int64).reshape(-1, 6)
    offsets = np.concatenate(([0], np.cumsum([len(person) for person in rows]))).astype(np.int64)
    return Crowd(offsets, *(flat * [STEP, STEP, CELL, CELL, CELL, CELL]).T.copy())


cell = st.integers(-3, 3)
trace = st.lists(st.tuples(st.integers(0, 200), cell, cell), min_size=1, max_size=6)
span = st.tuples(st.integers(0, 200), st.integers(1, 90), cell, st.integers(1, 4), cell, st.integers(1, 4))
sequence = st.lists(
    span.map(lambda s: (s[0], s[0] + s[1], s[2], s[2] + s[3], s[4], s[4] + s[5])), min_size=1, max_size=4
)


def holds(box, sample):
    (t0, t1, x0, x1, y0, y1), (t, x, y) = box, sample
    return t0 <= t < t1 and x0 <= x < x1 and y0 <= y < y1


@given(st.lists(sequence, min_size=1, max_size=5), st.tuples(st.integers(0, 300), cell, cell))
def test_the_index_finds_whoever_has_a_box_around_a_sample(people, sample):
    found = CoverIndex(boxes_of(people)).holding(sample[0] * STEP, sample[1] * CELL, sample[2] * CELL, STEP, CELL)
    assert found.tolist() == [i for i, boxes in enumerate(people) if any(holds(box, sample) for box in boxes)]


@given(st.lists(sequence, min_size=1, max_size=5), trace)
def test_all_points_known_leave_those_who_cover_all(people, person):
    known = samples_of([person])
    counts = unicity(
        boxes_of(people), np.ones(len(people), np.int64), known, np.array([0]), points=6, rng=np.random.default_rng(1)
    )[0]
    expected = sum(all(any(holds(b, s) for b in boxes) for s in person) for boxes in people)
    assert counts[-1] == expected
    assert (np.diff(counts) <= 0).all()


@given(st.lists(sequence, max_size=8))
def test_equal_sequences_are_found_exactly(people):
    crowd = boxes_of(people)
    classes = same_sequences(crowd.offsets, crowd.columns)
    rows = [sorted(person) for person in people]
    assert classes.tolist() == [rows.index(person) for person in rows]


@given(st.lists(trace, min_size=1, max_size=6))
def test_whole_trace_and_times_on_points(people):
    crowd = samples_of(people).as_boxes()
    sets = [frozenset(person) for person in people]
    times = [frozenset(t for t, _, _ in person) for person in people]
    assert whole_trace(crowd).tolist() == [sets.count(one) for one in sets]
    assert times_only(crowd).tolist() == [times.count(one) for one in times]


def test_points_at_a_coarser_resolution_are_fewer_boxes():
    known = samples_of([[(0, 0, 0), (1, 1, 1), (70, 0, 0)]])
    coarse = known.as_boxes(1000, 3600)
    assert coarse.lengths.tolist() == [2]
    assert coarse.t0.tolist() == [0, 3600]


def test_top_places_need_the_same_places_on_top():
    home, work, far = (0, 0), (5, 5), (90, 90)

    def person(first, second):
        return [(t, *first) for t in range(5)] + [(t, *second) for t in range(10, 13)]

    known = samples_of([person(home, work), person(home, far), person(work, home)])
    counts = top_places(known.as_boxes(), np.ones(3, np.int64), known, np.arange(3), places=2)
    assert counts[:, 0].tolist() == [2, 2, 1]
    assert counts[:, 1].tolist() == [2, 1, 2], "two places, in any order"


def test_home_and_work_against_a_control():
    day, hour = 86_400 // STEP, 3600 // STEP
    monday = 4 * day

    def person(home, work):
        return [(monday + 2 * hour, *home), (monday + 3 * hour, *home), (monday + 10 * hour, *work)]

    known = samples_of([person((i, 0), (0, i)) for i in range(40)])
    crowd = known.as_boxes()
    found = home_work(crowd, np.ones(40, np.int64), np.arange(40), known, np.arange(40), rng=np.random.default_rng(2))
    assert found.candidates.tolist() == [1] * 40
    assert found.home_shown.value == 1
    assert found.control.value < 0.2


def test_an_outcome_counts_who_is_alone():
    outcome = Outcome(np.array([1, 3, 0, 1]), 50)
    assert (outcome.unique, outcome.fewest, outcome.below(2), outcome.below(4)) == (2, 1, 2, 3)
    assert Outcome(np.empty(0, np.int64), 0).to_dict()["unique"]["high"] == 1.0


@given(st.integers(1, 500).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n))))
def test_wilson_holds_the_share(case):
    successes, trials = case
    rate = wilson(successes, trials)
    assert 0 <= rate.low <= rate.value <= rate.high <= 1


wide = st.one_of(st.integers(-5, 5), st.integers(-(2**62), 2**62))


@given(st.lists(st.tuples(wide, wide), max_size=8), st.lists(st.tuples(wide, wide), max_size=8))
def test_keys_compare_like_rows(one, two):
    tables = [tuple(np.array(rows, np.int64).reshape(-1, 2).T) for rows in (one, two)]
    left, right = keys(*tables)
    rows, numbers = one + two, [*left.tolist(), *right.tolist()]
    for row, number in zip(rows, numbers, strict=True):
        for other, another in zip(rows, numbers, strict=True):
            assert (row < other) == (number < another)
    assert is_in(left, right).tolist() == [row in two for row in one]


@pytest.mark.parametrize("scale", [1, 2**40])
@given(rows=st.lists(st.tuples(st.integers(-3, 3), st.integers(-3, 3)), max_size=12))
def test_distinct_rows_and_their_counts(rows, scale):
    columns = tuple(np.array(rows, np.int64).reshape(-1, 2).T * scale)
    a, b, counts = distinct(columns)
    found = dict(zip(zip((a // scale).tolist(), (b // scale).tolist(), strict=True), counts.tolist(), strict=True))
    assert found == {row: rows.count(row) for row in rows}
    assert list(found) == sorted(found)
