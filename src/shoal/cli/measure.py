"""``shoal measure``: how hard these people are to hide, and why."""

from pathlib import Path
from typing import Annotated, Any

import typer

from shoal.cli import talk
from shoal.cli.flags import DataPath, Json, Quiet, ReadFlags, expand, real_number, whole_number
from shoal.measurement.words import meanings

_ANATOMY = {
    "temporal_above_spatial": "time costs more than place",
    "temporal_at_least_80_percent": "time is 80 % of the cost or more",
    "temporal_is_all": "time is all of the cost",
    "twi_spatial_below_1.5": "light tail in space (index below 1.5)",
    "twi_temporal_at_least_1.5": "heavy tail in time (index 1.5 or more)",
}

_DECILES = (1, 3, 5, 7, 9)
"""Those that a line has room for, without the extremes."""


@expand(reading=ReadFlags)
def measure(
    data: DataPath,
    *,
    k: Annotated[str, typer.Option(help="Crowd sizes, for example 2,5,10.", metavar="K,…")] = "2",
    out: Annotated[Path, typer.Option(help="Directory to write (about people: keep it); must not exist.")],
    levels: Annotated[bool, typer.Option("--levels", help="Also on six coarser grids, up to 20 km and 8 h.")] = False,
    min_per_day: Annotated[str, typer.Option(help="Leave out people with fewer samples a day.", metavar="N")] = "0",
    threads: Annotated[str | None, typer.Option(help="Threads to use (default: all processors).", metavar="N")] = None,
    reading: ReadFlags,
    json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Measure how hard it is to hide everybody among k people: the k-gap, and what it is made of.

    Example: shoal measure events.parquet --k 2,5 --out measured
    """
    from shoal.files.paths import new_target
    from shoal.measurement.directory import write
    from shoal.measurement.kgap import measure as run

    sizes = [whole_number("--k", size, at_least=2) for size in k.split(",")]
    new_target(out)
    talk.say("reading", quiet=quiet)
    with talk.progress_bars(quiet=quiet) as progress:
        traces, report = reading.read(data, progress=progress)
        talk.say_left_out(report.ignored_columns, report.dropped, quiet=quiet)
        result = run(
            traces,
            sizes,
            levels=levels,
            min_per_day=real_number("--min-per-day", min_per_day),
            threads=whole_number("--threads", threads) if threads else None,
            progress=progress,
        )
    write(result, out)
    if json:
        talk.print_json(result.summary)
    else:
        show(result.summary)
    talk.say(f"written: {out} (about people: keep it to yourself)", quiet=quiet)


def show(summary: dict[str, Any]) -> None:
    """Print the tables."""
    gaps = talk.table("k-gap: 0 is hidden already, 1 cannot be hidden", "at most", *(f"{10 * i} %" for i in _DECILES))
    for k, deciles in summary["kgap"].items():
        gaps.add_row(f"k = {k}", *(f"{deciles[i]:.3f}" for i in _DECILES))
    talk.out.print(gaps, "")
    for words in meanings(summary["kgap"]):
        talk.out.print(words, "", markup=False)
    whys = talk.table("Why", "share of people for whom", *(f"k = {k}" for k in summary["anatomy"]))
    for key, words in _ANATOMY.items():
        whys.add_row(words, *(f"{figures[key]:.1%}" for figures in summary["anatomy"].values()))
    whys.add_row(
        "median Gini of the stretches", *(f"{f['median_gini_total']:.2f}" for f in summary["anatomy"].values())
    )
    talk.out.print(whys, "")
    if "levels" in summary:
        sizes = list(dict.fromkeys(row["k"] for row in summary["levels"]))
        table = talk.table("If everything is made coarser", "grid", *(f"{k}-anonymous" for k in sizes))
        by_level: dict[str, list[str]] = {}
        for row in summary["levels"]:
            name = f"{row['cell_m'] / 1000:g} km, {row['minutes']} min"
            by_level.setdefault(name, []).append(f"{row['share_anonymous']:.1%}")
        for name, shares in by_level.items():
            table.add_row(name, *shares)
        talk.out.print(table, "")
