"""Raw data under other names are no release, whatever they claim: not even nothing.

That a few rows were changed, that all were by next to nothing, or that all were moved by the same, makes no release of
them. What is asked is how many rows are a record of their person, within a tolerance, beyond what chance would have it.
"""

from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from shoal.attacks.crowd import Crowd, kept_offsets
from shoal.auditor.case import Case
from shoal.auditor.conditions import Finding, Hold
from shoal.auditor.nearness import Tolerance, Track, near
from shoal.auditor.opened import Points, Profiles
from shoal.auditor.registry import ALL_KINDS, check
from shoal.contract.claims import Nothing
from shoal.contract.kinds import BOXES, POINTS, cell_names

MOST = 0.25
"""The share of rows that may be records."""

_MOST_GRIDDED = 0.9
"""The same where all that is known of a record is its cell: somebody may well stay in it."""

_CELL_M, _STEP_S = 100, 60
"""What samples are usually snapped to. Boxes of less than two such cells tell no less than the records."""

_NEAR = Tolerance(metres=12, seconds=60)
"""A little more than the fourth decimal of a degree."""

_SHARE_OFF = 0.02
"""Values of profiles are shares of days: so little is no change."""

_MOST_PROFILES = 0.5


@check(
    "raw_data",
    kinds=ALL_KINDS,
    claims=(Nothing,),
    examines=(),
    needs=("opened",),
    conditions=("boxes", "samples", "points", "records", "profiles"),
)
def raw_data(case: Case, hold: Hold) -> Finding:
    """Where nothing is promised, what is published is at least not what was recorded, with the names replaced.

    Where something is, that is examined instead: people who are alike to the cell may well be published as they are.
    """
    if case.kind is BOXES:
        return _boxes(case, hold)
    if case.missing("original"):
        return hold.not_run("needs `original`, what the release was made from")
    if case.kind is POINTS:
        return _points(case, hold)
    if case.missing("secret"):
        return hold.not_run("needs `secret`, its secret directory: profiles of different people may be equal")
    share = _profiles(case)
    words = f"{share:.0%} of the profiles are the original's, or nearly: these are the raw data"
    hold("profiles", share <= _MOST_PROFILES, words)
    return hold.passed("profiles are not those that were recorded", recorded_share=round(share, 4))


def _boxes(case: Case, hold: Hold) -> Finding:
    """Boxes of less than two cells, of the usual grid or the manifest's base grid, are records: anybody can tell."""
    if case.map is None:
        return hold.not_run("the manifest names no usable crs, grid and base_grid")
    base, crowd = case.map.base, case.boxes.crowd
    cell, step = 2 * max(base["cell_m"], _CELL_M), 2 * max(base["dt_s"], _STEP_S)
    small = np.concatenate([_small(part, cell, step) for _, part in crowd.parts()])
    share = float(small.mean())
    words = f"{share:.0%} of the boxes are no larger than the cells that samples are recorded in: these are raw data"
    hold("boxes", share <= MOST, words)
    figures: dict[str, Any] = {"recorded_share": round(share, 4)}
    if not case.missing("original") and not case.missing("secret"):
        told = _told(case, small)
        words = f"{told:.0%} of the samples are published in boxes that are no larger than their cells"
        hold("samples", told <= MOST, words)
        figures["records_published"] = round(told, 4)
    return hold.passed("boxes are more than the cells that samples were recorded in", **figures)


def _small(crowd: Crowd, cell: int, step: int) -> NDArray[np.bool_]:
    return np.asarray((crowd.x1 - crowd.x0 < cell) & (crowd.y1 - crowd.y0 < cell) & (crowd.t1 - crowd.t0 < step))


def _told(case: Case, small: NDArray[np.bool_]) -> float:
    """The share of the published people's samples that lie in small boxes of theirs, whatever else does."""
    published = case.individual_of >= 0
    if not small.any():
        return 0.0
    held = case.covered_by(case.boxes.crowd.only(small)).box_of >= 0
    told = np.diff(kept_offsets(case.samples.offsets, held))[published].sum()
    return float(told / max(int(case.samples.lengths[published].sum()), 1))


def _points(case: Case, hold: Hold) -> Finding:
    """Compare with records of the same person where the mapping is known, and of anybody: the mapping may be wrong."""
    figures = _against(case, hold, known=False)
    if not case.missing("secret"):
        figures = _against(case, hold, known=True)
    return hold.passed("points are not those that were recorded", **figures)


def _against(case: Case, hold: Hold, *, known: bool) -> dict[str, Any]:
    """Compare with records of the same person, or of anybody; returns figures."""
    assert isinstance(case.opened, Points)
    table, raw = case.opened.rows, case.positions
    names = np.repeat(np.arange(case.names.len()), np.diff(case.opened.offsets))
    owner = case.person_of_uid[names] if known else np.zeros(names.size, np.int64)
    published = Track.of(owner, *(table[name].to_physical().to_numpy() for name in ("datetime", "lat", "lng")))
    recorded = Track.of(raw.owner if known else np.zeros_like(raw.owner), raw.epoch_us, raw.lat, raw.lng)
    recorded = recorded.take(np.isin(recorded.owner, owner))
    # Of a cell the corners are farthest from the middle; a map's north is not quite north.
    tolerance = Tolerance(max(_NEAR.metres, 0.75 * raw.grid[0]), max(_NEAR.seconds, raw.grid[1])) if raw.grid else _NEAR
    ours = near(published, recorded, tolerance, case.rng)
    words = f"{ours.share:.0%} of the points are records, or nearly: these are the raw data"
    hold("points", ours.beyond_chance <= (_MOST_GRIDDED if raw.grid else MOST), words)
    figures = {"recorded_share": round(ours.share, 4), "recorded_by_chance": round(ours.by_chance, 4)}
    # Many points in a cell leave hardly one empty: that all cells are met says little.
    if raw.grid is None:
        theirs = near(recorded, published, tolerance, case.rng)
        words = f"{theirs.share:.0%} of the records are published as they are, or nearly, among others"
        hold("records", theirs.beyond_chance <= MOST, words)
        figures["records_published"] = round(theirs.share, 4)
    return {**figures, "of_anybody": not known}


def _profiles(case: Case) -> float:
    """The share of published profiles that have more than half of their values from the same person and place."""
    assert isinstance(case.opened, Profiles)
    raw = case.profiles
    cells = [name for name in cell_names(raw.weeks) if name in case.opened.rows.columns]
    index = {name: number for number, name in enumerate(cell_names(raw.weeks))}
    theirs = pl.DataFrame({"original_uid": pl.Series(raw.people), "municipality": pl.Series(raw.municipalities)})
    rows = case.opened.rows.select("uid", "municipality").with_row_index("row")
    known = case.mapping.select("original_uid", "uid").unique("uid", keep="first")
    both = rows.join(known, on="uid").join(
        theirs.with_row_index("raw"), on=["original_uid", "municipality"], how="inner"
    )
    if not both.height or not cells:
        return 0.0
    said = case.opened.rows.select(cells).to_numpy()[both["row"].to_numpy()]
    told = raw.values[both["raw"].to_numpy()][:, [index[name] for name in cells]]
    something = (said != 0) | (told != 0)
    same = (something & (np.abs(said - told) <= _SHARE_OFF)).sum(axis=1)
    some = something.sum(axis=1)
    telling = some > 0
    return float((2 * same > some)[telling].mean()) if telling.any() else 0.0
