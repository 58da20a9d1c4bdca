"""Groups within municipalities: small ones side by side, large ones one after the other with all threads."""

from functools import partial
from typing import NamedTuple

import numpy as np

from shoal.data.layout import Floats, Ints64
from shoal.engines import Engine
from shoal.kernels.primule.driver import group
from shoal.mechanisms.primule.units import Units
from shoal.progress import Progress
from shoal.workers import Workers

LARGE = 20_000
"""Profiles of a municipality that keeps all threads busy."""


class Grouped(NamedTuple):
    """Means of each profile's group, a column per cell, and how many groups and rounds there were."""

    values: Floats
    groups: int
    rounds: int


def group_towns(units: Units, towns: list[Ints64], k: int, engine: Engine, progress: Progress) -> list[Grouped]:
    """Group the profiles of each municipality.

    Parameters
    ----------
    units
        Values of all profiles on the cells that the attacker may know.
    towns
        Rows of each municipality, k at least.
    k
        As in :class:`shoal.Primule`.
    engine
        Where the work is done. The groups do not depend on it.
    progress
        Told of all profiles.
    """
    sizes = [rows.size for rows in towns]
    work, phase = partial(group_town, k=k, scale=units.scale), "grouping"
    found: dict[int, Grouped] = {}
    large = [town for town, size in enumerate(sizes) if size > LARGE]
    for town in large:
        with engine.workers() as workers:
            found[town] = work(units.counts[towns[town]], workers, partial(_in_large, progress))
    others = [town for town in range(len(towns)) if town not in found]
    parts = (units.counts[towns[town]] for town in others)
    done = engine.map(work, parts, progress=progress, phase=phase, sizes=[sizes[town] for town in others])
    found.update(zip(others, done, strict=True))
    return [found[town] for town in range(len(towns))]


def _in_large(progress: Progress, phase: str, done: int, total: int) -> None:
    """Tell of a large municipality apart: it is as long as all others together."""
    progress(f"{phase} (a large municipality)", done, total)


def group_town(counts: Ints64, workers: Workers, progress: Progress, *, k: int, scale: int) -> Grouped:
    """Group the profiles of one municipality: the work that an engine does for each.

    Parameters
    ----------
    counts
        A row per profile.
    workers, progress
        From the engine.
    k, scale
        As in `group_towns`.
    """
    found = group(counts, k, scale, workers=workers, told=partial(progress, "grouping"))
    # Division rounds correctly: equal means are equal to the last bit, and a group left alone keeps its values.
    means = found.sums / (found.sizes * scale)[:, None]
    return Grouped(means[found.group_of], found.sizes.size, found.rounds)


def not_too_small(towns: list[Ints64], k: int) -> tuple[list[Ints64], Ints64]:
    """Return the municipalities with k profiles or more, and the rows of all others."""
    small = [rows for rows in towns if rows.size < k]
    rest = np.sort(np.concatenate(small)) if small else np.empty(0, np.int64)
    return [rows for rows in towns if rows.size >= k], rest
