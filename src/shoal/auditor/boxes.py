"""The boxes on their own: grid, order of edges, middles, disjoint times."""

from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray

from shoal.attacks.crowd import Crowd, Ints
from shoal.auditor.case import Case
from shoal.auditor.conditions import Finding, Hold
from shoal.auditor.opened import Boxes
from shoal.auditor.raw import project
from shoal.auditor.registry import check
from shoal.contract.claims import KAnonymity, WindowHiding
from shoal.contract.kinds import BOXES

_DEGREE_M = 111_000
_DEGREES_BESIDE = 10
"""So far beside the boxes may the map's centre be where a manifest says that something was withheld."""
_DEGREES_OFF = 0.501e-6
"""Rounding to 6 decimals, and what floating-point numbers add to it."""


_MANY_EDGES = 64
"""Edges of so many different values that a common divisor beyond the unit is no chance."""


@check(
    "grid",
    kinds=(BOXES,),
    needs=("opened",),
    conditions=("map", "multiple", "space", "time", "one_cell", "of_parameters", "coarsest", "centre_near", "centre"),
)
def grid(case: Case, hold: Hold) -> Finding:
    """All edges lie on the published grid, which consists of whole cells of the base grid."""
    if not hold("map", case.map is not None, "the manifest names no usable crs, grid and base_grid"):
        return hold.stopped()
    published, base = case.on_map.grid, case.on_map.base
    multiple = not any(published[name] % base[name] for name in published)
    hold("multiple", multiple, "the published grid is no multiple of the base grid")
    crowd, cell, step = case.boxes.crowd, published["cell_m"], published["dt_s"]
    edges = (crowd.x0, crowd.x1, crowd.y0, crowd.y1)
    hold.none("space", _off(edges, cell), "boxes off the grid in space")
    hold.none("time", _off((crowd.t0, crowd.t1), step), "boxes off the grid in time")
    named = [case.parameters.get(name) for name in ("cell_m", "minutes")]
    if None not in named:
        same = (crowd.x1 - crowd.x0 == cell) & (crowd.y1 - crowd.y0 == cell) & (crowd.t1 - crowd.t0 == step)
        hold.none("one_cell", int((~same).sum()), "boxes that are not the one cell that the parameters name")
        hold("of_parameters", named == [cell, step / 60], "the grid is not that of the parameters")
    finer = _finer(edges, cell) or _finer((crowd.t0, crowd.t1), step)
    hold("coarsest", not finer, "the boxes lie on a coarser grid than the manifest tells")
    words = "the map is centred where none of the boxes is"
    # What is published may lie aside from what was withheld, which the centre is of as well.
    slack = _DEGREES_BESIDE if _says_withheld(case) else 1
    hold("centre_near", _is_near(case.boxes, case.on_map.centre, slack), words)
    if not case.missing("original"):
        words = "the map's centre is not the median position of the original, in whole degrees"
        hold("centre", case.on_map.centre == case.centre, words)
    return hold.passed("all edges lie on the grid", boxes=crowd.t0.size)


def _finer(columns: Iterable[Ints], unit: int) -> bool:
    """Tell whether all of many edges are multiples of more than the unit: of few that may be chance."""
    distinct = np.unique(np.concatenate([np.unique(column) for column in columns]))
    return distinct.size >= _MANY_EDGES and int(np.gcd.reduce(distinct)) != unit


def _says_withheld(case: Case) -> bool:
    counts = case.manifest.get("counts")
    return isinstance(counts, dict) and any(counts.get(f"{what}_suppressed") for what in ("people", "samples"))


def _is_near(boxes: Boxes, centre: tuple[int, int], slack: int) -> bool:
    """Tell whether a centre lies within the extent of the boxes, or so many degrees beside it."""
    crowd = boxes.crowd
    north = (crowd.y1 - crowd.y0) / 2 / _DEGREE_M + slack
    narrow = np.maximum(np.cos(np.radians(np.minimum(np.abs(boxes.lat) + north, 90))), 1e-3)
    east = (crowd.x1 - crowd.x0) / 2 / _DEGREE_M / narrow + slack
    away = boxes.lat - centre[0], (boxes.lng - centre[1] + 180) % 360 - 180
    return all(
        bool((off - reach).min() <= 0 <= (off + reach).max()) for off, reach in zip(away, (north, east), strict=True)
    )


def _off(columns: Iterable[Ints], unit: int) -> int:
    """Count rows with a value that is no multiple of the unit."""
    return int(np.any([column % unit != 0 for column in columns], axis=0).sum())


@check(
    "boxes_sane",
    kinds=(BOXES,),
    needs=("opened", "map"),
    conditions=("inside_time", "inside_x", "inside_y", "lat_middle", "lng_middle", "once"),
)
def boxes_sane(case: Case, hold: Hold) -> Finding:
    """Boxes have an inside, no row stands twice, and lat, lng is the middle: nothing else may hide in it."""
    crowd = case.models
    for name, low, high in (("time", crowd.t0, crowd.t1), ("x", crowd.x0, crowd.x1), ("y", crowd.y0, crowd.y1)):
        hold.none(f"inside_{name}", int((low >= high).sum()), f"boxes without an inside in {name}")
    lng, lat = project(case.on_map.crs, (crowd.x0 + crowd.x1) / 2, (crowd.y0 + crowd.y1) / 2, inverse=True)
    _, rows = case.boxes.crowd.rows_of(case.groups.model)
    turn = np.abs(case.boxes.lng[rows] - lng)
    for name, off in (("lat", np.abs(case.boxes.lat[rows] - lat)), ("lng", np.minimum(turn, 360 - turn))):
        hold.none(f"{name}_middle", int((~(off <= _DEGREES_OFF)).sum()), f"boxes whose {name} is not the middle")
    hold.none("once", int(_doubled(crowd).sum()), "boxes published twice")
    return hold.passed("boxes have an inside, and lat, lng is the middle")


def _doubled(crowd: Crowd) -> NDArray[np.bool_]:
    owner = crowd.owner
    same = owner[1:] == owner[:-1]
    for column in crowd.columns:
        same &= column[1:] == column[:-1]
    return np.asarray(same)


# That boxes are apart belongs to the claim, and shows nothing of its substance: it examines none.
@check(
    "disjoint",
    kinds=(BOXES,),
    claims=(KAnonymity, WindowHiding),
    examines=(),
    needs=("opened",),
    conditions=("apart",),
)
def disjoint(case: Case, hold: Hold) -> Finding:
    """Boxes of one uid do not overlap in time, so that each sample has one place in them."""
    crowd = case.models
    owner = crowd.owner
    overlaps = int(((owner[1:] == owner[:-1]) & (crowd.t0[1:] < crowd.t1[:-1])).sum())
    hold.none("apart", overlaps, "boxes start before the one before them ends")
    return hold.passed("boxes of a uid are disjoint in time", overlaps=overlaps)
