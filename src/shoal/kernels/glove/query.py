"""The nearest living groups of a group: a cascade of lower bounds, then the exact stretch.

Bounds from cheap to dear. Toward raw people with as many samples or more, as in `shoal.kernels.kgap.cascade`: the
distance of their home from the group's rectangles, the same over all their sites, then a field of lower bounds over
sites and time bins; toward those with fewer: distances between rectangles, then gaps in time. Toward merged groups: a
glance at all of them, distances between rectangles, then tolls of time. What remains is computed exactly in the order
of the bounds, until a bound reaches the last of the nearest. The order of the nearest is strict, by (Delta, content),
so the result depends on nothing but the groups.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from shoal.kernels.common.jit import helper, kernel
from shoal.kernels.common.sort import heapify, sift_down
from shoal.kernels.glove.boxes import NO_LIMIT, compare_groups, compare_shares, divisor_of
from shoal.kernels.glove.clock import count_bins, time_anyhow, time_boxes
from shoal.kernels.glove.exact import group_sum, nearest_rectangle, new_scratch
from shoal.kernels.glove.field import fill_space, new_group_field
from shoal.kernels.glove.merge import merge_into
from shoal.kernels.glove.outline import MOST, NUMBER, outline
from shoal.kernels.glove.parade import look_over, new_glance
from shoal.kernels.glove.singles import Close, by_home, by_sites, by_times
from shoal.kernels.glove.toll import lay_tolls, toll_bound
from shoal.kernels.kgap.nearest import SLACK

NOBODY = -1

FIRST = 128
"""People looked at in the first round."""

QUERY_TALLY = ("queries", "people", "people bounded", "groups", "groups bounded", "exact")
"""What the tally counts: queries; candidates that came to the bounds and that passed them; exact sums."""


class GroupLists(NamedTuple):
    """Per row the nearest, best first; Delta is ``total / (2 half divisor)``; free places hold `NOBODY`."""

    other: NDArray[np.int32]
    total: NDArray[np.int64]
    divisor: NDArray[np.int64]

    def rows(self, part: slice) -> "GroupLists":
        """Some of the rows; they share their memory with all of them."""
        return GroupLists(self.other[part], self.total[part], self.divisor[part])


class Jobs(NamedTuple):
    """Groups to find the nearest of; with parents, groups to make from them first."""

    target: NDArray[np.int64]
    parents: NDArray[np.int64]
    """Two per row, or `NOBODY`."""
    ask: NDArray[np.int8]
    """0: merge only; 1: nearest among raw people; 2: nearest among all."""
    seeds: NDArray[np.int64]
    """Groups alive that are probably near, none twice, or `NOBODY`."""

    def rows(self, part: slice) -> "Jobs":
        """Some of the rows."""
        return Jobs(self.target[part], self.parents[part], self.ask[part], self.seeds[part])


class Found(NamedTuple):
    """Candidates that passed the bounds."""

    other: NDArray[np.int32]
    bound: NDArray[np.int64]
    """Of the sum of GLOVE (10)."""
    key: NDArray[np.float64]
    """The same as a share, by which they are taken..."""
    order: NDArray[np.int32]
    """...from this heap."""


def new_group_lists(rows: int, width: int) -> GroupLists:
    """Empty lists."""
    return GroupLists(
        np.full((rows, width), NOBODY, np.int32), np.zeros((rows, width), np.int64), np.ones((rows, width), np.int64)
    )


@helper
def group_precedes(total, divisor, other, lists, row, place, target, arena):  # type: ignore[no-untyped-def]
    """Whether a candidate of this stretch, or of at least this, stands before what the list has at this place.

    Groups of identical content are interchangeable: of those, everybody lists others first, as lists that all name
    the same few are spent at once.
    """
    held = lists.other[row, place]
    if held < 0:
        return True
    order = compare_shares(np.int64(total), np.int64(divisor), lists.total[row, place], lists.divisor[row, place])
    if order != 0:
        return order < 0
    order = compare_groups(arena, other, np.int64(held))
    if order != 0:
        return order < 0
    around = arena.start.size
    return (other - target + around) % around < (held - target + around) % around


@helper
def insert_group(lists, row, target, other, total, divisor, arena):  # type: ignore[no-untyped-def]
    """Put a candidate in its place, unless the list is full of better ones."""
    place = lists.other.shape[1] - 1
    if not group_precedes(total, divisor, other, lists, row, place, target, arena):
        return
    while place > 0 and group_precedes(total, divisor, other, lists, row, place - 1, target, arena):
        lists.other[row, place] = lists.other[row, place - 1]
        lists.total[row, place], lists.divisor[row, place] = lists.total[row, place - 1], lists.divisor[row, place - 1]
        place -= 1
    lists.other[row, place], lists.total[row, place], lists.divisor[row, place] = other, total, divisor


@helper
def bar_of(lists, row):  # type: ignore[no-untyped-def]
    """Delta of the last in the list, times 2 half, and a trifle more; infinite while there is room."""
    last = lists.other.shape[1] - 1
    if lists.other[row, last] < 0:
        return np.inf
    return lists.total[row, last] / lists.divisor[row, last] * (1 + SLACK)


@helper
def offer_group(lists, row, target, other, arena, outlines, clocks, half, scratch):  # type: ignore[no-untyped-def]
    """Compute the stretch to a candidate, as far as it matters, and enter it."""
    divisor, bar = divisor_of(arena, target, other), bar_of(lists, row)
    limit = np.int64(NO_LIMIT) if bar == np.inf else np.int64(bar * divisor) + 1
    total = group_sum(arena, outlines, clocks, target, other, half, limit, scratch)
    if total <= limit:
        insert_group(lists, row, target, other, total, divisor, arena)


@helper
def group_bound(outlines, clocks, longer, shorter, arena, half, limit):  # type: ignore[no-untyped-def]
    """Bound of the sum over ``longer`` by the distances of rectangles, then by times; above limit if it is."""
    rectangles = outlines.rectangles
    narrow = rectangles.dtype.type
    n_long, n_short = narrow(arena.size[longer]), narrow(arena.size[shorter])
    cap = narrow(narrow(n_long + n_short) * narrow(half))
    lo = outlines.start[shorter]
    hi = lo + outlines.kinds[shorter]
    bound = np.int64(0)
    for e in range(outlines.start[longer], outlines.start[longer] + outlines.kinds[longer]):
        cost = nearest_rectangle(rectangles, e, rectangles, lo, hi, n_long, n_short, cap)
        bound += np.int64(rectangles[NUMBER, e]) * np.int64(cost)
        if bound > limit:
            return bound
    return toll_bound(arena, clocks, longer, shorter, half, bound, limit)


@helper
def window(field, singles, size):  # type: ignore[no-untyped-def]
    """A few people who are probably near: those with about as many samples at the home nearest to the group."""
    nearest = 0
    for g in range(singles.home.size):
        if field.distance[singles.home[g]] < field.distance[singles.home[nearest]]:
            nearest = g
    middle = singles.home_start[nearest]
    while middle < singles.home_start[nearest + 1] and singles.samples[middle] > size:
        middle += 1
    return max(middle - FIRST // 2, 0), min(middle + FIRST // 2, singles.member.size)


@helper
def find_people(found, close, kept, singles, target, left, right, shift, arena):  # type: ignore[no-untyped-def]
    """Enter the people who passed; returns how many. ``left`` and ``right`` are the target's parents, or `NOBODY`."""
    used = 0
    for q in range(kept):
        other = np.int64(singles.member[close.place[q]])
        if other not in (target, left, right):
            bound = min(close.forth[q], close.back[q]) << shift
            found.other[used], found.bound[used] = other, bound
            found.key[used] = bound / divisor_of(arena, target, other)
            used += 1
    return used


@helper
def find_groups(found, glance, parade, target, left, right, bar, arena, outlines, clocks, half):  # type: ignore[no-untyped-def]
    """Enter the merged groups that pass; returns how many.

    ``left`` and ``right`` are the target's parents, or `NOBODY`; a stretch up to ``bar`` passes.
    """
    n, size, used = np.int64(arena.size[target]), np.int64(arena.length[target]), 0
    look_over(glance, parade, arena, outlines, target, half)
    for g in range(parade.group.size):
        # Not by `divisor_of`: what stands in line is at hand, the arena is far away.
        other, length = parade.group[g], np.int64(parade.main[NUMBER, g]) + np.int64(parade.core[NUMBER, g])
        divisor = max(length, size) * (n + np.int64(parade.size[g]))
        limit = min(bar * divisor, np.float64(NO_LIMIT))
        if glance.bound[g] > limit or other in (target, left, right):
            continue
        bound = np.int64(NO_LIMIT)
        if length >= size:
            bound = group_bound(outlines, clocks, other, target, arena, half, limit)
        if length <= size:
            bound = min(bound, group_bound(outlines, clocks, target, other, arena, half, limit))
        if bound <= limit:
            found.other[used], found.bound[used], found.key[used] = other, bound, bound / divisor
            used += 1
    return used


@helper
def compute_found(lists, row, target, found, used, arena, outlines, clocks, half, scratch):  # type: ignore[no-untyped-def]
    """Compute what was found, the most promising first, until a bound exceeds the last of the nearest."""
    last, computed, size, order = lists.other.shape[1] - 1, 0, used, found.order
    heapify(found.key, order, size)
    while size > 0 and found.key[order[0]] <= bar_of(lists, row):
        f = order[0]
        size -= 1
        order[0] = order[size]
        sift_down(found.key, order, np.int64(0), size)
        other = np.int64(found.other[f])
        if not group_precedes(found.bound[f], divisor_of(arena, target, other), other, lists, row, last, target, arena):
            continue
        known = False
        for place in range(last + 1):
            known = known or lists.other[row, place] == other
        if not known:
            offer_group(lists, row, target, other, arena, outlines, clocks, half, scratch)
            computed += 1
    return computed


@kernel
def make(jobs, into, ground, arena, outlines, clocks):  # type: ignore[no-untyped-def]
    """Merge where there are parents; outline and clock of a group that will look for its nearest.

    Parameters
    ----------
    jobs
        What to make.
    into
        Written: of each box that is merged, which box of the new group it went into.
    ground
        What a cell costs.
    arena, outlines, clocks
        All groups; those of the new ones are written.
    """
    for job in range(jobs.target.size):
        target, left, right = jobs.target[job], jobs.parents[job, 0], jobs.parents[job, 1]
        if left >= 0:
            merge_into(arena, left, right, ground.half, target, into)
            if jobs.ask[job]:
                outline(arena, target, outlines, ground.cell_space)
                time_boxes(arena, target, clocks)
                lay_tolls(arena, target, clocks, ground.cell_time)


@kernel
def seek(jobs, lists, parade, singles, ground, arena, outlines, clocks, tally):  # type: ignore[no-untyped-def]
    """Find the nearest of the groups asked for.

    Parameters
    ----------
    jobs
        What is asked for.
    lists
        Written: row j for job j.
    parade, singles
        Merged groups and raw people alive, among whom to look.
    ground, arena, outlines, clocks
        All that is known of people and groups.
    tally
        Written: counts are added, as in `QUERY_TALLY`.
    """
    half, room = ground.half, max(singles.member.size, parade.group.size)
    most_kinds = np.int64(MOST)
    for target in jobs.target:
        most_kinds = max(most_kinds, outlines.kinds[target])
    field = new_group_field(ground.sites.shape[1], ground.bins, most_kinds)
    places = singles.member.size + 1
    close = Close(np.empty(places, np.int32), np.empty(places, np.int64), np.empty(places, np.int64))
    found = Found(
        np.empty(room, np.int32), np.empty(room, np.int64), np.empty(room, np.float64), np.empty(room + 1, np.int32)
    )
    scratch, glance = new_scratch(ground.sites.shape[1], arena.boxes), new_glance(parade)
    for job in range(jobs.target.size):
        target, left, right = jobs.target[job], jobs.parents[job, 0], jobs.parents[job, 1]
        if not jobs.ask[job]:
            continue
        tally[0] += 1
        size, n = arena.length[target], np.int64(arena.size[target])
        for seed in jobs.seeds[job]:
            if seed >= 0 and seed not in (left, right):
                offer_group(lists, job, target, seed, arena, outlines, clocks, half, scratch)
        w, shift = n + 1, np.int64(0)
        while (2 * w * half) >> shift >= 2**15:
            shift += 1
        fill_space(field, ground, outlines, target, n, shift)
        if n == 1:
            count_bins(arena, target, clocks, field.histogram)
        lo = outlines.start[target]
        hi, main_boxes = lo + outlines.kinds[target], np.int64(outlines.rectangles[NUMBER, lo])
        anyhow = time_anyhow(arena, target, half, np.int64(ground.cell_time)) >> shift
        low, high = window(field, singles, size) if singles.home.size else (0, 0)
        # First a few, to have something to measure the others against.
        for first_round in (True, False):
            bar, kept = bar_of(lists, job) * w / (1 << shift), high - low
            if first_round:
                for p in range(low, high):
                    close.place[p - low] = p
            else:
                kept = by_home(field, ground, singles, main_boxes, size, anyhow, bar, low, high, close)
            tally[1] += kept
            kept = by_sites(field, ground, singles, outlines.rectangles, lo, hi, size, anyhow, bar, close, kept)
            kept = by_times(field, ground, singles, arena, outlines, clocks, target, n, shift, bar, close, kept)
            used = find_people(found, close, kept, singles, target, left, right, shift, arena)
            tally[2] += used
            tally[5] += compute_found(lists, job, target, found, used, arena, outlines, clocks, half, scratch)
        if jobs.ask[job] == 2:
            # Merged groups last: people are nearer most of the time, and then few groups are left to look at.
            bar = bar_of(lists, job)
            used = find_groups(found, glance, parade, target, left, right, bar, arena, outlines, clocks, half)
            tally[3] += parade.group.size
            tally[4] += used
            tally[5] += compute_found(lists, job, target, found, used, arena, outlines, clocks, half, scratch)


@kernel
def extend(target, others, lists, sites, arena, outlines, clocks, half):  # type: ignore[no-untyped-def]
    """Offer groups that are younger than a finished list.

    Parameters
    ----------
    target, lists
        Whose list; its only row is brought up to date.
    others
        The younger groups.
    sites
        How many there are.
    arena, outlines, clocks, half
        All groups; the caps, scaled.
    """
    scratch = new_scratch(sites, arena.boxes)
    for other in others:
        offer_group(lists, np.int64(0), target, other, arena, outlines, clocks, half, scratch)
