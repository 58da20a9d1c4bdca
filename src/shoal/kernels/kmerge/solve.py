"""The dynamic programme of k-merge for one group (kte §III-C, D), on flat integer arrays.

Samples with the same time form one *stamp*; a part is a run of stamps. ``end(i)`` is the least stamp such that
``i .. end(i)`` holds a sample of every member. A part ``i .. j`` is complete iff ``j >= end(i)`` and splits into
two complete parts iff ``j >= end(end(i) + 1)``: so the elementary parts that start at ``i`` end in
``[end(i), end(end(i) + 1))``. Others need no visit: the spans in time of two halves add up to at most the
whole's and their areas are no larger, so a split never costs more, leaves out as much and gives more parts.

Alg. 1 goes forward and looks back; this one goes backward and looks ahead, because then the tie rule needs no
list: among plans from stamp ``i`` on that agree in cost, samples left out and number of parts, the one whose
*next* part starts first has the smaller list of starts. Two that agree in that as well have the same plan from there
on and would differ in the samples left out before it.

Deviations: cuts lie between different times only (the paper has no equal ones); stamps between parts may be left out
at a price; the cost may be the stretch that the samples suffer.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from shoal.kernels.common.jit import helper, maker
from shoal.kernels.kmerge.stamps import NEVER, offer_part, part_cost, space_span

PLAIN = 160
"""Parts that reach no farther (in stamps) are scanned one by one; beyond, the tree of bounds is worth its upkeep."""


class Tree(NamedTuple):
    """Binary tree over q = 1 .. number of stamps (leaf ``leaves + q``): least cost from q on, box of stamps q - 1."""

    leaves: int
    cost: NDArray[np.int64]
    box: NDArray[np.int32]


@helper
def useless(time, span, rule, price):  # type: ignore[no-untyped-def]
    """Whether a part of these spans is dearer than leaving it out; then so is every part that goes on farther.

    Said of stretch only: an area may be too dear for few samples and not for more.
    """
    return price >= 0 and not rule.area and rule.space_weight * span + rule.time_weight * time > price


@helper
def pivot_at(i, low, stamps):  # type: ignore[no-untyped-def]
    """Fill in the boxes from stamp i up to each stamp, as far as low."""
    box, ahead = stamps.box, stamps.ahead
    x0, x1, y0, y1 = box[i, 0], box[i, 1], box[i, 2], box[i, 3]
    for j in range(i, low + 1):
        x0, x1, y0, y1 = min(x0, box[j, 0]), max(x1, box[j, 1]), min(y0, box[j, 2]), max(y1, box[j, 3])
        ahead[j, 0], ahead[j, 1], ahead[j, 2], ahead[j, 3] = x0, x1, y0, y1


@helper
def settle(i, n, plans):  # type: ignore[no-untyped-def]
    """Tell the stamps ahead what the plan from stamp i on costs. It is seldom cheaper than one that has less to do."""
    cost, least = plans.cost[i], plans.least
    least[i] = cost
    q = i + 1
    while q <= n and least[q] > cost:
        least[q] = cost
        q += 1


@helper
def scan(i, low, high, box_to_low, rule, price, stamps, plans):  # type: ignore[no-untyped-def]
    """Offer the parts from stamp i to each of low .. high, up to where none can win any more.

    Parts only get dearer as they grow: once a part and the least cost of going on after any of these ends exceed the
    best, so do all that are longer.
    """
    first, time, box, cost, floor = stamps.first, stamps.time, stamps.box, plans.cost, plans.least[high + 1]
    x0, x1, y0, y1 = box_to_low
    for j in range(low, high + 1):
        x0, x1, y0, y1 = min(x0, box[j, 0]), max(x1, box[j, 1]), min(y0, box[j, 2]), max(y1, box[j, 3])
        so_far, span = time[j] - time[i] + rule.dt, space_span(x0, x1, y0, y1, rule)
        if useless(so_far, span, rule, price):
            return
        part = part_cost(first[j + 1] - first[i], so_far, span, rule)
        if part + cost[j + 1] <= cost[i]:
            offer_part(i, j, part, plans)
        if part + floor > cost[i]:
            return


@helper
def set_leaf(q, cost, tree):  # type: ignore[no-untyped-def]
    """The least cost from stamp q on. Leaves come in descending order, so a node is ready with its leftmost leaf."""
    v = tree.leaves + q
    tree.cost[v] = cost
    while v % 2 == 0:
        tree.cost[v // 2] = min(tree.cost[v], tree.cost[v + 1])
        v //= 2


@maker
def new_tree(n, stamps):  # type: ignore[no-untyped-def]
    """The tree's boxes; costs come as the programme goes (`set_leaf`)."""
    leaves = 1
    while leaves < n + 1:
        leaves *= 2
    cost, box = np.empty(2 * leaves, np.int64), np.empty((2 * leaves, 4), np.int32)
    for v in range(leaves, 2 * leaves):  # slices would do, but compiling them takes seconds
        cost[v], j = NEVER, v - leaves - 1
        inside = 0 <= j < n
        box[v, 0] = stamps.box[j, 0] if inside else 2**31 - 1
        box[v, 1] = stamps.box[j, 1] if inside else -(2**31)
        box[v, 2] = stamps.box[j, 2] if inside else 2**31 - 1
        box[v, 3] = stamps.box[j, 3] if inside else -(2**31)
    for v in range(leaves - 1, 0, -1):
        a, b = box[2 * v], box[2 * v + 1]
        box[v, 0], box[v, 1] = min(a[0], b[0]), max(a[1], b[1])
        box[v, 2], box[v, 3] = min(a[2], b[2]), max(a[3], b[3])
    tree = Tree(leaves, cost, box)
    set_leaf(n, np.int64(0), tree)
    return tree


@helper
def widened(q, top, box, tree):  # type: ignore[no-untyped-def]
    """The box given, widened to cover the stamps q - 1 .. top - 1."""
    x0, x1, y0, y1 = box
    level = 0
    while q <= top:
        while q % (2 << level) == 0 and q + (2 << level) - 1 <= top:
            level += 1
        while q + (1 << level) - 1 > top:
            level -= 1
        b = tree.box[(tree.leaves + q) >> level]
        x0, x1, y0, y1 = min(x0, b[0]), max(x1, b[1]), min(y0, b[2]), max(y1, b[3])
        q += 1 << level
    return x0, x1, y0, y1


@helper
def search(i, low, high, hint, rule, price, stamps, plans, tree):  # type: ignore[no-untyped-def]
    """As `scan`, but leap over blocks of ends that cannot win.

    Parts only get dearer as they grow. So no end in a block of the tree beats the cost of the part up to the block's
    first stamp plus the least cost of going on after any of the block's. ``hint``, an end to try first,
    sets the bar: the best end changes little from start to start.
    """
    first, time, box, leaves = stamps.first, stamps.time, tree.box, tree.leaves
    if useless(time[low] - time[i] + rule.dt, 2 * rule.dx, rule, price):
        return  # before any search for the box
    b = stamps.box[i]
    x0, x1, y0, y1 = widened(i + 2, low, (b[0], b[1], b[2], b[3]), tree)
    if low <= hint <= high:
        h0, h1, h2, h3 = widened(low + 1, hint + 1, (x0, x1, y0, y1), tree)
        span = space_span(h0, h1, h2, h3, rule)
        offer_part(i, hint, part_cost(first[hint + 1] - first[i], time[hint] - time[i] + rule.dt, span, rule), plans)
    q, top, level = low + 1, high + 1, 0
    while q <= top:
        while q % (2 << level) == 0 and q + (2 << level) - 1 <= top:
            level += 1
        while q + (1 << level) - 1 > top:
            level -= 1
        b = box[leaves + q]
        span = space_span(min(x0, b[0]), max(x1, b[1]), min(y0, b[2]), max(y1, b[3]), rule)
        so_far = time[q - 1] - time[i] + rule.dt
        if useless(so_far, span, rule, price):
            return
        part = part_cost(first[q] - first[i], so_far, span, rule)
        while level > 0 and part + tree.cost[(leaves + q) >> level] <= plans.cost[i]:
            level -= 1
        if level == 0:
            offer_part(i, q - 1, part, plans)
        b = box[(leaves + q) >> level]
        x0, x1, y0, y1 = min(x0, b[0]), max(x1, b[1]), min(y0, b[2]), max(y1, b[3])
        q += 1 << level


@maker
def solve(n, rule, price, stamps, plans):  # type: ignore[no-untyped-def]
    """Fill in the best plan from every stamp on; ``plans.cost[0]`` is `NEVER` if there is none.

    Without a price (-1) cuts lie only where both sides are complete, ``end(0) < cut <= farthest``; other starts
    are passed over, which leaves one single part where one member has a single sample.
    """
    first, time, end = stamps.first, stamps.time, stamps.end
    plans.cost[n], plans.left[n], plans.parts[n], plans.start[n], plans.last[n] = 0, 0, 0, n, -1
    plans.least[n] = 0
    farthest, reach = -1, 0
    for i in range(n):
        if end[i] < n:
            farthest = i
            if price >= 0 or end[end[i] + 1] < n:
                reach = max(reach, end[end[i] + 1] - i)
    deep = reach > PLAIN
    tree = new_tree(n if deep else np.int64(0), stamps)
    hint, most = np.int64(-1), NEVER // max(price, 1)
    b = stamps.box[n - 1]
    x0, x1, y0, y1 = b[0], b[1], b[2], b[3]
    # The box of i .. end(i) is that of i .. pivot and that of pivot .. end(i): both ends move one way.
    pivot, near = n, (x0, x1, y0, y1)
    for i in range(n - 1, -1, -1):
        b = stamps.box[i]
        x0, x1, y0, y1 = min(x0, b[0]), max(x1, b[1]), min(y0, b[2]), max(y1, b[3])
        near = min(near[0], b[0]), max(near[1], b[1]), min(near[2], b[2]), max(near[3], b[3])
        plans.cost[i], plans.last[i] = NEVER, -1
        if price >= 0:
            here = first[i + 1] - first[i]
            # What would overflow is beyond what leaving out nothing costs, and in no best plan.
            paid = price * here if here <= most else NEVER
            plans.cost[i], plans.left[i] = min(NEVER, plans.cost[i + 1] + paid), plans.left[i + 1] + here
            plans.parts[i], plans.start[i] = plans.parts[i + 1], plans.start[i + 1]
        if end[i] < n and (price >= 0 or i == 0 or i > end[0]):
            low, high = np.int64(end[i]), np.int64(end[end[i] + 1] - 1)
            if price < 0 and high == n - 1:
                # Nothing after it could be complete: the last part takes all that is left.
                span = space_span(x0, x1, y0, y1, rule)
                offer_part(i, high, part_cost(first[n] - first[i], time[high] - time[i] + rule.dt, span, rule), plans)
            else:
                high = high if price >= 0 else min(high, np.int64(farthest - 1))
                if high - i < PLAIN:
                    if low < pivot:
                        pivot, near = i, (b[0], b[1], b[2], b[3])
                        pivot_at(i, low, stamps)
                    a = stamps.ahead[low]
                    to_low = min(near[0], a[0]), max(near[1], a[1]), min(near[2], a[2]), max(near[3], a[3])
                    scan(i, low, high, to_low, rule, price, stamps, plans)
                else:
                    search(i, low, high, hint, rule, price, stamps, plans, tree)
                    hint = np.int64(plans.last[i]) if plans.last[i] >= 0 else hint
        settle(i, n, plans)
        if deep:
            set_leaf(i, plans.cost[i], tree)
