"""Samples against boxes: nothing lost, nothing invented, nothing withheld of one member alone."""

from dataclasses import dataclass

import numpy as np
import polars as pl
from numpy.typing import NDArray

from shoal.attacks.crowd import Ints
from shoal.attacks.packing import is_in, keys
from shoal.auditor.case import Case
from shoal.auditor.conditions import Finding, Hold
from shoal.auditor.members import boxes_of_samples
from shoal.auditor.registry import check
from shoal.contract.kinds import BOXES
from shoal.contract.reasons import REASONS

_PER_GROUP = [reason.name for reason in REASONS.values() if reason.per_group and not reason.whole_person]
_MANY = 0.1

_WHOLE = [reason.name for reason in REASONS.values() if reason.whole_person]


@dataclass(frozen=True, slots=True, eq=False)
class _Listed:
    """Which raw samples are listed as withheld: all, those of a whole group at a time, those that no box may cover."""

    mask: NDArray[np.bool_]
    per_group: NDArray[np.bool_]
    left_out: NDArray[np.bool_]
    unknown: int


@check(
    "coverage",
    kinds=(BOXES,),
    needs=("opened", "map", "secret", "original"),
    conditions=("nothing_lost", "nobody_alone", "listed_known", "listed_once", "not_both", "reasons"),
)
def coverage(case: Case, hold: Hold) -> Finding:
    """Every raw sample lies in a box of its person or is listed as withheld; and what is withheld, of all members."""
    samples, covered = case.samples, case.cover.box_of >= 0
    whole = case.people.ids.is_in(case.suppressed.filter(pl.col("t").is_null())["original_uid"].implode())
    of_withheld = whole.to_numpy()[samples.owner]
    listed = _listed(case)
    lost = int((~covered & ~of_withheld & ~listed.mask).sum())
    words = "raw samples lie in no box of their person and are not listed as withheld"
    if lost > _MANY * covered.size:
        # That many are seldom forgotten.
        words += " (was the original read as for the release, with the same `tz`, `columns`, `person` and `cells`?)"
    hold.none("nothing_lost", lost, words)
    if case.k is not None:
        alone = _withheld_of_one_alone(case, listed)
        hold.none("nobody_alone", alone, "samples are published at a time at which another member's is withheld")
    hold.none("listed_known", listed.unknown, "samples are listed as withheld that the original does not have")
    twice = case.suppressed.height - case.suppressed.n_unique()
    hold.none("listed_once", twice, "rows of the list stand twice")
    if case.k is not None:
        both = int((listed.left_out & covered).sum())
        hold.none("not_both", both, "samples are listed as withheld and published all the same")
    hold.none("reasons", _odd_reasons(case.suppressed), "rows of the list give a reason that there is not for them")
    return hold.passed(
        "every raw sample lies in a box of its person, or is listed",
        samples=int(covered.size),
        covered=int(covered.sum()),
        of_withheld_people=int((of_withheld & ~covered).sum()),
        listed=int(listed.mask.sum()),
        listed_and_covered=int((listed.mask & covered).sum()),
        lost=lost,
    )


def _odd_reasons(suppressed: pl.DataFrame) -> int:
    """Count rows with an unknown reason, or one of whole people for a sample, or the other way round."""
    known, whole = pl.col("reason").is_in(list(REASONS)), pl.col("reason").is_in(_WHOLE)
    fits = known & (whole == pl.col("t").is_null())
    return suppressed.filter(~fits.fill_null(False)).height


def _listed(case: Case) -> _Listed:
    """Match the list with the samples, by person, time and place."""
    samples = case.samples
    people = pl.DataFrame({"original_uid": case.people.ids}).with_row_index("person")
    rows = case.suppressed.filter(pl.col("t").is_not_null()).join(people, on="original_uid", how="left")
    person = rows["person"].cast(pl.Int64).fill_null(-1).to_numpy()
    t = rows["t"].dt.epoch("s").to_numpy()
    place = [rows[name].cast(pl.Int64).to_numpy() for name in ("x", "y")]
    if not rows.height:
        nothing = np.zeros(samples.t.size, np.bool_)
        return _Listed(nothing, nothing, nothing, 0)
    ours, theirs = keys((samples.owner, samples.t, samples.x, samples.y), (person, t, *place))
    per_group = rows["reason"].is_in(_PER_GROUP).to_numpy()
    unknown = int((~is_in(theirs, ours)).sum())
    # Where the paper's own boxes are published, another box may cover what was in one that is too large.
    merged = case.parameters.get("publish") == "merge"
    apart = (rows["reason"] == "share").to_numpy() if merged else per_group
    return _Listed(is_in(ours, theirs), is_in(ours, theirs[per_group]), is_in(ours, theirs[apart]), unknown)


def _withheld_of_one_alone(case: Case, listed: _Listed) -> int:
    """Count samples that are not listed, at a time at which a sample of the same group is.

    With ``publish: merge`` whole boxes are withheld, and another box of the group may cover the same time: there a
    sample counts only if nothing covers it either.
    """
    if not listed.per_group.any():
        return 0
    individual = case.individual_of
    group = np.where(individual >= 0, case.groups.of[individual], -1)[case.samples.owner]
    (moment,) = keys((group, case.samples.t))
    known: Ints = moment[listed.per_group & (group >= 0)]
    alone = is_in(moment, known) & (group >= 0) & ~listed.mask
    if case.parameters.get("publish") == "merge":
        alone &= case.cover.box_of < 0
    return int(alone.sum())


@check(
    "truthful",
    kinds=(BOXES,),
    needs=("opened", "map", "secret", "original"),
    conditions=("holds_a_sample", "tight"),
)
def truthful(case: Case, hold: Hold) -> Finding:
    """Every published box holds a raw sample of its person, and none is larger than its people's samples make it."""
    empty = int((~case.cover.holds).sum())
    hold.none("holds_a_sample", empty, "published boxes hold no sample of their person")
    if case.k is not None:
        hold.none("tight", _loose(case), "boxes are not as tight as their group's samples allow")
    words = "every published box holds a sample of its person"
    return hold.passed(words, boxes=int(case.cover.holds.size), without_a_sample=empty)


def _loose(case: Case) -> int:
    """Count boxes of groups whose edges are not those of their members' samples, snapped outward to the grid."""
    group, position, rows = boxes_of_samples(case)
    unlisted = ~_listed(case).mask[rows]
    box, rows = (case.models.offsets[group] + position)[unlisted], rows[unlisted]
    samples, models, grid = case.samples, case.models, case.on_map.grid
    order = np.argsort(box, kind="stable")
    box, rows = box[order], rows[order]
    first = np.flatnonzero(np.concatenate(([True], box[1:] != box[:-1]))) if box.size else np.empty(0, np.int64)
    held, off = box[first], np.zeros(first.size, np.bool_)
    for values, size, low, high, unit in (
        (samples.t, samples.dt_s, models.t0, models.t1, grid["dt_s"]),
        (samples.x, samples.cell_m, models.x0, models.x1, grid["cell_m"]),
        (samples.y, samples.cell_m, models.y0, models.y1, grid["cell_m"]),
    ):
        mine = values[rows]
        if first.size:
            off |= low[held] != np.minimum.reduceat(mine, first) // unit * unit
            off |= high[held] != -(-(np.maximum.reduceat(mine, first) + size) // unit) * unit
    return int(off.sum())
