"""What can be claimed of points."""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

from shoal.contract.claims.base import SIDE_CHANNELS, Claim
from shoal.contract.claims.boxes import KAnonymity
from shoal.contract.promise import Promise
from shoal.errors import ParameterError, given

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
            "what lies near the ends of a trace is cut off, inside a disc that is drawn once for each person and place"
            if zone
            else "the first and the last point of each trace are left out"
        )
        not_covered = [
            "the way that somebody took: whoever knows some of it finds the trace, and sees the rest of it",
            "when a trace begins and ends, and how fast it went on the whole",
            "several traces of one person: they have unrelated uids, and may be joined by where and when they end",
            "places that a person passed without stopping are published as they are",
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
        return Promise(
            claim=self.to_dict(),
            holds=(
                f"Consecutive points of a published trace are {self.alpha_m:g} m apart, in a straight line, and the "
                f"times between them are equal: neither a stop nor its length can be seen in it. Of each trace {ends}."
            ),
            attacker=(
                "Looks for places where people stayed by how long points linger anywhere, and knows how the release "
                "was made; finds that none does."
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
    epsilon_per_m: float

    def __post_init__(self) -> None:
        _check_positive("epsilon_per_m", self.epsilon_per_m, "per metre")

    def promise(self, parameters: Mapping[str, Any]) -> Promise:
        memo = parameters.get("memo_cell_m")
        drawn = f"for each person and cell of {memo} m, reused there" if memo else "anew for each point"
        return Promise(
            claim=self.to_dict(),
            holds=(
                f"A draw of noise is made {drawn}. For two places that are d metres apart, the chance of any published "
                f"place differs by a factor of at most exp({self.epsilon_per_m:g} d) for each draw; a person's draws "
                "add up, and the budgets say to how much."
            ),
            attacker=(
                "Knows everything but one place and how the release was made; learns little about that place from the "
                "one draw that hides it."
            ),
            unit="one draw of noise" + (" (a person in a cell)" if memo else " (a point)"),
            not_covered=(
                "times: they are published as they are, and times alone can single people out",
                "which points belong together: a uid ties all points of a person",
                *(
                    ()
                    if memo
                    else ("a place visited often: the noise is new each time, and the mean of many draws comes close",)
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
                f"Every published trace has at least {others} with the same times, all of them within "
                f"{self.delta_m / 2:g} m of one of them at each time. This is not k-anonymity."
            ),
            attacker=(
                f"Knows where a person was up to {self.delta_m:g} m, no better, and how the release was made; finds at "
                f"least {self.k} published traces that fit."
            ),
            unit="trace",
            not_covered=(
                "an attacker who knows places better than that: the trace that comes nearest is the right one",
                "one trace of each cluster, the pivot, is published as it was",
                "traces of one person may hide each other where a person has several",
                "what all traces of a cluster have in common: if they share a home, it can be read off (homogeneity)",
                _PRESENCE,
                _TWICE,
                SIDE_CHANNELS,
            ),
        )
