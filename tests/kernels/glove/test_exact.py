"""The stretch between groups with what is known of them is the stretch without."""

import numpy as np
import pytest
from hypothesis import given, settings

from kernels.crowds import CAPS, crowds, flat, in_threads, some_people, wanderers
from shoal.kernels.common.jit import kernel
from shoal.kernels.glove.boxes import NO_LIMIT, stretches
from shoal.kernels.glove.driver import glove
from shoal.kernels.glove.exact import group_sum, new_scratch


@kernel
def group_sums(arena, outlines, clocks, first, second, half, sites, limits, totals):
    scratch = new_scratch(sites, arena.boxes)
    for p in range(first.size):
        totals[p] = group_sum(arena, outlines, clocks, first[p], second[p], half, limits[p], scratch)


def check(people, k):
    """All pairs that share nobody, of raw people and of groups below k; gives back how many are not sharp."""
    store = in_threads(glove)(*flat(people), **CAPS, k=k).store
    arena, half = store.arena, store.ground.half
    groups = [g for g in range(store.groups) if arena.length[g] and arena.size[g] < k]
    inside = {g: set(store.members([g])) for g in groups}
    pairs = np.array([(a, b) for a in groups for b in groups if inside[a].isdisjoint(inside[b])], np.int64)
    if not pairs.size:
        return 0
    first, second = np.ascontiguousarray(pairs[:, 0]), np.ascontiguousarray(pairs[:, 1])
    expected, found, wholes = (np.empty(first.size, np.int64) for _ in range(3))
    stretches(arena, first, second, half, expected, wholes)
    known = arena, store.outlines, store.clocks, first, second, half, store.ground.sites.shape[1]
    group_sums(*known, np.full(first.size, NO_LIMIT, np.int64), found)
    assert np.array_equal(found, expected)
    for share in (0.5, 0.9, 1):
        limits = (expected * share).astype(np.int64)
        group_sums(*known, limits, found)
        assert np.array_equal(found > limits, expected > limits)
    return int((~store.outlines.sharp[groups]).sum())


@settings(max_examples=60, deadline=None)
@given(crowds())
def test_the_same_as_between_boxes(people):
    check(people, min(4, len(people)))


def test_the_same_for_people_of_few_places():
    assert check(some_people(np.random.default_rng(3), 40, 60), 4) == 0


@pytest.mark.parametrize("step", [40, 400])
def test_the_same_where_similar_rectangles_count_as_one(step):
    assert check(wanderers(np.random.default_rng(4), 16, 300, step), 4) > 0
