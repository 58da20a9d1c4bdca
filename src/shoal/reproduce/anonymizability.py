"""On the anonymizability of mobile traffic datasets, Figs. 2–6, and GLOVE, Figs. 3–5.

Every measurement is kept in the output directory as soon as it is done, and taken from there when the command is
run again. The data are synthetic unless others are given: the papers' own cannot be had.
"""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

import numpy as np
import pyarrow.parquet as pq
from numpy.typing import NDArray

from shoal import synth
from shoal.data import Traces, read
from shoal.files.durable import whole_file
from shoal.measurement.directory import write
from shoal.measurement.kgap import LEVELS, Level, gaps, measure, sample_parts
from shoal.pages.lines import Chart
from shoal.progress import Progress
from shoal.reproduce.findings import Finding, cdf, save_figure, save_findings

Scale = Literal["small", "paper"]
Floats = NDArray[np.float64]

SIZES = (2, 5, 10, 25, 50, 100)
SMALL_USERS, SMALL_TARGETS, PAPER_TARGETS = 3_000, 500, 2_000
DAYS = 14
EXAMPLES = 5
PRESETS = ("civ", "sen")
FEWER = "Far fewer people than the papers': each has fewer to hide among, so gaps are larger and groups rarer."
SHARE = "share of people"


@dataclass(frozen=True)
class _Set:
    """One data set: where its people come from, and where its results are kept."""

    name: str
    folder: Path
    load: Callable[[], Traces]
    targets: int
    seed: int


def reproduce(
    out: Path,
    *,
    scale: Scale = "small",
    data: Any = None,
    presets: tuple[str, ...] = PRESETS,
    seed: int = 0,
    progress: Progress,
) -> list[Finding]:
    """Write the curves and the table paper | measured; return the table."""
    sets = [_measured(s, progress) for s in _sets(out, scale, data, presets, seed)]
    _figures(out, sets)
    findings = _findings(sets)
    source = "data given by the user" if data is not None else f"synthetic data, scale {scale}, seed {seed}"
    notes = [
        f"Measured on {source}. k above 2 is measured for a random sample of people against everybody:",
        *(f"- {m.name}: {m.people:,} people, {m.samples:,} samples; sample of {m.by_k[2].size:,}" for m in sets),
        *([] if data is not None or scale == "paper" else ["", FEWER]),
    ]
    save_findings(out, "Anonymizability: printed beside measured", notes, findings)
    return findings


def _sets(out: Path, scale: Scale, data: Any, presets: tuple[str, ...], seed: int) -> list[_Set]:
    targets = SMALL_TARGETS if scale == "small" else PAPER_TARGETS
    if data is not None:
        return [_Set("data", out / "data", lambda: data if isinstance(data, Traces) else read(data), targets, seed)]

    def make(name: str) -> Callable[[], Traces]:
        users = SMALL_USERS if scale == "small" else synth.PRESETS[name].users
        return lambda: read(synth.cdr(users, DAYS, preset=name, seed=seed))

    return [_Set(name, out / name, make(name), targets, seed) for name in presets]


@dataclass(frozen=True)
class _Measured:
    name: str
    people: int
    samples: int
    users: dict[str, Floats]
    by_k: dict[int, Floats]
    by_level: dict[Level, Floats]
    examples: list[tuple[Floats, Floats]]


def _measured(one: _Set, progress: Progress) -> _Measured:
    """Measure whatever is not there yet."""
    one.folder.mkdir(parents=True, exist_ok=True)
    traces = one.load()
    rng = np.random.default_rng(one.seed)
    chosen = np.sort(rng.choice(len(traces), min(one.targets, len(traces)), replace=False))

    def tell(phase: str, done: int, total: int) -> None:
        progress(f"{one.name}: {phase}", done, total)

    everybody = one.folder / "k2"
    if not everybody.exists():
        write(measure(traces, 2, progress=tell), everybody)
    table = pq.read_table(everybody / "users.parquet")
    users = {name: table[name].to_numpy() for name in table.column_names if name not in ("uid", "k", "nearest")}

    def kept(name: str, work: Callable[[], Any]) -> Any:
        path = one.folder / f"{name}.npz"
        if not path.exists():
            arrays = work()
            with whole_file(path) as file:
                np.savez_compressed(file, **arrays)
        return dict(np.load(path))

    sizes = [k for k in SIZES if k <= len(traces)]
    by_k = kept("sizes", lambda: {str(k): v for k, v in gaps(traces, sizes, targets=chosen, progress=tell).items()})

    def at(level: Level) -> Floats:
        name = f"level-{level.cell_m}-{level.minutes}"
        return np.asarray(kept(name, lambda: {"2": gaps(traces, [2], level=level, progress=tell)[2]})["2"])

    by_level = {level: at(level) for level in LEVELS}
    examples = [sample_parts(traces, int(person)) for person in rng.choice(len(traces), EXAMPLES, replace=False)]
    return _Measured(
        one.name,
        len(traces),
        traces.samples,
        users,
        {int(k): v for k, v in by_k.items()},
        by_level,
        examples,
    )


def _figures(out: Path, sets: list[_Measured]) -> None:
    unit = (0.0, 1.0)
    save_figure(
        out,
        "kgap-2",
        Chart("2-gap of everybody", "k-gap", SHARE, tuple(cdf(m.name, m.users["kgap"]) for m in sets), (0, 0.6), unit),
    )
    for m in sets:
        folder = out / m.name
        by_k = tuple(cdf(f"k = {k}", values) for k, values in m.by_k.items())
        save_figure(folder, "kgap-by-k", Chart(f"k-gap by k, {m.name}", "k-gap", SHARE, by_k, (0, 0.6), unit))
        levels = tuple(cdf(str(level), values) for level, values in m.by_level.items())
        save_figure(folder, "kgap-by-level", Chart(f"2-gap, coarser, {m.name}", "k-gap", SHARE, levels, (0, 0.6), unit))
        for index, title, x_range in (("gini", "Gini coefficient", unit), ("twi", "tail weight index", (0.0, 6.0))):
            curves = tuple(cdf(part, m.users[f"{index}_{part}"]) for part in ("spatial", "temporal", "total"))
            save_figure(folder, index, Chart(f"{title}, k = 2, {m.name}", title, SHARE, curves, x_range, unit))
        for i, (space, time) in enumerate(m.examples, 1):
            curves = (cdf("space", space), cdf("time", time), cdf("total", space + time))
            title = f"sample stretches of one person, {m.name}"
            save_figure(folder, f"person-{i}", Chart(title, "stretch", "share of samples", curves, None, unit))
    ratios = tuple(cdf(m.name, m.users["ratio"]) for m in sets)
    chart = Chart("temporal over spatial stretch", "ratio", SHARE, ratios, (0.1, 1000.0), unit, log_x=True)
    save_figure(out, "ratio", chart)


def _findings(sets: list[_Measured]) -> list[Finding]:
    def row(where: str, what: str, printed: str, figure: Callable[[_Measured], float], form: str) -> Finding:
        return Finding(where, what, printed, {m.name: format(figure(m), form) for m in sets})

    def temporal_share(m: _Measured) -> Floats:
        total = m.users["spatial"] + m.users["temporal"]
        return np.divide(m.users["temporal"], total, out=np.zeros_like(total), where=total > 0)

    def shift(m: _Measured) -> float:
        return float(np.median(m.by_k[max(m.by_k)]) / np.median(m.by_k[2]))

    gap, ratio, tail = "A Fig. 2, G Fig. 3a", "G Fig. 5b", "G Fig. 5a"
    coarsest, largest = LEVELS[-1], max(k for m in sets for k in m.by_k)
    return [
        row(gap, "2-anonymous as they are", "0 %", lambda m: _mean(m.users["kgap"] == 0), ".1%"),
        row(gap, "median 2-gap", "0.09 (civ)", lambda m: float(np.median(m.users["kgap"])), ".3f"),
        row(gap, "2-gap, 80th percentile", "0.17 (sen)", lambda m: float(np.quantile(m.users["kgap"], 0.8)), ".3f"),
        row("A Fig. 3, G Fig. 3b", f"median k-gap, k = {largest}, over k = 2", "mild shift", shift, ".2f"),
        row(
            "A Fig. 4, G Fig. 4",
            f"2-anonymous at {coarsest}",
            "30 % (A), about 35 % (G)",
            lambda m: _mean(m.by_level[coarsest] == 0),
            ".1%",
        ),
        row(ratio, "temporal above spatial", "95 %", lambda m: _mean(temporal_share(m) > 0.5), ".1%"),
        row(f"A Fig. 5f, {ratio}", "temporal at least 80 %", "half", lambda m: _mean(temporal_share(m) >= 0.8), ".1%"),
        row(ratio, "temporal is all of it", "15 %", lambda m: _mean(m.users["spatial"] == 0), ".1%"),
        row(
            "A Fig. 6",
            "median Gini of the total",
            "about 0.5",
            lambda m: float(np.median(m.users["gini_total"])),
            ".2f",
        ),
        row(tail, "spatial tail index below 1.5", "about 85 %", lambda m: _mean(m.users["twi_spatial"] < 1.5), ".1%"),
        row(
            tail,
            "temporal tail index at least 1.5",
            "about 70 %",
            lambda m: _mean(m.users["twi_temporal"] >= 1.5),
            ".1%",
        ),
    ]


def _mean(mask: NDArray[np.bool_]) -> float:
    return float(mask.mean())
