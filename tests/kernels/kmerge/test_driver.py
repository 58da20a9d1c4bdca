"""k-merge against brute force over all partitions, and against a programme that skips nothing."""

import itertools
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

import naive
from kernels.crowds import in_threads
from shoal.kernels.kmerge import driver
from shoal.kernels.kmerge.driver import PART_COLUMNS, Rule, kmerge_cost2_pairs, pair_room

kmerge_groups, share_price = in_threads(driver.kmerge_groups), in_threads(driver.share_price)

UNIT = 2400  # 1 / lcm(20 km, 8 h) in cells of 100 m and minutes; the stretch cost has no weights of 1/2
AREA, STRETCH = Rule(True), Rule(False, 12, 5)
COSTS = {AREA: naive.area_cost, STRETCH: lambda samples: UNIT * naive.stretch_cost(samples)}

UP_TO_4 = st.integers(1, 4)


def samples(times=8, cells=3):
    return st.tuples(st.integers(0, times), st.integers(0, cells), st.integers(0, cells))


def trajectories(times=8, cells=3, most=9, members=UP_TO_4):
    """Members with at least one sample each, at most so many in all; many equal times."""

    def of(k):
        rest = st.lists(st.tuples(st.integers(0, k - 1), samples(times, cells)), max_size=most - k)
        return st.tuples(st.tuples(*[samples(times, cells)] * k), rest).map(
            lambda drawn: [[one, *(s for m, s in drawn[1] if m == i)] for i, one in enumerate(drawn[0])]
        )

    return members.flatmap(of)


def flat(groups):
    """Arguments of `kmerge_groups` for lists of lists of samples (t, x, y, ...)."""
    rows, offsets = [], [0]
    for group in groups:
        rows += sorted((*s[:3], m) for m, trajectory in enumerate(group) for s in trajectory)
        offsets.append(len(rows))
    return offsets, *np.array(rows).T, [len(group) for group in groups]


def boxes(plan, g, rule):
    return [
        naive.Box(t0, x0, y0, t1 - t0 + rule.dt, x1 - x0 + rule.dx, y1 - y0 + rule.dx)
        for t0, t1, x0, x1, y0, y1, _, _ in plan.parts[plan.offsets[g] : plan.offsets[g + 1]].tolist()
    ]


def agree(groups, rule, cost, price, **options):
    """Assert that the plans are those of brute force, and all parts of the result fit each other."""
    data = flat(groups)
    plan = kmerge_groups(*data, rule, price, **options)
    kept = np.zeros(len(data[1]), bool)
    for g, group in enumerate(groups):
        best = naive.kmerge_brute(group, cost, price)
        assert (plan.cost[g], plan.left[g], boxes(plan, g, rule)) == (best.cost, best.left_out, best.boxes)
        own = slice(data[0][g], data[0][g + 1])
        assert sorted(set(data[1][own][plan.left_out[own]])) == best.times_left_out
        for row in plan.parts[plan.offsets[g] : plan.offsets[g + 1]]:
            part = dict(zip(PART_COLUMNS, row.tolist(), strict=True))
            inside = slice(part["first"], part["last"] + 1)
            assert set(data[4][inside]) == set(range(len(group)))
            assert (data[1][inside].min(), data[1][inside].max()) == (part["t0"], part["t1"])
            kept[inside] = True
    assert (kept == ~plan.left_out).all()


@pytest.mark.parametrize("rule", COSTS)
@settings(max_examples=150, deadline=None)
@given(groups=st.lists(trajectories(), min_size=1, max_size=4))
def test_equals_brute_force(rule, groups):
    agree(groups, rule, COSTS[rule], None)


@pytest.mark.parametrize("rule", COSTS)
@settings(max_examples=200, deadline=None)
@given(groups=st.lists(trajectories(), min_size=1, max_size=4), data=st.data())
def test_equals_brute_force_with_a_price(rule, groups, data):
    # What a part costs per sample is the price at which leaving it out ties.
    cost = COSTS[rule]
    whole = [s for trajectory in groups[0] for s in trajectory]
    ties = [int(cost(whole[:i])) // i for i in range(1, len(whole) + 1)]
    agree(groups, rule, cost, data.draw(st.sampled_from(ties) | st.integers(0, 150)))


@settings(max_examples=60, deadline=None)
@given(groups=st.lists(trajectories(times=11, cells=0), min_size=1, max_size=3), price=st.none() | st.integers(0, 8))
def test_equals_brute_force_where_nobody_moves(groups, price):
    # Area costs add up whatever the cuts: everything is decided by the tie rule.
    agree(groups, AREA, naive.area_cost, price)


@pytest.mark.parametrize("rule", COSTS)
@settings(max_examples=60, deadline=None)
@given(group=trajectories(times=20, cells=9), price=st.none() | st.integers(0, 300))
def test_alignment_is_a_matter_of_extents(rule, group, price):
    aligned = [naive.align(trajectory, cell_factor=4, time_factor=5) for trajectory in group]
    agree([aligned], rule._replace(dt=5, dx=4), COSTS[rule], price)


@settings(max_examples=60, deadline=None)
@given(group=trajectories(times=3), price=st.none() | st.integers(0, 100), seed=st.integers(0, 99))
def test_order_within_one_time_does_not_matter(group, price, seed):
    offsets, t, *rest, members = flat([group])
    order = np.lexsort((np.random.default_rng(seed).permutation(t.size), t))
    straight = kmerge_groups(offsets, t, *rest, members, STRETCH, price)
    shuffled = kmerge_groups(offsets, t[order], *(v[order] for v in rest), members, STRETCH, price)
    for ours, theirs in zip(straight, shuffled, strict=True):
        assert (ours == theirs).all()  # left_out too: whole times are left out


# ------------------------------------------------------------------------------------- larger cases


def every_part(group, rule, price):
    """(cost, left out, -parts, starts) by a forward programme over all complete parts, elementary or not."""
    entries = sorted((t, x, y, m) for m, trajectory in enumerate(group) for t, x, y in trajectory)
    stamps = [list(same) for _, same in itertools.groupby(entries, key=lambda s: s[0])]
    best = [(0, 0, 0, ())] + [None] * len(stamps)
    for j in range(len(stamps)):
        plans = []
        if price is not None:
            cost, left, parts, starts = best[j]
            plans.append((cost + price * len(stamps[j]), left + len(stamps[j]), parts, starts))
        missing, n = set(range(len(group))), 0
        x0 = y0 = 10**9
        x1 = y1 = -(10**9)
        for i in range(j, -1, -1):
            for _, x, y, m in stamps[i]:
                missing.discard(m)
                x0, x1, y0, y1, n = min(x0, x), max(x1, x), min(y0, y), max(y1, y), n + 1
            if not missing and best[i] is not None:
                time, space = stamps[j][0][0] - stamps[i][0][0] + rule.dt, x1 - x0 + y1 - y0 + 2 * rule.dx
                part = time * space if rule.area else n * (rule.space_weight * space + rule.time_weight * time)
                cost, left, parts, starts = best[i]
                plans.append((cost + part, left, parts - 1, (*starts, stamps[i][0][0])))
        best[j + 1] = min(plans, default=None)
    return best[-1]


def agree_with_every_part(group, rule, price):
    plan = kmerge_groups(*flat([group]), rule, price)
    starts = tuple(plan.parts[:, PART_COLUMNS.index("t0")].tolist())
    assert (plan.cost[0], plan.left[0], -len(starts), starts) == every_part(group, rule, price)


def random_group(rng, sizes, times, cells):
    return [
        [tuple(s) for s in np.stack([rng.integers(0, times, n), *rng.integers(0, cells, (2, n))], 1).tolist()]
        for n in sizes
    ]


@pytest.mark.parametrize("rule", COSTS)
@pytest.mark.parametrize("seed", range(24))
def test_dense_beside_sparse(rule, seed):
    # Long runs of one member: scanned up to where nothing can win, the longer ones searched by bounds (half of the
    # cases), with times in gaps and in a row, people at rest and not.
    rng = np.random.default_rng(seed)
    dense, times = ((150, 300), 220) if seed < 12 else ((300, 400), 360)
    sizes = [int(rng.integers(*dense)), *rng.integers(1, 5, seed % 3 + 1).tolist()]
    group = random_group(rng, sizes, int(rng.choice([times, 4000])), int(rng.choice([1, 2, 50])))
    for price in (None, 0, 30, 400, 3000, 20_000, 2**60):
        agree_with_every_part(group, rule, price)


@pytest.mark.parametrize("rule", COSTS)
@pytest.mark.parametrize("seed", range(4))
def test_many_members(rule, seed):
    rng = np.random.default_rng(seed)
    group = random_group(rng, rng.integers(1, 8, 60).tolist(), 200, 20)
    group[0] *= 3  # the same entries again count again
    for price in (None, 500, 3000, 9000):
        agree_with_every_part(group, rule, price)


@pytest.mark.parametrize("rule", COSTS)
def test_a_million_samples_beside_one(rule):
    rng = np.random.default_rng(5)
    n = 1_000_001
    t, (x, y) = np.arange(n), rng.integers(0, 200_000, (2, n))
    member = np.zeros(n, int)
    member[n // 3] = 1
    for price in (None, 10**6, 2**60):
        plan = kmerge_groups([0, n], t, x, y, member, [2], rule, price)
        assert len(plan.parts) == 1
        assert plan.left_out.sum() == plan.left[0]
        if price != 10**6:
            across = np.ptp(x) + np.ptp(y) + 2
            assert plan.cost[0] == (n * across if rule.area else n * (12 * across + 5 * n))


def test_threads_do_not_matter():
    rng = np.random.default_rng(2)
    groups = [random_group(rng, rng.integers(1, 40, rng.integers(2, 6)).tolist(), 90, 12) for _ in range(200)]
    for price in (None, 700):
        one, *others = (kmerge_groups(*flat(groups), STRETCH, price, threads=n) for n in (1, 2, 7))
        for other in others:
            assert all((a == b).all() for a, b in zip(one, other, strict=True))


# -------------------------------------------------------------------------------------------- pairs


def cost2(a, b, rule):
    t, x, y = np.array([s[:3] for s in sorted(a) + sorted(b)], np.int32).T.copy()
    offsets, cost = np.array([0, len(a), len(a) + len(b)]), np.empty(1, np.int64)
    kmerge_cost2_pairs(t, x, y, offsets, np.array([0]), np.array([1]), rule, pair_room(offsets[-1]), cost)
    return cost[0]


@pytest.mark.parametrize("rule", COSTS)
@settings(max_examples=300, deadline=None)
@given(pair=trajectories(times=9, most=11, members=st.just(2)))
def test_pairs_equal_brute_force(rule, pair):
    assert cost2(*pair, rule) == naive.kmerge_brute(pair, COSTS[rule]).cost


@pytest.mark.parametrize("rule", [AREA, STRETCH, STRETCH._replace(dt=10, dx=3)])
def test_pairs_equal_groups(rule):
    rng = np.random.default_rng(8)
    sizes = [*rng.integers(1, 40, 120).tolist(), 300]
    people = [sorted(p) for p in random_group(rng, sizes, 12, 40)]
    people = [[(10 * t, 3 * x, 3 * y) for t, x, y in person] for person in people]
    offsets = np.r_[0, np.cumsum(sizes)]
    t, x, y = np.array([s for person in people for s in person], np.int32).T.copy()
    a, b = rng.integers(0, len(people), (2, 500))
    out = np.empty(a.size, np.int64)
    kmerge_cost2_pairs(t, x, y, offsets, a, b, rule, pair_room(600), out)
    plan = kmerge_groups(*flat([[people[i], people[j]] for i, j in zip(a, b, strict=True)]), rule)
    assert (out == plan.cost).all()


# -------------------------------------------------------------------------------------------- share


@pytest.mark.parametrize("rule", COSTS)
@settings(max_examples=40, deadline=None)
@given(
    groups=st.lists(trajectories(times=5, most=6, members=st.integers(1, 3)), min_size=1, max_size=4),
    share=st.fractions(0, 1, max_denominator=12),
)
def test_share_is_met_at_the_least_price(rule, groups, share):
    price, reached, left_out, each = share_price(*flat(groups), rule, share)
    plan = kmerge_groups(*flat(groups), rule, price)
    total = sum(len(trajectory) for group in groups for trajectory in group)
    assert left_out.tolist() == plan.left.tolist()
    assert reached == Fraction(int(plan.left.sum()), total) <= share
    assert each is None if price is None else each.tolist() == [price] * len(groups)
    if share == 0:
        assert price is None
    elif price > 0:
        cheaper = sum(naive.kmerge_brute(group, COSTS[rule], price - 1).left_out for group in groups)
        assert cheaper > share * total


def test_share_of_larger_groups_by_plain_bisection():
    rng = np.random.default_rng(4)
    data = flat([random_group(rng, rng.integers(1, 60, 3).tolist(), 500, 40) for _ in range(60)])
    total = data[0][-1]

    def left(price):
        return int(kmerge_groups(*data, STRETCH, price).left.sum())

    for share in (0.001, 0.08, 0.5, 0.97):
        low, high = 0, 10**7
        while low + 1 < high:
            middle = (low + high) // 2
            low, high = (low, middle) if left(middle) <= Fraction(str(share)) * total else (middle, high)
        assert share_price(*data, STRETCH, share)[:2] == (high, Fraction(left(high), total))


def test_share_of_everything_and_of_nothing():
    data = flat([[[(0, 0, 0), (5, 0, 0)], [(1, 0, 0), (4, 0, 0)]]])
    assert share_price(*data, AREA, 1) == (0, 1, [4], [0])
    assert share_price(*data, AREA, 0) == (None, 0, [0], None)


@pytest.mark.parametrize("rule", COSTS)
@settings(max_examples=60, deadline=None)
@given(
    groups=st.lists(trajectories(times=4, most=4, members=st.integers(1, 3)), min_size=1, max_size=5),
    share=st.fractions(Fraction(1, 12), 1, max_denominator=12),
    most=st.integers(0, 9),
)
@example(  # one group is spared, one is lost, and one leaves out more
    groups=[
        [[(3, 0, 0)], [(2, 46, 0)]],
        [[(1, 0, 0), (3, 11, 0)], [(0, 0, 0), (1, 18, 0), (2, 0, 0)]],
        [[(1, 0, 0)], [(3, 46, 0)]],
    ],
    share=Fraction(5, 9),
    most=2,
)
def test_no_more_members_lose_all_than_may_at_the_least_price_for_those_spared(rule, groups, share, most):
    def lost(price, among):
        """Of these groups those that leave everything out."""
        left = {g: naive.kmerge_brute(groups[g], COSTS[rule], price).left_out for g in among}
        return {g for g in among if left[g] == sum(map(len, groups[g]))}

    def members(some):
        return sum(len(groups[g]) for g in some)

    def left_out(prices):
        return sum(naive.kmerge_brute(groups[g], COSTS[rule], price).left_out for g, price in prices.items())

    found, plain = (share_price(*flat(groups), rule, share, most_emptied=n) for n in (most, None))
    plan = kmerge_groups(*flat(groups), rule, found.each)
    total = sum(len(trajectory) for group in groups for trajectory in group)
    one, at_first = dict(enumerate(found.each.tolist())), lost(plain.price, range(len(groups)))
    assert found.left_out.tolist() == plan.left.tolist()
    assert found.share == Fraction(int(plan.left.sum()), total) <= share
    assert plan.left.sum() == left_out(one)
    spared = {g for g in one if one[g] != found.price}
    if members(at_first) <= most:
        assert not spared
        assert found.price == plain.price
        return
    (second,) = {one[g] for g in spared}
    assert spared == at_first - lost(second, at_first)
    assert members(at_first - spared) <= most < members(lost(second - 1, at_first))
    # What the spared keep, others may leave out, as long as none of them loses all.
    others = set(one) - at_first
    assert found.price <= plain.price
    assert not lost(found.price, others)
    if found.price:
        too_much = left_out({g: one[g] if g in spared else found.price - 1 for g in one}) > share * total
        assert too_much or lost(found.price - 1, others)


def test_only_as_many_are_spared_as_must_be():
    """Three groups, far apart in themselves by more and more, beside one that is near."""
    groups = [[[(0, 0, 0)], [(0, x, 0)]] for x in (1, 10, 20, 30)]
    for most, spared in ((6, 0), (5, 1), (4, 1), (3, 2), (1, 3), (0, 3)):
        found = share_price(*flat(groups), AREA, 0.75, most_emptied=most)
        assert (found.each > found.price).tolist() == [False, *(n < spared for n in range(3))]
        assert (found.left_out == 2).tolist() == [False, *(n >= spared for n in range(3))]


def test_what_the_spared_keep_others_may_leave_out():
    """A group of two who are far apart is spared; of another one time more may be left out, and is."""
    far, near = (
        [[(0, 0, 0)], [(0, 90, 0)]],
        [[(t, 0, 0) for t in (0, 100, 200)], [(t, t // 20, 0) for t in (0, 100, 200)]],
    )
    plain, found = (share_price(*flat([far, near]), STRETCH, Fraction(1, 4), most_emptied=n) for n in (None, 0))
    assert plain.left_out.tolist() == [2, 0]
    assert found.left_out.tolist() == [0, 2]
    assert found.each.tolist() == [found.each[0], found.price]
    assert found.price < plain.price < found.each[0]


# ------------------------------------------------------------------------------------------- limits


def test_what_is_refused():
    fine = {"offsets": [0, 2], "t": [0, 4], "x": [0, 0], "y": [0, 0]}
    fine |= {"member": [0, 1], "members": [2], "rule": STRETCH}
    kmerge_groups(**fine)
    for wrong, message in (
        ({"t": [4, 0]}, "sorted"),
        ({"rule": STRETCH._replace(dt=5)}, "aligned"),
        ({"member": [0, 2]}, "out of range"),
        ({"member": [0, 0]}, "a member without samples"),
        ({"offsets": [0, 0, 2], "members": [1, 2]}, "without samples"),
        ({"price": -1}, "not negative"),
        ({"price": np.array([-1])}, "not negative"),
        ({"price": 2**61}, "too large"),
        ({"rule": Rule(False, 0, 0)}, "weights"),
        ({"rule": Rule(False, 2**59, 1)}, "too large"),
        ({"rule": AREA, "t": [-(2**31), 2**31 - 1], "x": [-(2**31), 2**31 - 1]}, "too large"),
    ):
        with pytest.raises(ValueError, match=message):
            kmerge_groups(**{**fine, **wrong})
    with pytest.raises(ValueError, match="between 0 and 1"):
        share_price(**fine, share=1.5)


def test_a_member_without_samples_leaves_nothing_to_publish():
    plan = kmerge_groups([0, 2], [0, 4], [0, 0], [0, 0], [0, 0], [2], STRETCH, 7)
    assert (plan.cost[0], plan.left[0], len(plan.parts)) == (14, 2, 0)


def test_no_groups():
    nothing = np.empty(0, int)
    plan = kmerge_groups([0], *[nothing] * 5, STRETCH)
    assert plan.offsets.tolist() == [0]
    assert share_price([0], *[nothing] * 5, STRETCH, 0.1)[:2] == (None, 0)
