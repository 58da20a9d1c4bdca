"""People who would be emptied are taken in by groups that keep their boxes."""

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from kernels.crowds import crowds
from kernels.regroup.test_values import crowd
from shoal.kernels.regroup import takein
from shoal.kernels.regroup.candidates import draw
from shoal.kernels.regroup.cores import as_groups, in_order, listed
from shoal.kernels.regroup.cost import NEAR
from shoal.kernels.regroup.price import priced
from shoal.kernels.regroup.takein import cheapest_ways, taken_in
from shoal.progress import silent
from shoal.workers import workers

SEEN = 6


def at(x, late=0):
    """Somebody who stays there."""
    return [(1_000 * n + late, x, 0) for n in range(SEEN)]


def village(number, apart=2):
    """Two who live next to each other, far from all other villages."""
    return [at(2_000 * number), at(2_000 * number + apart, late=3)]


def wide_apart():
    """Pairs who keep the price at a whole unit of space: they would go next, and are too many to go."""
    return [person for number in range(10, 16) for person in village(number, apart=180)]


def in_pairs(people):
    return as_groups([np.array([p, p + 1]) for p in range(0, len(people), 2)])


def tried(people, groups, most, share, k=2):
    """As lists the groups after some were taken in, and how many people would be emptied before and after."""
    everybody = crowd(people, k)
    with workers(1) as crew:
        after, at_price = taken_in(groups, everybody, draw(everybody), k, share, most, silent, crew)
        first, last = (priced(everybody, some, share, crew) for some in (groups, after))
    assert at_price.cost == last.crowd.cost
    return sorted(sorted(group.tolist()) for group in listed(after)), first.people(groups), last.people(after)


def strays(*places):
    """Villages 0, 1, 2, 3 (people 0 to 7), then people who are with somebody far away; their share of all samples."""
    people = [person for number in range(4) for person in village(number)]
    people += [at(x, late=1) for x in places] + wide_apart()
    return people, (len(places) * SEEN + 0.5) / (len(people) * SEEN)


def test_who_is_near_others_joins_them():
    people, share = strays(20, 2_020)
    groups, before, after = tried(people, in_pairs(people), 0, share)
    assert (before, after) == (2, 0)
    assert [0, 1, 8] in groups
    assert [2, 3, 9] in groups


def test_no_more_go_than_have_to_and_those_first_whom_it_costs_least():
    people, share = strays(40, 2_020, 4_030, 6_010)
    groups, before, after = tried(people, in_pairs(people), 2, share)
    assert (before, after) == (4, 2)
    assert [group for group in groups if {8, 9, 10, 11} & set(group)] == [[2, 3, 9], [6, 7, 11], [8, 10]]


def test_who_is_left_makes_groups_of_k_again():
    people, share = strays(20, 2_020, 1_000_000, 1_010_000, 1_020_000, 1_030_000)
    groups, before, after = tried(people, in_pairs(people), 4, share)
    assert (before, after) == (6, 4)
    assert [group for group in groups if set(group) & set(range(8, 14))] == [[0, 1, 8], [2, 3, 9], [10, 11], [12, 13]]


def test_one_too_many_is_too_many():
    people, share = strays(20, 500_000, 1_000_000)
    pairs = [[p, p + 1] for p in (0, 2, 4, 6, *range(11, len(people), 2))]
    groups, before, after = tried(people, as_groups([np.array(group) for group in [*pairs, [8, 9, 10]]]), 2, share)
    assert (before, after) == (3, 2)
    assert [0, 1, 8] in groups
    assert [9, 10] in groups


def ways(kept, lost, wide=1, price=2.0):
    """Who goes where, of as many as can, where a sample may be stretched by so many units."""
    people = [person for pair in kept for person in pair] + lost
    everybody = crowd(people)
    everybody = everybody._replace(cost=everybody.cost._replace(price=price))
    groups, out = (
        as_groups([np.array([2 * g, 2 * g + 1]) for g in range(len(kept))]),
        np.arange(2 * len(kept), len(people)),
    )
    with workers(1) as crew:
        person, group = cheapest_ways(groups, everybody, draw(everybody), out, len(people), wide, crew)
    return dict(zip(person.tolist(), group.tolist(), strict=True))


def test_everybody_goes_where_it_costs_least():
    assert ways([village(0), [at(100), at(102)]], [at(30)]) == {4: 0}


def test_what_it_costs_is_what_it_adds():
    """The wide pair is dear, and hardly dearer with one more in its midst."""
    assert ways([[at(0), at(180)], [at(300), at(302)]], [at(150)]) == {4: 0}


def test_nobody_empties_the_others_by_joining():
    people, share = strays(20, 1_000_000)
    for most in (0, 1):
        groups, before, after = tried(people, in_pairs(people), most, share)
        assert before == after == 2
        assert [8, 9] in groups  # one of them alone would be no group


def test_no_group_takes_two_at_once():
    assert ways([village(0), village(1)], [at(20), at(30), at(2_040), at(2_050)]) == {4: 0, 6: 1}


def test_where_everybody_is_emptied_nobody_can_be_taken_in():
    people, _ = strays(20, 2_020)
    groups = in_pairs(people)
    assert tried(people, groups, 0, 1.0) == (sorted(g.tolist() for g in listed(groups)), len(people), len(people))


def late(x):
    """Somebody who is there when nobody of a village is."""
    return [(t + 400_000, *place) for t, *place in at(x)]


def test_where_few_are_lost_groups_farther_away_are_looked_at(monkeypatch):
    """Near is who is never there at the same time."""
    crowds_far_away = [[late(0), late(1)], [at(250), at(251)]], [late(200)]
    assert ways(*crowds_far_away) == {4: 0}
    monkeypatch.setattr(takein, "AROUND", 1)
    assert ways(*crowds_far_away) == {4: 0}
    monkeypatch.setattr(takein, "IN_ALL", 1)
    assert ways(*crowds_far_away) == {}


def test_those_that_look_best_are_tried(monkeypatch):
    monkeypatch.setattr(takein, "TRIED", 1)
    assert ways([[at(250), at(251)], [late(0), late(1)]], [late(200)]) == {4: 1}


def test_after_a_pass_in_vain_more_groups_are_looked_at_and_tried(monkeypatch):
    near_but_never_there, farther = [late(0), late(1)], [at(250), at(251)]
    monkeypatch.setattr(takein, "AROUND", 1)
    monkeypatch.setattr(takein, "IN_ALL", 1)
    assert ways([farther, near_but_never_there], [at(100)]) == {}
    assert ways([farther, near_but_never_there], [at(100)], wide=takein.WIDER) == {4: 0}


def test_after_a_pass_in_vain_more_of_those_that_look_best_are_tried(monkeypatch):
    tried, valued = [], takein.values_with

    def counted(*given, roughly):
        if not roughly:
            tried.append(given[2].size)
        return valued(*given, roughly=roughly)

    monkeypatch.setattr(takein, "TRIED", 1)
    monkeypatch.setattr(takein, "values_with", counted)
    for wide in (1, 2):
        ways([village(number) for number in range(3)], [at(20)], wide)
    assert tried == [1, 2]


def stretch_of(person, other):
    """What the box of two people in one place each is stretched by, in units."""
    (t, x, y), (later, beside, above) = person[0], other[0]
    one = crowd([person, other])
    space = (abs(x - beside) + abs(y - above) + 2 * one.rule.dx) / one.space_unit
    return space + (abs(t - later) + one.rule.dt) / one.time_unit


def test_after_a_pass_in_vain_a_box_may_come_near_to_the_price():
    """Not beyond it: whose every box is beyond, would be gone all the same."""
    stretch = stretch_of(at(0), at(150))
    for price, wide, goes in (
        (stretch * 1.01, 1, False),
        (stretch * 1.01, takein.WIDER, True),
        (stretch * 0.99, takein.WIDER, False),
        (stretch / NEAR * 1.01, 1, True),
    ):
        assert ways([[at(0), at(0)]], [at(150)], wide, price) == ({2: 0} if goes else {})


def test_a_search_that_is_in_vain_is_wider_the_next_time_and_ends(monkeypatch):
    asked = []
    monkeypatch.setattr(takein, "with_fewer_emptied", lambda *given: asked.append(given[5]))
    people, share = strays(20, 2_020)
    _, before, after = tried(people, in_pairs(people), 0, share)
    assert (before, after) == (2, 2)
    assert asked == [1, 4, 16]


def test_more_may_be_emptied_on_the_way_and_the_fewest_count(monkeypatch):
    people, share = strays(20, 2_020, 500_000, 1_000_000)
    at_first = listed(in_pairs(people))
    better = as_groups([np.array([0, 1, 8]), np.array([2, 3, 9]), *at_first[2:4], np.array([10, 11]), *at_first[6:]])
    worse = as_groups([np.array([p, q]) for p, q in zip(range(6), range(6, 12), strict=True)] + at_first[6:])
    after_that, begun_with = iter([worse, better, worse]), []

    def passed(begun, *_):
        begun_with.append(begun)
        return next(after_that, None)

    monkeypatch.setattr(takein, "with_fewer_emptied", passed)
    groups, before, after = tried(people, in_pairs(people), 0, share)
    assert (before, after) == (4, 2)
    assert groups == sorted(sorted(group.tolist()) for group in listed(better))
    assert begun_with[1] is worse


@settings(max_examples=60, deadline=None)
@given(people=crowds(most=14), k=st.integers(2, 4), share=st.sampled_from([0.1, 0.3, 0.6]), most=st.integers(0, 4))
def test_nobody_is_lost_and_never_are_more_emptied(people, k, share, most):
    if len(people) < k:
        return
    groups, before, after = tried(people, in_order(np.arange(len(people)), k), most, share, k)
    assert sorted(person for group in groups for person in group) == list(range(len(people)))
    assert min(map(len, groups)) >= k
    assert after <= before
