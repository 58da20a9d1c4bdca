"""What can be claimed of profiles."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

from shoal.contract.claims.base import SIDE_CHANNELS, Claim
from shoal.contract.claims.boxes import KAnonymity
from shoal.contract.kinds import are_cells, cell_names, weeks_of
from shoal.contract.promise import Promise
from shoal.errors import ParameterError, given

_PRESENCE = "that a person has a profile in a municipality, and so whether they are in the data at all"


@dataclass(frozen=True)
class KAnonymousCells(Claim):
    """Every published profile agrees on ``cells`` with ``k - 1`` others of its municipality, of other people.

    Attributes
    ----------
    k
        Least number of people who agree.
    cells
        Names of the cells that the attacker may know, in the order in which profiles have them, none twice. JSON makes
        a list of it, which is taken as well.

    >>> KAnonymousCells(2, ["w1_weekday_day", "w1_weekend_day"]).to_dict()
    {'name': 'k-anonymous-cells', 'k': 2, 'cells': ['w1_weekday_day', 'w1_weekend_day']}
    """

    name: ClassVar[str] = "k-anonymous-cells"
    kinds: ClassVar[tuple[str, ...]] = ("profiles",)
    k: int
    cells: tuple[str, ...]

    def __post_init__(self) -> None:
        KAnonymity(self.k)  # the same limits
        if not are_cells(self.cells):
            raise ParameterError(
                "`cells` that are not cells of a profile, or in another order",
                expected="names of cells, in the order of profiles, none twice",
                hint="for example w1_weekday_night, w1_weekday_day",
            )
        object.__setattr__(self, "cells", tuple(self.cells))

    def to_dict(self) -> dict[str, Any]:
        return {"name": self.name, "k": self.k, "cells": list(self.cells)}

    def promise(self, parameters: Mapping[str, Any]) -> Promise:
        k = self.k
        people = "person" if k == 2 else "people"
        everything = parameters.get("weeks") == "all" and parameters.get("known") is None
        known = "all its cells" if everything else spelled_cells(self.cells)
        kept = parameters.get("small") == "keep"
        not_covered = [
            "an attacker who finds out that profiles of several municipalities are of one person: k holds within each "
            "of them, and fewer may fit in all",
            f"a member of a group knows one profile of it: for them the others hide among {k - 1}"
            + (" and, as there is only one other, not at all" if k == 2 else "")
            + "; published values are means, so all but one of a group can work out the last one's",
            "what all who agree have in common: a value is the mean of a group, and near everybody's if they are alike "
            "(homogeneity)",
            _PRESENCE,
            "two releases of the same people: groups differ, and their intersection can be smaller than k",
            SIDE_CHANNELS,
        ]
        if not everything:
            not_covered.insert(
                0,
                "other cells than those: they are published as they were, and whoever knows one of them may single "
                "somebody out",
            )
        if kept:
            not_covered.insert(
                0,
                f"municipalities with fewer than {k} published profiles: those are published as they were, on request, "
                "and nobody in them is hidden",
            )
        return Promise(
            claim=self.to_dict(),
            holds=(
                (f"In municipalities with {k} or more profiles every" if kept else "Every")
                + f" published profile has on {known} exactly the same values as at least {k - 1} other "
                f"profile{'' if k == 2 else 's'} of its municipality, of {k - 1} other {people}."
            ),
            attacker=(
                "Knows a person's values in one municipality, in some or all of "
                f"{'the cells' if everything else f'these: {known};'} and how the release was made; whichever "
                f"published profile of that municipality they take for the person's, at least {k - 1} "
                f"{'other fits' if k == 2 else 'others fit'} equally well."
            ),
            unit="person in a municipality",
            not_covered=tuple(not_covered),
        )


@dataclass(frozen=True)
class CellNoise(Claim):
    """Every value of a profile is hidden by Laplace noise of scale 1 / ``epsilon``.

    Its budgets: of a cell, which is ``epsilon``; of a person, which is ``epsilon`` times the cells of a profile times
    the municipalities that the person has profiles in, the median and the largest, rounded up to two digits.

    >>> CellNoise(1.0).budgets
    ('epsilon_of_a_cell', 'epsilon_of_a_person_median', 'epsilon_of_a_person_max')
    """

    name: ClassVar[str] = "cell-noise"
    kinds: ClassVar[tuple[str, ...]] = ("profiles",)
    budgets: ClassVar[tuple[str, ...]] = (
        "epsilon_of_a_cell",
        "epsilon_of_a_person_median",
        "epsilon_of_a_person_max",
    )
    epsilon: float

    def __post_init__(self) -> None:
        value: object = self.epsilon
        fits = isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value) and value > 0
        if not fits:
            raise ParameterError(
                given("epsilon", value), expected="a number, more than 0", hint="for example 1; more is less noise"
            )

    def promise(self, parameters: Mapping[str, Any]) -> Promise:  # noqa: ARG002
        return Promise(
            claim=self.to_dict(),
            holds=(
                f"Every value has noise of its own, two-sided exponential of scale 1/{self.epsilon:g}, on a public "
                f"grid of steps of 1/{NOISE_STEPS}, and is then cut to 0…1. Two sets of profiles are neighbours if they differ in the "
                "value of one cell of one person in one municipality, by anything from 0 to 1: the chance of any "
                f"release differs between them by a factor of at most exp({self.epsilon:g}). What a person's cells and "
                "municipalities add up to, the budgets say, rounded up."
            ),
            attacker=(
                "Knows everything but one value of one profile, and how the release was made; learns little about that "
                "value."
            ),
            unit="cell of a profile (a person in a municipality, in one week, kind of day and time of day)",
            not_covered=(
                "a whole profile, or a whole person: their cells add up, and for a person the budgets hold, not the "
                "figure for one cell",
                "what somebody's values have in common: many cells together show how active a person was, and the "
                "noise of one of them hides little of that",
                f"{_PRESENCE}: rows are published for all profiles there are, and for no others",
                "how many profiles a municipality has",
                "two releases of the same people: noise is drawn anew, and what is lost adds up",
                SIDE_CHANNELS,
            ),
        )


NOISE_STEPS = 1000
"""Steps between 0 and 1 of the public grid that values with noise lie on."""


def spelled_cells(cells: Sequence[str]) -> str:
    """Name cells, shortly where they are all of some first weeks.

    >>> spelled_cells(cell_names(1)), spelled_cells(cell_names(4))
    ('all cells of week 1', 'all cells of weeks 1 to 4')
    >>> spelled_cells(["w1_weekday_day", "w2_weekend_day"])
    'the cells w1_weekday_day, w2_weekend_day'
    >>> spelled_cells(["w2_weekend_day"])
    'the cell w2_weekend_day'
    """
    weeks = weeks_of(cells)
    if tuple(cells) == cell_names(weeks):
        return "all cells of week 1" if weeks == 1 else f"all cells of weeks 1 to {weeks}"
    return f"the cell{'' if len(cells) == 1 else 's'} {', '.join(cells)}"
