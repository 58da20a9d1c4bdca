"""The attacker who knows the places where a person is most often, and no time at all."""

import numpy as np
import polars as pl
from numpy.typing import NDArray

from shoal.attacks.crowd import Crowd, Ints, Samples

_NOWHERE = np.array([1, 0, 1, 0], np.int64)


def top_places(published: Crowd, weights: Ints, known: Samples, people: Ints, *, places: int = 3) -> Ints:
    """Count the candidates of each person for the 1 … ``places`` most frequent places.

    Somebody fits when each of the person's N most frequent cells lies in one of their own N most frequent areas. A
    person with fewer places is attacked with all of them.

    Returns
    -------
    array of people × places
    """
    areas = top_areas(published, places)
    cells = top_cells(known, places)
    found = np.zeros((people.size, places), np.int64)
    for i, person in enumerate(people):
        own = [cell for cell in cells[person] if cell[2]]
        for n in range(1, places + 1):
            fits = np.ones(len(published), np.bool_)
            for x, y, _ in own[:n]:
                fits &= _inside(areas[:, :n], int(x), int(y), known.cell_m)
            found[i, n - 1] = weights[fits].sum()
    return found


def top_areas(published: Crowd, places: int) -> Ints:
    """Return the most frequent areas of each individual: an array of individuals × places × (x0, x1, y0, y1)."""
    columns = {"owner": published.owner, "x0": published.x0, "x1": published.x1, "y0": published.y0, "y1": published.y1}
    best = _most_frequent(pl.DataFrame(columns), ["x0", "x1", "y0", "y1"], places)
    result = np.broadcast_to(_NOWHERE, (len(published), places, 4)).copy()
    result[best["owner"].to_numpy(), best["rank"].to_numpy()] = best.select("x0", "x1", "y0", "y1").to_numpy()
    return result


def top_cells(known: Samples, places: int) -> Ints:
    """Return the most frequent cells of each person: people × places × (x, y, samples); no samples, no place."""
    best = _most_frequent(pl.DataFrame({"owner": known.owner, "x": known.x, "y": known.y}), ["x", "y"], places)
    result = np.zeros((len(known), places, 3), np.int64)
    result[best["owner"].to_numpy(), best["rank"].to_numpy()] = best.select("x", "y", "len").to_numpy()
    return result


def _most_frequent(rows: pl.DataFrame, place: list[str], places: int) -> pl.DataFrame:
    """Count rows per owner and place and keep the first few; ties go to the smaller coordinates."""
    counted = rows.group_by("owner", *place).agg(pl.len().cast(pl.Int64).alias("len"))
    counted = counted.sort("owner", "len", *place, descending=[False, True] + [False] * len(place))
    ranked = counted.with_columns(pl.int_range(pl.len(), dtype=pl.Int64).over("owner").alias("rank"))
    return ranked.filter(pl.col("rank") < places)


def _inside(areas: Ints, x: int, y: int, cell_m: int) -> NDArray[np.bool_]:
    x0, x1, y0, y1 = np.moveaxis(areas, 2, 0)
    return np.asarray(((x0 <= x) & (x + cell_m <= x1) & (y0 <= y) & (y + cell_m <= y1)).any(axis=1))
