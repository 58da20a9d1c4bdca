"""Linking attackers against plain counting, on points and on boxes; each with a control that finds nothing."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from attacks.test_attacks import CELL, STEP, boxes_of, cell, holds, samples_of, sequence, trace
from shoal.attacks import (
    Linkage,
    companions,
    companions_by_chance,
    counts_only,
    linked_trace,
    past_data,
    read_off_corners,
    split_in_time,
    window,
)
from shoal.attacks.linkage import tally
from shoal.attacks.window import maximal_windows

people_ = st.lists(trace, min_size=1, max_size=5)


def rng():
    return np.random.default_rng(8)


def ones(crowd):
    return np.ones(len(crowd), np.int64)


@given(people_, st.lists(sequence, min_size=1, max_size=4), st.integers(0, 200))
def test_the_window_attacker_keeps_whoever_holds_everything_in_the_worst_interval(people, boxes, tau):
    known, crowd = samples_of(people), boxes_of(boxes)
    own = np.full(len(people), -1)
    found = window(crowd, ones(crowd), known, np.arange(len(people)), own, tau_s=tau * STEP, rng=rng())
    for person, candidates in zip(people, found.candidates, strict=True):
        intervals = [{s for s in person if start <= s[0] <= start + tau} for start, _, _ in person]
        maximal = [one for one in intervals if not any(one < other for other in intervals)]
        counts = [sum(all(any(holds(b, s) for b in one) for s in known) for one in boxes) for known in maximal]
        assert candidates == min((n for n in counts if n), default=0)


@given(st.lists(st.integers(0, 60), max_size=12), st.integers(0, 30))
def test_windows_are_maximal_and_cover_every_sample(times, tau):
    t = np.array(sorted(times), np.int64)
    spans = maximal_windows(t, tau)
    assert {i for first, last in spans for i in range(first, last)} == set(range(t.size))
    for first, last in spans:
        assert t[last - 1] - t[first] <= tau
        assert last == t.size or t[last] - t[first] > tau
    assert len({last for _, last in spans}) == len(spans)


def test_one_window_at_random_is_one_of_the_windows():
    known = samples_of([[(0, 0, 0), (500, 5, 5)], [(0, 0, 0), (900, 1, 1)]])
    crowd = known.as_boxes()
    seen = set()
    for seed in range(20):
        found = window(
            crowd,
            ones(crowd),
            known,
            np.array([0]),
            np.array([0]),
            tau_s=60,
            windows=1,
            rng=np.random.default_rng(seed),
        )
        seen.add(int(found.candidates[0]))
        assert found.right.all()
    assert seen == {1, 2}, "the first sample is shared, the second is not"
    worst = window(crowd, ones(crowd), known, np.array([0]), np.array([0]), tau_s=60, rng=rng())
    assert worst.candidates.tolist() == [1]


@given(people_, st.lists(sequence, min_size=1, max_size=4))
def test_a_whole_trace_points_at_whoever_holds_most_of_it(people, boxes):
    known, crowd = samples_of(people), boxes_of(boxes)
    own = np.zeros(len(people), np.int64)
    found = linked_trace(crowd, ones(crowd), known, np.arange(len(people)), own, rng=rng())
    for i, person in enumerate(people):
        held = [sum(any(holds(b, s) for b in one) for s in set(person)) for one in boxes]
        top = [j for j, count in enumerate(held) if count == max(held) and count]
        assert (found.candidates[i], found.right[i]) == (len(top), 0 in top)


def test_a_tolerance_finds_a_trace_that_is_a_little_off():
    known = samples_of([[(0, 0, 0), (9, 5, 5)], [(0, 50, 50), (9, 60, 60)]])
    shifted = samples_of([[(1, 1, 1), (10, 6, 6)], [(1, 51, 51), (10, 61, 61)]]).as_boxes()
    everybody = np.arange(2)
    strict = linked_trace(shifted, ones(shifted), known, everybody, everybody, rng=rng())
    loose = linked_trace(
        shifted, ones(shifted), known, everybody, everybody, tolerance_m=CELL, tolerance_s=STEP, rng=rng()
    )
    assert strict.candidates.tolist() == [0, 0]
    assert loose.candidates.tolist() == [1, 1]
    assert loose.found.value == 1
    assert loose.control_success == 0


@given(people_, st.sampled_from([60, 7200, 86_400]))
def test_counts_only_on_points(people, step_s):
    crowd = samples_of(people).as_boxes()
    counts = []
    for person in people:
        days = [t * STEP // step_s for t, _, _ in set(person)]
        counts.append(sorted((day, days.count(day)) for day in set(days)))
    assert counts_only(crowd, step_s=step_s).tolist() == [counts.count(one) for one in counts]


def heat(rows):
    places = [(x // 2, y // 2) for _, x, y in rows]
    return {place: places.count(place) / len(places) for place in places}


@given(st.lists(st.tuples(trace, trace), min_size=2, max_size=5))
def test_the_past_points_at_the_most_similar_heat_map(pairs):
    past = samples_of([old for old, _ in pairs])
    later = samples_of([new for _, new in pairs]).as_boxes()
    everybody = np.arange(len(pairs))
    found = past_data(later, ones(later), past, everybody, everybody, cell_m=2 * CELL, rng=rng())
    for i, (old, _) in enumerate(pairs):
        mine = heat(sorted(set(old)))
        likeness = [
            sum((mine[place] * theirs[place]) ** 0.5 for place in mine if place in theirs)
            for theirs in (heat(sorted(set(new))) for _, new in pairs)
        ]
        top = [j for j, value in enumerate(likeness) if value > 0 and value > max(likeness) - 1e-9]
        assert (found.candidates[i], found.right[i]) == (len(top), i in top)


def test_past_data_of_people_with_homes_succeeds_and_its_control_does_not():
    draw = np.random.default_rng(5)
    homes = draw.integers(0, 60, (40, 2))
    people = [
        [(int(t), *(home + draw.integers(0, 2, 2)).tolist()) for t in draw.integers(0, 2000, 30)] for home in homes
    ]
    known = samples_of(people)
    past, later = split_in_time(known, known.as_boxes(), 1000 * STEP)
    assert past.t.max() < 1000 * STEP <= later.t0.min()
    everybody = np.arange(40)
    found = past_data(later, ones(later), past, everybody, everybody, cell_m=200, rng=rng())
    assert found.success > 0.8
    assert found.control_success < 0.1
    assert found.to_dict()["baseline"] == 1 / 40


def test_boxes_are_spread_over_the_cells_of_the_heat_map():
    past = samples_of([[(0, 0, 0), (1, 2, 0)]])
    # One has a box over both cells, the other is in one of them only.
    later = boxes_of([[(9, 10, 0, 4, 0, 1)], [(9, 10, 0, 1, 0, 1)]])
    found = past_data(later, ones(later), past, np.array([0]), np.array([0]), cell_m=2 * CELL, rng=rng())
    assert found.right.tolist() == [True]
    assert found.candidates.tolist() == [1]


def test_groups_count_as_many_as_they_stand_for():
    found = tally([np.array([1])], np.array([2, 5]), np.array([1]), rng())
    assert (found.candidates.tolist(), found.published) == ([5], 7)
    assert found.success == pytest.approx(0.2)


@given(st.lists(st.tuples(st.integers(0, 3), st.integers(0, 3)), min_size=1, max_size=12))
def test_companions_share_both_groups(groups):
    now, before = np.array(groups).T
    assert companions(now, before).tolist() == [groups.count(pair) for pair in groups]
    assert sorted(companions_by_chance(now, before, rng())) == sorted(
        companions_by_chance(now, before, np.random.default_rng(8))
    )


@given(cell, cell, cell, cell)
def test_a_member_reads_the_other_off_the_opposite_corner(ax, ay, bx, by):
    """Two people, one sample each, one box around both: the corner that is not mine is the other's."""
    samples = samples_of([[(0, ax, ay)], [(0, bx, by)]])
    box = (0, 1, min(ax, bx), max(ax, bx) + 1, min(ay, by), max(ay, by) + 1)
    crowd = boxes_of([[box], [box]])
    found = read_off_corners(crowd, samples, np.arange(2), np.array([0, 1]), np.array([1, 0]))
    assert found.read.value == 1
    assert found.control.value == float((ax, ay) == (bx, by))
    area = (abs(ax - bx) + 1) * (abs(ay - by) + 1)
    assert found.blind == pytest.approx(1 / area)


def test_a_corner_that_nobody_occupies_is_not_read():
    samples = samples_of([[(0, 0, 0)], [(0, 0, 2), (0, 2, 0)]])
    box = (0, 1, 0, 3, 0, 3)
    crowd = boxes_of([[box], [box]])
    found = read_off_corners(crowd, samples, np.arange(3), np.array([0, 1, 1]), np.array([1, 0, 0]))
    assert found.read.value == 0


def test_nothing_shared_nothing_read():
    samples = samples_of([[(0, 0, 0)]])
    nothing = np.empty(0, np.int64)
    assert read_off_corners(samples.as_boxes(), samples, nothing, nothing, nothing).read.trials == 0


def test_a_linkage_of_nobody():
    nothing = np.empty(0, np.int64)
    empty = Linkage(nothing, nothing.astype(bool), nothing.astype(bool), 0)
    assert empty.success == 0
    assert empty.to_dict()["unique"]["trials"] == 0


def test_a_member_in_the_middle_cannot_tell_which_edge_is_whose():
    """The other was on both sides; naming one of them would be a guess."""
    samples = samples_of([[(0, 1, 0)], [(0, 0, 0), (0, 2, 0)]])
    box = (0, 1, 0, 3, 0, 1)
    found = read_off_corners(boxes_of([[box], [box]]), samples, np.arange(3), np.array([0, 1, 1]), np.array([1, 0, 0]))
    assert found.read.value == 0


def test_a_wide_box_weighs_no_more_than_a_small_one():
    past = samples_of([[(0, 0, 0)]])
    wide = (9, 10, 10, 14, 0, 1)
    # Half of one is at the known place, a third of the other.
    later = boxes_of([[(8, 9, 0, 1, 0, 1), wide], [(8, 9, 0, 1, 0, 1), (9, 10, 10, 11, 0, 1), (10, 11, 12, 13, 0, 1)]])
    found = past_data(later, ones(later), past, np.array([0]), np.array([0]), cell_m=CELL, rng=rng())
    assert (found.candidates.tolist(), found.right.tolist()) == ([1], [True])


def test_the_moment_of_the_split_belongs_to_what_is_published():
    known = samples_of([[(4, 0, 0), (5, 0, 0), (6, 0, 0)]])
    past, later = split_in_time(known, known.as_boxes(), 5 * STEP)
    assert (past.t // STEP).tolist() == [4]
    assert (later.t0 // STEP).tolist() == [5, 6]
