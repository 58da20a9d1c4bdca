"""GLOVE's parameters, checked once, and the way from traces to a release."""

import math
from dataclasses import dataclass
from typing import Any, ClassVar, Literal

from shoal.data import Boxes, Grid, Traces
from shoal.errors import DataError, ParameterError
from shoal.mechanisms.base import Local, Mechanism
from shoal.mechanisms.glove.promise import promise_of
from shoal.progress import Progress
from shoal.release import Promise, Release, release_of_boxes
from shoal.release import suppressed as withheld

LARGEST_K = 10_000
LEAST_PARTITION = 4
"""Times k: so that a neighbourhood, which may be about half as large as asked for, has k people in any case."""
MOST_PEOPLE = 2**31 - 1
LARGEST_CELL_M = 10_000_000
LONGEST_MINUTES = 10 * 365 * 24 * 60


def _whole(value: object, low: int, high: int) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and low <= value <= high


def _real(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value)


@dataclass(frozen=True)
class Glove(Mechanism):
    """Groups of at least ``k`` people who share one sequence of boxes (GLOVE §6).

    Attributes
    ----------
    k
        Least number of people in a group.
    publish
        ``kmerge``: the group's raw samples merged anew, optimally; ``merge``: the paper's boxes, those that overlap
        in time replaced by their hull.
    suppress_share
        Largest share of all samples that may be left out where they cost most (``kmerge`` only).
    suppress_km, suppress_hours
        Boxes wider or longer than this are left out, for the whole group (§7.1).
    leftover_limit
        Largest stretch, 0 to 1, at which a last group below k joins a finished one; above it, it is suppressed.
    align_m, align_minutes
        Boxes are snapped outward to cells of this size; off by default.
    partition
        Group within neighbourhoods of at most so many people; off by default.

    >>> Glove(k=2).promise.name
    'k-anonymity'
    """

    name: ClassVar[str] = "glove"
    k: int
    publish: Literal["kmerge", "merge"] = "kmerge"
    suppress_share: float = 0
    suppress_km: float | None = None
    suppress_hours: float | None = None
    leftover_limit: float = 1
    align_m: int | None = None
    align_minutes: int | None = None
    partition: int | None = None

    def __post_init__(self) -> None:
        rules = (
            ("--k", self.k, _whole(self.k, 2, LARGEST_K), f"a whole number from 2 to {LARGEST_K:,}"),
            ("--publish", self.publish, self.publish in ("kmerge", "merge"), "kmerge or merge"),
            (
                "--suppress-share",
                self.suppress_share,
                _real(self.suppress_share) and 0 <= self.suppress_share < 1,
                "0 or more, less than 1",
            ),
            ("--suppress-km", self.suppress_km, _positive_or_none(self.suppress_km), "kilometres, more than 0"),
            ("--suppress-hours", self.suppress_hours, _positive_or_none(self.suppress_hours), "hours, more than 0"),
            (
                "--leftover-limit",
                self.leftover_limit,
                _real(self.leftover_limit) and 0 <= self.leftover_limit <= 1,
                "from 0 to 1",
            ),
            (
                "--align-m",
                self.align_m,
                self.align_m is None or _whole(self.align_m, 1, LARGEST_CELL_M),
                f"whole metres from 1 to {LARGEST_CELL_M:,}",
            ),
            (
                "--align-minutes",
                self.align_minutes,
                self.align_minutes is None or _whole(self.align_minutes, 1, LONGEST_MINUTES),
                f"whole minutes from 1 to {LONGEST_MINUTES:,}",
            ),
        )
        for option, value, fine, expected in rules:
            if not fine:
                raise ParameterError(f"{option} {value}", expected=expected, hint="see shoal protect glove --help")
        if self.partition is not None and not _whole(self.partition, LEAST_PARTITION * self.k, MOST_PEOPLE):
            raise ParameterError(
                f"--partition {self.partition}",
                expected=f"a whole number from {LEAST_PARTITION} k = {LEAST_PARTITION * self.k} on",
                hint="neighbourhoods of 10,000 to 50,000 people lose next to nothing",
            )
        if self.publish == "merge" and self.suppress_share:
            raise ParameterError(
                "--suppress-share with --publish merge",
                expected="thresholds, or --publish kmerge",
                hint="a share is chosen while kmerge makes the boxes; merge takes --suppress-km and --suppress-hours",
            )

    @property
    def promise(self) -> Promise:
        return promise_of(self.k, aligned=self.align_m is not None and self.align_minutes is not None)

    def aligned(self, grid: Grid) -> Grid:
        """The grid of the published boxes: whole multiples of the data's."""
        cell_m, dt_s = self.align_m or grid.cell_m, self.align_minutes * 60 if self.align_minutes else grid.dt_s
        for option, value, base, unit in (
            ("--align-m", cell_m, grid.cell_m, "metres"),
            ("--align-minutes", dt_s, grid.dt_s, "seconds"),
        ):
            if value % base:
                raise ParameterError(
                    f"{option} that makes {value} {unit}",
                    expected=f"a whole multiple of the grid's {base} {unit}",
                    hint="choose a multiple, or read the data on a finer grid with --grid-m and --grid-s",
                )
        return Grid(cell_m, dt_s)

    def _protect(
        self, traces: Traces, screened: Any, *, engine: Local, progress: Progress, seed: int | None
    ) -> Release:
        # The kernels, and numba with them, are loaded when there is work for them.
        from shoal.mechanisms.glove.grouping import group_people, settled
        from shoal.mechanisms.glove.kmerge import publish_kmerge
        from shoal.mechanisms.glove.merge import publish_merge
        from shoal.mechanisms.glove.partition import group_in_parts

        published_grid = self.aligned(traces.grid)
        if len(traces) < self.k:
            raise DataError(
                f"fewer people than k = {self.k}", expected=f"at least {self.k} people", hint="lower --k, or add people"
            )
        common = (self.k, self.leftover_limit, progress)
        own_boxes = self.publish == "merge"
        if self.partition is None:
            grouping = settled(group_people(traces, *common, threads=engine.threads), boxes=own_boxes)
        else:
            grouping = group_in_parts(traces, self.partition, *common, boxes=own_boxes, threads=engine.threads)
        progress("boxes", 0, 1)
        publish = publish_kmerge if self.publish == "kmerge" else publish_merge
        result = publish(traces, grouping, self, published_grid, threads=engine.threads)
        progress("boxes", 1, 1)
        left = withheld.whole_people(traces.people.take(grouping.suppressed), "leftover")
        boxes: Boxes = result.boxes
        return release_of_boxes(
            boxes,
            mechanism=self.name,
            parameters={**self.parameters(), **result.facts},
            promise=self.promise,
            base_grid=traces.grid,
            grid=published_grid,
            span_s=traces.span_s,
            suppressed=withheld.concat(screened, left, result.suppressed),
            seed=seed,
            run={**self.run_facts(traces, screened), "groups": len(grouping.members), **result.run},
        )


def _positive_or_none(value: object) -> bool:
    return value is None or (_real(value) and value > 0)  # type: ignore[operator]
