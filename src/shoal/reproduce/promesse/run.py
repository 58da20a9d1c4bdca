"""Promesse, Tables I to VI, from our own mechanisms and measures.

Every mechanism's figures are kept in the output directory as soon as they are there, and taken from there when the
command is run again. Cabspotting and Geolife are public; without either the data are synthetic.
"""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Literal

from shoal import synth
from shoal.data import Fixes, read_fixes
from shoal.errors import ParameterError
from shoal.progress import Progress
from shoal.reproduce.findings import Finding, save_findings
from shoal.reproduce.promesse.findings import findings_of
from shoal.reproduce.promesse.piece import Figures, Raw, kept_piece, make_piece
from shoal.reproduce.promesse.plan import MECHANISMS, Job, jobs
from shoal.reproduce.promesse.prepared import DAYS, prepared
from shoal.reproduce.promesse.printed import DataSet
from shoal.reproduce.promesse.tables import save_all, save_curves

Scale = Literal["small", "paper"]

SMALL_USERS = 20

_PIVOTS = "pivots are published as they are, as the program of 2010 does; how the paper came to its figure is not known"


def reproduce(
    out: Path,
    *,
    scale: Scale = "small",
    data: Fixes | None = None,
    data_set: DataSet | None = None,
    mechanisms: Sequence[str] = MECHANISMS,
    days: int = DAYS,
    users: int = SMALL_USERS,
    seed: int = 0,
    progress: Progress,
) -> list[Finding]:
    """Write the tables and the page paper | measured; return its rows.

    Parameters
    ----------
    out
        Directory that exists. Finished mechanisms in it are not run again.
    scale
        ``small``: synthetic people, a minute or two. ``paper`` needs data.
    data
        The raw data.
    data_set
        Which of the paper's they are; None where they are none of them.
    mechanisms
        Those to run.
    days
        How many days of everybody.
    users
        Synthetic people.
    seed
        Of synthetic people, of noise, and of queries.
    """
    if data is None:
        if scale == "paper":
            raise ParameterError(
                "`scale='paper'` without data",
                expected="Cabspotting or Geolife, which are public, as `data`",
                hint="`scale='small'` makes people up",
            )
        data, data_set = read_fixes(synth.gps(users, days + 1, seed=seed).points), None
    ready = prepared(data, days)
    table_1 = ready.table_1()
    raw, pieces = Raw(ready, seed), {}
    for job in jobs(data_set or "cabspotting"):
        if job.mechanism not in mechanisms:
            continue

        def tell(phase: str, done: int, total: int, name: str = job.name) -> None:
            progress(f"{name}: {phase}", done, total)

        pieces[job] = _piece(out / f"{job.name}.json", job, raw, table_1, tell) if job.known else None
    save_all(out, table_1, pieces)
    save_curves(out, pieces)
    findings = findings_of(data_set, table_1, pieces, _reasons(data_set, table_1))
    save_findings(out, "Promesse: printed beside measured", _notes(data_set, days, table_1, pieces), findings)
    return findings


def _piece(path: Path, job: Job, raw: Raw, table_1: Mapping[str, float], tell: Progress) -> Figures:
    made_from: dict[str, Any] = {
        "seed": raw.seed,
        **{name: table_1[name] for name in ("people", "records", "traces")},
        "way_km": round(table_1["way_km"], 3),
        "mechanism": job.mechanism,
        **job.parameters,
    }
    return kept_piece(path, made_from) or make_piece(path, made_from, job, raw, tell)


def _reasons(data_set: DataSet | None, table_1: Mapping[str, float]) -> dict[str, str]:
    """What is known about cells that do not agree."""
    glitches = f"{100 * table_1['way_in_glitches_share']:.0f} % of the way is faster than 180 km/h"
    reasons = {
        "error promesse": "the paper's pseudocode cuts corners, and the points of by path lie on the line",
        **dict.fromkeys(("F-score w4m", "error w4m", "distortion w4m"), _PIVOTS),
        "size promesse": f"follows the length of the way, and {glitches}; the paper does not say what it filtered",
    }
    if data_set == "cabspotting":
        reasons["F-score geoind-ln(2)/200"] = (
            "three other draws of noise gave 0.5 to 0.6 %, so not by chance; not known"
        )
    return reasons


def _notes(data_set: DataSet | None, days: int, table_1: Mapping[str, float], pieces: Mapping[Job, Any]) -> list[str]:
    source = {"cabspotting": "Cabspotting", "geolife": "Geolife", "mdc": "MDC"}.get(data_set or "", "other data")
    later = sorted({job.mechanism for job, figures in pieces.items() if figures is None})
    return [
        f"Measured on {source}: {table_1['records']:,} records in {table_1['traces']:,} traces of "
        f"{table_1['people']:,} people, the first {days} days of whoever has more.",
        f"Nothing else was filtered: {100 * table_1['way_in_glitches_share']:.1f} % of the {table_1['way_km']:,.0f} km "
        "lie between records that are farther apart than 180 km/h allow.",
        "",
        "- *measured* is the paper's way: Promesse by `chord`, one step cut off at the ends. *by path*: points on the",
        "  trace's own line.",
        "- ± is one standard error: over traces (F-score, error) or over 1,000 queries (distortion).",
        "- *F-score*: every stay is a POI, mean over traces that have one. *F of places*: stays joined within 100 m,",
        "  mean over people; not printed.",
        "- *as printed*: within 5 %, two standard errors, or the last printed digit; *near*: within 10 %.",
        "- Rounding degrees to 6 decimals, as every release does, moves points by 0.02 m off a line on the mean.",
        "- Times are for protecting and writing, the longest of all parameters: here on the wall and, in brackets, of",
        "  all cores together; there on 8 cores of 1.8 GHz.",
        *([f"- Not measured yet: {', '.join(later)}."] if later else []),
        *(
            ["- W4M was run on parts of traces: a cluster may hold one person alone, which `protect` does not allow."]
            if any(job.mechanism == "w4m" and figures for job, figures in pieces.items())
            else []
        ),
    ]
