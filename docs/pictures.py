"""Pictures of the docs that are made from synthetic people: one trace under each mechanism that publishes points.

    python docs/pictures.py

Seeded, hence not for release, and the same each time. Only synthetic people are ever drawn here.
"""

import sys
from datetime import timedelta
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

import shoal
from shoal import synth
from shoal.mechanisms.base import Mechanism
from shoal.report import Chart, Series

HERE = Path(__file__).resolve().parent
SEED = 1
HOURS = 3
MARGIN_KM = 1
METRES_PER_DEGREE = 111_195

MECHANISMS: dict[str, tuple[str, Mechanism]] = {
    "promesse": ("Promesse, 200 m", shoal.Promesse(alpha_m=200)),
    "geoind": ("Geo-indistinguishability, ln(4)/200 per m", shoal.GeoInd(epsilon="ln(4)/200")),
    "w4m": ("Wait For Me, k = 2, 200 m", shoal.WaitForMe(k=2, delta_m=200)),
}


def kilometres(lat: Any, lng: Any, origin: tuple[float, float]) -> tuple[np.ndarray, np.ndarray]:
    """East and north of an origin; near enough for a picture of a town."""
    east = (np.asarray(lng) - origin[1]) * np.cos(np.radians(origin[0]))
    return east * METRES_PER_DEGREE / 1000, (np.asarray(lat) - origin[0]) * METRES_PER_DEGREE / 1000


def busiest(points: pl.DataFrame) -> tuple[str, Any, Any]:
    """Who moves over the widest area within some hours, and when: people mostly stay where they are."""
    extent = sum((pl.col(axis).max() - pl.col(axis).min() for axis in ("lat", "lng")), pl.lit(0.0))
    hours = points.sort("datetime").group_by_dynamic("datetime", every=f"{HOURS}h", group_by="uid").agg(extent=extent)
    uid, begin, _ = hours.sort("extent", "uid").row(-1)
    return uid, begin, begin + timedelta(hours=HOURS)


def main(folder: Path = HERE / "how-to") -> None:
    points = pl.from_arrow(synth.gps(20, 1, seed=SEED).points)
    assert isinstance(points, pl.DataFrame)
    name, begin, end = busiest(points)
    raw = points.filter(pl.col("uid") == name, pl.col("datetime").is_between(begin, end)).sort("datetime")
    origin = float(raw["lat"][0]), float(raw["lng"][0])
    way = Series("as recorded", *kilometres(raw["lat"], raw["lng"], origin), colour=6)
    for file, (title, mechanism) in MECHANISMS.items():
        release = mechanism.protect(points, seed=SEED)
        mapping = pl.from_arrow(release.secret.mapping)
        assert isinstance(mapping, pl.DataFrame)
        uids = mapping.filter(original_uid=name)["uid"].implode()
        data = pl.from_arrow(release.data)
        assert isinstance(data, pl.DataFrame)
        shown = data.filter(pl.col("uid").is_in(uids))
        if file != "promesse":  # it has times of its own
            shown = shown.filter(pl.col("datetime").is_between(begin, end))
        dots = Series("published", *kilometres(shown["lat"], shown["lng"], origin), marks=True, colour=1)
        ranges = [(min(axis) - MARGIN_KM, max(axis) + MARGIN_KM) for axis in (way.x, way.y)]
        chart = Chart(title, "km to the east", "km to the north", (way, dots), *ranges)
        (folder / f"trace-{file}.svg").write_text(chart.to_svg(), encoding="utf-8")


if __name__ == "__main__":
    main(*map(Path, sys.argv[1:2]))
