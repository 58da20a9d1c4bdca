"""The kernels of window hiding: the set of pairs, the nearest, costs, assignment, boxes; each beside its definition."""

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import naive
from shoal.kernels.common.jit import kernel
from shoal.kernels.kmerge.stamps import Rule
from shoal.kernels.kte.assign import assigned, enough_candidates
from shoal.kernels.kte.cover import shown
from shoal.kernels.kte.draw import RULE, draw, new_drawing
from shoal.kernels.kte.hiders import NOBODY, Avoid, Candidates, Stretch, crowd_costs, find_bounds, find_candidates
from shoal.kernels.kte.lives import Lives, pairs_by
from shoal.kernels.kte.used import LEAST_ROOM, UsedPairs, is_used
from shoal.workers import workers

LENGTH, EPOCHS = 10, 4


def lives_of(people):
    """Lists of (t, x, y) as the kernels take them."""
    samples = np.array([s for person in people for s in sorted(person)], np.int32).reshape(-1, 3)
    t, x, y = (np.ascontiguousarray(column) for column in samples.T)
    offsets = np.cumsum([0, *map(len, people)])
    return Lives(offsets, t, x, y, (t // LENGTH).astype(np.int32))


def alive_of(people):
    return np.array([[any(t // LENGTH == e for t, _, _ in person) for e in range(EPOCHS)] for person in people])


def cell(person, epoch):
    return [sample for sample in sorted(person) if sample[0] // LENGTH == epoch]


def stretch_of(people, pairs, window, reach, rule=RULE):
    """A window in which some pairs (window, hider, hidden) are decided."""
    lives, alive = lives_of(people), alive_of(people)
    hides = hides_of(people, pairs)
    with workers(2) as crew:
        cost, most = crowd_costs(lives, alive, hides, window, reach + 1, rule, workers=crew)
    largest = max(len(cell(p, e)) for p in people for e in range(EPOCHS))
    bounds = find_bounds(lives, window, reach + 1)
    room = most + largest
    return Stretch(lives, alive, hides, window, reach, bounds, True, cost, room, window * LENGTH, 1.0, rule)


def hides_of(people, pairs):
    window, hider, hidden = np.array(pairs, np.int64).reshape(-1, 3).T
    return pairs_by(hider, window, hidden, len(people))


SAMPLES = st.sets(
    st.tuples(st.integers(0, LENGTH * EPOCHS - 1), st.integers(-5, 40), st.integers(0, 3)), min_size=1, max_size=8
)
CROWDS = st.lists(SAMPLES, min_size=2, max_size=9)


@st.composite
def crowds_with_pairs(draw, most=6):
    """People, and pairs of which no one hides himself."""
    people = draw(CROWDS)
    some = st.integers(0, len(people) - 1)
    pairs = draw(st.lists(st.tuples(st.integers(0, EPOCHS - 2), some, some), max_size=most))
    return people, [pair for pair in pairs if pair[1] != pair[2]]


@kernel
def ask(table, a, b):
    return is_used(table, a, b)


@given(st.lists(st.tuples(st.integers(0, 60), st.integers(0, 60)), max_size=40), st.integers(1, 3))
def test_pairs_are_kept_in_both_directions(pairs, pieces):
    used = UsedPairs()
    for part in np.array_split(np.array(pairs, np.int64).reshape(-1, 2), pieces):
        used.add(np.ascontiguousarray(part[:, 0]), np.ascontiguousarray(part[:, 1]))
    kept = {frozenset(pair) for pair in pairs}
    assert used.count == len(kept)
    for a, b in itertools.product(range(0, 61, 5), range(61)):
        assert ask(used.table, a, b) == (frozenset((a, b)) in kept)


def test_the_set_grows():
    used, many = UsedPairs(), 3 * LEAST_ROOM
    a, b = np.arange(many), np.arange(many)[::-1] + many
    used.add(a, b)
    used.add(b, a)
    assert used.count == many
    assert all(ask(used.table, b[i], a[i]) for i in range(many))
    assert not any(ask(used.table, a[i], b[i] + 1) for i in range(many))


def boxes_by_definition(people, pairs, alive, reach, person):
    """The published boxes of a person: each cell merged with those whom it hides there."""
    boxes = []
    for epoch in range(EPOCHS):
        if not alive[person, epoch]:
            continue
        crowd = {person} | {
            hidden
            for window, hider, hidden in pairs
            if hider == person and window <= epoch <= window + reach and alive[hidden, epoch]
        }
        plan = naive.kmerge_brute([cell(people[q], epoch) for q in crowd], naive.area_cost)
        boxes += [(t, t + dt - 1, x, x + dx - 1, y, y + dy - 1) for x, dx, y, dy, t, dt in map(as_tuple, plan.boxes)]
    return boxes


def as_tuple(box):
    return box.x, box.dx, box.y, box.dy, box.t, box.dt


@settings(max_examples=60)
@given(crowds_with_pairs(), st.sampled_from([0, 1, 2]), st.data())
def test_boxes_are_those_of_the_definition(crowd, reach, data):
    people, pairs = crowd
    lives, alive = lives_of(people), alive_of(people)
    gone = data.draw(st.sets(st.tuples(st.integers(0, len(people) - 1), st.integers(0, EPOCHS - 1)), max_size=3))
    for person, epoch in gone:
        alive[person, epoch] = False
    drawing = new_drawing(lives.t.size)
    drawing.is_box[:] = True  # whatever was there before goes
    with workers(2) as crew:
        draw(np.arange(len(people)), lives, alive, reach, hides_of(people, pairs), drawing, workers=crew)
    boxes = shown(drawing, lives)
    for person in range(len(people)):
        found = [tuple(box) for box in boxes.box[boxes.at[person] : boxes.at[person + 1]].tolist()]
        assert found == boxes_by_definition(people, pairs, alive, reach, person)


def cost_by_definition(people, pairs, hider, hidden, window, reach, shared):
    total = 0
    for d in shared:
        epoch = window + d
        crowd = {hider} | {i for w, j, i in pairs if j == hider and w <= epoch <= w + reach and cell(people[i], epoch)}
        before = [cell(people[q], epoch) for q in crowd]
        total += naive.kmerge_brute([*before, cell(people[hidden], epoch)], naive.area_cost).cost
        total -= naive.kmerge_brute(before, naive.area_cost).cost
    return total


def mean_distance(people, a, b, window, shared):
    total = 0.0
    for d in shared:
        means = [np.mean(cell(people[q], window + d), axis=0) for q in (a, b)]
        total += np.abs(means[0] - means[1]).sum()
    return total


@settings(max_examples=60)
@given(crowds_with_pairs(most=3), st.integers(0, 2), st.integers(1, 5), st.integers(1, 2))
def test_candidates_are_the_nearest_unused_and_cost_what_the_boxes_grow(crowd, window, most, threads):
    people, pairs = crowd
    reach = 1
    there = [q for q in range(len(people)) if cell(people[q], window)]
    both = np.array([q for q in there if cell(people[q], window + 1)], np.int64)
    stretch, used = stretch_of(people, pairs, window, reach), UsedPairs()
    used.add(*(np.array([pair[i] for pair in pairs], np.int64) for i in (1, 2)))
    met = {frozenset(pair[1:]) for pair in pairs}
    shared = np.array([0, 1])
    with workers(threads) as crew:
        found = find_candidates(both, both, stretch, shared, used.table, most, workers=crew)
    for i, person in enumerate(both):
        others = [q for q in both if q != person and frozenset((person, q)) not in met]
        far = {q: mean_distance(people, person, q, window, shared) for q in others}
        got = [both[j] for j in found.hider[i] if j != NOBODY]
        assert len(set(got)) == len(got) == min(most, len(others))
        nearest = sorted(far.values())[: len(got)]
        assert sorted(far[q] for q in got) == pytest.approx(nearest, abs=1e-4)
        costs = [cost_by_definition(people, pairs, q, person, window, reach, shared) for q in got]
        assert costs == found.cost[i][: len(got)].tolist() == sorted(costs)


def test_what_must_not_be_covered_is_avoided():
    people = [[(1, 0, 0), (15, 9, 9)], [(2, 1, 0), (15, 9, 9)], [(3, 2, 0), (16, 9, 8)], [(4, 3, 0), (35, 0, 0)]]
    lives, everybody = lives_of(people), np.arange(4)
    drawing = new_drawing(lives.t.size)
    with workers(1) as crew:
        draw(everybody, lives, alive_of(people), 0, hides_of(people, []), drawing, workers=crew)
        avoid = Avoid(shown(drawing, lives), np.array([0, 1]), np.array([1]))
        stretch = stretch_of(people, [], 0, 0)
        asked = (everybody[:1], everybody, stretch, np.array([0]), UsedPairs().table, 4)
        assert find_candidates(*asked, workers=crew).hider.tolist() == [[1, 2, 3, NOBODY]]
        assert find_candidates(*asked, avoid=avoid, workers=crew).hider.tolist() == [[2, 3, NOBODY, NOBODY]]


@st.composite
def candidates(draw):
    n, most = draw(st.integers(2, 12)), draw(st.integers(1, 5))
    hider, cost = np.full((n, most), NOBODY, np.int32), np.zeros((n, most), np.int64)
    for i in range(n):
        others = draw(st.lists(st.sampled_from([j for j in range(n) if j != i]), max_size=most, unique=True))
        costs = sorted(draw(st.lists(st.integers(0, 9), min_size=len(others), max_size=len(others))))
        hider[i, : len(others)], cost[i, : len(others)] = others, costs
    return Candidates(hider, cost)


@given(candidates(), st.integers(1, 3))
def test_everybody_who_can_be_hidden_is(found, need):
    live, lists = set(range(len(found.hider))), [set(row) - {NOBODY} for row in found.hider.tolist()]
    while any(len(lists[i] & live) < need for i in live):
        live -= {i for i in live if len(lists[i] & live) < need}
    enough = enough_candidates(found, need)
    assert set(np.flatnonzero(enough)) == live
    hider, hidden = assigned(found, need, enough)
    pairs = list(zip(hidden.tolist(), hider.tolist(), strict=True))
    assert len(set(pairs)) == len(pairs) == need * len(live)
    assert all(j in lists[i] and {i, j} <= live for i, j in pairs)


@pytest.mark.parametrize("need", [1, 2, 3])
def test_hiding_is_shared_evenly(need):
    rng = np.random.default_rng(need)
    n, most = 400, 12
    place = rng.integers(0, 1000, (n, 2))
    far = np.abs(place[:, None] - place[None]).sum(axis=2)
    np.fill_diagonal(far, 10**6)
    hider = np.argsort(far, axis=1, kind="stable")[:, :most].astype(np.int32)
    found = Candidates(hider, np.take_along_axis(far, hider.astype(np.int64), axis=1))
    load = np.bincount(assigned(found, need, np.ones(n, np.bool_))[0], minlength=n)
    assert load.sum() == n * need
    assert (load > need).mean() < 0.05
    assert load.max() <= need + 2


def test_another_rule_changes_costs_only():
    people = [[(0, 0, 0)], [(3, 2, 0)]]
    assert stretch_of(people, [], 0, 0).cost.tolist() == [[2], [2]]
    assert stretch_of(people, [], 0, 0, Rule(area=True, dx=5)).cost.tolist() == [[10], [10]]
