"""What groups cost, by the boxes that will be published and roughly, against the definitions."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import naive
from kernels.crowds import CAPS, crowds, flat, some_people
from shoal.kernels.kmerge.driver import kmerge_groups
from shoal.kernels.kmerge.together import together
from shoal.kernels.regroup.cores import as_groups, by_misfit, group_values, in_order, listed
from shoal.kernels.regroup.crowd import crowd_of, heavier
from shoal.kernels.regroup.personal import personal_means, published_spans
from shoal.kernels.regroup.price import priced
from shoal.kernels.regroup.rough import misfits
from shoal.workers import workers

SHORT = (st.integers(0, 9), st.integers(0, 300))
"""Few times, as brute force tries all cuts between them."""

PRICES = st.sampled_from([np.inf, 0.01, 0.3, 1.0, 2.5])

MORE = st.lists(st.tuples(st.sampled_from([1.0, 1.5, 4.0]), st.sampled_from([1.0, 1.5, 4.0])), max_size=3)
"""How many times as much the space and the time of the first few count."""


TIME_CAPS = st.sampled_from([480, 60, Fraction(10_000, 7)])
"""How long costs as much as 20 km."""


def crowd(people, k=2, price=np.inf, more=(), time_cap=480):
    """Everybody; ``more`` is how many times as much the space and the time of the first few count."""
    everybody = crowd_of(*flat(people), k, space_cap=CAPS["space_cap"], time_cap=time_cap)
    if more:
        times = np.ones((2, len(people)))
        times[:, : len(more)] = np.transpose(more[: len(people)])
        everybody = heavier(everybody, *times)
    return everybody._replace(cost=everybody.cost._replace(price=price))


def values_of(people, groups, k=2, threads=1, **options):
    ours = {name: options.pop(name) for name in ("price", "more", "time_cap") if name in options}
    everybody = crowd(people, k, **ours)
    with workers(threads) as crew:
        return group_values(as_groups([np.array(group) for group in groups]), everybody, crew, **options)


def weights(people, k, more=()):
    """What the space and the time of a sample count: of people who have few more, the more the larger groups are.

    Time counts 1 in the mean over all samples.
    """
    times = [*more, *[(1, 1)] * len(people)]
    each = [
        (len(person) ** (1 / k - 4 / 5) * space, len(person) ** (1 / k - 4 / 5) * time)
        for person, (space, time) in zip(people, times, strict=False)
    ]
    mean = sum(w * len(p) for (_, w), p in zip(each, people, strict=True)) / sum(map(len, people))
    return [(space / mean, time / mean) for space, time in each]


def some_groups(people, size):
    """Whoever is beside each other, so many."""
    return [list(range(low, low + size)) for low in range(len(people) - size + 1)]


@settings(max_examples=60, deadline=None)
@given(people=crowds(SHORT, most=4), size=st.integers(2, 4), price=PRICES, more=MORE, time_cap=TIME_CAPS)
def test_a_value_is_that_of_the_definition(people, size, price, more, time_cap):
    each = weights(people, size, more)
    for group in some_groups(people, size):
        own, weight = [people[p] for p in group], [each[p] for p in group]
        expected = naive.group_value(own, weight, size, price, time_cap=time_cap)
        found = values_of(people, [group], size, price=price, more=more, time_cap=time_cap)
        assert found[0] == pytest.approx(expected)


@settings(max_examples=60, deadline=None)
@given(people=crowds(SHORT, most=6), size=st.integers(2, 3), price=PRICES, time_cap=TIME_CAPS)
def test_spans_and_personal_means_are_those_of_the_boxes_that_will_be_published(people, size, price, time_cap):
    groups = in_order(np.arange(len(people)), size) if len(people) >= size else None
    if groups is None or groups.sizes.max() > 4:
        return
    with workers(1) as crew:
        spans = published_spans(groups, crowd(people, size, price, time_cap=time_cap), crew)
    found = personal_means(spans, len(people))
    for group in listed(groups):
        expected = naive.published_spans([people[p] for p in group], price, time_cap=time_cap)
        for p, mine in zip(group, expected, strict=True):
            assert sorted(zip(*(each[spans.person == p].tolist() for each in spans[1:]), strict=True)) == sorted(mine)
        means = [tuple(each[p] for each in found) for p in group]
        assert means == [pytest.approx(each, nan_ok=True) for each in naive.personal_means(expected)]


def test_space_and_time_count_so_many_times_as_much_and_the_time_of_a_sample_one_in_the_mean():
    people = [[(0, 0, 0)] * 4, [(0, 0, 0)] * 2, [(0, 0, 0)] * 9]
    before = crowd(people)
    assert not before.room.any()
    once, twice = [2.0, 1.0, 3.0], [1.0, 5.0, 1.0]
    after = heavier(heavier(before, *np.array([once, twice])), *np.array([twice, twice]))
    of_time, of_space = after.weight / before.weight, (after.weight + after.room) / before.weight
    assert of_time / of_time[0] == pytest.approx([1, 25, 1])
    assert of_space / of_time[0] == pytest.approx([2, 5, 3])
    assert (after.weight * np.diff(before.offsets)).sum() == pytest.approx(15)


@settings(max_examples=60, deadline=None)
@given(people=crowds(most=6), size=st.integers(2, 4), price=PRICES, more=MORE)
def test_a_rough_value_is_that_of_boxes_closed_early(people, size, price, more):
    each = weights(people, size, more)
    for group in some_groups(people, size):
        own, weight = [people[p] for p in group], [each[p] for p in group]
        expected = naive.group_worth(own, naive.boxes_closed_early(own), weight, size, price)
        assert values_of(people, [group], size, price=price, more=more, roughly=True)[0] == pytest.approx(expected)


@settings(max_examples=40, deadline=None)
@given(people=crowds(most=6), size=st.integers(2, 4), more=MORE)
def test_a_misfit_is_what_a_group_is_dearer_for_somebody(people, size, more):
    each, groups = weights(people, size, more), some_groups(people, size)
    if not groups:
        return
    laid, found = as_groups([np.array(group) for group in groups]), np.empty(len(groups) * size)
    misfits(0, len(groups), crowd(people, size, more=more), laid.at, laid.members, found)

    def rough(group):
        own = [people[p] for p in group]
        return naive.group_worth(own, naive.boxes_closed_early(own), [each[p] for p in group], size, np.inf)

    expected = [
        (rough(group) - rough([p for p in group if p != one])) / (each[one][1] * len(people[one]))
        for group in groups
        for one in group
    ]
    assert found == pytest.approx(expected, abs=1e-9)


def test_several_groups_are_valued_one_by_one():
    people = some_people(np.random.default_rng(1), 23, 40)
    groups = [range(4), range(4, 6), range(6, 17), range(17, 23)]
    for roughly in (False, True):
        alone = [values_of(people, [group], roughly=roughly)[0] for group in groups]
        both = [values_of(people, groups, threads=threads, roughly=roughly).tolist() for threads in (1, 2)]
        assert both == [alone, alone]


def test_whoever_fits_least_goes_out_most_often_and_everybody_sometimes():
    near = [[(t, 0, 0), (t + 500, 0, 0)] for t in (0, 3, 6)]
    people, rng, gone = [*near, [(1, 900, 0), (502, 900, 0)]] * 2, np.random.default_rng(0), np.zeros(8, int)
    groups = as_groups([np.arange(4), np.arange(4, 8)])
    with workers(1) as crew:
        for _ in range(300):
            gone[by_misfit(groups, crowd(people, 4), rng, crew)] += 1
    assert gone[:4].sum() == gone[4:].sum() == 300
    assert min(gone) > 0
    assert min(gone[3], gone[7]) > 2 * max(np.delete(gone, [3, 7]))


@pytest.mark.parametrize("share", [0.05, 0.2, 0.6])
def test_a_price_is_the_least_at_which_no_more_than_the_share_is_left_out(share):
    people = some_people(np.random.default_rng(4), 12, 30)
    everybody, groups = crowd(people, 3), as_groups([np.arange(low, low + 3) for low in range(0, 12, 3)])
    offsets, rows, member = together(everybody.offsets, everybody.t, groups.members, groups.sizes)
    samples = [values[rows] for values in (everybody.t, everybody.x, everybody.y)]
    with workers(1) as crew:
        same, nobody = priced(everybody, groups, 0, crew)
        assert same == everybody
        assert not nobody.any()
        found = priced(everybody, groups, share, crew)
        units = found.crowd.cost.price
        price = round(units * everybody.rule.space_weight * CAPS["space_cap"])
        left = [
            kmerge_groups(offsets, *samples, member, groups.sizes, everybody.rule, p, workers=crew).left
            for p in (price, price - 1)
        ]
    assert left[0].sum() <= share * rows.size < left[1].sum()
    assert found.emptied.tolist() == (left[0] == np.diff(offsets)).tolist()
    assert found.people(groups) == 3 * found.emptied.sum()
    assert everybody.rule.space_weight * CAPS["space_cap"] == everybody.rule.time_weight * CAPS["time_cap"]
