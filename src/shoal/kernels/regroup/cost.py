"""What a published box costs those whose samples are in it, and a group by all its boxes.

Space is the sum of a box's sides, in units of 20 km, time is in units of what is worth as much (8 h if nothing else
is asked for). A box costs each of its samples the middle between its space and the root of it, and something between
its time and the root of that: the first kilometre of a box hurts more than the hundredth, and sums of spans would let
a few giant boxes decide who is with whom. With roots alone boxes of middling size, which are what is left where a
share is left out, would count too little. What lies beyond the first unit of space counts only in part (`beyond`):
whoever is that far from everybody is of little use to others. Time counts less than space (`patience`): exchanges win
it more easily. Each sample counts as much as its person's samples do (`rarely`). Where people would pay in space or
in time, that counts more for them: weights are those of time, and space counts by as much more or less as they have
`room`.

Where a share of all samples will be left out, that has a price (`shoal.kernels.regroup.price`). A box that is stretched
beyond it goes, and counts no more than one that is just worth its price. A group whose every box comes near to the
price is charged for it (`emptied`): it would lose all of them, and its people be gone.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from shoal.kernels.common.jit import helper, maker

ROOT_OF_TIME = 0.6
"""How much of what time counts is by its root; the rest is by time itself."""

NEAR = 0.85
"""A box that is stretched by more than so much of the price is near to being left out."""


def beyond(k: int) -> float:
    """What the root of space beyond the first unit counts, in groups of k: nothing in pairs.

    Few pairs are that far apart. The larger groups are, the more people are in one with somebody who is far away.
    """
    return 1 / 2 - 1 / k


def patience(k: int) -> float:
    """What time counts in groups of k, where space counts 1: a box waits for k - 1 others."""
    return 0.9 / (k - 1)


def rarely(k: int) -> float:
    """A sample counts as the number of its person's samples to minus this power: 0 counts samples, 1 counts people.

    A box lasts until the member who is seen least is seen. The larger groups are, the more do those who are
    seen often gain by being among themselves, and the more has to be done for the others.
    """
    return 4 / 5 - 1 / k


def emptied(k: int) -> float:
    """What each sample of a group of k costs more, at most, if all its boxes are near to being left out.

    With one group k people are gone, where one would be enough.
    """
    return (k - 1) / 3


class Cost(NamedTuple):
    """What space beyond the first unit counts, time, and a group that is near to being emptied; the price of a sample.

    The price is in units; what nobody pays is infinite.
    """

    far: float
    time: float
    emptied: float
    price: float


def cost_for(k: int) -> Cost:
    """What counts in groups of k where nothing is left out.

    >>> cost_for(2)
    Cost(far=0.0, time=0.9, emptied=0.3333333333333333, price=inf)
    """
    return Cost(beyond(k), patience(k), emptied(k), np.inf)


class Boxes(NamedTuple):
    """Boxes of a group: (t0, t1, x0, x1, y0, y1), least and greatest of each; what counts of the samples inside.

    ``inside`` is their weight, which is what time counts, ``room`` what their space counts beyond that.
    """

    spans: NDArray[np.int32]
    inside: NDArray[np.float64]
    room: NDArray[np.float64]


@maker
def new_boxes(samples):  # type: ignore[no-untyped-def]
    """Room for the boxes of any group of so many samples."""
    return Boxes(np.empty((samples, 6), np.int32), np.empty(samples), np.empty(samples))


@helper
def begin(boxes, b, t, x, y):  # type: ignore[no-untyped-def]
    """Let box b hold this sample alone, without any weight yet."""
    spans = boxes.spans
    spans[b, 0] = spans[b, 1] = t
    spans[b, 2] = spans[b, 3] = x
    spans[b, 4] = spans[b, 5] = y
    boxes.inside[b] = boxes.room[b] = 0


@helper
def put_in(boxes, b, t, x, y, weight, room):  # type: ignore[no-untyped-def]
    """Widen box b to this sample, which comes no earlier than what is in it."""
    spans = boxes.spans
    spans[b, 1] = t
    spans[b, 2], spans[b, 3] = min(spans[b, 2], x), max(spans[b, 3], x)
    spans[b, 4], spans[b, 5] = min(spans[b, 4], y), max(spans[b, 5], y)
    boxes.inside[b] += weight
    boxes.room[b] += room


@helper
def box_cost(space, time, inside, room, cost):  # type: ignore[no-untyped-def]
    """What a box costs by what counts of its samples; spans in units."""
    first = min(space, 1.0)
    root = np.sqrt(first)
    wide = (first + root) / 2 + cost.far * (np.sqrt(space) - root)
    waits = ROOT_OF_TIME * np.sqrt(time) + (1 - ROOT_OF_TIME) * time
    return inside * (wide + cost.time * waits) + room * wide


@helper
def cost_of(boxes, count, crowd):  # type: ignore[no-untyped-def]
    """What a group with so many boxes costs."""
    rule, spans, price, total, everything, least = crowd.rule, boxes.spans, crowd.cost.price, 0.0, 0.0, np.inf
    for b in range(count):
        across = spans[b, 3] - spans[b, 2] + spans[b, 5] - spans[b, 4] + 2 * rule.dx
        space = across / crowd.space_unit
        time = (spans[b, 1] - spans[b, 0] + rule.dt) / crowd.time_unit
        inside, room, stretch = boxes.inside[b], boxes.room[b], space + time
        costs = box_cost(space, time, inside, room, crowd.cost)
        if stretch > price:
            costs = min(costs, box_cost(price / 2, price / 2, inside, room, crowd.cost))
        total, everything, least = total + costs, everything + inside, min(least, stretch)
    return total + crowd.cost.emptied * everything * min(max(least / (NEAR * price) - 1, 0.0), 1.0)
