"""Hiding mobile traffic fingerprints with GLOVE, Figs. 7–11 and Table 2.

Everybody is grouped once for each part of a data set and k, and each grouping is published in several ways. Every
finished grouping is kept in the output directory as figures, and taken from there when the command is run again. The
data are synthetic unless others are given: the paper's own cannot be had.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, Literal

from shoal import synth
from shoal.data import Traces, read
from shoal.errors import DataError, ParameterError
from shoal.progress import Progress
from shoal.reproduce.findings import Finding, save_findings
from shoal.reproduce.glove.figures import save_figures
from shoal.reproduce.glove.findings import findings_of
from shoal.reproduce.glove.piece import Pieces, kept_piece, make_piece
from shoal.reproduce.glove.plan import (
    FEWEST_PEOPLE,
    FIGURES,
    PRESETS,
    SIZES,
    TABLE_2_KS,
    Job,
    drawn,
    jobs,
    suppressions,
)
from shoal.reproduce.glove.subsets import days_of, first_days, some_people
from shoal.reproduce.glove.tables import save_all_figures, save_table_2
from shoal.reproduce.glove.wait_for_me import Bendings, kept_or_made
from shoal.reproduce.glove.wait_for_me import findings_of as findings_of_w4m
from shoal.reproduce.glove.ways import WAYS

Scale = Literal["small", "paper"]

SMALL_USERS = 2_000
DAYS = 14


@dataclass
class _Set:
    """One data set; its people are made or read when the first grouping needs them."""

    name: str
    load: Callable[[], Traces]
    days: int
    made_from: dict[str, Any]

    @cached_property
    def traces(self) -> Traces:
        return self.load()

    def part(self, job: Job, seed: int) -> Traces:
        if job.days:
            return first_days(self.traces, job.days)
        return self.traces if job.percent >= 100 else some_people(self.traces, job.percent, seed)


def reproduce(
    out: Path,
    *,
    scale: Scale = "small",
    data: Traces | None = None,
    figures: Sequence[str] = FIGURES,
    presets: Sequence[str] = PRESETS,
    sizes: Sequence[int] = SIZES,
    users: int | None = None,
    seed: int = 0,
    progress: Progress,
) -> list[Finding]:
    """Write curves, tables and the page paper | measured; return its rows.

    Parameters
    ----------
    out
        Directory that exists. Finished groupings in it are not made again.
    scale
        ``small``: some minutes; ``paper``: as many people as the paper has.
    data
        Use these people in place of the presets.
    figures, presets, sizes
        Which figures, data sets and k.
    users
        So many synthetic people of each preset, whatever the scale.
    seed
        Of synthetic people and of the people drawn for Fig. 11.
    """
    sets = _sets(scale, data, presets, users, seed)
    figures = drawn(figures, sizes)
    if not any(jobs(figures, one.name, one.days, sizes) for one in sets):
        raise ParameterError(
            "`only`, `presets` and `k` that leave nothing to show",
            expected="a figure that shows one of these presets and k",
            hint="fig8 and fig9 are for civ, fig10 and fig11 for civ and sen; all but fig8 and table2 are for k = 2",
        )
    pieces: Pieces = {}
    for one in sets:
        folder = out / one.name
        folder.mkdir(exist_ok=True)
        pieces[one.name] = {}
        for job in jobs(figures, one.name, one.days, sizes):
            asked = suppressions(one.name, job)
            made_from = {**one.made_from, "seed": seed, "part": job.name}
            path = folder / f"{job.name}.json"

            def tell(phase: str, done: int, total: int, name: str = f"{one.name} {job.name}") -> None:
                progress(f"{name}: {phase}", done, total)

            def part(one: _Set = one, job: Job = job) -> Traces:
                return one.part(job, seed)

            piece = kept_piece(path, made_from, asked) or make_piece(path, made_from, asked, job.k, part, tell)
            pieces[one.name][job] = piece
    bendings = _bendings(out, sets, sizes, seed, progress) if "table2" in figures else {}
    save_figures(out, figures, pieces)
    save_all_figures(out, pieces)
    if "table2" in figures:
        save_table_2(out, pieces)
    findings = [*findings_of(figures, pieces), *findings_of_w4m(bendings)]
    save_findings(
        out, "GLOVE: printed beside measured", _notes(scale, data is not None, seed, figures, pieces), findings
    )
    return findings


def _bendings(out: Path, sets: Sequence[_Set], sizes: Sequence[int], seed: int, progress: Progress) -> Bendings:
    """What Wait For Me does to the same people."""
    bendings: Bendings = {}
    for one in sets:
        bendings[one.name] = {}
        for k in (k for k in TABLE_2_KS if k in sizes):

            def tell(phase: str, done: int, total: int, name: str = f"{one.name} w4m k{k}") -> None:
                progress(f"{name}: {phase}", done, total)

            def load(one: _Set = one) -> Traces:
                return one.traces

            path, made_from = out / one.name / f"w4m-k{k}.json", {**one.made_from, "seed": seed, "k": k}
            bendings[one.name][k] = kept_or_made(path, made_from, k, load, seed, tell)
    return bendings


def _sets(scale: Scale, data: Traces | None, presets: Sequence[str], users: int | None, seed: int) -> list[_Set]:
    if data is not None:
        if len(data) < FEWEST_PEOPLE:
            raise DataError("very few people", expected=f"at least {FEWEST_PEOPLE}", hint="Fig. 11 takes 5 % of them")
        start, end = data.span_s
        made_from = {"people": len(data), "samples": data.samples, "start": start, "end": end, "days": days_of(data)}
        return [_Set("data", lambda: data, days_of(data), made_from | data.grid.to_dict())]

    def made(name: str) -> _Set:
        people = users or (SMALL_USERS if scale == "small" else synth.PRESETS[name].users)
        made_from = {"preset": name, "people": people, "days": DAYS}
        return _Set(name, lambda: read(synth.cdr(people, DAYS, preset=name, seed=seed)), DAYS, made_from)

    return [made(name) for name in presets]


def _notes(scale: Scale, own_data: bool, seed: int, figures: Sequence[str], pieces: Pieces) -> list[str]:
    source = "data given by the user" if own_data else f"synthetic people, scale {scale}, seed {seed}"
    groupings = [
        f"- {name}, {job.name}: {piece.people:,} people, {piece.samples:,} samples, {piece.groups:,} groups"
        for name, by_job in pieces.items()
        for job, piece in by_job.items()
    ]
    return [
        f"Measured on {source}; {', '.join(figures)}. Each figure is **per raw sample**, and in brackets per published",
        "box, which is what the paper counts. A span is the larger side of a box, or its duration; an error is the",
        "distance of a raw sample from the middle of its box. The ways of publication:",
        "",
        *(f"- *{name}*: {words}" for name, words in WAYS.items()),
        "- *w4m*: Wait For Me with a cylinder of 2 km and a trash of 10 %, means over published samples; it promises",
        "  something else",
        "",
        "*split* publishes boxes in which some member never was (counted as created samples), so it is made for this",
        "comparison only. The note judges the paper's own boxes (*paper*, *split*), counted as boxes; where k-merge",
        "alone was measured, that. The groupings:",
        "",
        *groupings,
    ]
