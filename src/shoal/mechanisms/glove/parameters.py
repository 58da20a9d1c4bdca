"""GLOVE's parameters, checked once, and the way from traces to a release."""

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import partial
from typing import TYPE_CHECKING, Any, ClassVar, Literal

from shoal.contract.claims import KAnonymity
from shoal.contract.kinds import BOXES, Kind
from shoal.contract.parameters import MINUTES_PER_KM, MOST_MINUTES_PER_KM
from shoal.data import Grid, Traces
from shoal.errors import DataError, ParameterError
from shoal.mechanisms.base import Mechanism, Run
from shoal.mechanisms.neighbourhoods import MOST_PEOPLE, refuse_too_small
from shoal.mechanisms.options import LARGEST_CELL_M, LONGEST_MINUTES, choice, real, whole
from shoal.release import Protected
from shoal.release import suppressed as withheld

if TYPE_CHECKING:
    from shoal.mechanisms.glove.grouping import Settled
    from shoal.mechanisms.glove.published import Published

LARGEST_K = 10_000
EFFORT, MOST_EFFORT = 2, 1_000


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
    minutes_per_km
        So many minutes of a box's duration cost as much as a kilometre of its width (``kmerge`` only): 24, as 8 h and
        20 km do in the paper. With more, boxes are narrower and last longer.
    grouping
        ``greedy``: the paper's groups; ``published``: groups whose published boxes are smaller (``kmerge`` only).
    effort
        With ``published``: how often everybody is tried in other groups; 2 if not said.

    >>> Glove(k=2).claim
    KAnonymity(k=2)
    """

    name: ClassVar[str] = "glove"
    summary: ClassVar[str] = "Hide everybody among k people whose whole traces look the same."
    example: ClassVar[str] = "--k 2 --suppress-share 0.05"
    takes: ClassVar[type[Traces]] = Traces
    gives: ClassVar[Kind] = BOXES
    compiles: ClassVar[bool] = True
    suits: ClassVar[tuple[str, ...]] = ("calls",)
    typical: ClassVar[tuple[Mapping[str, Any], ...]] = ({"k": 5}, {"k": 2})
    in_a_crowd: ClassVar[bool] = True
    loses: ClassVar[str | None] = "suppress_share"

    k: int = whole(
        default=2, help="Least number of people in a group; of two, each sees the other.", low=2, high=LARGEST_K
    )
    publish: Literal["kmerge", "merge"] = choice(
        "kmerge", "merge", help="kmerge: boxes made anew, optimal; merge: the paper's own boxes."
    )
    suppress_share: float = real(
        default=0.0,
        help="Share of samples that may be left out where they cost most.",
        low=0,
        high=1,
        below_high=True,
        unit="SHARE",
    )
    suppress_km: float | None = real(
        default=None, help="Leave out boxes wider than this, kilometres.", low=0, above_low=True, unit="KM"
    )
    suppress_hours: float | None = real(
        default=None, help="Leave out boxes longer than this, hours.", low=0, above_low=True, unit="H"
    )
    leftover_limit: float = real(
        default=1.0, help="Largest stretch at which a last group below k joins another.", low=0, high=1, unit="0…1"
    )
    align_m: int | None = whole(
        default=None, help="Snap boxes outward to cells of this side, metres.", low=1, high=LARGEST_CELL_M
    )
    align_minutes: int | None = whole(
        default=None, help="Snap boxes outward to steps of so many minutes.", low=1, high=LONGEST_MINUTES
    )
    partition: int | None = whole(
        default=None, help="Group within neighbourhoods of at most so many people.", low=1, high=MOST_PEOPLE
    )
    minutes_per_km: int = whole(
        default=MINUTES_PER_KM,
        help="A kilometre of a box's width counts as much as so many minutes; more: narrower, lasting longer.",
        low=1,
        high=MOST_MINUTES_PER_KM,
    )
    grouping: Literal["greedy", "published"] = choice(
        "greedy", "published", help="greedy: the paper's groups; published: those with smaller boxes, searched longer."
    )
    effort: int | None = whole(
        default=None,
        help=f"How often everybody is tried in other groups; {EFFORT} if not said.",
        low=1,
        high=MOST_EFFORT,
    )

    def _check_together(self) -> None:
        refuse_too_small(self.partition, self.k)
        if self.publish == "merge" and self.suppress_share:
            raise ParameterError(
                "`suppress_share` with `publish='merge'`",
                expected="thresholds, or `publish='kmerge'`",
                hint="a share is chosen while kmerge makes the boxes; merge takes `suppress_km` and `suppress_hours`",
            )
        if self.publish == "merge" and self.minutes_per_km != MINUTES_PER_KM:
            raise ParameterError(
                f"`minutes_per_km={self.minutes_per_km}` with `publish='merge'`",
                expected=f"{MINUTES_PER_KM}, or `publish='kmerge'`",
                hint="the paper's boxes are those of the greedy's merges, where 8 hours count as much as 20 km",
            )
        if self.publish == "merge" and self.grouping == "published":
            raise ParameterError(
                "`grouping='published'` with `publish='merge'`",
                expected="`grouping='greedy'`, or `publish='kmerge'`",
                hint="the paper's boxes are those of the greedy's merges; other groups have none",
            )
        if self.effort is not None and self.grouping == "greedy":
            raise ParameterError(
                "`effort` with `grouping='greedy'`",
                expected="`grouping='published'`",
                hint="the greedy makes each merge once, there is nothing to try longer",
            )

    @property
    def claim(self) -> KAnonymity:
        return KAnonymity(self.k)

    def aligned(self, grid: Grid) -> Grid:
        """The grid of the published boxes: whole multiples of the data's."""
        cell_m, dt_s = self.align_m or grid.cell_m, self.align_minutes * 60 if self.align_minutes else grid.dt_s
        for name, value, base, unit in (
            ("align_m", cell_m, grid.cell_m, "metres"),
            ("align_minutes", dt_s, grid.dt_s, "seconds"),
        ):
            if value % base:
                raise ParameterError(
                    f"`{name}` that makes {value} {unit}",
                    expected=f"a whole multiple of the grid's {base} {unit}",
                    hint="choose a multiple, or read the data on a finer grid (`grid.cell_m`, `grid.dt_s`)",
                )
        return Grid(cell_m, dt_s)

    def time_cap(self, grid: Grid) -> Fraction:
        """How long a box may last for the cost of 20 km of width, in steps of this grid; 8 h if nothing is asked for.

        >>> Glove(k=2).time_cap(Grid()), Glove(k=2, minutes_per_km=60).time_cap(Grid())
        (Fraction(480, 1), Fraction(1200, 1))
        """
        return Fraction(grid.space_cap * grid.cell_m * self.minutes_per_km * 60, 1_000 * grid.dt_s)

    def _protect(self, people: Traces, run: Run) -> Protected:
        # The kernels, and numba with them, are loaded when there is work for them.
        from shoal.mechanisms.glove.kmerge import publish_kmerge
        from shoal.mechanisms.glove.merge import publish_merge
        from shoal.mechanisms.glove.partition import group_in_parts, group_part

        published_grid = self.aligned(people.grid)
        if len(people) < self.k:
            raise DataError(
                f"fewer people than k = {self.k}", expected=f"at least {self.k} people", hint="lower `k`, or add people"
            )
        own_boxes, better = self.publish == "merge", None
        if self.grouping == "published":
            from shoal.mechanisms.glove.regrouping import regrouped

            better = partial(
                regrouped,
                k=self.k,
                share=self.suppress_share,
                effort=self.effort or EFFORT,
                grid=published_grid,
                time_cap=self.time_cap(people.grid),
            )
        common: dict[str, Any] = {
            "k": self.k,
            "leftover_limit": self.leftover_limit,
            "boxes": own_boxes,
            "better": better,
        }
        if self.partition is None:
            with run.engine.workers() as workers:
                grouping = group_part(people, workers, run.progress, **common)
        else:
            grouping = group_in_parts(people, self.partition, progress=run.progress, engine=run.engine, **common)
        run.progress("boxes", 0, 1)
        publish = publish_merge if own_boxes else publish_kmerge
        with run.engine.workers() as workers:
            result = publish(people, grouping, self, published_grid, workers=workers)
        run.progress("boxes", 1, 1)
        left = withheld.whole_people(people.people.take(grouping.suppressed), "leftover")
        return Protected(
            payload=result.boxes,
            grid=published_grid,
            withheld=withheld.concat(left, result.suppressed),
            facts={**self._without_effect(people.grid), **result.facts},
            run={"groups": len(grouping.members), **result.run},
            remarks=(*_won(grouping), *self._remarks(result), *_spared(result)),
        )

    def _remarks(self, result: "Published") -> tuple[str, ...]:
        """Say where less was left out than was allowed, and why."""
        reached = result.facts.get("suppress_share_reached")
        if not isinstance(reached, float) or round(self.suppress_share, 3) <= reached:
            return ()
        why = "one price holds for all groups, and the next step would go beyond what is allowed"
        if result.run.get("people_spared"):
            why = "the next step would go beyond what is allowed, or leave nothing of more people"
        elif not reached:
            why = "nothing costs more than leaving it out would save"
        return (f"left out: {reached:.1%} of samples, of {self.suppress_share:.1%} allowed: {why}",)

    def _without_effect(self, grid: Grid) -> dict[str, None]:
        """Alignments to the grid that the data are on anyway hide nothing: the manifest must not boast of them."""
        return {
            name: None
            for name, asked, given_by_data in (
                ("align_m", self.align_m, grid.cell_m),
                ("align_minutes", self.align_minutes, grid.dt_s / 60),
            )
            if asked == given_by_data
        }


def _won(grouping: "Settled") -> tuple[str, ...]:
    """Say what other groups than the greedy's are worth, if there are any."""
    if not grouping.value_greedy:
        return ()
    less = 1 - grouping.value / grouping.value_greedy
    return (f"boxes cost {less:.1%} less, by width and duration, than in the groups of --grouping greedy",)


def _spared(result: "Published") -> tuple[str, ...]:
    """Say who keeps something that is dearer than what others leave out, if anybody does."""
    people = result.run.get("people_spared")
    if not people:
        return ()
    return (f"spared: {people} people, who would have lost everything, keep some wide or long boxes",)
