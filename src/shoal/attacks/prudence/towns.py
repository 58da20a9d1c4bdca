"""Profiles attacked municipality by municipality: nobody is compared with people of another one.

So the work can be divided, by whoever is handed an engine. Found is what the attack on all of them at once would find.
"""

from functools import partial
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from shoal.attacks.crowd import Ints
from shoal.attacks.prudence.families import Found, search_all
from shoal.attacks.prudence.known_cells import KnownCells, fewest_alike
from shoal.attacks.prudence.profile import profile_items
from shoal.attacks.prudence.rules import AtLeast
from shoal.progress import Progress, silent


class Knowledge(NamedTuple):
    """What an attacker knows: given cells where there is no size, else any so many; and how long to search."""

    cells: KnownCells
    size: int | None
    effort: int


class _Town(NamedTuple):
    """Values of all profiles of a municipality, and the rows of those that are attacked."""

    values: NDArray[np.float64]
    targets: Ints


def attack_rows(
    municipality: Ints,
    values: NDArray[np.float64],
    rows: Ints,
    known: Knowledge,
    *,
    engine: Any = None,
    progress: Progress | None = None,
) -> Found:
    """Attack some rows of profiles.

    Parameters
    ----------
    municipality, values
        Of all rows.
    rows
        Which are attacked, ascending.
    known
        What is known of them.
    engine
        Where to do it, a municipality at a time; all at once in this process by default.
    progress
        Told of all rows.
    """
    if engine is None:
        return _attacked(municipality, values, rows, known, progress)
    order = np.argsort(municipality, kind="stable")
    towns = np.split(order, np.cumsum(np.unique(municipality, return_counts=True)[1])[:-1])
    is_target = np.zeros(len(values), np.bool_)
    is_target[rows] = True
    asked = [town for town in towns if is_target[town].any()]
    parts = (_Town(values[town], np.flatnonzero(is_target[town])) for town in asked)
    work, sizes = partial(_attack_town, known=known), [town.size for town in asked]
    found = engine.map(work, parts, progress=progress, phase="comparing", sizes=sizes)
    answers = np.zeros((2, len(values)), np.int64)
    for town, one in zip(asked, found, strict=True):
        answers[:, town[is_target[town]]] = one.matches, one.at_least
    return Found(*answers[:, rows])


def _attack_town(town: _Town, workers: Any, progress: Progress, *, known: Knowledge) -> Found:  # noqa: ARG001
    """Attack those of one municipality: the work that an engine does for each."""
    return _attacked(np.zeros(len(town.values), np.int64), town.values, town.targets, known, silent)


def _attacked(
    municipality: Ints, values: NDArray[np.float64], rows: Ints, known: Knowledge, progress: Progress | None
) -> Found:
    if known.size is None:
        alike = fewest_alike(municipality, values, known.cells, progress)[rows]
        return Found(alike, alike)
    return search_all(profile_items(municipality, values), AtLeast(), known.size, rows, known.effort, progress)
