"""Pictures of the docs that are made from synthetic people: traces under each mechanism that publishes points, one
group before and after, how hard people are to hide, and what hiding them costs.

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
from shoal.choosing.piece import tried
from shoal.choosing.settings import Setting
from shoal.measurement.kgap import gaps as gaps_of
from shoal.mechanisms.base import Mechanism
from shoal.pages.lines import Chart, Series
from shoal.progress import silent
from shoal.usefulness.within import LADDER

HERE = Path(__file__).resolve().parent
SEED = 1
HOURS = 3
PEOPLE, DAYS, KS = 200, 3, (2, 3, 5)
CROWDS, SHARES = (2, 3, 5, 10), (0.0, 0.02, 0.05, 0.1, 0.2)
NEAR = LADDER[2]
MARGIN_KM = 1
METRES_PER_DEGREE = 111_195
WIDE_M = 12_000

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


def traces_under_each(folder: Path) -> None:
    """One trace as it was recorded, and what each mechanism publishes of it."""
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
        save(folder, f"trace-{file}", Chart(title, "km to the east", "km to the north", (way, dots), *ranges))


def hard_to_hide(folder: Path, traces: shoal.Traces) -> None:
    """The k-gap of everybody, by k."""
    gaps = gaps_of(traces, KS)
    shares = np.linspace(0, 1, 101)
    series = [Series(f"k = {k}", np.quantile(gaps[k], shares).tolist(), (100 * shares).tolist()) for k in KS]
    title = "How far people must be stretched to look like k - 1 others"
    save(folder, "k-gap", Chart(title, "k-gap: 0 is hidden already", "% of people", tuple(series), (0, 0.6), (0, 100)))


def one_group(folder: Path, traces: shoal.Traces) -> None:
    """The fingerprints of one group in space and time: where its two members were, and the boxes that both get."""
    release = shoal.Glove(k=2).protect(traces, seed=SEED)
    data, mapping = pl.from_arrow(release.data), pl.from_arrow(release.secret.mapping)
    assert isinstance(data, pl.DataFrame)
    assert isinstance(mapping, pl.DataFrame)
    sequences = data.group_by("uid", maintain_order=True).agg("t_start", "t_end", "x_min", "x_max")
    pairs = sequences.group_by("t_start", "t_end", "x_min", "x_max").agg("uid").filter(pl.col("uid").list.len() == 2)
    # Of middling length and nearby: one that can be looked at.
    wide = pairs.with_columns(wide=pl.col("x_max").list.max() - pl.col("x_min").list.min())
    some = (
        wide.filter(pl.col("t_start").list.len().is_between(8, 16), pl.col("wide") < WIDE_M)
        .sort("wide")
        .row(-1, named=True)
    )
    start = some["t_start"][0]
    series = []
    for t0, t1, x0, x1 in zip(some["t_start"], some["t_end"], some["x_min"], some["x_max"], strict=True):
        hours = [(t - start).total_seconds() / 3600 for t in (t0, t1, t1, t0, t0)]
        corners = [x / 1000 for x in (x0, x0, x1, x1, x0)]
        series.append(Series("what both are published as", hours, corners, colour=1))
    people = traces.people.to_pylist()
    for number, uid in enumerate(sorted(some["uid"])):
        at = people.index(mapping.filter(uid=uid)["original_uid"].item())
        rows = slice(traces.offsets[at], traces.offsets[at + 1])
        seconds = traces.t[rows].astype(np.int64) * traces.grid.dt_s - start.timestamp()
        metres = traces.x[rows] * traces.grid.cell_m
        name = ("one of them, as recorded", "the other")[number]
        series.append(
            Series(name, (seconds / 3600).tolist(), (metres / 1000).tolist(), marks=True, colour=(0, 2)[number])
        )
    title = "Two people, hidden in each other"
    reach = [value for one in series for value in one.y]
    y_range = min(reach) - MARGIN_KM, max(reach) + MARGIN_KM
    save(folder, "group", Chart(title, "hours", "km to the east", tuple(series), y_range=y_range))


def what_it_costs(folder: Path, traces: shoal.Traces) -> None:
    """How much of the data stays near the truth: by how many people look alike, and by how much is left out."""

    def made(k: int, share: float) -> dict[str, Any]:
        setting = Setting("glove", {"k": k, "suppress_share": share})
        return tried(setting, traces, silent, attacked=False, need=NEAR)

    near = [100 * made(k, 0.0)["need"]["share"] for k in CROWDS]
    words = f"% of samples within {NEAR}"
    line = (Series("nothing left out", CROWDS, near, dots=True),)
    save(folder, "accuracy-k", Chart("The price of a larger crowd", "k", words, line, y_range=(0, 100)))
    lines = []
    for k in CROWDS[:3]:
        found = [made(k, share)["utility"] for share in SHARES]
        lost = [100 * figures["samples_deleted_share"] for figures in found]
        wide = [figures["per_sample"]["span_max_m"]["mean"] / 1000 for figures in found]
        lines.append(Series(f"k = {k}", lost, wide, dots=True))
    title, axis = "What leaving out a few samples buys", "mean box of a sample, km"
    save(folder, "accuracy-left-out", Chart(title, "% of samples left out", axis, tuple(lines), log_y=True))


def coarser(folder: Path, traces: shoal.Traces) -> None:
    """The k-gap of everybody, by what everything is snapped to first."""
    series = [
        Series(f"{level['cell_m'] / 1000:g} km, {level['minutes']} min", level["deciles"], range(0, 101, 10))
        for level in shoal.measure(traces, k=2, levels=True).summary["levels"]
    ]
    title = "Coarser data hide few more: k = 2"
    save(folder, "k-gap-levels", Chart(title, "k-gap", "% of people", tuple(series), (0, 0.6), (0, 100)))


def save(folder: Path, name: str, chart: Chart) -> None:
    (folder / f"{name}.svg").write_text(chart.to_svg(), encoding="utf-8")


def main(folder: Path | None = None) -> None:
    traces_under_each(folder or HERE / "how-to")
    people = shoal.read(synth.cdr(PEOPLE, DAYS, preset="civ", seed=SEED))
    for draw in (hard_to_hide, coarser, one_group, what_it_costs):
        draw(folder or HERE / "pictures", people)


if __name__ == "__main__":
    main(*map(Path, sys.argv[1:2]))
