"""Could a stretch of time have been cut into boxes that are all beyond the thresholds?

Boxes that were withheld are not recorded, only their samples. But the samples of a group were cut in time, each piece
holds every member, and none of them can be cut in two that do. A stretch of samples that cannot be cut so was not
withheld for being too large.
"""

from collections.abc import Sequence

from shoal.auditor.limits import Limits

Sample = tuple[int, int, int, int]
"""Time, x and y, all lower corners on the published grid, and whose it is."""

MOST_STEPS = 200_000
"""So much is tried, in all; beyond it, a stretch counts as one that could have been cut."""


class Cutter:
    """Tries stretches until it has done enough.

    Parameters
    ----------
    limits
        Thresholds, at least one.
    step_s, cell_m
        The published grid.
    """

    def __init__(self, limits: Limits, step_s: int, cell_m: int) -> None:
        self._limits, self._step, self._cell = limits, step_s, cell_m
        self.steps = 0

    def may_be(self, stretch: Sequence[Sample], members: int) -> bool:
        """Tell whether samples in the order of time can be cut into large pieces that all hold so many members.

        >>> two = [(0, 0, 0, 1), (60, 900, 0, 2)]
        >>> Cutter(Limits(500, None), 60, 100).may_be(two, 2), Cutter(Limits(5000, None), 60, 100).may_be(two, 2)
        (True, False)
        >>> small = [(120, 0, 0, 1), (180, 0, 0, 2)]
        >>> Cutter(Limits(500, None), 60, 100).may_be(two + small, 2)
        False
        """
        times, members_at, boxes = _stamps(stretch)
        count = len(times)
        ends = _ends(members_at, members)
        possible = [False] * count + [True]
        for first in range(count - 1, -1, -1):
            if ends[first] == count:
                continue
            x0, x1, y0, y1 = boxes[first]
            for last in range(first, ends[ends[first] + 1]):
                self.steps += 1
                if self.steps > MOST_STEPS:
                    return True
                a0, a1, b0, b1 = boxes[last]
                x0, x1, y0, y1 = min(x0, a0), max(x1, a1), min(y0, b0), max(y1, b1)
                if last >= ends[first] and possible[last + 1]:
                    spans = (x1 - x0 + self._cell, y1 - y0 + self._cell, times[last] - times[first] + self._step)
                    if self._limits.beyond(*spans):
                        possible[first] = True
                        break
        return possible[0]


def _stamps(stretch: Sequence[Sample]) -> tuple[list[int], list[set[int]], list[tuple[int, int, int, int]]]:
    """Put samples of one time together: the times, whose they are, the area."""
    times, members, boxes = list[int](), list[set[int]](), list[tuple[int, int, int, int]]()
    for t, x, y, member in stretch:
        if not times or times[-1] != t:
            times.append(t)
            members.append(set())
            boxes.append((x, x, y, y))
        members[-1].add(member)
        x0, x1, y0, y1 = boxes[-1]
        boxes[-1] = min(x0, x), max(x1, x), min(y0, y), max(y1, y)
    return times, members, boxes


def _ends(members_at: list[set[int]], members: int) -> list[int]:
    """Return for each time the first at which every member was seen since; the number of times where that never is."""
    count = len(members_at)
    ends, upcoming = [count] * (count + 2), dict[int, int]()
    for first in range(count - 1, -1, -1):
        upcoming.update(dict.fromkeys(members_at[first], first))
        if len(upcoming) == members:
            ends[first] = max(upcoming.values())
    return ends
