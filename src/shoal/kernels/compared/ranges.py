"""How many cross a square in a window of time: range queries over points and over boxes (Promesse §V-C)."""

from shoal.kernels.common.jit import helper, kernel


@helper
def first_at(values, lo, hi, least):  # type: ignore[no-untyped-def]
    """The first of the sorted ``values[lo:hi]`` that is not below ``least``."""
    while lo < hi:
        middle = (lo + hi) // 2
        if values[middle] < least:
            lo = middle + 1
        else:
            hi = middle
    return lo


@kernel
def count_points(offsets, lo, hi, t, lat, lng, windows, squares, counts):  # type: ignore[no-untyped-def]
    """Add to each query's count those of the uids ``lo..hi - 1`` that have a point in it; the rims belong to it.

    Parameters
    ----------
    offsets, t, lat, lng
        Points of each uid, sorted by time.
    windows
        Of each query its first and last time.
    squares
        Of each query latitude and longitude of the middle, and half of either side in degrees.
    """
    for uid in range(lo, hi):
        begin, end = offsets[uid], offsets[uid + 1]
        if begin == end:
            continue
        for q in range(counts.size):
            since, until = windows[q]
            if t[end - 1] < since or t[begin] > until:
                continue
            middle, meridian, half_lat, half_lng = squares[q]
            i = first_at(t, begin, end, since)
            while i < end and t[i] <= until:
                away = abs(lng[i] - meridian)
                if abs(lat[i] - middle) <= half_lat and min(away, 360 - away) <= half_lng:
                    counts[q] += 1
                    break
                i += 1


@helper
def shared(start, length, low, high):  # type: ignore[no-untyped-def]
    """How much of ``[start, start + length)`` lies in ``[low, high)``."""
    return min(start + length, high) - max(start, low)


@kernel
def count_boxes(offsets, lo, hi, boxes, longest, queries, definite, possible, expected):  # type: ignore[no-untyped-def]
    """Add to each query's counts those of the individuals ``lo..hi - 1`` who cross it, as far as their boxes tell.

    Definitely: a box lies inside. Possibly: a box touches it. Expected: each box has one sample, anywhere in it and
    apart from the others.

    Parameters
    ----------
    offsets, boxes
        Boxes of each individual, sorted by their start: t, dt, x, dx, y, dy in whole cells, half open.
    longest
        Duration of each individual's longest box.
    queries
        The same six columns.
    """
    for one in range(lo, hi):
        begin, end = offsets[one], offsets[one + 1]
        if begin == end:
            continue
        for q in range(definite.size):
            since, until = queries[0, q], queries[0, q] + queries[1, q]
            west, east = queries[2, q], queries[2, q] + queries[3, q]
            south, north = queries[4, q], queries[4, q] + queries[5, q]
            if boxes[0, begin] >= until or boxes[0, end - 1] + longest[one] <= since:
                continue
            inside, touched, missed = False, False, 1.0
            i = first_at(boxes[0], begin, end, since - longest[one] + 1)
            while i < end and boxes[0, i] < until and not inside:
                span = shared(boxes[0, i], boxes[1, i], since, until)
                wide = shared(boxes[2, i], boxes[3, i], west, east)
                high = shared(boxes[4, i], boxes[5, i], south, north)
                if span > 0 and wide > 0 and high > 0:
                    touched = True
                    whole = span == boxes[1, i] and wide == boxes[3, i] and high == boxes[5, i]
                    inside = inside or whole
                    part = span / boxes[1, i] * (wide / boxes[3, i]) * (high / boxes[5, i])
                    missed *= 1 - part
                i += 1
            if inside:
                definite[q] += 1
            if touched:
                possible[q] += 1
                expected[q] += 1.0 if inside else 1 - missed


@kernel
def count_cells(offsets, lo, hi, t, x, y, queries, counts):  # type: ignore[no-untyped-def]
    """Add to each query's count those of the individuals ``lo..hi - 1`` who have a sample in it; queries as above."""
    for one in range(lo, hi):
        begin, end = offsets[one], offsets[one + 1]
        if begin == end:
            continue
        for q in range(counts.size):
            since, until = queries[0, q], queries[0, q] + queries[1, q]
            if t[begin] >= until or t[end - 1] < since:
                continue
            i = first_at(t, begin, end, since)
            while i < end and t[i] < until:
                east, north = x[i] - queries[2, q], y[i] - queries[4, q]
                if 0 <= east < queries[3, q] and 0 <= north < queries[5, q]:
                    counts[q] += 1
                    break
                i += 1
