"""PRIMULE, Figs. 4 to 9, from our own mechanisms and our Sociometer.

Every mechanism's figures are kept in the output directory as soon as they are there, and taken from there when the
command is run again. The paper's call records cannot be had: the people are synthetic.
"""

from pathlib import Path
from typing import Any

import numpy as np

from shoal.data import Profiles
from shoal.progress import Progress
from shoal.reproduce.findings import Finding, save_findings
from shoal.reproduce.primule.figures import save_figures
from shoal.reproduce.primule.findings import findings_of
from shoal.reproduce.primule.piece import Figures, kept_piece, make_piece
from shoal.reproduce.primule.plan import SEEDS, SIZES, Job, Scale, Size, jobs
from shoal.reproduce.primule.raw import Raw, made_raw, raw_of
from shoal.usefulness.sociometer.archetypes import RESIDENT


def reproduce(
    out: Path,
    *,
    scale: Scale = "small",
    data: Profiles | None = None,
    users: int | None = None,
    seed: int = 0,
    progress: Progress,
) -> list[Finding]:
    """Write figures, tables and the page paper | measured; return its rows.

    Parameters
    ----------
    out
        Directory that exists. Finished mechanisms in it are not run again.
    scale
        ``small``: some minutes. ``paper``: half a million people, as many as municipalities of that size need here.
    data
        Profiles to use instead of synthetic ones.
    users
        So many synthetic people instead of the scale's.
    seed
        Of synthetic people and of noise.
    """
    size = SIZES[scale] if users is None else Size(users, SIZES[scale].municipalities)
    raw = made_raw(size, seed, progress) if data is None else raw_of(data, seed, progress)
    shown = _shown(raw)
    pieces = {job: _piece(out / f"{job.name}.json", job, raw, shown, progress) for job in jobs()}
    save_figures(out, raw, pieces, shown)
    findings = findings_of(raw, pieces)
    save_findings(out, "PRIMULE: printed beside measured", _notes(raw, data is not None), findings)
    return findings


def _piece(path: Path, job: Job, raw: Raw, shown: int, progress: Progress) -> Figures:
    values = raw.profiles.values
    made_from: dict[str, Any] = {
        "seed": raw.seed,
        "profiles": len(raw.profiles),
        "municipalities": len(raw.names),
        "sum": round(float(values.sum()), 3),
        "mechanism": job.mechanism,
        **job.parameters,
    }

    def tell(phase: str, done: int, total: int) -> None:
        progress(f"{job.words}: {phase}", done, total)

    return kept_piece(path, made_from) or make_piece(path, made_from, job, raw, shown, tell)


def _shown(raw: Raw) -> int:
    """Choose the profile of Fig. 4: the resident, of the largest municipality, of median activity."""
    largest = int(np.bincount(raw.place).argmax())
    some = np.flatnonzero((raw.place == largest) & (raw.labels[0] == RESIDENT))
    some = some if some.size else np.arange(len(raw.place))
    order = np.argsort(raw.profiles.values[some].sum(axis=1), kind="stable")
    return int(some[order[len(order) // 2]])


def _notes(raw: Raw, given: bool) -> list[str]:
    where = "Tuscany's largest municipalities and their population" if raw.real else "invented municipalities"
    people = "the data that were given" if given else f"synthetic people (`synth calls`) in {where}"
    per_place = np.bincount(raw.place, minlength=len(raw.names))
    return [
        f"Measured on {people}: {len(raw.profiles):,} profiles of {len(raw.profiles.ids):,} people in "
        f"{len(raw.names)} municipalities of {per_place.min():,} to {per_place.max():,} profiles, "
        f"{raw.profiles.weeks} weeks. The paper: 3 million people, 139 municipalities, 30,000 to 350,000 callers in "
        "those that it shows. Fewer people in a municipality are harder to hide: similarities rise with its size.",
        "",
        "- *reseeded*: k-means started elsewhere on the very same raw profiles keeps so much of the class "
        f"({SEEDS} starts). No release can be asked for more.",
        "- *as printed*: within 0.05 of a printed figure, or what the paper says in words: kept is more than half, "
        "lost less than a third, a very low F below 0.2, *most* eight tenths; *near*: within 0.1 of a figure, 0.05 of "
        "a range.",
        "- Synthetic people were calibrated on the calls of a person, the share of commuters **and the two shares of "
        "Fig. 5a**: those are no confirmation. All other figures were not looked at for it.",
        "- Similarity is 1 / (1 + Euclidean distance), inferred from Fig. 5b. Classes are by cosine.",
        "- Fig. 9's text and caption disagree on ε: both 1 and 10 are in fig9.csv.",
        "- *truth*: synthetic people have true classes, which the paper could not have.",
        "- Fig. 4 shows one synthetic person.",
    ]
