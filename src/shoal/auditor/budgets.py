"""What a person's draws of noise add up to: counted again."""

import math
from decimal import ROUND_CEILING, Decimal

import numpy as np

from shoal.attacks.crowd import Ints
from shoal.attacks.packing import distinct
from shoal.auditor.case import Case
from shoal.auditor.conditions import Finding, Hold
from shoal.auditor.points_parts import published
from shoal.auditor.registry import check
from shoal.contract.claims import GeoIndistinguishability
from shoal.contract.kinds import POINTS

_DIGITS = 2
_READ = 1e-6
"""The loss of a draw is published with six digits."""


@check(
    "budgets",
    kinds=(POINTS,),
    claims=(GeoIndistinguishability,),
    examines=(),
    needs=("opened",),
    conditions=("at_least", "median", "largest"),
)
def budgets(case: Case, hold: Hold) -> Finding:
    """The budgets are the draws of a person, points or distinct places, times the loss of each; rounded up."""
    assert isinstance(case.claim, GeoIndistinguishability)
    epsilon, drawn = case.claim.epsilon_per_m, _drawn(case)
    names = GeoIndistinguishability.budgets
    said = [case.manifest.get("budgets", {}).get(name) for name in names]
    told = said[1] if isinstance(said[1], int | float) else 0.0
    # A person may have several uids: then the budget is larger than that of any of them.
    enough = told >= epsilon * int(drawn.max()) * (1 - _READ)
    hold("at_least", enough, "a budget that is less than the points of one uid add up to")
    if case.missing("original") or case.missing("secret"):
        return hold.passed("the largest budget covers every uid; for the exact ones `original` and `secret` are needed")
    person = case.person_of_uid
    of_person = np.bincount(person[person >= 0], drawn[person >= 0])
    of_person = of_person[of_person > 0]
    if not of_person.size:
        return hold.not_run("nobody is known")
    for condition, told, count in (
        ("median", said[0], float(np.median(of_person))),
        ("largest", said[1], float(of_person.max())),
    ):
        words = f"a {condition} budget that is not what a person's draws add up to"
        hold(condition, told in _readings(epsilon * count), words)
    figures = {"draws_median": float(np.median(of_person)), "draws_largest": int(of_person.max())}
    return hold.passed("the budgets are what people's draws add up to, rounded up", **figures)


def _drawn(case: Case) -> Ints:
    """Count the draws of each uid: its points, or where one is made for each cell its distinct places."""
    points = published(case)
    if not case.parameters.get("memo_cell_m"):
        return np.diff(points.offsets)
    micro = (np.rint(column * 1e6).astype(np.int64) for column in (points.lat, points.lng))
    owner, *_ = distinct((points.owner, *micro))
    return np.bincount(owner, minlength=points.offsets.size - 1)


def _readings(value: float) -> set[float]:
    """Return a figure rounded up, as often as it can be read: what it is a product of is rounded, too.

    >>> _readings(0.0123), _readings(0.012) == {0.012, 0.013}
    ({0.013}, True)
    """
    return {rounded_up(value * (1 + off)) for off in (-_READ, 0.0, _READ)}


def rounded_up(value: float) -> float:
    """Round up to two digits.

    >>> rounded_up(0.0123), rounded_up(770.1), rounded_up(6.0)
    (0.013, 780.0, 6.0)
    """
    unit = Decimal(1).scaleb(math.floor(math.log10(value)) - _DIGITS + 1)
    return float((Decimal(value) / unit).to_integral_value(ROUND_CEILING) * unit)
