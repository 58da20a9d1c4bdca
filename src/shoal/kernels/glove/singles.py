"""Raw people who may be near to a group: bounds from cheap to dear, each over all who are left.

A person with more samples than the group has boxes is the longer of the two: the bound is a sum over the person's
samples. With fewer, it is a sum over the group's boxes. With equally many, the smaller of both counts. A sum that does
not count is `FAR`.

Everything is done for many people at a time: a call for each would cost more than the work for most.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from shoal.kernels.common.jit import helper
from shoal.kernels.glove.clock import person_time_bound, time_bound
from shoal.kernels.glove.field import fill_site_row, fill_time
from shoal.kernels.glove.outline import NUMBER

FAR = 2**62


class Singles(NamedTuple):
    """Raw people alive, groups of one, by home; within a home the longest fingerprints first."""

    member: NDArray[np.int32]
    samples: NDArray[np.int32]
    at_home: NDArray[np.int32]
    home_start: NDArray[np.int64]
    """Where each home's members start; one more at the end."""
    home: NDArray[np.int32]


class Close(NamedTuple):
    """Who is left, as places among the singles, and the sums over their samples and over the group's boxes so far."""

    place: NDArray[np.int32]
    forth: NDArray[np.int64]
    back: NDArray[np.int64]


@helper
def by_home(field, ground, singles, main_boxes, boxes, anyhow, bar, low, high, close):  # type: ignore[no-untyped-def]
    """Who lives near enough, or was ever near enough to the commonest rectangle; not the places low..high.

    ``boxes`` are those of the group, ``main_boxes`` those of them with that rectangle; they pay ``anyhow`` toward
    anybody (`shoal.kernels.glove.clock.time_anyhow`). A stretch up to ``bar`` passes.
    """
    distance, main, start, entries = field.distance, field.main, ground.start, ground.entries
    member, samples, at_home, place = singles.member, singles.samples, singles.at_home, close.place
    kept, left = 0, bar * boxes - anyhow
    for g in range(singles.home.size):
        from_home = np.int64(distance[singles.home[g]])
        for p in range(singles.home_start[g], singles.home_start[g + 1]):
            passes = samples[p] >= boxes and from_home * at_home[p] <= bar * samples[p]
            if not passes and samples[p] <= boxes and left >= 0:
                nearest = np.int16(32767)
                for e in range(start[member[p]], start[member[p] + 1]):
                    nearest = min(nearest, main[entries[e, 0]])
                passes = main_boxes * np.int64(nearest) <= left
            # No branch: whether somebody passes is hard to guess.
            place[kept] = p
            kept += int(passes and (p < low or p >= high))
    return kept


@helper
def by_sites(field, ground, singles, rectangles, lo, hi, boxes, anyhow, bar, close, kept):  # type: ignore[no-untyped-def]
    """Who was near enough altogether, whatever the times; lo..hi are the rectangles of the group.

    ``boxes``, ``anyhow`` and ``bar`` are as in `by_home`.
    """
    distance, table, start, entries = field.distance, field.table, ground.start, ground.entries
    number, nearest = rectangles[NUMBER, lo:hi], field.nearest[: hi - lo]
    member, samples, place, all_forth, all_back = singles.member, singles.samples, close.place, close.forth, close.back
    used = 0
    for q in range(kept):
        p = place[q]
        first, last, limit = start[member[p]], start[member[p] + 1], bar * max(samples[p], boxes)
        forth, back = np.int64(FAR), np.int64(FAR)
        if samples[p] >= boxes:
            forth = np.int64(0)
            for e in range(first, last):
                forth += np.int64(entries[e, 1]) * np.int64(distance[entries[e, 0]])
        if samples[p] <= boxes:
            back = anyhow
            nearest[:] = np.int16(32767)
            for e in range(first, last):
                row = table[entries[e, 0]]
                for r in range(nearest.size):
                    nearest[r] = min(nearest[r], row[r])
            for r in range(nearest.size):
                back += np.int64(np.int32(number[r])) * np.int64(np.int32(nearest[r]))
        place[used], all_forth[used], all_back[used] = p, forth, back
        used += int(forth <= limit or back <= limit)
    return used


@helper
def add_cells(field, ground, arena, outlines, target, person, n, shift, bound, limit):  # type: ignore[no-untyped-def]
    """The sum over a person's samples, with times; above limit if it is.

    ``target`` is the group, of n people; ``bound`` the sum without times, divided by ``2**shift`` like all of them.
    """
    if field.filled[-1] != target:
        fill_time(field, ground, arena, outlines, target, n, shift)
        field.filled[-1] = target
    rectangles, far = outlines.kinds[target], np.int16(((n + 1) * ground.half) >> shift)
    for e in range(ground.start[person], ground.start[person + 1]):
        s = ground.entries[e, 0]
        row = field.rows[s]
        if field.filled[s] != target:
            fill_site_row(row, field.table[s, :rectangles], field.profiles, field.anywhere, far)
            field.filled[s] = target
        at_site = np.int64(field.distance[s])
        for c in range(ground.entries[e, 2], ground.entries[e + 1, 2]):
            bound += np.int64(ground.cells[c, 1]) * (np.int64(row[ground.cells[c, 0]]) - at_site)
        if bound > limit:
            break
    return bound


@helper
def by_times(  # type: ignore[no-untyped-def]
    field, ground, singles, arena, outlines, clocks, target, n, shift, bar, close, kept
):
    """Who was near enough at the time. What boxes pay toward anybody is counted already."""
    used, cell = 0, np.int64(ground.cell_time)
    for q in range(kept):
        p = close.place[q]
        person = np.int64(singles.member[p])
        limit = bar * max(singles.samples[p], arena.length[target])
        forth, back = close.forth[q], close.back[q]
        if forth <= limit:
            forth = add_cells(field, ground, arena, outlines, target, person, n, shift, forth, limit)
        if back <= limit:
            left = (limit - back) * (1 << shift)
            if n == 1:
                back += person_time_bound(field.histogram, clocks, person, 2, left) >> shift
            else:
                back += time_bound(arena, clocks, target, person, ground.half, cell, np.int64(0), left) >> shift
        close.place[used], close.forth[used], close.back[used] = p, forth, back
        used += int(forth <= limit or back <= limit)
    return used
