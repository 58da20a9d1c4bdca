"""Gaps in time never say more than there is."""

import numpy as np
import pytest

from kernels.crowds import CAPS, flat, in_threads, some_people
from shoal.kernels.glove.driver import glove

K = 4


def bursts(span):
    """People who are seen in two minutes, one after the other."""
    people = some_people(np.random.default_rng(2), 40, 60, span)
    return [sorted({(t + more, x, y) for t, x, y in person for more in (0, 1)}) for person in people]


@pytest.mark.parametrize("span", [20_000, 83_000, 600_013])  # the last two: bins are no whole number of grains
def test_no_bin_is_nearer_to_a_box_than_its_gap(span):
    store = in_threads(glove)(*flat(bursts(span)), **CAPS, k=K).store
    arena, clocks = store.arena, store.clocks
    starts = np.arange(store.ground.bins) * clocks.width
    for person in range(store.people):
        own = slice(arena.start[person], arena.start[person] + arena.length[person])
        t0, t1 = arena.boxes[0, own].astype(int)[:, None], arena.boxes[1, own].astype(int)[:, None]
        gaps = np.maximum(np.maximum(starts - t1, t0 - (starts + clocks.width)), 0).min(axis=0)
        assert np.array_equal(clocks.gaps[person], np.minimum(gaps // clocks.grain, clocks.far))
