"""Bounds between merged groups: never above the stretch, and not far below it."""

import numpy as np
import pytest
from hypothesis import given, settings

from kernels.crowds import CAPS, crowds, flat, in_threads, some_people, wanderers
from shoal.kernels.common.jit import kernel
from shoal.kernels.glove.boxes import NO_LIMIT, plain_directed_sum
from shoal.kernels.glove.driver import glove
from shoal.kernels.glove.parade import line_up, look_over, new_glance
from shoal.kernels.glove.toll import guest_sizes, toll_bound


@kernel
def bounds_in_time(arena, clocks, longer, shorter, half, bounds):
    for p in range(longer.size):
        bounds[p] = toll_bound(arena, clocks, longer[p], shorter[p], half, np.int64(0), np.int64(NO_LIMIT))


@kernel
def directed_sums(arena, longer, shorter, half, totals):
    for p in range(longer.size):
        totals[p] = plain_directed_sum(arena, longer[p], shorter[p], half, np.int64(NO_LIMIT))


@kernel
def bounds_in_space(arena, outlines, parade, targets, half, bounds):
    glance = new_glance(parade)
    for p in range(targets.size):
        look_over(glance, parade, arena, outlines, targets[p], half)
        bounds[p] = glance.bound


def merged(people, k):
    """A store, and the groups in it that have tolls."""
    store = in_threads(glove)(*flat(people), **CAPS, k=k).store
    sizes, lengths = store.arena.size[: store.groups], store.arena.length[: store.groups]
    return store, np.flatnonzero((sizes > 1) & (sizes < k) & (lengths > 0))


def toll_by_hand(boxes, n, m, width, cell):
    """Per bin the least (n + m) U - m d over boxes, with U to the nearest moment of the bin, one moment at a time."""
    moments = np.arange(width // cell) * cell
    tolls = np.empty((boxes[1].max() - 1) // width + 1, int)
    for b in range(tolls.size):
        start = (b * width + moments)[:, None]
        union = np.maximum(boxes[1], start + cell) - np.minimum(boxes[0], start)
        tolls[b] = ((n + m) * union - m * (boxes[1] - boxes[0])).min()
    return tolls


def time_by_hand(arena, longer, shorter, half):
    """Sum over the boxes of the longer of the least stretch in time."""
    a, b = (arena.boxes[:2, arena.start[g] : arena.start[g] + arena.length[g]].astype(int) for g in (longer, shorter))
    n, m = int(arena.size[longer]), int(arena.size[shorter])
    union = np.maximum(a[1][:, None], b[1]) - np.minimum(a[0][:, None], b[0])
    costs = (n + m) * union - n * (a[1] - a[0])[:, None] - m * (b[1] - b[0])
    return int(np.minimum(costs, (n + m) * half).min(axis=1).sum())


def check(people, k):
    """Every pair of merged groups, both ways; gives back what share of the stretch in time the tolls tell of."""
    store, groups = merged(people, k)
    if not groups.size:
        return 1.0
    arena, clocks, half = store.arena, store.clocks, store.ground.half
    first, second = (np.ascontiguousarray(side.ravel()) for side in np.meshgrid(groups, groups))
    in_time, totals = np.empty(first.size, np.int64), np.empty(first.size, np.int64)
    bounds_in_time(arena, clocks, first, second, half, in_time)
    true = np.array([time_by_hand(arena, a, b, half) for a, b in zip(first, second, strict=True)])
    assert (in_time <= true).all()
    directed_sums(arena, first, second, half, totals)
    totals[arena.length[first] < arena.length[second]] = NO_LIMIT  # the sum over the longer counts
    totals = totals.reshape(groups.size, -1)
    stretch = np.minimum(totals, totals.T)
    in_space = np.empty((groups.size, groups.size), np.int64)
    bounds_in_space(arena, store.outlines, line_up(groups, arena, store.outlines), groups, half, in_space)
    assert (in_space <= stretch).all()
    return in_time.sum() / max(true.sum(), 1)


@pytest.mark.parametrize("k", [3, 4, 8])
def test_never_above_the_stretch(k):
    @settings(max_examples=40, deadline=None)
    @given(crowds(most=16))
    def run(people):
        check(people, min(k, len(people)))

    run()


@pytest.mark.parametrize("k", [3, 5, 8, 12])
@pytest.mark.parametrize("span", [20_000, 83_000])
def test_never_above_and_not_far_below(k, span):
    assert check(some_people(np.random.default_rng(k), 60, 60, span), k) > 0.3


def test_never_above_where_similar_rectangles_count_as_one():
    check(wanderers(np.random.default_rng(4), 24, 200), 5)


@pytest.mark.parametrize("span", [20_000, 83_000])
def test_tolls_by_hand(span):
    store, groups = merged(some_people(np.random.default_rng(2), 40, 40, span), 5)
    arena, clocks = store.arena, store.clocks
    for g in groups:
        boxes = arena.boxes[:2, arena.start[g] : arena.start[g] + arena.length[g]].astype(int)
        for c, n in enumerate(guest_sizes(5)):
            w = int(n + arena.size[g])
            tolls = toll_by_hand(boxes, int(n), int(arena.size[g]), clocks.width, store.ground.cell_time)
            kept = clocks.tolls[g - store.people, c]
            assert np.array_equal(kept[: tolls.size], np.minimum(tolls // (w * clocks.grain), 255))
