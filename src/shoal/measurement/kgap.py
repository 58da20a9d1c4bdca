"""How hard is it to hide these people, and why: the k-gap and its anatomy (GLOVE §4–5; anonymizability §2, §4).

The k-gap of a person is the mean stretch effort toward the k-1 nearest others: 0 when k people are already alike,
1 when hiding among the nearest would leave nothing of use. All comparisons are exact, in whole numbers.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from shoal.data import Traces, read
from shoal.data.few import few_people
from shoal.data.frames import FrameOut
from shoal.data.screen import active_enough
from shoal.engines.local import Local
from shoal.errors import DataError, ParameterError, given
from shoal.kernels.common.rehearsal import rehearsed
from shoal.progress import Progress, silent
from shoal.shown import table
from shoal.workers import Workers

if TYPE_CHECKING:
    from shoal.pages.lines import Chart

Floats = NDArray[np.float64]


class Level(NamedTuple):
    """A uniform coarsening, as in Fig. 4 of both papers."""

    cell_m: int
    minutes: int

    def __str__(self) -> str:
        return f"{self.cell_m / 1000:g} km, {self.minutes} min"


LEVELS = (Level(100, 1), Level(1_000, 30), Level(2_500, 60), Level(5_000, 120), Level(10_000, 240), Level(20_000, 480))

LARGEST_K = 100

_PARTS = ("spatial", "temporal")
_FIGURES = (*_PARTS, "ratio", *(f"{index}_{part}" for index in ("gini", "twi") for part in (*_PARTS, "total")))

_CHUNK = 256
"""People whose anatomy one thread works out at a time."""


@dataclass(frozen=True, eq=False, repr=False)
class KGap(FrameOut):
    """The result of ``shoal measure``.

    Attributes
    ----------
    users
        A row per person and k: ``uid, k, kgap, nearest`` (the k-1 nearest, nearest first), ``spatial, temporal``
        (their sum is the k-gap), ``ratio`` (temporal to spatial) and the dispersion of the sample stretches.
    summary
        What can be said about all of them together.
    """

    users: pa.Table
    summary: dict[str, Any]

    def __repr__(self) -> str:
        medians = ", ".join(f"k={k}: {deciles[5]:.3f}" for k, deciles in self.summary["kgap"].items())
        return f"KGap({self.summary['people']:,} people, median {medians})"

    def _repr_html_(self) -> str:
        from shoal.pages.lines import in_notebook

        # Neither the least nor the greatest: each is one person's value.
        rows = [(f"k = {k}", *deciles[1:-1:2]) for k, deciles in self.summary["kgap"].items()]
        return table(repr(self), rows, ("k-gap", "10 %", "30 %", "50 %", "70 %", "90 %")) + in_notebook(self.chart)

    @property
    def chart(self) -> "Chart":
        """Share of people against the k-gap, for each k, from a tenth of the people to nine tenths."""
        from shoal.pages.lines import Chart, Series  # loaded late: commands draw nothing

        tenths = [tenth / 10 for tenth in range(1, 10)]
        lines = (Series(f"k = {k}", deciles[1:-1], tenths, dots=True) for k, deciles in self.summary["kgap"].items())
        return Chart("How hard they are to hide", "k-gap", "share of people", tuple(lines), y_range=(0, 1))

    def to_arrow(self) -> pa.Table:
        return self.users


def measure(
    data: Any,
    k: int | Sequence[int] = 2,
    *,
    levels: bool = False,
    min_per_day: float = 0,
    targets: NDArray[np.int64] | None = None,
    threads: int | None = None,
    progress: Progress | None = None,
) -> KGap:
    """Measure the k-gap of everybody, for several k in one pass, and take it apart.

    Parameters
    ----------
    data
        Traces, or anything that :func:`shoal.read` takes.
    k
        One or several crowd sizes, 2 to 100.
    levels
        Also measure the data snapped to each of the papers' coarser grids.
    min_per_day
        Leave out people with fewer samples per day of the data.
    targets
        Measure only these people (indices after screening), still against everybody.
    threads
        How many to use; all processors by default.
    progress
        Told about phases as they go on.

    Examples
    --------
    >>> import polars as pl
    >>> events = pl.DataFrame({
    ...     "uid": ["a", "b"], "datetime": ["2020-01-01T00:00:00Z", "2020-01-01T01:00:00Z"],
    ...     "lat": [6.1, 6.1], "lng": [-5.2, -5.2],
    ... })
    >>> measure(events).users["kgap"].to_pylist()  # an hour apart, of eight, in one of two equal parts
    [0.0625, 0.0625]
    """
    everybody = data if isinstance(data, Traces) else read(data, progress=progress)
    keep = active_enough(everybody, min_per_day)
    traces = everybody if keep.all() else everybody.select(keep)
    sizes = _checked_sizes(k, len(traces))
    tell = progress or silent
    with rehearsed(_rehearse), Local(threads).workers() as workers:
        found = _search(traces, sizes[-1], targets, workers, tell)
        columns = _anatomy(found, sizes, workers, tell)
    summary: dict[str, Any] = {
        "crs": traces.crs.proj,
        "grid": traces.grid.to_dict(),
        "people": len(traces),
        "samples": traces.samples,
        "screened": int((~keep).sum()),
        "measured": int(found.targets.size),
        "kgap": {str(size): deciles(columns[size]["kgap"]) for size in sizes},
        "anatomy": {str(size): _anatomy_summary(columns[size]) for size in sizes},
    }
    if levels:
        summary["levels"] = [
            row
            for level in LEVELS
            for row in _level_rows(
                level, gaps(traces, sizes, level=level, targets=targets, threads=threads, progress=tell)
            )
        ]
    return KGap(_users(traces, found, columns), summary)


def _rehearse() -> None:
    measure(few_people())


def deciles(values: Floats) -> list[float]:
    """Return the 0 %, 10 %, …, 100 % quantiles."""
    return [float(v) for v in np.quantile(values, np.linspace(0, 1, 11))]


def _checked_sizes(k: int | Sequence[int], people: int) -> list[int]:
    sizes = sorted(set([k] if isinstance(k, int) else k))
    for size in sizes:
        if isinstance(size, bool) or not isinstance(size, int) or not 2 <= size <= LARGEST_K:
            raise ParameterError(
                given("k", size), expected=f"whole numbers from 2 to {LARGEST_K}", hint="2 is the usual"
            )
    if not sizes:
        raise ParameterError("no k", expected="at least one", hint="for example 2, or 2 and 5")
    if sizes[-1] > people:
        raise DataError(
            f"{people:,} people for k = {sizes[-1]}", expected="at least k people", hint="lower `k`, or `min_per_day`"
        )
    return sizes


@dataclass(frozen=True, slots=True)
class _Found:
    """People as the kernels see them, and the nearest of each target."""

    people: Any
    scale: Any
    targets: NDArray[np.int32]
    other: NDArray[np.int32]
    delta: Floats

    def kgap(self, k: int) -> Floats:
        """Mean stretch to the k-1 nearest, GLOVE (11)."""
        return np.asarray(self.delta[:, : k - 1].mean(axis=1))


def _search(
    traces: Traces,
    k: int,
    targets: NDArray[np.int64] | None,
    workers: Workers,
    progress: Progress,
    phase: str = "nearest neighbours",
) -> _Found:
    # Numba takes its time to load, hence here.
    from shoal.kernels.common.people import pack
    from shoal.kernels.common.scale import scale_of
    from shoal.kernels.kgap.neighbours import neighbours

    caps = {"space_cap": traces.grid.space_cap, "time_cap": traces.grid.time_cap}
    found = neighbours(
        traces.offsets,
        traces.t,
        traces.x,
        traces.y,
        **caps,
        k=k,
        targets=targets,
        workers=workers,
        progress=lambda done, total: progress(phase, done, total),
    )
    scale = scale_of(**caps)
    people = pack(traces.offsets, traces.t, traces.x, traces.y, scale)
    delta = found.total / (np.float64(found.unit) * found.samples)
    return _Found(people, scale, found.targets, found.other, delta)


def _anatomy(found: _Found, sizes: list[int], workers: Workers, progress: Progress) -> dict[int, dict[str, Floats]]:
    """Return, for each k, a column per figure of the anatomy."""
    from shoal.kernels.kgap.anatomy import FIGURES, anatomy
    from shoal.kernels.kgap.pairs import match_pairs

    rows = found.targets.size
    out = np.empty((rows, len(sizes), len(FIGURES)))
    wanted = np.array(sizes, np.int64)

    def work(part: slice) -> int:
        others = found.other[part, : sizes[-1] - 1]
        pairs = np.repeat(found.targets[part], others.shape[1]), others.ravel()
        matches = match_pairs(found.people, found.scale, *pairs)
        anatomy(matches.offsets, matches.space, matches.time, wanted, found.scale.unit, out[part])
        return int(min(part.stop, rows) - part.start)

    done = 0
    for finished in workers.pool.map(work, (slice(at, at + _CHUNK) for at in range(0, rows, _CHUNK))):
        done += finished
        progress("anatomy", done, rows)
    return {
        k: {"kgap": found.kgap(k)} | {name: out[:, i, c] for c, name in enumerate(FIGURES)} for i, k in enumerate(sizes)
    }


def gaps(
    traces: Traces,
    sizes: Sequence[int],
    *,
    level: Level = LEVELS[0],
    targets: NDArray[np.int64] | None = None,
    threads: int | None = None,
    progress: Progress | None = None,
) -> dict[int, Floats]:
    """Return the k-gaps alone, for each k, of people as they are on a coarser grid.

    Parameters
    ----------
    traces
        The people.
    sizes
        Values of k.
    level
        The grid.
    targets, threads, progress
        As in `measure`.
    """
    ordered = _checked_sizes(sizes, len(traces))
    snapped = traces.snapped(level.cell_m, level.minutes * 60)
    with Local(threads).workers() as workers:
        found = _search(snapped, ordered[-1], targets, workers, progress or silent, f"nearest at {level}")
    return {k: found.kgap(k) for k in ordered}


def sample_parts(traces: Traces, person: int) -> tuple[Floats, Floats]:
    """Return the spatial and the temporal part of each sample stretch behind one person's 2-gap."""
    from shoal.kernels.kgap.pairs import match_pairs

    with Local().workers() as workers:
        found = _search(traces, 2, np.array([person]), workers, silent)
    parts = match_pairs(found.people, found.scale, [person], found.other[:, 0])
    return parts.space / found.scale.unit, parts.time / found.scale.unit


def _level_rows(level: Level, by_k: dict[int, Floats]) -> Iterator[dict[str, Any]]:
    """Say who is k-anonymous on a coarser grid: whoever has a k-gap of 0 there."""
    for k, gap in by_k.items():
        yield {
            "cell_m": level.cell_m,
            "minutes": level.minutes,
            "k": k,
            "share_anonymous": float((gap == 0).mean()),
            "deciles": deciles(gap),
        }


def _anatomy_summary(columns: dict[str, Floats]) -> dict[str, Any]:
    """Say what the papers print about the anatomy: shares of people."""
    total = columns["spatial"] + columns["temporal"]
    alive = total > 0
    share = np.divide(columns["temporal"], total, out=np.zeros_like(total), where=alive)
    return {
        "temporal_above_spatial": _mean(columns["temporal"] > columns["spatial"]),
        "temporal_at_least_80_percent": _mean(alive & (share >= 0.8)),
        "temporal_is_all": _mean(alive & (columns["spatial"] == 0)),
        "infinite_ratios": int(np.isinf(columns["ratio"]).sum()),
        "median_gini_total": float(np.median(columns["gini_total"])),
        "twi_spatial_below_1.5": _mean(columns["twi_spatial"] < 1.5),
        "twi_temporal_at_least_1.5": _mean(columns["twi_temporal"] >= 1.5),
    }


def _mean(mask: NDArray[np.bool_]) -> float:
    return float(mask.mean())


def _users(traces: Traces, found: _Found, columns: dict[int, dict[str, Floats]]) -> pa.Table:
    """One row per person and k, all people of one k together."""
    uid = traces.people.take(pa.array(found.targets))
    tables = []
    for k, figures in columns.items():
        others = found.other[:, : k - 1]
        offsets = np.arange(0, others.size + 1, k - 1, dtype=np.int32)
        nearest = pa.ListArray.from_arrays(pa.array(offsets), traces.people.take(pa.array(others.ravel())))
        named = {name: pa.array(figures[name]) for name in _FIGURES}
        tables.append(
            pa.table(
                {"uid": uid, "k": pa.repeat(pa.scalar(k, pa.int32()), len(uid)), "kgap": pa.array(figures["kgap"])}
                | {"nearest": nearest}
                | named
            )
        )
    return pa.concat_tables(tables)
