"""A person's true movements: stays at places and trips between them along the streets."""

from dataclasses import dataclass
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from shoal.synth.projection import Floats
from shoal.synth.streets import BLOCK_M, Streets

DAY_S = 86_400
WALK_LIMIT_M = 900.0


class Place(NamedTuple):
    """A door, some metres back from a street, near a crossing."""

    kind: str
    x: float
    y: float
    foot_x: float
    foot_y: float
    crossing: int


class Stay(NamedTuple):
    """A time at a place, in seconds since the first midnight."""

    place: Place
    start: float
    end: float


@dataclass(frozen=True, slots=True, eq=False)
class Movement:
    """The true way: straight and even between successive (t, x, y); and the stays on it."""

    t: Floats
    x: Floats
    y: Floats
    stays: list[Stay]


def choose_place(rng: np.random.Generator, streets: Streets, kind: str, spread_m: float) -> Place:
    """Pick a door at random, the nearer to the middle of town the smaller `spread_m` is."""
    limit = float(np.abs(streets.x).max())
    target = np.clip(rng.normal(0, spread_m, 2), -limit, limit)
    crossing = int(np.argmin((streets.x - target[0]) ** 2 + (streets.y - target[1]) ** 2))
    neighbour, length, _ = streets.roads[crossing][rng.integers(len(streets.roads[crossing]))]
    along = np.array([streets.x[neighbour] - streets.x[crossing], streets.y[neighbour] - streets.y[crossing]])
    along /= length
    foot = np.array([streets.x[crossing], streets.y[crossing]]) + along * rng.uniform(0.1, 0.45) * length
    set_back = rng.uniform(0.05, 0.15) * BLOCK_M * rng.choice([-1.0, 1.0])
    door = foot + np.array([-along[1], along[0]]) * set_back
    return Place(kind, float(door[0]), float(door[1]), float(foot[0]), float(foot[1]), crossing)


def move(rng: np.random.Generator, streets: Streets, days: int) -> Movement:
    """Live `days` days: nights at home, weekdays at work for most, shops and visits in between."""
    home = choose_place(rng, streets, "home", 2_800.0)
    work = choose_place(rng, streets, "work", 1_500.0) if rng.random() < 0.75 else None
    others = [choose_place(rng, streets, "other", 2_200.0) for _ in range(rng.integers(3, 8))]
    early = rng.normal(0, 0.7) * 3600

    plan: list[tuple[Place, float]] = []  # a place and when the person leaves it
    for day in range(days):
        stops = _day(rng, home, work, others, day)
        plan += [(place, leaves + day * DAY_S + early) for place, leaves in stops]
    plan.append((home, days * DAY_S))

    t, x, y = [0.0], [plan[0][0].x], [plan[0][0].y]
    stays = []
    arrived = 0.0
    for (place, leaves), (following, _) in zip(plan, [*plan[1:], plan[-1]], strict=True):
        # Somebody late for the next appointment still stays a quarter of an hour.
        leaves = min(max(leaves, arrived + 900.0), days * DAY_S)
        stays.append(Stay(place, arrived, leaves))
        t.append(leaves)
        x.append(place.x)
        y.append(place.y)
        if following is place:
            break
        for seconds, to_x, to_y in _trip(rng, streets, place, following):
            t.append(t[-1] + seconds)
            x.append(to_x)
            y.append(to_y)
        arrived = t[-1]
        if arrived >= days * DAY_S:
            break
    return Movement(np.array(t), np.array(x), np.array(y), stays)


def _day(
    rng: np.random.Generator, home: Place, work: Place | None, others: list[Place], day: int
) -> list[tuple[Place, float]]:
    """Return the places of one day, from home on, with the times of leaving them; the last way leads home."""
    stops: list[tuple[Place, float]] = []
    hour = 3600.0
    favourite = others[min(int(rng.geometric(0.4)) - 1, len(others) - 1)]
    if work is not None and day % 7 < 5:
        stops += [(home, rng.normal(7.8, 0.3) * hour)]
        if rng.random() < 0.25:
            stops += [(work, 12.3 * hour), (favourite, 13.1 * hour)]
        stops += [(work, rng.normal(17.2, 0.5) * hour)]
        if rng.random() < 0.45:
            stops += [(favourite, stops[-1][1] + rng.uniform(0.5, 1.3) * hour)]
        return stops
    leaves = rng.normal(10.5, 1.0) * hour
    for _ in range(rng.integers(0, 3)):
        stay = rng.uniform(0.4, 2.5) * hour
        place = others[rng.integers(len(others))]
        stops += [(home, leaves), (place, leaves + 0.3 * hour + stay)]
        leaves += stay + rng.uniform(1.5, 3.0) * hour
    return stops


def _trip(
    rng: np.random.Generator, streets: Streets, origin: Place, destination: Place
) -> list[tuple[float, float, float]]:
    """Return the steps of a trip: seconds, and where they lead."""
    way = streets.route(origin.crossing, destination.crossing)
    corners = [(origin.foot_x, origin.foot_y)]
    corners += [(float(streets.x[i]), float(streets.y[i])) for i in way]
    corners += [(destination.foot_x, destination.foot_y)]
    length = sum(np.hypot(bx - ax, by - ay) for (ax, ay), (bx, by) in pairwise(corners))

    walking = length < WALK_LIMIT_M or rng.random() < 0.05
    pace = rng.uniform(1.2, 1.6)
    traffic = rng.uniform(0.75, 1.05)
    speeds = [5.0, *(streets.speed(a, b) for a, b in pairwise(way)), 5.0]

    steps = [(np.hypot(origin.foot_x - origin.x, origin.foot_y - origin.y) / pace, *corners[0])]
    for (ax, ay), (bx, by), speed in zip(corners, corners[1:], speeds, strict=False):
        metres = np.hypot(bx - ax, by - ay)
        steps.append((metres / (pace if walking else speed * traffic), bx, by))
        if not walking and rng.random() < 0.2:
            steps.append((rng.uniform(5, 35), bx, by))  # a red light
    door = (destination.x, destination.y)
    steps.append((np.hypot(destination.foot_x - door[0], destination.foot_y - door[1]) / pace, *door))
    return [(float(seconds), float(to_x), float(to_y)) for seconds, to_x, to_y in steps]
