"""Wait For Me's parameters, checked once, and the way from fixes to a release."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
import pyarrow as pa

from shoal.contract.claims import Cylinder
from shoal.contract.kinds import POINTS, Kind
from shoal.data import Fixes, Points
from shoal.errors import DataError
from shoal.mechanisms.base import Mechanism, Run
from shoal.mechanisms.options import LARGEST_CELL_M, real, whole
from shoal.release import Protected, suppressed

MOST_RECORDED = 0.5
"""Of the points of those who are no pivot: the share that may be published as recorded without a word."""


@dataclass(frozen=True)
class WaitForMe(Mechanism):
    """Clusters of at least ``k`` traces, all within ``delta_m / 2`` of one of them at all times (W4M-LC).

    What the public program of 2010 does, as far as its outputs tell (``algorithms.md`` §4). The pivot of each cluster
    is published as it was, and whoever knows a trace well finds it: this is no k-anonymity, and does not say so. A
    trace is all that a person has.

    Attributes
    ----------
    k
        Least number of traces in a cluster.
    delta_m
        Diameter of the cylinder, metres.
    max_radius_m
        How far a trace may get from its pivot before it is bent; grows while too many are thrown away.
    trash
        Share of traces that may be thrown away.

    >>> WaitForMe(k=2, delta_m=200).claim
    Cylinder(k=2, delta_m=200.0)
    """

    name: ClassVar[str] = "w4m"
    summary: ClassVar[str] = "Bend traces towards each other: k within a cylinder. Not k-anonymity."
    example: ClassVar[str] = "--k 2 --delta-m 200"
    takes: ClassVar[type[Fixes]] = Fixes
    gives: ClassVar[Kind] = POINTS
    compiles: ClassVar[bool] = True
    suits: ClassVar[tuple[str, ...]] = ("dense",)
    typical: ClassVar[tuple[Mapping[str, Any], ...]] = ({"k": 2, "delta_m": 1_000.0}, {"k": 2, "delta_m": 200.0})
    in_a_crowd: ClassVar[bool] = True

    k: int = whole(default=2, help="Least number of traces in a cluster.", low=2, high=10_000)
    delta_m: float = real(
        default=200.0, help="Diameter of the cylinder, metres.", low=0, high=LARGEST_CELL_M, above_low=True, unit="M"
    )
    max_radius_m: float = real(
        default=5000.0,
        help="How far a trace may get from its pivot at first, metres.",
        low=0,
        high=4 * LARGEST_CELL_M,
        above_low=True,
        unit="M",
    )
    trash: float = real(
        default=0.1, help="Share of traces that may be thrown away.", low=0, high=1, below_high=True, unit="SHARE"
    )

    @property
    def claim(self) -> Cylinder:
        return Cylinder(self.k, self.delta_m)

    def _protect(self, people: Fixes, run: Run) -> Protected:
        # The kernels, and numba with them, are loaded when there is work for them.
        from shoal.mechanisms.w4m.clusters import Rule, cluster
        from shoal.mechanisms.w4m.published import bend
        from shoal.mechanisms.w4m.rawness import recorded_share
        from shoal.mechanisms.w4m.tracks import tracks_of

        if len(people) < self.k:
            raise DataError(
                f"fewer traces than k = {self.k}", expected=f"at least {self.k} people", hint="lower `k`, or add people"
            )
        tracks = tracks_of(people.offsets, people.t_us, people.lat, people.lng)
        rule = Rule(self.k, self.delta_m, self.max_radius_m, self.trash)
        rng = np.random.default_rng(run.seed)
        with run.engine.workers() as workers:
            clusters = cluster(tracks, rule, rng, run.progress, workers=workers)
        run.progress("bending traces", 0, 1)
        bent = bend(tracks, clusters.pivot_of, self.delta_m)
        run.progress("bending traces", 1, 1)
        turn = people.lng[bent.row] - tracks.columns[0][bent.row]
        points = Points(
            people.people.take(pa.array(bent.chosen)),
            np.arange(bent.chosen.size),
            bent.offsets,
            people.t_us[bent.row],
            bent.y,
            _wrapped(bent.x + turn),
        )
        thrown = people.people.filter(pa.array(clusters.pivot_of < 0))
        pivots = people.people.take(pa.array(clusters.pivot_of[bent.chosen]))
        return Protected(
            payload=points,
            withheld=suppressed.whole_people(thrown, "leftover"),
            run={
                "clusters": int((clusters.pivot_of == np.arange(len(people))).sum()),
                "radius_m": clusters.radius_m,
                "attempts": clusters.attempts,
                "created": bent.created,
                "deleted": bent.deleted,
                "moved_m": round(bent.moved_m, 1),
                "waited_s": round(bent.waited_s, 1),
            },
            tables={"clusters": pa.table({"original_uid": points.people, "pivot": pivots})},
            remarks=(
                *_remarks(clusters.radius_m, self.max_radius_m),
                *_raw_remarks(recorded_share(people, points, bent, clusters.pivot_of)),
            ),
        )


def _wrapped(lng: np.ndarray) -> np.ndarray:
    """Longitudes from -180 to 180."""
    return np.where(np.abs(lng) > 180.0, (lng + 180.0) % 360.0 - 180.0, lng)


def _remarks(radius_m: float, wanted_m: float) -> tuple[str, ...]:
    """Say where traces had to be bent from farther away than was asked for."""
    if radius_m <= wanted_m:
        return ()
    grown = f"too many traces found no cluster within {wanted_m:g} m: the radius grew to {radius_m:,.0f} m"
    return (f"{grown}; more people, shorter traces or a larger share of `trash` keep it smaller",)


def _raw_remarks(recorded: float) -> tuple[str, ...]:
    """Say where a release is hardly anything but the data: cylinders allow that, and the audit does not."""
    if recorded <= MOST_RECORDED:
        return ()
    told = f"{recorded:.0%} of the points of those who are no pivot are published where and when they were recorded"
    why = "people who are seen at the same times are hardly bent, and the audit will call this raw data"
    return (f"{told}: {why}; a smaller `delta_m` bends more, and promesse or geoind hide where people were",)
