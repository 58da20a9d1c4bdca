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
from shoal.kernels.kgap.digest import MOST_IN_CELL, fill_digest
from shoal.kernels.kgap.fields import (
    cells_bound,
    fill_near,
    fill_profiles,
    fill_row,
    new_field,
    sites_bound,
    spread,
    times_bound,
)
from shoal.kernels.kgap.survey import survey


@kernel
def bounds_of(a, b, sites, digest, measures):
    """By home and region, over sites, over sites and times, over cells: of a longer b from owner a."""
    start, entries = digest.start, digest.entries
    field = new_field(sites.x.size, measures)
    owned, lo, hi = entries[start[a] : start[a + 1]], start[b], start[b + 1]
    fill_near(field, sites, owned, measures)
    spread(field.anywhere, owned[0, 2], entries[start[a + 1], 2], digest.cells, digest.ends, measures)
    fill_profiles(field.profiles, owned, entries[start[a + 1], 2], digest, measures)
    home, region = entries[lo, 0], sites.region[entries[lo, 0]]
    by_home = np.int64(field.near[home]) * entries[lo, 1]
    for e in range(lo, hi):
        fill_row(field, entries[e, 0], sites, owned, measures)
        if e > lo and sites.region[entries[e, 0]] == region:
            by_home += np.int64(field.near_region[region]) * entries[e, 1]
    by_site = sites_bound(field.near, entries, lo, hi, np.inf)
    in_time = times_bound(field.anywhere, digest.cells, entries[lo, 2], entries[hi, 2], np.inf)
    by_cell = cells_bound(field.near, field.rows, entries, digest.cells, lo, hi, by_site, np.inf)
    return by_home, by_site, by_site + in_time, by_cell


def check(people, caps):
    """Return how sharp the last bound is on average."""
    scale = scale_of(**caps)
    world = survey(pack(*flat(people), scale), scale)
    sizes, share = np.diff(world.people.offsets), []
    per_unit = 2 * caps["space_cap"] * caps["time_cap"] // scale.unit
    for a in range(len(people)):
        for b in range(len(people)):
            if sizes[b] < sizes[a]:
                continue
            exact = directed_total(people[world.order[b]], people[world.order[a]], **caps) // per_unit
            home, site, time, cell = bounds_of(a, b, world.sites, world.digest, world.measures)
            assert home <= site <= time <= cell
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
