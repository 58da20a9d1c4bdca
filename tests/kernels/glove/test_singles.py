"""Nobody who is near enough is lost to the bounds toward raw people."""

import numpy as np
import pytest

from kernels.crowds import CAPS, flat, in_threads, some_people, wanderers
from shoal.kernels.common.jit import kernel
from shoal.kernels.glove.boxes import stretches
from shoal.kernels.glove.clock import count_bins, time_anyhow
from shoal.kernels.glove.driver import glove
from shoal.kernels.glove.field import fill_space, new_group_field
from shoal.kernels.glove.outline import MOST, NUMBER
from shoal.kernels.glove.singles import Close, by_home, by_sites, by_times

K = 4
WANDERERS = wanderers(np.random.default_rng(7), 20, 300)


@kernel
def left_after_each(targets, shares, singles, ground, arena, outlines, clocks, kept):
    """How many stay within each share of 2 half, by home, by sites and by times; ``kept``: who stays in the end."""
    most = np.int64(MOST)
    for target in targets:
        most = max(most, outlines.kinds[target])
    field, n_all = new_group_field(ground.sites.shape[1], ground.bins, most), singles.member.size
    close = Close(np.empty(n_all + 1, np.int32), np.empty(n_all + 1, np.int64), np.empty(n_all + 1, np.int64))
    counts = np.zeros((shares.size, 3), np.int64)
    for i in range(targets.size):
        target = targets[i]
        size, n = arena.length[target], np.int64(arena.size[target])
        w, shift = n + 1, np.int64(0)
        while (2 * w * ground.half) >> shift >= 2**15:
            shift += 1
        fill_space(field, ground, outlines, target, n, shift)
        if n == 1:
            count_bins(arena, target, clocks, field.histogram)
        lo = outlines.start[target]
        hi, main = lo + outlines.kinds[target], np.int64(outlines.rectangles[NUMBER, lo])
        bar = shares[i] * w / (1 << shift)
        anyhow = time_anyhow(arena, target, ground.half, np.int64(ground.cell_time)) >> shift
        left = by_home(field, ground, singles, main, size, anyhow, bar, 0, 0, close)
        counts[i, 0] = left
        left = by_sites(field, ground, singles, outlines.rectangles, lo, hi, size, anyhow, bar, close, left)
        counts[i, 1] = left
        left = by_times(field, ground, singles, arena, outlines, clocks, target, n, shift, bar, close, left)
        counts[i, 2] = left
        for q in range(left):
            kept[i, close.place[q]] = True
    return counts


@pytest.mark.parametrize(
    "people",
    [
        some_people(np.random.default_rng(5), 60, 40),
        [person[:6] for person in some_people(np.random.default_rng(6), 60, 40)],  # many have equally many samples
        WANDERERS,
    ],
    ids=["few places", "equal lengths", "wide sites"],
)
def test_whoever_is_near_enough_stays(people):
    store = in_threads(glove)(*flat(people), **CAPS, k=K).store
    store.alive[: store.people] = True
    singles, arena, half = store.singles(), store.arena, store.ground.half
    groups = [g for g in range(store.groups) if arena.length[g] and arena.size[g] < K]
    pairs = [(g, p) for g in groups for p in range(store.people) if p not in store.members([g])]
    first, second = (np.array(side, np.int64) for side in zip(*pairs, strict=True))
    totals, wholes = np.empty(first.size, np.int64), np.empty(first.size, np.int64)
    stretches(arena, first, second, half, totals, wholes)
    kept = np.zeros((first.size, store.people), np.bool_)
    shares = totals / wholes * (1 + 1e-9)
    counts = left_after_each(first, shares, singles, store.ground, arena, store.outlines, store.clocks, kept)
    assert kept[np.arange(first.size), second].all()
    if people[0] is not WANDERERS[0]:  # who is everywhere has no home to go by
        assert first.size * store.people > counts[:, 0].sum() > counts[:, 1].sum() > counts[:, 2].sum()


@kernel
def paid_anyhow(groups, half, cell, arena, totals):
    """What each group's boxes pay in time toward anybody."""
    for g in range(groups.size):
        totals[g] = time_anyhow(arena, groups[g], half, cell)


def test_boxes_pay_for_a_sample_to_grow_as_long_as_they_are_whoever_it_is():
    people = some_people(np.random.default_rng(5), 60, 40)
    store = in_threads(glove)(*flat(people), **CAPS, k=K).store
    arena, half, cell = store.arena, store.ground.half, store.ground.cell_time
    groups = np.array([g for g in range(store.groups) if arena.length[g]], np.int64)
    totals = np.empty(groups.size, np.int64)
    paid_anyhow(groups, half, cell, arena, totals)
    for group, total in zip(groups.tolist(), totals.tolist(), strict=True):
        start, length, cap = int(arena.start[group]), int(arena.length[group]), (int(arena.size[group]) + 1) * half
        t0, t1 = (arena.boxes[row, start : start + length].tolist() for row in (0, 1))
        assert total == sum(min(end - begin - cell, cap) for begin, end in zip(t0, t1, strict=True))
    assert totals[: store.people].max() == 0 < totals[store.people :].min()
