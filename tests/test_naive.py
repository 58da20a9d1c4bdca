"""The oracles against cases worked by hand, textbook values and their own promises."""

import math
import statistics
from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import naive
from naive import Box

quick = settings(max_examples=60, deadline=None)


def at(*times):
    """Raw samples at one place."""
    return [(t, 0, 0) for t in times]


def coordinates(reach):
    return st.tuples(*(st.integers(-reach, reach) for _ in range(3)))


# Near samples meet ties, far ones the caps (tests below use caps of 5 and 7 units).
raw_samples = st.one_of(coordinates(3), coordinates(20))
small_boxes = st.builds(
    lambda corner, extents: Box(*corner, *extents),
    raw_samples,
    st.tuples(*(st.integers(1, 6) for _ in range(3))),
)
sizes = st.integers(1, 4)
caps = {"space_cap": 5, "time_cap": 7}


def fingerprints(samples, most=4):
    return st.lists(samples, min_size=1, max_size=most, unique=True)


def contains(outer, inner):
    return naive.bounding([outer, inner]) == outer


# ------------------------------------------------------------------------------------------------- grid


def test_centre_is_the_median_in_whole_degrees():
    assert naive.centre([5.1, 5.4, 80.0], [-4.2, -3.9, 170.0]) == (5, -4)
    assert naive.centre([0.5], [2.5]) == (0, 2)  # halves to even
    assert naive.centre([1, 2], [10, 11]) == (2, 10)  # 1.5 and 10.5: means of the middle two, to even


def test_centre_across_the_antimeridian():
    # From 177.1 east to -178.9 = 181.1: the middle one is 179.2.
    assert naive.centre([0, 0, 0], [177.1, -178.9, 179.2]) == (0, 179)
    assert naive.centre([0, 0, 0], [178.1, -178.9, 179.9]) == (0, -180)
    assert naive.centre([0], [180]) == (0, -180)
    # A city at 2 degrees and two distant records do not move the centre to the other side.
    assert naive.centre([48] * 9, [2.3] * 7 + [170, -100]) == (48, 2)


def test_snap_goes_down():
    # One hundredth of a degree of longitude at the equator is 6378137 m x 0.01 pi/180 = 1113.19 m.
    assert naive.snap(0, 0.01, 119, 0, 0, 100, 60) == (1, 11, 0)
    assert naive.snap(0, -0.01, -1, 0, 0, 100, 60) == (-1, -12, 0)
    # of latitude there 1105.74 m
    assert naive.snap(0.01, 0, 0, 0, 0, 100, 60) == (0, 0, 11)
    assert naive.snap(0, 179.99, 0, 0, -180, 100, 60) == (0, -12, 0)
    assert naive.snap(0, 0.01, 7200, 0, 0, 500, 3600) == (2, 2, 0)


# ----------------------------------------------------------------------------------------------- stretch

WIDE = Box(t=0, x=0, y=0, dt=10, dx=4, dy=2)
TALL = Box(t=5, x=2, y=1, dt=8, dx=1, dy=4)


def test_sample_stretch_by_hand():
    # Space: to cover TALL, WIDE grows by 0 in x ([2,3) lies in [0,4)), and in y from 2 to 5: 3.
    #        To cover WIDE, TALL grows in x by 2 left, 1 right, in y by 1 left: 4.
    # Time:  WIDE ends at 10 and must reach 13: 3. TALL starts at 5 and must reach 0: 5.
    # Weights 2/3 and 1/3: space 3 x 2/3 + 4/3 = 10/3, time 3 x 2/3 + 5/3 = 11/3.
    assert naive.sample_stretch(WIDE, TALL, 2, 1) == (Fraction(10, 3), Fraction(11, 3))
    assert naive.sample_stretch(TALL, WIDE, 1, 2) == (Fraction(10, 3), Fraction(11, 3))
    # delta = 10/3/200/2 + 11/3/480/2 = 24/2880 + 11/2880
    assert naive.delta(WIDE, TALL, 2, 1) == Fraction(7, 576)
    assert naive.delta_float(WIDE, TALL, 2, 1) == pytest.approx(7 / 576, rel=1e-14)
    # With caps 2 and 3 both parts are full.
    assert naive.delta(WIDE, TALL, 2, 1, space_cap=2, time_cap=3) == 1
    assert naive.parts(WIDE, TALL, 2, 1, space_cap=5, time_cap=3) == (Fraction(1, 3), Fraction(1, 2))


def test_raw_stretch_by_hand():
    # 30 + 20 units of 200, 60 minutes of 480: (1/4 + 1/8) / 2.
    assert naive.delta((0, 0, 0), (60, 30, -20)) == Fraction(3, 16)
    assert naive.taxicab_delta((0, 0, 0), (60, 30, -20)) == 0.1875
    assert naive.taxicab_delta((0, 0, 0), (480, 100, 100)) == 1
    assert naive.taxicab_delta((0, 0, 0), (9999, 0, 0)) == 0.5


def test_best_match_ties():
    origin = (0, 0, 0)
    # Both beyond both caps, delta 1: the uncapped sum decides.
    assert naive.best_match(origin, 1, [(5000, 900, 0), (1000, 300, 0)], 1) == 1
    # Uncapped equal too: time, then x, then y.
    assert naive.best_match(origin, 1, [(1000, 300, 0), (-1000, 300, 0)], 1) == 1
    assert naive.best_match(origin, 1, [(1000, 300, 0), (1000, 0, 300)], 1) == 1
    assert naive.best_match(origin, 1, [(1000, 0, 300), (1000, 0, -300)], 1) == 1
    # 5/200 = 12/480: five cells at the same time, or twelve minutes at the same place.
    assert naive.best_match(origin, 1, [(12, 0, 0), (0, 5, 0)], 1) == 1
    assert naive.best_match(origin, 1, [(-12, 0, 0), (0, 5, 0)], 1) == 0
    # Same corner: the extents. From a unit box either grows by 2 on one axis only.
    long, wide = Box(0, 0, 0, 1, 1, 3), Box(0, 0, 0, 1, 3, 1)
    assert naive.best_match(origin, 1, [wide, long], 1) == 1


def test_fingerprint_stretch_by_hand():
    # The longer has 3: 0 -> 0, 10 -> 10, 24 -> 10: 14 minutes of 480, half, a third.
    assert naive.fingerprint_stretch(at(0, 10, 24), at(0, 10)) == Fraction(14, 480 * 2 * 3)
    # As many: {0, 1} -> {0, 100} costs 0 + 1, back 0 + 99; the smaller direction counts.
    assert naive.fingerprint_stretch(at(0, 1), at(0, 100)) == Fraction(1, 480 * 2 * 2)
    assert naive.fingerprint_stretch(at(0, 100), at(0, 1)) == Fraction(1, 480 * 2 * 2)
    assert naive.fingerprint_stretch_float(at(0, 100), at(0, 1)) == 1 / 1920
    assert naive.plays_longer(at(0, 1), at(0, 100))
    assert not naive.plays_longer(at(0, 100), at(0, 1))


def test_content_orders_samples_then_size():
    assert naive.content([(5, 1, 1), (2, 9, 9)], 3) == ((Box(2, 9, 9, 1, 1, 1), Box(5, 1, 1, 1, 1, 1)), 3)
    assert naive.content(at(1)) < naive.content(at(1, 2)) < naive.content(at(2))
    assert naive.content(at(1), 1) < naive.content(at(1), 2) < naive.content(at(1, 2), 1)


@quick
@given(raw_samples, raw_samples)
def test_taxicab_is_the_box_measure_on_raw_samples(a, b):
    (ta, xa, ya), (tb, xb, yb) = a, b
    assert naive.sample_stretch(a, b) == (abs(xa - xb) + abs(ya - yb), abs(ta - tb))
    assert naive.taxicab_delta(a, b, **caps) == naive.delta_float(a, b, **caps)


@quick
@given(fingerprints(raw_samples), fingerprints(raw_samples))
def test_taxicab_stretch_is_the_box_stretch_on_raw_samples(a, b):
    assert naive.taxicab_stretch(a, b, **caps) == naive.fingerprint_stretch_float(a, b, **caps)


@quick
@given(small_boxes, fingerprints(small_boxes), sizes, sizes)
def test_match_rank_is_delta_and_the_uncapped_sum(i, others, ni, nj):
    scale = (ni + nj) * caps["space_cap"] * caps["time_cap"]
    for j in others:
        space, time = naive.sample_stretch(i, j, ni, nj)
        rank = naive.match_rank(i, j, ni, nj, **caps)
        assert Fraction(rank[0], 2 * scale) == naive.delta(i, j, ni, nj, **caps)
        assert Fraction(rank[1], scale) == space / caps["space_cap"] + time / caps["time_cap"]
        assert rank[2:] == j
    best = others[naive.best_match(i, ni, others, nj, **caps)]
    assert naive.delta(i, best, ni, nj, **caps) == min(naive.delta(i, j, ni, nj, **caps) for j in others)


@quick
@given(fingerprints(small_boxes), fingerprints(small_boxes), sizes, sizes)
def test_stretch_is_symmetric_exact_and_within_bounds(a, b, na, nb):
    exact = naive.fingerprint_stretch(a, b, na, nb, **caps)
    assert exact == naive.fingerprint_stretch(b, a, nb, na, **caps)
    assert exact == naive.fingerprint_stretch(a[::-1], b[::-1], na, nb, **caps)
    assert naive.fingerprint_stretch_float(a, b, na, nb, **caps) == pytest.approx(float(exact), abs=1e-12)
    assert 0 <= exact <= 1
    assert (exact == 0) == (set(a) == set(b))
    assert sum(map(sum, naive.sample_parts(a, b, na, nb, **caps))) == exact * max(len(a), len(b))


# ------------------------------------------------------------------------------------------------- k-gap

FOUR = [at(0), at(10), at(13), at(10)]  # unit of stretch: a minute is 1/960


def test_nearest_and_kgap_by_hand():
    # From 10: its double at 0, 13 at 3, 0 at 10.
    assert naive.nearest(FOUR, 1, 4) == [3, 2, 0]
    assert naive.kgap(FOUR, 1, 2) == 0
    assert naive.kgap(FOUR, 1, 3) == Fraction(3, 960) / 2
    assert naive.kgap(FOUR, 1, 4) == Fraction(13, 960) / 3
    # Equally far: the smaller content first, wherever it stands.
    assert naive.nearest([at(5), at(7), at(3)], 0, 2) == [2]
    with pytest.raises(ValueError):
        naive.nearest(FOUR, 0, 5)


def test_parts_by_hand():
    # The longer is the second person: (0,0,0) -> itself; (48,10,10) -> (48,0,0): 20/200 in space, half.
    people = [[(0, 0, 0), (48, 0, 0)], [(0, 0, 0), (48, 10, 10), (96, 0, 0)], at(0, 48, 100_000)]
    # (96,0,0) -> (48,0,0): 48/480 in time, half.
    expected = [(0, 0), (Fraction(1, 20), 0), (0, Fraction(1, 20))]
    assert naive.sample_parts(people[0], people[1]) == naive.sample_parts(people[1], people[0]) == expected
    assert naive.nearest(people, 0, 2) == [1]
    assert naive.pooled_parts(people, 0, 2) == expected
    assert naive.kgap_parts(people, 0, 2) == (Fraction(1, 60), Fraction(1, 60))
    assert naive.ratio(expected) == 1
    # Toward the third, 100 000 is beyond the time cap: 1/2 of three samples.
    assert naive.kgap_parts(people, 0, 3) == (Fraction(1, 120), (Fraction(1, 60) + Fraction(1, 6)) / 2)


@quick
@given(st.lists(fingerprints(raw_samples, 3), min_size=3, max_size=5))
def test_kgap_agrees_with_its_parts_and_its_float(people):
    for k in range(2, len(people) + 1):
        gap = naive.kgap(people, 0, k, **caps)
        assert sum(naive.kgap_parts(people, 0, k, **caps)) == gap
        assert naive.kgap_float(people, 0, k, **caps) == pytest.approx(float(gap), abs=1e-12)


# -------------------------------------------------------------------------------------------- dispersion


def test_gini_textbook():
    assert naive.gini([3, 3, 3, 3]) == 0
    assert naive.gini([0, 0, 0, 7, 0]) == Fraction(4, 5)
    assert naive.gini([0, 0]) == 0
    # 1, 2, 3: 2 (1 + 4 + 9) / (3 x 6) - 4/3 = 28/18 - 24/18
    assert naive.gini([3, 1, 2]) == Fraction(2, 9)
    assert naive.gini([0.5, 0.5, 1.0]) == pytest.approx(1 / 6)  # 2 (0.5 + 1 + 3) / 6 - 4/3


def test_quantile_is_the_inverse_empirical_cdf():
    values = list(range(100, 0, -1))
    assert [naive.quantile(values, p) for p in (0.01, 0.5, 0.501, 0.75, 0.99, 1)] == [1, 50, 51, 75, 99, 100]
    assert naive.quantile([4, 1], 0.5) == 1
    assert naive.quantile([4, 1], Fraction(3, 4)) == 4


def test_twi_textbook():
    n = 20_000
    levels = [(i - 0.5) / n for i in range(1, n + 1)]
    # (ln 100 - ln 2) / (ln 4 - ln 2) = 5.644 and (100 - 2) / (4 - 2) = 49, times 0.6745 / 2.3263
    assert naive.twi([-math.log(1 - p) for p in levels]) == pytest.approx(1.636, abs=0.01)
    assert naive.twi([1 / (1 - p) for p in levels]) == pytest.approx(14.2, abs=0.2)
    assert naive.twi([statistics.NormalDist().inv_cdf(p) for p in levels]) == pytest.approx(1, abs=0.01)


def test_nought_divided_by_nought():
    assert naive.twi([5, 5, 5]) == 0
    assert naive.twi([0] * 98 + [1, 1]) == math.inf
    assert naive.ratio([(0, 0), (0, 0)]) == 0
    assert naive.ratio([(0, 0), (0, Fraction(1, 9))]) == math.inf
    assert naive.ratio([(Fraction(1, 4), 0)]) == 0
    assert naive.ratio([(Fraction(1, 4), Fraction(1, 2))]) == 2


# ----------------------------------------------------------------------------------------------- uniform


def test_uniform_snaps_down_and_drops_doubles():
    person = [(59, 9, -1), (61, 0, 0), (0, 0, -10), (5, 10, 0)]
    assert naive.uniform([person], 10, 60) == [
        [Box(0, 0, -10, 60, 10, 10), Box(0, 10, 0, 60, 10, 10), Box(60, 0, 0, 60, 10, 10)]
    ]


def test_anonymous_share_by_hand():
    people = [at(0), at(0, 29), at(31), at(31, 59), at(300)]
    assert naive.anonymous_share(people, 2) == 0
    assert naive.anonymous_share(people, 2, 10, 30) == Fraction(4, 5)
    assert naive.anonymous_share(people, 3, 10, 30) == 0
    assert naive.anonymous_share(people, 4, 10, 60) == Fraction(4, 5)
    assert naive.anonymous_share(people, 6, 10, 600) == 0


@quick
@given(st.lists(fingerprints(coordinates(3), 2), min_size=3, max_size=5), st.integers(2, 3))
def test_anonymous_share_is_the_share_of_kgap_nought(people, k):
    coarse = naive.uniform(people, 4, 5)
    anonymous = [naive.kgap(coarse, a, k) == 0 for a in range(len(people))]
    assert naive.anonymous_share(people, k, 4, 5) == Fraction(sum(anonymous), len(people))


# ------------------------------------------------------------------------------------------------- GLOVE


def test_merge_in_two_stages():
    # Stage 1: 0, 1 -> 2 and 100, 101 -> 90: [0, 3) and [90, 102).
    # Stage 2: 40 weighs 1, a box 2. To cover 40, [0, 3) grows by 38; 40 grows by 40: (38 x 2 + 40) / 3.
    # [90, 102) grows by 50, 40 by 61: (50 x 2 + 61) / 3. The first.
    merged = naive.merge(at(0, 1, 100, 101), 1, at(2, 40, 90), 1)
    assert merged == ([Box(0, 0, 0, 41, 1, 1), Box(90, 0, 0, 12, 1, 1)], 2)


def test_merge_stage_two_matches_all_before_it_joins_any():
    # Stage 1: 0, 1, 2 -> 0 and 50, 51 -> 50: the boxes are [0, 3) and [50, 52), size 2. 20 and 30 are free.
    # 20: (18 x 2 + 20) / 3 against (30 x 2 + 31) / 3: the first. 30: (28 x 2 + 30) / 3 against
    # (20 x 2 + 21) / 3: the second; had 20 joined before, [0, 21) would have won with (10 x 2 + 30) / 3.
    merged = naive.merge(at(0, 1, 2, 50, 51), 1, at(0, 20, 30, 50), 1)
    assert merged == ([Box(0, 0, 0, 21, 1, 1), Box(30, 0, 0, 22, 1, 1)], 2)


def test_merge_of_equal_cardinalities_takes_the_cheaper_direction():
    # {0, 1} plays the longer: both go to 0, [0, 2); 100 joins it.
    assert naive.merge(at(0, 100), 1, at(0, 1), 1) == ([Box(0, 0, 0, 101, 1, 1)], 2)
    # Both directions cost 10. {0, 10} has the smaller content: 0 -> 5, 10 -> 5 (a tie with 15), 15 joins.
    # The other way 5 -> 0, 15 -> 10 would have given two boxes.
    assert naive.merge(at(5, 15), 1, at(0, 10), 1) == ([Box(0, 0, 0, 16, 1, 1)], 2)


def test_merge_may_give_one_box_twice():
    # The corners of a cube against two opposite ones: a minute (1/480) is cheaper than a cell (1/200), a cell
    # and a minute dearer than a cell alone. Each takes its three neighbours, and both boxes are the cube.
    corners = [(t, x, y) for t in (0, 1) for x in (0, 1) for y in (0, 1)]
    ends = [(0, 0, 0), (1, 1, 1)]
    others = [corner for corner in corners if corner not in ends]
    with_time = {(1, 0, 0): 0, (0, 1, 0): 0, (0, 0, 1): 0, (0, 1, 1): 1, (1, 1, 0): 1, (1, 0, 1): 1}
    assert {i: naive.best_match(i, 1, ends, 1) for i in others} == with_time
    cube = Box(0, 0, 0, 2, 2, 2)
    assert naive.merge(others, 1, ends, 1) == ([cube, cube], 2)
    assert naive.merge(others, 1, ends, 1, distinct=True) == ([cube], 2)


@quick
@given(fingerprints(small_boxes), fingerprints(small_boxes), sizes, sizes, st.booleans())
def test_merge_covers_and_is_symmetric(a, b, na, nb, distinct):
    boxes, size = naive.merge(a, na, b, nb, distinct=distinct, **caps)
    assert size == na + nb
    assert (boxes, size) == naive.merge(b[::-1], nb, a[::-1], na, distinct=distinct, **caps)
    assert len(boxes) <= min(len(a), len(b))
    for fingerprint in (a, b):
        assert all(any(contains(box, sample) for box in boxes) for sample in fingerprint)
        assert all(any(contains(box, sample) for sample in fingerprint) for box in boxes)


def test_glove_by_hand():
    people = [at(30), at(12), at(1), at(10), at(0)]
    result = naive.glove(people, 2)
    # 0 and 1 at 1/960, 10 and 12 at 2/960. 30 is left. To [10, 13), size 2: (18 x 2 + 20) / 3 / 960 = 7/360;
    # [0, 2) is farther.
    assert [m.stretch for m in result.merges] == [Fraction(1, 960), Fraction(2, 960), Fraction(7, 360)]
    assert [m.members for m in result.merges[:2]] == [((2,), (4,)), ((1,), (3,))]
    assert result.groups == [((2, 4), [Box(0, 0, 0, 2, 1, 1)], 2), ((0, 1, 3), [Box(10, 0, 0, 21, 1, 1)], 3)]
    assert result.suppressed == ()
    # "Above" the limit: at it the leftover still joins.
    assert naive.glove(people, 2, leftover_limit=Fraction(7, 360)) == result
    strict = naive.glove(people, 2, leftover_limit=0.019)
    assert strict.merges == result.merges[:2]
    assert [g.members for g in strict.groups] == [(2, 4), (1, 3)]
    assert strict.suppressed == (0,)


def test_glove_ties_go_by_content():
    # 0-1 and 1-2 both at 1/960: the smaller content is 0 against 1. Whoever stands first in the input.
    for people in ([at(0), at(1), at(2)], [at(2), at(1), at(0)], [at(1), at(2), at(0)]):
        first = naive.glove(people, 2).merges[0]
        assert (first.smaller, first.larger) == (naive.content(at(0)), naive.content(at(1)))


def test_glove_below_k_competes_on():
    # k = 3: 0-1 merge to [0, 2), two people; 5 is at (4 x 2 + 5) / 3 from it and at 3 from 8: 5-8 merge next.
    # Then [0, 2) and [5, 9), two people each: (7 + 5) / 2 = 6.
    result = naive.glove([at(0), at(1), at(5), at(8)], 3)
    assert [m.stretch * 960 for m in result.merges] == [1, 3, 6]
    assert result.groups == [((0, 1, 2, 3), [Box(0, 0, 0, 9, 1, 1)], 4)]


def test_glove_refuses_fewer_than_k():
    with pytest.raises(ValueError):
        naive.glove([at(0), at(1)], 3)


@settings(max_examples=40, deadline=None)
@given(st.lists(fingerprints(raw_samples, 3), min_size=3, max_size=7), st.integers(2, 3), st.randoms())
def test_glove_groups_hold_k_and_ignore_the_order(people, k, random):
    result = naive.glove(people, k, **caps)
    members = sorted(p for group in result.groups for p in group.members)
    assert members == list(range(len(people)))
    for group in result.groups:
        assert k <= group.size == len(group.members) <= 3 * k - 3
        for p in group.members:
            assert all(any(contains(b, naive.as_box(s)) for b in group.fingerprint) for s in people[p])
            assert all(any(contains(b, naive.as_box(s)) for s in people[p]) for b in group.fingerprint)
    shuffled = [random.sample(person, len(person)) for person in random.sample(people, len(people))]
    again = naive.glove(shuffled, k, **caps)
    assert [m[:3] for m in again.merges] == [m[:3] for m in result.merges]
    assert [g.fingerprint for g in again.groups] == [g.fingerprint for g in result.groups]
    strict = naive.glove(people, k, leftover_limit=-1, **caps)
    assert len(strict.suppressed) < k
    assert sum(g.size for g in strict.groups) + len(strict.suppressed) == len(people)


# ------------------------------------------------------------------------------------------- publication


def test_hull_joins_what_overlaps_in_time():
    first, second, third = Box(0, 0, 0, 5, 1, 1), Box(4, 10, 0, 3, 1, 2), Box(6, 5, 5, 2, 1, 1)
    apart = Box(8, 0, 0, 1, 1, 1)  # starts where the third ends
    assert naive.hull([apart, third, first, second]) == [Box(0, 0, 0, 8, 11, 6), apart]
    assert naive.hull([first, third]) == [first, third]
    assert naive.hull([Box(0, 0, 0, 9, 1, 1), Box(1, 3, 0, 1, 1, 1), Box(3, 0, 7, 1, 1, 1)]) == [Box(0, 0, 0, 9, 4, 8)]
    assert naive.hull([]) == []


def test_thresholds_exceed_strictly():
    boxes = [
        Box(0, 0, 0, 360, 150, 150),
        Box(0, 0, 0, 361, 1, 1),
        Box(0, 0, 0, 1, 151, 1),
        Box(0, 0, 0, 1, 1, 151),
    ]
    assert naive.thresholds(boxes, 150, 360) == boxes[:1]
    assert naive.thresholds(boxes, space=150) == boxes[:2]
    assert naive.thresholds(boxes, time=360) == [boxes[0], *boxes[2:]]
    assert naive.thresholds(boxes) == boxes


def test_align_goes_outward():
    assert naive.align([Box(59, -1, 10, 2, 1, 10)], 10, 60) == [Box(0, -10, 10, 120, 10, 10)]
    # Aligned boxes may overlap: the hull comes last, and may exceed the threshold again.
    boxes = [Box(0, 0, 0, 5, 1, 1), Box(7, 20, 0, 5, 1, 1), Box(30, 0, 0, 1, 99, 1)]
    assert naive.publish_merge(boxes, space=15, cell_factor=10, time_factor=10) == [Box(0, 0, 0, 20, 30, 10)]


# ----------------------------------------------------------------------------------------------- k-merge


def test_costs_by_hand():
    samples = [(0, 0, 0), (4, 2, 0), (4, 2, 0)]  # spans 5, 3, 1
    assert naive.area_cost(samples) == 5 * (3 + 1)
    assert naive.stretch_cost(samples) == 3 * (Fraction(4, 200) + Fraction(5, 480))
    assert naive.stretch_cost(samples, space_cap=4, time_cap=Fraction(5, 2)) == 9


def test_runs_counts():
    # All compositions of 4; with gaps every second Fibonacci number: 1, 2, 5, 13, 34.
    assert len(list(naive.runs(4, leave_out=False))) == 8
    assert [len(list(naive.runs(n, leave_out=True))) for n in range(5)] == [1, 2, 5, 13, 34]


def test_kmerge_cuts_between_complete_parts():
    # {0, 1} and {10, 11}: 2 x 2 each. Whole: 12 x 2.
    best = naive.kmerge_brute([at(0, 10), at(1, 11)], naive.area_cost)
    assert best == (8, 0, [Box(0, 0, 0, 2, 1, 1), Box(10, 0, 0, 2, 1, 1)], [])
    # Four samples in the stretch cost: twice 2 x (2/200 + 2/480).
    assert naive.kmerge_brute([at(0, 10), at(1, 11)], naive.stretch_cost).cost == 4 * (
        Fraction(2, 200) + Fraction(2, 480)
    )


def test_kmerge_never_cuts_one_time():
    # 5 is in both: no cut leaves a complete part on either side.
    best = naive.kmerge_brute([at(0, 5), at(5, 9)], naive.area_cost)
    assert best == (20, 0, [Box(0, 0, 0, 10, 1, 1)], [])
    # At a price of 4: 0 and 9 left out, 2 + 8. Leaving out only one costs 12 + 4 or 10 + 4.
    best = naive.kmerge_brute([at(0, 5), at(5, 9)], naive.area_cost, price=4)
    assert best == (10, 2, [Box(5, 0, 0, 1, 1, 1)], [0, 9])


def test_kmerge_leaves_out_whole_times_or_everything():
    # At 5 both members have a sample, at 6 the first has two: the price is per sample.
    members = [[(5, 0, 0), (6, 99, 0), (6, 0, 99)], [(5, 0, 0)]]
    # Whole: 2 x 200 = 400. Without 6: 2 + 2 x price.
    assert naive.kmerge_brute(members, naive.area_cost, price=100) == (202, 2, [Box(5, 0, 0, 1, 1, 1)], [6])
    # A tie, 400: nothing is left out.
    assert naive.kmerge_brute(members, naive.area_cost, price=199).left_out == 0
    # Free of charge everything goes: 0 is less than 2.
    assert naive.kmerge_brute(members, naive.area_cost, price=0) == (0, 4, [], [5, 6])
    # Nobody ever together with an absent member.
    assert naive.kmerge_brute([at(1), []], naive.area_cost, price=7) == (7, 1, [], [1])
    with pytest.raises(ValueError):
        naive.kmerge_brute([at(1), []], naive.area_cost)


def test_kmerge_ties_take_the_earliest_starts():
    # 0-10 without 20, or 10-20 without 0: 11 x 2 + price, either. Whole: 21 x 2; nothing: 3 x price.
    best = naive.kmerge_brute([at(0, 20), at(10)], naive.area_cost, price=15)
    assert best == (37, 1, [Box(0, 0, 0, 11, 1, 1)], [20])
    # At 11 nothing at all costs 33 as well: fewest left out.
    assert naive.kmerge_brute([at(0, 20), at(10)], naive.area_cost, price=11).left_out == 1


@quick
@given(
    st.lists(st.lists(coordinates(3), min_size=1, max_size=3), min_size=1, max_size=3),
    st.sampled_from([naive.area_cost, naive.stretch_cost]),
    st.sampled_from([None, 0, Fraction(1, 100), 1, 3, 10]),
)
def test_kmerge_keeps_its_promises(members, cost, price):
    best = naive.kmerge_brute(members, cost, price)
    held = 0
    for box in best.boxes:
        inside = [[s for s in member if contains(box, naive.as_box(s))] for member in members]
        assert all(inside)
        held += sum(map(len, inside))
    assert held + best.left_out == sum(map(len, members))
    assert naive.hull(best.boxes) == best.boxes
    assert price is not None or best.left_out == 0
    plans = [key for key, _ in naive.kmerge_plans(members, cost, price)]
    assert plans.count(min(plans)) == 1  # the tie rule leaves nothing open


def test_published_spans_and_personal_means():
    near, far = [(0, 0, 0), (1_000, 0, 0), (1_001, 0, 0)], [(0, 3, 0), (1_002, 500, 7)]
    first, second = (4, 5, 1), (501, 509, 3)
    assert naive.published_spans([near, far]) == [[first, second, second], [first, second]]
    assert naive.published_spans([near, far], 1.0) == [[first], [first]]
    assert naive.published_spans([near, far], 0.001) == [[], []]
    assert naive.personal_means(naive.published_spans([near, far])) == [
        ((4 + 2 * 501) / 3, (5 + 2 * 509) / 3, (1 + 2 * 3) / 3),
        ((4 + 501) / 2, (5 + 509) / 2, (1 + 3) / 2),
    ]
    assert all(math.isnan(mean) for mean in naive.personal_means([[]])[0])


def test_group_value_and_groupings():
    def waits(minutes, k):
        return 0.9 / (k - 1) * (0.6 * math.sqrt(minutes / 480) + 0.4 * minutes / 480)

    once = [(1, 1), (1, 1)]  # space and time of each count so much
    point = (0.01 + math.sqrt(0.01)) / 2  # a cell of 100 m along both sides
    assert naive.group_value([[(0, 0, 0)], [(0, 0, 0)]], once, 2) == pytest.approx(2 * (point + waits(1, 2)))
    alone = [(0, 0, 0)], [(0, 0, 0), (1439, 0, 0)]
    assert naive.group_value(alone, [(1, 1), (3, 2)], 2) == pytest.approx(7 * point + 5 * waits(1440, 2))
    far = [(0, 0, 0)], [(0, 798, 0)]  # 80 km, of which 60 count three tenths in groups of five
    assert naive.group_value(far, once, 5) == pytest.approx(2 * (1 + 0.3 * (math.sqrt(4) - 1) + waits(1, 5)))
    # Beyond a price of 20 km no more than at it, and twice that price is beyond all hope: a third more for each.
    at_it = (0.5 + math.sqrt(0.5)) / 2 + waits(240, 2)
    assert naive.group_value(far, once, 2, 1.0) == pytest.approx(2 * (min(1 + waits(1, 2), at_it) + 1 / 3))
    near = [(0, 0, 0), (999, 0, 0)], [(0, 0, 0), (999, 798, 0)]  # one box stays
    assert naive.group_value(near, once, 2, 1.0) == pytest.approx(
        2 * (point + waits(1, 2)) + 2 * min(1 + waits(1, 2), at_it)
    )
    assert naive.boxes_closed_early([[(0, 0, 0), (5, 1, 0)], [(3, 0, 2), (9, 0, 0)], [(3, 0, 0)]]) == [
        naive.Box(0, 0, 0, 10, 2, 3)
    ]
    assert [box.t for box in naive.boxes_closed_early([[(0, 0, 0), (5, 1, 0), (6, 0, 0)], [(3, 0, 2), (9, 0, 0)]])] == [
        0,
        5,
    ]
    assert sorted(naive.groupings([1, 2, 3, 4], 2)) == [
        [(1, 2), (3, 4)],
        [(1, 2, 3, 4)],
        [(1, 3), (2, 4)],
        [(1, 4), (2, 3)],
    ]


def test_radius_of_gyration():
    assert naive.radius_of_gyration([(3.0, 4.0)] * 3) == 0
    assert naive.radius_of_gyration([(0, 0), (6, 8)]) == 5
    assert naive.radius_of_gyration([(0, 0), (0, 0), (0, 0), (4, 0)]) == pytest.approx(math.sqrt(3))
