"""Speed smoothing: steps of one length and one duration, on the way that was taken, its ends cut off."""

import numpy as np
import polars as pl

from shoal.attacks.crowd import Ints
from shoal.auditor.case import Case
from shoal.auditor.conditions import Finding, Hold
from shoal.auditor.points_geometry import ROUNDED_M, Floats, degree_lengths, distances
from shoal.auditor.points_parts import Origins, Published, Recorded, origins, published, recorded
from shoal.auditor.registry import check
from shoal.contract.claims import SpeedSmoothing
from shoal.contract.kinds import POINTS

_RELATIVE = 1e-4
"""What lengths may be off beyond the rounding of places, as a share: how the maker measures metres is his business."""

_SECOND_US = 1_000_000
_ROUNDED_US = 1_000_000
"""A time is rounded by half a second, and so are the two that it is compared with."""

_LEAST_POINTS = 3
_CUT, _FAR = 4, 6
"""Of a way no more than so many steps are cut off at either end; one that still goes so far leaves three points."""

_FEW = 12
_FAST_S = 4
"""Seconds that a step takes at most on a way on which the mean step may take less than one."""

_PARTS = "parts"
"""The list of traces, in the secret directory."""


@check(
    "smoothing",
    kinds=(POINTS,),
    claims=(SpeedSmoothing,),
    needs=("opened",),
    conditions=(
        *("points", "whole_seconds", "spacing", "intervals", "own_times", "part_once", "on_path", "near_path"),
        *("start_cut", "end_cut", "zone_drawn", "parts_listed", "nothing_lost"),
    ),
)
def smoothing(case: Case, hold: Hold) -> Finding:
    """Steps have one length and one duration; with the original: they follow the way, and its ends are missing."""
    assert isinstance(case.claim, SpeedSmoothing)
    alpha, points = case.claim.alpha_m, published(case)
    lengths = np.diff(points.offsets)
    hold.none("points", int((lengths < _LEAST_POINTS).sum()), f"traces of fewer than {_LEAST_POINTS} points")
    fractions = int((points.t_us % _SECOND_US != 0).sum())
    hold.none("whole_seconds", fractions, "points with fractions of a second")
    figures: dict[str, object] = {"traces": lengths.size, "points": int(points.t_us.size)}
    step = distances(points.lat[:-1], points.lng[:-1], points.lat[1:], points.lng[1:])[points.inner]
    off = np.abs(step - alpha)
    odd = int((off > ROUNDED_M + _RELATIVE * alpha).sum())
    hold.none("spacing", odd, f"steps that are not {alpha:g} m long")
    late = _uneven(points)
    hold.none("intervals", int((late > _ROUNDED_US).sum()), "points that break the even beat of their trace")
    figures |= {"largest_step_error_m": _most(off), "largest_beat_error_s": _most(late) / _SECOND_US}
    if case.missing("original") or case.missing("secret"):
        return hold.passed("steps are alike; whether they follow the way needs `original` and `secret`", **figures)
    figures |= _against_the_original(case, hold, points, alpha)
    return hold.passed("steps are alike in length and time, and the ends of traces are cut off", **figures)


def _most(values: Floats) -> float:
    return round(float(values.max()), 3) if values.size else 0.0


def _uneven(points: Published) -> Floats:
    """Return how far each time is from where it would be if all steps of its trace took equally long."""
    lengths, first, last = np.diff(points.offsets), points.offsets[:-1], points.offsets[1:] - 1
    beat = (points.t_us[last] - points.t_us[first]) / np.maximum(lengths - 1, 1)
    number = np.arange(points.t_us.size) - np.repeat(first, lengths)
    since = points.t_us - np.repeat(points.t_us[first], lengths)
    return np.asarray(np.abs(since - number * np.repeat(beat, lengths)))


def _against_the_original(case: Case, hold: Hold, points: Published, alpha: float) -> dict[str, object]:
    raw, whence = recorded(case), origins(case, points)
    known = whence.known
    hold.none("own_times", int((~known).sum()), "traces at times when their person has no trace")
    part = whence.part[known]
    doubled = part.size - np.unique(part).size
    hold.none("part_once", doubled, "traces of a person at the same time, which are one")
    _way(case, hold, points, raw, whence, alpha)
    figures = _parts(case, hold, raw, part, alpha)
    return {**figures, "parts_published": int(np.unique(part).size)}


def _way(case: Case, hold: Hold, points: Published, raw: Recorded, whence: Origins, alpha: float) -> None:
    """Follow the recorded way of each trace, and see what is missing at its ends."""
    from shoal.auditor.points_path import follow

    on_path = case.parameters.get("interpolation") == "path"
    known = whence.known
    part = np.where(known, whence.part, 0)
    first, stop = raw.starts[part], np.where(known, raw.starts[part + 1], raw.starts[part])
    metres = np.stack(degree_lengths(points.lat), axis=1)
    slack = ROUNDED_M + _RELATIVE * alpha
    # A short cut leads from the last point to a record that is a step away or more: both are near the way.
    beside = slack if on_path else 2 * alpha
    shape = (points.offsets, points.lat, points.lng, metres, first, stop, raw.lat, raw.lng)
    on, _, goes_on = follow(*shape, beside, alpha - slack)
    off = int((known & (on < np.diff(points.offsets))).sum())
    if on_path:
        hold.none("on_path", off, "traces with points off the way that their person took")
    else:
        hold.none("near_path", off, f"traces that get farther than {2 * alpha:g} m from their person's way")
    ends = [
        distances(points.lat[at], points.lng[at], raw.lat[record], raw.lng[record])[known]
        for at, record in ((points.offsets[:-1], first), (points.offsets[1:] - 1, np.maximum(stop - 1, 0)))
    ]
    zone = case.parameters.get("endpoint_trim") == "zone"
    least = alpha - slack
    hold.none("start_cut", int((ends[0] < least).sum()), f"traces that start within {alpha:g} m of the recorded start")
    # The paper's last step ends anywhere within a step of the recorded end: but the way has to go on by a step.
    left_in = ends[1] < least if zone else (~goes_on[known] & on_path) | (ends[1] <= slack)
    hold.none("end_cut", int(left_in.sum()), "traces whose recorded end is left in")
    if zone:
        # One step behind the first record is where a fixed trim would begin.
        fixed = np.abs(ends[0] - alpha) <= slack
        words = "the ends are cut off by one step, and no disc was drawn"
        hold("zone_drawn", fixed.sum() <= max(3, fixed.size / 4), words)


def _parts(case: Case, hold: Hold, raw: Recorded, part: Ints, alpha: float) -> dict[str, object]:
    """Every trace of the original is published, or listed with a reason that it gives."""
    missing = np.ones(raw.person_of.size, np.bool_)
    missing[part] = False
    withheld = case.suppressed.filter(pl.col("t").is_null() & (pl.col("reason") == "screened"))["original_uid"]
    screened = case.people.ids.is_in(withheld.implode()).to_numpy()
    missing &= ~screened[raw.person_of]
    gone = np.flatnonzero(missing)
    reason = _listed(case, raw, gone)
    unlisted = sum(one is None for one in reason)
    hold.none("parts_listed", unlisted, "traces of the original that are neither published nor listed")
    reach, length, seconds = _extent(raw, gone, alpha)
    too_fast = np.array([one == "fast" for one in reason], np.bool_) & (seconds <= _FAST_S * length / alpha)
    lost = (reach >= _FAR * alpha) & ~too_fast
    hold.none("nothing_lost", int(lost.sum()), "traces of the original that went far, and are not published")
    return {"parts": int(missing.size), "parts_withheld": int(gone.size)}


def _listed(case: Case, raw: Recorded, gone: Ints) -> list[str | None]:
    """Return the reason for which each of these parts is listed, None where it is not."""
    assert case.secret_path is not None
    if not gone.size:
        return []
    mine = pl.DataFrame(
        {
            "original_uid": case.people.ids.gather(raw.person_of[gone]),
            "start": raw.t_us[raw.starts[gone]],
        }
    )
    if not (case.secret_path / f"{_PARTS}.parquet").is_file():
        return [None] * gone.size
    table = case.secret_table(_PARTS).filter(pl.col("reason").is_not_null())
    listed = table.select("original_uid", pl.col("start").to_physical(), "reason").unique(["original_uid", "start"])
    return mine.join(listed, on=["original_uid", "start"], how="left", maintain_order="left")["reason"].to_list()


def _extent(raw: Recorded, parts: Ints, alpha: float) -> tuple[Floats, Floats, Floats]:
    """Look at what no cut at the ends takes away: how far it gets, how long its way is, how many seconds it takes.

    Of few records no time is told: a step has the time of the record that it approaches, and all may approach one.
    """
    first, stop = raw.starts[parts], raw.starts[parts + 1]
    lengths = stop - first
    rows = np.repeat(first - (np.cumsum(lengths) - lengths), lengths) + np.arange(lengths.sum())
    inside = np.ones(rows.size, np.bool_)
    for end in (np.repeat(first, lengths), np.repeat(stop - 1, lengths)):
        inside &= distances(raw.lat[end], raw.lng[end], raw.lat[rows], raw.lng[rows]) > _CUT * alpha
    found = np.zeros((3, parts.size))
    rows, part = rows[inside], np.repeat(np.arange(parts.size), lengths)[inside]
    if not rows.size:
        return found[0], found[1], found[2]
    at = np.flatnonzero(np.concatenate(([True], np.diff(part) > 0)))
    some = part[at]
    start = np.repeat(rows[at], np.diff(np.append(at, rows.size)))
    before = np.concatenate((rows[:1], rows[:-1]))
    before[at] = rows[at]
    away = distances(raw.lat[start], raw.lng[start], raw.lat[rows], raw.lng[rows])
    moved = distances(raw.lat[before], raw.lng[before], raw.lat[rows], raw.lng[rows])
    found[0, some], found[1, some] = np.maximum.reduceat(away, at), np.add.reduceat(moved, at)
    seconds = np.maximum.reduceat(raw.t_us[rows] - raw.t_us[start], at) / _SECOND_US
    found[2, some] = np.where(np.diff(np.append(at, rows.size)) > _FEW, seconds, 0)
    return found[0], found[1], found[2]
