"""Who fits what a person did in any interval of length τ: the figures behind the checks of window hiding.

An *interval* is ``s … s + τ``, both ends included, for every slot ``s`` of the grid from the first sample of the data
to the last; beyond the last there is nothing, so it is clipped there. A sample is known when its slot starts in it.

- *Fits*: a person whose boxes cover at least as many of i's samples in the interval as i's own boxes do.
- *Ruled out*: whoever fits, but has a box inside the interval (its first and its last slot are) that holds none of i's
  samples. A box that reaches beyond the interval rules nobody out: i may have been there before or after. Of i's
  samples those that are withheld count too, because the attacker knows them.
- *Leaks*: all who fit and are not ruled out, i among them, cover a sample of i more than ε before or after the
  interval.
- *Tightest fit*: of all who fit and are not ruled out the one whose boxes, where they cover i's samples, are the
  smallest in the mean (Δt·(Δx + Δy), the cost of the paper's (2)); ties are shared.

Everything is counted in people, whatever number of names they have, and names without a person are nobody's. Intervals
in which i did nothing are not counted, and those in which all that i did is withheld are counted apart. All slots are
looked at, not only those at which a sample stands: the boxes of others enter and leave the interval too.
"""

from dataclasses import dataclass
from weakref import WeakKeyDictionary

import numpy as np
from numpy.typing import NDArray

from shoal.attacks.crowd import Crowd, Ints, Samples
from shoal.auditor.case import Case
from shoal.auditor.window_material import index_of, material, terms_of
from shoal.contract.claims import WindowHiding
from shoal.workers import workers

EVERYBODY = 5_000
"""Up to so many people everybody is looked at, however long it takes."""

MOST_LOOKS = 6_000_000_000
"""Beyond so many looks at a box a random sample of people has to do: that is some ten minutes on two cores."""

_BATCH = 250
_TRIED = 500


@dataclass(frozen=True, slots=True, eq=False)
class Fits:
    """What was found, a row for each person who was looked at.

    Attributes
    ----------
    people
        Published people of the original, and ``looked_at`` how many of them the rows are about.
    intervals
        Of each person: those in which something of it is published.
    few_cover, few_left, leaking
        Of those: with fewer than k who fit, with fewer than k who are not ruled out, that leak.
    least_cover, least_left
        The fewest who fit, and who are left, in any interval; some huge number where there is none.
    withheld
        Intervals with samples, all of them withheld.
    tightest
        The sum over ``intervals`` of the chance that the tightest fit is the person.
    """

    people: int
    intervals: Ints
    few_cover: Ints
    least_cover: Ints
    few_left: Ints
    least_left: Ints
    withheld: Ints
    leaking: Ints
    tightest: NDArray[np.float64]

    @property
    def looked_at(self) -> int:
        return int(self.intervals.size)

    @property
    def all_of_them(self) -> bool:
        return self.looked_at == self.people

    @property
    def leak_share(self) -> float:
        return float(self.leaking.sum() / max(int(self.intervals.sum()), 1))

    @property
    def success(self) -> NDArray[np.float64]:
        """How often the tightest fit is right, for each person with an interval."""
        some = self.intervals > 0
        return np.asarray(self.tightest[some] / self.intervals[some])


_DONE: WeakKeyDictionary[Case, Fits] = WeakKeyDictionary()


def fits_of(case: Case) -> Fits:
    """Look at everybody, once per audit; at a random sample of many people where that would take too long."""
    if case not in _DONE:
        assert isinstance(case.claim, WindowHiding)
        _DONE[case] = fits(case.boxes.crowd, case.person_of_uid, case.samples, case.claim, rng=case.rng)
    return _DONE[case]


def lasts(case: Case) -> int:
    """Return how long it takes from the first sample of published people to the end of the last, in seconds."""
    known = case.samples.take(np.unique(case.person_of_uid[case.person_of_uid >= 0]))
    return int(known.t.max() - known.t.min()) + known.dt_s if known.t.size else 0


def fits(
    crowd: Crowd,
    person_of: Ints,
    samples: Samples,
    claim: WindowHiding,
    *,
    rng: np.random.Generator,
) -> Fits:
    """Look at published people.

    Parameters
    ----------
    crowd, person_of
        What is published, and whose each name is: an index of the people of ``samples``, -1 for nobody's.
    """
    from shoal.auditor import window_loops as loops

    known, published = material(crowd, person_of, samples)
    index, terms = index_of(published), terms_of(claim, samples.dt_s)
    targets = np.unique(person_of[person_of >= 0])
    targets = targets[samples.lengths[targets] > 0]
    people = int(targets.size)
    if people > EVERYBODY:
        some = rng.choice(targets, min(_TRIED, people), replace=False)
        enough = int(MOST_LOOKS * some.size / max(loops.looks_at(some, known, index), 1))
        if enough < people:
            targets = np.sort(rng.choice(targets, max(enough, EVERYBODY), replace=False))
    counts, tightest = np.zeros((targets.size, 7), np.int64), np.zeros(targets.size)

    def work(start: int) -> None:
        here = slice(start, start + _BATCH)
        loops.sweep(targets[here], known, published, index, terms, counts[here], tightest[here])

    with workers() as many:
        list(many.pool.map(work, range(0, targets.size, _BATCH)))
    intervals, few_cover, least_cover, few_left, least_left, withheld, leaking = counts.T
    found = (intervals, few_cover, least_cover, few_left, least_left, withheld, leaking)
    return Fits(people, *found, tightest)


def fewest_without(crowd: Crowd, person_of: Ints, samples: Samples, claim: WindowHiding) -> int | None:
    """Count people without a box inside an interval, where they are fewest, but some.

    Who knows that somebody did nothing there is left with them.
    """
    known, published = material(crowd, person_of, samples)
    tau, last = claim.tau_s // samples.dt_s, known.last
    low, high = np.maximum(published.stop.astype(np.int64) - 1 - tau, 0), np.minimum(published.first, last)
    # Of one person the starts of the intervals that hold a box, and each start once.
    apart = published.owner.astype(np.int64) * (last + 2)
    reach = np.maximum.accumulate(np.where(low <= high, high, -1) + apart)
    low[1:] = np.maximum(low[1:], reach[:-1] - apart[1:] + 1)
    some = low <= high
    change = np.bincount(low[some], minlength=last + 2) - np.bincount(high[some] + 1, minlength=last + 2)
    without = np.unique(published.owner).size - np.cumsum(change)[:-1]
    return int(without[without > 0].min()) if (without > 0).any() else None
