"""The boxes on their own: grid, order of edges, middles, disjoint times."""

from collections.abc import Iterable, Iterator

import numpy as np
from numpy.typing import NDArray

from shoal.attacks.crowd import Crowd, Ints
from shoal.attacks.narrow import wide
from shoal.attacks.parts import slices
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
    edges, times = (crowd.x0, crowd.x1, crowd.y0, crowd.y1), (crowd.t0, crowd.t1)
    hold.none("space", _off(edges, cell), "boxes off the grid in space")
    hold.none("time", _off(times, step), "boxes off the grid in time")
    named = [case.parameters.get(name) for name in ("cell_m", "minutes")]
    if None not in named:
        others = sum(_not_one_cell(part, cell, step) for _, part in crowd.parts())
        hold.none("one_cell", others, "boxes that are not the one cell that the parameters name")
        hold("of_parameters", named == [cell, step / 60], "the grid is not that of the parameters")
    finer = _finer(edges, cell) or _finer(times, step)
    hold("coarsest", not finer, "the boxes lie on a coarser grid than the manifest tells")
    words = "the map is centred where none of the boxes is"
    # What is published may lie aside from what was withheld, which the centre is of as well.
    slack = _DEGREES_BESIDE if _says_withheld(case) else 1
    hold("centre_near", _is_near(case.boxes, case.on_map.centre, slack), words)
    if not case.missing("original"):
        words = "the map's centre is not the median position of the original, in whole degrees"
        hold("centre", case.on_map.centre == case.centre, words)
    return hold.passed("all edges lie on the grid", boxes=crowd.t0.size)


def _not_one_cell(crowd: Crowd, cell: int, step: int) -> int:
    same = (crowd.x1 - crowd.x0 == cell) & (crowd.y1 - crowd.y0 == cell) & (crowd.t1 - crowd.t0 == step)
    return int((~same).sum())


def _finer(columns: Iterable[Ints], unit: int) -> bool:
    """Tell whether all of many edges are multiples of more than the unit: of few that may be chance."""
    some = [np.unique(piece) for column in columns for (piece,) in _pieces(column)]
    distinct = np.unique(np.concatenate(some))
    return distinct.size >= _MANY_EDGES and int(np.gcd.reduce(distinct)) != unit


def _says_withheld(case: Case) -> bool:
    counts = case.manifest.get("counts")
    return isinstance(counts, dict) and any(counts.get(f"{what}_suppressed") for what in ("people", "samples"))


def _is_near(boxes: Boxes, centre: tuple[int, int], slack: int) -> bool:
    """Tell whether a centre lies within the extent of the boxes, or so many degrees beside it."""
    reaches = []
    for low, crowd in boxes.crowd.parts():
        rows = slice(boxes.offsets[low], boxes.offsets[low + len(crowd)])
        lat, lng = boxes.lat[rows], boxes.lng[rows]
        north = (crowd.y1 - crowd.y0) / 2 / _DEGREE_M + slack
        narrow = np.maximum(np.cos(np.radians(np.minimum(np.abs(lat) + north, 90))), 1e-3)
        east = (crowd.x1 - crowd.x0) / 2 / _DEGREE_M / narrow + slack
        away = lat - centre[0], (lng - centre[1] + 180) % 360 - 180
        reaches.append([((off - by).min(), (off + by).max()) for off, by in zip(away, (north, east), strict=True)])
    found = np.array(reaches)
    return bool((found[:, :, 0].min(axis=0) <= 0).all() and (found[:, :, 1].max(axis=0) >= 0).all())


def _off(columns: Iterable[Ints], unit: int) -> int:
    """Count rows with a value that is no multiple of the unit."""
    pieces = _pieces(*columns)
    return sum(int(np.any([piece % unit != 0 for piece in some], axis=0).sum()) for some in pieces)


def _pieces(*columns: Ints) -> Iterator[tuple[Ints, ...]]:
    """Go through columns, some rows at a time, in 64 bits."""
    for rows in slices(columns[0].size):
        yield tuple(wide(column[rows]) for column in columns)


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
    off = np.sum([_beside(case, low, part) for low, part in crowd.parts()], axis=0).tolist()
    for name, count in zip(("lat", "lng"), off, strict=True):
        hold.none(f"{name}_middle", count, f"boxes whose {name} is not the middle")
    doubled = sum(int(_doubled(part).sum()) for _, part in crowd.parts())
    hold.none("once", doubled, "boxes published twice")
    return hold.passed("boxes have an inside, and lat, lng is the middle")


def _beside(case: Case, low: int, models: Crowd) -> tuple[int, int]:
    """Count the boxes of groups from ``low`` on whose latitude, and whose longitude, is not that of the middle."""
    lng, lat = project(case.on_map.crs, (models.x0 + models.x1) / 2, (models.y0 + models.y1) / 2, inverse=True)
    _, rows = case.boxes.crowd.rows_of(case.groups.model[low : low + len(models)])
    turn = np.abs(case.boxes.lng[rows] - lng)
    off = np.abs(case.boxes.lat[rows] - lat), np.minimum(turn, 360 - turn)
    north, east = (int((~(by <= _DEGREES_OFF)).sum()) for by in off)
    return north, east


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
    overlaps = sum(_overlaps(part) for _, part in case.models.parts())
    hold.none("apart", overlaps, "boxes start before the one before them ends")
    return hold.passed("boxes of a uid are disjoint in time", overlaps=overlaps)


def _overlaps(crowd: Crowd) -> int:
    owner = crowd.owner
    return int(((owner[1:] == owner[:-1]) & (crowd.t0[1:] < crowd.t1[:-1])).sum())
