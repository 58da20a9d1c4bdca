"""The unit in which all stretches are whole numbers.

GLOVE §4.1 adds a spatial part capped at 20 km and a temporal part capped at 8 h, half a point each. With the
caps counted in grid cells and ``L`` their least common multiple, a part is a whole number of ``1 / (2 L)``.
"""

import math
from typing import NamedTuple

LARGEST_UNIT = 2**30
"""A single stretch must fit a signed 32-bit integer with room for one addition."""


class Scale(NamedTuple):
    """Caps in grid cells, what one cell costs, and the cost of a sample that is worthless (Delta = 1)."""

    space_cap: int
    time_cap: int
    space_weight: int
    time_weight: int
    unit: int


def scale_of(space_cap: int, time_cap: int) -> Scale:
    """Return the weights that make ``space_weight * min(s, space_cap) + time_weight * min(t, time_cap)`` exact.

    >>> scale_of(200, 480)
    Scale(space_cap=200, time_cap=480, space_weight=12, time_weight=5, unit=4800)
    """
    if space_cap < 1 or time_cap < 1:
        raise ValueError("caps are at least one cell")
    common = math.lcm(space_cap, time_cap)
    if 2 * common > LARGEST_UNIT:
        raise ValueError("the caps have no common multiple that fits 32 bits")
    return Scale(int(space_cap), int(time_cap), common // space_cap, common // time_cap, 2 * common)
