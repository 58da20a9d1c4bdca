"""The attacker who knows where a person lives and works, or wants to learn it."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from shoal.attacks.crowd import Crowd, Ints, Samples
from shoal.attacks.interval import Rate, wilson
from shoal.attacks.top_places import top_areas, top_cells

_DAY_S, _HOUR_S = 86_400, 3600
_MONDAY_OF_THE_EPOCH = 3
"""The first of January 1970 was a Thursday."""


@dataclass(frozen=True, slots=True, eq=False)
class HomeWork:
    """Candidates of each target who is known by home and work, and how often the release shows the home's area.

    ``control`` is the same share for the home of somebody else: what an area that holds many homes gives for nothing.
    """

    candidates: Ints
    home_shown: Rate
    control: Rate


def home_work(
    published: Crowd,
    weights: Ints,
    individual_of: Ints,
    known: Samples,
    people: Ints,
    *,
    utc_offset_s: int = 0,
    rng: np.random.Generator,
) -> HomeWork:
    """Attack people with their most frequent cells of the night (20–8) and of working hours (Monday to Friday, 9–17).

    Parameters
    ----------
    individual_of
        Each person's published individual, -1 where there is none.
    utc_offset_s
        Local time; good to the hour.
    """
    areas = [_areas(published, hours, utc_offset_s) for hours in (_night, _work)]
    known = known.take(people)
    cells = [top_cells(known.only(hours(known.t + utc_offset_s)), 1)[:, 0] for hours in (_night, _work)]
    candidates = np.zeros(people.size, np.int64)
    for i in range(people.size):
        fits = np.ones(len(published), np.bool_)
        for area, cell in zip(areas, cells, strict=True):
            if cell[i, 2]:
                fits &= _holds(area, cell[i], known.cell_m)
        candidates[i] = weights[fits].sum()
    individual, home = individual_of[people], cells[0]
    shown = np.flatnonzero((individual >= 0) & (home[:, 2] > 0))
    own = _holds(areas[0][individual[shown]], home[shown], known.cell_m)
    others = _holds(areas[0][individual[shown]], home[rng.permutation(shown)], known.cell_m)
    return HomeWork(candidates, wilson(int(own.sum()), shown.size), wilson(int(others.sum()), shown.size))


def _holds(area: Ints, cell: Ints, cell_m: int) -> NDArray[np.bool_]:
    x, y = cell[..., 0], cell[..., 1]
    x0, x1, y0, y1 = area.T
    return np.asarray((x0 <= x) & (x + cell_m <= x1) & (y0 <= y) & (y + cell_m <= y1))


def _night(t: Ints) -> NDArray[np.bool_]:
    hour = t % _DAY_S // _HOUR_S
    return np.asarray((hour >= 20) | (hour < 8))


def _work(t: Ints) -> NDArray[np.bool_]:
    hour, weekday = t % _DAY_S // _HOUR_S, (t // _DAY_S + _MONDAY_OF_THE_EPOCH) % 7
    return np.asarray((weekday < 5) & (hour >= 9) & (hour < 17))


def _areas(published: Crowd, hours: Callable[[Ints], NDArray[np.bool_]], utc_offset_s: int) -> Ints:
    """The most frequent area of each individual in some hours: individuals × (x0, x1, y0, y1)."""
    middles = ((part, (part.t0 + part.t1) // 2) for _, part in published.parts())
    return np.concatenate([top_areas(part.only(hours(t + utc_offset_s)), 1)[:, 0] for part, t in middles])
