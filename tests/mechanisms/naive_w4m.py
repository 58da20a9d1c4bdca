"""Wait For Me from its description, in plain Python: metres, seconds, lists of (x, y, t)."""

import itertools
import math


def speed(traces):
    moving = [t for t in traces if t[-1][2] > t[0][2]]
    paths = [sum(math.dist(a[:2], b[:2]) for a, b in itertools.pairwise(t)) / (t[-1][2] - t[0][2]) for t in moving]
    return sum(paths) / len(paths) if paths else 0.0


def steps(p, q, u, v, cap=10):
    return min(cap, math.floor(math.sqrt((p[0] - q[0]) ** 2 + (p[1] - q[1]) ** 2 + (v * (p[2] - q[2])) ** 2) / u))


def walk(a, b, u, v):
    """Cells (i, j) along member a and pivot b."""
    i = j = 0
    cells = [(0, 0)]
    while i < len(a) - 1 or j < len(b) - 1:
        options = [(i + 1, j + 1), (i + 1, j), (i, j + 1)]
        options = [(p, q) for p, q in options if p < len(a) and q < len(b)]
        i, j = min(options, key=lambda cell: steps(a[cell[0]], b[cell[1]], u, v))  # the first of the least
        cells.append((i, j))
    return cells


def distance(a, b, delta, v):
    return sum(steps(a[i], b[j], delta, v) for i, j in walk(a, b, delta, v))


def reach(a, b, delta, v):
    return max((math.dist(a[i][:2], b[j][:2]) for i, j in walk(a, b, delta, v)[1:]), default=0.0)


def published(a, b, delta, v):
    """Points of a at the times of the pivot b, and how far they moved in space and in time."""
    out, moved, waited = [], 0.0, 0.0
    cells = walk(a, b, delta / 2, v)
    for j, (px, py, pt) in enumerate(b):
        gx, gy, gt = a[next(i for i, q in cells if q == j)]
        flat = math.dist((px, py), (gx, gy))
        share = 1.0 if flat <= delta / 2 else delta / 2 / flat
        out.append((px + share * (gx - px), py + share * (gy - py)))
        moved += flat * (1 - share)
        waited += abs(gt - pt)
    return out, moved, waited
