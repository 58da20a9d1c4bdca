"""What a person's draws of noise add up to: counted again."""

import math
from decimal import ROUND_CEILING, Decimal

import numpy as np

from shoal.attacks.crowd import Ints
from shoal.attacks.packing import distinct
from shoal.auditor.case import Case
from shoal.auditor.conditions import Finding, Hold
from shoal.auditor.points_parts import published
from shoal.auditor.profile_rows import cells_of, profiles_of
from shoal.auditor.registry import check
from shoal.contract.claims import CellNoise, GeoIndistinguishability
from shoal.contract.kinds import POINTS, PROFILES

_DIGITS = 2
_READ = 1e-6
"""The loss of a draw is published with six digits."""


@check(
    "budgets",
    kinds=(POINTS, PROFILES),
    claims=(GeoIndistinguishability, CellNoise),
    examines=(),
    needs=("opened",),
    conditions=("cell", "at_least", "median", "largest"),
)
def budgets(case: Case, hold: Hold) -> Finding:
    """The budgets are the draws of a person times the loss of each; rounded up.

    Draws are a person's points or distinct places, or the cells of all their profiles: of every municipality.
    """
    epsilon, drawn = _epsilon(case), _drawn(case)
    told = case.manifest.get("budgets", {})
    if isinstance(case.claim, CellNoise):
        fine = told.get("epsilon_of_a_cell") == epsilon
        hold("cell", fine, "a budget of a cell that is not the epsilon of the claim")
    assert case.claim is not None
    median, largest = (told.get(name) for name in case.claim.budgets[-2:])
    # A person may have several uids: then the budget is larger than that of any of them.
    enough = isinstance(largest, int | float) and largest >= epsilon * int(drawn.max()) * (1 - _READ)
    hold("at_least", enough, "a budget that is less than what one uid adds up to")
    if case.missing("original") or case.missing("secret"):
        return hold.passed("the largest budget covers every uid; for the exact ones `original` and `secret` are needed")
    person = case.person_of_uid
    of_person = np.bincount(person[person >= 0], drawn[person >= 0])
    of_person = of_person[of_person > 0]
    if not of_person.size:
        return hold.not_run("nobody is known")
    for condition, said, count in (
        ("median", median, float(np.median(of_person))),
        ("largest", largest, float(of_person.max())),
    ):
        words = f"a {condition} budget that is not what a person's draws add up to, everywhere together"
        hold(condition, said in _readings(epsilon * count), words)
    figures = {"draws_median": float(np.median(of_person)), "draws_largest": int(of_person.max())}
    return hold.passed("the budgets are what people's draws add up to, rounded up", **figures)


def _epsilon(case: Case) -> float:
    """The loss of one draw."""
    if isinstance(case.claim, CellNoise):
        return case.claim.epsilon
    assert isinstance(case.claim, GeoIndistinguishability)
    return case.claim.epsilon_per_m


def _drawn(case: Case) -> Ints:
    """Count the draws of each uid: its points or cells, or where one is made for each place those that are distinct."""
    if isinstance(case.claim, CellNoise):
        profiles = profiles_of(case)
        return np.diff(profiles.offsets) * len(cells_of(profiles))
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
