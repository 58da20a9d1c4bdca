"""What can be claimed of points."""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

from shoal.contract.claims.base import SIDE_CHANNELS, Claim
from shoal.contract.claims.boxes import KAnonymity
from shoal.contract.promise import Promise
from shoal.errors import ParameterError, given

LARGEST_EPSILON = 1.0
"""Per metre: noise of 2 m on the mean. Less cannot be told from raw data with the accuracy of degrees."""

_TWICE = "two releases of the same people can be joined"
_PRESENCE = "whether a person is in the data at all"


def _check_positive(name: str, value: object, unit: str) -> None:
    fits = isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value) and value > 0
    if not fits:
        raise ParameterError(given(name, value), expected=f"{unit}, more than 0", hint="0 would publish the raw data")


@dataclass(frozen=True)
class SpeedSmoothing(Claim):
    """Published points of a trace are ``alpha_m`` apart and follow each other at equal intervals (Promesse).

    >>> SpeedSmoothing(100.0).to_dict()
    {'name': 'speed-smoothing', 'alpha_m': 100.0}
    """

    name: ClassVar[str] = "speed-smoothing"
    kinds: ClassVar[tuple[str, ...]] = ("points",)
    alpha_m: float

    def __post_init__(self) -> None:
        _check_positive("alpha_m", self.alpha_m, "metres")

    def promise(self, parameters: Mapping[str, Any]) -> Promise:
        zone = parameters.get("endpoint_trim") == "zone"
        ends = (
            f"what lies near its ends is cut off: inside a disc of {2 * self.alpha_m:g} m that holds the end, and is "
            "the same for all traces of a person that end there; what is published begins and ends at least "
            f"{self.alpha_m:g} m from there"
            if zone
            else f"no more than about {self.alpha_m:g} m are cut off at either end"
        )
        not_covered = [
            "the way that somebody took: whoever knows some of it finds the trace, and sees the rest of it",
            "when a trace begins and ends, and how fast it went on the whole",
            "several traces of one person: they have unrelated uids, and may be joined by where and when they end",
            "places in the middle of a trace: they are published like all others on the way, and a stop shows where "
            f"the way turns back, or where positions wander by more than {self.alpha_m:g} m",
            _PRESENCE,
            _TWICE,
            SIDE_CHANNELS,
        ]
        if not zone:
            not_covered.insert(
                0,
                f"where a trace begins and ends: its first and last point lie about {self.alpha_m:g} m from there, and "
                "a few traces of one person show the middle of that ring",
            )
        else:
            not_covered.insert(
                0,
                "the disc: many traces that begin and end at one place show where it lies, and that the place is one "
                f"of those within {self.alpha_m:g} m of its centre",
            )
        return Promise(
            claim=self.to_dict(),
            holds=(
                f"Consecutive points of a published trace are {self.alpha_m:g} m apart, in a straight line, and the "
                "times between them are equal, to the second: how long somebody stayed within less than that does not "
                f"show in it. Of each trace {ends}."
            ),
            attacker=(
                "Looks for places where people stayed by how long points linger anywhere, and knows how the release "
                "was made; finds that a trace goes everywhere at one speed."
            ),
            unit="stop within a trace",
            not_covered=tuple(not_covered),
        )


@dataclass(frozen=True)
class GeoIndistinguishability(Claim):
    """Every draw of noise hides a place among those near it, by ``epsilon_per_m`` (planar Laplace).

    >>> GeoIndistinguishability(0.01).budgets
    ('epsilon_per_m_of_a_person_median', 'epsilon_per_m_of_a_person_max')
    """

    name: ClassVar[str] = "geo-indistinguishability"
    kinds: ClassVar[tuple[str, ...]] = ("points",)
    budgets: ClassVar[tuple[str, ...]] = ("epsilon_per_m_of_a_person_median", "epsilon_per_m_of_a_person_max")
    called: ClassVar[Mapping[str, str]] = {"epsilon_per_m": "epsilon"}
    epsilon_per_m: float

    def __post_init__(self) -> None:
        _check_positive("epsilon_per_m", self.epsilon_per_m, "per metre")
        if self.epsilon_per_m > LARGEST_EPSILON:
            raise ParameterError(
                given("epsilon_per_m", self.epsilon_per_m),
                expected=f"at most {LARGEST_EPSILON:g} per metre",
                hint="there noise is 2 m on the mean; less is none, and would publish the raw data",
            )

    def promise(self, parameters: Mapping[str, Any]) -> Promise:
        memo = parameters.get("memo_cell_m")
        drawn = (
            f"Points are moved to the middle of their cell of a public lattice of {memo} m, and a draw of noise is "
            "made for each person and cell, reused there. For two cells whose middles are d metres apart,"
            if memo
            else "A draw of noise is made anew for each point. For two places that are d metres apart,"
        )
        return Promise(
            claim=self.to_dict(),
            holds=(
                f"{drawn} the chance of any published place differs by a factor of at most exp({self.epsilon_per_m:g} "
                "d) for each draw, up to what finite numbers cost (0.00001 in the exponent); a person's draws add up, "
                "and the budgets say to how much, rounded up."
            ),
            attacker=(
                "Knows everything but one cell that a person was in, and how the release was made; learns little about "
                "where that cell is from the one draw that hides it."
                if memo
                else "Knows everything but one place and how the release was made; learns little about that place from "
                "the one draw that hides it."
            ),
            unit="one draw of noise" + (" (a person in a cell)" if memo else " (a point)"),
            not_covered=(
                "times: they are published as they are, and times alone can single people out",
                "which points belong together: a uid ties all points of a person",
                (
                    "which points of a person are in one cell: all of those are at one published place, and who knows "
                    "where one of them was knows the cell of the others"
                    if memo
                    else "a place visited often: the noise is new each time, and the mean of many draws comes close"
                ),
                "a whole trace: for a person the budgets hold, not the figure for one draw",
                _PRESENCE,
                _TWICE,
                SIDE_CHANNELS,
            ),
        )


@dataclass(frozen=True)
class Cylinder(Claim):
    """Every published trace has ``k - 1`` others beside it, within ``delta_m`` at equal times (Wait For Me).

    >>> Cylinder(2, 200.0).to_dict()
    {'name': 'cylinder', 'k': 2, 'delta_m': 200.0}
    """

    name: ClassVar[str] = "cylinder"
    kinds: ClassVar[tuple[str, ...]] = ("points",)
    k: int
    delta_m: float

    def __post_init__(self) -> None:
        KAnonymity(self.k)  # the same limits
        _check_positive("delta_m", self.delta_m, "metres")

    def promise(self, parameters: Mapping[str, Any]) -> Promise:  # noqa: ARG002
        others = f"{self.k - 1} other{'' if self.k == 2 else 's'}"
        return Promise(
            claim=self.to_dict(),
            holds=(
                f"Every published trace has at least {others} with the same times, of other people, all of them within "
                f"{self.delta_m / 2:g} m of one of them at each time. This is not k-anonymity."
            ),
            attacker=(
                f"Cannot tell places apart that are no more than {self.delta_m:g} m from each other, and knows how the "
                f"release was made; whichever published trace fits what is known, at least {others} fit as well."
            ),
            unit="trace",
            not_covered=(
                "an attacker who knows places better than that: the trace that comes nearest is often the right one",
                "one trace of each cluster, the pivot, is published as it was, and all have its times",
                "what all traces of a cluster have in common: if they share a home, it can be read off (homogeneity)",
                _PRESENCE,
                _TWICE,
                SIDE_CHANNELS,
            ),
        )
