"""The attacker who knows the places where a person is most often, and no time at all."""

import numpy as np
from numpy.typing import NDArray

from shoal.attacks.crowd import Crowd, Ints, Samples
from shoal.attacks.packing import distinct

_NOWHERE = np.array([1, 0, 1, 0], np.int64)


def top_places(published: Crowd, weights: Ints, known: Samples, people: Ints, *, places: int = 3) -> Ints:
    """Count the candidates of each person for the 1 … ``places`` most frequent places.

    Somebody fits when each of the person's N most frequent cells lies in one of their own N most frequent areas. A
    person with fewer places is attacked with all of them.

    Returns
    -------
    array of people × places
    """
    areas = np.ascontiguousarray(np.moveaxis(top_areas(published, places), 0, 2))
    cells = top_cells(known.take(people), places)
    found = np.zeros((people.size, places), np.int64)
    for i in range(people.size):
        own = [cell for cell in cells[i] if cell[2]]
        for n in range(1, places + 1):
            fits = np.ones(len(published), np.bool_)
            for x, y, _ in own[:n]:
                fits &= _inside(areas[:n], int(x), int(y), known.cell_m)
            found[i, n - 1] = weights[fits].sum()
    return found


def top_areas(published: Crowd, places: int) -> Ints:
    """Return the most frequent areas of each individual: an array of individuals × places × (x0, x1, y0, y1)."""
    result = np.broadcast_to(_NOWHERE, (len(published), places, 4)).copy()
    for low, part in published.parts():
        owner, rank, *area, _ = _most_frequent(part.owner, (part.x0, part.x1, part.y0, part.y1), places)
        result[low + owner, rank] = np.stack(area, axis=1)
    return result


def top_cells(known: Samples, places: int) -> Ints:
    """Return the most frequent cells of each person: people × places × (x, y, samples); no samples, no place."""
    result = np.zeros((len(known), places, 3), np.int64)
    for low, part in known.parts():
        owner, rank, *cell = _most_frequent(part.owner, (part.x, part.y), places)
        result[low + owner, rank] = np.stack(cell, axis=1)
    return result


def _most_frequent(owner: Ints, place: tuple[Ints, ...], places: int) -> tuple[Ints, ...]:
    """Return owner, rank, place and count of the first few places of each; ties go to the smaller coordinates."""
    who, *where, counts = distinct((owner, *place))
    order = np.lexsort((-counts, who))
    who = who[order]
    fresh = np.concatenate(([True], who[1:] != who[:-1])) if who.size else np.empty(0, np.bool_)
    rank = np.arange(who.size) - np.maximum.accumulate(np.where(fresh, np.arange(who.size), 0))
    kept = rank < places
    return (who[kept], rank[kept], *(column[order][kept] for column in where), counts[order][kept])


def _inside(areas: Ints, x: int, y: int, cell_m: int) -> NDArray[np.bool_]:
    """Tell for each individual whether a cell lies in one of the areas, given as places × edges × individuals."""
    fits = np.zeros(areas.shape[2], np.bool_)
    for x0, x1, y0, y1 in areas:
        fits |= (x0 <= x) & (x + cell_m <= x1) & (y0 <= y) & (y + cell_m <= y1)
    return fits
