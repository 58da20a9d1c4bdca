"""No bound is above what it bounds: every pruned pair depends on it."""

import numpy as np
import pytest
from hypothesis import given, settings

from kernels.crowds import (
    CAPS,
    FINE_CAPS,
    FINE_NEAR,
    crowds,
    directed_total,
    flat,
    some_people,
    wanderers,
)
from shoal.kernels.common.jit import kernel
from shoal.kernels.common.people import pack
from shoal.kernels.common.scale import scale_of
from shoal.kernels.kgap import digest as digest_module
from shoal.kernels.kgap.candidates import SKETCHED
from shoal.kernels.kgap.digest import MOST_IN_CELL, fill_digest
from shoal.kernels.kgap.fields import (
    cells_bound,
    fill_near,
    fill_profiles,
    fill_row,
    fill_rows,
    forget_rows,
    new_field,
    sites_bound,
    times_bound,
    when_bound,
)
from shoal.kernels.kgap.survey import survey


@kernel
def bounds_of(a, b, candidates, sites, digest, measures):
    """By block, over sites, over sites and times, over cells: of a longer b from owner a. And the rows' own sum."""
    start, entries = digest.start, digest.entries
    field = new_field(sites.x.size, measures)
    near, rows, row_of, anywhere = field.near, field.rows, field.row_of, field.anywhere
    owned, lo, hi = entries[start[a] : start[a + 1]], start[b], start[b + 1]
    fill_near(near, field.near_region, sites, owned, measures)
    fill_profiles(field.profiles, anywhere, owned, entries[start[a + 1], 2], digest, measures)
    forget_rows(row_of, field.filled)
    fill_rows(rows, row_of, field.filled, entries, lo, hi, sites, owned, field.profiles, anywhere, measures)
    g = np.searchsorted(candidates.block_start, b, side="right") - 1
    home, region = candidates.block_home[g], candidates.block_region[g]
    by_block = max(candidates.at_home[g] * near[home], candidates.around[g] * field.near_region[region])
    by_site = sites_bound(near, entries, lo, hi, np.int64(0), np.inf)
    by_sketch = sites_bound(near, entries, min(lo + SKETCHED, hi), hi, np.int64(0), np.inf)
    for i in range(SKETCHED):
        by_sketch += np.int64(near[candidates.sketch[b, 0, i]]) * candidates.sketch[b, 1, i]
    in_time = by_site + times_bound(anywhere, digest.cells, entries[lo, 2], entries[hi, 2], np.inf)
    at_home = np.empty(measures.room, np.int16)
    fill_row(at_home, home, near[home], sites, owned, field.profiles, anywhere, measures)
    by_when = by_sketch + when_bound(digest.when[b, 0], at_home) + when_bound(digest.when[b, 1], anywhere)
    by_cell = cells_bound(near, rows, row_of, entries, digest.cells, lo, hi, by_site, np.inf)
    return by_block * candidates.samples[b], by_site, by_sketch, in_time, by_when, by_cell


@pytest.fixture(autouse=True, scope="module")
def _everybody_often():
    """All bins are counted, however seldom people are seen."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(digest_module, "OFTEN", 0)
        yield


def check(people, caps):
    """Return how sharp the last bound is on average."""
    scale = scale_of(**caps)
    world = survey(pack(*flat(people), scale), scale)
    sizes, share, candidates = np.diff(world.people.offsets), [], world.candidates(np.arange(len(people)))
    per_unit = 2 * caps["space_cap"] * caps["time_cap"] // scale.unit
    for a in range(len(people)):
        for b in range(len(people)):
            if sizes[b] < sizes[a]:
                continue
            exact = directed_total(people[world.order[b]], people[world.order[a]], **caps) // per_unit
            block, site, sketch, time, when, cell = bounds_of(
                a, b, candidates, world.sites, world.digest, world.measures
            )
            assert block <= sketch
            assert sketch == site <= time <= when <= cell
            assert cell << world.measures.shift <= exact
            share.append((cell << world.measures.shift) / exact if exact else 1.0)
    return np.mean(share)


@settings(deadline=None)
@given(crowds(most=6))
def test_bounds_hold(people):
    check(people, CAPS)


@settings(deadline=None)
@given(crowds(FINE_NEAR, most=6))
def test_bounds_hold_on_a_fine_grid(people):
    check(people, FINE_CAPS)


@pytest.mark.parametrize(("make", "least"), [(some_people, 0.8), (wanderers, 0.3)])
def test_bounds_are_sharp_enough_to_be_of_use(make, least):
    """Too low a bound is never wrong, only slow: so nothing else would notice."""
    assert check(make(np.random.default_rng(5), 40, 200), CAPS) > least


def test_bounds_hold_on_wide_sites_of_a_fine_grid():
    people = wanderers(np.random.default_rng(6), 20, 200, step=400)
    scale = scale_of(**FINE_CAPS)
    assert survey(pack(*flat(people), scale), scale).sites.width > 1
    check(people, FINE_CAPS)


def test_a_cell_that_is_full_goes_on_in_another():
    samples = MOST_IN_CELL + 3
    start, entries = np.empty(2, np.int64), np.empty((samples + 1, 3), np.int32)
    cells, ends = np.empty((samples, 2), np.uint16), np.empty((samples, 2), np.int32)
    nowhere = np.zeros(samples, np.int16)
    offsets = np.array([0, samples])
    found = fill_digest(offsets, np.arange(samples, dtype=np.int32), nowhere, 1, samples, start, entries, cells, ends)
    assert found == (1, 2)
    assert cells[:2].tolist() == [[0, MOST_IN_CELL], [0, 3]]
    assert ends[:2].tolist() == [[0, MOST_IN_CELL - 1], [MOST_IN_CELL, samples - 1]]
