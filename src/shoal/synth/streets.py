"""A town's streets: blocks that are not quite square, a few faster roads, and the quickest way along them."""

import heapq
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from shoal.synth.projection import Floats

BLOCK_M = 220.0
SIDE = 36
"""Crossings per side of the town: 36 × 36 of them, about 8 km across."""

ARTERIAL_EVERY = 6
STREET_MS, ARTERIAL_MS = 8.0, 13.0
CLOSED_SHARE = 0.08
"""Share of ordinary blocks' sides without a street: parks, railways, walls."""


@dataclass(frozen=True, slots=True, eq=False)
class Streets:
    """Crossings (metres east and north of the town's middle) and streets between them.

    ``roads[i]`` lists (neighbour, length in metres, car speed in m/s) of crossing i.
    """

    x: Floats
    y: Floats
    roads: list[list[tuple[int, float, float]]]
    _towards: dict[int, NDArray[np.int16]] = field(default_factory=dict)

    def route(self, origin: int, destination: int) -> list[int]:
        """Return the crossings of the quickest way by car, both ends included."""
        if destination not in self._towards:
            self._towards[destination] = self._next_crossings(destination)
        following = self._towards[destination]
        way = [origin]
        while way[-1] != destination:
            way.append(int(following[way[-1]]))
        return way

    def speed(self, a: int, b: int) -> float:
        """Return the car speed between two neighbouring crossings."""
        return next(speed for neighbour, _, speed in self.roads[a] if neighbour == b)

    def _next_crossings(self, destination: int) -> NDArray[np.int16]:
        """Dijkstra from the destination: the next crossing on the way there, for every crossing."""
        seconds = [np.inf] * len(self.x)
        following = np.full(len(self.x), -1, np.int16)
        seconds[destination] = 0.0
        queue = [(0.0, destination)]
        while queue:
            reached, at = heapq.heappop(queue)
            if reached > seconds[at]:
                continue
            for neighbour, length, speed in self.roads[at]:
                arrival = reached + length / speed
                if arrival < seconds[neighbour]:
                    seconds[neighbour] = arrival
                    following[neighbour] = at
                    heapq.heappush(queue, (arrival, neighbour))
        return following


def build_streets(rng: np.random.Generator) -> Streets:
    """Lay out a town: a grid with displaced crossings, some faster roads, and some streets missing."""
    row, column = np.divmod(np.arange(SIDE * SIDE), SIDE)
    half = (SIDE - 1) / 2
    x = (column - half) * BLOCK_M + rng.normal(0, BLOCK_M / 8, SIDE * SIDE)
    y = (row - half) * BLOCK_M + rng.normal(0, BLOCK_M / 8, SIDE * SIDE)

    roads: list[list[tuple[int, float, float]]] = [[] for _ in range(SIDE * SIDE)]
    for line, step in ((row, 1), (column, SIDE)):
        across = column if step == 1 else row
        fast = line % ARTERIAL_EVERY == ARTERIAL_EVERY // 2
        # Never on the faster roads and the rim, so that hardly a crossing is cut off.
        keep = fast | (line == 0) | (line == SIDE - 1) | (rng.random(SIDE * SIDE) >= CLOSED_SHARE)
        for a in np.flatnonzero(keep & (across < SIDE - 1)).tolist():
            b = a + step
            length = float(np.hypot(x[a] - x[b], y[a] - y[b]))
            speed = ARTERIAL_MS if fast[a] else STREET_MS
            roads[a].append((b, length, speed))
            roads[b].append((a, length, speed))
    return _connected(Streets(x, y, roads))


def _connected(streets: Streets) -> Streets:
    """Join crossings that the missing streets cut off to the crossing beside them."""
    reached = streets._next_crossings(0) >= 0
    reached[0] = True
    for lone in np.flatnonzero(~reached).tolist():
        beside = lone - 1 if lone % SIDE else lone + 1
        length = float(np.hypot(streets.x[lone] - streets.x[beside], streets.y[lone] - streets.y[beside]))
        streets.roads[lone].append((beside, length, STREET_MS))
        streets.roads[beside].append((lone, length, STREET_MS))
    return streets
