"""Samples against boxes: nothing lost, nothing invented, nothing withheld of one member alone."""

from dataclasses import dataclass

import numpy as np
import polars as pl
from numpy.typing import NDArray

from shoal.attacks.crowd import Ints
from shoal.attacks.packing import is_in, keys
from shoal.auditor.case import Case
from shoal.auditor.registry import Finding, check, failed, passed

_PER_GROUP = ("share", "threshold")
"""Reasons that hold for a whole group at a time, never for one member."""


@dataclass(frozen=True, slots=True, eq=False)
class _Listed:
    """Which raw samples are listed as withheld, and under a reason that concerns the whole group."""

    mask: NDArray[np.bool_]
    per_group: NDArray[np.bool_]
    unknown: int


@check("coverage", "boxes", "map", "secret", "original")
def coverage(case: Case) -> Finding:
    """Every raw sample lies in a box of its person or is listed as withheld; and what is withheld, of all members."""
    samples, covered = case.samples, case.cover.box_of >= 0
    whole = case.people.ids.is_in(case.suppressed.filter(pl.col("t").is_null())["original_uid"].implode())
    of_withheld = whole.to_numpy()[samples.owner]
    listed = _listed(case)
    lost = int((~covered & ~of_withheld & ~listed.mask).sum())
    alone = 0 if case.k is None else _withheld_of_one_alone(case, listed)
    figures = {
        "samples": int(covered.size),
        "covered": int(covered.sum()),
        "of_withheld_people": int((of_withheld & ~covered).sum()),
        "listed": int(listed.mask.sum()),
        "listed_and_covered": int((listed.mask & covered).sum()),
        "lost": lost,
    }
    wrong = [
        f"{count:,} {words}"
        for words, count in (
            ("raw samples lie in no box of their person and are not listed as withheld", lost),
            ("samples are published at a time at which another member's is withheld", alone),
            ("samples are listed as withheld that the original does not have", listed.unknown),
        )
        if count
    ]
    if wrong:
        return failed("; ".join(wrong), **figures)
    return passed("every raw sample lies in a box of its person, or is listed", **figures)


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
        return _Listed(nothing, nothing, 0)
    ours, theirs = keys((samples.owner, samples.t, samples.x, samples.y), (person, t, *place))
    per_group = rows["reason"].is_in(list(_PER_GROUP)).to_numpy()
    unknown = int((~is_in(theirs, ours)).sum())
    return _Listed(is_in(ours, theirs), is_in(ours, theirs[per_group]), unknown)


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


@check("truthful", "boxes", "map", "secret", "original")
def truthful(case: Case) -> Finding:
    """Every published box holds a raw sample of its person: nobody is said to have been where they were not."""
    empty = int((~case.cover.holds).sum())
    figures = {"boxes": int(case.cover.holds.size), "without_a_sample": empty}
    if empty:
        return failed(f"{empty:,} published boxes hold no sample of their person", **figures)
    return passed("every published box holds a sample of its person", **figures)
