"""The public function: how much would some knowledge give away of each person?"""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Literal

import numpy as np
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
from numpy.typing import NDArray

from shoal.attacks.crowd import Ints
from shoal.attacks.interval import wilson
from shoal.attacks.prudence.families import EFFORT, FAMILIES, Found, prudence, search_all, without_values
from shoal.attacks.prudence.items import visits
from shoal.attacks.prudence.known_cells import KnownCells, share_above
from shoal.attacks.prudence.rules import AtLeast
from shoal.attacks.prudence.towns import Knowledge, attack_rows
from shoal.attacks.released import Released, is_release, open_release
from shoal.attacks.sources import LeftOut, read_profile_rows, read_records, somewhere_inside
from shoal.attacks.unicity import unicity
from shoal.attacks.unicity_points import unicity_of_points
from shoal.contract.kinds import BOXES
from shoal.data.frames import FrameOut
from shoal.data.options import ReadOptions
from shoal.errors import DataError, ParameterError, did_you_mean, given
from shoal.files.durable import whole_file
from shoal.files.paths import AnyPath, new_target
from shoal.progress import Progress

ATTACKS = ("unicity", *FAMILIES, "profile")
Size = int | Literal["all"]

_MINUTES = 60
_TIMED = ("unicity", "location-time")
_TOLERANT = ("frequency", "probability", "proportion")

PUBLISHED = {"points": 4, "share": 0.95, "of": "1.5 million people, antenna and hour; Sci. Rep. 3, 1376 (2013)"}
"""What is known of unicity at large: four points single out 95 %."""


@dataclass(frozen=True, eq=False, repr=False)
class Risk(FrameOut):
    """The result of ``shoal risk``.

    Attributes
    ----------
    users
        ``uid, risk`` of each person attacked. The risk is that of an instance that was found: where ``upper`` is
        larger, the worst one lies between the two.
    upper
        What the risk of each of them cannot exceed.
    summary
        What can be said about all of them together.
    """

    users: pa.Table
    upper: NDArray[np.float64]
    summary: dict[str, Any] = field(default_factory=dict)

    def __repr__(self) -> str:
        what = f"{self.summary['attack']}, size {self.summary['size']}"
        return f"Risk({what}: {self.summary['attacked']:,} people, {self.summary['share_at_1']:.1%} at risk 1)"

    def to_arrow(self) -> pa.Table:
        return self.users

    def write(self, path: AnyPath) -> Path:
        """Write ``uid, risk`` for the owner alone; nothing is overwritten, and a failed attempt leaves nothing."""
        target = new_target(path)
        with whole_file(target) as file:
            pq.write_table(self.users, file, compression="zstd")
        return target


def risk(
    data: Any,
    attack: str,
    size: Size = "all",
    *,
    cell_m: int | None = None,
    minutes: int | None = None,
    targets: int | None = None,
    tolerance: float = 0.0,
    weeks: int | None = None,
    any_weeks: bool = False,
    known: Sequence[str] | None = None,
    effort: int = EFFORT,
    options: ReadOptions | None = None,
    seed: int | None = None,
    engine: Any = None,
    progress: Progress | None = None,
    **named: Any,
) -> Risk:
    """Attack people with what somebody may know of them; the risk is 1 / people who match.

    Parameters
    ----------
    data
        Anything that :func:`shoal.read` takes, traces, or a release; for ``profile`` anything that
        :func:`shoal.data.read_profiles` takes. Releases of boxes can be attacked by ``unicity`` alone.
    attack
        ``unicity`` (random points), ``profile``, or a family of PRUDEnce, whose worst instance counts.
    size
        How many points, records, places or cells are known, or ``all``. Whoever has fewer is attacked with all of them.
        Of the cells of profiles any so many, whichever give most away.
    cell_m, minutes
        Precision of known places, exact where it is not given, and of known times, 60 by default.
    targets
        Attack so many people at random instead of everybody. Everybody stays a candidate.
    tolerance
        For frequency, probability and proportion: a share of the other's value.
    weeks, any_weeks, known
        For ``profile``, instead of a size: the first ``weeks`` weeks are known, or with ``any_weeks`` the worst choice
        of so many weeks; or the cells that ``known`` names, such as ``w1_weekday_day``.
    effort
        Comparisons per person before a search gives up with bounds.
    options, **named
        How to read, as for :func:`shoal.read`.
    seed
        For tests; random choices differ from run to run without it.
    engine
        For ``profile``: where to attack, a municipality at a time; in this process by default.

    Examples
    --------
    >>> import polars as pl
    >>> events = pl.DataFrame({"uid": ["a", "a", "b"], "datetime": ["2020-01-01T00:00:00Z"] * 3,
    ...     "lat": [6.1, 6.2, 6.1], "lng": [-5.2] * 3})
    >>> risk(events, "location", 1).to_polars().rows()
    [('a', 1.0), ('b', 0.5)]
    """
    count = _checked(attack, size, cell_m, minutes, targets, tolerance)
    cells = _checked_cells(attack, count, weeks, any_weeks, known)
    if engine is not None and attack != "profile":
        raise ParameterError(
            f"`engine` for {given('attack', attack)}",
            expected="`attack='profile'`, which can be divided",
            hint="leave it out",
        )
    reading = options or ReadOptions(**named)
    rng = np.random.default_rng(seed)
    asked = _Asked(attack, count, cell_m, minutes, targets, tolerance, effort, rng, progress, cells, engine=engine)
    source = open_release(data) if is_release(data) else data
    if attack == "profile":
        return _of_profiles(source, reading, asked)
    if isinstance(source, Released) and source.kind is BOXES:
        return _of_boxes(source, asked)
    uids, records, left_out = read_records(source, reading, cell_m, progress)
    asked = replace(asked, left_out=left_out)
    chosen = asked.targets_of(uids.len())
    if attack != "unicity":
        found = prudence(
            records,
            attack,
            count,
            chosen,
            step_s=asked.step_s,
            tolerance=tolerance,
            effort=effort,
            rng=rng,
            progress=progress,
        )
        return asked.result(uids, chosen, found)
    points = without_values(visits(records, asked.step_s))
    if count is None:
        return asked.result(uids, chosen, search_all(points, AtLeast(), None, chosen, effort, progress))
    counts = unicity_of_points(points, chosen, points=count, rng=rng, progress=progress)
    return asked.result(uids, chosen, Found(counts[:, -1], counts[:, -1]), curve=counts)


@dataclass(frozen=True, slots=True)
class _Asked:
    """What was asked for, with everything checked."""

    attack: str
    size: int | None
    cell_m: int | None
    minutes: int | None
    targets: int | None
    tolerance: float
    effort: int
    rng: np.random.Generator
    progress: Progress | None
    cells: KnownCells
    left_out: LeftOut | None = None
    engine: Any = None

    @property
    def step_s(self) -> int:
        """The precision of known times."""
        return (self.minutes or _MINUTES) * 60

    def targets_of(self, people: int) -> Ints:
        """Choose whom to attack."""
        if self.targets is None or self.targets >= people:
            return np.arange(people)
        return np.sort(self.rng.choice(people, self.targets, replace=False))

    def result(
        self, uids: pl.Series, chosen: Ints, found: Found, curve: Ints | None = None, *, boxes: bool = False
    ) -> Risk:
        """Wrap what was found; ``curve`` are candidates for 1 … size random points, ``boxes`` are as published."""
        users = pl.DataFrame({"uid": uids.gather(chosen), "risk": found.risk}).to_arrow()
        return Risk(users.cast(_SCHEMA), found.risk_at_most, self._summary(uids.len(), found, curve, boxes=boxes))

    def _summary(self, people: int, found: Found, curve: Ints | None, *, boxes: bool) -> dict[str, Any]:
        settled, everybody = bool(found.exact.all()), found.matches.size == people
        # Random points are one draw of many, and say nothing of the worst; so are points inside boxes.
        exact = settled and curve is None and not boxes
        sampled = not (exact and everybody)
        at_one = wilson(int((found.matches == 1).sum()), found.matches.size)
        summary: dict[str, Any] = {
            "attack": self.attack,
            "size": "all" if self.size is None else self.size,
            "cell_m": self.cell_m,
            "minutes": self.step_s // 60 if self.attack in _TIMED and not boxes else None,
            "tolerance": self.tolerance if self.attack in _TOLERANT else None,
            "people": people,
            "attacked": int(found.matches.size),
            "method": "sampled" if sampled else "exact",
            "exact": exact,
            "share_exact": round(float(found.exact.mean()), 6) if exact or not settled else None,
            "deciles": _deciles(found.risk),
            "mean": round(float(found.risk.mean()), 6),
            "share_at_1": round(at_one.value, 6),
            "share_at_1_interval": [round(at_one.low, 6), round(at_one.high, 6)] if sampled else None,
            "share_above_1_in": share_above(found.matches),
            "baseline": round(1 / people, 9),
            **({"known": self.cells.to_dict()} if self.cells.said else {}),
            **(self.left_out.to_dict() if self.left_out is not None else {}),
        }
        if not settled:
            summary["deciles_at_most"] = _deciles(found.risk_at_most)
            summary["share_at_1_at_most"] = round(float((found.at_least == 1).mean()), 6)
        if curve is not None:
            summary["unicity"] = [
                {"points": p + 1, "unique": wilson(int((counts == 1).sum()), counts.size).to_dict()}
                for p, counts in enumerate(curve.T)
            ]
            summary["published"] = PUBLISHED
        return summary


_SCHEMA = pa.schema({"uid": pa.string(), "risk": pa.float64()})


def _deciles(risk: NDArray[np.float64]) -> list[float]:
    """Return eleven values, 0 % … 100 %, each the risk of somebody."""
    return [round(float(value), 6) for value in np.quantile(risk, np.arange(11) / 10, method="inverted_cdf")]


def _of_profiles(source: Any, reading: ReadOptions, asked: _Asked) -> Risk:
    """Attack each row, and take the largest risk among those of a person."""
    profiles, left_out = read_profile_rows(source, reading, asked.progress)
    asked = replace(asked, left_out=left_out)
    chosen = asked.targets_of(profiles.uids.len())
    rows = np.flatnonzero(np.isin(profiles.owner, chosen))
    known = Knowledge(asked.cells, asked.size, asked.effort)
    found = attack_rows(
        profiles.municipality, profiles.values, rows, known, engine=asked.engine, progress=asked.progress
    )
    place = np.searchsorted(chosen, profiles.owner[rows])
    matches, at_least = (np.full(chosen.size, len(profiles.values), np.int64) for _ in range(2))
    np.minimum.at(matches, place, found.matches)
    np.minimum.at(at_least, place, found.at_least)
    return asked.result(profiles.uids, chosen, Found(matches, at_least))


def _of_boxes(released: Released, asked: _Asked) -> Risk:
    """Attack published people with points somewhere in their own boxes: who else has boxes around them?"""
    if asked.attack != "unicity":
        raise _not_on_boxes(f"for {given('attack', asked.attack)}")
    if asked.cell_m is not None or asked.minutes is not None:
        raise _not_on_boxes("with `cell_m` or `minutes`")
    uids, crowd = released.boxes()
    if not len(crowd):
        raise DataError("a release without rows", expected="published boxes", hint="see shoal audit")
    chosen = asked.targets_of(len(crowd))
    known = somewhere_inside(crowd, released.base_grid, asked.rng)
    points = asked.size or int(known.lengths.max())
    weights = np.ones(len(crowd), np.int64)
    counts = unicity(crowd, weights, known, chosen, points=points, rng=asked.rng, progress=asked.progress)
    # Whoever is attacked fits, even where a broken release has boxes smaller than a cell.
    counts = np.maximum(counts, 1)
    curve = counts if asked.size is not None else None
    return asked.result(uids, chosen, Found(counts[:, -1], counts[:, -1]), curve, boxes=True)


def _not_on_boxes(found: str) -> ParameterError:
    return ParameterError(
        f"a release of boxes {found}",
        expected="`attack='unicity'`, with the boxes as they are published",
        hint="other attacks need places that are points: give the raw data, or audit the release",
    )


def _checked(
    attack: str, size: Size, cell_m: int | None, minutes: int | None, targets: int | None, tolerance: float
) -> int | None:
    """Refuse what cannot work, and return the size; None for all."""
    if attack not in ATTACKS:
        raise ParameterError(given("attack", attack), expected="a known attack", hint=did_you_mean(attack, ATTACKS))
    if size != "all" and not _is_count(size):
        raise ParameterError(
            given("size", size), expected="a whole number, 1 or more, or all", hint="for example `size=3`"
        )
    for name, value in (("cell_m", cell_m), ("minutes", minutes), ("targets", targets)):
        if value is not None and not _is_count(value):
            raise ParameterError(given(name, value), expected="a whole number, 1 or more", hint="or leave it out")
    if not 0 <= tolerance <= 1:
        raise ParameterError(given("tolerance", tolerance), expected="a number from 0 to 1", hint="0 matches exactly")
    if tolerance and attack not in _TOLERANT:
        raise ParameterError(
            f"`tolerance` for {given('attack', attack)}", expected=f"one of {', '.join(_TOLERANT)}", hint="leave it out"
        )
    return None if size == "all" or attack == "home-work" else int(size)


def _checked_cells(
    attack: str, size: int | None, weeks: int | None, any_weeks: bool, known: Sequence[str] | None
) -> KnownCells:
    """Refuse knowledge of cells that does not go with the attack or with a size."""
    if weeks is not None and not _is_count(weeks):
        raise ParameterError(given("weeks", weeks), expected="a whole number, 1 or more", hint="or leave it out")
    cells = KnownCells(weeks, any_weeks, None if known is None else tuple(known))
    if cells.said and attack != "profile":
        raise ParameterError(
            f"`weeks` or `known` for {given('attack', attack)}", expected="`attack='profile'`", hint="leave it out"
        )
    if cells.said and size is not None:
        raise ParameterError(
            f"{given('size', size)} beside `weeks` or `known`", expected="one or the other", hint="leave `size` out"
        )
    return cells


def _is_count(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and value >= 1
