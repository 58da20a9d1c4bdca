"""What is learned without singling anybody out: by members of a group, and about groups that have much in common."""

import numpy as np
from numpy.typing import NDArray

from shoal.attacks.crowd import Ints
from shoal.attacks.insider import Corners, Tried, corners, try_corners
from shoal.attacks.interval import wilson
from shoal.attacks.packing import distinct
from shoal.attacks.top_places import top_cells
from shoal.auditor.case import Case
from shoal.auditor.conditions import Finding, Hold
from shoal.auditor.members import Members, held_by_boxes, parts_of_groups
from shoal.auditor.registry import check
from shoal.contract.claims import KAnonymity, WindowHiding
from shoal.contract.kinds import BOXES

_NEEDS = ("opened", "map", "secret", "original")


@check("insider", kinds=(BOXES,), claims=(KAnonymity, WindowHiding), examines=(), needs=_NEEDS)
def insider(case: Case, hold: Hold) -> Finding:
    """A member knows one trace of the group. In groups of two, how often does a corner tell the other's cell?"""
    if isinstance(case.claim, WindowHiding):
        return _hider(case.claim, hold)
    assert case.k is not None
    sizes = case.groups.size
    figures: dict[str, object] = {"hidden_among": case.k - 1, "groups_of_two": int((sizes == 2).sum())}
    words = f"a member of a group knows one of its traces: for them the others hide among {case.k - 1}"
    if (sizes == 2).any():
        tried = _corners(case)
        figures |= {
            "exact_cell_read": tried.read.to_dict(),
            "exact_cell_control": tried.control.to_dict(),
            "exact_cell_baseline": round(tried.blind, 6),
        }
        words = (
            f"in a group of two each knows the other's trace up to the boxes: {tried.read.value:.1%} of boxes show "
            "the other's exact cell. Where that matters, align boxes (`align_m`, `align_minutes`) or take k = 3"
        )
    return hold.note(words, **figures)


def _hider(claim: WindowHiding, hold: Hold) -> Finding:
    """Nobody but the publisher knows who hides whom; whoever does rules out one of those who fit."""
    words = f"whoever hides a person knows one of those who fit, their own trace: for them {claim.k - 1} are left"
    if claim.k == 2:
        words = "whoever hides a person knows one of the two who fit, their own trace. Where that matters, take k = 3"
    return hold.note(words, hidden_among=claim.k - 1)


def _corners(case: Case) -> Corners:
    """Let each member of a group of two read the other's cells off their common boxes."""
    total = np.zeros(case.groups.size.size, np.int64)
    np.add.at(total, case.groups.of, np.arange(case.groups.of.size))
    return corners(_tried(case, part, total) for part in parts_of_groups(case))


def _tried(case: Case, part: Members, total: Ints) -> Tried:
    """Let them try in some groups; ``total`` is the sum of the numbers of each group's members."""
    found = held_by_boxes(case, part)
    pair = case.groups.size[found.group] == 2
    group, individual, position, rows = (
        column[pair] for column in (found.group, found.individual, found.position, found.rows)
    )
    other = total[group] - individual
    individuals = np.unique(np.concatenate((individual, other)))
    boxes = case.boxes.crowd.take(individuals)
    own, twin = (boxes.offsets[np.searchsorted(individuals, one)] + position for one in (individual, other))
    return try_corners(boxes, part.samples, rows, own, twin)


@check("homogeneity", kinds=(BOXES,), needs=_NEEDS)
def homogeneity(case: Case, hold: Hold) -> Finding:
    """Where all members of a group were in the same cell, the box tells the cell of each of them."""
    if isinstance(case.claim, WindowHiding):
        return _single_cells(case, hold)
    cells = np.concatenate([np.empty(0, np.int32), *(_cells(case, part) for part in parts_of_groups(case))])
    same, groups = _shared_place(case)
    figures: dict[str, object] = {
        "boxes": int(cells.size),
        "distinct_cells_per_box": {
            "mean": round(float(cells.mean()), 3) if cells.size else None,
            "median": float(np.median(cells)) if cells.size else None,
        },
        "boxes_with_one_cell": wilson(int((cells == 1).sum()), cells.size).to_dict(),
        "groups_with_one_top_place": wilson(same, groups).to_dict(),
    }
    share = float((cells == 1).mean()) if cells.size else 0.0
    return hold.note(
        f"{share:.1%} of boxes hold one raw cell only: they tell where all their people were, without singling anybody "
        "out. Where that matters, align boxes (`align_m`) or take a larger k",
        **figures,
    )


def _cells(case: Case, part: Members) -> NDArray[np.int32]:
    """Count the different raw cells in each box that holds some, in some groups."""
    found = held_by_boxes(case, part)
    boxes, *_ = distinct((found.box, part.samples.x[found.rows], part.samples.y[found.rows]))
    cells = np.bincount(boxes)
    return cells[cells > 0].astype(np.int32)


def _single_cells(case: Case, hold: Hold) -> Finding:
    """Without groups: a box of one cell tells the cell of everybody whom it could be about."""
    crowd, cell = case.boxes.crowd, case.on_map.base["cell_m"]
    parts = (part for _, part in crowd.parts())
    single = sum(int(((part.x1 - part.x0 == cell) & (part.y1 - part.y0 == cell)).sum()) for part in parts)
    one = wilson(single, crowd.t0.size)
    words = (
        f"{one.value:.1%} of boxes are one raw cell: they tell where all who fit were, without singling anybody out. "
        "Where that matters, take a larger k"
    )
    return hold.note(words, boxes=int(crowd.t0.size), boxes_with_one_cell=one.to_dict())


def _shared_place(case: Case) -> tuple[int, int]:
    """Count groups of several whose members all have the same most frequent cell; and all such groups."""
    known = np.flatnonzero(case.person_of_uid >= 0)
    top = top_cells(case.samples, 1)[case.person_of_uid[known], 0, :2]
    group = case.groups.of[known]
    of_places, *_ = distinct((group, top[:, 0], top[:, 1]))
    places = np.bincount(of_places, minlength=case.groups.size.size)
    several = case.groups.size > 1
    return int(((places == 1) & several).sum()), int(several.sum())
