"""The same people under kte and under GLOVE: how large the boxes are, what is left out, what attackers get.

    python benchmarks/kte_or_glove.py             2,000 people of abidjan, 4 days: a minute
    python benchmarks/kte_or_glove.py --full      abidjan 5,000 x 14 days, Gowalla, Cabspotting (`../shared`)

Spans are medians (and means) per raw sample that is left. *Singled out* is the share of people whom the audit's
attackers single out, by 5 points at random, and by the whole trace; *tightest fit* is how often whoever knows all
of one interval of tau and takes the tightest fit is right. GLOVE is shown with nothing left out, and leaving out as
much as kte did where that is more than a thousandth.

Cabspotting is thinned to the rates of call records: of each cab's first week so many fixes are kept, at random, that
there are 17 a day.
"""

import argparse
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

import shoal
from shoal import synth

SHARED = Path(__file__).resolve().parents[2] / "shared" / "data"
PER_DAY, CAB_DAYS = 17, 7
LEAST_SHARE = 0.001
TAU = "60m"
HEAD = (
    "| data | mechanism | left out | km | min | singled out: 5 points | whole trace | tightest fit |\n"
    "| --- | --- | ---: | ---: | ---: | ---: | ---: | ---: |"
)


def abidjan(people: int, days: int) -> Callable[[], Any]:
    return lambda: synth.cdr(people, days, preset="abidjan", seed=1)


def gowalla() -> Any:
    return pl.read_parquet(SHARED / "gowalla_nyc.parquet")


def thinned_cabs() -> Any:
    points = pl.read_parquet(SHARED / "cabspotting.parquet").sort("uid", "datetime", "lat", "lng")
    week = points.filter(pl.col("datetime") < pl.col("datetime").min() + pl.duration(days=CAB_DAYS))
    drawn = pl.Series("drawn", np.random.default_rng(1).random(week.height))
    kept = pl.col("drawn").rank("ordinal").over("uid") <= PER_DAY * CAB_DAYS
    return week.with_columns(drawn).filter(kept).drop("drawn")


def row(data: str, name: str, traces: shoal.Traces, mechanism: Any) -> float:
    """Protect, audit, measure; print a line and return the share that was left out."""
    with tempfile.TemporaryDirectory() as folder:
        written = shoal.protect(traces, mechanism, Path(folder) / "release", not_for_release=True)
        verdict = shoal.audit(written.path, original=traces, secret=written.secret)
        left = shoal.utility(written.path, original=traces, secret=written.secret).to_dict()
    assert verdict.ok, [check.id for check in verdict.checks if check.status == "fail"]
    figures = {check.id: check.figures for check in verdict.checks}
    spans, gone = left["per_sample"], float(left["samples_deleted_share"])
    place, time = spans["span_sum_m"], spans["span_s"]
    cells = [
        *(data, name, f"{gone:.1%}"),
        f"{place['median'] / 1000:.1f} ({place['mean'] / 1000:.1f})",
        f"{time['median'] / 60:.0f} ({time['mean'] / 60:.0f})",
        f"{figures['attack_points']['points_5']['unique']['share']:.0%}",
        f"{figures['attack_whole_trace']['whole_trace']['unique']['share']:.0%}",
        f"{figures['tightest_fit']['success']:.0%}" if "success" in figures["tightest_fit"] else "",
    ]
    print("| " + " | ".join(cells) + " |", flush=True)
    return gone


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--full", action="store_true", help="5,000 people for two weeks, and real data")
    full = parser.parse_args().full
    sets: dict[str, Callable[[], Any]] = {"abidjan 2,000 × 4 days": abidjan(2_000, 4)}
    if full:
        sets = {"abidjan 5,000 × 14 days": abidjan(5_000, 14), "Gowalla": gowalla, "Cabspotting, thinned": thinned_cabs}
    print(HEAD)
    for data, load in sets.items():
        if load in (gowalla, thinned_cabs) and not SHARED.exists():
            print(f"left out: {data} (no {SHARED.name})")
            continue
        traces = shoal.read(load())
        gone = row(data, f"kte, k = 2, {TAU}/{TAU}", traces, shoal.Kte(k=2, tau=TAU, epsilon=TAU))
        row(data, "glove, k = 2", traces, shoal.Glove(k=2))
        if gone > LEAST_SHARE:
            share = f"glove, k = 2, {gone:.1%} left out"
            row(data, share, traces, shoal.Glove(k=2, suppress_share=round(gone, 4)))


if __name__ == "__main__":
    main()
