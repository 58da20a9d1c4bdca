"""The instance of knowledge that the fewest people match, by branch and bound over sets of bits.

Whoever matches everything that is known about a person can never be ruled out; they are set aside, and when no other is
left the search is over. Instances with the person's rarest item, the *anchor*, come first: only its few holders can
match them, and mostly nothing more is needed. A branch is cut when even the best remaining items together could not
rule out enough.
"""

from typing import NamedTuple

import numpy as np

from shoal.attacks.crowd import Ints
from shoal.attacks.prudence.items import Items, Values
from shoal.attacks.prudence.rules import Mask, Question, Rule


class Bounds(NamedTuple):
    """The fewest people who match an instance lie between ``at_least`` and ``matches``, which some instance reaches."""

    matches: int
    at_least: int


DEEPEST = 400
"""Records that a search lays upon one another; far below what the interpreter's stack holds."""

Level = tuple[int, int]
"""What it costs in records to know an item so well, and the set of people who fit then."""

Levels = list[Level]


def fewest_matches(items: Items, rule: Rule, person: int, size: int | None, effort: int) -> Bounds:
    """Search all instances of ``size`` records of one person; None, or more than there are: all of them.

    Parameters
    ----------
    effort
        How many sets may be compared before the search gives up and returns bounds.
    """
    own, values = items.of(person)
    reach = rule.levels(values)
    total = int(reach.sum())
    known = total if size is None else min(size, total)
    rarest_first = np.argsort(items.starts[own + 1] - items.starts[own], kind="stable")
    anchor = int(rarest_first[0])
    people = items.holder[items.who(int(own[anchor]))]
    table = items.table(own, people)
    everything = rule.fits(Question(values, table, reach[:, None], anchor)).all(axis=0)
    always = people[everything]
    if known == total:
        return Bounds(always.size, always.size)
    hunt = _Hunt(people.size - always.size, effort)
    reach = np.minimum(reach, known)
    hunt.under_anchor(_choices(rule, values, table[:, ~everything], reach, rarest_first), known)
    for at in range(1, own.size):
        if hunt.over:
            break
        rest = rarest_first[at:]
        # Without an anchor that matters, all that is left is searched at once, among all holders.
        holders = rest[:1] if rule.anchored else rest
        people = np.unique(np.concatenate([items.holder[items.who(int(item))] for item in own[holders]]))
        table = items.table(own, people[~_among(people, always)])
        choices = _choices(rule, values, table, reach, rest)
        if not rule.anchored:
            hunt.branch((1 << table.shape[1]) - 1, known, choices)
            break
        hunt.under_anchor(choices, known)
    return Bounds(always.size + hunt.best, always.size + (hunt.best if hunt.complete else 0))


class _Hunt:
    """The search's state: the fewest so far, of those who can be ruled out, and the effort left."""

    __slots__ = ("best", "effort")

    def __init__(self, best: int, effort: int) -> None:
        self.best, self.effort = best, effort

    @property
    def complete(self) -> bool:
        return self.effort >= 0 or self.best == 0

    @property
    def over(self) -> bool:
        return self.effort < 0 or self.best == 0

    def under_anchor(self, choices: list[Levels], records: int) -> None:
        """Search the instances that hold the first choice, and else only the later ones."""
        for cost, people in choices[0]:
            if cost <= records:
                self.best = min(self.best, people.bit_count())
                self.branch(people, records - cost, choices[1:])

    def branch(self, people: int, records: int, choices: list[Levels], depth: int = 0) -> None:
        if not records or self.over:
            return
        self.effort -= len(choices)
        if depth == DEEPEST:
            self.effort = -1
        before = people.bit_count()
        helpful = []
        for levels in choices:
            # The dearest level that can still be paid rules out most.
            deepest = next((who for cost, who in reversed(levels) if cost <= records), None)
            if deepest is None:
                continue
            left = (people & deepest).bit_count()
            if left < before:
                helpful.append((left, levels))
        if not helpful:
            return
        helpful.sort(key=lambda entry: entry[0])
        self.best = min(self.best, helpful[0][0])
        if records == 1:
            return
        for i in range(len(helpful)):
            # What others rule out alone bounds what they rule out together, from here and from every deeper branch.
            if before - sum(before - left for left, _ in helpful[i : i + records]) >= self.best:
                return
            later = [levels for _, levels in helpful[i + 1 :]]
            for cost, who in helpful[i][1]:
                if cost <= records:
                    self.branch(people & who, records - cost, later, depth + 1)


def _choices(rule: Rule, values: Values, table: Values, reach: Ints, items: Ints) -> list[Levels]:
    """Return for these items, the first of them the anchor, the levels that differ, cheapest first."""
    found: list[Levels] = [[] for _ in items]
    for cost in range(1, int(reach[items].max()) + 1):
        packed = np.packbits(rule.fits(Question(values, table, cost, int(items[0]))), axis=1, bitorder="little")
        for levels, item in zip(found, items, strict=True):
            if cost <= reach[item]:
                who = int.from_bytes(packed[item].tobytes(), "little")
                if not levels or who != levels[-1][1]:
                    levels.append((cost, who))
    return found


def _among(people: Ints, some: Ints) -> Mask:
    """Tell who of sorted people is among some of them, sorted too."""
    at = np.minimum(np.searchsorted(some, people), max(some.size - 1, 0))
    return np.asarray(some[at] == people) if some.size else np.zeros(people.size, np.bool_)


def scarcest(items: Items, size: int | None) -> Ints:
    """Count for each person those who match the best single item, visited as often as ``size`` records can tell.

    Vectorised over everybody: where it is 1, no search is needed.
    """
    value = items.value if size is None else np.minimum(items.value, size)
    held = items.held if size is None else np.minimum(items.held, size)
    if value.size and value.max() == 1:
        fitting = items.holders
    else:
        width = int(value.max(initial=0)) + 1
        item_of = np.repeat(np.arange(items.starts.size - 1), np.diff(items.starts))
        ranked = np.sort(item_of * width + held)
        fitting = items.starts[items.item + 1] - np.searchsorted(ranked, items.item * width + value)
    fewest = np.full(len(items), len(items), np.int64)
    some = np.flatnonzero(np.diff(items.offsets))
    if some.size:
        fewest[some] = np.minimum.reduceat(fitting, items.offsets[some])
    return fewest
