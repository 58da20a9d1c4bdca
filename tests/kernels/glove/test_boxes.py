"""Stretch and merge of groups of boxes, against the oracles."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import naive
from shoal.kernels.common.jit import kernel
from shoal.kernels.common.people import pack
from shoal.kernels.common.scale import scale_of
from shoal.kernels.glove.boxes import Arena, compare_shares, content_order, scaled, stretches
from shoal.kernels.glove.merge import merge_pair

CAPS = {"space_cap": 20, "time_cap": 48}
SCALE = scale_of(**CAPS)


@kernel
def compared(a, b, c, d):
    return compare_shares(a, b, c, d)


def boxes_of(farthest):
    """Fingerprints as GLOVE's merges make them: boxes may be equal."""
    start, extent = st.integers(0, farthest), st.integers(1, max(1, farthest // 4))
    box = st.builds(naive.Box, start, start, start, extent, extent, extent)
    return st.lists(box, min_size=1, max_size=8)


def groups_of(farthest):
    return st.lists(st.tuples(boxes_of(farthest), st.integers(1, 9)), min_size=2, max_size=2)


def arena_of(groups, dtype=np.int32, room=64):
    """Groups (boxes, people) side by side, one empty place for a merged group behind them."""
    tw, sw = SCALE.time_weight, SCALE.space_weight
    rows, start, count = [], [], []
    for fingerprint, _ in groups:
        start.append(len(rows))
        count.append(len(fingerprint))
        rows += [
            (b.t * tw, (b.t + b.dt) * tw, b.x * sw, (b.x + b.dx) * sw, b.y * sw, (b.y + b.dy) * sw)
            for b in sorted(fingerprint)
        ]
    boxes = np.zeros((6, len(rows) + room), dtype)
    boxes[:, : len(rows)] = np.array(rows, dtype).T
    sizes = [size for _, size in groups]
    return Arena(boxes, np.array([*start, len(rows)]), np.array([*count, 0], np.int32), np.array([*sizes, 0], np.int32))


def read_group(arena, g):
    """The boxes of a group, unscaled, as the oracle writes them."""
    weights = [SCALE.time_weight] * 2 + [SCALE.space_weight] * 4
    lo, hi = arena.start[g], arena.start[g] + arena.length[g]
    t0, t1, x0, x1, y0, y1 = (arena.boxes[row, lo:hi].astype(int) // w for row, w in enumerate(weights))
    return [naive.Box(*map(int, b)) for b in zip(t0, x0, y0, t1 - t0, x1 - x0, y1 - y0, strict=True)]


def delta_of(arena, a, b):
    total, whole = np.empty(1, np.int64), np.empty(1, np.int64)
    stretches(arena, np.array([a]), np.array([b]), SCALE.unit // 2, total, whole)
    return Fraction(int(total[0]), SCALE.unit * int(whole[0]))


@pytest.mark.parametrize("farthest", [6, 120])
def test_stretch_is_the_oracle_s(farthest):
    @settings(max_examples=300, deadline=None)
    @given(groups_of(farthest))
    def check(groups):
        (a, na), (b, nb) = groups
        arena = arena_of(groups)
        assert delta_of(arena, 0, 1) == naive.fingerprint_stretch(a, b, na, nb, **CAPS)
        assert delta_of(arena, 1, 0) == delta_of(arena, 0, 1)

    check()


@pytest.mark.parametrize("farthest", [4, 120])
def test_merge_is_the_oracle_s(farthest):
    @settings(max_examples=300, deadline=None)
    @given(groups_of(farthest))
    def check(groups):
        (a, na), (b, nb) = groups
        arena = arena_of(groups)
        into = np.full(arena.boxes.shape[1], -1, np.int32)
        merge_pair(arena, 0, 1, SCALE.unit // 2, 2, into)
        boxes = read_group(arena, 2)
        assert (boxes, int(arena.size[2])) == naive.merge(a, na, b, nb, **CAPS)
        parts = {}
        for member, g in ((sorted(a), 0), (sorted(b), 1)):
            for i, box in enumerate(member):
                parts.setdefault(int(into[arena.start[g] + i]), []).append((g, box))
        assert sorted(parts) == list(range(len(boxes)))
        for p, box in enumerate(boxes):
            assert naive.bounding([b for _, b in parts[p]]) == box
            assert {g for g, _ in parts[p]} == {0, 1}, "every box covers something of either side"

    check()


def test_long_fingerprints_are_searched_in_blocks():
    rng = np.random.default_rng(5)

    def fingerprint(n, most):
        return [
            naive.Box(*map(int, (rng.integers(0, 3000), *rng.integers(0, 60, 2), *rng.integers(1, most, 3))))
            for _ in range(n)
        ]

    groups = [(fingerprint(700, 9), 3), (fingerprint(700, 2), 2), (fingerprint(20, 5), 1), (fingerprint(900, 5), 4)]
    arena = arena_of(groups)
    tidy = [(read_group(arena, g), size) for g, (_, size) in enumerate(groups)]
    for a, b in ((0, 1), (1, 3)):
        short, long = sorted((tidy[a], tidy[b]), key=lambda g: len(g[0]))
        sampled = long[0][::40] + [long[0][-1]] * (len(short[0]) + 1 - len(long[0][::40]))
        pair = arena_of([(sampled, long[1]), short])
        expected = naive.directed_stretch(sampled[:30], short[0], long[1], short[1], **CAPS) * 30
        last = naive.directed_stretch([sampled[-1]], short[0], long[1], short[1], **CAPS)
        expected += (len(sampled) - 30) * last if len(sampled) > 30 else 0
        assert delta_of(pair, 0, 1) * len(sampled) == expected


def test_wide_integers_give_the_same():
    rng = np.random.default_rng(7)
    groups = [
        ([naive.Box(*map(int, rng.integers(1, 50, 6))) for _ in range(int(n))], int(size))
        for n, size in rng.integers(1, 9, (12, 2))
    ]
    narrow, wide = arena_of(groups), arena_of(groups, np.int64)
    for a in range(11):
        assert delta_of(narrow, a, a + 1) == delta_of(wide, a, a + 1)


def test_far_coordinates_widen_the_integers():
    offsets, t, x = np.array([0, 1, 2]), np.array([0, 2**30], np.int32), np.array([0, 2**28], np.int32)
    people = pack(offsets, t, x, x, SCALE)
    assert scaled(people, SCALE, 2).boxes.dtype == np.int64
    near = pack(offsets, t // 2**20, x // 2**20, x // 2**20, SCALE)
    assert scaled(near, SCALE, 2).boxes.dtype == np.int32


@settings(max_examples=200, deadline=None)
@given(groups_of(3))
def test_content_order_is_the_oracle_s(groups):
    (a, na), (b, nb) = groups
    left, right = naive.content(a, na), naive.content(b, nb)
    assert np.sign(content_order(arena_of(groups), 0, 1)) == (left > right) - (left < right)


whole_numbers = st.integers(0, 2**53 - 1)
positive = st.integers(1, 2**53 - 1)


@settings(max_examples=300, deadline=None)
@given(whole_numbers, positive, st.integers(1, 2**10), st.integers(-1, 1))
def test_shares_are_compared_exactly(a, b, factor, off):
    b = max(b // factor, 1)
    a = a % (b + 1) // factor
    c, d = max(a * factor + off, 0), b * factor
    expected = (Fraction(a, b) > Fraction(c, d)) - (Fraction(a, b) < Fraction(c, d))
    assert compared(a, b, c, d) == expected
