"""Samples against boxes: nothing lost, nothing invented, nothing withheld of one member alone."""

import numpy as np
import polars as pl

from shoal.attacks.crowd import kept_offsets
from shoal.attacks.packing import is_in, keys
from shoal.attacks.parts import cuts
from shoal.auditor.case import Case
from shoal.auditor.conditions import Finding, Hold
from shoal.auditor.members import Members, boxes_of, group_of_people, held_by_boxes, parts_of_groups
from shoal.auditor.registry import check
from shoal.auditor.withheld import published_as_paper
from shoal.contract.kinds import BOXES

_MANY = 0.1

_ROWS_COMPARED = 1 << 20
"""Rows of the list that are compared with each other at once, about."""


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
    found = _counts(case)
    words = "raw samples lie in no box of their person and are not listed as withheld"
    if found["lost"] > _MANY * found["samples"]:
        # That many are seldom forgotten.
        words += " (was the original read as for the release, with the same `tz`, `columns`, `person` and `cells`?)"
    hold.none("nothing_lost", found["lost"], words)
    hold.none("listed_known", case.listing.unknown, "samples are listed as withheld that the original does not have")
    hold.none("listed_once", _twice(case.suppressed), "rows of the list stand twice")
    if case.k is not None:
        _of_groups(case, hold)
    return hold.passed("every raw sample lies in a box of its person, or is listed", **found)


def _counts(case: Case) -> dict[str, int]:
    """Count samples that are covered, listed, of people who are withheld as a whole, and lost."""
    whole = case.people.ids.is_in(case.suppressed.filter(pl.col("t").is_null())["original_uid"].implode()).to_numpy()
    offsets, counts = case.samples.offsets, np.zeros(5, np.int64)
    for low, high in cuts(case.samples.lengths):
        rows = slice(offsets[low], offsets[high])
        covered, listed = case.cover.box_of[rows] >= 0, case.listing.code[rows] > 0
        withheld = np.repeat(whole[low:high], case.samples.lengths[low:high])
        lost = ~covered & ~withheld & ~listed
        counts += [mask.sum() for mask in (covered, withheld & ~covered, listed, listed & covered, lost)]
    names = ("covered", "of_withheld_people", "listed", "listed_and_covered", "lost")
    return {"samples": int(offsets[-1])} | {name: int(count) for name, count in zip(names, counts, strict=True)}


def _twice(listed: pl.DataFrame) -> int:
    """Count rows that another one repeats, some people at a time: equal rows are of one person."""
    once, parts = ["original_uid", "t", "x", "y"], max(1, -(-listed.height // _ROWS_COMPARED))
    part_of = listed["original_uid"].hash() % parts
    return listed.height - sum(listed.filter(part_of == part).n_unique(once) for part in range(parts))


def _of_groups(case: Case, hold: Hold) -> None:
    """What is withheld of one member at a time is withheld of all, for one reason, and not published either."""
    listed = np.diff(kept_offsets(case.samples.offsets, case.listing.listed))
    of_nobody = int(listed[group_of_people(case) < 0].sum())
    hold.none("listed_published", of_nobody, "samples are listed of people of whom nothing is published")
    if not case.listing.per_group.any():
        return
    parts = parts_of_groups(case)
    alone, both, mixed = np.sum([_apart(case, part) for part in parts], axis=0).tolist()
    words = "samples are listed as share at a time at which another member's is too large"
    hold.none("one_reason", mixed, words)
    words = "samples are published at a time at which another member's is withheld"
    hold.none("nobody_alone", alone, words)
    words = "samples are listed as withheld, and boxes published at their time all the same"
    hold.none("not_both", both, words)


def _apart(case: Case, part: Members) -> tuple[int, int, int]:
    """Count samples published while another member's is withheld; both listed and published; of mixed reasons."""
    group, listing, covered = part.group_of_sample, part.listing, part.box_of >= 0
    per_group = listing.per_group & (group >= 0)
    if not per_group.any():
        return 0, 0, 0
    # Times of the published grid: what is in one step of it goes together.
    (moment,) = keys((group, part.samples.t // case.on_map.grid["dt_s"]))
    alone = is_in(moment, moment[per_group]) & (group >= 0) & ~listing.listed
    if published_as_paper(case):
        # Whole boxes are withheld, and another box of the group may cover the same time.
        both = listing.of("share") & covered & (group >= 0)
        return int((alone & ~covered).sum()), int(both.sum()), 0
    both = per_group & _in_the_time_of_a_box(case, part)
    # Groups that look the same are one here; each may have a reason of its own.
    assert case.k is not None
    one = (group >= 0) & (case.groups.size < 2 * case.k)[group]
    large, share = (listing.of(reason) & one for reason in ("threshold", "share"))
    return int(alone.sum()), int(both.sum()), int((is_in(moment, moment[large]) & share).sum())


def _in_the_time_of_a_box(case: Case, part: Members) -> np.ndarray:
    """Tell which samples have a box of their person at their time, wherever it lies."""
    published = np.flatnonzero(part.individual >= 0)
    samples, crowd = part.samples, case.boxes.crowd.take(part.individual[published])
    number = np.full(part.people.size, -1, np.int64)
    number[published] = np.arange(published.size)
    individual = np.repeat(number, samples.lengths)
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
    return sum(_loose_of(case, part) for part in parts_of_groups(case))


def _loose_of(case: Case, part: Members) -> int:
    held = held_by_boxes(case, part)
    unlisted = ~part.listing.listed[held.rows]
    box, rows = held.box[unlisted], held.rows[unlisted]
    samples, models, grid = part.samples, boxes_of(case, part), case.on_map.grid
    order = np.argsort(box, kind="stable")
    box, rows = box[order], rows[order]
    first = np.flatnonzero(np.concatenate(([True], box[1:] != box[:-1]))) if box.size else np.empty(0, np.int64)
    of, off = box[first], np.zeros(first.size, np.bool_)
    for values, size, low, high, unit in (
        (samples.t, samples.dt_s, models.t0, models.t1, grid["dt_s"]),
        (samples.x, samples.cell_m, models.x0, models.x1, grid["cell_m"]),
        (samples.y, samples.cell_m, models.y0, models.y1, grid["cell_m"]),
    ):
        mine = values[rows]
        if first.size:
            off |= low[of] != np.minimum.reduceat(mine, first) // unit * unit
            off |= high[of] != -(-(np.maximum.reduceat(mine, first) + size) // unit) * unit
    return int(off.sum())
