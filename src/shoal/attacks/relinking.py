"""The attacker who puts the parts of a person together again: where one ends, the next begins."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from shoal.attacks.crowd import Ints
from shoal.attacks.interval import Rate, wilson

Floats = NDArray[np.float64]

HORIZON_S = 24 * 3600
"""The next part begins within a day, or is not looked for."""

_NEAREST = 32


@dataclass(frozen=True, slots=True, eq=False)
class Parts:
    """Where and when published parts begin and end: seconds, and metres n × 2."""

    start_s: Floats
    end_s: Floats
    start: Floats
    end: Floats


@dataclass(frozen=True, slots=True, eq=False)
class Relinked:
    """How often the part that begins nearest is the same person's, of those that have a next one.

    Attributes
    ----------
    right
        By the nearest start.
    control
        The same from the end of another part, taken at random, at the right time.
    baseline
        By any part that begins within the day: the expected share.
    """

    right: Rate
    control: Rate
    baseline: float

    def to_dict(self) -> dict[str, object]:
        return {
            "right": self.right.to_dict(),
            "control": self.control.to_dict(),
            "baseline": round(self.baseline, 6),
        }


def relinking(parts: Parts, person: Ints, rng: np.random.Generator, *, horizon_s: float = HORIZON_S) -> Relinked:
    """Point from the end of every part to the part that begins nearest, later and within a day.

    Parameters
    ----------
    person
        Whose each part is, to see who is right; negative ones are nobody's.
    """
    mine, any_one = _candidates(parts, person, horizon_s)
    asked = np.flatnonzero((mine > 0) & (person >= 0))
    if not asked.size:
        return Relinked(wilson(0, 0), wilson(0, 0), 0.0)
    chosen = next_parts(parts, parts.end[asked], asked, horizon_s)
    elsewhere = next_parts(parts, parts.end[rng.permutation(asked)], asked, horizon_s)
    right, control = (int((person[to] == person[asked]).sum()) for to in (chosen, elsewhere))
    return Relinked(wilson(right, asked.size), wilson(control, asked.size), float((mine / any_one)[asked].mean()))


def _candidates(parts: Parts, person: Ints, horizon_s: float) -> tuple[Ints, Ints]:
    """Count for each part those that begin within the day after it: the same person's, and all."""
    order = np.argsort(parts.start_s)
    starts = parts.start_s[order]
    until = parts.end_s + horizon_s
    any_one = np.searchsorted(starts, until, side="right") - np.searchsorted(starts, parts.end_s, side="right")
    by_person = np.lexsort((parts.start_s, person))
    mine = np.zeros(person.size, np.int64)
    first = np.searchsorted(person[by_person], person)
    last = np.searchsorted(person[by_person], person, side="right")
    for part in range(person.size):
        theirs = parts.start_s[by_person[first[part] : last[part]]]
        mine[part] = ((theirs > parts.end_s[part]) & (theirs <= until[part])).sum()
    return mine, np.maximum(any_one, 1)


def next_parts(parts: Parts, places: Floats, asked: Ints, horizon_s: float = HORIZON_S) -> Ints:
    """Return the part that begins nearest to a place, among those that begin within the day after a part's end.

    Parameters
    ----------
    places
        Where to look from, for each of ``asked``.
    asked
        Parts after whose end to look; each has somebody's part to be found.
    """
    from scipy.spatial import cKDTree

    tree = cKDTree(parts.start)
    chosen, open_, k = np.full(asked.size, -1, np.int64), np.arange(asked.size), _NEAREST
    while open_.size:
        k = min(k, len(parts.start))
        near = tree.query(places[open_], k=k)[1].reshape(open_.size, k)
        begins = parts.start_s[near]
        ends = parts.end_s[asked[open_]][:, None]
        fits = (begins > ends) & (begins <= ends + horizon_s)
        found = fits.any(axis=1)
        chosen[open_[found]] = near[found, fits[found].argmax(axis=1)]
        open_ = open_[~found] if k < len(parts.start) else open_[:0]
        k *= 8
    return chosen
