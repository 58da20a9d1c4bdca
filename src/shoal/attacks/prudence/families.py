"""The families of knowledge by name, and the risk of many people under one of them."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from shoal.attacks.crowd import Ints
from shoal.attacks.prudence.home_work import two_most_visited
from shoal.attacks.prudence.items import Items, exactly, shares, visits
from shoal.attacks.prudence.proportion import fewest_in_proportion
from shoal.attacks.prudence.records import Records
from shoal.attacks.prudence.rules import AtLeast, Proportional, Rule, Within
from shoal.attacks.prudence.search import Bounds, fewest_matches, scarcest
from shoal.attacks.prudence.sequence import Visits, fewest_in_order
from shoal.attacks.prudence.table import Units, fewest_by_table
from shoal.progress import Progress

FAMILIES = (
    *("location", "sequence", "location-time", "unique-location", "frequency", "probability", "proportion"),
    "home-work",
)
"""Names as on the command line."""

EFFORT = 20_000
"""Sets compared for one person before the search gives up; a fraction of a second."""

_EVERY = 256
"""People between two reports of progress."""

One = Callable[[int], Bounds]


@dataclass(frozen=True, slots=True, eq=False)
class Found:
    """For each target the fewest people who match an instance: at most ``matches``, at least ``at_least``."""

    matches: Ints
    at_least: Ints

    @property
    def risk(self) -> NDArray[np.float64]:
        """The risk that some instance reaches; where the search was complete, the risk."""
        return 1 / self.matches

    @property
    def risk_at_most(self) -> NDArray[np.float64]:
        return 1 / self.at_least

    @property
    def exact(self) -> NDArray[np.bool_]:
        """For whom both are the same."""
        return np.asarray(self.matches == self.at_least)


def prudence(
    records: Records,
    family: str,
    size: int | None,
    targets: Ints,
    *,
    step_s: int = 3600,
    tolerance: float = 0.0,
    effort: int = EFFORT,
    rng: np.random.Generator | None = None,
    progress: Progress | None = None,
) -> Found:
    """Find for each target the instance of knowledge that the fewest people match.

    Parameters
    ----------
    family
        One of :data:`FAMILIES`.
    size
        How many records, or distinct places, are known: None for all. Whoever has fewer is attacked with all of them.
        Home and work are always two places.
    step_s
        Precision of known times, for ``location-time``.
    tolerance
        For frequencies, probabilities and proportions, a share of the other's value.
    effort
        How many sets to compare per person before giving up with bounds.
    rng
        For the instances that are tried at random where there are too many (proportions with a tolerance).
    """
    if family == "home-work":
        alike = two_most_visited(visits(records))[targets]
        return Found(alike, alike)
    places = visits(records, step_s if family == "location-time" else None)
    if family == "sequence" and size != 1:
        walks, known = Visits(records), Units(records.offsets, records.place)
        settled = np.maximum(fewest_by_table(known, size, targets, effort), scarcest(places, size) == 1)
        return _each(lambda person: fewest_in_order(walks, person, size, effort), settled, targets, progress)
    if family in ("location", "location-time", "sequence"):
        return search_all(places, AtLeast(), size, targets, effort, progress)
    # A single proportion says no more than that the place was visited.
    if family == "unique-location" or (family == "proportion" and size == 1):
        return search_all(without_values(places), AtLeast(), size, targets, effort, progress)
    if family == "proportion":
        if not tolerance:
            rule, known = Proportional(), Units(places.offsets, places.item, places.value)
            settled = fewest_by_table(known, size, targets, effort)
            return _each(lambda person: fewest_matches(places, rule, person, size, effort), settled, targets, progress)
        source, nobody = rng or np.random.default_rng(), np.zeros(len(places), np.int64)
        return _each(
            lambda person: fewest_in_proportion(places, tolerance, person, size, effort, source),
            nobody,
            targets,
            progress,
        )
    values = shares(places) if family == "probability" else places
    if not tolerance:
        return search_all(exactly(values), AtLeast(), size, targets, effort, progress)
    return search_all(values, Within(tolerance), size, targets, effort, progress)


def search_all(
    items: Items, rule: Rule, size: int | None, targets: Ints, effort: int = EFFORT, progress: Progress | None = None
) -> Found:
    """Search for each target; not for those whom one pass over everybody settles."""
    settled = np.zeros(len(items), np.int64)
    if isinstance(rule, AtLeast):
        alone = scarcest(items, size)
        if size == 1:
            return Found(alone[targets], alone[targets])
        known = _visits_one_by_one(items, size)
        settled = np.maximum(fewest_by_table(known, size, targets, effort), alone == 1)
    return _each(lambda person: fewest_matches(items, rule, person, size, effort), settled, targets, progress)


def _visits_one_by_one(items: Items, size: int | None) -> Units:
    """Take each visit for a row, as many as can be known of an item."""
    often = items.value if size is None else np.minimum(items.value, size)
    ends = np.concatenate(([0], np.cumsum(often)))
    return Units(ends[items.offsets], np.repeat(items.item, often))


def _each(one: One, settled: Ints, targets: Ints, progress: Progress | None) -> Found:
    """Search for those who are not settled: of the others it is known how many match."""
    matches = settled[targets]
    at_least = matches.copy()
    for done, person in enumerate(targets.tolist()):
        if not settled[person]:
            matches[done], at_least[done] = one(person)
        if progress and done % _EVERY == 0:
            progress("searching", done, targets.size)
    if progress:
        progress("searching", targets.size, targets.size)
    return Found(matches, at_least)


def without_values(items: Items) -> Items:
    """Forget how often: only that."""
    one = np.ones(items.item.size, np.int64)
    return Items(items.offsets, items.item, one, items.starts, items.holder, one)
