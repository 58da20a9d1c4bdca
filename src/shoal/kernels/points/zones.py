"""The end places of people's traces, one disc for each, and what of a trace lies outside of it.

A place is where a trace begins or ends. A person's end places are taken in the order of time: one that lies within a
length of an earlier place (the nearest of them) is that place, any other is a new one. So every end lies within that
length of its place. A disc of twice the length whose centre lies within the length of the place holds all of them, and
the place may lie anywhere within a length of the disc's centre.
"""

import math

import numpy as np

from shoal.kernels.common.jit import helper, kernel
from shoal.kernels.points.earth import across, onto_ground, square


@kernel
def centres(place, offsets, person_of, chance, chord):  # type: ignore[no-untyped-def]
    """Centre of the disc for both ends of every trace: rows 2 i and 2 i + 1 of the answer are those of trace i.

    Parameters
    ----------
    place
        Positions in space.
    offsets
        Where each trace's positions start. None is empty; those of a person follow each other in time.
    person_of
        Whose each trace is.
    chance
        Two uniform numbers for each end; the first end at a place gives its own.
    chord
        How near two ends are at one place, and how far a centre may lie from it: metres in a straight line.
    """
    ends = 2 * (offsets.size - 1)
    leader = np.empty(ends, np.int64)
    centre = np.empty((ends, 3))
    first = 0
    for end in range(ends):
        trace = end // 2
        if trace > 0 and person_of[trace] != person_of[trace - 1] and end % 2 == 0:
            first = end
        row = _row(offsets, end)
        found, nearest = -1, chord * chord
        for other in range(first, end):
            if leader[other] == other:
                apart = _apart(place, row, _row(offsets, other))
                if apart < nearest or (apart == nearest and found < 0):
                    found, nearest = other, apart
        leader[end] = end if found < 0 else found
        if found < 0:
            far, angle = chord * math.sqrt(chance[end, 0]), 2 * math.pi * chance[end, 1]
            x, y, z = place[row, 0], place[row, 1], place[row, 2]
            x, y, z = _moved(x, y, z, far * math.cos(angle), far * math.sin(angle))
        else:
            x, y, z = centre[found, 0], centre[found, 1], centre[found, 2]
        centre[end, 0], centre[end, 1], centre[end, 2] = x, y, z
    return centre


@helper
def _row(offsets, end):  # type: ignore[no-untyped-def]
    """The position of an end: the first or the last of its trace."""
    return offsets[end // 2] if end % 2 == 0 else offsets[end // 2 + 1] - 1


@helper
def _apart(place, a, b):  # type: ignore[no-untyped-def]
    return square(place[a, 0] - place[b, 0], place[a, 1] - place[b, 1], place[a, 2] - place[b, 2])


@helper
def _moved(x, y, z, first_m, second_m):  # type: ignore[no-untyped-def]
    """A position moved over the ground by metres along two directions that are square to each other."""
    out = math.sqrt(square(x, y, z))
    ux, uy, uz = across(x, y, z)  # any will do, as the angle is uniform
    vx, vy, vz = (y * uz - z * uy) / out, (z * ux - x * uz) / out, (x * uy - y * ux) / out
    return onto_ground(
        x + first_m * ux + second_m * vx, y + first_m * uy + second_m * vy, z + first_m * uz + second_m * vz
    )


@kernel
def cut(place, offsets, centre, chord):  # type: ignore[no-untyped-def]
    """First row of each trace that lies outside its first disc, and one past the last that lies outside its second.

    Parameters
    ----------
    place, offsets
        As in `centres`.
    centre
        What it gave.
    chord
        Radius of a disc in a straight line.

    Returns
    -------
    start, stop
        Equal where nothing is left.
    """
    traces = offsets.size - 1
    start, stop = np.empty(traces, np.int64), np.empty(traces, np.int64)
    for trace in range(traces):
        i, j = offsets[trace], offsets[trace + 1]
        while i < j and _inside(place, i, centre, 2 * trace, chord):
            i += 1
        while j > i and _inside(place, j - 1, centre, 2 * trace + 1, chord):
            j -= 1
        start[trace], stop[trace] = i, j
    return start, stop


@helper
def _inside(place, row, centre, end, chord):  # type: ignore[no-untyped-def]
    """Whether a position lies in a disc."""
    x, y, z = place[row, 0] - centre[end, 0], place[row, 1] - centre[end, 1], place[row, 2] - centre[end, 2]
    return square(x, y, z) <= chord * chord
