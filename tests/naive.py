"""Slow oracles, written from the definitions in the papers; they call none of the package's code.

"GLOVE" is Gramaglia and Fiore, Hiding mobile traffic fingerprints with GLOVE; "anonymizability" their On the
anonymizability of mobile traffic datasets; "kte" Gramaglia, Fiore, Tarable and Banchs, Preserving mobile
subscriber privacy in open datasets of spatiotemporal trajectories. What the papers leave open is marked as
"decided", what they print wrongly as "repaired".

A raw sample is a tuple ``(t, x, y)`` in grid units; it stands for a box of extent 1 x 1 x 1. A `Box` is half
open: ``[t, t+dt) x [x, x+dx) x [y, y+dy)``. A fingerprint is a list of either, without duplicates. A group is
a fingerprint and the number of people who share it. Everything is exact (integers and `Fraction`) unless its
name ends in ``_float`` or its docstring says so. Functions that take ``**caps`` hand ``space_cap`` (20 km in
grid units) and ``time_cap`` (8 h in grid units) on to the sample stretch.
"""

import itertools
import math
import statistics
from collections import Counter
from fractions import Fraction
from functools import partial
from typing import NamedTuple

import pyproj

SPACE_CAP = 200  # 20 km in units of 100 m
TIME_CAP = 480  # 8 h in units of 1 min


class Box(NamedTuple):
    """A sample with extents; the order of the fields is the order in which samples are compared."""

    t: int
    x: int
    y: int
    dt: int
    dx: int
    dy: int


class Group(NamedTuple):
    """People (indices into the input, ascending) who share one generalized fingerprint."""

    members: tuple
    fingerprint: list
    size: int


class Merge(NamedTuple):
    """One step of GLOVE: stretch and the contents of both sides, which no renaming of people changes."""

    stretch: Fraction
    smaller: tuple
    larger: tuple
    members: tuple


class Glove(NamedTuple):
    """What GLOVE leaves: its merges in order, the groups, the people suppressed as leftover."""

    merges: list
    groups: list
    suppressed: tuple


class KMerge(NamedTuple):
    """The best partition: cost with the price of what is left out, parts' boxes, times left out."""

    cost: Fraction
    left_out: int
    boxes: list
    times_left_out: list


# ---------------------------------------------------------------------------------------------- samples


def as_box(sample):
    """A raw sample as a box of one unit (GLOVE §4.1: all original samples have the grid's extents)."""
    return sample if isinstance(sample, Box) else Box(*sample, 1, 1, 1)


def as_boxes(fingerprint):
    """Every sample of a fingerprint as a box, in the order given."""
    return [as_box(sample) for sample in fingerprint]


def centre(lats, lngs):
    """The projection's centre: the median position, rounded to whole degrees (decided).

    Longitudes in [-180, 180] lie on a circle: it is cut in the middle of its widest gap without data, then
    the median is the ordinary one. Among equal gaps the one across the antimeridian is cut, then the
    westernmost. Medians of an even number are the mean of the middle two; halves round to even; the
    longitude returned is in [-180, 180).
    """
    ring = sorted(-180 if lng == 180 else lng for lng in lngs)
    gaps = [ring[0] + 360 - ring[-1]] + [east - west for west, east in itertools.pairwise(ring)]
    cut = gaps.index(max(gaps))  # the gap that lies west of ring[cut]
    unrolled = ring[cut:] + [lng + 360 for lng in ring[:cut]]
    lat_0, lon_0 = round(statistics.median(lats)), round(statistics.median(unrolled))
    return lat_0, (lon_0 + 180) % 360 - 180


def snap(lat, lng, epoch_s, lat_0, lon_0, cell_m, dt_s):
    """Grid indices (t, x, y) of a position: Lambert azimuthal equal-area, snapped down (GLOVE §3).

    WGS84 ellipsoid; origins (decided) are the projection's centre and the UTC epoch. The floor is that of the
    exact quotient of the floats, so a rounded division never lifts a point over a cell's edge.
    """
    project = pyproj.Proj(proj="laea", lat_0=lat_0, lon_0=lon_0, datum="WGS84", units="m")
    easting, northing = project(lng, lat)
    cell_m, dt_s = Fraction(cell_m), Fraction(dt_s)
    return tuple(math.floor(Fraction(v) / unit) for v, unit in ((epoch_s, dt_s), (easting, cell_m), (northing, cell_m)))


def bounding(boxes):
    """The smallest box around all, GLOVE (12), (13)."""
    boxes = as_boxes(boxes)
    t, x, y = min(b.t for b in boxes), min(b.x for b in boxes), min(b.y for b in boxes)
    t_end, x_end = max(b.t + b.dt for b in boxes), max(b.x + b.dx for b in boxes)
    return Box(t, x, y, t_end - t, x_end - x, max(b.y + b.dy for b in boxes) - y)


# --------------------------------------------------------------------------------------- sample stretch


def one_sided(a, da, b, db):
    """l + r in one dimension: what [a, a+da) grows by, left and right, to cover [b, b+db). GLOVE (5)-(9)."""
    return (a - min(a, b)) + (max(a + da, b + db) - a - da)


def one_sided_space(a, b):
    """l(a, b) + r(a, b) over both axes, GLOVE (5), (6)."""
    return one_sided(a.x, a.dx, b.x, b.dx) + one_sided(a.y, a.dy, b.y, b.dy)


def one_sided_time(a, b):
    """l(a, b) + r(a, b) in time, GLOVE (8), (9)."""
    return one_sided(a.t, a.dt, b.t, b.dt)


def sample_stretch(a, b, na=1, nb=1):
    """(phi*_s, phi*_t), uncapped, in grid units; GLOVE (4), (7)."""
    a, b = as_box(a), as_box(b)
    space = one_sided_space(a, b) * na + one_sided_space(b, a) * nb
    time = one_sided_time(a, b) * na + one_sided_time(b, a) * nb
    return Fraction(space, na + nb), Fraction(time, na + nb)


def sample_stretch_float(a, b, na=1, nb=1):
    """(phi*_s, phi*_t) in floating point, in the order in which GLOVE (4), (7) print the operations."""
    a, b = as_box(a), as_box(b)
    space = one_sided_space(a, b) * na / (na + nb) + one_sided_space(b, a) * nb / (na + nb)
    time = one_sided_time(a, b) * na / (na + nb) + one_sided_time(b, a) * nb / (na + nb)
    return space, time


def parts(a, b, na=1, nb=1, *, space_cap=SPACE_CAP, time_cap=TIME_CAP):
    """(ws phi_s, wt phi_t) of one pair of samples, ws = wt = 1/2; GLOVE (1)-(3)."""
    space, time = sample_stretch(a, b, na, nb)
    return min(Fraction(1), space / space_cap) / 2, min(Fraction(1), time / time_cap) / 2


def delta(a, b, na=1, nb=1, **caps):
    """The sample stretch effort, GLOVE (1)."""
    return sum(parts(a, b, na, nb, **caps))


def delta_float(a, b, na=1, nb=1, *, space_cap=SPACE_CAP, time_cap=TIME_CAP):
    """The sample stretch effort in floating point, GLOVE (1)-(3)."""
    space, time = sample_stretch_float(a, b, na, nb)
    return 0.5 * min(1.0, space / space_cap) + 0.5 * min(1.0, time / time_cap)


def taxicab_delta(a, b, *, space_cap=SPACE_CAP, time_cap=TIME_CAP):
    """The distance of two raw samples, anonymizability (1)-(3), in floating point."""
    (ta, xa, ya), (tb, xb, yb) = a, b
    space, time = float(abs(xa - xb) + abs(ya - yb)), float(abs(ta - tb))
    delta_s = space / space_cap if space <= space_cap else 1.0
    delta_t = time / time_cap if time <= time_cap else 1.0
    return 0.5 * delta_s + 0.5 * delta_t


# ---------------------------------------------------------------------------------- fingerprint stretch


def content(fingerprint, size=1):
    """What orders fingerprints: the samples (t, x, y, dt, dx, dy), sorted, then the size (decided)."""
    return tuple(sorted(as_boxes(fingerprint))), size


def match_rank(i, j, ni, nj, *, space_cap=SPACE_CAP, time_cap=TIME_CAP):
    """What makes j the best match of i: (delta, uncapped sum, t, x, y, dt, dx, dy) (decided).

    delta and the uncapped phi*_s / space_cap + phi*_t / time_cap are given as whole numbers, multiplied by
    2 (ni + nj) space_cap time_cap and (ni + nj) space_cap time_cap: the same for all j of a fingerprint.
    """
    i, j, n = as_box(i), as_box(j), ni + nj
    space = one_sided_space(i, j) * ni + one_sided_space(j, i) * nj
    time = one_sided_time(i, j) * ni + one_sided_time(j, i) * nj
    capped = min(n * space_cap, space) * time_cap + min(n * time_cap, time) * space_cap
    return capped, space * time_cap + time * space_cap, *j


def best_match(i, ni, other, nj, **caps):
    """Index in `other` of the sample at minimum stretch from sample i, ties by `match_rank`; GLOVE (10).

    ni and nj are the sizes of the groups of i and of `other`.
    """
    return min(range(len(other)), key=lambda j: match_rank(i, other[j], ni, nj, **caps))


def directed_stretch(longer, shorter, n_long=1, n_short=1, **caps):
    """One branch of GLOVE (10): the mean over `longer` of each sample's least stretch to `shorter`.

    Repaired: the printed limit of the sum, n, is the cardinality m.
    """
    total = Fraction(0)
    for i in longer:
        j = best_match(i, n_long, shorter, n_short, **caps)
        total += delta(i, shorter[j], n_long, n_short, **caps)
    return total / len(longer)


def plays_longer(a, b, na=1, nb=1, **caps):
    """Whether a plays the longer fingerprint toward b (decided).

    The one with more samples does; with as many, the one whose direction costs less; if both cost the same,
    the one of smaller content.
    """
    if len(a) != len(b):
        return len(a) > len(b)
    forth, back = directed_stretch(a, b, na, nb, **caps), directed_stretch(b, a, nb, na, **caps)
    return forth < back if forth != back else content(a, na) <= content(b, nb)


def fingerprint_stretch(a, b, na=1, nb=1, **caps):
    """Delta_ab, GLOVE (10), anonymizability (4); symmetric: `plays_longer` settles the direction."""
    if plays_longer(a, b, na, nb, **caps):
        return directed_stretch(a, b, na, nb, **caps)
    return directed_stretch(b, a, nb, na, **caps)


def mean_of_minima_float(longer, shorter, distance):
    """The mean over `longer` of the least `distance` to `shorter`, in floating point."""
    return sum(min(distance(i, j) for j in shorter) for i in longer) / len(longer)


def fingerprint_stretch_float(a, b, na=1, nb=1, **caps):
    """Delta_ab in floating point, GLOVE (10); of equal cardinalities the smaller direction."""
    forth = mean_of_minima_float(a, b, lambda i, j: delta_float(i, j, na, nb, **caps))
    back = mean_of_minima_float(b, a, lambda j, i: delta_float(j, i, nb, na, **caps))
    return min(forth, back) if len(a) == len(b) else forth if len(a) > len(b) else back


def taxicab_stretch(a, b, **caps):
    """Delta_ab of raw fingerprints, anonymizability (4), in floating point; equal cardinalities as above."""
    forth = mean_of_minima_float(a, b, lambda i, j: taxicab_delta(i, j, **caps))
    back = mean_of_minima_float(b, a, lambda j, i: taxicab_delta(j, i, **caps))
    return min(forth, back) if len(a) == len(b) else forth if len(a) > len(b) else back


# ------------------------------------------------------------------------------------------------ k-gap


def nearest(people, a, k, **caps):
    """Indices of the k-1 people nearest to person a, by (Delta_ab, content of b); GLOVE §4.2.

    People of equal stretch *and* content follow in the order given: which of them it is carries nothing.
    """
    others = [b for b in range(len(people)) if b != a]
    if not 2 <= k <= len(people):
        raise ValueError("k-1 others are needed, at least one")
    stretch = {b: fingerprint_stretch(people[a], people[b], **caps) for b in others}
    return sorted(others, key=lambda b: (stretch[b], content(people[b])))[: k - 1]


def kgap(people, a, k, **caps):
    """The mean stretch of person a to the k-1 nearest, GLOVE (11), anonymizability (5)."""
    near = nearest(people, a, k, **caps)
    return sum(fingerprint_stretch(people[a], people[b], **caps) for b in near) / (k - 1)


def kgap_float(people, a, k, **caps):
    """The k-gap in floating point: the mean of the k-1 least stretches, GLOVE (11)."""
    others = people[:a] + people[a + 1 :]
    stretch = sorted(fingerprint_stretch_float(people[a], other, **caps) for other in others)
    return sum(stretch[: k - 1]) / (k - 1)


def sample_parts(a, b, na=1, nb=1, **caps):
    """(ws phi_s, wt phi_t) of each sample stretch that Delta_ab averages; anonymizability §4.3.1, GLOVE §5.3.

    In the order of the fingerprint that plays the longer. Where several samples are equally near, the tie
    rule of `best_match` says whose parts count.
    """
    if not plays_longer(a, b, na, nb, **caps):
        a, b, na, nb = b, a, nb, na
    return [parts(i, b[best_match(i, na, b, nb, **caps)], na, nb, **caps) for i in a]


def pooled_parts(people, a, k, **caps):
    """The sample parts toward all k-1 nearest, in one list (the sets S and T of anonymizability §4.3.1)."""
    return [part for b in nearest(people, a, k, **caps) for part in sample_parts(people[a], people[b], **caps)]


def kgap_parts(people, a, k, **caps):
    """The k-gap's spatial and temporal parts, which add up to it: means over the nearest of the mean part."""
    space = time = Fraction(0)
    for b in nearest(people, a, k, **caps):
        of_b = sample_parts(people[a], people[b], **caps)
        space += sum(s for s, _ in of_b) / len(of_b)
        time += sum(t for _, t in of_b) / len(of_b)
    return space / (k - 1), time / (k - 1)


# ------------------------------------------------------------------------------------------- dispersion


def quotient(x, y):
    """x / y with 0/0 = 0 and x/0 = infinity (decided)."""
    if y == 0:
        return 0 if x == 0 else math.inf
    return x / y


def ratio(pairs):
    """Temporal-to-spatial ratio of a list of (spatial, temporal) parts; anonymizability §4.3.1."""
    return quotient(sum(time for _, time in pairs), sum(space for space, _ in pairs))


def gini(values):
    """The Gini coefficient, anonymizability (6) with its sign repaired; all zero gives 0 (decided).

    Of ascending s_1..s_N: 2 sum(i s_i) / (N sum(s)) - (N+1)/N. Exact if the values are whole or Fractions.
    """
    values, n = sorted(values), len(values)
    total = sum(values)
    if total == 0:
        return Fraction(0)
    ranked = sum(i * value for i, value in enumerate(values, start=1))
    return Fraction(2) * ranked / (n * total) - Fraction(n + 1, n)


def quantile(values, p):
    """The inverse empirical CDF: the least value v with F(v) >= p, 0 < p <= 1.

    A float p means the decimal number that it prints as: 0.99 is 99/100 and not the double next to it.
    """
    values = sorted(values)
    return values[math.ceil(Fraction(str(p)) * len(values)) - 1]


def twi(values):
    """The tail weight index, anonymizability (7), in floating point; 0/0 = 0, x/0 = infinity."""
    low, middle, high = (quantile(values, p) for p in (0.5, 0.75, 0.99))
    normal = statistics.NormalDist()
    scale = (normal.inv_cdf(0.75) - normal.inv_cdf(0.5)) / (normal.inv_cdf(0.99) - normal.inv_cdf(0.5))
    return float(quotient(high - low, middle - low)) * scale


# ------------------------------------------------------------------------------- uniform generalization


def uniform(people, cell_factor, time_factor):
    """Every person snapped down to a coarser grid of the same origin: sorted boxes, none twice. GLOVE §5.2"""
    return [
        sorted(
            {
                Box(
                    t // time_factor * time_factor,
                    x // cell_factor * cell_factor,
                    y // cell_factor * cell_factor,
                    time_factor,
                    cell_factor,
                    cell_factor,
                )
                for t, x, y in person
            }
        )
        for person in people
    ]


def anonymous_share(people, k, cell_factor=1, time_factor=1):
    """The share of people with k-gap 0 once snapped to a coarser level, as a Fraction; GLOVE §5.2.

    Delta_ab is 0 only between equal sets of samples, so the k-gap is 0 if k-1 others have the same set.
    """
    coarse = [tuple(person) for person in uniform(people, cell_factor, time_factor)]
    copies = Counter(coarse)
    return Fraction(sum(copies[person] >= k for person in coarse), len(people))


# ------------------------------------------------------------------------------------------------ GLOVE


def merge(a, na, b, nb, *, distinct=False, **caps):
    """The fingerprint of a and b merged, boxes sorted, and its size; GLOVE §6.2.

    Stage 1: every sample of the longer goes to its best match in the shorter; with it, all that chose it
    form one box. Stage 2: every sample of the shorter that nobody chose goes to its best match among the
    stage-1 boxes, all at once; decided: a box weighs na + nb, the sample its own group's size.

    Two boxes may come out equal. They are two samples, as the text removes none; with ``distinct`` a
    fingerprint is a set at the end of either stage.
    """
    if not plays_longer(a, b, na, nb, **caps):
        a, b, na, nb = b, a, nb, na
    a, b = as_boxes(a), as_boxes(b)
    chosen = {}
    for i in a:
        chosen.setdefault(best_match(i, na, b, nb, **caps), []).append(i)
    stage_1 = [bounding([b[j], *samples]) for j, samples in chosen.items()]
    stage_1 = sorted(set(stage_1) if distinct else stage_1)
    joined = [[box] for box in stage_1]
    for j, sample in enumerate(b):
        if j not in chosen:
            joined[best_match(sample, nb, stage_1, na + nb, **caps)].append(sample)
    boxes = [bounding(samples) for samples in joined]
    return sorted(set(boxes) if distinct else boxes), na + nb


def pair_rank(g, h, **caps):
    """What orders pairs of groups: (Delta, smaller content, larger content) (decided)."""
    smaller, larger = sorted((content(g.fingerprint, g.size), content(h.fingerprint, h.size)))
    return fingerprint_stretch(g.fingerprint, h.fingerprint, g.size, h.size, **caps), smaller, larger


def join(g, h, **options):
    """Two groups as one."""
    fingerprint, size = merge(g.fingerprint, g.size, h.fingerprint, h.size, **options)
    return Group(tuple(sorted(g.members + h.members)), fingerprint, size)


def greedy(groups, k, *, distinct=False, **caps):
    """The loop of GLOVE Alg. 1 over the whole matrix: merges, groups of k or more, groups left below k.

    While two groups are below k, the pair of least rank among them merges.
    """
    below, done = [g for g in groups if g.size < k], [g for g in groups if g.size >= k]
    matrix, merges = {}, []
    while len(below) >= 2:
        for g, h in itertools.combinations(below, 2):
            if (g.members, h.members) not in matrix:
                matrix[g.members, h.members] = pair_rank(g, h, **caps)
        g, h = min(itertools.combinations(below, 2), key=lambda pair: matrix[pair[0].members, pair[1].members])
        merges.append(Merge(*matrix[g.members, h.members], (g.members, h.members)))
        below = [other for other in below if other.members not in (g.members, h.members)]
        new = join(g, h, distinct=distinct, **caps)
        (below if new.size < k else done).append(new)
    return merges, done, below


def glove(people, k, leftover_limit=1, *, distinct=False, **caps):
    """GLOVE Alg. 1, repaired: its loop can leave one group below k.

    That group joins the finished group at the least rank, as the last of the merges, unless their stretch is
    above `leftover_limit`: then its people are suppressed. Groups are returned in the order of their content.
    Fewer than k people: ValueError.
    """
    if len(people) < k:
        raise ValueError("fewer people than k")
    singles = [Group((p,), sorted(as_boxes(person)), 1) for p, person in enumerate(people)]
    merges, groups, below = greedy(singles, k, distinct=distinct, **caps)
    suppressed = ()
    if below:
        left = below[0]
        partner = min(groups, key=lambda g: pair_rank(left, g, **caps))
        rank = pair_rank(left, partner, **caps)
        if rank[0] > leftover_limit:
            suppressed = left.members
        else:
            merges.append(Merge(*rank, (left.members, partner.members)))
            groups = [g for g in groups if g.members != partner.members]
            groups.append(join(left, partner, distinct=distinct, **caps))
    return Glove(merges, sorted(groups, key=lambda g: content(g.fingerprint, g.size)), suppressed)


# -------------------------------------------------------------------------------------- GLOVE's release


def hull(boxes):
    """Boxes that overlap in time, transitively, become the hull of their times and areas (decided).

    Stands for the reshaping of GLOVE §6.2. Boxes are half open: one that starts where another ends does not
    overlap it.
    """
    disjoint = []
    for box in sorted(as_boxes(boxes)):
        if disjoint and box.t < disjoint[-1].t + disjoint[-1].dt:
            disjoint[-1] = bounding([disjoint[-1], box])
        else:
            disjoint.append(box)
    return disjoint


def thresholds(boxes, space=None, time=None):
    """The boxes kept: max(dx, dy) does not exceed `space` nor dt `time`; None does not limit. GLOVE §7.1."""
    boxes = as_boxes(boxes)
    return [
        box for box in boxes if (space is None or max(box.dx, box.dy) <= space) and (time is None or box.dt <= time)
    ]


def align(boxes, cell_factor=1, time_factor=1):
    """Boxes snapped outward to a coarser grid of the same origin."""

    def outward(start, extent, unit):
        first = start // unit * unit
        return first, -(-(start + extent) // unit) * unit - first

    aligned = []
    for box in as_boxes(boxes):
        t, dt = outward(box.t, box.dt, time_factor)
        (x, dx), (y, dy) = outward(box.x, box.dx, cell_factor), outward(box.y, box.dy, cell_factor)
        aligned.append(Box(t, x, y, dt, dx, dy))
    return aligned


def publish_merge(boxes, space=None, time=None, cell_factor=1, time_factor=1):
    """A group's boxes as ``publish="merge"`` orders the steps: thresholds, alignment, hull (decided)."""
    return hull(align(thresholds(boxes, space, time), cell_factor, time_factor))


# ---------------------------------------------------------------------------------------------- k-merge


def area_cost(samples):
    """The cost of one part, kte (2): dt (dx + dy), spans max - min + 1."""
    box = bounding(samples)
    return box.dt * (box.dx + box.dy)


def stretch_cost(samples, *, space_cap=SPACE_CAP, time_cap=TIME_CAP):
    """What the raw samples of one part suffer, n ((dx + dy)/20 km + dt/8 h) (decided); no weights of 1/2."""
    box = bounding(samples)
    return len(samples) * (Fraction(box.dx + box.dy) / space_cap + Fraction(box.dt) / time_cap)


def runs(n, leave_out, start=0):
    """All ways to cut start..n-1 into runs (first, last); with `leave_out`, numbers between runs may miss."""
    if start == n:
        yield []
        return
    if leave_out:
        yield from runs(n, leave_out, start + 1)
    for last in range(start, n):
        for rest in runs(n, leave_out, last + 1):
            yield [(start, last), *rest]


def kmerge_plans(trajectories, cost, price=None):
    """Every allowed plan of `kmerge_brute`: (cost, samples left out, -number of parts, starts), runs."""
    stamps = sorted({sample[0] for trajectory in trajectories for sample in trajectory})

    def within(first, last):
        return [[s for s in trajectory if stamps[first] <= s[0] <= stamps[last]] for trajectory in trajectories]

    complete, everything = {}, sum(len(trajectory) for trajectory in trajectories)
    for first, last in itertools.combinations_with_replacement(range(len(stamps)), 2):
        part = within(first, last)
        if all(part):
            samples = [sample for member in part for sample in member]
            complete[first, last] = cost(samples), len(samples), bounding(samples)
    for plan in runs(len(stamps), price is not None):
        if all(run in complete for run in plan):
            left_out = everything - sum(complete[run][1] for run in plan)
            total = sum(complete[run][0] for run in plan) + (left_out * Fraction(price) if left_out else 0)
            starts = [stamps[first] for first, _ in plan]
            boxes = [complete[run][2] for run in plan]
            kept = {i for first, last in plan for i in range(first, last + 1)}
            missing = [stamp for i, stamp in enumerate(stamps) if i not in kept]
            yield (total, left_out, -len(plan), starts), KMerge(total, left_out, boxes, missing)


def kmerge_brute(trajectories, cost, price=None):
    """k-merge (kte §III-C, D) by brute force over all partitions in time of the members' raw samples.

    Cuts lie between two different times; every part holds a sample of every member. With a `price` per raw
    sample, whole time stamps between parts may be left out (decided), even all of them. Samples count once
    per member and entry: two members at one place and time are two samples, and so are repeated entries.
    Ties: least cost, fewest samples left out, most parts, smallest list of part starts (times).
    """
    best = min(kmerge_plans(trajectories, cost, price), key=lambda plan: plan[0], default=None)
    if best is None:
        raise ValueError("no part holds a sample of every member")
    return best[1]


# ---------------------------------------------------------------------------------- groups for what is published


def box_worth(space, time, k):
    """What space and time of a box cost each sample in a group of k; spans in units of 20 km and 8 h, floats."""
    near = (space + math.sqrt(space)) / 2 if space <= 1 else 1 + (1 / 2 - 1 / k) * (math.sqrt(space) - 1)
    return near, 0.9 / (k - 1) * (0.6 * math.sqrt(time) + 0.4 * time)


def group_worth(trajectories, boxes, weights, k, price, *, space_cap=SPACE_CAP, time_cap=TIME_CAP):
    """What a group costs by its boxes; floats. Each member's ``weights`` are what its samples count in space and time.

    What is beyond the price costs no more than what is at it. All samples cost more, up to (k - 1) / 3 each, where
    even the cheapest box comes within 85 % of the price.
    """
    total, stretches = 0.0, []
    for box in boxes:
        inside = [
            weight
            for trajectory, weight in zip(trajectories, weights, strict=True)
            for t, *_ in trajectory
            if box.t <= t < box.t + box.dt
        ]
        space, time = (box.dx + box.dy) / space_cap, box.dt / time_cap

        def cost(space, time, inside=inside):
            of_space, of_time = box_worth(space, time, k)
            return math.fsum(in_space * of_space + in_time * of_time for in_space, in_time in inside)

        stretches.append(space + time)
        beyond = space + time > price
        total += min(cost(space, time), cost(price / 2, price / 2)) if beyond else cost(space, time)
    everything = sum(len(trajectory) * weight for trajectory, (_, weight) in zip(trajectories, weights, strict=True))
    near = 0 if math.isinf(price) else min(1, max(0, min(stretches) / (0.85 * price) - 1))
    return total + (k - 1) / 3 * everything * near


def group_value(trajectories, weights, k, price=math.inf, *, space_cap=SPACE_CAP, time_cap=TIME_CAP):
    """What a group costs once its k-merge is published."""
    caps = {"space_cap": space_cap, "time_cap": time_cap}
    plan = kmerge_brute(trajectories, partial(stretch_cost, **caps))
    return group_worth(trajectories, plan.boxes, weights, k, price, **caps)


def published_spans(trajectories, price=math.inf, *, space_cap=SPACE_CAP, time_cap=TIME_CAP):
    """Of each member of a group, of each sample that is published, its box's larger side, both sides and duration.

    Boxes are those of the group's k-merge at this price of a sample.
    """
    cost = partial(stretch_cost, space_cap=space_cap, time_cap=time_cap)
    plan = kmerge_brute(trajectories, cost, None if math.isinf(price) else Fraction(str(price)))
    mine = [
        [box for t, *_ in trajectory for box in plan.boxes if box.t <= t < box.t + box.dt]
        for trajectory in trajectories
    ]
    return [[(max(box.dx, box.dy), box.dx + box.dy, box.dt) for box in boxes] for boxes in mine]


def personal_means(spans):
    """Of each member the means of the spans of their boxes; nan of whoever has nothing left. Floats."""
    return [
        tuple(sum(each) / len(mine) for each in zip(*mine, strict=True)) if mine else (math.nan,) * 3 for mine in spans
    ]


def boxes_closed_early(trajectories):
    """Parts in time, each ended by the first time at which everybody is in it; what is left joins the last."""
    samples = sorted((t, x, y, who) for who, trajectory in enumerate(trajectories) for t, x, y in trajectory)
    parts, part = [], []
    for _, at_once in itertools.groupby(samples, key=lambda sample: sample[0]):
        part += at_once
        if len({who for *_, who in part}) == len(trajectories):
            parts.append(part)
            part = []
    if part and parts:
        parts[-1] = parts[-1] + part
    elif part:
        parts = [part]
    return [bounding([as_box(sample[:3]) for sample in some]) for some in parts]


def groupings(people, k):
    """All ways to put people, a list, into groups of k or more."""
    if not people:
        yield []
        return
    first, others = people[0], people[1:]
    for size in range(k - 1, len(others) + 1):
        for mates in itertools.combinations(others, size):
            left = [person for person in others if person not in mates]
            for rest in groupings(left, k):
                yield [(first, *mates), *rest]


# ------------------------------------------------------------------------------------------ populations


def radius_of_gyration(points):
    """Root mean squared distance of planar points (x, y) from their mean, each as often as listed; floats."""
    n = len(points)
    mean_x, mean_y = math.fsum(x for x, _ in points) / n, math.fsum(y for _, y in points) / n
    return math.sqrt(math.fsum((x - mean_x) ** 2 + (y - mean_y) ** 2 for x, y in points) / n)
