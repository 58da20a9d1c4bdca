"""Are synthetic people as hard to hide as the papers' are? (anonymizability Figs. 2–6, GLOVE Figs. 3–5)"""

import numpy as np
import pyarrow as pa

from shoal.data import read
from shoal.measurement.kgap import measure
from shoal.progress import Progress
from shoal.synth import PRESETS, Statistic

TARGETS = 1_000
"""The gaps of so many random people, against everybody, tell quantiles to about a hundredth."""

_MEDIAN_GAP = {"civ": 0.09}
_80TH_PERCENTILE = {"sen": 0.17}
_SHARES = {
    "temporal_above_spatial": ("temporal above spatial", 0.95),
    "temporal_at_least_80_percent": ("temporal at least 80 %", 0.5),
    "temporal_is_all": ("temporal is all of it", 0.15),
    "twi_spatial_below_1.5": ("spatial tail index below 1.5", 0.85),
    "twi_temporal_at_least_1.5": ("temporal tail index 1.5 or more", 0.7),
}

_WHY_OFF = {
    "spatial tail index below 1.5": "many people match the nearest one in 75 % to 99 % of samples, "
    "which makes the index infinite; see docs/explanation/synthetic-data.md",
}


def hiding_statistics(table: pa.Table, preset: str, users: int, *, seed: int, progress: Progress) -> list[Statistic]:
    """Measure the 2-gap of a sample of people, and set it beside what the papers print."""
    traces = read(table)
    sample = np.sort(np.random.default_rng(seed).choice(len(traces), min(TARGETS, len(traces)), replace=False))
    result = measure(traces, 2, targets=sample, progress=progress)
    gap, anatomy = result.users["kgap"].to_numpy(), result.summary["anatomy"]["2"]
    printed = preset in ("civ", "sen") and users == PRESETS[preset].users
    drawn = f"of {sample.size:,} people drawn, against everybody"
    few = f"{drawn}; not compared: depends on the number of people, or not printed for this preset"

    def row(name: str, target: float | None, measured: float) -> Statistic:
        if not printed or target is None:
            return Statistic(name, "", None, measured, few if not printed else f"{drawn}; not printed")
        statistic = Statistic(name, "", target, measured)
        why = "" if statistic.within else _WHY_OFF.get(name, "")
        return Statistic(name, "", target, measured, f"{drawn}; {why}" if why else drawn)

    return [
        row("2-gap, median", _MEDIAN_GAP.get(preset), float(np.median(gap))),
        row("2-gap, 80th percentile", _80TH_PERCENTILE.get(preset), float(np.quantile(gap, 0.8))),
        row("people 2-anonymous as they are", 0.0, float((gap == 0).mean())),
        *(row(name, target, anatomy[key]) for key, (name, target) in _SHARES.items()),
        row("Gini of the total, median", 0.5, anatomy["median_gini_total"]),
    ]
