"""Layout, units and the order of contents."""

import numpy as np
import pytest
from hypothesis import example, given, settings

import naive
from kernels.crowds import CAPS, FINE, FINE_CAPS, crowds, flat
from shoal.kernels.common.content import content_rank
from shoal.kernels.common.people import pack
from shoal.kernels.common.scale import scale_of

SCALE = scale_of(**CAPS)


@pytest.mark.parametrize("caps", [(200, 480), (20_000, 28_800), (1, 1), (7, 13), (8, 32)])
def test_scale_makes_both_caps_half_a_point(caps):
    scale = scale_of(*caps)
    assert scale.space_weight * scale.space_cap * 2 == scale.unit == scale.time_weight * scale.time_cap * 2


@pytest.mark.parametrize("caps", [(0, 480), (200, -1), (2**20 + 1, 2**20)])
def test_scale_refuses_caps_that_cannot_work(caps):
    with pytest.raises(ValueError):
        scale_of(*caps)


def test_pack_is_narrow_where_it_can_be():
    assert pack(*flat([[(10**8, -5, 5)], [(10**8 + 9, 7, 7)]]), SCALE).t.dtype == np.int16
    assert pack(*flat([[(0, 0, 0)], [(0, 40_000, 0)]]), SCALE).t.dtype == np.int32
    assert pack(*flat([[(0, 0, 0)], [(0, 20_000, 20_000)]]), SCALE).t.dtype == np.int32
    assert pack(*flat([[(0, 0, 0)]]), scale_of(**FINE_CAPS)).t.dtype == np.int32


@pytest.mark.parametrize(
    "people",
    [
        [[(0, 0, 0)], []],
        [[(0, 0, 0), (0, 0, 0)]],
        [[(1, 0, 0), (0, 0, 0)]],
        [[(0, 1, 0), (0, 0, 0)]],
        [[(0, 0, 1), (0, 0, 0)]],
        [[(0, -(2**30), 0)], [(0, 2**30, 0)]],
        [[(-(2**31), 0, 0)], [(2**31 - 1, 0, 0)]],
    ],
)
def test_pack_refuses_what_the_kernels_cannot_take(people):
    with pytest.raises(ValueError):
        pack(*flat(people), SCALE)


def test_pack_refuses_offsets_that_do_not_fit():
    offsets, t, x, y = flat([[(0, 0, 0)], [(1, 1, 1)]])
    for wrong in (offsets[1:], offsets + 1, offsets[:-1]):
        with pytest.raises(ValueError):
            pack(wrong, t, x, y, SCALE)


def test_pack_leaves_its_input_alone():
    arrays = flat([[(5, 6, 7)], [(8, 9, 10)]])
    before = [v.copy() for v in arrays]
    pack(*arrays, SCALE)
    assert all((v == old).all() for v, old in zip(arrays, before, strict=True))


@settings(deadline=None)
@given(crowds() | crowds(FINE))
@example([[(0, 0, 0), (5, 0, 0), (6, 0, 0)], [(0, 0, 0)], [(0, 0, 0), (5, 0, 0)], [(0, 0, 1)], [(0, 0, 0)]])
def test_content_rank_is_the_order_of_contents(people):
    rank = content_rank(pack(*flat(people), SCALE))
    expected = sorted(range(len(people)), key=lambda p: naive.content(people[p]))
    assert np.argsort(rank).tolist() == expected
