"""Proportions known with a tolerance: the one family in which more knowledge can match more people.

A further place can change the most visited one, against which all proportions are taken, so bounds by monotony do not
hold. Instances are tried one by one, in full where effort allows, else at random.
"""

from collections.abc import Iterable
from itertools import combinations
from math import comb

import numpy as np

from shoal.attacks.crowd import Ints
from shoal.attacks.prudence.items import Items, Values
from shoal.attacks.prudence.rules import Mask, Proportional, Question, within
from shoal.attacks.prudence.search import Bounds


def fewest_in_proportion(
    items: Items, tolerance: float, person: int, size: int | None, effort: int, rng: np.random.Generator
) -> Bounds:
    """Try the instances of ``size`` places of one person; None, or more than there are: all of them."""
    own, values = items.of(person)
    known = own.size if size is None else min(size, own.size)
    people = items.holder[np.concatenate([np.arange(*items.who(int(i)).indices(items.holder.size)) for i in own])]
    table = items.table(own, np.unique(people))
    always = int(Proportional().fits(Question(values, table, 1, 0)).all(axis=0).sum())
    complete = comb(own.size, known) <= effort
    instances: Iterable[Ints] = (
        (np.array(chosen) for chosen in combinations(range(own.size), known))
        if complete
        else (rng.permutation(own.size)[:known] for _ in range(effort))
    )
    best = people.size
    for chosen in instances:
        best = min(best, int(_fits(values[chosen], table[chosen], tolerance).sum()))
        if best == always:
            break
    # Whoever has the very same proportions everywhere matches every instance.
    return Bounds(best, best if complete else always)


def _fits(own: Values, table: Values, tolerance: float) -> Mask:
    top = table.max(axis=0)
    mine = own / own.max()
    theirs = table / np.maximum(top, 1)
    return np.asarray(np.all((table > 0) & within(mine[:, None], theirs, tolerance), axis=0))
