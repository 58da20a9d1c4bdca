"""Promesse: the same speed everywhere, so that stops do not show (Primault et al. 2015, §IV).

Along each trace a point is published every ``alpha_m`` metres, and the times between them are equal. Where this differs
from the paper:

- Points lie on the trace's own line (``interpolation="path"``); the paper's pseudocode takes the short cut from the
  last point to the next record (``"chord"``).
- A disc for each person and end place is cut out at the ends (``endpoint_trim="zone"``); the paper cuts off one step
  (``"fixed"``), and a few traces of one person then show the middle of a ring. The walk begins at the first record
  outside of the disc, and does not start or end with points that lie in it.
- Fewer than three points are counted after the ends are gone; the pseudocode counts before, and divides by zero.
- A trace with less than a second between its points is dropped too: times are rounded to the second, and would not tell
  the order of the points.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, ClassVar, NamedTuple

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from shoal.contract.claims import SpeedSmoothing
from shoal.contract.kinds import POINTS, Kind
from shoal.data import Fixes, Points
from shoal.data.layout import Floats, Ints64
from shoal.errors import DataError, counted, given
from shoal.mechanisms.alone import Alone, Some, Tally
from shoal.mechanisms.base import Run
from shoal.mechanisms.blocks import blocks_of
from shoal.mechanisms.options import choice, real
from shoal.mechanisms.randomness import uniform
from shoal.progress import Progress
from shoal.release import Findings, suppressed
from shoal.release.columns import gather, utc
from shoal.workers import Workers

GAP_US = 4 * 3600 * 1_000_000
"""A trace ends where the next record is as late as this, or later."""

MOST_POINTS = 2**28
"""Of some hundred thousand records: beyond it there is a jump, or a step that is far too short."""

ZONE = 2.00001
"""Radius of a disc in steps: a place lies within one step of its centre, an end within one step of its place. The last
digit covers what rounding may add."""

REASONS = {-1: "short", -2: "fast"}
"""Why a trace is dropped: fewer than three points were left, or less than a second between them."""


class Walked(NamedTuple):
    """Points of some traces, and how many each has; below zero where it was dropped."""

    kept: Ints64
    t_us: Ints64
    lat: Floats
    lng: Floats


class _Part(NamedTuple):
    """Records of some people, cut into traces, and chance for their ends."""

    t_us: Ints64
    lat: Floats
    lng: Floats
    offsets: Ints64
    person_of: Ints64
    chance: Floats


@dataclass(frozen=True)
class Promesse(Alone):
    """Publish a point every ``alpha_m`` metres of each trace, at equal intervals of time.

    Distances are straight lines in space between points of the WGS84 ellipsoid, corrected for its curvature: two
    consecutive points are ``alpha_m`` apart on the ground to a millimetre (a centimetre at 100 km), before degrees are
    rounded to 6 decimals, which moves a point by up to 8 cm.

    >>> import numpy as np
    >>> from shoal.data import read_fixes
    >>> times = [f"2020-01-01T00:{minute:02}:00Z" for minute in range(60)]
    >>> east = 5 + 0.001 * np.maximum(np.arange(60) - 20, 0)  # stands still for 20 minutes, then goes 80 m a minute
    >>> walk = read_fixes({"uid": ["a"] * 60, "datetime": times, "lat": [45.0] * 60, "lng": east})
    >>> data = Promesse(alpha_m=500, endpoint_trim="fixed").protect(walk).data
    >>> data["datetime"].to_numpy().astype("datetime64[m]").astype(str).tolist()
    ['2020-01-01T00:27', '2020-01-01T00:33', '2020-01-01T00:39', '2020-01-01T00:45', '2020-01-01T00:52']
    """

    name: ClassVar[str] = "promesse"
    summary: ClassVar[str] = "One speed for each trace: stops do not show. For dense GPS."
    example: ClassVar[str] = "--alpha-m 200"
    takes: ClassVar[type[Fixes]] = Fixes
    gives: ClassVar[Kind] = POINTS
    compiles: ClassVar[bool] = True
    suits: ClassVar[tuple[str, ...]] = ("dense",)
    typical: ClassVar[tuple[Mapping[str, Any], ...]] = ({"alpha_m": 500.0}, {"alpha_m": 200.0})

    alpha_m: float = real(
        help="Distance between consecutive points, metres.",
        low=1,
        high=100_000,
        short=True,
        unit="M",
        hint="for example 200; 0 would publish the raw data",
    )
    endpoint_trim: str = choice(
        "zone", "fixed", help="Cut the ends of traces off by a disc per person and place, or by one step (the paper's)."
    )
    interpolation: str = choice("path", "chord", help="Points on the trace's own line, or on short cuts (the paper's).")

    @property
    def claim(self) -> SpeedSmoothing:
        return SpeedSmoothing(self.alpha_m)

    def _protect_some(self, people: Fixes, run: Run) -> Some:
        offsets, person_of = split(people)
        walked = self._walked(people, offsets, person_of, run)
        points = Points(
            people.people,
            person_of,
            np.concatenate((np.zeros(1, np.int64), np.cumsum(np.maximum(walked.kept, 0)))),
            walked.t_us,
            walked.lat,
            walked.lng,
        )
        gone = np.bincount(person_of[walked.kept > 0], minlength=len(people)) == 0
        return Some(
            points,
            withheld=suppressed.whole_people(people.people.filter(pa.array(gone)), "short"),
            tables={"parts": _parts_table(people, offsets, person_of, walked.kept)},
            tally={"kept": walked.kept},
        )

    def _account(self, tally: Tally) -> Findings:
        kept = tally["kept"]
        left = int((kept > 0).sum())
        if not left:
            raise DataError(
                "no trace is long enough to be published",
                expected=f"traces that go on for some times {given('alpha_m', self.alpha_m)}, without gaps of 4 h",
                hint="take a smaller `alpha_m`, or denser data",
            )
        traces = counted(kept.size, "trace", "traces")
        dropped = {reason: int((kept == code).sum()) for code, reason in REASONS.items()}
        return Findings(
            run={"traces": kept.size, "traces_published": left, "traces_dropped": dropped},
            remarks=(
                f"published {left:,} of {traces}; too short: {dropped['short']:,}, too fast: {dropped['fast']:,}",
            ),
        )

    def _walked(self, people: Fixes, offsets: Ints64, person_of: Ints64, run: Run) -> Walked:
        zones = self.endpoint_trim == "zone"
        traces = np.bincount(person_of, minlength=len(people))
        chance = uniform(run.chance.words("promesse", people.people, (4 if zones else 0) * traces)).reshape(-1, 2)
        trace_of = np.searchsorted(person_of, np.arange(len(people) + 1))
        blocks = blocks_of(people.offsets)
        parts = (
            _Part(
                people.t_us[block.start : block.stop],
                people.lat[block.start : block.stop],
                people.lng[block.start : block.stop],
                offsets[trace_of[block.first] : trace_of[block.last] + 1] - block.start,
                person_of[trace_of[block.first] : trace_of[block.last]],
                chance[2 * trace_of[block.first] : 2 * trace_of[block.last]],
            )
            for block in blocks
        )
        work = partial(_walk_part, alpha_m=self.alpha_m, zones=zones, by_path=self.interpolation == "path")
        sizes = [block.stop - block.start for block in blocks]
        done: Sequence[Walked] = run.engine.map(work, parts, progress=run.progress, phase="walking", sizes=sizes)
        columns: list[Any] = [np.concatenate(column) for column in zip(*done, strict=True)]
        return Walked(*columns)


def split(people: Fixes, gap_us: int = GAP_US) -> tuple[Ints64, Ints64]:
    """Cut everybody's records into traces where there are none for ``gap_us``: their offsets, and whose they are.

    >>> from shoal.data import read_fixes
    >>> times = ["2020-01-01T00:00Z", "2020-01-01T03:59Z", "2020-01-01T07:59Z"]
    >>> split(read_fixes({"uid": ["a"] * 3, "datetime": times, "lat": [45.0] * 3, "lng": [5.0] * 3}))
    (array([0, 2, 3]), array([0, 0]))
    """
    first = np.ones(people.points, np.bool_)
    first[1:] = np.diff(people.t_us) >= gap_us
    first[people.offsets[:-1][people.lengths > 0]] = True
    starts = np.flatnonzero(first)
    person_of = np.searchsorted(people.offsets, starts, side="right") - 1
    return np.append(starts, people.points), person_of


def _walk_part(
    part: _Part,
    workers: Workers,  # noqa: ARG001  # a part is one piece
    progress: Progress,  # noqa: ARG001
    *,
    alpha_m: float,
    zones: bool,
    by_path: bool,
) -> Walked:
    """Walk over the traces of some people."""
    from shoal.kernels.points.earth import chord_of, places_in_space
    from shoal.kernels.points.walk import NO_ROOM, room, walk
    from shoal.kernels.points.zones import centres, cut

    step = chord_of(alpha_m)
    place = places_in_space(part.lat, part.lng)
    start, stop = part.offsets[:-1].copy(), part.offsets[1:].copy()
    centre, zone = np.empty((0, 3)), 0.0
    if zones:
        centre, zone = centres(place, part.offsets, part.person_of, part.chance, step), ZONE * step
        start, stop = cut(place, part.offsets, centre, zone)
    most = int(room(place, start, stop, step).sum())
    if most > MOST_POINTS:
        raise DataError(
            "traces so long that they would have hundreds of millions of points",
            expected="positions without jumps round the world, and a step that suits them",
            hint="take a larger `alpha_m`, or remove such jumps first",
        )
    lat, lng, t_us = np.empty(most), np.empty(most), np.empty(most, np.int64)
    kept = walk(place, part.t_us, part.offsets, start, stop, centre, step, zone, by_path, lat, lng, t_us)
    assert not (kept == NO_ROOM).any()
    total = int(np.maximum(kept, 0).sum())
    return Walked(kept, t_us[:total], lat[:total], lng[:total])


def _parts_table(people: Fixes, offsets: Ints64, person_of: Ints64, kept: NDArray[np.int64]) -> pa.Table:
    """List all traces in the order of people and time; the published ones of a person stand as in the mapping."""
    reasons = pa.array([REASONS.get(code) for code in np.minimum(kept, 0).tolist()], pa.string())
    return pa.table(
        {
            "original_uid": gather(people.people, person_of),
            "start": utc(people.t_us[offsets[:-1]]),
            "end": utc(people.t_us[offsets[1:] - 1]),
            "records": np.diff(offsets),
            "points": np.maximum(kept, 0),
            "reason": reasons,
        }
    )
