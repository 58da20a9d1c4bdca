"""Unicity of plain points, for everybody at once: does anyone else share p random points of a person?"""

import numpy as np

from shoal.attacks.crowd import Ints
from shoal.attacks.prudence.items import Items
from shoal.data.layout import rows_of
from shoal.progress import Progress

_PEOPLE_AT_A_TIME = 1_000


def unicity_of_points(
    items: Items, targets: Ints, *, points: int, rng: np.random.Generator, progress: Progress | None = None
) -> Ints:
    """Count for each target those who hold its first 1 … ``points`` random items too, the target included.

    The items of one person are drawn once and handed over one after the other. A person with fewer is attacked with
    all of them.

    Returns
    -------
    array of targets × points

    >>> from shoal.attacks.prudence.items import visits
    >>> from shoal.attacks.prudence.records import Records
    >>> two = visits(Records(np.array([0, 2, 3]), np.array([0, 1, 1]), np.array([0, 0, 0])), 60)
    >>> unicity_of_points(two, np.array([0, 1]), points=2, rng=np.random.default_rng(1))[:, 1]
    array([1, 2])
    """
    width = items.starts.size
    held = items.owner * width + items.item
    found = np.zeros((targets.size, points), np.int64)
    for start in range(0, targets.size, _PEOPLE_AT_A_TIME):
        part = slice(start, start + _PEOPLE_AT_A_TIME)
        _attack(items, held, width, _drawn(items, targets[part], points, rng), found[part])
        if progress:
            progress("attacking", min(part.stop, targets.size), targets.size)
    return found


def _drawn(items: Items, people: Ints, points: int, rng: np.random.Generator) -> Ints:
    """Draw distinct items of each person, in random order: people × points, -1 where there are no more."""
    offsets, rows = rows_of(items.offsets, people)
    who = np.repeat(np.arange(people.size), np.diff(offsets))
    order = np.lexsort((rng.random(who.size), who))
    rank = np.arange(who.size) - offsets[who]
    kept = rank < points
    result = np.full((people.size, points), -1, np.int64)
    result[who[kept], rank[kept]] = items.item[rows[order[kept]]]
    return result


def _attack(items: Items, held: Ints, width: int, known: Ints, found: Ints) -> None:
    """Start from the holders of the first point, and keep those who hold the next one too."""
    first = known[:, 0]
    offsets, rows = rows_of(items.starts, first)
    target = np.repeat(np.arange(first.size), np.diff(offsets))
    candidate = items.holder[rows]
    for point in range(known.shape[1]):
        if point:
            item = known[target, point]
            wanted = candidate * width + item
            at = np.minimum(np.searchsorted(held, wanted), held.size - 1)
            stays = (item < 0) | (held[at] == wanted)
            target, candidate = target[stays], candidate[stays]
        found[:, point] = np.bincount(target, minlength=first.size)
