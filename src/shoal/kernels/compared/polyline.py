"""How far points lie from lines over the ground: a tree of boxes around short pieces of them, those nearby in one box.

Positions are metres in space from the centre of the Earth (`shoal.kernels.points.earth`). A segment lies in a plane
through the centre. Seen from there, on the plane that touches the Earth at the point asked about, it is straight: that
is where it is measured, and the result is turned into metres over the ground. It errs by a hundred-thousandth at most.
Segments are cut into pieces only to find them: a distance is that from the whole segment.
"""

import math

import numpy as np

from shoal.kernels.common.jit import helper, kernel
from shoal.kernels.common.sort import order_of_numbers
from shoal.kernels.points.earth import between, into_space, onto_ground, square

FAN = 8
"""Pieces of a leaf, and children of a node."""
MOST_LEVELS = 22
PIECE_M = 150.0
MOST_PIECES = 16
"""Of a segment: a glitch across the globe must not fill the memory."""
LONG_M = 50_000.0
"""From here on a segment is not taken for nearly straight in space."""
BITS = 18
"""Of each coordinate, to sort pieces along a curve that fills the space."""
EIGHT_RADII_M = 8 * 6.3e6
FARTHEST = 1e30
"""Squared metres of whatever lies on the other half of the Earth."""
SAFE = 1 - 1e-4
"""Distances from boxes are a little shorter than true: what is measured on the plane may be, too."""


@kernel
def count_pieces(place, step, pieces):  # type: ignore[no-untyped-def]
    """Write into how many pieces each segment is cut.

    Parameters
    ----------
    place
        Points in space.
    step
        1 where a segment goes from the point to the next one, 0 where the point stands alone, -1 where neither.
    pieces
        Written.
    """
    for i in range(step.size):
        if step[i] < 0:
            pieces[i] = 0
            continue
        j = i + step[i]
        away = square(place[j, 0] - place[i, 0], place[j, 1] - place[i, 1], place[j, 2] - place[i, 2])
        pieces[i] = min(MOST_PIECES, 1 + int(math.sqrt(away) / PIECE_M))


@helper
def spread_bits(value):  # type: ignore[no-untyped-def]
    """Put two zeros before each of the lowest 21 bits."""
    value = (value | (value << 32)) & 0x1F00000000FFFF
    value = (value | (value << 16)) & 0x1F0000FF0000FF
    value = (value | (value << 8)) & 0x100F00F00F00F00F
    value = (value | (value << 4)) & 0x10C30C30C30C30C3
    return (value | (value << 2)) & 0x1249249249249249


@helper
def along(place, i, j, share, length):  # type: ignore[no-untyped-def]
    """The point at a share of the way from point i to point j."""
    ax, ay, az, bx, by, bz = place[i, 0], place[i, 1], place[i, 2], place[j, 0], place[j, 1], place[j, 2]
    if length < LONG_M:
        return ax + share * (bx - ax), ay + share * (by - ay), az + share * (bz - az)
    x, y, z = between(ax, ay, az, bx, by, bz, share)
    return onto_ground(x, y, z)


@helper
def widen(box, x, y, z, margin):  # type: ignore[no-untyped-def]
    """Let a box (three lower bounds, three upper ones) hold a point and what lies around it."""
    box[0], box[3] = min(box[0], x - margin), max(box[3], x + margin)
    box[1], box[4] = min(box[1], y - margin), max(box[4], y + margin)
    box[2], box[5] = min(box[2], z - margin), max(box[5], z + margin)


@kernel
def fill_tree(rows, place, step, pieces, offsets, segment, node_offsets, nodes):  # type: ignore[no-untyped-def]
    """Sort the pieces of each group by length and place, and draw boxes around them.

    Parameters
    ----------
    rows
        Where the points of each group start.
    place, step, pieces
        As in `count_pieces`.
    offsets, node_offsets
        Where the pieces and the nodes of each group start: leaves first, then what holds ``FAN`` of them, the root
        last.
    segment, nodes
        Written: the segment of each piece, by its first point; lower and upper bounds of each node.
    """
    for group in range(rows.size - 1):
        lo, n = offsets[group], offsets[group + 1] - offsets[group]
        if n == 0:
            continue
        low = np.full(3, np.inf)
        size = 1e-3
        for i in range(rows[group], rows[group + 1]):
            for axis in range(3):
                low[axis] = min(low[axis], place[i, axis])
        for i in range(rows[group], rows[group + 1]):
            for axis in range(3):
                size = max(size, place[i, axis] - low[axis])
        scale = (2**BITS - 1) / size
        keys, whose, share, at = np.empty(n, np.int64), np.empty(n, np.int64), np.empty(n), 0
        for i in range(rows[group], rows[group + 1]):
            if pieces[i] == 0:
                continue
            longest = 0.0
            for axis in range(3):
                longest = max(longest, abs(place[i + step[i], axis] - place[i, axis]))
            longest /= pieces[i] * PIECE_M
            # Long ones apart: in one box with short ones they would make it large for all of them.
            key = np.int64(0) if longest < 2 else np.int64(math.log2(longest))
            for piece in range(pieces[i]):
                keys[at] = key << (3 * BITS)
                for axis in range(3):
                    way = place[i + step[i], axis] - place[i, axis]
                    middle = place[i, axis] + (piece + 0.5) / pieces[i] * way - low[axis]
                    keys[at] |= spread_bits(np.int64(middle * scale)) << axis
                whose[at], share[at] = i, np.float64(piece) / pieces[i]
                at += 1
        order = order_of_numbers(keys, n)
        level, count = node_offsets[group], (n + FAN - 1) // FAN
        for leaf in range(count):
            box = nodes[level + leaf]
            box[:3], box[3:] = np.inf, -np.inf
            for k in range(FAN * leaf, min(FAN * leaf + FAN, n)):
                i, since = whose[order[k]], share[order[k]]
                j, until = i + step[i], since + 1.0 / pieces[i]
                length = math.sqrt(
                    square(place[j, 0] - place[i, 0], place[j, 1] - place[i, 1], place[j, 2] - place[i, 2])
                )
                # The way over the ground rises above the straight one.
                straight = length if length < LONG_M else 2 * length / pieces[i]
                margin = 0.001 + straight * straight / EIGHT_RADII_M
                x, y, z = along(place, i, j, since, length)
                widen(box, x, y, z, margin)
                x, y, z = along(place, i, j, until, length)
                widen(box, x, y, z, margin)
                segment[lo + k] = i
        while count > 1:
            below, under = level, count
            level, count = level + count, (count + FAN - 1) // FAN
            for node in range(count):
                box = nodes[level + node]
                box[:3], box[3:] = np.inf, -np.inf
                for child in range(below + FAN * node, below + min(FAN * node + FAN, under)):
                    for axis in range(3):
                        box[axis] = min(box[axis], nodes[child, axis])
                        box[axis + 3] = max(box[axis + 3], nodes[child, axis + 3])


@helper
def seen(ax, ay, az, x, y, z, whole):  # type: ignore[no-untyped-def]
    """Where a place is on the plane that touches the Earth at another, as a way from there; 1 if it is on its half.

    ``whole`` is the other's squared distance from the centre.
    """
    part = ax * x + ay * y + az * z
    if part <= 1e-3 * whole:
        return 0.0, 0.0, 0.0, 0
    up = whole / part
    return ax * up - x, ay * up - y, az * up - z, 1


@helper
def to_arc(ax, ay, az, bx, by, bz, x, y, z, whole):  # type: ignore[no-untyped-def]
    """As `to_segment` for a long one, where its nearest place is not an end of it; else `FARTHEST`."""
    nx, ny, nz = ay * bz - az * by, az * bx - ax * bz, ax * by - ay * bx
    size = square(nx, ny, nz)
    after = (ay * z - az * y) * nx + (az * x - ax * z) * ny + (ax * y - ay * x) * nz
    before = (y * bz - z * by) * nx + (z * bx - x * bz) * ny + (x * by - y * bx) * nz
    if size == 0 or after < 0 or before < 0:
        return FARTHEST
    above = nx * x + ny * y + nz * z
    sine = min(above * above / (size * whole), 1 - 1e-9)
    return whole * sine / (1 - sine)


@helper
def to_segment(place, step, i, x, y, z, whole):  # type: ignore[no-untyped-def]
    """The squared distance, on the plane, of a point from the segment that begins at point i."""
    j = i + step[i]
    ax, ay, az, bx, by, bz = place[i, 0], place[i, 1], place[i, 2], place[j, 0], place[j, 1], place[j, 2]
    px, py, pz, first = seen(ax, ay, az, x, y, z, whole)
    if step[i] == 0:
        return square(px, py, pz) if first else FARTHEST
    qx, qy, qz, second = seen(bx, by, bz, x, y, z, whole)
    if square(bx - ax, by - ay, bz - az) > LONG_M * LONG_M:
        best = to_arc(ax, ay, az, bx, by, bz, x, y, z, whole)
        if first:
            best = min(best, square(px, py, pz))
        return min(best, square(qx, qy, qz)) if second else best
    if not (first and second):
        return FARTHEST
    dx, dy, dz = qx - px, qy - py, qz - pz
    squared = square(dx, dy, dz)
    if squared > 0:
        share = min(max(-(px * dx + py * dy + pz * dz) / squared, 0.0), 1.0)
        px, py, pz = px + share * dx, py + share * dy, pz + share * dz
    return square(px, py, pz)


@helper
def to_box(nodes, node, x, y, z):  # type: ignore[no-untyped-def]
    """The squared distance of a point from a box; 0 inside."""
    right = max(nodes[node, 0] - x, 0.0, x - nodes[node, 3])
    back = max(nodes[node, 1] - y, 0.0, y - nodes[node, 4])
    up = max(nodes[node, 2] - z, 0.0, z - nodes[node, 5])
    return square(right, back, up) * SAFE


@kernel
def distances(place, step, offsets, segment, node_offsets, nodes, group_of, starts, lat, lng, out):  # type: ignore[no-untyped-def]
    """Write how far each point asked about lies from the nearest segment of a group; infinity where that has none.

    Parameters
    ----------
    place, step, offsets, segment, node_offsets, nodes
        As in `fill_tree`.
    group_of, starts, lat, lng
        Points in parts: part ``j`` has the rows ``starts[j]:starts[j + 1]``, and is compared with one group. Points
        that follow each other should lie near each other: the last one's segment is the first guess.
    out
        Written, in metres.
    """
    first, size = np.empty(MOST_LEVELS, np.int64), np.empty(MOST_LEVELS, np.int64)
    stack, level = np.empty(FAN * MOST_LEVELS, np.int64), np.empty(FAN * MOST_LEVELS, np.int64)
    bound = np.empty(FAN * MOST_LEVELS)
    for part in range(starts.size - 1):
        group = group_of[part]
        lo, n = offsets[group], offsets[group + 1] - offsets[group]
        if n == 0:
            out[starts[part] : starts[part + 1]] = np.inf
            continue
        levels, count, at = 1, (n + FAN - 1) // FAN, node_offsets[group]
        first[0], size[0] = at, count
        while count > 1:
            at, count = at + count, (count + FAN - 1) // FAN
            first[levels], size[levels] = at, count
            levels += 1
        guess = segment[lo]
        for i in range(starts[part], starts[part + 1]):
            x, y, z = into_space(lat[i], lng[i])
            whole = square(x, y, z)
            best = to_segment(place, step, guess, x, y, z, whole)
            stack[0], level[0], bound[0], height = 0, levels - 1, 0.0, 1
            while height > 0 and best > 0:
                height -= 1
                node, depth = stack[height], level[height]
                if bound[height] >= best:
                    continue
                if depth == 0:
                    for s in range(lo + FAN * node, lo + min(FAN * node + FAN, n)):
                        far = to_segment(place, step, segment[s], x, y, z, whole)
                        if far < best:
                            best, guess = far, segment[s]
                    continue
                for child in range(FAN * node, min(FAN * node + FAN, size[depth - 1])):
                    far = to_box(nodes, first[depth - 1] + child, x, y, z)
                    if far < best:
                        # The nearest on top: it is looked at first, and most of the others then need no look.
                        slot = height
                        height += 1
                        while slot > 0 and level[slot - 1] == depth - 1 and bound[slot - 1] < far:
                            stack[slot], level[slot], bound[slot] = stack[slot - 1], level[slot - 1], bound[slot - 1]
                            slot -= 1
                        stack[slot], level[slot], bound[slot] = child, depth - 1, far
            radius = math.sqrt(whole)
            out[i] = radius * math.atan(math.sqrt(best) / radius)
