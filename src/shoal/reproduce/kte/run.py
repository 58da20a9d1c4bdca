"""kte, Figs. 5–7 and the range of suppression: k = 2, epsilon = tau.

The mechanism is run once for each data set, tau and variant. Every finished run is kept in the output directory as
figures, and taken from there when the command is run again. The data are synthetic unless others are given: the paper's
own cannot be had.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

from shoal import synth
from shoal.data import Traces, read
from shoal.errors import DataError, ParameterError
from shoal.progress import Progress
from shoal.reproduce.findings import Finding, save_findings
from shoal.reproduce.glove.subsets import days_of
from shoal.reproduce.kte.figures import NAMES, save_figures
from shoal.reproduce.kte.findings import findings_of
from shoal.reproduce.kte.piece import Piece, Pieces, kept_piece, make_piece
from shoal.reproduce.kte.plan import (
    FEWEST_PEOPLE,
    FIGURES,
    PAPER_USERS,
    PRESETS,
    SMALL_USERS,
    TAUS,
    Job,
    Scale,
    Variant,
    days_at,
    jobs,
    variants_at,
)
from shoal.reproduce.kte.tables import save_table


@dataclass(frozen=True)
class _Set:
    """One data set; its people are made or read when the first run needs them."""

    name: str
    days: int
    utc_offset_h: int
    load: Callable[[int], Traces]
    made_from: dict[str, Any]


def reproduce(
    out: Path,
    *,
    scale: Scale = "small",
    data: Traces | None = None,
    figures: Sequence[str] = FIGURES,
    presets: Sequence[str] = PRESETS,
    taus: Sequence[int] = TAUS,
    variants: Sequence[Variant] | None = None,
    users: int | None = None,
    seed: int = 0,
    progress: Progress,
) -> list[Finding]:
    """Write curves, a table and the page paper | measured; return its rows.

    Parameters
    ----------
    out
        Directory that exists. Finished runs in it are not made again.
    scale
        ``small``: some minutes; ``paper``: as many people and days as the paper has.
    data
        Use these people in place of the presets.
    figures, presets, taus
        Which figures, data sets and tau (minutes; Fig. 7 has its own).
    variants
        The repaired algorithm, and the paper's for comparison, which compares all pairs of people. By default both at
        the small scale, and the first alone at the other.
    users
        So many synthetic people of each preset, whatever the scale.
    seed
        Of synthetic people.
    """
    chosen = variants or variants_at(scale)
    sets = _sets(scale, data, presets, users, seed)
    needed = {one.name: jobs(figures, one.name, one.days, taus, chosen) for one in sets}
    if not any(needed.values()):
        raise ParameterError(
            "`only`, `presets` and `tau` that leave nothing to show",
            expected="a figure that shows one of these presets",
            hint="fig5 is for abidjan, dakar and shanghai (tau up to 60), fig6 for civ and sen, fig7 for abidjan",
        )
    pieces: Pieces = {}
    for one in sets:
        todo = dict.fromkeys(job for found in needed[one.name].values() for job in found)
        if todo:
            (out / one.name).mkdir(exist_ok=True)
            pieces[one.name] = {job: _piece(out, one, job, seed, progress) for job in todo}
    save_figures(out, needed, pieces)
    save_table(out, pieces)
    findings = findings_of(needed, pieces)
    notes = _notes(scale, data is not None, seed, chosen, pieces)
    save_findings(out, "kte: printed beside measured", notes, findings)
    return findings


def _piece(out: Path, one: _Set, job: Job, seed: int, progress: Progress) -> Piece:
    """Take what is there, or make it."""
    path = out / one.name / f"{job.name}.json"
    made_from = {**one.made_from, "seed": seed, "run": job.name}

    def tell(phase: str, done: int, total: int) -> None:
        progress(f"{one.name}, tau {job.tau} min, {NAMES[job.variant]}: {phase}", done, total)

    return kept_piece(path, made_from) or make_piece(
        path, made_from, job, lambda: one.load(job.days), one.utc_offset_h, tell
    )


def _sets(scale: Scale, data: Traces | None, presets: Sequence[str], users: int | None, seed: int) -> list[_Set]:
    if data is not None:
        if len(data) < FEWEST_PEOPLE:
            raise DataError(
                "very few people", expected=f"at least {FEWEST_PEOPLE}", hint="nobody can be hidden among so few"
            )
        start, end = data.span_s
        made_from = {"people": len(data), "samples": data.samples, "start": start, "end": end}
        return [_Set("data", days_of(data), 0, lambda _days: data, made_from | data.grid.to_dict())]

    def made(name: str) -> _Set:
        people = users or (SMALL_USERS if scale == "small" else PAPER_USERS[name])

        @lru_cache(maxsize=1)  # runs of one length follow each other, and a nation fills much memory
        def load(days: int) -> Traces:
            return read(synth.cdr(people, days, preset=name, seed=seed))

        offset = synth.PRESETS[name].utc_offset_h
        return _Set(name, days_at(scale, name), offset, load, {"preset": name, "people": people})

    return [made(name) for name in presets]


def _notes(scale: Scale, own_data: bool, seed: int, variants: Sequence[Variant], pieces: Pieces) -> list[str]:
    source = "data given by the user" if own_data else f"synthetic people, scale {scale}, seed {seed}"
    words = {
        "repaired": "`shoal protect kte`",
        "paper": "the construction as printed (`--variant paper`), which breaks its promise",
    }
    runs = [
        f"- {name}, {job.days} day{'s' if job.days > 1 else ''}, tau = {job.tau} min, {job.variant}: "
        f"{piece.people:,} people, {piece.samples:,} samples"
        for name, by_job in pieces.items()
        for job, piece in by_job.items()
    ]
    return [
        f"Measured on {source}; k = 2, epsilon = tau. Each figure is **per raw sample**, and in brackets per",
        "published box, which is what the paper counts. In space it is the sum of a box's sides, in time its duration.",
        "Where several tau are measured, the least and the greatest figure stand here, all in `granularity.csv`.",
        "",
        *(f"- *{variant}*: {words[variant]}" for variant in variants),
        "",
        f"The note judges *{variants[0]}*, counted as boxes. The paper prints curves and words, so the limits of a",
        "verdict are ours: 'about 1' is within a factor of 1.5. The runs:",
        "",
        *runs,
    ]
