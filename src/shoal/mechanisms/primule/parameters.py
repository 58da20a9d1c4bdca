"""PRIMULE's parameters, checked once, and the way from profiles to a release."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, Literal

import numpy as np
import pyarrow as pa

from shoal.contract.claims import KAnonymousCells
from shoal.contract.kinds import MOST_WEEKS, PROFILES, Kind, cell_names, cell_number
from shoal.data import Profiles
from shoal.data.layout import Ints64
from shoal.errors import DataError, ParameterError, did_you_mean, given
from shoal.mechanisms.base import Mechanism, Run
from shoal.mechanisms.options import cells, choice, whole
from shoal.mechanisms.profile_rows import about_the_period, rows_of_municipalities, rows_per_person
from shoal.release import Protected
from shoal.release import suppressed as withheld

LARGEST_K = 10_000


@dataclass(frozen=True)
class Primule(Mechanism):
    """Profiles that are equal to those of at least ``k - 1`` others of their municipality (PRIMULE §6).

    The paper's algorithm with two slips repaired: a group of k is safe (line 27 says more than k), and both groups of a
    pair must be unchanged in the round (line 17 checks one). What it leaves open is decided by content alone: groups
    are numbered in the lexicographic order of their values, and a merged one keeps the number of the group that was
    joined (line 26); the nearest is the first by (distance, size, number), pairs are taken by (distance, number).
    Outside of the cells that the attacker may know values stay as they are.

    Attributes
    ----------
    k
        Least number of people in a group.
    weeks
        How many first weeks the attacker may know; ``all`` by default.
    known
        Which cells the attacker may know, instead of weeks.
    small
        What becomes of municipalities with fewer than k profiles: ``suppress`` leaves them out, ``keep`` publishes them
        as they are, unprotected, and the promise says so.

    >>> Primule(k=2, known="w1_weekend_day, w1_weekday_day").known
    ('w1_weekday_day', 'w1_weekend_day')
    """

    name: ClassVar[str] = "primule"
    summary: ClassVar[str] = "Make profiles equal to those of k people of their municipality."
    example: ClassVar[str] = "--k 20 --weeks 4"
    takes: ClassVar[type[Profiles]] = Profiles
    gives: ClassVar[Kind] = PROFILES
    compiles: ClassVar[bool] = True
    suits: ClassVar[tuple[str, ...]] = ("profiles",)
    typical: ClassVar[tuple[Mapping[str, Any], ...]] = ({"k": 100}, {"k": 20}, {"k": 5})
    in_a_crowd: ClassVar[bool] = True

    k: int = whole(help="Least number of people in a group.", low=2, high=LARGEST_K, default=20)
    weeks: int | Literal["all"] = whole(
        help="First weeks that the attacker may know.", low=1, high=MOST_WEEKS, default="all", unit="all|N", word="all"
    )
    known: tuple[str, ...] | None = cells(help="Cells that the attacker may know, instead of weeks.")
    small: Literal["suppress", "keep"] = choice(
        "suppress", "keep", help="Municipalities of fewer than k: leave out, or publish unprotected."
    )

    def _check_together(self) -> None:
        if self.known is not None and self.weeks != "all":
            raise ParameterError(
                f"`known` with {given('weeks', self.weeks)}",
                expected="one of them: what the attacker may know",
                hint="leave one out",
            )

    @property
    def claim(self) -> KAnonymousCells:
        """What holds of any profiles; where all weeks are meant, of their first one, which they have at least."""
        return KAnonymousCells(self.k, self.known or cell_names(1 if self.weeks == "all" else self.weeks))

    def claim_about(self, people: Profiles) -> KAnonymousCells:
        return KAnonymousCells(self.k, self._known_of(people.weeks))

    def _known_of(self, weeks: int) -> tuple[str, ...]:
        """The cells that the attacker may know, of profiles over so many weeks."""
        if self.known is not None:
            missing = next((name for name in self.known if name not in cell_names(weeks)), None)
            if missing is not None:
                raise ParameterError(
                    f"a cell `known={missing!r}` of profiles over {_spelled(weeks)}",
                    expected="cells that the profiles have",
                    hint=did_you_mean(missing, cell_names(weeks)),
                )
            return self.known
        if self.weeks == "all":
            return cell_names(weeks)
        if self.weeks > weeks:
            raise ParameterError(
                f"{given('weeks', self.weeks)} of profiles over {_spelled(weeks)}",
                expected=f"all, or a whole number up to {weeks}",
                hint="leave it out: then the attacker may know everything",
            )
        return cell_names(self.weeks)

    def _protect(self, people: Profiles, run: Run) -> Protected:
        # The kernels, and numba with them, are loaded when there is work for them.
        from shoal.mechanisms.primule.towns import group_towns, not_too_small
        from shoal.mechanisms.primule.units import in_units

        names = self._known_of(people.weeks)
        columns = np.array([cell_number(name) for name in names])
        rows_per_person(people)
        towns, small = not_too_small(rows_of_municipalities(people), self.k)
        if not towns:
            raise DataError(
                f"no municipality with {self.k} profiles, so nobody can be hidden",
                expected=f"k = {self.k} people or more in a municipality",
                hint="lower `k`, or join small municipalities",
            )
        found = group_towns(in_units(people.values[:, columns]), towns, self.k, run.engine, run.progress)
        values = people.values.copy()
        for rows, grouped in zip(towns, found, strict=True):
            values[np.ix_(rows, columns)] = grouped.values
        published = Profiles(people.people, people.municipalities, values, people.weeks)
        left = withheld.none()
        if self.small == "suppress" and small.size:
            published = _without(published, small)
            left = withheld.profiles(people.people.take(small), people.municipalities.take(small), "small")
        return Protected(
            payload=published,
            withheld=left,
            facts={**self._in_effect(names, people.weeks), **about_the_period(people)},
            run={
                "municipalities": len(towns),
                "groups": sum(grouped.groups for grouped in found),
                "rounds": max(grouped.rounds for grouped in found),
                "profiles_in_small_municipalities": int(small.size),
            },
            remarks=self._remarks(small.size),
        )

    def _in_effect(self, names: tuple[str, ...], weeks: int) -> dict[str, object]:
        """What the attacker may know, told in one way only, whichever way it was asked for."""
        for first in range(1, weeks + 1):
            if names == cell_names(first):
                return {"weeks": "all" if first == weeks else first, "known": None}
        return {"weeks": "all", "known": names}

    def _remarks(self, small: int) -> tuple[str, ...]:
        if not small or self.small == "suppress":
            return ()
        return (f"{small:,} profiles of municipalities with fewer than {self.k} are published unprotected",)


def _without(profiles: Profiles, rows: Ints64) -> Profiles:
    keep = np.ones(len(profiles), np.bool_)
    keep[rows] = False
    mask = pa.array(keep)
    people, towns = profiles.people.filter(mask), profiles.municipalities.filter(mask)
    return Profiles(people, towns, profiles.values[keep], profiles.weeks)


def _spelled(weeks: int) -> str:
    return "1 week" if weeks == 1 else f"{weeks} weeks"
