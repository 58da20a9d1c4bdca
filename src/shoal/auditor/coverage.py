"""Samples against boxes: nothing lost, nothing invented, nothing withheld of one member alone."""

import numpy as np
import polars as pl

from shoal.attacks.packing import is_in, keys
from shoal.auditor.case import Case
from shoal.auditor.conditions import Finding, Hold
from shoal.auditor.members import boxes_of_samples
from shoal.auditor.registry import check
from shoal.auditor.withheld import group_of_people, published_as_paper
from shoal.contract.kinds import BOXES

_MANY = 0.1


@check(
    "coverage",
    kinds=(BOXES,),
    needs=("opened", "map", "secret", "original"),
    conditions=(
        *("nothing_lost", "nobody_alone", "one_reason", "listed_known", "listed_once", "listed_published", "not_both"),
    ),
)
def coverage(case: Case, hold: Hold) -> Finding:
    """Every raw sample lies in a box of its person or is listed as withheld; and what is withheld, of all members."""
    samples, covered = case.samples, case.cover.box_of >= 0
    whole = case.people.ids.is_in(case.suppressed.filter(pl.col("t").is_null())["original_uid"].implode())
    of_withheld = whole.to_numpy()[samples.owner]
    listing, listed = case.listing, case.listing.listed
    lost = int((~covered & ~of_withheld & ~listed).sum())
    words = "raw samples lie in no box of their person and are not listed as withheld"
    if lost > _MANY * covered.size:
        # That many are seldom forgotten.
        words += " (was the original read as for the release, with the same `tz`, `columns`, `person` and `cells`?)"
    hold.none("nothing_lost", lost, words)
    hold.none("listed_known", listing.unknown, "samples are listed as withheld that the original does not have")
    once = ["original_uid", "t", "x", "y"]
    twice = case.suppressed.height - case.suppressed.n_unique(once)
    hold.none("listed_once", twice, "rows of the list stand twice")
    if case.k is not None:
        _of_groups(case, hold)
    return hold.passed(
        "every raw sample lies in a box of its person, or is listed",
        samples=int(covered.size),
        covered=int(covered.sum()),
        of_withheld_people=int((of_withheld & ~covered).sum()),
        listed=int(listed.sum()),
        listed_and_covered=int((listed & covered).sum()),
        lost=lost,
    )


def _of_groups(case: Case, hold: Hold) -> None:
    """What is withheld of one member at a time is withheld of all, for one reason, and not published either."""
    group = group_of_people(case)[case.samples.owner]
    of_nobody = int((case.listing.listed & (group < 0)).sum())
    hold.none("listed_published", of_nobody, "samples are listed of people of whom nothing is published")
    per_group = case.listing.per_group & (group >= 0)
    if not per_group.any():
        return
    # Times of the published grid: what is in one step of it goes together.
    (moment,) = keys((group, case.samples.t // case.on_map.grid["dt_s"]))
    alone = is_in(moment, moment[per_group]) & (group >= 0) & ~case.listing.listed
    if published_as_paper(case):
        # Whole boxes are withheld, and another box of the group may cover the same time.
        alone &= case.cover.box_of < 0
        both = case.listing.of("share") & (case.cover.box_of >= 0)
    else:
        both = per_group & _in_the_time_of_a_box(case)
        # Groups that look the same are one here; each may have a reason of its own.
        assert case.k is not None
        one = (group >= 0) & (case.groups.size < 2 * case.k)[group]
        large, share = (case.listing.of(reason) & one for reason in ("threshold", "share"))
        mixed = int((is_in(moment, moment[large]) & share).sum())
        hold.none("one_reason", mixed, "samples are listed as share at a time at which another member's is too large")
    words = "samples are published at a time at which another member's is withheld"
    hold.none("nobody_alone", int(alone.sum()), words)
    words = "samples are listed as withheld, and boxes published at their time all the same"
    hold.none("not_both", int(both.sum()), words)


def _in_the_time_of_a_box(case: Case) -> np.ndarray:
    """Tell which samples have a box of their person at their time, wherever it lies."""
    samples, crowd = case.samples, case.boxes.crowd
    individual = case.individual_of[samples.owner]
    low = int(min(samples.t.min(), crowd.t0.min()))
    width = int(max(samples.t.max(), crowd.t1.max())) - low + 1
    start, end = (crowd.owner * width + (edge - low) for edge in (crowd.t0, crowd.t1))
    moment = individual * width + (samples.t - low)
    at = np.searchsorted(start, moment, side="right") - 1
    return np.asarray((individual >= 0) & (at >= 0) & (moment < end[at]))


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
    unlisted = ~case.listing.listed[rows]
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
